#include "metrics/figures.h"

#include <gtest/gtest.h>

#include <map>

#include "algorithms/anonymize.h"
#include "private_tables.h"

namespace throng {
namespace {

using testing::small_policy;
using testing::table_of;

// Worked by hand: two classes, 20..22 with {p|q} of 3 records, 40 with r of 2; zips all 100.
TEST(Figures, OfASmallRelease) {
  const Policy policy = small_policy("privacy:\n  - k-anonymity: 2\n");
  const testing::Rows rows = {{"a", "b", "c", "s"},      {"20", "p", "100", "flu"},
                              {"21", "q", "100", "flu"}, {"22", "p", "100", "gout"},
                              {"40", "r", "100", "flu"}, {"40", "r", "100", "acne"}};
  const Release release = anonymize_table(table_of(rows, policy), policy, 0);
  ASSERT_EQ(release.classes, 2U);
  const Figures figures = measure(release, check_release(release, policy));
  EXPECT_EQ(figures.rows_in, 5U);
  EXPECT_EQ(figures.rows_out, 5U);
  EXPECT_EQ(figures.suppressed, 0U);
  EXPECT_EQ(figures.k, 2U);
  EXPECT_DOUBLE_EQ(figures.average_class_size, 2.5);
  EXPECT_DOUBLE_EQ(figures.discernibility, 13);
  const double loss = 3 * (2.0 / 20 + 1.0 / 2);
  EXPECT_DOUBLE_EQ(figures.information_loss, loss / 5);
  EXPECT_DOUBLE_EQ(figures.gcp, loss / 5 / 3);
  ASSERT_EQ(figures.diversity.size(), 1U);
  EXPECT_EQ(figures.diversity[0].distinct, 2U);
  EXPECT_DOUBLE_EQ(figures.diversity[0].frequency, 1.5);
}

TEST(Figures, SuppressedRecordsCount) {
  const Policy policy = small_policy("privacy:\n  - k-anonymity: 3\nalgorithm: datafly\n");
  testing::Rows rows = {{"a", "b", "c", "s"}};
  for (int i = 0; i < 9; ++i) rows.push_back({"30", "p", "100", "v"});
  rows.push_back({"50", "q", "200", "v"});
  const Release release = anonymize_table(table_of(rows, policy), policy, 0);
  const Figures figures = measure(release, check_release(release, policy));
  EXPECT_EQ(figures.suppressed, 1U);
  EXPECT_DOUBLE_EQ(figures.information_loss, 0);
  EXPECT_DOUBLE_EQ(figures.gcp, 0.1);
  EXPECT_DOUBLE_EQ(figures.discernibility, 81 + 10);
}

// The definition again, record by record.
TEST(Figures, AgreeWithTheDefinition) {
  for (const char* algorithm : {"mondrian", "datafly", "greedy-release"}) {
    for (std::uint64_t seed = 1; seed < 15; ++seed) {
      const Policy policy =
          small_policy(std::string("privacy:\n  - k-anonymity: 3\nalgorithm: ") + algorithm + "\n");
      const Release release =
          anonymize_table(table_of(testing::random_rows(70, seed), policy), policy, 0);
      const Figures figures = measure(release, check_release(release, policy));
      double loss = 0;
      std::map<std::uint32_t, double> sizes;
      for (const std::uint32_t number : release.class_of_row) {
        ++sizes[number];
        for (std::size_t column = 0; column < 3; ++column) {
          const Domain& domain = release.quasi[column].domain;
          const Region& region = release.region(column, number);
          std::size_t covered = 0;
          for (Code i = 0; i < domain.size(); ++i) covered += covers(domain, region, i) ? 1 : 0;
          if (domain.size() < 2) continue;
          if (column == 0) {
            loss += (domain.values.numbers[region.high] - domain.values.numbers[region.low]) /
                    (domain.high - domain.low);
          } else {
            loss += static_cast<double>(covered - 1) / static_cast<double>(domain.size() - 1);
          }
        }
      }
      double squares = static_cast<double>(release.suppressed) * 70;
      for (const auto& [number, size] : sizes) squares += size * size;
      EXPECT_NEAR(figures.information_loss, loss / static_cast<double>(release.rows()), 1e-9);
      EXPECT_DOUBLE_EQ(figures.discernibility, squares);
    }
  }
}

}  // namespace
}  // namespace throng
