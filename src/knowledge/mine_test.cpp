#include "knowledge/mine.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "io/reader.h"
#include "knowledge/impossible.h"
#include "knowledge/mining_examples.h"

namespace throng {
namespace {

using Correction = MiningRules::Correction;
using Membership = MiningRules::Membership;
using testing::Made;
using testing::make_table;

constexpr Correction kCorrections[] = {Correction::none, Correction::holm, Correction::fdr};

// ---- The definition, literally.

struct Node {
  std::set<Code> leaves;
  std::vector<double> membership;  // by position
};

// The items of a column: sets of leaves, each once, without that of all leaves.
std::vector<Node> nodes_of(const Domain& domain, bool fuzzy) {
  std::set<std::set<Code>> sets;
  if (domain.tree) {
    for (Code leaf = 0; leaf < domain.size(); ++leaf) {
      for (Hierarchy::Node node = domain.tree->leaf(leaf); node != domain.tree->root();
           node = domain.tree->parent(node)) {
        std::set<Code> leaves;
        for (Code i = domain.tree->first(node); i <= domain.tree->last(node); ++i) leaves.insert(i);
        sets.insert(leaves);
      }
    }
  } else {
    for (Code position = 0; position < domain.size(); ++position) sets.insert({position});
  }
  std::vector<Node> nodes;
  for (const auto& leaves : sets) {
    if (leaves.size() == domain.size()) continue;
    Node node{leaves, std::vector<double>(domain.size(), 0)};
    for (const Code leaf : leaves) node.membership[leaf] = 1;
    nodes.push_back(node);
  }
  if (!fuzzy || !domain.tree || !domain.values.numeric()) return nodes;
  const auto ends = [&](const std::set<Code>& leaves) {
    double low = INFINITY, high = -INFINITY;
    for (const Code leaf : leaves) {
      if (!std::isfinite(domain.values.numbers[leaf])) continue;
      low = std::min(low, domain.values.numbers[leaf]);
      high = std::max(high, domain.values.numbers[leaf]);
    }
    return std::pair(low, high);
  };
  for (Node& node : nodes) {
    const auto [low, high] = ends(node.leaves);
    if (low > high) continue;
    double width = high - low;
    std::size_t smallest = domain.size();
    for (const Node& above : nodes) {  // the smallest with a width that has all of it
      const auto own = ends(above.leaves);
      const bool has_all = std::includes(above.leaves.begin(), above.leaves.end(),
                                         node.leaves.begin(), node.leaves.end());
      if (high > low || !has_all || own.second <= own.first || above.leaves.size() >= smallest)
        continue;
      smallest = above.leaves.size();
      width = own.second - own.first;
    }
    for (Code position = 0; position < domain.size(); ++position) {
      const double number = domain.values.numbers[position];
      if (node.leaves.count(position) > 0 || !std::isfinite(number)) continue;
      const double distance = std::max({0.0, low - number, number - high});
      const double membership = distance == 0 ? 1 : width > 0 ? 1 - distance / (width / 2) : 0;
      if (membership > 1e-9) node.membership[position] = membership;
    }
  }
  return nodes;
}

// Of one rule: the value, and by column the lowest and highest position (what it covers is a
// range).
using Key = std::pair<Code, std::map<std::size_t, std::pair<Code, Code>>>;

struct Expected {
  std::map<Key, std::pair<std::uint64_t, double>> rules;  // records and expectation
  std::uint64_t tested = 0, holding = 0;
  double by_luck = 0;
};

// One for each correction, in the order of the enum.
std::vector<Expected> by_definition(const FrequencyList& list, const MiningRules& rules) {
  const bool fuzzy = rules.membership == Membership::fuzzy;
  std::vector<std::vector<Node>> nodes;
  for (const Domain& domain : list.domains) nodes.push_back(nodes_of(domain, fuzzy));
  std::vector<double> share(list.sensitive_sizes[0], 0);
  for (std::size_t i = 0; i < list.size(); ++i) share[list.values[0][i]] += list.weights[i];
  for (double& each : share) each /= static_cast<double>(list.records);

  struct Candidate {
    std::vector<const Node*> x;  // by column; null: nothing said
    Code value = 0;
    double support = 0, chance = 0;
    std::uint64_t records = 0;
    bool holds = false;
  };
  std::vector<Candidate> candidates;
  std::vector<const Node*> x(list.domains.size(), nullptr);
  const auto weigh = [&] {
    double support = 0;
    std::uint64_t records = 0;
    std::vector<char> has(share.size(), 0);
    for (std::size_t i = 0; i < list.size(); ++i) {
      double weight = list.weights[i];
      bool inside = true;
      for (std::size_t column = 0; column < x.size(); ++column) {
        if (x[column] == nullptr) continue;
        const Code position = list.positions[column][i];
        weight *= x[column]->membership[position];
        inside = inside && position >= *x[column]->leaves.begin() &&
                 position <= *x[column]->leaves.rbegin();
      }
      support += weight;
      if (inside) records += list.weights[i];
      if (weight > 0) has[list.values[0][i]] = 1;
    }
    for (Code value = 0; value < share.size(); ++value) {
      if (share[value] <= 0 || share[value] >= 1) continue;
      const double chance = std::pow(1 - share[value], support);
      if (1 - chance >= rules.min_expectation - 1e-9)
        candidates.push_back({x, value, support, chance, records, !has[value]});
    }
  };
  const auto choose = [&](const auto& self, std::size_t column, std::size_t items) -> void {
    if (column == x.size()) {
      if (items > 0) weigh();
      return;
    }
    self(self, column + 1, items);
    for (const Node& node : nodes[column]) {
      if (items == rules.max_items) break;
      x[column] = &node;
      self(self, column + 1, items + 1);
      x[column] = nullptr;
    }
  };
  choose(choose, 0, 0);

  std::vector<Expected> all;
  for (const Correction correction : kCorrections) {
    Expected expected;
    expected.tested = candidates.size();
    const double alpha = 1 - rules.min_expectation, count = static_cast<double>(candidates.size());
    double bound = 1;
    if (correction != Correction::none) {
      std::vector<double> chances;
      for (const Candidate& each : candidates) chances.push_back(each.holds ? each.chance : 1);
      std::sort(chances.begin(), chances.end());
      bound = -1;
      bool rejecting = true;
      for (std::size_t i = 0; i < chances.size(); ++i) {
        const double rank = static_cast<double>(i);
        if (correction == Correction::holm) {
          rejecting = rejecting && chances[i] <= alpha / (count - rank) * (1 + 1e-9);
          if (rejecting) bound = alpha / (count - rank) * (1 + 1e-9);
        } else if (chances[i] <= alpha * (rank + 1) / count * (1 + 1e-9)) {
          bound = alpha * (rank + 1) / count * (1 + 1e-9);
        }
      }
    }
    std::vector<const Candidate*> holding;
    for (const Candidate& each : candidates) {
      if (each.chance <= bound) expected.by_luck += each.chance;
      if (each.holds && each.chance <= bound) holding.push_back(&each);
    }
    expected.holding = holding.size();
    for (const Candidate* rule : holding) {
      const bool redundant =
          std::any_of(holding.begin(), holding.end(), [&](const Candidate* other) {
            if (other == rule || other->value != rule->value) return false;
            for (std::size_t column = 0; column < x.size(); ++column) {
              if (other->x[column] == nullptr) continue;
              if (rule->x[column] == nullptr) return false;
              const auto& outer = other->x[column]->leaves;
              const auto& inner = rule->x[column]->leaves;
              if (!std::includes(outer.begin(), outer.end(), inner.begin(), inner.end()))
                return false;
            }
            return true;
          });
      if (redundant) continue;
      Key key{rule->value, {}};
      for (std::size_t column = 0; column < x.size(); ++column) {
        if (rule->x[column] != nullptr)
          key.second[column] = {*rule->x[column]->leaves.begin(),
                                *rule->x[column]->leaves.rbegin()};
      }
      expected.rules[key] = {rule->records, 1 - rule->chance};
    }
    all.push_back(std::move(expected));
  }
  return all;
}

TEST(Mine, GivesExactlyWhatTheDefinitionDoes) {
  std::size_t rules_seen = 0, fuzzy_differs = 0, correction_differs = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const Made made = make_table(seed);
    Random random(seed + 1000000);
    MiningRules rules;
    rules.min_expectation = 0.3 + 0.1 * static_cast<double>(random.below(7));
    rules.max_items = 1 + random.below(4);
    std::size_t plain = 0;
    for (const Membership membership : {Membership::crisp, Membership::fuzzy}) {
      rules.membership = membership;
      const std::vector<Expected> all = by_definition(made.list, rules);
      for (const Correction correction : kCorrections) {
        rules.correction = correction;
        const Mined mined = mine_rules(made.list, 0, rules);
        const Expected& expected = all[static_cast<std::size_t>(correction)];
        SCOPED_TRACE(fmt::format("seed {}, {} items, {}, {}", seed, rules.max_items,
                                 name_of(membership), name_of(correction)));
        EXPECT_EQ(mined.tested, expected.tested);
        EXPECT_EQ(mined.holding, expected.holding);
        EXPECT_NEAR(mined.by_luck, expected.by_luck, 1e-6);
        ASSERT_EQ(mined.rules.size(), expected.rules.size());
        for (const NegativeRule& rule : mined.rules) {
          Key key{*rule.code, {}};
          for (const auto& condition : rule.conditions) {
            EXPECT_FALSE(condition.region.everything);
            key.second[condition.column] = {condition.region.low, condition.region.high};
          }
          const auto found = expected.rules.find(key);
          ASSERT_NE(found, expected.rules.end());
          EXPECT_EQ(*rule.records, found->second.first);
          EXPECT_NEAR(*rule.expectation, found->second.second, 1e-9);
          EXPECT_EQ(rule.source, NegativeRule::Source::mined);
        }
        if (correction == Correction::none && membership == Membership::crisp)
          plain = mined.rules.size();
        rules_seen += mined.rules.size();
        fuzzy_differs += membership == Membership::fuzzy && mined.rules.size() != plain ? 1 : 0;
        correction_differs += correction != Correction::none && mined.rules.size() != plain ? 1 : 0;
      }
    }
  }
  // The tables must have something to find, or nothing was tested.
  EXPECT_GT(rules_seen, 20000U);
  EXPECT_GT(fuzzy_differs, 500U);
  EXPECT_GT(correction_differs, 500U);
}

TEST(Mine, WhatItFindsCanBeWrittenAndReadBack) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Made made = make_table(seed);
    MiningRules rules;
    rules.min_expectation = 0.5;
    rules.max_items = 3;
    const Mined mined = mine_rules(made.list, 0, rules);
    const std::string text = write_rules(mined.rules, made.list.domains);
    const auto read =
        parse_rules(text, "RULES.json", made.list.domains, made.list.plain.back().values);
    ASSERT_EQ(read.size(), mined.rules.size()) << "seed " << seed;
    for (std::size_t i = 0; i < read.size(); ++i) {
      EXPECT_EQ(read[i].code, mined.rules[i].code);
      EXPECT_EQ(read[i].records, mined.rules[i].records);
      EXPECT_EQ(read[i].source, NegativeRule::Source::mined);
      ASSERT_EQ(read[i].conditions.size(), mined.rules[i].conditions.size());
      for (std::size_t j = 0; j < read[i].conditions.size(); ++j) {
        EXPECT_EQ(read[i].conditions[j].column, mined.rules[i].conditions[j].column);
        EXPECT_EQ(read[i].conditions[j].region, mined.rules[i].conditions[j].region)
            << text << "seed " << seed;
      }
    }
    // No record has what the rules say it cannot have.
    for (const RuleCount& count : count_rules(made.list, 0, mined.rules))
      EXPECT_EQ(count.contrary, 0U) << "seed " << seed;
  }
}

