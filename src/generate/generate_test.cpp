#include "generate/generate.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <map>
#include <set>

#include "generate/draw.h"

namespace throng {
namespace {

const GeneratedColumn& column(const std::vector<GeneratedColumn>& table, const std::string& name) {
  for (const GeneratedColumn& candidate : table) {
    if (candidate.name == name) return candidate;
  }
  throw std::runtime_error("no column " + name);
}

// The values of one row, by the names of their columns.
class Row {
 public:
  Row(const std::vector<GeneratedColumn>& table, std::size_t row) : table_(&table), row_(row) {}
  const std::string& operator[](const std::string& name) const {
    const GeneratedColumn& from = column(*table_, name);
    return from.labels[from.codes[row_]];
  }

 private:
  const std::vector<GeneratedColumn>* table_;
  std::size_t row_;
};

// In whole years on 2026-01-01.
int age_on_new_year(const std::string& birth) {
  return 2026 - std::stoi(birth.substr(0, 4)) - (birth.substr(5) > "01-01" ? 1 : 0);
}

bool same(const std::vector<GeneratedColumn>& a, const std::vector<GeneratedColumn>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].name != b[i].name || a[i].labels != b[i].labels ||
        a[i].codes.size() != b[i].codes.size())
      return false;
    for (std::size_t row = 0; row < a[i].codes.size(); ++row) {
      if (a[i].codes[row] != b[i].codes[row]) return false;
    }
  }
  return true;
}

// The share of the rows that have `value`.
double share(const std::vector<GeneratedColumn>& table, const std::string& name,
             const std::string& value) {
  const GeneratedColumn& from = column(table, name);
  std::size_t count = 0;
  for (std::size_t row = 0; row < from.codes.size(); ++row)
    count += from.labels[from.codes[row]] == value ? 1 : 0;
  return static_cast<double>(count) / static_cast<double>(from.codes.size());
}

void expect_well_formed(const std::vector<GeneratedColumn>& table, std::size_t rows) {
  for (const GeneratedColumn& each : table) {
    ASSERT_EQ(each.codes.size(), rows) << each.name;
    for (std::size_t row = 0; row < rows; ++row)
      ASSERT_LT(each.codes[row], each.labels.size()) << each.name;
    EXPECT_EQ(std::set<std::string>(each.labels.begin(), each.labels.end()).size(),
              each.labels.size())
        << each.name;
  }
}

using Generator = std::vector<GeneratedColumn> (*)(std::size_t, std::uint64_t);

class GenerateTest : public testing::TestWithParam<Generator> {};

TEST_P(GenerateTest, SeedDecidesTheTable) {
  const auto table = GetParam()(40000, 7);
  EXPECT_TRUE(same(table, GetParam()(40000, 7)));
  EXPECT_FALSE(same(table, GetParam()(40000, 8)));
}

TEST_P(GenerateTest, ThreadsLeaveNoTrace) {
  const auto table = GetParam()(100000, 3);
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  EXPECT_TRUE(same(table, GetParam()(100000, 3)));
}

TEST_P(GenerateTest, EveryCodeHasALabel) {
  for (const std::size_t rows : {1U, 2U, 16384U, 16385U})
    expect_well_formed(GetParam()(rows, 5), rows);
}

