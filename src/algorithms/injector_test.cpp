// Injector against its promise, with the paper's own check (tests/figure_1.h) and no code that made
// the buckets.
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <map>

#include "algorithms/bucketize.h"
#include "algorithms/near_buckets.h"
#include "figure_1.h"
#include "knowledge/record_types.h"
#include "private_tables.h"
#include "throng/error.h"

namespace throng {
namespace {

using testing::Group;
using testing::Record;
using testing::small_policy;
using testing::table_of;
using testing::valid_by_figure;

const char* const kGuarded = "privacy:\n  - l-diversity: {column: s, l: 2}\n";

FrequencyList list_of(const testing::Rows& rows) {
  const Policy policy = small_policy(kGuarded);
  return make_frequency_list(table_of(rows, policy), policy);
}

// Rows with flatter values than random_rows() has, so that l can be met.
testing::Rows rows_of(std::size_t count, std::size_t values, Random& random) {
  testing::Rows rows = {{"a", "b", "c", "s"}};
  const std::uint64_t ages = 1 + random.below(9), jobs = 1 + random.below(4);
  for (std::size_t i = 0; i < count; ++i) {
    rows.push_back({std::to_string(20 + random.below(ages)),
                    std::string(1, static_cast<char>('p' + random.below(jobs))), "100",
                    "v" + std::to_string(random.below(4) == 0 ? 0 : random.below(values))});
  }
  return rows;
}

// Some values that an entry does not have are impossible for it, the same by its column b.
RecordTypes random_types(const FrequencyList& list, Random& random, std::uint64_t percent) {
  const std::size_t values = list.sensitive_sizes[0];
  ImpossibleSets sets(values);
  std::map<Code, std::vector<Code>> of_job;
  for (const Code job : list.positions[1]) {
    if (of_job.count(job) > 0) continue;
    for (Code value = 0; value < values; ++value)
      if (random.below(100) < percent) of_job[job].push_back(value);
  }
  // Rules are true: what anyone has is possible, as it would be for those who share his job; some
  // of the time only for himself.
  const bool by_job = random.below(2) == 0;
  if (by_job) {
    for (std::size_t entry = 0; entry < list.size(); ++entry)
      std::erase(of_job[list.positions[1][entry]], list.values[0][entry]);
  }
  std::vector<std::uint32_t> set_of;
  for (std::size_t entry = 0; entry < list.size(); ++entry) {
    std::vector<Code> impossible = of_job[list.positions[1][entry]];
    std::erase(impossible, list.values[0][entry]);
    set_of.push_back(sets.add_values(impossible));
  }
  return make_record_types(std::move(sets), list.values[0], set_of);
}

Record record_of(const RecordTypes& types, std::uint32_t type) {
  Record record{types.types[type].value, {}};
  for (Code value = 0; value < types.sets.values(); ++value)
    if (types.sets.has(types.types[type].set, value)) record.impossible.insert(value);
  return record;
}

// Whether each record of a group has l valid values; equal ones are asked once.
bool safe_by_figure(const Group& group, std::size_t l) {
  std::map<std::pair<Code, std::set<Code>>, bool> known;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const auto [found, is_new] = known.try_emplace({group[i].value, group[i].impossible}, false);
    if (is_new) found->second = valid_by_figure(group, i).size() >= l;
    if (!found->second) return false;
  }
  return !group.empty();
}

struct Expected {
  bool feasible = false;
  std::uint64_t suppressed = 0;
};

// What can be published at all, by the figure: those with too few valid values among all go, until
// none has; the rest must not have a value that is too frequent.
Expected expected_of(const FrequencyList& list, const RecordTypes& types,
                     const BucketOptions& options) {
  Group group;
  for (std::size_t entry = 0; entry < list.size(); ++entry) {
    for (std::uint32_t i = 0; i < list.weights[entry]; ++i)
      group.push_back(record_of(types, types.type_of[entry]));
  }
  const std::size_t all = group.size();
  std::set<Code> distinct;
  for (const Record& record : group) distinct.insert(record.value);
  if (distinct.size() < options.l) return {};
  for (bool changed = true; changed;) {
    Group rest;
    std::map<std::pair<Code, std::set<Code>>, bool> known;
    for (std::size_t i = 0; i < group.size(); ++i) {
      const auto [found, is_new] = known.try_emplace({group[i].value, group[i].impossible}, false);
      if (is_new) found->second = valid_by_figure(group, i).size() >= options.l;
      if (found->second) rest.push_back(group[i]);
    }
    changed = rest.size() < group.size();
    group = std::move(rest);
  }
  Expected expected;
  expected.suppressed = all - group.size();
  std::map<Code, std::size_t> counts;
  std::size_t largest = 0;
  for (const Record& record : group) largest = std::max(largest, ++counts[record.value]);
  expected.feasible = !group.empty() &&
                      static_cast<double>(expected.suppressed) <=
                          options.max_suppression * static_cast<double>(all) &&
                      (!options.max_share || largest * options.l <= group.size());
  return expected;
}

void check(const FrequencyList& list, const RecordTypes& types, const BucketOptions& options,
           const Bucketing& bucketing) {
  std::vector<std::uint64_t> records(list.size(), 0);
  std::vector<Group> groups(bucketing.buckets);
  for (const Bucketing::Part& part : bucketing.parts) {
    ASSERT_GT(part.count, 0U);
    records[part.entry] += part.count;
    for (std::uint32_t i = 0; i < part.count; ++i)
      groups[part.bucket].push_back(record_of(types, types.type_of[part.entry]));
  }
  std::uint64_t suppressed = 0;
  const std::set<std::uint32_t> left_out(bucketing.suppressed_types.begin(),
                                         bucketing.suppressed_types.end());
  for (std::size_t entry = 0; entry < list.size(); ++entry) {
    if (left_out.count(types.type_of[entry]) > 0) {
      ASSERT_EQ(records[entry], 0U);
      suppressed += list.weights[entry];
    } else {
      ASSERT_EQ(records[entry], list.weights[entry]);
    }
  }
  ASSERT_EQ(suppressed, bucketing.suppressed);
  for (const Group& group : groups) {
    ASSERT_TRUE(safe_by_figure(group, options.l));
    if (!options.max_share) continue;
    std::map<Code, std::size_t> counts;
    for (const Record& record : group) ASSERT_LE(++counts[record.value] * options.l, group.size());
  }
}

TEST(Injector, KeepsItsPromiseAndFindsWhatThereIs) {
  std::size_t made = 0, refused = 0, several = 0, suppressed = 0;
  for (std::uint64_t seed = 1; seed <= 2500; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const std::size_t values = 2 + random.below(6);
    const FrequencyList list = list_of(rows_of(1 + random.below(28), values, random));
    const RecordTypes types = random_types(list, random, random.below(60));
    BucketOptions options;
    options.l = 2 + random.below(3);
    options.grouping =
        random.below(2) == 0 ? BucketOptions::Grouping::near : BucketOptions::Grouping::random;
    options.max_share = random.below(2) == 0;
    options.max_suppression = random.below(2) == 0 ? 0 : 0.5;
    options.seed = seed;
    const Expected expected = expected_of(list, types, options);
    if (!expected.feasible) {
      ASSERT_THROW(injector(list, types, options), PrivacyError);
      ++refused;
      continue;
    }
    const Bucketing bucketing = injector(list, types, options);
    ASSERT_EQ(bucketing.suppressed, expected.suppressed);
    ASSERT_NO_FATAL_FAILURE(check(list, types, options, bucketing));
    ++made;
    several += bucketing.buckets > 1 ? 1 : 0;
    suppressed += bucketing.suppressed > 0 ? 1 : 0;
  }
  EXPECT_GT(made, 500U);
  EXPECT_GT(refused, 500U);
  EXPECT_GT(several, 300U);
  EXPECT_GT(suppressed, 20U);
}

TEST(Injector, LargerTablesAndManyValues) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    // More than one word of bits for some.
    const FrequencyList list =
        list_of(rows_of(150 + random.below(150), 12 + random.below(100), random));
    const RecordTypes types = random_types(list, random, random.below(12));
    BucketOptions options;
    options.l = 2;
    options.grouping =
        seed % 2 == 0 ? BucketOptions::Grouping::near : BucketOptions::Grouping::random;
    options.seed = seed;
    ASSERT_NO_FATAL_FAILURE(check(list, types, options, injector(list, types, options)));
  }
}

