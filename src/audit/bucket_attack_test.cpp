// The attack on buckets against the paper's own check, record by record.
#include "audit/bucket_attack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "figure_1.h"
#include "private_tables.h"

namespace throng {
namespace {

using testing::Group;
using testing::Record;
using testing::valid_by_figure;

TEST(BucketAttack, IsThePapersCheck) {
  const Policy policy = testing::small_policy("privacy:\n  - l-diversity: {column: s, l: 2}\n");
  std::size_t below = 0, contradicted = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const testing::Rows rows = testing::random_rows(2 + random.below(14), seed);
    const FrequencyList list = make_frequency_list(testing::table_of(rows, policy), policy);
    // Records one by one, at random in groups.
    Buckets buckets;
    buckets.domains = list.domains;
    buckets.positions.resize(list.domains.size());
    buckets.sensitive = "s";
    buckets.values = list.plain[0].values;
    const std::size_t groups = 1 + random.below(3);
    std::vector<std::map<Code, std::uint32_t>> counts(groups);
    std::vector<Code> value_of;
    for (std::size_t entry = 0; entry < list.size(); ++entry) {
      for (std::uint32_t i = 0; i < list.weights[entry]; ++i) {
        const auto group = static_cast<std::uint32_t>(random.below(groups));
        buckets.group_of_row.push_back(group);
        for (std::size_t column = 0; column < list.domains.size(); ++column)
          buckets.positions[column].push_back(list.positions[column][entry]);
        value_of.push_back(list.values[0][entry]);
        ++counts[group][value_of.back()];
      }
    }
    buckets.count_begin.assign(1, 0);
    for (std::size_t group = 0; group < groups; ++group) {
      buckets.groups.push_back(std::to_string(group));
      for (const auto& [value, count] : counts[group]) buckets.count_list.push_back({value, count});
      buckets.count_begin.push_back(buckets.count_list.size());
    }
    // Rules, true or not.
    std::vector<NegativeRule> rules(random.below(5));
    for (NegativeRule& rule : rules) {
      const std::size_t column = random.below(list.domains.size());
      rule.code = static_cast<Code>(random.below(buckets.values.size()));
      rule.value = buckets.values.labels[*rule.code];
      rule.conditions.push_back(
          {column, region_of_value(list.domains[column],
                                   static_cast<Code>(random.below(list.domains[column].size())))});
    }
    const std::size_t l = 1 + random.below(3);
    const KnowledgeAttack found = attack_buckets(buckets, rules, l);

    std::size_t expected = 0, least = ~std::size_t{0};
    for (std::uint32_t number = 0; number < groups; ++number) {
      Group group;
      for (std::size_t row = 0; row < buckets.rows(); ++row) {
        if (buckets.group_of_row[row] != number) continue;
        std::vector<Code> positions;
        for (const auto& column : buckets.positions) positions.push_back(column[row]);
        Record record{value_of[row], {}};
        for (const NegativeRule& rule : rules) {
          if (satisfies(rule, buckets.domains, positions)) record.impossible.insert(*rule.code);
        }
        group.push_back(record);
      }
      for (std::size_t i = 0; i < group.size(); ++i) {
        const std::size_t valid = valid_by_figure(group, i).size();
        least = std::min(least, valid);
        expected += valid < l ? 1 : 0;
      }
    }
    ASSERT_EQ(found.records, buckets.rows());
    ASSERT_EQ(found.by_matching, expected);
    ASSERT_EQ(found.least_valid, least);
    below += expected > 0 ? 1 : 0;
    contradicted += found.contradictions > 0 ? 1 : 0;
  }
  EXPECT_GT(below, 200U);
  EXPECT_GT(contradicted, 50U);
}

TEST(BucketAttack, SizesOfBuckets) {
  Buckets buckets;
  buckets.groups = {"1", "2"};
  buckets.count_begin = {0, 2, 5};
  buckets.count_list = {{0, 1}, {1, 3}, {0, 1}, {1, 1}, {2, 1}};
  const BucketSizes sizes = sizes_of(buckets, 2);
  EXPECT_EQ(sizes.smallest, 3U);
  EXPECT_EQ(sizes.largest, 4U);
  EXPECT_EQ(sizes.distinct, 2U);
  EXPECT_EQ(sizes.largest_share, 0.75);
  EXPECT_EQ(sizes.above_share, 1U);
  EXPECT_EQ(sizes_of(Buckets{}, 2).largest, 0U);
}

}  // namespace
}  // namespace throng