TEST(Mine, NeitherRowsNorThreadsNorColumnsInAnotherOrderMatter) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Made made = make_table(seed);
    MiningRules rules;
    rules.min_expectation = 0.5;
    rules.max_items = 3;
    rules.membership = seed % 2 == 0 ? Membership::crisp : Membership::fuzzy;
    rules.correction = seed % 3 == 0 ? Correction::fdr : Correction::none;
    const Mined mined = mine_rules(made.list, 0, rules);
    const std::string text = write_rules(mined.rules, made.list.domains);
    {
      const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
      const Mined alone = mine_rules(made.list, 0, rules);
      EXPECT_EQ(write_rules(alone.rules, made.list.domains), text);
      EXPECT_EQ(alone.by_luck, mined.by_luck);
    }
    std::vector<std::vector<std::string>> body(made.rows.begin() + 1, made.rows.end());
    shuffle(body, seed);
    std::copy(body.begin(), body.end(), made.rows.begin() + 1);
    for (auto& row : made.rows) std::swap(row[0], row[3]);
    const FrequencyList other =
        make_frequency_list(testing::table_of(made.rows, made.policy), made.policy);
    const Mined again = mine_rules(other, 0, rules);
    EXPECT_EQ(again.rules.size(), mined.rules.size());
    EXPECT_EQ(again.tested, mined.tested);
    EXPECT_EQ(again.holding, mined.holding);
    // Rules as sets of names and regions.
    const auto spelled = [](const Mined& found, const FrequencyList& list) {
      std::set<std::set<std::string>> all;
      for (const NegativeRule& rule : found.rules) {
        std::set<std::string> one = {"not " + rule.value, std::to_string(*rule.records)};
        for (const auto& condition : rule.conditions) {
          const Domain& domain = list.domains[condition.column];
          one.insert(domain.name + "=" + write_region(domain, condition.region));
        }
        all.insert(one);
      }
      return all;
    };
    EXPECT_EQ(spelled(again, other), spelled(mined, made.list)) << "seed " << seed;
  }
}

