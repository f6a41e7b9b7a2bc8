// Datafly and GreedyRelease give the tables of the paper: the two results, and every one between.
#include <gtest/gtest.h>

#include <algorithm>

#include "algorithms/generalize.h"
#include "io/reader.h"
#include "private_tables.h"

namespace throng {
namespace {

const std::string kFolder = THRONG_SOURCE_DIR "/tests/golden/brown/";

using testing::Rows;

// Rows of a CSV, sorted: the order of a table says nothing.
Rows golden(const std::string& file) {
  io::Session session(1);
  const auto raw = io::read_raw(kFolder + file, {"Race", "BirthDate", "Gender", "ZIP"}, session);
  Rows rows(raw.rows);
  for (const RawColumn& column : raw.columns) {
    for (std::size_t row = 0; row < raw.rows; ++row)
      rows[row].push_back(column.texts[column.codes[row]]);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

struct Made {
  Policy policy;
  FrequencyList list;
  Trace trace;
  Partition partition;
};

Made run(const std::string& algorithm) {
  Made result;
  result.policy = read_policy(kFolder + algorithm + ".yaml");
  std::vector<io::Wanted> wanted;
  for (const ColumnPolicy& column : result.policy.columns)
    wanted.push_back({column.name, column.type, {}});
  io::Session session(1);
  const Table table = io::read_table(kFolder + "private.csv", wanted, session);
  result.list = make_frequency_list(table, result.policy);
  const Requirements requirements(result.policy, result.list);
  result.partition = algorithm == "datafly"
                         ? datafly(result.list, requirements, result.policy, &result.trace)
                         : greedy_release(result.list, requirements, result.policy, &result.trace);
  return result;
}

// The whole table as it stands at a step: released entries keep what they were released with.
Rows table_at(const Made& made, std::size_t step) {
  Rows rows;
  for (std::size_t entry = 0; entry < made.list.size(); ++entry) {
    std::vector<std::string> row;
    // Released before this step: the levels of the step at which it went.
    std::size_t of = 0;
    while (of < step && !made.trace[of].released[entry]) ++of;
    for (std::size_t column = 0; column < 4; ++column) {
      const Domain& domain = made.list.domains[column];
      row.push_back(write_region(domain, region_at_level(domain, made.list.positions[column][entry],
                                                         made.trace[of].levels[column])));
    }
    for (std::uint32_t i = 0; i < made.list.weights[entry]; ++i) rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

Rows result_of(const Made& made) {
  const Release release = make_release(made.list, made.partition, 0);
  Rows rows;
  for (const std::uint32_t number : release.class_of_row) {
    auto& row = rows.emplace_back();
    for (std::size_t column = 0; column < 4; ++column) {
      row.push_back(write_region(release.quasi[column].domain, release.region(column, number)));
    }
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

TEST(Brown, Datafly) {
  const Made made = run("datafly");
  ASSERT_EQ(made.trace.size(), 6U);
  const char* steps[] = {"private.csv", "step1.csv", "step2.csv",
                         "step3.csv",   "step4.csv", "datafly-step5.csv"};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(table_at(made, i), golden(steps[i])) << steps[i];
  EXPECT_EQ(result_of(made), golden("datafly.csv"));
}

TEST(Brown, GreedyRelease) {
  const Made made = run("greedy-release");
  ASSERT_EQ(made.trace.size(), 6U);
  const char* steps[] = {"private.csv", "step1.csv", "step2.csv",
                         "step3.csv",   "step4.csv", "greedy-release-step5.csv"};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(table_at(made, i), golden(steps[i])) << steps[i];
  EXPECT_EQ(result_of(made), golden("greedy-release.csv"));
}

}  // namespace
}  // namespace throng
