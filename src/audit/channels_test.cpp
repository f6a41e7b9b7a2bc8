// The paper's examples, and the definition again, word by word and slowly, on random histories.
#include "audit/channels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "audit/channels_by_definition.h"
#include "audit/history_examples.h"

namespace throng {
namespace {

using testing::Multiset;
using Kind = Channel::Kind;

std::set<std::uint32_t> classes_of(const History& history, std::size_t release) {
  std::set<std::uint32_t> classes(history.class_of[release].begin(),
                                  history.class_of[release].end());
  classes.erase(History::kAbsent);
  return classes;
}
Multiset values_of(const History& history, std::size_t release, std::uint32_t number) {
  Multiset values;
  for (std::size_t record = 0; record < history.records(); ++record) {
    if (history.class_of[release][record] == number) values.insert(history.values[record]);
  }
  return values;
}

std::vector<Channel> channels_by_definition(const History& history, std::size_t l) {
  std::vector<Channel> channels;
  for (std::size_t j = 0; j < history.releases(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      for (const std::uint32_t number : classes_of(history, i)) {
        std::set<std::uint32_t> parts;
        for (std::size_t record = 0; record < history.records(); ++record) {
          if (history.class_of[i][record] == number) parts.insert(history.class_of[j][record]);
        }
        parts.erase(History::kAbsent);
        std::map<std::uint32_t, Multiset> values;
        for (const std::uint32_t part : parts) values[part] = values_of(history, j, part);
        testing::add_channels_by_definition({i, j, number, 0, Kind::difference, {}, 0},
                                            values_of(history, i, number), values, l, channels);
      }
    }
  }
  return channels;
}

TEST(Channels, ThePapersExamples) {
  using namespace testing;
  const History history = patients();
  const std::vector<Channel> expected = {
      // Alice has cancer: she is not among the two who had asthma and flu before.
      {0, 1, 0, 0, Kind::difference, {cancer}, 1},
      // Bob has alzheimer, and three others are found out in the same way.
      {0, 1, 1, 1, Kind::difference, {heart_disease}, 1},
      {0, 1, 1, 1, Kind::intersection, {alzheimer}, 1},
      {0, 1, 1, 2, Kind::difference, {flu}, 1},
      {0, 1, 1, 2, Kind::intersection, {diabetes}, 1}};
  EXPECT_EQ(find_channels(history, 2), expected);
  EXPECT_EQ(find_channels_of_last(history, 2), expected);
  EXPECT_EQ(vulnerable_records(history, expected),
            std::vector<bool>({false, false, true, true, true, true, true}));
  EXPECT_TRUE(find_channels(history, 1).empty());
}

TEST(Channels, WhatStaysAsItIsOrIsAddedDiverseIsNoChannel) {
  constexpr auto none = History::kAbsent;
  // A class that stays, one that is added, and one that two different values are inserted into.
  const History history = {
      {0, 1, 2, 3, 0, 1, 2, 3, 2, 3},
      {{5, 5, 5, 6, 6, 6, none, none, none, none}, {5, 5, 5, 6, 6, 6, 6, 6, 8, 8}}};
  EXPECT_TRUE(find_channels(history, 2).empty());
  EXPECT_EQ(find_channels(history, 3).size(), 1U);
}

TEST(Channels, AreThoseOfTheDefinition) {
  std::size_t found = 0, parts = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const History history = testing::random_history({14, 4, 6}, seed);
    for (const std::size_t l : {2U, 4U}) {
      const std::vector<Channel> channels = find_channels(history, l);
      ASSERT_EQ(channels, channels_by_definition(history, l));
      found += channels.size();
      for (const Channel& channel : channels) parts += channel.kind == Kind::intersection ? 1 : 0;

      // Release by release it is the same.
      std::vector<Channel> step_by_step;
      History so_far = history;
      so_far.class_of.clear();
      for (const auto& release : history.class_of) {
        so_far.class_of.push_back(release);
        const std::vector<Channel> more = find_channels_of_last(so_far, l);
        step_by_step.insert(step_by_step.end(), more.begin(), more.end());
      }
      ASSERT_EQ(step_by_step, channels);

      std::vector<bool> vulnerable(history.records());
      for (const Channel& channel : channels) {
        std::size_t count = 0;
        for (std::size_t record = 0; record < history.records(); ++record) {
          if (history.class_of[channel.later][record] != channel.later_class ||
              !std::binary_search(channel.values.begin(), channel.values.end(),
                                  history.values[record]))
            continue;
          vulnerable[record] = true;
          ++count;
        }
        ASSERT_EQ(channel.vulnerable, count);
      }
      ASSERT_EQ(vulnerable_records(history, channels), vulnerable);
    }
  }
  EXPECT_GT(parts, 1000U);
  EXPECT_GT(found, parts + 1000U);
}

// Classes with many more values than those they are compared with are looked up, not scanned.
TEST(Channels, AreThoseOfTheDefinitionInLargeClasses) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    History history;
    history.class_of.resize(3);
    for (int record = 0; record < 120; ++record) {
      history.values.push_back(static_cast<Code>(random.below(60)));
      history.class_of[0].push_back(static_cast<std::uint32_t>(random.below(40)));
      history.class_of[1].push_back(static_cast<std::uint32_t>(random.below(2)));
      history.class_of[2].push_back(static_cast<std::uint32_t>(random.below(10)));
    }
    for (const std::size_t l : {3U, 50U})
      ASSERT_EQ(find_channels(history, l), channels_by_definition(history, l));
  }
}

TEST(Channels, OfNothingAreNone) {
  EXPECT_TRUE(find_channels({}, 2).empty());
  EXPECT_TRUE(find_channels_of_last({}, 2).empty());
  EXPECT_TRUE(find_channels_of_last({{0, 0}, {{0, 0}}}, 2).empty());
  EXPECT_TRUE(vulnerable_records({{0, 0}, {{0, 0}}}, {}) == std::vector<bool>(2));
}

}  // namespace
}  // namespace throng
