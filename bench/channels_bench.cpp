// How long it takes to find the inference channels between published files: against the number of
// classes, and in the paper's experiment.
//
//   channels_bench [RECORDS]...      default 62500 125000 250000 500000 1000000
//
// Two releases by Mondrian, l = 3, the second with a ninth more records: seconds of CPU
// of the search alone, and its ratio to the line before. `touched` are the pairs of classes (and of
// classes and nodes) that were compared, of those that there are. First census tables; then 8
// columns of numbers that do not go together, k = 5, the first release cut at medians and the
// second where the loss is least: the most classes, and the least alike. Last the paper's
// experiment, 21 releases of 10,000 to 30,000 census records, each anonymized anew: 210 pairs of
// releases.
#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "algorithms/anonymize.h"
#include "audit/file_channels.h"
#include "generate/generate.h"
#include "table/encode.h"
#include "table/random.h"

namespace throng {
namespace {

constexpr int kNumbers = 8;

Policy policy_for(const std::string& privacy) {
  std::string yaml = "columns:\n  education: {role: sensitive}\n";
  for (const char* name : {"sex", "race", "marital-status", "native-country", "workclass",
                           "occupation", "salary-class"}) {
    yaml += std::string("  ") + name + ": {role: quasi-identifier}\n";
  }
  yaml += "  age: {role: quasi-identifier, type: integer}\nprivacy:\n";
  return parse_policy(yaml + privacy, "bench", "");
}

Policy policy_for_numbers(const std::string& cut) {
  std::string yaml = "columns:\n  education: {role: sensitive}\n";
  for (int i = 0; i < kNumbers; ++i)
    yaml += fmt::format("  n{}: {{role: quasi-identifier, type: integer}}\n", i);
  yaml += "privacy:\n  - k-anonymity: 5\n  - l-diversity: {column: education, l: 3}\n";
  return parse_policy(yaml + cut, "bench", "");
}

Table numbers(std::size_t rows) {
  Table table;
  table.rows = rows;
  Random random(1);
  for (int i = 0; i <= kNumbers; ++i) {
    Column column;
    column.name = i < kNumbers ? fmt::format("n{}", i) : "education";
    column.values.type = i < kNumbers ? Type::integer : Type::text;
    const std::size_t size = i < kNumbers ? 1000 : 16;
    for (std::size_t value = 0; value < size; ++value) {
      column.values.labels.push_back(fmt::format("{:02}", value));
      if (i < kNumbers) column.values.numbers.push_back(static_cast<double>(value));
    }
    column.codes = Codes(rows, size);
    for (std::size_t row = 0; row < rows; ++row)
      column.codes.set(row, static_cast<Code>(random.below(size)));
    table.columns.push_back(std::move(column));
  }
  return table;
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

// The first rows of a table; its dictionaries, and so the domains, stay those of the whole.
Table first_of(const Table& whole, std::size_t rows) {
  Table table;
  table.rows = rows;
  for (const Column& column : whole.columns) {
    Codes codes(rows, column.values.size());
    for (std::size_t row = 0; row < rows; ++row) codes.set(row, column.codes[row]);
    table.columns.push_back({column.name, column.values, std::move(codes)});
  }
  return table;
}

struct Measured {
  FileChannels found;
  double seconds = 0;  // of CPU, of all threads
};

Measured measure(const std::vector<Release>& releases, std::size_t l) {
  Measured measured;
  const std::clock_t start = std::clock();
  measured.found = find_file_channels(releases, "education", l);
  measured.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  return measured;
}

double share_touched(const FileChannels& found) {
  return static_cast<double>(found.pairs_touched) / static_cast<double>(found.pairs_of_classes);
}

std::uint64_t meetings(const FileChannels& found) {
  std::uint64_t sum = 0;
  for (const FileChannels::Pair& pair : found.pairs) sum += pair.meetings;
  return sum;
}

void run_doubling(const std::vector<std::size_t>& sizes, bool is_census) {
  const Policy first_policy = is_census ? policy_for(
                                              "  - k-anonymity: 10\n"
                                              "  - l-diversity: {column: education, l: 3}\n")
                                        : policy_for_numbers("cut: median\n");
  const Policy second_policy = is_census ? first_policy : policy_for_numbers("cut: best\n");
  fmt::print("channels between two releases, {}, 8 quasi-identifiers, k = {}, l = 3\n",
             is_census ? "census" : "numbers", first_policy.k);
  fmt::print("{:>10} {:>8} {:>16} {:>12} {:>8} {:>12} {:>12} {:>8} {:>6}\n", "records", "classes",
             "pairs of classes", "touched", "share", "that meet", "channels", "CPU s", "ratio");
  double before = 0;
  for (const std::size_t rows : sizes) {
    const Table table = is_census ? census(rows, first_policy) : numbers(rows);
    std::vector<Release> releases;
    releases.push_back(anonymize_table(first_of(table, rows - rows / 10), first_policy, 1));
    releases.push_back(anonymize_table(table, second_policy, 1));
    const Measured measured = measure(releases, 3);
    const FileChannels& found = measured.found;
    fmt::print("{:>10} {:>8} {:>16} {:>12} {:>8.4f} {:>12} {:>12} {:>8.3f} {:>6}\n", rows,
               releases[1].classes, found.pairs_of_classes, found.pairs_touched,
               share_touched(found), meetings(found), found.count(), measured.seconds,
               before > 0 ? fmt::format("{:.2f}", measured.seconds / before) : "");
    std::fflush(stdout);
    before = measured.seconds;
  }
  fmt::print("\n");
}

void run_paper() {
  fmt::print("210 pairs of 21 releases of 10,000 to 30,000 records, each anonymized anew\n");
  fmt::print("{:>3} {:>8} {:>16} {:>12} {:>8} {:>12} {:>12} {:>10} {:>8}\n", "l", "classes",
             "pairs of classes", "touched", "share", "that meet", "channels", "vulnerable",
             "CPU s");
  for (const std::size_t l : {3U, 5U, 7U}) {
    const Policy policy =
        policy_for(fmt::format("  - l-diversity: {{column: education, l: {}}}\n", l));
    const Table table = census(30000, policy);
    std::vector<Release> releases;
    for (std::size_t rows = 10000; rows <= 30000; rows += 1000)
      releases.push_back(anonymize_table(first_of(table, rows), policy, 1));
    const Measured measured = measure(releases, l);
    const FileChannels& found = measured.found;
    fmt::print(
        "{:>3} {:>8} {:>16} {:>12} {:>8.4f} {:>12} {:>12} {:>10} {:>8.3f}\n", l,
        releases.back().classes, found.pairs_of_classes, found.pairs_touched,
        static_cast<double>(found.pairs_touched) / static_cast<double>(found.pairs_of_classes),
        meetings(found), found.count(), found.vulnerable_by_release.back(), measured.seconds);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace throng

int main(int count, char** arguments) {
  std::vector<std::size_t> sizes;
  for (int i = 1; i < count; ++i) sizes.push_back(std::stoul(arguments[i]));
  if (sizes.empty()) sizes = {62500, 125000, 250000, 500000, 1000000};
  throng::run_doubling(sizes, true);
  throng::run_doubling(sizes, false);
  throng::run_paper();
}
