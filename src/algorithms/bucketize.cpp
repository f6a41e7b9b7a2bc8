#include "algorithms/bucketize.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "throng/error.h"

namespace throng {

std::string value_name(const FrequencyList& list, std::size_t column, Code value) {
  for (const FrequencyList::Plain& plain : list.plain) {
    if (plain.name == list.sensitive[column]) return plain.values.labels[value];
  }
  return fmt::format("#{}", value);
}

void check_distinct(const FrequencyList& list, std::size_t column,
                    const std::vector<std::uint64_t>& counts, std::size_t l) {
  const std::string& name = list.sensitive[column];
  const std::uint64_t records = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  const auto distinct = counts.size() - static_cast<std::size_t>(std::count(
                                            counts.begin(), counts.end(), std::uint64_t{0}));
  if (distinct < l) {
    throw PrivacyError(
        fmt::format("l = {} cannot be met: column '{}' has only {} distinct values in {} records",
                    l, name, distinct, records));
  }
}

void check_largest_share(const FrequencyList& list, std::size_t column,
                         const std::vector<std::uint64_t>& counts, std::size_t l) {
  const std::uint64_t records = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  const auto largest = std::max_element(counts.begin(), counts.end());
  if (*largest * l <= records) return;
  throw PrivacyError(fmt::format(
      "l = {} cannot be met: '{}' of column '{}' has {} of {} records ({:.4g}), more than 1/{}; "
      "l could be at most {}",
      l, value_name(list, column, static_cast<Code>(largest - counts.begin())),
      list.sensitive[column], *largest, records,
      static_cast<double>(*largest) / static_cast<double>(records), l, records / *largest));
}

std::vector<Hopeless> hopeless_types(const RecordTypes& types,
                                     const std::vector<std::uint32_t>& weights, std::size_t l) {
  std::vector<std::uint64_t> counts(types.types.size(), 0);
  for (std::size_t entry = 0; entry < weights.size(); ++entry)
    counts[types.type_of[entry]] += weights[entry];
  MatchingTally tally(types);
  for (std::uint32_t type = 0; type < counts.size(); ++type) tally.add(type, counts[type]);
  std::vector<Hopeless> hopeless;
  for (const MatchingTally::Found& found : tally.remove_hopeless(l))
    hopeless.push_back({found.type, found.records, found.valid});
  return hopeless;
}

}  // namespace throng
