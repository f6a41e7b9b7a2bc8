// Injector on UCI Adult, as Li and Li ("Injector", 2008) use it: with 23 mined rules nobody is left
// fewer than l valid values, and with Anatomy hundreds are. Needs adult/adult.csv in $THRONG_DATA.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "adult.h"
#include "api/bucketed.h"
#include "io/reader.h"
#include "knowledge/gather.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

using testing::adult;

const std::vector<std::string> kColumns = {"age",  "workclass", "education", "marital-status",
                                           "race", "sex",       "occupation"};

Policy policy_of(const std::string& rest) {
  std::string yaml =
      "columns:\n  age: {role: quasi-identifier, type: integer, hierarchy: {interval: [5, 10, "
      "20]}}\n";
  for (std::size_t i = 1; i + 1 < kColumns.size(); ++i) {
    yaml += "  " + kColumns[i] + ": {role: quasi-identifier, hierarchy: taxonomies/" + kColumns[i] +
            ".csv}\n";
  }
  // The other columns count for what a complete row is.
  for (const char* other : {"fnlwgt", "education-num", "relationship", "capital-gain",
                            "capital-loss", "hours-per-week", "native-country", "income"})
    yaml += std::string("  ") + other + ": {role: sensitive}\n";
  return parse_policy(yaml + "  occupation: {role: sensitive}\n" +
                          "missing: {values: ['?', ''], as: drop}\n" + rest,
                      "policy", adult().string());
}

// Complete rows, and of them the columns that count.
Table complete_rows(const Policy& policy) {
  io::Session session(0);
  std::vector<io::Wanted> wanted;
  for (const ColumnPolicy& column : policy.columns)
    wanted.push_back({column.name, column.type, missing_rule(policy, column)});
  Table table = io::read_table((adult() / "adult.csv").string(), wanted, session);
  std::erase_if(table.columns, [](const Column& column) {
    return std::find(kColumns.begin(), kColumns.end(), column.name) == kColumns.end();
  });
  return table;
}

// The same policy without the columns that are not published.
Policy narrow(Policy policy) {
  std::erase_if(policy.columns, [](const ColumnPolicy& column) {
    return std::find(kColumns.begin(), kColumns.end(), column.name) == kColumns.end();
  });
  return policy;
}

TEST(AdultInjector, LeavesNobodyVulnerable) {
  if (!fs::exists(adult() / "adult.csv"))
    GTEST_SKIP() << "NOT TESTED: UCI Adult is not at " << adult() << "; set THRONG_DATA";
  Policy policy = policy_of(
      "privacy:\n  - matching-l-diversity: {column: occupation, l: 3}\n"
      "knowledge: {mine: {min-expectation: 0.9, max-items: 1}}\n");
  const Table table = complete_rows(policy);
  ASSERT_EQ(table.rows, 45222U);
  policy = narrow(policy);
  policy.algorithm = Algorithm::injector;
  policy.max_suppression = 0;
  const FrequencyList list = make_frequency_list(table, policy);
  const GatheredRules rules = gather_rules(policy.knowledge, list, 0);
  ASSERT_EQ(rules.rules.size(), 23U);
  for (const std::size_t l : {std::size_t{3}, std::size_t{6}}) {
    policy.matching->l = l;
    for (const auto grouping : {BucketRules::Grouping::near, BucketRules::Grouping::random}) {
      SCOPED_TRACE(::testing::Message() << "l " << l);
      policy.buckets.grouping = grouping;
      const CheckedBuckets checked = bucketize_checked(table, policy, 1);
      EXPECT_EQ(checked.mined, 23U);
      EXPECT_EQ(checked.release.buckets.rows(), 45222U);
      const KnowledgeAttack attack = attack_buckets(checked.release.buckets, rules.rules, l);
      EXPECT_EQ(attack.by_matching, 0U);
      EXPECT_EQ(attack.contradictions, 0U);
      EXPECT_GE(attack.least_valid, l);
      EXPECT_EQ(sizes_of(checked.release.buckets, l).above_share, 0U);
    }
    Policy baseline = policy;
    baseline.algorithm = Algorithm::anatomy;
    baseline.matching.reset();
    baseline.knowledge.reset();
    baseline.diversities.push_back({"occupation", static_cast<double>(l)});
    const CheckedBuckets checked = bucketize_checked(table, baseline, 1);
    EXPECT_GT(attack_buckets(checked.release.buckets, rules.rules, l).by_matching, 300U);
  }
}

}  // namespace
}  // namespace throng
