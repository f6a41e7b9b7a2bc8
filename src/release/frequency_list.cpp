#include "release/frequency_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "table/sorted_keys.h"
#include "throng/error.h"

namespace throng {
namespace {

// Entries and records are counted in 32 bits.
constexpr std::size_t kMostRecords = 4000000000;

}  // namespace

FrequencyList make_frequency_list(const Table& table, const Policy& policy) {
  FrequencyList list;
  if (table.rows > kMostRecords)
    throw InputError(
        fmt::format("the table has {} records; expected at most {}", table.rows, kMostRecords));
  list.records = table.rows;
  std::vector<KeyColumn> keys;
  std::vector<const Column*> guarded, other;
  for (const Column& column : table.columns) {
    const ColumnPolicy& rule = *policy.find(column.name);
    if (rule.role == Role::quasi_identifier) {
      list.layout.push_back({true, list.domains.size()});
      list.domains.push_back(make_domain(column.name, column.values, rule.generalization));
      const Domain& domain = list.domains.back();
      keys.push_back({&column.codes, positions_in(domain, column.values), domain.size()});
      continue;
    }
    list.layout.push_back({false, list.plain.size()});
    list.plain.push_back({column.name, rule.role, column.values, {}});
    const bool is_guarded =
        (policy.matching && policy.matching->column == column.name) ||
        std::any_of(policy.diversities.begin(), policy.diversities.end(),
                    [&](const Diversity& diversity) { return diversity.column == column.name; });
    (is_guarded ? guarded : other).push_back(&column);
  }
  // Quasi-identifiers lead, guarded columns follow, the rest comes last: the entries are then runs
  // of the sorted combinations.
  for (const auto* group : {&guarded, &other}) {
    for (const Column* column : *group) keys.push_back({&column->codes, {}, column->values.size()});
  }
  const SortedKeys sorted(keys, table.rows);

  const std::size_t quasi = list.domains.size();
  std::vector<std::vector<Code>> all;
  for (std::size_t i = 0; i < keys.size(); ++i) all.push_back(sorted.column(i));
  list.plain_weights = sorted.counts();
  list.entry_of.resize(sorted.size());
  std::vector<std::size_t> first;  // of each entry
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    bool is_new = i == 0;
    for (std::size_t column = 0; !is_new && column < quasi + guarded.size(); ++column) {
      is_new = all[column][i] != all[column][i - 1];
    }
    if (is_new) {
      first.push_back(i);
      list.weights.push_back(0);
    }
    list.weights.back() += list.plain_weights[i];
    list.entry_of[i] = static_cast<std::uint32_t>(first.size() - 1);
  }
  const auto at_entries = [&](const std::vector<Code>& codes) {
    if (other.empty()) return codes;
    std::vector<Code> result(first.size());
    for (std::size_t entry = 0; entry < first.size(); ++entry) result[entry] = codes[first[entry]];
    return result;
  };
  for (std::size_t i = 0; i < quasi; ++i) list.positions.push_back(at_entries(all[i]));
  for (std::size_t i = 0; i < guarded.size(); ++i) {
    list.sensitive.push_back(guarded[i]->name);
    list.sensitive_sizes.push_back(guarded[i]->values.size());
    list.values.push_back(at_entries(all[quasi + i]));
  }
  for (std::size_t i = quasi; i < keys.size(); ++i) {
    const std::size_t index = i - quasi;
    const Column* column = index < guarded.size() ? guarded[index] : other[index - guarded.size()];
    const auto plain = std::find_if(list.plain.begin(), list.plain.end(),
                                    [&](const auto& known) { return known.name == column->name; });
    plain->codes = std::move(all[i]);
  }
  return list;
}

FrequencyList some_entries(const FrequencyList& list, const std::vector<std::uint32_t>& entries) {
  FrequencyList some;
  const auto choose = [&](const std::vector<std::uint32_t>& all) {
    std::vector<std::uint32_t> chosen;
    if (all.empty()) return chosen;
    chosen.reserve(entries.size());
    for (const std::uint32_t entry : entries) chosen.push_back(all[entry]);
    return chosen;
  };
  some.domains = list.domains;
  for (const auto& positions : list.positions) some.positions.push_back(choose(positions));
  some.sensitive = list.sensitive;
  some.sensitive_sizes = list.sensitive_sizes;
  for (const auto& values : list.values) some.values.push_back(choose(values));
  some.weights = choose(list.weights);
  some.types = choose(list.types);
  for (const std::uint32_t weight : some.weights) some.records += weight;
  return some;
}

}  // namespace throng
