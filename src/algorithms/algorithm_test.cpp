// Every algorithm on random tables, against the promise that all of them make; counted here from
// the entries, with none of the code that made the partition.
#include "algorithms/algorithm.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <map>
#include <set>

#include "algorithms/boxes.h"
#include "audit/check.h"
#include "private_tables.h"
#include "throng/error.h"

namespace throng {
namespace {

using testing::random_rows;
using testing::small_policy;
using testing::table_of;

const std::vector<std::string> kAlgorithms = {
    "algorithm: mondrian\ncut: median\n",
    "algorithm: mondrian\ncut: best\n",
    "algorithm: datafly\n",
    "algorithm: datafly\ntighten: true\n",
    "algorithm: greedy-release\n",
    "algorithm: greedy-release\nchoose: loss\n",
    "algorithm: greedy-release\nchoose: loss\ntighten: false\n",
};
const std::vector<std::string> kPrivacy = {
    "privacy:\n  - k-anonymity: 3\n",
    "privacy:\n  - k-anonymity: 2\n  - l-diversity: {column: s, l: 2}\n",
    "privacy:\n  - l-diversity: {column: s, l: 2, variant: frequency}\n",
    "privacy:\n  - k-anonymity: 4\n  - l-diversity: {column: s, l: 1.7, variant: entropy}\n",
    "privacy:\n  - l-diversity: {column: s, l: 2, variant: recursive, c: 2}\n",
};

struct Made {
  FrequencyList list;
  Partition partition;
};

// Nothing where the privacy cannot be reached at all.
std::optional<Made> make(const testing::Rows& rows, const Policy& policy) {
  Made made{make_frequency_list(table_of(rows, policy), policy), {}};
  const Requirements requirements(policy, made.list);
  try {
    made.partition = run_algorithm(made.list, requirements, policy);
  } catch (const PrivacyError&) {
    return std::nullopt;
  }
  return made;
}

// The counts of sensitive values in a set of entries.
std::vector<std::uint32_t> counts_of(const FrequencyList& list,
                                     const std::vector<std::size_t>& entries) {
  std::map<Code, std::uint32_t> counts;
  for (const std::size_t entry : entries) counts[list.values[0][entry]] += list.weights[entry];
  std::vector<std::uint32_t> result;
  for (const auto& [value, count] : counts) result.push_back(count);
  return result;
}

bool safe(const FrequencyList& list, const std::vector<std::size_t>& entries,
          const Policy& policy) {
  std::uint64_t records = 0;
  for (const std::size_t entry : entries) records += list.weights[entry];
  if (records < policy.k || records == 0) return false;
  for (const Diversity& diversity : policy.diversities) {
    if (!is_diverse(diversity, counts_of(list, entries))) return false;
  }
  return true;
}

std::vector<std::vector<std::size_t>> members_of(const Made& made) {
  std::vector<std::vector<std::size_t>> members(made.partition.classes);
  for (std::size_t entry = 0; entry < made.list.size(); ++entry) {
    if (made.partition.class_of[entry] != kSuppressed)
      members[made.partition.class_of[entry]].push_back(entry);
  }
  return members;
}

template <typename Check>
void for_all(const Check& check) {
  for (const std::string& algorithm : kAlgorithms) {
    for (const std::string& privacy : kPrivacy) {
      const Policy policy = small_policy(privacy + algorithm);
      for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        SCOPED_TRACE(::testing::Message() << algorithm << privacy << "seed " << seed);
        const auto made = make(random_rows(5 + seed * 13, seed), policy);
        if (made) check(*made, policy);
      }
    }
  }
}

TEST(Algorithms, EveryClassIsSafeAndCoveredByItsRegions) {
  std::size_t seen = 0;
  for_all([&](const Made& made, const Policy& policy) {
    ++seen;
    for (const auto& members : members_of(made)) {
      ASSERT_FALSE(members.empty());
      EXPECT_TRUE(safe(made.list, members, policy));
      const std::uint32_t number = made.partition.class_of[members[0]];
      for (std::size_t column = 0; column < made.list.domains.size(); ++column) {
        const Region& region =
            made.partition.regions[column][made.partition.region_of[column][number]];
        for (const std::size_t entry : members) {
          EXPECT_TRUE(
              covers(made.list.domains[column], region, made.list.positions[column][entry]));
        }
      }
    }
  });
  EXPECT_GT(seen, 250U);  // most of the random tables can be anonymized
}

TEST(Algorithms, WhatIsLeftOutIsNotSafeAsOneGroup) {
  for_all([&](const Made& made, const Policy& policy) {
    std::vector<std::size_t> left_out;
    for (std::size_t entry = 0; entry < made.list.size(); ++entry) {
      if (made.partition.class_of[entry] == kSuppressed) left_out.push_back(entry);
    }
    EXPECT_FALSE(safe(made.list, left_out, policy));
    if (policy.algorithm == Algorithm::mondrian) {
      EXPECT_TRUE(left_out.empty());
    }
  });
}

TEST(Algorithms, TightRegionsAreTheTightest) {
  for_all([&](const Made& made, const Policy& policy) {
    if (policy.algorithm != Algorithm::mondrian && !policy.tighten) return;
    for (const auto& members : members_of(made)) {
      const std::uint32_t number = made.partition.class_of[members[0]];
      for (std::size_t column = 0; column < made.list.domains.size(); ++column) {
        const Domain& domain = made.list.domains[column];
        const Region& region =
            made.partition.regions[column][made.partition.region_of[column][number]];
        std::set<Code> present;
        for (const std::size_t entry : members) present.insert(made.list.positions[column][entry]);
        double tightest = 2;
        if (domain.tree) {
          for (Hierarchy::Node node = 0; node < domain.tree->nodes(); ++node) {
            if (domain.tree->first(node) <= *present.begin() &&
                domain.tree->last(node) >= *present.rbegin()) {
              tightest = std::min(tightest, domain.tree->loss(node));
            }
          }
        } else if (domain.kind == Domain::Kind::set) {
          tightest = domain.set_loss(present.size());
        } else {
          tightest = domain.range_loss(*present.begin(), *present.rbegin());
        }
        EXPECT_DOUBLE_EQ(loss_of(domain, region), tightest);
      }
    }
  });
}

TEST(Mondrian, ClassesAreDisjointBoxesWhereThereIsNoTree) {
  for_all([&](const Made& made, const Policy& policy) {
    if (policy.algorithm != Algorithm::mondrian) return;
    for (std::uint32_t a = 0; a < made.partition.classes; ++a) {
      for (std::uint32_t b = a + 1; b < made.partition.classes; ++b) {
        bool overlap = true;
        for (std::size_t column = 0; column < made.list.domains.size(); ++column) {
          const Domain& domain = made.list.domains[column];
          const Region& of_a = made.partition.regions[column][made.partition.region_of[column][a]];
          const Region& of_b = made.partition.regions[column][made.partition.region_of[column][b]];
          bool meet = false;
          for (Code i = 0; i < domain.size(); ++i)
            meet = meet || (covers(domain, of_a, i) && covers(domain, of_b, i));
          // Siblings left together under their parent may share its label.
          overlap = overlap && meet;
          if (domain.tree && meet && !(of_a.low == of_a.high && of_b.low == of_b.high))
            overlap = false;
        }
        EXPECT_FALSE(overlap);
      }
    }
  });
}

TEST(Mondrian, NoCutThatIsAllowedAndGainsIsLeft) {
  for_all([&](const Made& made, const Policy& policy) {
    if (policy.algorithm != Algorithm::mondrian) return;
    for (const auto& members : members_of(made)) {
      for (std::size_t column = 0; column < 2; ++column) {  // the interval and the set
        for (Code limit = 1; limit < made.list.domains[column].size(); ++limit) {
          std::vector<std::size_t> sides[2];
          for (const std::size_t entry : members)
            sides[made.list.positions[column][entry] >= limit].push_back(entry);
          if (sides[0].empty() || sides[1].empty()) continue;
          // Either cut gains: both sides lose values of this very column.
          EXPECT_FALSE(safe(made.list, sides[0], policy) && safe(made.list, sides[1], policy));
        }
      }
    }
  });
}

// A value so frequent that most cuts are refused: still a matter of a moment.
TEST(Mondrian, ManyRefusedCuts) {
  for (const char* cut : {"median", "best"}) {
    const Policy policy = parse_policy(
        std::string("columns:\n  a: {role: quasi-identifier, type: integer}\n"
                    "  b: {role: quasi-identifier, type: integer}\n"
                    "  s: {role: sensitive}\n"
                    "privacy:\n  - l-diversity: {column: s, l: 2, variant: frequency}\n"
                    "cut: ") +
            cut + "\n",
        "p", "");
    testing::Rows rows = {{"a", "b", "s"}};
    Random random(12);
    for (int i = 0; i < 8000; ++i) {
      rows.push_back({std::to_string(random.below(1000000)), std::to_string(18 + random.below(72)),
                      i % 1000 < 499 ? "common" : "v" + std::to_string(random.below(9))});
    }
    const auto made = make(rows, policy);
    ASSERT_TRUE(made);
    for (const auto& members : members_of(*made)) EXPECT_TRUE(safe(made->list, members, policy));
    EXPECT_GT(made->partition.classes, 40U);
  }
}

// Columns with more values than a partition has entries, and with more than bundles hold: every
// class is still as small as k allows, and no array of the domain's size is made at every step.
TEST(Mondrian, ManyDistinctValues) {
  for (const char* cut : {"median", "best"}) {
    const Policy policy =
        parse_policy(std::string("columns:\n  a: {role: quasi-identifier, type: integer}\n"
                                 "  b: {role: quasi-identifier, type: decimal}\n"
                                 "  z: {role: quasi-identifier}\n"
                                 "privacy:\n  - k-anonymity: 5\ncut: ") +
                         cut + "\n",
                     "p", "");
    testing::Rows rows = {{"a", "b", "z"}};
    Random random(11);
    for (int i = 0; i < 12000; ++i) {
      // Most values of a lie in one narrow bundle.
      const std::uint64_t a = i % 10 == 0 ? random.below(1000000000) : random.below(20000);
      rows.push_back({std::to_string(a), std::to_string(random.below(1000000)) + ".5",
                      std::to_string(random.below(9000))});
    }
    const auto made = make(rows, policy);
    ASSERT_TRUE(made);
    EXPECT_GT(made->partition.classes, 1200U) << cut;
    for (const auto& members : members_of(*made)) {
      std::uint64_t records = 0;
      for (const std::size_t entry : members) records += made->list.weights[entry];
      EXPECT_GE(records, 5U);
      EXPECT_LT(records, 10U);  // distinct numbers can always be cut
    }
  }
}

TEST(Mondrian, BestCutsLoseNoMoreThanMediansOnTheWhole) {
  double losses[2] = {0, 0};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const int best : {0, 1}) {
      const Policy policy = small_policy(kPrivacy[0] + kAlgorithms[static_cast<std::size_t>(best)]);
      // People as they are: columns that go together.
      Random random(seed);
      testing::Rows rows = {{"a", "b", "c", "s"}};
      for (int i = 0; i < 400; ++i) {
        const std::uint64_t age = random.below(random.below(60) + 1);
        rows.push_back({std::to_string(age),
                        std::string(1, static_cast<char>('p' + (age / 9 + random.below(2)))),
                        std::to_string(100 + age / 20 * 100 + random.below(9)), "v"});
      }
      const auto made = make(rows, policy);
      for (std::size_t entry = 0; entry < made->list.size(); ++entry) {
        for (std::size_t column = 0; column < 3; ++column) {
          const auto region = made->partition.region_of[column][made->partition.class_of[entry]];
          losses[best] +=
              made->list.weights[entry] *
              loss_of(made->list.domains[column], made->partition.regions[column][region]);
        }
      }
    }
  }
  EXPECT_LT(losses[1], losses[0]);
}

