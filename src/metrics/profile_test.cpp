#include "metrics/profile.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "audit/check.h"
#include "metrics/figures.h"
#include "metrics/published_examples.h"

namespace throng {
namespace {

using testing::Example;
using testing::example_of;
using testing::random_buckets;
using testing::random_rows;
using testing::Rows;
using testing::small_policy;

TEST(Profile, LossesOfColumnsSumToTheLossOfTheRelease) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Policy policy = small_policy("privacy:\n  - k-anonymity: 3\n");
    const Table table = testing::table_of(random_rows(60, seed), policy);
    const Release release = anonymize_table(table, policy, seed);
    double sum = 0;
    for (const ColumnLoss& column : losses_of(release)) {
      EXPECT_GE(column.loss, 0) << "seed " << seed;
      EXPECT_LE(column.loss, 1) << "seed " << seed;
      sum += column.loss;
    }
    const Figures figures = measure(release, check_release(release, policy));
    EXPECT_NEAR(sum, figures.information_loss, 1e-12) << "seed " << seed;
  }
}

TEST(Profile, SizesOfFewDifferentClasses) {
  const std::vector<std::uint32_t> sizes = {3, 5, 3, 4, 3};
  const ClassSizes found = class_sizes_of(sizes);
  EXPECT_EQ(found.smallest, 3U);
  EXPECT_EQ(found.median, 3U);
  EXPECT_EQ(found.largest, 5U);
  EXPECT_DOUBLE_EQ(found.average, 3.6);
  EXPECT_DOUBLE_EQ(found.squares, 68);
  ASSERT_EQ(found.bins.size(), 3U);
  EXPECT_EQ(found.bins[0].classes, 3U);
  EXPECT_EQ(found.bins[0].records, 9U);
  EXPECT_EQ(found.bins[2].from, 5U);
  EXPECT_EQ(found.bins[2].to, 5U);
}

TEST(Profile, BinsOfSizesHoldEveryClassOnce) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    std::vector<std::uint32_t> sizes;
    const std::uint64_t most = 1 + random.below(seed % 2 == 0 ? 30 : 100000);
    for (std::size_t i = 1 + random.below(50); i > 0; --i)
      sizes.push_back(static_cast<std::uint32_t>(1 + random.below(most)));
    const ClassSizes found = class_sizes_of(sizes);
    std::uint64_t classes = 0, records = 0;
    for (std::size_t i = 0; i < found.bins.size(); ++i) {
      const ClassSizes::Bin& bin = found.bins[i];
      EXPECT_LE(bin.from, bin.to) << "seed " << seed;
      if (i > 0) {
        EXPECT_EQ(bin.from, found.bins[i - 1].to + 1) << "seed " << seed;
      }
      std::uint64_t inside = 0;
      for (const std::uint32_t size : sizes) inside += size >= bin.from && size <= bin.to ? 1 : 0;
      EXPECT_EQ(bin.classes, inside) << "seed " << seed;
      classes += bin.classes;
      records += bin.records;
    }
    EXPECT_EQ(classes, sizes.size()) << "seed " << seed;
    EXPECT_EQ(records, std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0}));
    EXPECT_LE(found.bins.size(), 40U) << "seed " << seed;
  }
  EXPECT_TRUE(class_sizes_of({}).bins.empty());
}

// Counted by its definition: for each record those with the same quasi-identifiers.
TEST(Profile, ExposureOfTheOriginal) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Rows rows = random_rows(50, seed);
    const Example example = example_of(rows, small_policy("privacy:\n  - k-anonymity: 2\n"));
    const Exposure found = exposure_of(publish(example.table, example.schema), true);
    std::map<std::vector<std::string>, std::map<std::string, std::size_t>> groups;
    for (std::size_t row = 1; row < rows.size(); ++row)
      ++groups[{rows[row].begin(), rows[row].end() - 1}][rows[row].back()];
    double highest = 0, right = 0, surest = 0;
    std::size_t alone = 0;
    for (const auto& [key, values] : groups) {
      std::size_t size = 0, most = 0;
      for (const auto& [value, count] : values) {
        size += count;
        most = std::max(most, count);
      }
      highest = std::max(highest, 1.0 / static_cast<double>(size));
      surest = std::max(surest, static_cast<double>(most) / static_cast<double>(size));
      right += static_cast<double>(most);
      alone += size == 1 ? 1 : 0;
    }
    EXPECT_DOUBLE_EQ(found.highest, highest) << "seed " << seed;
    EXPECT_DOUBLE_EQ(found.average, static_cast<double>(groups.size()) / 50) << "seed " << seed;
    EXPECT_EQ(found.alone, alone) << "seed " << seed;
    EXPECT_DOUBLE_EQ(found.guess_average.value(), right / 50) << "seed " << seed;
    EXPECT_DOUBLE_EQ(found.guess_highest.value(), surest) << "seed " << seed;
  }
}

// Buckets leave quasi-identifiers exact: people who are in it are found as in a table of them.
TEST(Profile, BucketsHideNobodyButTheirValues) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Example example =
        example_of(random_rows(40, seed), small_policy("privacy:\n  - k-anonymity: 2\n"));
    const Buckets buckets = random_buckets(example, seed);
    const Exposure found = exposure_of(publish(buckets, example.schema, "buckets"), true);
    std::map<std::vector<Code>, std::uint32_t> alike;
    for (std::size_t row = 0; row < buckets.rows(); ++row) {
      std::vector<Code> key;
      for (const auto& positions : buckets.positions) key.push_back(positions[row]);
      ++alike[key];
    }
    std::vector<std::uint32_t> expected, sizes = found.alike;
    for (const auto& [key, count] : alike) expected.push_back(count);
    std::sort(expected.begin(), expected.end());
    std::sort(sizes.begin(), sizes.end());
    EXPECT_EQ(sizes, expected) << "seed " << seed;
  }
}

TEST(Profile, BandsHoldEveryRecordOnce) {
  Exposure before, after;
  before.alike = {1, 1, 2, 4, 9, 100, 1000};
  after.alike = {5, 19, 99};
  std::uint64_t records_before = 0, records_after = 0;
  const std::vector<RiskBand> bands = risk_bands(before, after);
  for (const RiskBand& band : bands) {
    records_before += band.before;
    records_after += band.after;
  }
  EXPECT_EQ(records_before, 1117U);
  EXPECT_EQ(records_after, 123U);
  EXPECT_EQ(bands.front().before, 2U);
  EXPECT_EQ(bands.front().to, 1U);
  EXPECT_EQ(bands.back().before, 1000U);
  EXPECT_FALSE(bands.back().to.has_value());
}

}  // namespace
}  // namespace throng
