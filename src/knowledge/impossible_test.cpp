#include "knowledge/impossible.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "knowledge/mine.h"
#include "knowledge/mining_examples.h"

namespace throng {
namespace {

using testing::Made;
using testing::make_table;
using testing::Rows;

TEST(Impossible, ValuesAndCountsAreThoseOfEachRuleByItself) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Made made = make_table(seed);
    MiningRules how;
    how.min_expectation = 0.3;
    how.max_items = 4;
    std::vector<NegativeRule> rules = mine_rules(made.list, 0, how).rules;
    // Rules that are not true count, too; so do such about values that do not occur.
    Random random(seed);
    for (NegativeRule& rule : rules) {
      if (random.below(3) == 0)
        rule.code = static_cast<Code>(random.below(made.list.sensitive_sizes[0]));
      if (random.below(9) == 0) rule.code.reset();
    }
    shuffle(rules, seed);
    const Impossible impossible = impossible_values(made.list, rules);
    const std::vector<RuleCount> counts = count_rules(made.list, 0, rules);
    std::vector<RuleCount> expected(rules.size());
    ASSERT_EQ(impossible.set_of.size(), made.list.size());
    for (std::size_t entry = 0; entry < made.list.size(); ++entry) {
      std::vector<Code> positions;
      for (const auto& column : made.list.positions) positions.push_back(column[entry]);
      std::set<Code> values;
      for (std::size_t i = 0; i < rules.size(); ++i) {
        if (!satisfies(rules[i], made.list.domains, positions)) continue;
        expected[i].records += made.list.weights[entry];
        if (rules[i].code == made.list.values[0][entry])
          expected[i].contrary += made.list.weights[entry];
        if (rules[i].code) values.insert(*rules[i].code);
      }
      EXPECT_EQ(impossible.sets[impossible.set_of[entry]],
                std::vector<Code>(values.begin(), values.end()))
          << "seed " << seed << ", entry " << entry;
    }
    for (std::size_t i = 0; i < rules.size(); ++i) {
      EXPECT_EQ(counts[i].records, expected[i].records) << "seed " << seed;
      EXPECT_EQ(counts[i].contrary, expected[i].contrary) << "seed " << seed;
    }
    auto sorted = impossible.sets;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(std::unique(sorted.begin(), sorted.end()), sorted.end());
  }
}

// So many rules and values that they are not written out by position.
TEST(Impossible, WideColumnsAreAsNarrowOnes) {
  constexpr std::size_t kValues = 40000;
  const Policy policy = parse_policy(
      "columns:\n  a: {role: quasi-identifier, type: integer}\n  b: {role: quasi-identifier}\n"
      "  s: {role: sensitive}\nprivacy:\n  - matching-l-diversity: {column: s, l: 2}\n",
      "policy", "");
  Random random(11);
  Rows rows = {{"a", "b", "s"}};
  for (std::size_t i = 0; i < kValues; ++i)
    rows.push_back({std::to_string(i), fmt::format("b{}", random.below(5)),
                    fmt::format("s{}", random.below(70))});
  const FrequencyList list = make_frequency_list(testing::table_of(rows, policy), policy);
  std::vector<NegativeRule> rules(3500);
  for (NegativeRule& rule : rules) {
    const std::size_t kind = random.below(3);
    if (kind != 0) {
      const Code low = static_cast<Code>(random.below(kValues));
      const Code high = std::min<Code>(kValues - 1, low + static_cast<Code>(random.below(300)));
      rule.conditions.push_back({0, region_of_range(list.domains[0], low, high)});
    }
    if (kind != 1)
      rule.conditions.push_back(
          {1, region_of_value(list.domains[1], static_cast<Code>(random.below(5)))});
    rule.code = static_cast<Code>(random.below(70));
  }
  const Impossible impossible = impossible_values(list, rules);
  for (std::size_t entry = 0; entry < list.size(); entry += 37) {
    const std::vector<Code> positions = {list.positions[0][entry], list.positions[1][entry]};
    std::set<Code> values;
    for (const NegativeRule& rule : rules) {
      if (satisfies(rule, list.domains, positions)) values.insert(*rule.code);
    }
    ASSERT_EQ(impossible.sets[impossible.set_of[entry]],
              std::vector<Code>(values.begin(), values.end()))
        << entry;
  }
}

TEST(Impossible, MinedRulesThatSayNoMoreThanAStatedOneAreLeftOut) {
  const Made made = make_table(4);
  const Dictionary& values = made.list.plain.back().values;
  const auto read = [&](const std::string& json) {
    return parse_rules(json, "r", made.list.domains, values);
  };
  const auto word = made.rows[1][1], number = made.rows[1][0], value = made.rows[1][4];
  const auto stated =
      read(fmt::format(R"([{{"if": {{"word": "{}"}}, "not": "{}"}}])", word, value));
  const auto mined = read(fmt::format(
      R"([{{"if": {{"word": "{0}"}}, "not": "{2}", "source": "mined"}},
          {{"if": {{"word": "{0}", "number": {1}}}, "not": "{2}", "source": "mined"}},
          {{"if": {{"word": "{0}"}}, "not": "else", "source": "mined"}},
          {{"if": {{"number": {1}}}, "not": "{2}", "source": "mined"}}])",
      word, number, value));
  const auto all = combine_rules(stated, mined, made.list.domains);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].source, NegativeRule::Source::stated);
  EXPECT_EQ(all[1].value, "else");
  EXPECT_EQ(all[2].conditions.size(), 1U);
  EXPECT_EQ(combine_rules({}, mined, made.list.domains).size(), 4U);
}

}  // namespace
}  // namespace throng
