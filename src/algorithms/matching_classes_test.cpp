// Matching ℓ-diversity of generalized classes and of blocks, held against the paper's own check
// (figure 1) on small random tables, with rules that are mined from them or stated.
#include <gtest/gtest.h>

#include <algorithm>

#include "algorithms/algorithm.h"
#include "algorithms/anonymize.h"
#include "algorithms/blocks.h"
#include "audit/check_matching.h"
#include "figure_1.h"
#include "knowledge/attacker.h"
#include "private_tables.h"
#include "throng/error.h"

namespace throng {
namespace {

using testing::Group;
using testing::random_rows;
using testing::small_policy;
using testing::table_of;

// The records of an entry, each with what the rules rule out for it, one rule after another.
void add_records(const FrequencyList& list, const std::vector<NegativeRule>& rules,
                 std::size_t entry, Group& group) {
  std::vector<Code> positions;
  for (const auto& column : list.positions) positions.push_back(column[entry]);
  testing::Record record{list.values[0][entry], {}};
  for (const NegativeRule& rule : rules) {
    if (rule.code && satisfies(rule, list.domains, positions)) record.impossible.insert(*rule.code);
  }
  group.insert(group.end(), list.weights[entry], record);
}

std::size_t least_valid(const Group& group) {
  std::size_t least = ~std::size_t{0};
  for (std::size_t i = 0; i < group.size(); ++i)
    least = std::min(least, testing::valid_by_figure(group, i).size());
  return least;
}

// Of a group, whom nothing protects: figure 1, again and again.
Group without_hopeless(Group group, std::size_t l) {
  while (true) {
    Group left;
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (testing::valid_by_figure(group, i).size() >= l) left.push_back(group[i]);
    }
    if (left.size() == group.size()) return left;
    group = std::move(left);
  }
}

struct Case {
  Policy policy;
  FrequencyList list;
  Attacker attacker;
  std::size_t l = 2;
};

Case random_case(std::uint64_t seed, std::size_t records, const std::string& algorithm) {
  Case made;
  made.l = 2 + seed % 3;
  const std::string more = seed % 4 == 0 ? "  - k-anonymity: 3\n"
                           : seed % 4 == 1
                               ? "  - l-diversity: {column: s, l: 2, variant: entropy}\n"
                               : "";
  made.policy = small_policy(
      "privacy:\n  - matching-l-diversity: {column: s, l: " + std::to_string(made.l) + "}\n" +
      more + "knowledge: {mine: {min-expectation: " + (seed % 2 == 0 ? "0.4" : "0.7") +
      ", max-items: " + (seed % 3 == 0 ? "2" : "1") + "}}\nalgorithm: " + algorithm + "\n");
  made.list = make_frequency_list(table_of(random_rows(records, seed), made.policy), made.policy);
  made.attacker = *attacker_of(made.list, made.policy);
  return made;
}

// Every class by figure 1; the records that are published.
Group expect_protected(const Case& made, const Partition& partition) {
  std::vector<Group> classes(partition.classes);
  Group published;
  for (std::size_t entry = 0; entry < made.list.size(); ++entry) {
    if (partition.class_of[entry] == kSuppressed) continue;
    add_records(made.list, made.attacker.rules, entry, classes[partition.class_of[entry]]);
    add_records(made.list, made.attacker.rules, entry, published);
  }
  for (const Group& group : classes) EXPECT_GE(least_valid(group), made.l);
  return published;
}

TEST(MatchingClasses, EveryClassOfEveryAlgorithmPassesFigure1) {
  const char* algorithms[] = {"mondrian", "datafly", "greedy-release", "mondrian\ncut: median",
                              "greedy-release\nchoose: loss"};
  std::size_t with_rules = 0, made_classes = 0, refused = 0, left_out = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case made = random_case(seed, 6 + seed % 30, algorithms[seed % 5]);
    with_rules += made.attacker.types.sets.size() > 1 ? 1 : 0;
    const Requirements requirements(made.policy, made.list, &made.attacker.types);
    Partition partition;
    try {
      partition = run_algorithm(made.list, requirements, made.policy);
    } catch (const PrivacyError&) {
      ++refused;
      continue;
    } catch (const InputError&) {  // k above the number of records
      continue;
    }
    made_classes += partition.classes;
    const Group published = expect_protected(made, partition);
    left_out += published.size() < made.list.records ? 1 : 0;
  }
  // The cases are worth the trouble.
  EXPECT_GT(with_rules, 200U);
  EXPECT_GT(made_classes, 400U);
  EXPECT_GT(refused, 5U);
  EXPECT_GT(left_out, 20U);
}

