// Against all assignments of small random groups, tried one by one, and the paper's examples.
#include "audit/matching.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "table/random.h"

namespace throng {
namespace {

using Valid = std::vector<std::vector<char>>;

// Every order of the group's values along its records.
Valid valid_by_definition(const MatchingGroup& group) {
  std::vector<std::size_t> type_of, values;  // by record
  for (std::size_t type = 0; type < group.types.size(); ++type)
    type_of.insert(type_of.end(), group.types[type].count, type);
  for (std::size_t value = 0; value < group.value_counts.size(); ++value)
    values.insert(values.end(), group.value_counts[value], value);
  Valid valid(group.types.size(), std::vector<char>(group.value_counts.size(), 0));
  do {
    bool fits = true;
    for (std::size_t record = 0; fits && record < values.size(); ++record)
      fits = group.types[type_of[record]].allowed[values[record]] != 0;
    for (std::size_t record = 0; fits && record < values.size(); ++record)
      valid[type_of[record]][values[record]] = 1;
  } while (std::next_permutation(values.begin(), values.end()));
  return valid;
}

// Table II, group 1: two women, one man; ovarian cancer twice, prostate cancer once.
TEST(Matching, TheFirstGroupOfThePaperGivesItsManAway) {
  MatchingGroup group{{{{1, 1}, 2, {}}, {{0, 1}, 1, {}}}, {2, 1}};
  const Matching man = match_values(group);
  EXPECT_FALSE(man.contradiction);
  EXPECT_EQ(man.valid, (Valid{{1, 0}, {0, 1}}));  // and by him the women
  EXPECT_EQ(man.valid_values, (std::vector<std::uint32_t>{1, 1}));
  EXPECT_EQ(man.allowed_values, (std::vector<std::uint32_t>{2, 1}));
}

// Section V-A: one woman, l men, one ovarian cancer and l other diseases.
TEST(Matching, TheOnlyWomanHasWhatNoManCanHave) {
  const MatchingGroup group{{{{1, 1, 1, 1}, 1, {}}, {{0, 1, 1, 1}, 3, {}}}, {1, 1, 1, 1}};
  const Matching found = match_values(group);
  EXPECT_EQ(found.valid, (Valid{{1, 0, 0, 0}, {0, 1, 1, 1}}));
  EXPECT_EQ(found.allowed_values, (std::vector<std::uint32_t>{4, 3}));
}

TEST(Matching, KnowledgeThatNoAssignmentFitsIsAContradiction) {
  const MatchingGroup group{{{{1, 0}, 2, {}}, {{1, 1}, 1, {}}}, {1, 2}};
  const Matching found = match_values(group);
  EXPECT_TRUE(found.contradiction);
  EXPECT_EQ(found.valid_values, (std::vector<std::uint32_t>{0, 0}));
  EXPECT_EQ(found.allowed_values, (std::vector<std::uint32_t>{1, 2}));
}

TEST(Matching, RecordsAndValuesMustBeAsMany) {
  EXPECT_THROW(match_values({{{{1}, 2, {}}}, {1}}), std::invalid_argument);
  EXPECT_THROW(match_values({{{{1}, 1, {}}}, {1, 0}}), std::invalid_argument);
  EXPECT_FALSE(match_values({}).contradiction);
}

TEST(Matching, IsTheOneOfTheDefinition) {
  std::size_t contradictions = 0, differences = 0;
  for (std::uint64_t seed = 1; seed <= 2500; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    MatchingGroup group;
    const std::size_t records = 1 + random.below(6), values = 1 + random.below(4),
                      types = 1 + random.below(4);
    const std::uint64_t allowed = 40 + random.below(60);
    group.value_counts.assign(values, 0);
    group.types.resize(types);
    for (auto& type : group.types) {
      for (std::size_t value = 0; value < values; ++value)
        type.allowed.push_back(random.below(100) < allowed ? 1 : 0);
      type.has.assign(values, 0);
    }
    // Mostly each record has a value that it may take: then the knowledge is true.
    const bool is_true = random.below(4) > 0;
    for (std::size_t record = 0; record < records; ++record) {
      auto& type = group.types[random.below(types)];
      const std::size_t value = random.below(values);
      if (is_true) type.allowed[value] = 1;
      ++type.count;
      ++type.has[value];
      ++group.value_counts[value];
    }
    const Valid valid = valid_by_definition(group);
    const bool contradiction =
        std::all_of(valid.begin(), valid.end(), [](const std::vector<char>& of_type) {
          return std::find(of_type.begin(), of_type.end(), 1) == of_type.end();
        });
    const Matching known = match_values(group);
    ASSERT_EQ(known.contradiction, contradiction);
    ASSERT_EQ(known.valid, valid);
    for (auto& type : group.types) type.has.clear();
    const Matching unknown = match_values(group);
    ASSERT_EQ(unknown.contradiction, contradiction);
    ASSERT_EQ(unknown.valid, valid);
    for (std::size_t type = 0; type < types; ++type) {
      ASSERT_EQ(known.valid_values[type], std::count(valid[type].begin(), valid[type].end(), 1));
      ASSERT_LE(known.valid_values[type], known.allowed_values[type]);
      if (group.types[type].count > 0 && !contradiction &&
          known.valid_values[type] < known.allowed_values[type])
        ++differences;
    }
    contradictions += contradiction ? 1 : 0;
  }
  EXPECT_GT(contradictions, 100U);
  EXPECT_GT(differences, 100U);
}

// A class of many records is settled by its types.
TEST(Matching, CountsDoNotCost) {
  const std::uint32_t many = 1'000'000;
  const MatchingGroup group{{{{1, 1, 1}, many, {}}, {{1, 1, 0}, many, {}}, {{1, 0, 0}, many, {}}},
                            {many, many, many}};
  EXPECT_EQ(match_values(group).valid, (Valid{{0, 0, 1}, {0, 1, 0}, {1, 0, 0}}));
}

}  // namespace
}  // namespace throng
