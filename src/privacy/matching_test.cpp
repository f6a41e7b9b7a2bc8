// The model against its definition: the paper's checking algorithm (figure 1) written down as it
// stands, and the audit's own solver, which shares no code with it.
#include "privacy/matching.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "audit/matching.h"
#include "figure_1.h"
#include "table/random.h"

namespace throng {
namespace {

using testing::Group;
using testing::Record;
using testing::valid_by_figure;

struct Model {
  RecordTypes types;
  std::vector<std::uint32_t> type_of;
};

Model model_of(const Group& group, std::size_t values) {
  ImpossibleSets sets(values);
  std::vector<Code> own;
  std::vector<std::uint32_t> set_of;
  for (const Record& record : group) {
    own.push_back(record.value);
    const std::vector<Code> impossible(record.impossible.begin(), record.impossible.end());
    set_of.push_back(sets.add_values(impossible));
  }
  Model model{make_record_types(std::move(sets), own, set_of), {}};
  model.type_of = model.types.type_of;
  return model;
}

Group random_group(Random& random, std::size_t values, std::size_t records, bool is_true) {
  const std::size_t types = 1 + random.below(4);
  const std::uint64_t impossible = random.below(60);
  std::vector<std::set<Code>> sets(types);
  for (auto& set : sets) {
    for (Code value = 0; value < values; ++value)
      if (random.below(100) < impossible) set.insert(value);
  }
  Group group;
  for (std::size_t i = 0; i < records; ++i) {
    Record record{static_cast<Code>(random.below(values)), sets[random.below(types)]};
    if (is_true) record.impossible.erase(record.value);
    group.push_back(record);
  }
  return group;
}

std::set<Code> values_of(const std::vector<std::uint64_t>& words) {
  std::set<Code> values;
  for (Code value = 0; value < words.size() * 64; ++value)
    if (((words[value / 64] >> (value % 64)) & 1) != 0) values.insert(value);
  return values;
}

// Spread over several words of bits, and back.
Group stretched(Group group, Code factor) {
  for (Record& record : group) {
    record.value *= factor;
    std::set<Code> impossible;
    for (const Code value : record.impossible) impossible.insert(value * factor);
    record.impossible = impossible;
  }
  return group;
}

TEST(MatchingModel, IsThatOfThePaperAndOfTheAudit) {
  std::size_t contradictions = 0, differences = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= 6000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    std::size_t values = 1 + random.below(5);
    Group group =
        random_group(random, values, 1 + random.below(7), /*is_true=*/random.below(3) > 0);
    if (random.below(4) == 0) {
      group = stretched(std::move(group), 41);
      values *= 41;
    }
    const Model model = model_of(group, values);
    MatchingTally tally(model.types);
    // Something that comes and goes leaves no trace.
    for (const std::uint32_t type : model.type_of) tally.add(type, 3);
    if (random.below(2) == 0) {
      tally.clear();
    } else {
      for (const std::uint32_t type : model.type_of) tally.remove(type, 3);
    }
    for (const std::uint32_t type : model.type_of) tally.add(type);
    const MatchingTally::Result result = tally.result();

    MatchingGroup audited;
    audited.value_counts.assign(values, 0);
    for (const Record& record : group) ++audited.value_counts[record.value];
    for (const Record& record : group) {
      MatchingGroup::Type type{std::vector<char>(values, 1), 1, {}};
      for (const Code value : record.impossible) type.allowed[value] = 0;
      audited.types.push_back(type);
    }
    const Matching audit = match_values(audited);
    ASSERT_EQ(result.contradiction, audit.contradiction);
    contradictions += result.contradiction ? 1 : 0;

    std::size_t least = values;
    for (std::size_t i = 0; i < group.size(); ++i) {
      const std::set<Code> expected = valid_by_figure(group, i);
      ASSERT_EQ(values_of(tally.valid_values(model.type_of[i])), expected);
      const auto found =
          std::find_if(result.types.begin(), result.types.end(),
                       [&](const auto& type) { return type.type == model.type_of[i]; });
      ASSERT_NE(found, result.types.end());
      ASSERT_EQ(found->valid, expected.size());
      ASSERT_EQ(found->valid, audit.valid_values[i]);
      // The audit counts values that occur; so do we.
      ASSERT_EQ(found->possible, audit.allowed_values[i]);
      differences += found->valid < found->possible && !result.contradiction ? 1 : 0;
      least = std::min(least, expected.size());
    }
    for (std::size_t l = 1; l <= values + 1 && l < 8; ++l) {
      ASSERT_EQ(tally.met(l), least >= l && tally.distinct() >= l) << l;
      refused += tally.met(l) ? 0 : 1;
    }
  }
  EXPECT_GT(contradictions, 300U);
  EXPECT_GT(differences, 300U);
  EXPECT_GT(refused, 300U);
}

// Section V-A: one woman, ℓ men, an ovarian cancer and ℓ diseases that anyone may have.
TEST(MatchingModel, OneWomanAmongMenIsGivenAway) {
  for (const std::size_t l : {2U, 3U, 6U}) {
    Group group = {{0, {}}};
    for (Code man = 1; man <= l; ++man) group.push_back({man, {0}});
    const Model model = model_of(group, l + 1);
    MatchingTally tally(model.types);
    for (const std::uint32_t type : model.type_of) tally.add(type);
    const MatchingTally::Result result = tally.result();
    for (const auto& found : result.types) EXPECT_GE(found.possible, l);  // the simple requirement
    EXPECT_EQ(result.types[0].possible, l + 1);
    EXPECT_EQ(result.types[0].valid, 1U);
    EXPECT_FALSE(tally.met(l));
    EXPECT_FALSE(tally.met(2));
  }
}

// Table II: the first group of Anatomy has two women with ovarian cancer and a man with prostate
// cancer.
TEST(MatchingModel, TheManOfTableTwoIsGivenAway) {
  const Group group = {{0, {}}, {0, {}}, {1, {0}}};
  const Model model = model_of(group, 2);
  MatchingTally tally(model.types);
  for (const std::uint32_t type : model.type_of) tally.add(type);
  EXPECT_EQ(tally.distinct(), 2U);
  EXPECT_FALSE(tally.met(2));
  EXPECT_EQ(values_of((tally.result(), tally.valid_values(model.type_of[2]))), (std::set<Code>{1}));
}

// "One nice property": what meets the requirement still does when others are added. True of unions
// of groups that have an assignment.
TEST(MatchingModel, IsMonotoneWhereTheKnowledgeIsTrue) {
  std::size_t met = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const std::size_t values = 2 + random.below(4);
    Group all = random_group(random, values, 2 + random.below(5), true);
    const std::size_t first = all.size();
    for (const Record& record : random_group(random, values, 1 + random.below(5), true))
      all.push_back(record);
    const Model model = model_of(all, values);
    MatchingTally tally(model.types);
    for (std::size_t i = 0; i < first; ++i) tally.add(model.type_of[i]);
    const MatchingTally::Result before = tally.result();
    const bool was_met = tally.met(2);
    for (std::size_t i = first; i < all.size(); ++i) tally.add(model.type_of[i]);
    const MatchingTally::Result after = tally.result();
    for (const auto& found : before.types) {
      for (const auto& later : after.types) {
        if (later.type == found.type) {
          ASSERT_GE(later.valid, found.valid);
        }
      }
    }
    // The whole need not meet it because the newcomers may not; those that were there still do.
    met += was_met ? 1 : 0;
  }
  EXPECT_GT(met, 500U);
}

