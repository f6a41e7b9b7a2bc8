// How long mining takes, against the number of records: ten times the records should take about ten
// times as long.
//
//   mine_bench [census|patients] [RECORDS]...      default census 45222 100000 1000000
//
// `census` has the columns and hierarchies that the paper mined of UCI Adult; `patients` nearly as
// many combinations as records, and deep hierarchies. Each time is the best of three, without the
// making of the frequency list, which stands beside it. Ratios are against the size before.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "generate/generate.h"
#include "knowledge/impossible.h"
#include "knowledge/mine.h"
#include "table/encode.h"

namespace throng {
namespace {

const char* const kWorkclass =
    "Private;Private;Private;With-pay;*\nSelf-emp-not-inc;Self-emp-not-inc;Self-employed;With-pay;*"
    "\n"
    "Self-emp-inc;Self-emp-inc;Self-employed;With-pay;*\n"
    "Federal-gov;Federal-gov;Government;With-pay;*\nState-gov;Regional-gov;Government;With-pay;*\n"
    "Local-gov;Regional-gov;Government;With-pay;*\nWithout-pay;Without-pay;Without-pay;Unpaid;*\n";
const char* const kEducation =
    "Preschool;Preschool;Without-Post-Secondary;*\n1st-4th;Elementary;Without-Post-Secondary;*\n"
    "5th-6th;Elementary;Without-Post-Secondary;*\n7th-8th;Elementary;Without-Post-Secondary;*\n"
    "9th;Secondary;Without-Post-Secondary;*\n10th;Secondary;Without-Post-Secondary;*\n"
    "11th;Secondary;Without-Post-Secondary;*\n12th;Secondary;Without-Post-Secondary;*\n"
    "HS-grad;Secondary;Without-Post-Secondary;*\nSome-college;Some-college;Post-Secondary;*\n"
    "Assoc-voc;Associate;Post-Secondary;*\nAssoc-acdm;Associate;Post-Secondary;*\n"
    "Prof-school;University;Post-Secondary;*\nBachelors;University;Post-Secondary;*\n"
    "Masters;University;Post-Secondary;*\nDoctorate;University;Post-Secondary;*\n";
const char* const kMarital =
    "Married-civ-spouse;Spouse-present;Married;*\nMarried-AF-spouse;Spouse-present;Married;*\n"
    "Married-spouse-absent;Married-spouse-absent;Married;*\nNever-married;Never-married;Alone;*\n"
    "Divorced;Formerly-married;Alone;*\nWidowed;Formerly-married;Alone;*\n"
    "Separated;Formerly-married;Alone;*\n";
const char* const kRace =
    "White;White;*\nBlack;Non-white;*\nAsian-Pac-Islander;Non-white;*\n"
    "Amer-Indian-Eskimo;Non-white;*\nOther;Non-white;*\n";

Policy census_policy() {
  Policy policy = parse_policy(
      "columns:\n"
      "  age: {role: quasi-identifier, type: integer, hierarchy: {interval: [5, 10, 20]}}\n"
      "  workclass: {role: quasi-identifier}\n"
      "  education: {role: quasi-identifier}\n"
      "  marital-status: {role: quasi-identifier}\n"
      "  race: {role: quasi-identifier}\n"
      "  sex: {role: quasi-identifier}\n"
      "  native-country: {role: identifier}\n"
      "  salary-class: {role: identifier}\n"
      "  occupation: {role: sensitive}\n"
      "privacy:\n  - matching-l-diversity: {column: occupation, l: 6}\n",
      "bench", "");
  const char* const trees[] = {nullptr, kWorkclass, kEducation, kMarital, kRace};
  for (std::size_t i = 1; i < std::size(trees); ++i)
    policy.columns[i].generalization.hierarchy = HierarchyFile{policy.columns[i].name, trees[i]};
  return policy;
}

Policy patients_policy() {
  return parse_policy(
      "columns:\n"
      "  name: {role: identifier}\n"
      "  birth: {role: quasi-identifier, type: date, hierarchy: {date: [month, year, decade]}}\n"
      "  sex: {role: quasi-identifier}\n"
      "  zip: {role: quasi-identifier, hierarchy: {mask: right}}\n"
      "  job: {role: quasi-identifier}\n"
      "  diagnosis: {role: sensitive}\n"
      "privacy:\n  - matching-l-diversity: {column: diagnosis, l: 3}\n",
      "bench", "");
}

FrequencyList list_of(const std::string& name, std::size_t rows, double& seconds) {
  const Policy policy = name == "census" ? census_policy() : patients_policy();
  Table table;
  table.rows = rows;
  for (GeneratedColumn& column :
       name == "census" ? generate_census(rows, 1) : generate_patients(rows, 1)) {
    const ColumnPolicy& rule = *policy.find(column.name);
    if (rule.role == Role::identifier) continue;
    table.columns.push_back(
        encode({column.name, std::move(column.labels), std::move(column.codes)}, rule.type, {}));
  }
  const auto start = std::chrono::steady_clock::now();
  FrequencyList list = make_frequency_list(table, policy);
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return list;
}

template <typename Work>
double best_of_three(const Work& work) {
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(
        best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

void run(const std::string& name, const std::vector<std::size_t>& sizes) {
  struct Setting {
    const char* name;
    std::size_t max_items;
    MiningRules::Membership membership;
  };
  constexpr Setting settings[] = {{"1 item", 1, MiningRules::Membership::crisp},
                                  {"2 items", 2, MiningRules::Membership::crisp},
                                  {"3 items", 3, MiningRules::Membership::crisp},
                                  {"2 items, fuzzy", 2, MiningRules::Membership::fuzzy}};
  fmt::print("mining, {}, min-expectation 0.9; seconds\n", name);
  fmt::print("{:<16} {:>10} {:>9} {:>7} {:>8} {:>8} {:>8} {:>9} {:>11}\n", "setting", "records",
             "entries", "list", "mine", "ratio", "rules", "tested", "impossible");
  std::vector<FrequencyList> lists;
  std::vector<double> listing;
  for (const std::size_t rows : sizes) lists.push_back(list_of(name, rows, listing.emplace_back()));
  for (const Setting& setting : settings) {
    double before = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      MiningRules rules;
      rules.max_items = setting.max_items;
      rules.membership = setting.membership;
      Mined mined;
      const double seconds = best_of_three([&] { mined = mine_rules(lists[i], 0, rules); });
      const double impossible = best_of_three([&] { impossible_values(lists[i], mined.rules); });
      fmt::print("{:<16} {:>10} {:>9} {:>7.3f} {:>8.4f} {:>8} {:>8} {:>9} {:>11.4f}\n",
                 setting.name, sizes[i], lists[i].size(), listing[i], seconds,
                 before > 0 ? fmt::format("{:.1f}x", seconds / before) : "-", mined.rules.size(),
                 mined.tested, impossible);
      std::fflush(stdout);
      before = seconds;
    }
  }
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
  if (sizes.empty()) sizes = {45222, 100000, 1000000};
  throng::run(name, sizes);
}