// The claim of `by_luck`: where s has nothing to do with the quasi-identifiers, no more holds on
// average; and with Holm's correction anything at all is found no more often than allowed.
TEST(Mine, LuckGivesNoMoreThanItSays) {
  Made made = make_table(17);
  Random random(5);
  made.rows.resize(1);
  for (int i = 0; i < 300; ++i)
    made.rows.push_back({std::to_string(random.below(4)), fmt::format("v{}", random.below(3)), "w0",
                         "20", fmt::format("s{}", random.below(1 + random.below(12)))});
  MiningRules rules;
  rules.min_expectation = 0.8;
  rules.max_items = 2;
  constexpr int kTables = 400;
  double holding = 0, by_luck = 0;
  std::map<Correction, int> with_rules;
  for (int table = 0; table < kTables; ++table) {
    std::vector<std::string> values;
    for (std::size_t i = 1; i < made.rows.size(); ++i) values.push_back(made.rows[i].back());
    shuffle(values, random());
    for (std::size_t i = 1; i < made.rows.size(); ++i) made.rows[i].back() = values[i - 1];
    const FrequencyList list =
        make_frequency_list(testing::table_of(made.rows, made.policy), made.policy);
    for (const Correction correction : kCorrections) {
      rules.correction = correction;
      const Mined mined = mine_rules(list, 0, rules);
      with_rules[correction] += mined.rules.empty() ? 0 : 1;
      if (correction != Correction::none) continue;
      holding += static_cast<double>(mined.holding) / kTables;
      by_luck = mined.by_luck;
    }
  }
  EXPECT_GT(holding, 0.3 * by_luck);  // at most, but not idly so
  EXPECT_LT(holding, by_luck);
  EXPECT_GT(with_rules[Correction::none], kTables / 2);
  EXPECT_LT(with_rules[Correction::holm], kTables / 4);  // allowed: 1 in 5
  EXPECT_LT(with_rules[Correction::fdr], kTables / 4);
}