// If nobody of some newcomers helps a group, all of them together do not make it meet l; and what
// remove_hopeless() leaves is what figure 1 leaves, again and again.
TEST(MatchingModel, WhoHelpsAndWhoIsHopeless) {
  std::size_t unhelped = 0, hopeless = 0, left = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const std::size_t values = 2 + random.below(4), l = 2 + random.below(2);
    Group all = random_group(random, values, 1 + random.below(5), true);
    const std::size_t first = all.size();
    for (const Record& record : random_group(random, values, 1 + random.below(5), true))
      all.push_back(record);
    const Model model = model_of(all, values);
    MatchingTally tally(model.types);
    for (std::size_t i = 0; i < first; ++i) tally.add(model.type_of[i]);
    bool helped = tally.met(l);
    for (std::size_t i = first; i < all.size(); ++i)
      helped = helped || tally.helped_by(model.type_of[i], l);
    for (std::size_t i = first; i < all.size(); ++i) tally.add(model.type_of[i]);
    if (!helped) {
      ++unhelped;
      ASSERT_FALSE(tally.met(l));
    }
    const std::uint64_t before = tally.records();
    std::uint64_t taken = 0;
    for (const auto& found : tally.remove_hopeless(l)) taken += found.records;
    ASSERT_EQ(tally.records() + taken, before);
    ASSERT_TRUE(tally.records() == 0 || tally.met(l));
    for (bool any = true; any;) {
      Group others;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (valid_by_figure(all, i).size() >= l) others.push_back(all[i]);
      }
      any = others.size() < all.size();
      all = std::move(others);
    }
    ASSERT_EQ(tally.records(), all.size());
    hopeless += taken > 0 ? 1 : 0;
    left += taken > 0 && !all.empty() ? 1 : 0;
  }
  EXPECT_GT(unhelped, 200U);
  EXPECT_GT(hopeless, 200U);
  EXPECT_GT(left, 100U);
}

// The union of two groups that meet it meets it: algorithms may always merge.
TEST(MatchingModel, UnionsOfWhatMeetsItMeetIt) {
  std::size_t both = 0;
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const std::size_t values = 2 + random.below(3);
    // The knowledge may be wrong: what counts is that there is an assignment.
    Group all = random_group(random, values, 2 + random.below(5), random.below(2) == 0);
    const std::size_t first = all.size();
    for (const Record& record :
         random_group(random, values, 2 + random.below(5), random.below(2) == 0))
      all.push_back(record);
    const Model model = model_of(all, values);
    MatchingTally one(model.types), other(model.types), whole(model.types);
    for (std::size_t i = 0; i < all.size(); ++i) {
      (i < first ? one : other).add(model.type_of[i]);
      whole.add(model.type_of[i]);
    }
    if (!one.met(2) || !other.met(2)) continue;
    ++both;
    ASSERT_TRUE(whole.met(2));
  }
  EXPECT_GT(both, 500U);
}

// The counterexample: one record that contradicts the knowledge takes every assignment away.
TEST(MatchingModel, IsNotMonotoneWhereTheKnowledgeIsContradicted) {
  const Group group = {{0, {}}, {1, {}}, {0, {0, 1}}};
  const Model model = model_of(group, 2);
  MatchingTally tally(model.types);
  tally.add(model.type_of[0]);
  tally.add(model.type_of[1]);
  EXPECT_TRUE(tally.met(2));
  tally.add(model.type_of[2]);
  EXPECT_TRUE(tally.result().contradiction);
  EXPECT_FALSE(tally.met(1));
}

TEST(MatchingModel, NobodyIsNoGroup) {
  const Model model = model_of({{0, {}}}, 1);
  MatchingTally tally(model.types);
  EXPECT_FALSE(tally.met(0));
  EXPECT_TRUE(tally.result().types.empty());
  EXPECT_EQ(tally.most(), 0U);
}

}  // namespace
}  // namespace throng
