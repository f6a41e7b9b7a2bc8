// Against all worlds of small random histories, and the kinds of history that are always exact.
#include "audit/strongest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "audit/history_examples.h"
#include "audit/worlds.h"

namespace throng {
namespace {

using Values = std::vector<std::vector<Code>>;  // by record

constexpr auto none = History::kAbsent;

bool includes(const std::vector<Code>& all, const std::vector<Code>& some) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

// No possible value is missed, and where it says exact there is no other.
void expect_true(const History& history, const Strongest& found) {
  const Values possible = possible_values(history);
  ASSERT_EQ(found.possible.size(), history.records());
  for (std::size_t record = 0; record < history.records(); ++record) {
    ASSERT_TRUE(includes(found.possible[record], possible[record])) << "record " << record;
    if (found.exact[record]) {
      ASSERT_EQ(found.possible[record], possible[record]) << "record " << record;
    }
  }
  ASSERT_EQ(found.by_flow + found.by_exchange + found.by_search + found.by_bounds,
            found.components);
  if (found.by_bounds == 0) {
    ASSERT_EQ(found.not_settled(), 0U);
  }
}

TEST(Strongest, ThePapersExamples) {
  using namespace testing;
  const Strongest found = strongest_attack(patients());
  EXPECT_EQ(found.possible, (Values{{asthma, flu},
                                    {asthma, flu},
                                    {alzheimer},
                                    {diabetes},
                                    {cancer},
                                    {heart_disease},
                                    {flu}}));
  EXPECT_EQ(found.not_settled(), 0U);
  EXPECT_EQ(found.certain(), 5U);
  EXPECT_EQ(found.fewer_than(3), 7U);
  EXPECT_EQ(found.groups, 6U);
}

// The head of strongest.h: value a by itself would let records 2 and 3 have it.
TEST(Strongest, ValuesOfAGroupMustAddUpToItsSize) {
  const History history = {{0, 1, 2, 0}, {{0, 0, 1, 1}, {0, 1, 0, 1}}};
  const Strongest found = strongest_attack(history, 0);
  EXPECT_EQ(found.possible, (Values{{0}, {1}, {2}, {0}}));
  EXPECT_EQ(found.not_settled(), 0U);
}

TEST(Strongest, AreTheWorldsOfSmallHistories) {
  std::size_t open = 0, records = 0, search = 0;
  for (std::uint64_t seed = 1; seed <= 700; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const History history = testing::random_history({12, 4, 4}, seed);
    const Strongest without_search = strongest_attack(history, 0),
                    found = strongest_attack(history);
    expect_true(history, without_search);
    expect_true(history, found);
    if (HasFatalFailure()) return;
    ASSERT_EQ(found.not_settled(), 0U);
    open += without_search.not_settled();
    search += found.by_search;
    records += history.records();
  }
  EXPECT_GT(search, 0U);
  EXPECT_LT(open, records / 50);
}

// Records in classes of two releases; `absent` in a hundred are in one of them only.
History two_releases(std::uint64_t records, std::uint64_t first, std::uint64_t second,
                     std::uint64_t values, std::uint64_t absent, std::uint64_t seed) {
  Random random(seed);
  History history;
  history.class_of.resize(2);
  for (std::uint64_t record = 0; record < records; ++record) {
    history.values.push_back(static_cast<Code>(random.below(values)));
    const bool is_absent = random.below(100) < absent, from_first = random.below(2) == 0;
    history.class_of[0].push_back(
        is_absent && from_first ? none : static_cast<std::uint32_t>(random.below(first)));
    history.class_of[1].push_back(
        is_absent && !from_first ? none : static_cast<std::uint32_t>(random.below(second)));
  }
  return history;
}

TEST(Strongest, TwoReleasesOfTwoValuesAreExact) {
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const History history = two_releases(3 + seed % 22, 4, 4, 2, seed % 3 * 10, seed);
    const Strongest found = strongest_attack(history, 0);
    ASSERT_EQ(found.by_flow, found.components);
    expect_true(history, found);
    if (HasFatalFailure()) return;
  }
}

TEST(Strongest, TwoClassesOrOneAndAbsenceAgainstAnyAreExact) {
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const bool one = seed % 2 == 0;
    const History history = two_releases(3 + seed % 18, one ? 1 : 2, 4, 4, one ? 30 : 0, seed);
    const Strongest found = strongest_attack(history, 0);
    ASSERT_EQ(found.by_flow, found.components);
    expect_true(history, found);
    if (HasFatalFailure()) return;
  }
}

// Three classes against three with three values: often no network.
TEST(Strongest, ThreeWayTables) {
  std::size_t flow = 0, exchange = 0, search = 0, bounds = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const History history = two_releases(9 + seed % 12, 3, 3, 3, 0, seed);
    const Strongest without_search = strongest_attack(history, 0),
                    found = strongest_attack(history);
    expect_true(history, without_search);
    expect_true(history, found);
    if (HasFatalFailure()) return;
    ASSERT_EQ(found.not_settled(), 0U);
    flow += found.by_flow, exchange += found.by_exchange, search += found.by_search;
    bounds += without_search.by_bounds;
  }
  // All ways are gone, and each settles something.
  EXPECT_GT(flow, 20U);
  EXPECT_GT(exchange, 2U);
  EXPECT_GT(search, 2U);
  EXPECT_EQ(bounds, search);
}

// Classes that only ever grow together, or only ever split: of two that meet, one lies in the
// other.
History nested(std::uint64_t seed) {
  Random random(seed);
  const std::size_t records = 4 + random.below(16), releases = 1 + random.below(5);
  History history;
  std::vector<std::uint32_t> class_of(records);
  for (std::size_t record = 0; record < records; ++record) {
    history.values.push_back(static_cast<Code>(random.below(4)));
    class_of[record] = static_cast<std::uint32_t>(random.below(records / 2));
  }
  for (std::size_t release = 0; release < releases; ++release) {
    history.class_of.push_back(class_of);
    const std::uint64_t divisor = 1 + random.below(3);
    for (std::uint32_t& number : class_of) number = static_cast<std::uint32_t>(number / divisor);
  }
  // Whole classes of the narrowest release join later than others.
  const std::vector<std::uint32_t> narrowest = history.class_of[0];
  for (std::size_t release = 0; release + 1 < releases; ++release) {
    for (std::size_t record = 0; record < records; ++record)
      if (narrowest[record] % 3 > release) history.class_of[release][record] = none;
  }
  if (random.below(2) == 0) std::reverse(history.class_of.begin(), history.class_of.end());
  return history;
}

TEST(Strongest, NestedClassesAreExactAndTellEachGroupsMultiset) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const History history = nested(seed);
    const Strongest found = strongest_attack(history, 0);
    ASSERT_EQ(found.not_settled(), 0U);
    for (std::size_t record = 0; record < history.records(); ++record) {
      std::set<Code> group;
      for (std::size_t other = 0; other < history.records(); ++other) {
        if (std::all_of(history.class_of.begin(), history.class_of.end(),
                        [&](const auto& class_of) { return class_of[record] == class_of[other]; }))
          group.insert(history.values[other]);
      }
      ASSERT_EQ(found.possible[record], std::vector<Code>(group.begin(), group.end()));
    }
    expect_true(history, found);
    if (HasFatalFailure()) return;
  }
}

TEST(Strongest, OfNothing) {
  EXPECT_TRUE(strongest_attack({}).possible.empty());
  const Strongest found = strongest_attack({{1, 2}, {{none, none}}});
  EXPECT_EQ(found.possible, Values(2));
  EXPECT_EQ(found.certain(), 0U);
}

}  // namespace
}  // namespace throng