TEST(Mine, NothingComesOfNothing) {
  Made made = make_table(3);
  MiningRules rules;
  made.rows.resize(1);
  EXPECT_TRUE(
      mine_rules(make_frequency_list(testing::table_of(made.rows, made.policy), made.policy), 0,
                 rules)
          .rules.empty());
  // One value that everybody has is in no rule, and columns of one value are in none either.
  for (int i = 0; i < 50; ++i) made.rows.push_back({"1", "v", "w0", "20", "s"});
  const Mined mined = mine_rules(
      make_frequency_list(testing::table_of(made.rows, made.policy), made.policy), 0, rules);
  EXPECT_TRUE(mined.rules.empty());
  EXPECT_EQ(mined.tested, 0U);
}

// ---- Many items, few records below each: the ways of the search that are for sparse columns.

TEST(Mine, ManyItemsAreCountedAsFewAre) {
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    Made made;
    made.policy = parse_policy(
        "columns:\n"
        "  a: {role: quasi-identifier, type: integer, hierarchy: {interval: [4, 16]}}\n"
        "  b: {role: quasi-identifier, hierarchy: {mask: right}}\n"
        "  c: {role: quasi-identifier}\n"
        "  s: {role: sensitive}\n"
        "privacy:\n  - matching-l-diversity: {column: s, l: 2}\n",
        "policy", "");
    Random random(seed);
    made.rows = {{"a", "b", "c", "s"}};
    for (int i = 0; i < 400; ++i) {
      const std::uint64_t a = random.below(100), b = 100 + random.below(120);
      made.rows.push_back({std::to_string(a), std::to_string(b),
                           std::string(1, static_cast<char>('a' + random.below(2))),
                           random.below(4) > 0 ? "most"
                           : (a + b) % 3 == 0  ? "x"
                                               : "y"});
    }
    made.list = make_frequency_list(testing::table_of(made.rows, made.policy), made.policy);
    MiningRules rules;
    rules.min_expectation = 0.6;
    rules.max_items = 3;
    for (const Membership membership : {Membership::crisp, Membership::fuzzy}) {
      rules.membership = membership;
      rules.max_items = membership == Membership::fuzzy ? 2 : 3;
      const Mined mined = mine_rules(made.list, 0, rules);
      const Expected expected = by_definition(made.list, rules)[0];
      EXPECT_EQ(mined.tested, expected.tested) << seed;
      EXPECT_EQ(mined.holding, expected.holding) << seed;
      EXPECT_EQ(mined.rules.size(), expected.rules.size()) << seed;
      EXPECT_GT(mined.rules.size(), 10U) << seed;
    }
  }
}

