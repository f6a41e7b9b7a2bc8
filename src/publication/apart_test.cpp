#include "publication/apart.h"

#include <gtest/gtest.h>

#include <set>

#include "algorithms/algorithm.h"
#include "private_tables.h"

namespace throng {
namespace {

using testing::random_rows;
using testing::small_policy;
using testing::table_of;

std::vector<std::uint64_t> hashes_of(const Release& release) {
  std::vector<std::uint64_t> hashes;
  for (std::uint32_t number = 0; number < release.classes; ++number) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < release.quasi.size(); ++i)
      texts.push_back(write_region(release.quasi[i].domain, release.region(i, number)));
    hashes.push_back(hash_of_regions(texts));
  }
  return hashes;
}

// The same release again and again: its classes get other regions each time, which still cover.
TEST(KeepApart, FindsFreeRegionsThatStillCover) {
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Policy policy = small_policy("privacy:\n  - k-anonymity: 3\n");
    const FrequencyList list = make_frequency_list(table_of(random_rows(60, seed), policy), policy);
    const Requirements requirements(policy, list);
    const Release first = make_release(list, mondrian(list, requirements, policy), seed);
    std::set<std::uint64_t> taken;
    for (int i = 0; i < 3; ++i) {
      Release release = first;
      const std::size_t changed =
          keep_apart(release, [&](std::uint64_t hash) { return taken.contains(hash); });
      EXPECT_TRUE(i > 0 || changed == 0);
      for (std::uint32_t number = 0; number < release.classes; ++number) {
        for (std::size_t column = 0; column < release.quasi.size(); ++column) {
          const Domain& domain = release.quasi[column].domain;
          for (Code position = 0; position < domain.size(); ++position) {
            if (!covers(domain, first.region(column, number), position)) continue;
            EXPECT_TRUE(covers(domain, release.region(column, number), position));
          }
        }
      }
      std::size_t free = 0;
      for (const std::uint64_t hash : hashes_of(release)) free += taken.insert(hash).second ? 1 : 0;
      EXPECT_EQ(free, i == 0 ? release.classes : changed);
      EXPECT_GE(2 * free, release.classes);  // the domains are small: some run out of regions
    }
  }
}

TEST(KeepApart, GivesUpWhereEverythingIsTaken) {
  const Policy policy = small_policy("privacy:\n  - k-anonymity: 2\n");
  const FrequencyList list = make_frequency_list(
      table_of({{"a", "b", "c", "s"}, {"1", "p", "10", "x"}, {"1", "p", "10", "y"}}, policy),
      policy);
  const Requirements requirements(policy, list);
  Release release = make_release(list, mondrian(list, requirements, policy), 1);
  keep_apart(release, [](std::uint64_t) { return true; });
  EXPECT_EQ(release.rows(), 2U);
}

}  // namespace
}  // namespace throng
