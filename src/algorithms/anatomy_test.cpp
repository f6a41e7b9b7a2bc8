#include <gtest/gtest.h>

#include <map>

#include "algorithms/bucketize.h"
#include "private_tables.h"
#include "throng/error.h"

namespace throng {
namespace {

using testing::random_rows;
using testing::small_policy;
using testing::table_of;

const char* const kGuarded = "privacy:\n  - l-diversity: {column: s, l: 2}\n";

FrequencyList list_of(const testing::Rows& rows) {
  const Policy policy = small_policy(kGuarded);
  return make_frequency_list(table_of(rows, policy), policy);
}

TEST(Anatomy, BucketsHaveDistinctValuesAndEveryRecordOnce) {
  std::size_t made = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const FrequencyList list = list_of(random_rows(1 + seed % 60, seed));
    BucketOptions options;
    options.l = 2 + seed % 3;
    options.seed = seed;
    std::map<Code, std::uint64_t> counts;
    std::uint64_t largest = 0;
    for (std::size_t entry = 0; entry < list.size(); ++entry)
      largest = std::max(largest, counts[list.values[0][entry]] += list.weights[entry]);
    if (largest * options.l > list.records) {
      EXPECT_THROW(anatomy(list, options), PrivacyError);
      ++refused;
      continue;
    }
    ++made;
    const Bucketing bucketing = anatomy(list, options);
    EXPECT_EQ(bucketing.buckets, list.records / options.l);
    EXPECT_EQ(bucketing.suppressed, 0U);
    std::vector<std::uint64_t> records(list.size(), 0);
    std::vector<std::map<Code, std::uint32_t>> values(bucketing.buckets);
    for (const Bucketing::Part& part : bucketing.parts) {
      records[part.entry] += part.count;
      values[part.bucket][list.values[0][part.entry]] += part.count;
    }
    for (std::size_t entry = 0; entry < list.size(); ++entry)
      ASSERT_EQ(records[entry], list.weights[entry]);
    for (const auto& bucket : values) {
      ASSERT_GE(bucket.size(), options.l);
      for (const auto& [value, count] : bucket) ASSERT_EQ(count, 1U);
    }
    EXPECT_EQ(bucketing.parts, anatomy(list, options).parts);
  }
  EXPECT_GT(made, 200U);
  EXPECT_GT(refused, 300U);
}

TEST(Anatomy, SeedsMakeOtherBuckets) {
  const FrequencyList list = list_of(random_rows(400, 7));
  BucketOptions one, other;
  other.seed = 1;
  EXPECT_NE(anatomy(list, one).parts, anatomy(list, other).parts);
}

std::string refusal(const FrequencyList& list, std::size_t l) {
  BucketOptions options;
  options.l = l;
  try {
    anatomy(list, options);
  } catch (const PrivacyError& error) {
    return error.what();
  }
  return "";
}

TEST(Anatomy, SaysWhatCouldBeMet) {
  const FrequencyList list = list_of({{"a", "b", "c", "s"},
                                      {"1", "x", "100", "flu"},
                                      {"2", "x", "100", "flu"},
                                      {"3", "x", "100", "flu"},
                                      {"4", "x", "100", "cold"},
                                      {"5", "x", "100", "cough"},
                                      {"6", "x", "100", "rash"},
                                      {"7", "x", "100", "rash"}});
  EXPECT_EQ(refusal(list, 3),
            "l = 3 cannot be met: 'flu' of column 's' has 3 of 7 records (0.4286), more than 1/3; "
            "l could be at most 2");
  EXPECT_EQ(refusal(list, 5),
            "l = 5 cannot be met: column 's' has only 4 distinct values in 7 records");
  EXPECT_EQ(refusal(list, 2), "");
  // Smaller than l.
  EXPECT_EQ(refusal(list_of({{"a", "b", "c", "s"}, {"1", "x", "100", "flu"}}), 2),
            "l = 2 cannot be met: column 's' has only 1 distinct values in 1 records");
}

}  // namespace
}  // namespace throng