// ---- UCI Adult.

FrequencyList adult() {
  const char* given = std::getenv("THRONG_DATA");  // NOLINT(concurrency-mt-unsafe)
  const std::string folder =
      std::string(given != nullptr ? given : THRONG_SOURCE_DIR "/../shared/data") + "/adult/";
  if (!std::filesystem::exists(folder + "adult.csv")) return {};
  std::string yaml =
      "columns:\n  age: {role: quasi-identifier, type: integer, hierarchy: "
      "{interval: [5, 10, 20]}}\n";
  for (const char* name : {"workclass", "education", "marital-status", "race", "sex"})
    yaml +=
        fmt::format("  {}: {{role: quasi-identifier, hierarchy: taxonomies/{}.csv}}\n", name, name);
  yaml +=
      "  occupation: {role: sensitive}\n  native-country: {role: insensitive}\n"
      "privacy:\n  - matching-l-diversity: {column: occupation, l: 6}\n";
  const Policy policy = parse_policy(yaml, "adult", folder);
  std::vector<io::Wanted> wanted;
  for (const ColumnPolicy& column : policy.columns)
    wanted.push_back(
        {column.name, column.type, {.values = {"?", ""}, .as = MissingRule::As::drop}});
  io::Session session(1);
  Table table = io::read_table(folder + "adult.csv", wanted, session);
  EXPECT_EQ(table.rows, 45222U);
  table.columns.pop_back();  // only told whether the record is complete
  return make_frequency_list(table, policy);
}

TEST(MineAdult, HasTheRulesOfTheRecords) {
  const FrequencyList list = adult();
  if (list.records == 0) GTEST_SKIP() << "SKIPPED: UCI Adult is not there; set THRONG_DATA";
  MiningRules rules;
  EXPECT_EQ(mine_rules(list, 0, rules).rules.size(), 23U);
  rules.max_items = 2;
  const Mined pairs = mine_rules(list, 0, rules);
  EXPECT_EQ(pairs.rules.size(), 1501U);
  EXPECT_EQ(pairs.holding, 3336U);
  // More is asked, less is found; the paper's Figure 3 has 45, 39, 32, 22 and 15.
  rules.max_items = 1;
  std::vector<std::size_t> counts;
  for (const double least : {0.75, 0.8, 0.85, 0.9, 0.95}) {
    rules.min_expectation = least;
    counts.push_back(mine_rules(list, 0, rules).rules.size());
  }
  EXPECT_EQ(counts, (std::vector<std::size_t>{35, 28, 24, 23, 18}));
}

}  // namespace
}  // namespace throng