TEST(Algorithms, SameResultOnAnyNumberOfThreads) {
  for (const std::string& algorithm : kAlgorithms) {
    const Policy policy = small_policy(kPrivacy[1] + algorithm);
    const auto rows = random_rows(6000, 3);
    std::vector<std::uint32_t> first;
    for (const std::size_t threads : {1U, 2U, 4U}) {
      const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
      const auto made = make(rows, policy);
      if (first.empty()) first = made->partition.class_of;
      EXPECT_EQ(made->partition.class_of, first) << algorithm << threads;
    }
  }
}

TEST(Algorithms, SuppressionHasABound) {
  // One record of its own kind: datafly leaves it out sooner than generalize everything.
  testing::Rows rows = {{"a", "b", "c", "s"}};
  for (int i = 0; i < 20; ++i) rows.push_back({"30", "p", "100", "v"});
  rows.push_back({"50", "q", "200", "v"});
  EXPECT_TRUE(
      make(rows, small_policy(kPrivacy[0] + "algorithm: datafly\nsuppression: {max: 0.05}\n")));
  EXPECT_FALSE(
      make(rows, small_policy(kPrivacy[0] + "algorithm: datafly\nsuppression: {max: 0.04}\n")));
  EXPECT_FALSE(
      make(rows, small_policy(kPrivacy[0] + "algorithm: greedy-release\nsuppression: {max: 0}\n")));
}

