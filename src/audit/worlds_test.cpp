// Named examples, and all worlds of small random histories, tried one by one.
#include "audit/worlds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

#include "audit/channels.h"
#include "audit/history_examples.h"

namespace throng {
namespace {

using Values = std::vector<std::vector<Code>>;  // by record

constexpr auto none = History::kAbsent;

bool is_published(const History& history, std::size_t record) {
  return std::any_of(history.class_of.begin(), history.class_of.end(),
                     [record](const auto& class_of) { return class_of[record] != none; });
}

// All assignments of values to the published records, each held against what is published.
Values values_by_definition(const History& history) {
  const Code values = *std::max_element(history.values.begin(), history.values.end()) + 1;
  std::vector<std::size_t> records;
  for (std::size_t record = 0; record < history.records(); ++record) {
    if (is_published(history, record)) records.push_back(record);
  }
  // Release and class of each record and how often it must have each value.
  std::map<std::tuple<std::size_t, std::uint32_t>, std::vector<int>> published;
  std::vector<std::vector<std::vector<int>*>> classes_of(history.records());
  for (std::size_t release = 0; release < history.releases(); ++release) {
    for (const std::size_t record : records) {
      const std::uint32_t number = history.class_of[release][record];
      if (number == none) continue;
      auto& counts = published[{release, number}];
      counts.resize(values);
      ++counts[history.values[record]];
      classes_of[record].push_back(&counts);
    }
  }
  // `published` holds what is left to assign: a value that a class has no more of ends the attempt.
  std::vector<std::set<Code>> possible(history.records());
  std::vector<Code> world(history.records());
  const auto assign = [&](const auto& self, std::size_t at) -> void {
    if (at == records.size()) {
      for (const std::size_t record : records) possible[record].insert(world[record]);
      return;
    }
    for (Code value = 0; value < values; ++value) {
      bool fits = true;
      for (auto* counts : classes_of[records[at]]) fits = --(*counts)[value] >= 0 && fits;
      world[records[at]] = value;
      if (fits) self(self, at + 1);
      for (auto* counts : classes_of[records[at]]) ++(*counts)[value];
    }
  };
  assign(assign, 0);
  Values result;
  for (const auto& of_record : possible) result.emplace_back(of_record.begin(), of_record.end());
  return result;
}

void expect_both(const History& history, const Values& expected) {
  EXPECT_EQ(values_by_definition(history), expected);
  EXPECT_EQ(possible_values(history), expected);
  EXPECT_EQ(bounded_values(history), expected);
}

TEST(Worlds, ThePapersExamples) {
  using namespace testing;
  History history = patients();
  // Only Tom and Sam, who stand together in both releases, keep two possible values.
  expect_both(
      history,
      {{asthma, flu}, {asthma, flu}, {alzheimer}, {diabetes}, {cancer}, {heart_disease}, {flu}});
  history.class_of.pop_back();
  expect_both(
      history,
      {{asthma, flu}, {asthma, flu}, {alzheimer, diabetes}, {alzheimer, diabetes}, {}, {}, {}});
}

TEST(Worlds, ClassesThatGrowByDiverseGroupsStayDiverse) {
  expect_both({{0, 1, 2, 3, 0, 2},
               {{0, 0, none, none, none, none}, {0, 0, 0, 0, none, none}, {0, 0, 0, 0, 0, 0}}},
              {{0, 1}, {0, 1}, {2, 3}, {2, 3}, {0, 2}, {0, 2}});
}

// Two classes become one with a newcomer: beyond each of them it is diverse, beyond both it is not.
TEST(Worlds, ClassesThatMergeTellWhoIsNew) {
  const History history = {{1, 0, 0, 2, 1}, {{0, 0, 1, 1, none}, {0, 0, 0, 0, 0}}};
  EXPECT_TRUE(find_channels(history, 2).empty());
  expect_both(history, {{0, 1}, {0, 1}, {0, 2}, {0, 2}, {1}});
}

// A class, two records inserted, then two more and a split: every step by the paper's rules.
TEST(Worlds, ThreeReleasesTellWhatNoTwoDo) {
  const History history = {
      {2, 1, 0, 1, 2, 0},
      {{0, 0, none, none, none, none}, {0, 0, 0, 0, none, none}, {0, 0, 1, 0, 1, 0}}};
  EXPECT_TRUE(find_channels(history, 2).empty());
  for (std::size_t left_out = 0; left_out < 3; ++left_out) {
    History two = history;
    two.class_of.erase(two.class_of.begin() + static_cast<std::ptrdiff_t>(left_out));
    for (const auto& values : possible_values(two)) EXPECT_NE(values.size(), 1U);
  }
  expect_both(history, {{1, 2}, {1, 2}, {0}, {1}, {2}, {0}});
}

// Bounds on single cells do not show these: sums must be taken from each other first.
TEST(Worlds, BoundsSubtractTheClassesInsideAnother) {
  expect_both({{1, 0, 1, 0, 0}, {{0, 0, 1, 1, none}, {0, 1, 1, 0, none}, {0, 0, 0, 0, 0}}},
              {{0, 1}, {0, 1}, {0, 1}, {0, 1}, {0}});
}
TEST(Worlds, BoundsSubtractAClassFromThoseItWentInto) {
  expect_both({{1, 1, 1, 0, 0, 0, 0},
               {{0, 0, 0, 0, none, none, none}, {0, 0, 1, 1, 0, 1, 1}, {1, 0, 1, 0, 0, 1, 1}}},
              {{1}, {1}, {1}, {0}, {0}, {0}, {0}});
}
TEST(Worlds, BoundsSubtractWhatWasDerived) {
  expect_both({{1, 2, 2, 1, 2, 1, 3},
               {{1, 1, 0, none, 0, 0, none}, {0, 1, 0, none, 1, 1, 1}, {1, 0, 1, 0, 1, 0, 1}}},
              {{1, 2}, {1, 2}, {1, 2}, {1}, {2}, {1, 2}, {3}});
  expect_both({{2, 4, 3, 3, 0, 0, 0, 0, 4, 4, 1},
               {{none, 0, none, 0, none, 0, 0, 1, 0, 1, 0},
                {none, 2, none, 1, none, 2, 1, 3, 3, 1, 0},
                {none, 0, 1, 1, none, 0, 1, 0, 1, 0, 0},
                {0, 1, 1, 0, 1, 0, 0, 1, 0, 0, 1}}},
              {{2}, {0, 4}, {3}, {0, 3, 4}, {0}, {0, 4}, {0, 3, 4}, {0, 4}, {0, 4}, {0, 4}, {1}});
}

TEST(Worlds, AreThoseOfTheDefinition) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const History history = testing::random_history({8, 4, 4}, seed);
    ASSERT_EQ(possible_values(history), values_by_definition(history));
  }
}