TEST(Injector, DependsOnTheSeedAndNotOnThreads) {
  Random random(1);
  const FrequencyList list = list_of(rows_of(20000, 12, random));
  const RecordTypes types = random_types(list, random, 10);
  for (const auto grouping : {BucketOptions::Grouping::near, BucketOptions::Grouping::random}) {
    BucketOptions options;
    options.l = 3;
    options.grouping = grouping;
    std::vector<Bucketing::Part> one;
    {
      const tbb::global_control single(tbb::global_control::max_allowed_parallelism, 1);
      one = injector(list, types, options).parts;
    }
    const tbb::global_control many(tbb::global_control::max_allowed_parallelism, 4);
    EXPECT_EQ(injector(list, types, options).parts, one);
    options.seed = 5;
    EXPECT_NE(injector(list, types, options).parts, one);
  }
}

// Every set that the claim of near_buckets.h allows can be cut.
TEST(NearBuckets, EachValueOnceInEachBucket) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const std::size_t l = 1 + random.below(5), buckets = 1 + random.below(30);
    // Counts of at most `buckets`, at least l · buckets in all, fewer than l more.
    std::vector<std::size_t> counts(l + random.below(6), 0);
    for (std::size_t left = l * buckets + random.below(l); left > 0;) {
      const std::size_t value = random.below(counts.size());
      if (counts[value] == buckets) {
        if (std::all_of(counts.begin(), counts.end(),
                        [&](std::size_t count) { return count == buckets; })) {
          break;
        }
        continue;
      }
      ++counts[value];
      --left;
    }
    Records records;
    Places places;
    places.axes = random.below(4);
    for (Code value = 0; value < counts.size(); ++value) {
      for (std::size_t i = 0; i < counts[value]; ++i) {
        records.entry.push_back(static_cast<std::uint32_t>(records.entry.size()));
        records.value.push_back(value);
        records.type.push_back(value);
        for (std::size_t axis = 0; axis < places.axes; ++axis)
          places.at.push_back(static_cast<float>(random.below(10)) - 4.5F);
      }
    }
    std::vector<std::uint32_t> chosen(records.entry);
    const auto made = cut_into_buckets(records, counts.size(), places, chosen, l);
    ASSERT_EQ(made.size(), chosen.size() / l);
    std::set<std::uint32_t> seen;
    for (const auto& members : made) {
      ASSERT_GE(members.size(), l);
      std::set<Code> distinct;
      for (const std::uint32_t member : members) {
        ASSERT_TRUE(distinct.insert(records.value[member]).second);
        ASSERT_TRUE(seen.insert(member).second);
      }
    }
    ASSERT_EQ(seen.size(), chosen.size());
  }
}

