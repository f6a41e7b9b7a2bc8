// The check must find what is broken: releases are made safe, then spoiled.
#include "audit/check.h"

#include <gtest/gtest.h>

#include "algorithms/anonymize.h"
#include "private_tables.h"

namespace throng {
namespace {

Release release_of(const Policy& policy, std::uint64_t seed) {
  return anonymize_table(testing::table_of(testing::random_rows(80, seed), policy), policy, 0);
}

TEST(Check, PassesWhatIsSafe) {
  const Policy policy = testing::small_policy("privacy:\n  - k-anonymity: 4\n");
  for (std::uint64_t seed = 1; seed < 20; ++seed)
    EXPECT_TRUE(check_release(release_of(policy, seed), policy).broken.empty());
}

TEST(Check, FindsAClassThatIsTooSmall) {
  const Policy policy = testing::small_policy("privacy:\n  - k-anonymity: 4\n");
  Release release = release_of(policy, 1);
  ASSERT_GT(release.classes, 1U);
  // A record moves from one class to another until the first has 3.
  std::size_t size = 0;
  for (const auto number : release.class_of_row) size += number == 0 ? 1 : 0;
  for (auto& number : release.class_of_row) {
    if (number == 0 && size > 3) {
      number = 1;
      --size;
    }
  }
  const Verdict verdict = check_release(release, policy);
  EXPECT_EQ(verdict.k, 3U);
  ASSERT_EQ(verdict.broken.size(), 1U);
  EXPECT_NE(verdict.broken[0].find("k-anonymity: 1 of"), std::string::npos);
}

TEST(Check, FindsEveryVariantThatIsBroken) {
  // One class of 6: values 4, 1, 1. Distinct 3, frequency 1.5, entropy 2.38.
  const char* broken[] = {"l: 4", "l: 2, variant: frequency", "l: 2.4, variant: entropy",
                          "l: 2, variant: recursive, c: 2", "l: 3, variant: recursive, c: 4"};
  const char* kept[] = {"l: 3", "l: 1.5, variant: frequency", "l: 2.3, variant: entropy",
                        "l: 2, variant: recursive, c: 2.1", "l: 3, variant: recursive, c: 4.1"};
  const Policy made_by = testing::small_policy("privacy:\n  - k-anonymity: 6\n");
  const testing::Rows rows = {{"a", "b", "c", "s"}, {"1", "p", "1", "x"}, {"2", "p", "1", "x"},
                              {"3", "p", "1", "x"}, {"4", "p", "1", "x"}, {"5", "p", "1", "y"},
                              {"6", "p", "1", "z"}};
  const Release release = anonymize_table(testing::table_of(rows, made_by), made_by, 0);
  const auto count = [&](const char* rule) {
    const Policy policy = testing::small_policy(
        std::string("privacy:\n  - l-diversity: {column: s, ") + rule + "}\n");
    return check_release(release, policy).broken.size();
  };
  for (const char* rule : broken) EXPECT_EQ(count(rule), 1U) << rule;
  for (const char* rule : kept) EXPECT_EQ(count(rule), 0U) << rule;
}

TEST(Check, AnEmptyReleaseKeepsNoPromise) {
  const Policy policy = testing::small_policy("privacy:\n  - k-anonymity: 4\n");
  EXPECT_FALSE(check_release({}, policy).broken.empty());
}

}  // namespace
}  // namespace throng
