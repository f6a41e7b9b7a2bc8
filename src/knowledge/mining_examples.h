// Random tables with random hierarchies, for tests.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "private_tables.h"

namespace throng::testing {

struct Made {
  Policy policy;
  Rows rows;
  FrequencyList list;
};

// A hierarchy over the values: each level joins some neighbours (or not even neighbours), lines may
// repeat labels, and nodes may have only one child.
inline std::string random_tree(std::vector<std::string> values, Random& random) {
  const std::size_t height = random.below(4);
  if (random.below(3) == 0) shuffle(values, random());
  std::vector<std::vector<std::string>> lines;
  std::vector<std::size_t> group(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    group[i] = i;
    lines.push_back({values[i]});
  }
  for (std::size_t level = 1; level <= height; ++level) {
    std::vector<std::size_t> next(values.size(), 0);
    for (std::size_t i = 1; i < values.size(); ++i)
      next[i] = next[i - 1] + (group[i] != group[i - 1] && random.below(2) == 0 ? 1 : 0);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto in_old = std::count(group.begin(), group.end(), group[i]);
      const auto in_new = std::count(next.begin(), next.end(), next[i]);
      // What did not grow is the same node, or an only child of a new one.
      const bool same = in_old == in_new && (group[i] + level) % 2 == 0;
      lines[i].push_back(same ? lines[i].back() : fmt::format("L{}.{}", level, next[i]));
    }
    group = next;
  }
  std::string text;
  for (auto& line : lines) {
    line.emplace_back("*");
    text += fmt::format("{}\n", fmt::join(line, ";"));
  }
  return text;
}

inline Made make_table(std::uint64_t seed) {
  Random random(seed);
  Made made;
  made.policy = parse_policy(
      "columns:\n"
      "  number: {role: quasi-identifier, type: integer}\n"
      "  word: {role: quasi-identifier}\n"
      "  tree: {role: quasi-identifier}\n"
      "  years: {role: quasi-identifier, type: integer, hierarchy: {interval: [3, 6]}}\n"
      "  s: {role: sensitive}\n"
      "privacy:\n  - matching-l-diversity: {column: s, l: 2}\n",
      "policy", "");
  const std::size_t leaves = 1 + random.below(6), numbers = 1 + random.below(9);
  std::vector<std::string> words, years;
  for (std::size_t i = 0; i < leaves; ++i) words.push_back(fmt::format("w{}", i));
  for (std::size_t i = 0; i < numbers; ++i)
    years.push_back(std::to_string(random.below(2) == 0 ? 20 + i : 20 + i * i));
  std::sort(years.begin(), years.end());
  years.erase(std::unique(years.begin(), years.end()), years.end());
  const auto set_tree = [&](const char* name, const std::vector<std::string>& values) {
    for (ColumnPolicy& column : made.policy.columns) {
      if (column.name == name)
        column.generalization.hierarchy = HierarchyFile{"tree", random_tree(values, random)};
    }
  };
  set_tree("tree", words);
  if (random.below(2) == 0) set_tree("years", years);
  const bool some_missing = random.below(4) == 0;
  made.rows = {{"number", "word", "tree", "years", "s"}};
  const std::size_t count = 1 + random.below(60), values = 1 + random.below(5);
  for (std::size_t i = 0; i < count; ++i) {
    const auto missing = [&] { return some_missing && random.below(8) == 0; };
    const std::size_t word = random.below(leaves), year = random.below(years.size());
    std::size_t value = random.below(1 + random.below(values));
    if (random.below(2) == 0) value = (word + year) % values;  // so that there is something to find
    made.rows.push_back({missing() ? "" : std::to_string(random.below(4)),
                         missing() ? "" : fmt::format("v{}", random.below(3)),
                         missing() ? "" : words[word], missing() ? "" : years[year],
                         fmt::format("s{}", value)});
  }
  made.list = make_frequency_list(table_of(made.rows, made.policy), made.policy);
  return made;
}

}  // namespace throng::testing