// Mondrian leaves out those whom no class could protect, and nobody else; it refuses only where
// nobody is left.
TEST(MatchingClasses, MondrianLeavesOutTheHopelessAlone) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Case made = random_case(2 + seed * 4, 6 + seed % 14, "mondrian");
    const Requirements requirements(made.policy, made.list, &made.attacker.types);
    Group all;
    for (std::size_t entry = 0; entry < made.list.size(); ++entry)
      add_records(made.list, made.attacker.rules, entry, all);
    const std::size_t left = without_hopeless(all, made.l).size();
    try {
      const Partition partition = run_algorithm(made.list, requirements, made.policy);
      EXPECT_EQ(expect_protected(made, partition).size(), left);
    } catch (const PrivacyError&) {
      EXPECT_EQ(left, 0U);
    }
  }
}

TEST(MatchingClasses, EveryBlockPassesFigure1) {
  std::size_t blocks = 0, waiting = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case made = random_case(seed, 4 + seed % 40, "mondrian");
    const Requirements requirements(made.policy, made.list, &made.attacker.types);
    std::vector<char> due(made.list.size(), 0);
    for (std::size_t entry = 0; entry < due.size(); entry += 1 + seed % 5) due[entry] = 1;
    const Partition partition =
        make_blocks(made.list, requirements, 0.2 + 0.4 * static_cast<double>(seed % 8), due);
    blocks += partition.classes;
    const Group published = expect_protected(made, partition);
    waiting += published.size() < made.list.records ? 1 : 0;
  }
  EXPECT_GT(blocks, 400U);
  EXPECT_GT(waiting, 50U);
}

// The audit's own check agrees with figure 1 on what was made, and finds what is spoiled.
TEST(MatchingClasses, TheCheckCountsWhatFigure1Counts) {
  std::size_t spoiled = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case made = random_case(2 + seed * 4, 8 + seed % 25, "mondrian");
    std::optional<KnownRecords> known;
    Release release;
    try {
      release = anonymize_table(table_of(random_rows(8 + seed % 25, 2 + seed * 4), made.policy),
                                made.policy, 0, &known);
    } catch (const PrivacyError&) {
      continue;
    }
    ASSERT_TRUE(known);
    const MatchingVerdict verdict = check_matching(release, *known, made.l);
    EXPECT_TRUE(verdict.broken.empty());
    EXPECT_GE(verdict.valid, made.l);
    // One who knows more: someone cannot have anything but his own.
    KnownRecords more = *known;
    std::vector<Code> but_own;
    for (Code value = 0; value < release.plain[0].values.size(); ++value) {
      if (value != more.values[0]) but_own.push_back(value);
    }
    if (more.class_of[0] == kSuppressed) continue;
    more.impossible.set_of[0] = static_cast<std::uint32_t>(more.impossible.sets.size());
    more.impossible.sets.push_back(but_own);
    const MatchingVerdict worse = check_matching(release, more, made.l);
    EXPECT_FALSE(worse.broken.empty());
    EXPECT_EQ(worse.valid, 1U);
    EXPECT_GE(worse.exposed, more.weights[0]);
    // A record that was put into another class.
    if (release.classes < 2) continue;
    KnownRecords moved = *known;
    moved.class_of[0] = (moved.class_of[0] + 1) % static_cast<std::uint32_t>(release.classes);
    EXPECT_FALSE(check_matching(release, moved, made.l).broken.empty());
    ++spoiled;
  }
  EXPECT_GT(spoiled, 20U);
}

// Without a rule that says anything it is distinct ℓ-diversity, at its price.
TEST(MatchingClasses, WithoutRulesItIsDistinctDiversity) {
  const Policy matching =
      small_policy("privacy:\n  - matching-l-diversity: {column: s, l: 3}\nalgorithm: mondrian\n");
  const Policy distinct =
      small_policy("privacy:\n  - l-diversity: {column: s, l: 3}\nalgorithm: mondrian\n");
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    FrequencyList list = make_frequency_list(table_of(random_rows(80, seed), matching), matching);
    const std::optional<Attacker> attacker = attacker_of(list, matching);
    const Requirements one(matching, list, &attacker->types), other(distinct, list);
    EXPECT_TRUE(one.only_distinct());
    EXPECT_FALSE(one.has_knowledge());
    EXPECT_EQ(mondrian(list, one, matching).class_of, mondrian(list, other, distinct).class_of);
  }
}

TEST(MatchingClasses, RequirementsAskForTheTypes) {
  const Policy policy =
      small_policy("privacy:\n  - matching-l-diversity: {column: s, l: 2}\nalgorithm: mondrian\n");
  const FrequencyList list = make_frequency_list(table_of(random_rows(9, 1), policy), policy);
  EXPECT_THROW(Requirements(policy, list), std::logic_error);
}

}  // namespace
}  // namespace throng
