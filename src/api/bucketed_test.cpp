// Buckets from a table, against what they promise: with the paper's own check (tests/figure_1.h)
// on what is published.
#include "api/bucketed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "figure_1.h"
#include "knowledge/gather.h"
#include "private_tables.h"
#include "throng/error.h"

namespace throng {
namespace {

using testing::Group;
using testing::Rows;
using testing::table_of;

const std::string kColumns =
    "columns:\n"
    "  a: {role: quasi-identifier, type: integer}\n"
    "  b: {role: quasi-identifier}\n"
    "  n: {role: insensitive}\n"
    "  s: {role: sensitive}\n";

Policy policy_of(const std::string& rest) { return parse_policy(kColumns + rest, "policy", ""); }

Rows rows_of(std::size_t count, std::size_t values, Random& random) {
  Rows rows = {{"a", "b", "n", "s"}};
  const std::uint64_t ages = 1 + random.below(4);
  for (std::size_t i = 0; i < count; ++i) {
    rows.push_back({std::to_string(20 + random.below(ages)), random.below(2) == 0 ? "M" : "F",
                    "n" + std::to_string(random.below(3)),
                    "v" + std::to_string(random.below(values))});
  }
  return rows;
}

// The published records as text, without their groups; the values, too.
std::multiset<std::vector<std::string>> records_of(const BucketedRelease& release) {
  std::multiset<std::vector<std::string>> records;
  const Buckets& buckets = release.buckets;
  for (std::size_t row = 0; row < buckets.rows(); ++row) {
    std::vector<std::string> record;
    for (std::size_t i = 0; i < buckets.domains.size(); ++i)
      record.push_back(buckets.domains[i].values.labels[buckets.positions[i][row]]);
    for (const Release::Plain& other : release.others)
      record.push_back(other.values.labels[other.codes[row]]);
    records.insert(record);
  }
  return records;
}

std::multiset<std::string> values_of(const Buckets& buckets) {
  std::multiset<std::string> values;
  for (const Buckets::Count& count : buckets.count_list) {
    for (std::uint32_t i = 0; i < count.count; ++i)
      values.insert(buckets.values.labels[count.value]);
  }
  return values;
}

// The valid values of the record that has the fewest; who has which value does not matter.
std::size_t least_by_figure(const Buckets& buckets, const std::vector<NegativeRule>& rules) {
  std::size_t least = ~std::size_t{0};
  for (std::uint32_t number = 0; number < buckets.groups.size(); ++number) {
    std::vector<Code> values;
    for (const Buckets::Count& count : buckets.counts(number))
      values.insert(values.end(), count.count, count.value);
    Group group;
    for (std::size_t row = 0; row < buckets.rows(); ++row) {
      if (buckets.group_of_row[row] != number) continue;
      std::vector<Code> positions;
      for (const auto& column : buckets.positions) positions.push_back(column[row]);
      testing::Record record{values[group.size()], {}};
      for (const NegativeRule& rule : rules) {
        if (satisfies(rule, buckets.domains, positions)) record.impossible.insert(*rule.code);
      }
      group.push_back(record);
    }
    for (std::size_t i = 0; i < group.size(); ++i)
      least = std::min(least, testing::valid_by_figure(group, i).size());
  }
  return least;
}

TEST(Bucketed, PublishesTheTableAndKeepsItsPromise) {
  std::size_t made = 0, refused = 0, ruled = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const std::size_t l = 2 + random.below(2);
    const bool injected = random.below(2) == 0;
    const std::string number = std::to_string(l);
    const Policy policy = policy_of(
        injected
            ? "privacy:\n  - matching-l-diversity: {column: s, l: " + number +
                  "}\nalgorithm: injector\nknowledge: {mine: {min-expectation: 0.4}}\n" +
                  (random.below(2) == 0 ? "grouping: random\n" : "") + "suppression: {max: 0}\n"
            : "privacy:\n  - l-diversity: {column: s, l: " + number + "}\nalgorithm: anatomy\n");
    const Rows rows = rows_of(6 + random.below(20), 3 + random.below(3), random);
    CheckedBuckets checked;
    try {
      checked = bucketize_checked(table_of(rows, policy), policy, seed);
    } catch (const PrivacyError&) {
      ++refused;
      continue;
    }
    ++made;
    ASSERT_EQ(checked.release.suppressed, 0U);
    std::multiset<std::vector<std::string>> records;
    std::multiset<std::string> values;
    for (std::size_t i = 1; i < rows.size(); ++i) {
      records.insert({rows[i].begin(), rows[i].begin() + 3});
      values.insert(rows[i][3]);
    }
    ASSERT_EQ(records_of(checked.release), records);
    ASSERT_EQ(values_of(checked.release.buckets), values);
    const std::vector<NegativeRule> rules =
        gather_rules(policy.knowledge, make_frequency_list(table_of(rows, policy), policy), 0)
            .rules;
    ruled += rules.empty() ? 0 : 1;
    ASSERT_EQ(checked.mined, rules.size());
    ASSERT_GE(checked.attack.least_valid, l);
    ASSERT_EQ(checked.attack.least_valid, least_by_figure(checked.release.buckets, rules));
    ASSERT_LE(checked.sizes.largest_share * static_cast<double>(l), 1 + 1e-12);
  }
  EXPECT_GT(made, 200U);
  EXPECT_GT(refused, 50U);
  EXPECT_GT(ruled, 30U);
}

TEST(Bucketed, PermutesInsideGroupsAlone) {
  Random random(3);
  const Policy policy =
      policy_of("privacy:\n  - l-diversity: {column: s, l: 2}\nalgorithm: anatomy\n");
  const Rows rows = rows_of(300, 6, random);
  const CheckedBuckets checked = bucketize_checked(table_of(rows, policy), policy, 9);
  const Buckets& buckets = checked.release.buckets;
  const std::vector<Code> values = permuted_values(buckets, 9);
  std::map<std::pair<std::uint32_t, Code>, std::uint32_t> counts;
  for (std::size_t row = 0; row < values.size(); ++row)
    ++counts[{buckets.group_of_row[row], values[row]}];
  std::size_t seen = 0;
  for (std::uint32_t group = 0; group < buckets.groups.size(); ++group) {
    for (const Buckets::Count& count : buckets.counts(group)) {
      ASSERT_EQ((counts[{group, count.value}]), count.count);
      ++seen;
    }
  }
  EXPECT_EQ(seen, counts.size());
  EXPECT_NE(values, permuted_values(buckets, 10));
}

// Who knows the command's seed cannot run the choice again: it hangs on private values, too.
TEST(Bucketed, TheSeedAloneDoesNotTellWhoWentWhere) {
  const Policy policy =
      policy_of("privacy:\n  - l-diversity: {column: s, l: 2}\nalgorithm: anatomy\n");
  // Forty people of their own ages; the values of two of them are exchanged.
  Rows one = {{"a", "b", "n", "s"}};
  for (int i = 0; i < 40; ++i)
    one.push_back({std::to_string(20 + i), "M", "n", i % 2 == 0 ? "x" : "y"});
  Rows other = one;
  std::swap(other[1][3], other[2][3]);
  const auto partners = [&](const Rows& rows) {
    const Buckets buckets = bucketize_checked(table_of(rows, policy), policy, 0).release.buckets;
    std::map<std::uint32_t, std::set<Code>> of_group;
    for (std::size_t row = 0; row < buckets.rows(); ++row)
      of_group[buckets.group_of_row[row]].insert(buckets.positions[0][row]);
    std::set<std::set<Code>> result;
    for (const auto& [group, members] : of_group) result.insert(members);
    return result;
  };
  const std::set<std::set<Code>> a = partners(one), b = partners(other);
  std::vector<std::set<Code>> common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  EXPECT_LT(common.size(), 10U);  // of 20; with the seed alone at least 18 would stay
}

TEST(Bucketed, SaysWhichRulesLeaveTooFew) {
  const Policy policy = policy_of(
      "privacy:\n  - matching-l-diversity: {column: s, l: 2}\nalgorithm: injector\n"
      "knowledge: {mine: {min-expectation: 0.5}}\nsuppression: {max: 0.1}\n");
  Rows rows = {{"a", "b", "n", "s"}};
  for (int i = 0; i < 8; ++i) {
    rows.push_back({"20", "M", "n", "x"});
    rows.push_back({"20", "F", "n", i % 2 == 0 ? "y" : "z"});
  }
  try {
    bucketize_checked(table_of(rows, policy), policy, 0);
    ADD_FAILURE();
  } catch (const PrivacyError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("8 of 16 records (0.5) have fewer than 2 valid values"), std::string::npos)
        << text;
    EXPECT_NE(text.find("b = M => not y (8 of them)"), std::string::npos) << text;
    EXPECT_NE(text.find("b = M => not z (8 of them)"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace throng
