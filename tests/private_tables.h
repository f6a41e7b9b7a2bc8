// Small private tables for tests: written down, or random by a seed.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "policy/policy.h"
#include "release/frequency_list.h"
#include "table/encode.h"
#include "table/random.h"
#include "table/table.h"

namespace throng::testing {

using Rows = std::vector<std::vector<std::string>>;

// A table whose first row is the header, typed by the policy.
inline Table table_of(const Rows& rows, const Policy& policy) {
  Table table;
  table.rows = rows.size() - 1;
  for (std::size_t i = 0; i < rows[0].size(); ++i) {
    const ColumnPolicy& rule = *policy.find(rows[0][i]);
    if (rule.role == Role::identifier) continue;
    RawColumn raw{rows[0][i], {}, Codes(table.rows, 1U << 20)};
    for (std::size_t row = 1; row < rows.size(); ++row) {
      raw.codes.set(row - 1, static_cast<Code>(raw.texts.size()));
      raw.texts.push_back(rows[row][i]);
    }
    table.columns.push_back(encode(std::move(raw), rule.type, missing_rule(policy, rule)));
  }
  return table;
}

// A policy with the quasi-identifiers a (numbers), b (categories), c (a tree by masks) and the
// sensitive column s; `rest` holds privacy and algorithm.
inline Policy small_policy(const std::string& rest) {
  return parse_policy(
      "columns:\n"
      "  a: {role: quasi-identifier, type: integer}\n"
      "  b: {role: quasi-identifier}\n"
      "  c: {role: quasi-identifier, hierarchy: {mask: right}}\n"
      "  s: {role: sensitive}\n" +
          rest,
      "policy", "");
}

inline Rows random_rows(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  Rows rows = {{"a", "b", "c", "s"}};
  const std::uint64_t ages = 1 + random.below(30), jobs = 1 + random.below(7),
                      zips = 1 + random.below(30), values = 2 + random.below(6);
  for (std::size_t i = 0; i < count; ++i) {
    rows.push_back({std::to_string(20 + random.below(ages)),
                    std::string(1, static_cast<char>('p' + random.below(jobs))),
                    std::to_string(100 + random.below(zips) * 7),
                    "v" + std::to_string(random.below(1 + random.below(values)))});
  }
  return rows;
}

}  // namespace throng::testing
