// How long the utility metrics take: 1,000 counting queries and the association rules of a census
// table, of a Mondrian release and of buckets of it.
//
//   utility_bench [RECORDS]...      default 100000 1000000
//
// The ratio is of the queries against a plain scan of the rows for each query, in the same run.
#include <fmt/format.h>

#include <chrono>
#include <numeric>
#include <string>
#include <vector>

#include "algorithms/anonymize.h"
#include "generate/generate.h"
#include "metrics/associations.h"
#include "metrics/queries.h"
#include "table/encode.h"
#include "table/random.h"

namespace throng {
namespace {

constexpr std::size_t kQueries = 1000;
constexpr std::size_t kScanned = 10;  // queries of the plain scan
constexpr std::size_t kBucket = 5;

Policy census_policy() {
  std::string yaml = "columns:\n  education: {role: sensitive}\n";
  for (const char* name : {"sex", "race", "marital-status", "native-country", "workclass",
                           "occupation", "salary-class"}) {
    yaml += std::string("  ") + name + ": {role: quasi-identifier}\n";
  }
  yaml += "  age: {role: quasi-identifier, type: integer}\n";
  yaml += "privacy:\n  - k-anonymity: 10\n  - l-diversity: {column: education, l: 3}\n";
  return parse_policy(yaml, "bench", "");
}

Table census(std::size_t rows, const Policy& policy) {
  Table table;
  table.rows = rows;
  for (GeneratedColumn& column : generate_census(rows, 1)) {
    table.columns.push_back(encode({column.name, std::move(column.labels), std::move(column.codes)},
                                   policy.find(column.name)->type, {}));
  }
  return table;
}

// Random groups of five: how they came about is nothing to the metrics.
Buckets buckets_of(const Table& table, const Schema& schema) {
  Buckets buckets;
  std::vector<std::uint32_t> rows(table.rows);
  std::iota(rows.begin(), rows.end(), 0U);
  shuffle(rows, 1);
  const Column& sensitive = *table.find(schema.sensitive);
  buckets.sensitive = sensitive.name;
  buckets.values = sensitive.values;
  for (const Schema::Quasi& quasi : schema.quasi) {
    const Column& column = *table.find(quasi.domain.name);
    const std::vector<Code> positions = positions_in(quasi.domain, column.values);
    auto& list = buckets.positions.emplace_back();
    for (const std::uint32_t row : rows) list.push_back(positions[column.codes[row]]);
    buckets.domains.push_back(quasi.domain);
  }
  buckets.count_begin = {0};
  std::vector<std::uint32_t> counts(sensitive.values.size(), 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    buckets.group_of_row.push_back(static_cast<std::uint32_t>(buckets.groups.size()));
    ++counts[sensitive.codes[rows[i]]];
    if ((i + 1) % kBucket != 0 && i + 1 < rows.size()) continue;
    for (Code value = 0; value < counts.size(); ++value) {
      if (counts[value] > 0) buckets.count_list.push_back({value, counts[value]});
      counts[value] = 0;
    }
    buckets.groups.push_back(std::to_string(buckets.groups.size()));
    buckets.count_begin.push_back(buckets.count_list.size());
  }
  return buckets;
}

double scan(const Table& table, const Schema& schema, const Query& query) {
  std::vector<std::pair<const Codes*, std::vector<char>>> columns;
  for (const Query::Predicate& predicate : query.quasi) {
    const Domain& domain = schema.quasi[predicate.column].domain;
    const Column& column = *table.find(domain.name);
    std::vector<char> chosen;
    for (const Code position : positions_in(domain, column.values))
      chosen.push_back(predicate.chosen[position]);
    columns.emplace_back(&column.codes, std::move(chosen));
  }
  columns.emplace_back(&table.find(schema.sensitive)->codes, query.sensitive);
  std::vector<char> matches(table.rows, 1);
  for (const auto& column : columns) {
    column.first->visit([&](const auto& codes) {
      for (std::size_t row = 0; row < codes.size(); ++row) {
        matches[row] =
            static_cast<char>(matches[row] & column.second[static_cast<std::size_t>(codes[row])]);
      }
    });
  }
  return std::accumulate(matches.begin(), matches.end(), 0.0);
}

class Stopwatch {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> passed = now - last_;
    last_ = now;
    return passed.count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

void run(std::size_t rows) {
  const Policy policy = census_policy();
  const Table table = census(rows, policy);
  std::vector<Domain> domains;
  for (const Column& column : table.columns) {
    const ColumnPolicy& rule = *policy.find(column.name);
    if (rule.role == Role::quasi_identifier)
      domains.push_back(make_domain(column.name, column.values, rule.generalization));
  }
  const Schema schema = make_schema(table, std::move(domains), "education");
  std::vector<Query> queries;
  const RandomQueries random(schema, {});
  for (std::size_t i = 0; i < kQueries; ++i) queries.push_back(random.draw(i));
  Stopwatch watch;
  double sum = 0;
  for (std::size_t i = 0; i < kScanned; ++i) sum += scan(table, schema, queries[i]);
  const double scanned = watch.lap() / kScanned * kQueries;
  const Release release = anonymize_table(table, policy, 0);
  const Buckets buckets = buckets_of(table, schema);
  for (const std::string name : {"original", "mondrian", "buckets"}) {
    watch.lap();
    const Published published = name == "original"   ? publish(table, schema)
                                : name == "mondrian" ? publish(release, schema)
                                                     : publish(buckets, schema, "buckets");
    const double publishing = watch.lap();
    const std::vector<double> counts = count_queries(published, schema, queries);
    const double counting = watch.lap();
    const std::size_t rules = mine_associations(published, schema, {}).size();
    const double mining = watch.lap();
    fmt::print("{:>10} {:<10} {:>9} {:>9.3f} {:>9.3f} {:>8.1f}x {:>9.3f} {:>7}\n", rows, name,
               published.entries(), publishing, counting, scanned / counting, mining, rules);
    double first = 0;
    for (std::size_t i = 0; i < kScanned; ++i) first += counts[i];
    if (name == "original" && first != sum) fmt::print("THE SCAN COUNTS OTHERWISE\n");
  }
}

}  // namespace
}  // namespace throng

int main(int count, char** arguments) {
  std::vector<std::size_t> sizes;
  for (int i = 1; i < count; ++i) sizes.push_back(std::stoul(arguments[i]));
  if (sizes.empty()) sizes = {100000, 1000000};
  fmt::print("{:>10} {:<10} {:>9} {:>9} {:>9} {:>9} {:>9} {:>7}\n", "records", "published",
             "entries", "group", "queries", "vs scan", "rules", "found");
  for (const std::size_t rows : sizes) throng::run(rows);
}
