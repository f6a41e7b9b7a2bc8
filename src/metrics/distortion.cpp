#include "metrics/distortion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace throng {
namespace {

std::size_t steps_to(const Hierarchy& tree, Code leaf, Hierarchy::Node node) {
  std::size_t steps = 0;
  for (Hierarchy::Node at = tree.leaf(leaf); at != node; at = tree.parent(at)) ++steps;
  return steps;
}

double categorical(const Schema::Quasi& column, const Region& region) {
  if (region.low == region.high && region.members.empty() && !region.everything) {
    // A node may have one leaf only.
    return column.domain.tree
               ? static_cast<double>(steps_to(*column.domain.tree, region.low, region.node))
               : 0;
  }
  if (!column.domain.tree) return 1;
  double records = 0, steps = 0, leaves = 0, plain_steps = 0;
  for (Code leaf = region.low; leaf <= region.high; ++leaf) {
    const auto count = static_cast<double>(column.records[leaf]);
    const auto each = static_cast<double>(steps_to(*column.domain.tree, leaf, region.node));
    records += count;
    steps += count * each;
    leaves += 1;
    plain_steps += each;
  }
  return records > 0 ? steps / records : plain_steps / leaves;
}

double continuous(const Schema::Quasi& column, const Region& region) {
  const Domain& domain = column.domain;
  if (region.low == region.high) return 0;
  if (!domain.tree) return loss_of(domain, region);
  const std::vector<double>& numbers = domain.values.numbers;
  // A missing value is the leaf that is no number.
  const auto is_missing = [&](double number) { return !std::isfinite(number); };
  const auto width = [&](std::size_t first, std::size_t last) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t i = first; i <= last; ++i) {
      if (is_missing(numbers[i])) continue;
      low = std::min(low, numbers[i]);
      high = std::max(high, numbers[i]);
    }
    return high - low;
  };
  if (std::any_of(numbers.begin() + region.low, numbers.begin() + region.high + 1, is_missing))
    return 1;
  const double range = width(0, domain.size() - 1);
  return range > 0 ? width(region.low, region.high) / range : 0;
}

}  // namespace

Distortion distortion_of(const Release& release, const Schema& schema) {
  Distortion result;
  if (release.rows() == 0) return result;
  std::vector<std::uint64_t> size_of(release.classes, 0);
  for (const std::uint32_t number : release.class_of_row) ++size_of[number];
  for (const Schema::Quasi& column : schema.quasi) {
    const auto quasi = std::find_if(
        release.quasi.begin(), release.quasi.end(),
        [&](const Release::Quasi& each) { return each.domain.name == column.domain.name; });
    std::vector<std::uint64_t> records(quasi->regions.size(), 0);
    for (std::size_t i = 0; i < release.classes; ++i) records[quasi->of_class[i]] += size_of[i];
    const bool is_number = column.domain.values.numeric();
    // Equal ones are summed as whole numbers, then in their order: the same sum from any file.
    std::map<double, std::uint64_t> records_of;
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (records[i] == 0) continue;
      records_of[is_number ? continuous(column, quasi->regions[i])
                           : categorical(column, quasi->regions[i])] += records[i];
    }
    double& sum = is_number ? result.continuous : result.categorical;
    for (const auto& [each, count] : records_of) sum += each * static_cast<double>(count);
  }
  result.categorical /= static_cast<double>(release.rows());
  result.continuous /= static_cast<double>(release.rows());
  return result;
}

}  // namespace throng
