#include "metrics/distributions.h"

#include <gtest/gtest.h>

#include <cmath>

#include "metrics/published_examples.h"
#include "table/value.h"

namespace throng {
namespace {

using testing::Example;
using testing::example_of;
using testing::random_rows;
using testing::release_of;
using testing::small_policy;

// By the definition: each record gives each value that its region covers the same share.
std::vector<double> by_definition(const Release& release, const Domain& domain) {
  std::size_t column = 0;
  while (release.quasi[column].domain.name != domain.name) ++column;
  std::vector<double> result(domain.size(), 0);
  for (std::size_t row = 0; row < release.rows(); ++row) {
    const Region& region = release.region(column, release.class_of_row[row]);
    std::vector<Code> positions;
    for (Code position = 0; position < domain.size(); ++position) {
      if (covers(domain, region, position)) positions.push_back(position);
    }
    for (const Code position : positions) result[position] += 1.0 / double(positions.size());
  }
  return result;
}

TEST(Distributions, RegionsSpreadTheirRecordsEvenly) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Example example =
        example_of(random_rows(40, seed), small_policy("privacy:\n  - k-anonymity: 4\n"));
    const Release release = anonymize_table(example.table, example.policy, seed);
    const Published published = publish(release, example.schema);
    for (std::size_t column = 0; column < example.schema.quasi.size(); ++column) {
      const Domain& domain = example.schema.quasi[column].domain;
      const std::vector<double> found = spread_of(published, example.schema, column),
                                expected = by_definition(release, domain);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_NEAR(found[i], expected[i], 2e-6) << "seed " << seed << " " << domain.name;
    }
  }
}

Dictionary numbers_of(Type type, const std::vector<double>& numbers) {
  Dictionary values;
  values.type = type;
  values.numbers = numbers;
  for (const double number : numbers) values.labels.push_back(spell_number(number));
  return values;
}

TEST(Distributions, BinsHoldEveryRecordOnce) {
  for (const Type type : {Type::integer, Type::decimal, Type::date}) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      Random random(seed);
      std::vector<double> numbers;
      double number = static_cast<double>(random.below(2000)) - 1000;
      for (std::size_t i = 1 + random.below(200); i > 0; --i) {
        numbers.push_back(number);
        number += static_cast<double>(1 + random.below(seed % 3 == 0 ? 1 : 1000)) /
                  (type == Type::decimal ? 64 : 1);
      }
      std::vector<std::uint64_t> original;
      std::vector<double> released;
      double before = 0, after = 0;
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        original.push_back(1 + random.below(5));
        released.push_back(static_cast<double>(random.below(8)) / 4);
        before += static_cast<double>(original.back());
        after += released.back();
      }
      const Dictionary values = numbers_of(type, numbers);
      const Distribution found = compare(values, values.size(), original, released);
      double binned_before = 0, binned_after = 0;
      for (const Distribution::Bin& bin : found.bins) {
        EXPECT_FALSE(bin.label.empty());
        binned_before += bin.original;
        binned_after += bin.released;
      }
      EXPECT_DOUBLE_EQ(binned_before, before) << "seed " << seed;
      EXPECT_NEAR(binned_after, after, 1e-4) << "seed " << seed;
      EXPECT_LE(found.bins.size(), kMostBins + 1) << "seed " << seed;
      EXPECT_EQ(found.other_values, 0U);
    }
  }
}

TEST(Distributions, LabelsOfBinsSayWhatIsInThem) {
  std::vector<double> ages;
  for (int age = 17; age <= 90; ++age) ages.push_back(age);
  const std::vector<std::uint64_t> ones(ages.size(), 1);
  const std::vector<double> same(ages.size(), 1);
  Distribution found = compare(numbers_of(Type::integer, ages), ages.size(), ones, same);
  ASSERT_EQ(found.bins.size(), 16U);
  EXPECT_EQ(found.bins[0].label, "15..19");
  EXPECT_EQ(found.bins[0].original, 3);
  EXPECT_EQ(found.difference, 0);
  // Forty years of days, a record each half year.
  std::vector<double> days;
  for (int i = 0; i < 80; ++i) days.push_back(days_of({1960, 1, 1}) + i * 182.625);
  found = compare(numbers_of(Type::date, days), days.size(), std::vector<std::uint64_t>(80, 1),
                  std::vector<double>(80, 1));
  EXPECT_EQ(found.bins[0].label, "1960..1961");
}

TEST(Distributions, ManyCategoriesAreFewAndTheOthers) {
  Dictionary values;
  std::vector<std::uint64_t> original;
  for (int i = 0; i < 100; ++i) {
    values.labels.push_back("v" + std::to_string(i));
    original.push_back(i < 10 ? 1 : static_cast<std::uint64_t>(i));
  }
  values.labels.emplace_back("?");
  values.missing = true;
  original.push_back(7);
  const std::vector<double> released(101, 2);
  const Distribution found = compare(values, 100, original, released);
  ASSERT_EQ(found.bins.size(), kMostBins);
  EXPECT_EQ(found.bins[0].label, "v99");
  EXPECT_EQ(found.bins.back().label, "(missing)");
  EXPECT_EQ(found.bins.back().original, 7);
  EXPECT_EQ(found.other_values, 100 - (kMostBins - 1));
  double before = found.others.original, after = found.others.released;
  for (const Distribution::Bin& bin : found.bins) {
    before += bin.original;
    after += bin.released;
  }
  EXPECT_EQ(before, 10 + (10 + 99) * 90 / 2 + 7);
  EXPECT_EQ(after, 202);
}

TEST(Distributions, DifferenceIsBetweenNoneAndAll) {
  Dictionary values;
  values.labels = {"a", "b", "c"};
  EXPECT_EQ(compare(values, 3, {2, 2, 0}, {1, 1, 0}).difference, 0);
  EXPECT_EQ(compare(values, 3, {2, 2, 0}, {0, 0, 3}).difference, 1);
  EXPECT_EQ(compare(values, 3, {2, 2, 0}, {4, 0, 0}).difference, 0.5);
  EXPECT_EQ(compare(values, 3, {0, 0, 0}, {0, 0, 0}).bins.size(), 0U);
}

}  // namespace
}  // namespace throng