TEST(Worlds, BoundsMissNoPossibleValue) {
  std::size_t exposed = 0, found = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const History history = testing::random_history({20, 5, 4}, seed);
    const Values possible = possible_values(history), bounded = bounded_values(history);
    for (std::size_t record = 0; record < history.records(); ++record) {
      ASSERT_TRUE(std::includes(bounded[record].begin(), bounded[record].end(),
                                possible[record].begin(), possible[record].end()));
      exposed += possible[record].size() == 1 ? 1 : 0;
      found += bounded[record].size() == 1 ? 1 : 0;
    }
  }
  EXPECT_GT(exposed, 500U);
  EXPECT_GT(found, exposed * 9 / 10);
}

// docs/safety.md: whoever shares all classes with records of l values has at least l possible
// values.
TEST(Worlds, BlocksKeepTheirDistinctValues) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const History history = testing::random_history({20, 4, 4}, seed);
    std::map<std::vector<std::uint32_t>, std::set<Code>> blocks;
    const auto block_of = [&](std::size_t record) -> std::set<Code>& {
      std::vector<std::uint32_t> classes;
      for (const auto& class_of : history.class_of) classes.push_back(class_of[record]);
      return blocks[classes];
    };
    for (std::size_t record = 0; record < history.records(); ++record)
      block_of(record).insert(history.values[record]);
    const Values possible = possible_values(history);
    for (std::size_t record = 0; record < history.records(); ++record) {
      const std::set<Code>& block = block_of(record);
      if (!is_published(history, record)) {
        ASSERT_TRUE(possible[record].empty());
      } else {
        ASSERT_TRUE(std::includes(possible[record].begin(), possible[record].end(), block.begin(),
                                  block.end()));
      }
    }
  }
}

TEST(Worlds, OfNothingAreNone) {
  EXPECT_TRUE(possible_values({}).empty());
  EXPECT_TRUE(bounded_values({}).empty());
  EXPECT_EQ(bounded_values({{1, 2}, {}}), Values(2));
  EXPECT_EQ(possible_values({{1, 2}, {{none, none}}}), Values(2));
  EXPECT_THROW(bounded_values({{1, 2}, {{0}}}), std::invalid_argument);
}

}  // namespace
}  // namespace throng
