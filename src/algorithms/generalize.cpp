#include "algorithms/generalize.h"

#include <algorithm>
#include <numeric>

#include "algorithms/boxes.h"
#include "table/sorted_keys.h"

namespace throng {
namespace {

// Labels at a level as codes: nodes of a tree; without one, values, and 0 for everything.
std::size_t labels_of(const Domain& domain) {
  return domain.tree ? domain.tree->nodes() : domain.size();
}

}  // namespace

Region region_at_level(const Domain& domain, Code position, std::size_t level) {
  if (domain.tree) return region_of_node(domain, domain.tree->at_level(position, level));
  return level == 0 ? region_of_value(domain, position) : region_of_everything(domain);
}

GeneralizedList::GeneralizedList(const FrequencyList& list)
    : list_(list), levels_(list.domains.size(), 0), entry_of_(list.size()) {
  work_.positions = list.positions;
  work_.values = list.values;
  work_.sensitive = list.sensitive;
  work_.sensitive_sizes = list.sensitive_sizes;
  work_.weights = list.weights;
  work_.types = list.types;
  for (std::size_t column = 0; column < list.domains.size(); ++column) {
    const Domain& domain = list.domains[column];
    if (!domain.tree) continue;
    for (Code& label : work_.positions[column]) label = domain.tree->leaf(label);
  }
  std::iota(entry_of_.begin(), entry_of_.end(), 0);
}

std::vector<GeneralizedList::Run> GeneralizedList::runs() const {
  std::vector<Run> runs;
  for (std::uint32_t i = 0; i < work_.size(); ++i) {
    const bool same =
        i > 0 && std::all_of(work_.positions.begin(), work_.positions.end(),
                             [&](const auto& labels) { return labels[i] == labels[i - 1]; });
    if (!same) runs.push_back({i, i});
    runs.back().end = i + 1;
  }
  return runs;
}

std::size_t GeneralizedList::most_distinct() const {
  std::size_t best = list_.domains.size(), most = 0;
  for (std::size_t column = 0; column < list_.domains.size(); ++column) {
    if (levels_[column] + 1 >= list_.domains[column].levels()) continue;
    std::vector<char> seen(labels_of(list_.domains[column]), 0);
    std::size_t distinct = 0;
    for (const Code label : work_.positions[column]) {
      distinct += seen[label] ? 0 : 1;
      seen[label] = 1;
    }
    if (distinct > most) {
      most = distinct;
      best = column;
    }
  }
  return best;
}

void GeneralizedList::generalize(std::size_t column) {
  const Domain& domain = list_.domains[column];
  const std::size_t level = ++levels_[column];
  if (domain.tree) {
    // The label above is found by any leaf below.
    for (Code& label : work_.positions[column]) label = domain.tree->raised(label, level);
  } else {
    std::fill(work_.positions[column].begin(), work_.positions[column].end(), 0);
  }
  regroup();
}

void GeneralizedList::regroup() {
  const bool has_types = !work_.types.empty();
  std::vector<CodeColumn> columns;
  for (std::size_t i = 0; i < work_.positions.size(); ++i)
    columns.push_back({std::move(work_.positions[i]), labels_of(list_.domains[i])});
  for (std::size_t i = 0; i < work_.values.size(); ++i)
    columns.push_back({std::move(work_.values[i]), work_.sensitive_sizes[i]});
  if (has_types) {  // what the attacker knows of a record hangs on its exact values
    const std::size_t types = *std::max_element(work_.types.begin(), work_.types.end()) + 1;
    columns.push_back({std::move(work_.types), types});
  }
  const SortedKeys sorted = sort_columns(columns, work_.weights);
  for (std::size_t i = 0; i < work_.positions.size(); ++i) work_.positions[i] = sorted.column(i);
  for (std::size_t i = 0; i < work_.values.size(); ++i) {
    work_.values[i] = sorted.column(work_.positions.size() + i);
  }
  if (has_types) work_.types = sorted.column(columns.size() - 1);
  work_.weights = sorted.counts();
  for (std::uint32_t& entry : entry_of_) {
    if (entry != kSuppressed) entry = sorted.combination_of()[entry];
  }
}

void GeneralizedList::remove(const std::vector<char>& gone) {
  std::vector<std::uint32_t> place(work_.size(), kSuppressed);
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < work_.size(); ++i) {
    if (gone[i]) continue;
    place[i] = kept;
    for (auto& labels : work_.positions) labels[kept] = labels[i];
    for (auto& values : work_.values) values[kept] = values[i];
    work_.weights[kept] = work_.weights[i];
    if (!work_.types.empty()) work_.types[kept] = work_.types[i];
    ++kept;
  }
  for (auto& labels : work_.positions) labels.resize(kept);
  for (auto& values : work_.values) values.resize(kept);
  work_.weights.resize(kept);
  if (!work_.types.empty()) work_.types.resize(kept);
  for (std::uint32_t& entry : entry_of_) {
    if (entry != kSuppressed) entry = place[entry];
  }
}

ClassCollector::ClassCollector(const FrequencyList& list, bool tighten)
    : list_(list), tighten_(tighten), pools_(list.domains.size()) {
  partition_.class_of.assign(list.size(), kSuppressed);
  partition_.region_of.resize(list.domains.size());
}

void ClassCollector::add(const std::vector<std::uint32_t>& members, const Levels& levels) {
  const auto number = static_cast<std::uint32_t>(partition_.classes++);
  for (const std::uint32_t entry : members) partition_.class_of[entry] = number;
  std::vector<Code> positions;
  for (std::size_t column = 0; column < list_.domains.size(); ++column) {
    const Domain& domain = list_.domains[column];
    Region region = region_at_level(domain, list_.positions[column][members[0]], levels[column]);
    if (tighten_ && levels[column] > 0) {
      positions.clear();
      for (const std::uint32_t entry : members) positions.push_back(list_.positions[column][entry]);
      region = tight_region(domain, positions);
    }
    partition_.region_of[column].push_back(pools_[column].add(region));
  }
}

Partition ClassCollector::finish() && {
  for (RegionPool& pool : pools_) partition_.regions.push_back(std::move(pool).take());
  return std::move(partition_);
}

}  // namespace throng
