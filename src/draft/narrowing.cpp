#include "draft/narrowing.h"

#include <algorithm>
#include <numeric>

#include "table/random.h"
#include "table/sorted_keys.h"

namespace throng {
namespace {

constexpr std::size_t kShown = 3;

std::vector<KeyColumn> key_columns(const Table& table, const std::vector<std::size_t>& places) {
  std::vector<KeyColumn> columns;
  for (const std::size_t place : places) {
    const Column& column = table.columns[place];
    columns.push_back({&column.codes, {}, column.values.size()});
  }
  return columns;
}

// How sharp a set of columns is: by its unique records, and where those are as many, by its
// combinations.
struct Sharpness {
  std::size_t unique = 0, combinations = 0;
};

Sharpness sharpness(const Table& table, const std::vector<std::size_t>& places) {
  const SortedKeys keys(key_columns(table, places), table.rows);
  return {static_cast<std::size_t>(std::count(keys.counts().begin(), keys.counts().end(), 1U)),
          keys.size()};
}

// Of one column, by counting: a table may have many.
std::size_t unique_alone(const Column& column) {
  std::vector<std::uint32_t> counts(column.values.size(), 0);
  column.codes.visit([&](const auto& codes) {
    for (const auto code : codes) ++counts[code];
  });
  return static_cast<std::size_t>(std::count(counts.begin(), counts.end(), 1U));
}

std::vector<std::size_t> all_places(const Table& table) {
  std::vector<std::size_t> places(table.columns.size());
  std::iota(places.begin(), places.end(), 0);
  return places;
}

// Records drawn from the table in the order of their values, so that the order of the rows, which
// is that in which threads happened to read them, does not show in the draft.
Table sample_of(const Table& table, std::size_t size) {
  const SortedKeys sorted(key_columns(table, all_places(table)), table.rows);
  std::vector<std::size_t> taken;  // the combination of each record drawn
  Random random(0);
  std::size_t left = table.rows;
  for (std::size_t combination = 0; combination < sorted.size(); ++combination) {
    for (std::uint32_t copy = 0; copy < sorted.counts()[combination]; ++copy, --left) {
      if (random.below(left) < size - taken.size()) taken.push_back(combination);
    }
  }
  Table sample;
  sample.rows = taken.size();
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Dictionary& values = table.columns[i].values;
    const std::vector<Code> codes = sorted.column(i);
    Column column;
    column.values = values;
    column.codes = Codes(taken.size(), values.size());
    for (std::size_t row = 0; row < taken.size(); ++row) column.codes.set(row, codes[taken[row]]);
    sample.columns.push_back(std::move(column));
  }
  return sample;
}

// The places of the columns with most values, in ascending order.
std::vector<std::size_t> widest(const Table& table, std::size_t most) {
  std::vector<std::size_t> places = all_places(table);
  std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
    return table.columns[a].values.size() > table.columns[b].values.size();
  });
  if (places.size() > most) places.resize(most);
  std::sort(places.begin(), places.end());
  return places;
}

void add_subsets(const std::vector<std::size_t>& places, std::size_t size, std::size_t next,
                 std::vector<std::size_t>& chosen, std::vector<std::vector<std::size_t>>& subsets) {
  if (chosen.size() == size) {
    subsets.push_back(chosen);
    return;
  }
  for (; next < places.size(); ++next) {
    chosen.push_back(places[next]);
    add_subsets(places, size, next + 1, chosen, subsets);
    chosen.pop_back();
  }
}

// The subsets of `size` columns that are sharpest on `sample`, counted on `table`.
std::vector<Narrowing> sharpest(const Table& table, const Table& sample,
                                const std::vector<std::size_t>& places, std::size_t size) {
  std::vector<std::vector<std::size_t>> subsets;
  std::vector<std::size_t> chosen;
  add_subsets(places, size, 0, chosen, subsets);
  std::vector<std::pair<Sharpness, std::size_t>> order;
  order.reserve(subsets.size());
  for (const auto& subset : subsets) order.emplace_back(sharpness(sample, subset), order.size());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    if (a.first.unique != b.first.unique) return a.first.unique > b.first.unique;
    return a.first.combinations > b.first.combinations;
  });
  if (order.size() > kShown) order.resize(kShown);
  std::vector<Narrowing> result;
  for (const auto& [sharp, index] : order) {
    const bool whole = sample.rows == table.rows;
    result.push_back(
        {subsets[index], whole ? sharp.unique : sharpness(table, subsets[index]).unique});
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const Narrowing& a, const Narrowing& b) { return a.unique > b.unique; });
  return result;
}

}  // namespace

Narrowings narrow(const Table& table, std::size_t sample, std::size_t most) {
  Narrowings result;
  for (const std::size_t place : all_places(table)) {
    result.alone.push_back({{place}, unique_alone(table.columns[place])});
  }
  result.all = {all_places(table), sharpness(table, all_places(table)).unique};
  result.sample = std::min(sample, table.rows);
  const bool sampled = result.sample < table.rows;
  const Table drawn = sampled ? sample_of(table, result.sample) : Table{};
  const std::vector<std::size_t> places = widest(table, most);
  result.pairs = sharpest(table, sampled ? drawn : table, places, 2);
  result.triples = sharpest(table, sampled ? drawn : table, places, 3);
  return result;
}

}  // namespace throng
