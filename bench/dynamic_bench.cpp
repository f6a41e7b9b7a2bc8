// How long the `dynamic` strategy takes to release a batch of 1,000 records into a publication of
// so many: the cost must depend on the batch, not on the table.
//
//   dynamic_bench [census|patients] [RECORDS]...      default census 10000 100000 1000000
//
// Each time is that of update() and its commit, without reading the batch and writing a release:
// the median of several batches, in a process that knows nothing beforehand. Ratios are against the
// smallest publication of the same run.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "generate/generate.h"
#include "publication/dynamic.h"
#include "table/encode.h"

namespace throng {
namespace {

constexpr std::size_t kBatch = 1000;
constexpr std::uint32_t kBatches = 7;

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

// Nearly every record differs, and two columns have deep hierarchies that grow.
Policy patients_policy() {
  return parse_policy(
      "columns:\n"
      "  name: {role: identifier}\n"
      "  birth: {role: quasi-identifier, type: date, hierarchy: {date: [month, year, decade]}}\n"
      "  sex: {role: quasi-identifier}\n"
      "  zip: {role: quasi-identifier, hierarchy: {mask: right}}\n"
      "  job: {role: quasi-identifier}\n"
      "  diagnosis: {role: sensitive}\n"
      "privacy:\n  - k-anonymity: 5\n  - l-diversity: {column: diagnosis, l: 3}\n",
      "bench", "");
}

using Generate = std::vector<GeneratedColumn> (*)(std::size_t, std::uint64_t);

Table table_of(std::vector<GeneratedColumn> columns, std::size_t rows, const Policy& policy) {
  Table table;
  table.rows = rows;
  for (GeneratedColumn& column : columns) {
    const ColumnPolicy& rule = *policy.find(column.name);
    if (rule.role == Role::identifier) continue;
    table.columns.push_back(
        encode({column.name, std::move(column.labels), std::move(column.codes)}, rule.type, {}));
  }
  return table;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void run(const std::string& name, const std::vector<std::size_t>& sizes) {
  const Policy policy = name == "census" ? census_policy() : patients_policy();
  const Generate generate = name == "census" ? generate_census : generate_patients;
  std::string folder = (std::filesystem::temp_directory_path() / "throng-bench-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) std::abort();
  fmt::print("dynamic, {}, k = {}, l = 3, batches of {}; seconds\n", name, policy.k, kBatch);
  fmt::print("{:>10} {:>8} {:>8} {:>8} {:>8} {:>7} {:>8} {:>8}\n", "records", "first", "open",
             "update", "commit", "ratio", "classes", "waiting");
  double smallest = 0;
  for (const std::size_t rows : sizes) {
    const std::string path = folder + "/" + std::to_string(rows);
    const Vault vault{std::string(32, 's')};
    ClassId next = 1;
    double first = 0;
    {
      Database database(path, Database::Mode::create);
      Dynamic::create(database);
      const Table table = table_of(generate(rows, 1), rows, policy);
      const auto start = std::chrono::steady_clock::now();
      Transaction transaction(database);
      Dynamic dynamic(database, vault, policy);
      next += dynamic.update(table, 1, next, 1).added.classes;
      transaction.commit();
      first = seconds_since(start);
    }
    const ClassId classes = next - 1;
    struct Times {
      double open, update, commit;
      bool operator<(const Times& other) const { return update < other.update; }
    };
    std::vector<Times> times;
    std::uint64_t waiting = 0;
    for (std::uint32_t batch = 0; batch < kBatches; ++batch) {
      const Table table = table_of(generate(kBatch, 100 + batch), kBatch, policy);
      Database database(path, Database::Mode::write);
      Times time{};
      auto start = std::chrono::steady_clock::now();
      Transaction transaction(database);
      Dynamic dynamic(database, vault, policy);
      time.open = seconds_since(start);
      start = std::chrono::steady_clock::now();
      next += dynamic.update(table, batch + 2, next, 1).added.classes;
      time.update = seconds_since(start);
      start = std::chrono::steady_clock::now();
      transaction.commit();
      time.commit = seconds_since(start);
      times.push_back(time);
      waiting = dynamic.waiting().records;
    }
    std::sort(times.begin(), times.end());
    const Times& median = times[times.size() / 2];
    if (smallest == 0) smallest = median.update + median.commit;
    fmt::print("{:>10} {:>8.3f} {:>8.3f} {:>8.3f} {:>8.3f} {:>7.2f} {:>8} {:>8}\n", rows, first,
               median.open, median.update, median.commit,
               (median.update + median.commit) / smallest, classes, waiting);
    std::fflush(stdout);
    std::filesystem::remove(path);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace throng

int main(int count, char** arguments) {
  std::string name = "census";
  std::vector<std::size_t> sizes;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "census" || argument == "patients") {
      name = argument;
    } else {
      sizes.push_back(std::stoul(argument));
    }
  }
  if (sizes.empty()) sizes = {10000, 100000, 1000000};
  throng::run(name, sizes);
}
