#include "metrics/distortion.h"

#include <gtest/gtest.h>

#include "metrics/published_examples.h"

namespace throng {
namespace {

using testing::Example;
using testing::example_of;
using testing::release_of;
using testing::small_policy;

// Ages 20 to 40, jobs without a hierarchy, zips by masks of three characters.
TEST(Distortion, ByHand) {
  const testing::Rows rows = {{"a", "b", "c", "s"},
                              {"20", "p", "100", "flu"},
                              {"25", "q", "101", "flu"},
                              {"30", "r", "117", "flu"},
                              {"40", "p", "200", "flu"}};
  const Example example = example_of(rows, small_policy("privacy:\n  - k-anonymity: 2\n"));
  const Release exact = release_of(rows, example);
  EXPECT_EQ(distortion_of(exact, example.schema).categorical, 0);
  EXPECT_EQ(distortion_of(exact, example.schema).continuous, 0);

  const Release release = release_of({{"a", "b", "c", "s"},
                                      {"20..25", "{p|q}", "10*", "flu"},
                                      {"20..25", "{p|q}", "10*", "flu"},
                                      {"30", "*", "1**", "flu"},
                                      {"*", "p", "*", "flu"}},
                                     example);
  const Distortion distortion = distortion_of(release, example.schema);
  EXPECT_DOUBLE_EQ(distortion.categorical, (1 + 1 + 1 + 0 + 1 + 1 + 2 + 3) / 4.0);
  EXPECT_DOUBLE_EQ(distortion.continuous, (0.25 + 0.25 + 0 + 1) / 4);
}

Policy policy_with(const std::string& rule, const std::string& hierarchy) {
  Policy policy = parse_policy("columns:\n  b: {role: quasi-identifier" + rule +
                                   ", hierarchy: h.csv}\n  s: {role: sensitive}\n"
                                   "missing: {values: ['?'], as: value}\n"
                                   "privacy:\n  - k-anonymity: 2\n",
                               "policy", "");
  policy.columns[0].generalization.hierarchy = HierarchyFile{"h.csv", hierarchy};
  return policy;
}

// Repeated labels are one node: flu lies directly below *, the cancers two steps.
TEST(Distortion, OfBranchesOfDifferentDepth) {
  const testing::Rows rows = {{"b", "s"}, {"flu", "x"}, {"flu", "x"}, {"flu", "x"}, {"lung", "x"}};
  const Example example = example_of(rows, policy_with("",
                                                       "flu;flu;flu;*\n"
                                                       "lung;cancer;cancer;*\n"
                                                       "skin;cancer;cancer;*\n"
                                                       "yaws;tropical;rare;*\n"
                                                       "pinta;rare;rare;*\n"));
  const auto categorical = [&](const std::string& text) {
    return distortion_of(release_of({{"b", "s"}, {text, "x"}}, example), example.schema)
        .categorical;
  };
  EXPECT_EQ(categorical("flu"), 0);
  EXPECT_EQ(categorical("cancer"), 1);
  EXPECT_DOUBLE_EQ(categorical("*"), (3 * 1 + 1 * 2) / 4.0);  // by how often they occur
  EXPECT_DOUBLE_EQ(categorical("rare"), (2 + 1) / 2.0);       // none occurs: all alike
  EXPECT_EQ(categorical("tropical"), 1);                      // a node with one leaf
}

TEST(Distortion, OfNumbersWithAHierarchy) {
  const testing::Rows rows = {{"b", "s"}, {"20", "x"}, {"25", "x"}, {"40", "x"}, {"?", "x"}};
  const Example example = example_of(
      rows, policy_with(", type: integer", "20;young;*\n25;young;*\n40;old;*\n60;old;*\n?;?;*\n"));
  const auto continuous = [&](const std::string& text) {
    return distortion_of(release_of({{"b", "s"}, {text, "x"}}, example), example.schema).continuous;
  };
  EXPECT_EQ(continuous("20"), 0);
  EXPECT_EQ(continuous("?"), 0);
  EXPECT_DOUBLE_EQ(continuous("young"), 5.0 / 40);
  EXPECT_DOUBLE_EQ(continuous("old"), 20.0 / 40);
  EXPECT_EQ(continuous("*"), 1);
}

// Row by row, from the texts: a mask hides one character a step.
TEST(Distortion, AgreesWithTheTexts) {
  for (const char* algorithm : {"mondrian", "datafly", "greedy-release"}) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      const Example example =
          example_of(testing::random_rows(60, seed),
                     small_policy(std::string("privacy:\n  - k-anonymity: 3\nalgorithm: ") +
                                  algorithm + "\n"));
      const Release release = anonymize_table(example.table, example.policy, seed);
      double categorical = 0, continuous = 0;
      for (const std::uint32_t number : release.class_of_row) {
        const Domain& ages = release.quasi[0].domain;
        const Region& age = release.region(0, number);
        if (ages.high > ages.low) {
          continuous += (ages.values.numbers[age.high] - ages.values.numbers[age.low]) /
                        (ages.high - ages.low);
        }
        const std::string job = write_region(release.quasi[1].domain, release.region(1, number));
        categorical += job == "*" || job.size() > 1 ? 1 : 0;
        const std::string zip = write_region(release.quasi[2].domain, release.region(2, number));
        categorical +=
            zip == "*" ? 3 : static_cast<double>(std::count(zip.begin(), zip.end(), '*'));
      }
      const Distortion distortion = distortion_of(release, example.schema);
      const auto records = static_cast<double>(std::max<std::size_t>(1, release.rows()));
      EXPECT_NEAR(distortion.categorical, categorical / records, 1e-9) << "seed " << seed;
      EXPECT_NEAR(distortion.continuous, continuous / records, 1e-9) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace throng
