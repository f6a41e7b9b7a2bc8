// The utility metrics on UCI Adult, as Li and Li ("Injector", 2008) use them: buckets by Anatomy
// give counting queries an error that grows with l. Needs adult/adult.csv in $THRONG_DATA.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "adult.h"
#include "metrics/associations.h"
#include "metrics/queries.h"
#include "private_tables.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

using testing::adult;

const std::vector<std::string> kColumns = {"age",  "workclass", "education", "marital-status",
                                           "race", "sex",       "occupation"};

// Complete rows alone; no cell of the file is quoted.
testing::Rows complete_rows(const fs::path& path) {
  std::ifstream file(path);
  std::vector<std::size_t> wanted;
  testing::Rows rows;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    std::vector<std::string> cells;
    for (std::size_t begin = 0; begin <= line.size();) {
      const std::size_t end = std::min(line.find(',', begin), line.size());
      cells.push_back(line.substr(begin, end - begin));
      begin = end + 1;
    }
    if (wanted.empty()) {
      for (const std::string& name : kColumns) {
        const auto found = std::find(cells.begin(), cells.end(), name);
        wanted.push_back(static_cast<std::size_t>(found - cells.begin()));
      }
    }
    if (std::any_of(cells.begin(), cells.end(),
                    [](const std::string& cell) { return cell.empty() || cell == "?"; }))
      continue;
    auto& row = rows.emplace_back();
    for (const std::size_t i : wanted) row.push_back(cells[i]);
  }
  return rows;
}

// Each bucket takes one record of each of the l values that have most left (Xiao and Tao, 2006), of
// equals the first in their order; those that are left over go where their value is not. Which of
// equals are taken matters: in turns, the errors below are 0.6 to 0.8 points lower for l of 3
// and 4.
Buckets anatomy(const Table& table, const Schema& schema, std::size_t l, std::uint64_t seed) {
  const Column& sensitive = *table.find(schema.sensitive);
  std::vector<std::vector<std::size_t>> left(sensitive.values.size());
  for (std::size_t row = 0; row < table.rows; ++row) left[sensitive.codes[row]].push_back(row);
  for (auto& rows : left) shuffle(rows, seed);
  std::vector<std::vector<std::size_t>> groups;
  std::vector<Code> values(left.size());
  for (Code i = 0; i < values.size(); ++i) values[i] = i;
  while (true) {
    std::sort(values.begin(), values.end(), [&](Code a, Code b) {
      return left[a].size() != left[b].size() ? left[a].size() > left[b].size() : a < b;
    });
    if (left[values[l - 1]].empty()) break;
    auto& group = groups.emplace_back();
    for (std::size_t i = 0; i < l; ++i) {
      group.push_back(left[values[i]].back());
      left[values[i]].pop_back();
    }
  }
  std::size_t next = 0;
  for (Code value = 0; value < left.size(); ++value) {
    for (const std::size_t row : left[value]) {
      const auto has = [&](std::size_t other) { return sensitive.codes[other] == value; };
      while (std::any_of(groups[next].begin(), groups[next].end(), has)) ++next;
      groups[next++].push_back(row);
    }
  }
  Buckets buckets;
  buckets.sensitive = sensitive.name;
  buckets.values = sensitive.values;
  buckets.count_begin = {0};
  for (const Schema::Quasi& quasi : schema.quasi) {
    const Column& column = *table.find(quasi.domain.name);
    const std::vector<Code> positions = positions_in(quasi.domain, column.values);
    auto& list = buckets.positions.emplace_back();
    for (const auto& group : groups) {
      for (const std::size_t row : group) list.push_back(positions[column.codes[row]]);
    }
    buckets.domains.push_back(quasi.domain);
  }
  for (std::uint32_t group = 0; group < groups.size(); ++group) {
    std::vector<Code> codes;
    for (const std::size_t row : groups[group]) codes.push_back(sensitive.codes[row]);
    std::sort(codes.begin(), codes.end());
    for (const Code code : codes) buckets.count_list.push_back({code, 1});
    buckets.group_of_row.insert(buckets.group_of_row.end(), codes.size(), group);
    buckets.groups.push_back(std::to_string(group + 1));
    buckets.count_begin.push_back(buckets.count_list.size());
  }
  return buckets;
}

TEST(AdultUtility, OfAnatomy) {
  if (!fs::exists(adult() / "adult.csv"))
    GTEST_SKIP() << "NOT TESTED: UCI Adult is not at " << adult() << "; set THRONG_DATA";
  const testing::Rows rows = complete_rows(adult() / "adult.csv");
  ASSERT_EQ(rows.size(), 45222U + 1);
  std::string yaml = "columns:\n  age: {role: quasi-identifier, type: integer}\n";
  for (std::size_t i = 1; i + 1 < kColumns.size(); ++i) {
    yaml += "  " + kColumns[i] + ": {role: quasi-identifier, hierarchy: taxonomies/" + kColumns[i] +
            ".csv}\n";
  }
  yaml += "  occupation: {role: sensitive}\nprivacy:\n  - k-anonymity: 2\n";
  const Policy policy = parse_policy(yaml, "policy", adult().string());
  const Table table = testing::table_of(rows, policy);
  std::vector<Domain> domains;
  for (std::size_t i = 0; i + 1 < kColumns.size(); ++i) {
    domains.push_back(make_domain(kColumns[i], table.columns[i].values,
                                  policy.find(kColumns[i])->generalization));
  }
  const Schema schema = make_schema(table, std::move(domains), "occupation");
  const Published original = publish(table, schema);
  EXPECT_EQ(mine_associations(original, schema, {}).size(), 139U);
  // Means of 200,000 queries, as we measured them. The reference has 7.4, 8.3, 8.9 and 9.3 %, from
  // queries and an Anatomy that it does not tell in full: ours are lower, the more so the larger l
  // is. From seed to seed 10,000 queries differ by 0.1 points (standard deviation).
  const std::vector<double> measured = {0.0729, 0.0801, 0.0829, 0.0865};
  QueryOptions options;
  options.number = 20000;
  double before = 0;
  for (std::size_t l = 3; l <= 6; ++l) {
    const Published published = publish(anatomy(table, schema, l, 1), schema, "buckets");
    EXPECT_EQ(published.records, 45222U);
    const QueryErrors errors = measure_queries(original, published, schema, options);
    EXPECT_EQ(errors.number, 20000U);
    EXPECT_NEAR(errors.mean, measured[l - 3], 0.005) << "l = " << l;
    EXPECT_GT(errors.mean, before);
    before = errors.mean;
    const RuleErrors rules = measure_associations(original, published, schema, {});
    EXPECT_GT(*rules.confidence_error, 0.15);
    EXPECT_LT(*rules.confidence_error, 0.35);
  }
}

}  // namespace
}  // namespace throng