std::string refusal(const FrequencyList& list, const RecordTypes& types,
                    const BucketOptions& options) {
  try {
    injector(list, types, options);
  } catch (const PrivacyError& error) {
    return std::string("privacy: ") + error.what();
  } catch (const InputError& error) {
    return std::string("input: ") + error.what();
  }
  return "";
}

TEST(Injector, SaysWhatIsWrong) {
  const FrequencyList list = list_of({{"a", "b", "c", "s"},
                                      {"1", "x", "100", "flu"},
                                      {"2", "x", "100", "flu"},
                                      {"3", "y", "100", "flu"},
                                      {"4", "y", "100", "cold"},
                                      {"5", "y", "100", "cough"}});
  const auto types_of = [&](const std::vector<Code>& for_x) {
    ImpossibleSets sets(3);
    std::vector<std::uint32_t> set_of;
    for (const Code job : list.positions[1]) {
      set_of.push_back(job == 0 ? sets.add_values(for_x) : 0);
    }
    return make_record_types(std::move(sets), list.values[0], set_of);
  };
  const Code cold = 0, cough = 1, flu = 2;
  BucketOptions options;
  options.l = 4;
  EXPECT_EQ(refusal(list, types_of({}), options),
            "privacy: l = 4 cannot be met: column 's' has only 3 distinct values in 5 records");
  options.l = 2;
  EXPECT_EQ(refusal(list, types_of({}), options),
            "privacy: l = 2 cannot be met: 'flu' of column 's' has 3 of 5 records (0.6), more than "
            "1/2; l could be at most 1");
  options.max_share = false;
  EXPECT_EQ(refusal(list, types_of({}), options), "");
  EXPECT_EQ(refusal(list, types_of({cold, cough, flu}), options),
            "input: the knowledge contradicts the table: 2 records have a value of column 's' that "
            "a rule says they cannot have, 'flu' among them; expected rules that are true of every "
            "record");
  options.max_suppression = 0.3;
  EXPECT_EQ(refusal(list, types_of({cold, cough}), options),
            "privacy: matching l-diversity of column 's' cannot be met: 2 of 5 records (0.4) have "
            "fewer than 2 valid values even in one bucket of all, the most of one type being 2 "
            "records with 'flu', for whom rules exclude 2 of 3 values; the policy allows 0.3 to be "
            "left out (suppression: max)");
  options.max_suppression = 0.4;
  const Bucketing bucketing = injector(list, types_of({cold, cough}), options);
  EXPECT_EQ(bucketing.suppressed, 2U);
  EXPECT_EQ(bucketing.buckets, 1U);
}