// Blocks whose randomness overlapped would repeat each other.
TEST_P(GenerateTest, BlocksDiffer) {
  const auto table = GetParam()(std::size_t{3} << 14, 0);
  for (const GeneratedColumn& each : table) {
    bool first_differs = false, second_differs = false;
    for (std::size_t row = 0; row < 1U << 14; ++row) {
      first_differs = first_differs || each.codes[row] != each.codes[row + (1U << 14)];
      second_differs =
          second_differs || each.codes[row + (1U << 14)] != each.codes[row + (2U << 14)];
    }
    EXPECT_TRUE(first_differs && second_differs) << each.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, GenerateTest, testing::Values(generate_patients, generate_census));

TEST(WeightedDrawTest, DrawsByItsWeights) {
  const std::vector<std::vector<Weight>> weights = {{1, 0, 2, 7}, {0, 0, 0, 5}, {3, 3, 3, 3}};
  const WeightedDraw draw(weights.size(), 4, [&](std::size_t context, std::size_t value) {
    return weights[context][value];
  });
  constexpr int kDraws = 400000;
  for (std::size_t context = 0; context < weights.size(); ++context) {
    Random random(context);
    std::vector<int> counts(4, 0);
    for (int i = 0; i < kDraws; ++i) ++counts[draw(context, random)];
    double total = 0;
    for (const Weight weight : weights[context]) total += static_cast<double>(weight);
    for (std::size_t value = 0; value < 4; ++value) {
      const double wanted = static_cast<double>(weights[context][value]) / total;
      EXPECT_NEAR(counts[value] / double{kDraws}, wanted, 0.005);  // six standard deviations
      if (wanted == 0) {
        EXPECT_EQ(counts[value], 0);
      }
    }
  }
}

TEST(WeightedDrawTest, RefusesAContextWithoutValues) {
  EXPECT_THROW(WeightedDraw(1, 3, [](std::size_t, std::size_t) { return Weight{0}; }),
               std::logic_error);
}

TEST(PointsTest, LieOnALine) {
  EXPECT_EQ(along({{17, 90}, {19, 150}, {20, 0}}), (std::vector<Weight>{9000, 12000, 15000, 0}));
  EXPECT_EQ(bands({0, 3, 4}, 5), (std::vector<std::uint8_t>{0, 0, 0, 1, 2, 2}));
}

class PatientsTest : public testing::Test {
 protected:
  static const std::vector<GeneratedColumn>& table() {
    static const auto kTable = generate_patients(kRows, 11);
    return kTable;
  }
  static constexpr std::size_t kRows = 200000;
};

TEST_F(PatientsTest, HasItsColumns) {
  std::vector<std::string> names;
  for (const GeneratedColumn& each : table()) names.push_back(each.name);
  EXPECT_EQ(names, (std::vector<std::string>{"name", "birth", "sex", "zip", "job", "diagnosis"}));
  EXPECT_EQ(column(table(), "sex").labels.size(), 2U);
  EXPECT_EQ(column(table(), "job").labels.size(), 24U);
  EXPECT_EQ(column(table(), "diagnosis").labels.size(), 29U);
  EXPECT_GT(column(table(), "zip").labels.size(), 200U);
  EXPECT_LE(column(table(), "name").labels.size(), 2U * 120U * 240U);
  EXPECT_LE(column(table(), "birth").labels.size(), 105U * 366U);
  for (const std::string& zip : column(table(), "zip").labels) EXPECT_EQ(zip.size(), 5U);
}

TEST_F(PatientsTest, ImpossibleCombinationsNeverOccur) {
  const std::set<std::string> womens = {"Ovarian cancer", "Pregnancy complication"};
  const std::set<std::string> rural = {"012", "013", "025", "035", "050"};
  std::map<std::string, std::string> sex_of_first_name;
  for (std::size_t i = 0; i < kRows; ++i) {
    const Row row(table(), i);
    const std::string &sex = row["sex"], &job = row["job"], &diagnosis = row["diagnosis"];
    const int age = age_on_new_year(row["birth"]);
    ASSERT_GE(age, 0);
    ASSERT_LE(age, 104);
    ASSERT_FALSE(sex == "Male" && womens.count(diagnosis) == 1);
    ASSERT_FALSE(sex == "Female" && diagnosis == "Prostate cancer");
    ASSERT_FALSE(diagnosis == "Alzheimer disease" && age < 50);
    ASSERT_FALSE(diagnosis == "Pregnancy complication" && (age < 15 || age > 49));
    ASSERT_EQ(job == "Child", age < 6) << age;
    if (age >= 6 && age < 16) {
      ASSERT_EQ(job, "Student");
    }
    ASSERT_FALSE(job == "Retired" && age < 50);
    ASSERT_FALSE(job == "Physician" && age < 27);
    ASSERT_FALSE(job == "Farmer" && rural.count(row["zip"].substr(0, 3)) == 0);
    const std::string first_name = row["name"].substr(0, row["name"].find(' '));
    ASSERT_EQ(sex_of_first_name.try_emplace(first_name, sex).first->second, sex) << first_name;
  }
}

TEST_F(PatientsTest, AgeAndSexShapeTheRest) {
  std::map<std::string, double> count;
  for (std::size_t i = 0; i < kRows; ++i) {
    const Row row(table(), i);
    const int age = age_on_new_year(row["birth"]);
    if (age > 66) {
      ++count["old"];
      if (row["job"] == "Retired") ++count["old and retired"];
    }
    if (row["diagnosis"] == "Breast cancer") ++count["breast cancer of " + row["sex"]];
    if (row["job"] == "Nurse") ++count["nurse " + row["sex"]];
  }
  EXPECT_GT(count["old and retired"], 0.8 * count["old"]);
  EXPECT_GT(count["breast cancer of Male"], 0);
  EXPECT_GT(count["breast cancer of Female"], 20 * count["breast cancer of Male"]);
  EXPECT_GT(count["nurse Female"], 4 * count["nurse Male"]);
  EXPECT_GT(share(table(), "diagnosis", "Hypertension"), 10 * share(table(), "diagnosis", "HIV"));
  EXPECT_GT(share(table(), "zip", "02101"), 20 * share(table(), "zip", "05092"));
}

TEST(SmallPatientsTest, NamesAreNearlyUnique) {
  const auto table = generate_patients(1000, 2);
  EXPECT_GT(column(table, "name").labels.size(), 970U);
}

class CensusTest : public testing::Test {
 protected:
  static const std::vector<GeneratedColumn>& table() {
    static const auto kTable = generate_census(kRows, 11);
    return kTable;
  }
  static constexpr std::size_t kRows = 200000;
};

TEST_F(CensusTest, EveryValueOfAdultOccurs) {
  const std::vector<std::pair<std::string, std::size_t>> domains = {
      {"sex", 2},         {"age", 72},
      {"race", 5},        {"marital-status", 7},
      {"education", 16},  {"native-country", 41},
      {"workclass", 7},   {"occupation", 14},
      {"salary-class", 2}};
  for (const std::uint64_t seed : {0U, 1U, 2U, 3U}) {
    const auto small = generate_census(100000, seed);
    ASSERT_EQ(small.size(), domains.size());
    for (std::size_t i = 0; i < domains.size(); ++i) {
      EXPECT_EQ(small[i].name, domains[i].first);
      EXPECT_EQ(small[i].labels.size(), domains[i].second) << small[i].name;
      std::set<Code> seen;
      for (std::size_t row = 0; row < 100000; ++row) seen.insert(small[i].codes[row]);
      EXPECT_EQ(seen.size(), domains[i].second) << small[i].name << " with seed " << seed;
    }
  }
}

TEST_F(CensusTest, FrequenciesAreThoseOfAdult) {
  EXPECT_NEAR(share(table(), "sex", "Male"), 0.676, 0.01);
  EXPECT_NEAR(share(table(), "race", "White"), 0.860, 0.01);
  EXPECT_NEAR(share(table(), "native-country", "United-States"), 0.912, 0.01);
  EXPECT_NEAR(share(table(), "marital-status", "Married-civ-spouse"), 0.466, 0.01);
  EXPECT_NEAR(share(table(), "education", "HS-grad"), 0.326, 0.01);
  EXPECT_NEAR(share(table(), "workclass", "Private"), 0.739, 0.01);
  EXPECT_NEAR(share(table(), "occupation", "Prof-specialty"), 0.134, 0.01);
  EXPECT_NEAR(share(table(), "salary-class", ">50K"), 0.249, 0.01);
}

TEST_F(CensusTest, ImpossibleCombinationsNeverOccur) {
  for (std::size_t i = 0; i < kRows; ++i) {
    const Row row(table(), i);
    const int age = std::stoi(row["age"]);
    ASSERT_FALSE(row["education"] == "Doctorate" && age < 25);
    ASSERT_FALSE(row["education"] == "Bachelors" && age < 20);
    ASSERT_FALSE(row["occupation"] == "Armed-Forces" &&
                 (row["sex"] == "Female" || row["workclass"] != "Federal-gov"));
    ASSERT_FALSE(row["occupation"] == "Priv-house-serv" && row["workclass"] != "Private");
    ASSERT_FALSE(row["workclass"] == "Without-pay" && row["salary-class"] == ">50K");
    ASSERT_FALSE(row["native-country"] == "Haiti" && row["race"] == "White");
  }
}

TEST_F(CensusTest, ColumnsDependOnEachOther) {
  std::map<std::string, double> all, rich, clerks;
  for (std::size_t i = 0; i < kRows; ++i) {
    const Row row(table(), i);
    for (const char* name : {"sex", "marital-status", "education"}) {
      ++all[row[name]];
      if (row["salary-class"] == ">50K") ++rich[row[name]];
      if (row["occupation"] == "Adm-clerical") ++clerks[row[name]];
    }
  }
  const auto chance = [&](const std::string& value) { return rich[value] / all[value]; };
  EXPECT_NEAR(chance("Male"), 0.314, 0.03);
  EXPECT_NEAR(chance("Female"), 0.114, 0.03);
  EXPECT_NEAR(chance("Married-civ-spouse"), 0.455, 0.04);
  EXPECT_NEAR(chance("Never-married"), 0.048, 0.02);
  EXPECT_NEAR(chance("Doctorate"), 0.747, 0.06);
  EXPECT_NEAR(chance("HS-grad"), 0.164, 0.03);
  EXPECT_GT(clerks["Female"] / all["Female"], 3 * clerks["Male"] / all["Male"]);
}

}  // namespace
}  // namespace throng
