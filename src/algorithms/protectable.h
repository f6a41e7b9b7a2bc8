// Runs an algorithm on the entries that some group can protect; the hopeless ones, who have too few
// valid values even in one class of everybody else (privacy/requirements.h), are suppressed. One of
// them in the table would otherwise keep every class from being cut.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "privacy/requirements.h"
#include "release/release.h"

namespace throng {

// `run(list, entries)` gives the partition of a list; its entries are those of the whole list.
template <typename Run>
Partition partition_protectable(const FrequencyList& list, const Requirements& requirements,
                                Run&& run) {
  std::vector<std::uint32_t> entries;
  const std::vector<char> hopeless = requirements.hopeless(list);
  if (hopeless.empty()) {
    entries.resize(list.size());
    std::iota(entries.begin(), entries.end(), 0);
    return run(list, entries);
  }
  for (std::uint32_t entry = 0; entry < list.size(); ++entry) {
    if (!hopeless[entry]) entries.push_back(entry);
  }
  Partition partition = run(some_entries(list, entries), entries);
  std::vector<std::uint32_t> class_of(list.size(), kSuppressed);
  for (std::size_t i = 0; i < entries.size(); ++i) class_of[entries[i]] = partition.class_of[i];
  partition.class_of = std::move(class_of);
  return partition;
}

}  // namespace throng