TEST(LevelLattice, ThinsLatticesThatAreTooLarge) {
  // 20 columns of masks of three digits: 4^20 combinations of levels.
  std::string yaml = "columns:\n";
  testing::Rows rows = {{}};
  for (int i = 0; i < 20; ++i) {
    yaml += "  c" + std::to_string(i) + ": {role: quasi-identifier, hierarchy: {mask: right}}\n";
    rows[0].push_back("c" + std::to_string(i));
  }
  Random random(9);
  for (int row = 0; row < 300; ++row) {
    auto& line = rows.emplace_back();
    for (int i = 0; i < 20; ++i) line.push_back(std::to_string(100 + random.below(30) * 3));
  }
  const Policy policy = parse_policy(
      yaml + "privacy:\n  - k-anonymity: 3\nalgorithm: greedy-release\nchoose: loss\n", "p", "");
  const auto made = make(rows, policy);
  ASSERT_TRUE(made);
  std::uint64_t published = 0;
  for (const auto& members : members_of(*made)) {
    std::uint64_t records = 0;
    for (const std::size_t entry : members) records += made->list.weights[entry];
    EXPECT_GE(records, 3U);
    published += records;
  }
  EXPECT_GT(published, 297U);
}

TEST(Boxes, MeasureWhatTheyHold) {
  // Boxes of random sets of entries against counting, with domains of less and more than 64 and
  // 256.
  for (const std::size_t values : {3U, 60U, 100U, 250U, 400U}) {
    std::string yaml =
        "columns:\n  a: {role: quasi-identifier, type: integer}\n  b: {role: quasi-identifier}\n"
        "  d: {role: quasi-identifier}\n  s: {role: sensitive}\n";
    const Policy policy = parse_policy(
        yaml + "privacy:\n  - k-anonymity: 2\n  - l-diversity: {column: s, l: 2}\n", "p", "");
    testing::Rows rows = {{"a", "b", "d", "s"}};
    Random random(values);
    for (int i = 0; i < 1500; ++i) {
      rows.push_back({std::to_string(random.below(90)), std::to_string(1000 + random.below(values)),
                      std::to_string(random.below(7)), std::to_string(random.below(5))});
    }
    const FrequencyList list = make_frequency_list(table_of(rows, policy), policy);
    const Requirements requirements(policy, list);
    const BoxSpace space(list, requirements);
    for (int trial = 0; trial < 50; ++trial) {
      BoxArray boxes;
      boxes.reset(space, 2);
      std::set<Code> present[3], sensitive;
      std::uint64_t weight = 0;
      for (std::uint64_t i = 0, count = 1 + random.below(30); i < count; ++i) {
        const auto entry = static_cast<std::uint32_t>(random.below(list.size()));
        boxes.add(0, entry);
        weight += list.weights[entry];
        for (std::size_t column = 0; column < 3; ++column)
          present[column].insert(list.positions[column][entry]);
        sensitive.insert(list.values[0][entry]);
      }
      EXPECT_EQ(boxes.weight(0), static_cast<double>(weight));
      double loss = 0;
      for (std::size_t column = 0; column < 3; ++column) {
        EXPECT_EQ(boxes.low(0, column), *present[column].begin());
        EXPECT_EQ(boxes.high(0, column), *present[column].rbegin());
        const Domain& domain = list.domains[column];
        const bool exact = column == 0 || domain.size() <= 256;
        const double expected = column == 0
                                    ? domain.range_loss(*present[0].begin(), *present[0].rbegin())
                                    : domain.set_loss(present[column].size());
        if (exact) {
          EXPECT_NEAR(boxes.loss(0, column), expected, 1e-12);
        } else {
          EXPECT_GE(boxes.loss(0, column), expected - 1e-12);
        }
        loss += boxes.loss(0, column);
      }
      EXPECT_NEAR(boxes.loss(0), loss, 1e-12);
      EXPECT_EQ(boxes.may_meet(0), weight >= 2 && sensitive.size() >= 2);
    }
  }
}

}  // namespace
}  // namespace throng