// Tables I and II of the paper: with "no man has ovarian cancer, no woman prostate cancer".
TEST(Injector, TableOneGivesNobodyAway) {
  const Policy policy = parse_policy(
      "columns:\n"
      "  zip: {role: quasi-identifier}\n"
      "  age: {role: quasi-identifier, type: integer}\n"
      "  sex: {role: quasi-identifier}\n"
      "  disease: {role: sensitive}\n"
      "privacy:\n  - l-diversity: {column: disease, l: 2}\n",
      "policy", "");
  const FrequencyList list = make_frequency_list(table_of({{"zip", "age", "sex", "disease"},
                                                           {"47677", "29", "F", "Ovarian Cancer"},
                                                           {"47602", "22", "F", "Ovarian Cancer"},
                                                           {"47678", "27", "M", "Prostate Cancer"},
                                                           {"47905", "43", "M", "Flu"},
                                                           {"47909", "52", "F", "Heart Disease"},
                                                           {"47906", "47", "M", "Heart Disease"},
                                                           {"47605", "30", "M", "Heart Disease"},
                                                           {"47673", "36", "M", "Flu"},
                                                           {"47607", "32", "M", "Flu"}},
                                                          policy),
                                                 policy);
  const auto rules = parse_rules(R"([{"if": {"sex": "M"}, "not": "Ovarian Cancer"},
                      {"if": {"sex": "F"}, "not": "Prostate Cancer"}])",
                                 "rules", list.domains, list.plain[0].values);
  for (const std::size_t known : {std::size_t{1}, std::size_t{2}}) {
    const RecordTypes types = record_types(list, 0, std::span(rules).first(known));
    for (const auto grouping : {BucketOptions::Grouping::near, BucketOptions::Grouping::random}) {
      BucketOptions options;
      options.grouping = grouping;
      const Bucketing bucketing = injector(list, types, options);
      EXPECT_EQ(bucketing.suppressed, 0U);
      // Both women with ovarian cancer need the third woman: nobody else could have theirs.
      EXPECT_GE(bucketing.buckets, 2U);
      check(list, types, options, bucketing);
    }
  }
}

}  // namespace
}  // namespace throng
