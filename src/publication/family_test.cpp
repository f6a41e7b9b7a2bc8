#include "publication/family.h"

#include <gtest/gtest.h>

#include "audit/history.h"
#include "figure_6.h"
#include "table/random.h"

namespace throng {
namespace {

constexpr std::size_t kColumns = 1;

// A family with one class of these sensitive values, in release 1.
Family family_of(std::initializer_list<Code> values) {
  Family family;
  family.states.push_back({.born = 1});
  for (const Code value : values) family.add({.state = 0, .entered = 1}, {&value, 1});
  return family;
}

// What was published up to `release`.
History history_of(const Family& family, std::uint32_t release) {
  History history;
  history.class_of.resize(release);
  for (std::size_t i = 0; i < family.members.size(); ++i) {
    const Family::Member& member = family.members[i];
    for (std::uint32_t copy = 0; copy < member.count; ++copy) {
      history.values.push_back(family.values[i]);
      for (std::uint32_t r = 1; r <= release; ++r) {
        std::uint32_t at = member.state;
        while (family.states[at].born > r && family.states[at].parent != Family::kNone) {
          at = family.states[at].parent;
        }
        history.class_of[r - 1].push_back(r < member.entered ? History::kAbsent : at);
      }
    }
  }
  return history;
}

bool opens(const Family& family, std::uint32_t state, std::uint32_t release, std::size_t l) {
  const Guard guard{0, l};
  return has_channel(family, state, release, {&guard, 1}, kColumns);
}

// A = {1,2,3,4} takes {5,6} in and is cut into {1,2,5,6} and {3,4}, which is safe. If {3,5} then
// enters the first half, who is new there is safe, but of {3,4} it is known that nobody new has 4.
TEST(Family, SeesAChannelInACousin) {
  Family family = family_of({1, 2, 3, 4});
  const std::uint32_t first = family.succeed(0, 2);
  for (const Code value : {5U, 6U}) family.add({.state = first, .entered = 2}, {&value, 1});
  EXPECT_FALSE(opens(family, first, 2, 2));
  const auto second = static_cast<std::uint32_t>(family.states.size());
  family.states.push_back({.parent = 0, .born = 2});
  family.members[2].state = family.members[3].state = second;
  EXPECT_FALSE(opens(family, first, 2, 2));

  Family widened = family;
  const std::uint32_t next = widened.succeed(first, 3);
  for (const Code value : {3U, 5U}) widened.add({.state = next, .entered = 3}, {&value, 1});
  EXPECT_TRUE(opens(widened, next, 3, 2));
  EXPECT_EQ(testing::channels_of(history_of(widened, 3), 2), 1U);

  Family harmless = family;
  harmless.succeed(first, 3);
  for (const Code value : {1U, 5U}) harmless.add({.state = next, .entered = 3}, {&value, 1});
  EXPECT_FALSE(opens(harmless, next, 3, 2));
}

// Random insertions and splits, of which only the safe ones are made: what has_channel() says of
// the class that changes is what brute force says of the whole family.
TEST(Family, HasChannelIsBruteForce) {
  std::size_t refused = 0, made = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const std::size_t l = 2 + random.below(2);
    const std::uint64_t values = l + 1 + random.below(8);
    Family family = family_of({0, 1, 2, 3, 4, 5, 6, 7});
    for (std::uint32_t release = 2; release <= 9; ++release) {
      std::uint32_t state = 0;
      do {
        state = static_cast<std::uint32_t>(random.below(family.states.size()));
      } while (family.states[state].ended != 0);
      Family changed = family;
      const std::uint32_t next = changed.succeed(state, release);
      for (std::uint64_t more = random.below(6); more > 0; --more) {
        const Code value = static_cast<Code>(random.below(values));
        changed.add({next, release, 1 + static_cast<std::uint32_t>(random.below(2))}, {&value, 1});
      }
      if (random.below(2) == 0) {
        const auto second = static_cast<std::uint32_t>(changed.states.size());
        changed.states.push_back({.parent = changed.states[next].parent, .born = release});
        for (const std::uint32_t member : changed.in(next)) {
          if (random.below(3) == 0) changed.members[member].state = second;
        }
      }
      const std::size_t channels = testing::channels_of(history_of(changed, release), l);
      ASSERT_EQ(opens(changed, next, release, l), channels > 0) << "release " << release;
      ++(channels > 0 ? refused : made);
      if (channels == 0) family = std::move(changed);
      if (family.states.size() > 30) break;
    }
  }
  EXPECT_GT(refused, 50U);
  EXPECT_GT(made, 50U);
}

TEST(Family, IsReadAsItWasWritten) {
  Values jobs(Type::text), ids(Type::integer);
  Family family;
  family.id = 7;
  family.states = {{.born = 1, .ended = 3, .id = 11, .number = 12},
                   {.parent = 0, .born = 3, .id = 300, .number = 400}};
  const Code baker = jobs.add("baker", 0, false), none = jobs.add("", 0, true);
  const std::vector<Code> one = {baker, ids.add("300", 300, false)},
                          two = {none, ids.add("-5", -5, false)};
  family.add({1, 1, 1}, one);
  family.add({0, 1, 1}, two);
  family.add({1, 1, 2}, one);
  family.compact(2);
  ASSERT_EQ(family.members.size(), 2U);
  const std::string bytes = write_family(family, {{&jobs, &ids}, 1});

  Values other_ids(Type::integer);
  const Family again = read_family(7, bytes, {{&jobs, &other_ids}, 1});
  ASSERT_EQ(again.members.size(), 2U);
  EXPECT_EQ(again.states[1].parent, 0U);
  EXPECT_EQ(again.states[0].parent, Family::kNone);
  EXPECT_EQ(again.states[1].number, 400U);
  EXPECT_EQ(again.members[0].state, 0U);
  EXPECT_EQ(again.members[1].count, 3U);
  EXPECT_EQ(again.values[0], none);
  EXPECT_EQ(other_ids.label(again.values[1]), "-5");
  EXPECT_EQ(other_ids.number(again.values[3]), 300);

  WaitingList list;
  list.add({300, 2, 1}, two);
  list.add({301, 2, 1}, two);
  list.add({300, 3, 4}, one);
  ASSERT_EQ(list.at(300).size(), 2U);
  list.remove(301, 2);
  const WaitingList same = read_list(write_list(list, {{&jobs, &ids}, 1}), {{&jobs, &ids}, 1});
  ASSERT_EQ(same.waiters.size(), 2U);
  EXPECT_EQ(same.waiters[1].id, 300U);
  EXPECT_EQ(same.waiters[1].arrived, 3U);
  EXPECT_EQ(same.waiters[1].count, 4U);
  EXPECT_EQ(same.values, list.values);
}

}  // namespace
}  // namespace throng
