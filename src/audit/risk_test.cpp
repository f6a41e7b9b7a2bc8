#include "audit/risk.h"

#include <gtest/gtest.h>

#include <cmath>

#include "table/random.h"

namespace throng {
namespace {

Release release_of(const std::vector<std::uint32_t>& classes, const std::vector<Code>& values,
                   std::size_t domain) {
  Release release;
  release.class_of_row = classes;
  for (const std::uint32_t number : classes)
    release.classes = std::max<std::size_t>(release.classes, number + 1);
  Release::Plain column;
  column.name = "s";
  column.role = Role::sensitive;
  for (std::size_t i = 0; i < domain; ++i) column.values.labels.push_back("v" + std::to_string(i));
  column.codes = Codes(values, domain);
  release.plain.push_back(std::move(column));
  return release;
}

TEST(Risk, CountsClasses) {
  const Release release = release_of({0, 0, 0, 0, 1, 1, 2}, {0, 1, 0, 1, 0, 1, 0}, 2);
  const Risk risk = risk_of(release, 0.3);
  EXPECT_DOUBLE_EQ(risk.prosecutor_highest, 1);
  EXPECT_DOUBLE_EQ(risk.prosecutor_average, 3.0 / 7);
  EXPECT_DOUBLE_EQ(risk.above_threshold, 3.0 / 7);
  EXPECT_EQ(risk.alone, 1U);
  const PopulationRisk population = population_risk_of(release, {8, 2, 0}, 0.3);
  EXPECT_DOUBLE_EQ(population.journalist_highest, 1);
  EXPECT_DOUBLE_EQ(population.marketer, (4.0 / 8 + 2.0 / 2 + 1.0 / 1) / 7);
  EXPECT_DOUBLE_EQ(population.journalist_above_threshold, 3.0 / 7);
  EXPECT_EQ(population.uncovered, 1U);
}

// Li et al., t-Closeness: nine salaries 3k to 11k; a class of 3k, 4k, 5k is 0.375 away.
TEST(Closeness, OfTheSalaryExample) {
  const Release release = release_of({0, 0, 0, 1, 1, 1, 2, 2, 2}, {0, 1, 2, 3, 5, 8, 4, 6, 7}, 9);
  const auto closeness = closeness_of(release);
  ASSERT_EQ(closeness.size(), 1U);
  EXPECT_NEAR(closeness[0].ordered, 0.375, 1e-12);
  EXPECT_NEAR(closeness[0].equal, 2.0 / 3, 1e-12);
}

// Against the definition, written down.
TEST(Closeness, EqualsTheDefinition) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    const std::size_t rows = 1 + random.below(20), domain = 1 + random.below(6);
    std::vector<std::uint32_t> classes(rows);
    std::vector<Code> values(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      classes[i] = static_cast<std::uint32_t>(random.below(3));
      values[i] = static_cast<Code>(random.below(domain));
    }
    const Release release = release_of(classes, values, domain);
    double equal = 0, ordered = 0;
    for (std::uint32_t number = 0; number < release.classes; ++number) {
      std::vector<double> own(domain, 0), all(domain, 0);
      double size = 0;
      for (std::size_t i = 0; i < rows; ++i) {
        ++all[values[i]];
        if (classes[i] != number) continue;
        ++own[values[i]];
        ++size;
      }
      if (size == 0) continue;
      double difference = 0, moved = 0, sum = 0, present = 0;
      for (std::size_t value = 0; value < domain; ++value) {
        const double gap = own[value] / size - all[value] / static_cast<double>(rows);
        difference += std::abs(gap);
        if (all[value] == 0) continue;
        ++present;
        sum += gap;
        moved += std::abs(sum);
      }
      equal = std::max(equal, difference / 2);
      if (present > 1) ordered = std::max(ordered, moved / (present - 1));
    }
    const auto closeness = closeness_of(release);
    EXPECT_NEAR(closeness[0].equal, equal, 1e-9) << "seed " << seed;
    EXPECT_NEAR(closeness[0].ordered, ordered, 1e-9) << "seed " << seed;
  }
}

}  // namespace
}  // namespace throng
