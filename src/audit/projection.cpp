#include "audit/projection.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "table/value.h"
#include "throng/error.h"

namespace throng {
namespace {

bool has(const Cover& cover, Code position) {
  if (position < cover.low || position > cover.high) return false;
  return cover.members == nullptr ||
         std::binary_search(cover.members->begin(), cover.members->end(), position);
}

Cover cover_of(const Region& region) {
  return {region.low, region.high, region.members.empty() ? nullptr : &region.members};
}

// The range that all cover by their ends.
Cover common_range(std::span<const Cover> all) {
  Cover range = all.front();
  for (const Cover& cover : all) {
    range.low = std::max(range.low, cover.low);
    range.high = std::min(range.high, cover.high);
    if (range.members == nullptr) range.members = cover.members;
  }
  return range;
}

}  // namespace

bool meet(const Cover& one, const Cover& other) {
  if (one.low > other.high || other.low > one.high) return false;
  if (one.members == nullptr && other.members == nullptr) return true;
  const Cover& set = one.members != nullptr ? one : other;
  const Cover& second = one.members != nullptr ? other : one;
  return std::any_of(set.members->begin(), set.members->end(),
                     [&](Code position) { return has(second, position); });
}

bool within(const Cover& inner, const Cover& outer) {
  return common_within(std::span(&inner, 1), outer);
}

bool meet(std::span<const Cover> all) {
  const Cover range = common_range(all);
  if (range.low > range.high) return false;
  if (range.members == nullptr) return true;
  return std::any_of(range.members->begin(), range.members->end(), [&](Code position) {
    return std::all_of(all.begin(), all.end(),
                       [&](const Cover& cover) { return has(cover, position); });
  });
}

bool common_within(std::span<const Cover> all, const Cover& outer) {
  if (!meet(all)) return false;
  const Cover range = common_range(all);
  if (range.members != nullptr) {
    return std::all_of(range.members->begin(), range.members->end(), [&](Code position) {
      return has(outer, position) || !std::all_of(all.begin(), all.end(), [&](const Cover& cover) {
               return has(cover, position);
             });
    });
  }
  if (range.low < outer.low || range.high > outer.high) return false;
  if (outer.members == nullptr) return true;
  const auto begin = std::lower_bound(outer.members->begin(), outer.members->end(), range.low);
  const auto end = std::upper_bound(begin, outer.members->end(), range.high);
  return static_cast<std::size_t>(end - begin) == std::size_t{range.high} - range.low + 1;
}

void Ranks::refine(std::span<const std::uint32_t> values, std::size_t domain) {
  const std::size_t cells = count * domain;
  if (cells <= std::max<std::size_t>(4 * of.size(), 1024)) {
    std::vector<std::uint32_t> number(cells, 0);
    for (std::size_t i = 0; i < of.size(); ++i) number[of[i] * domain + values[i]] = 1;
    std::uint32_t next = 0;
    for (std::uint32_t& cell : number) {
      const std::uint32_t here = next;
      next += cell;
      cell = here;
    }
    for (std::size_t i = 0; i < of.size(); ++i) of[i] = number[of[i] * domain + values[i]];
    count = next;
    return;
  }
  std::vector<std::uint64_t> keys(of.size());
  for (std::size_t i = 0; i < of.size(); ++i) keys[i] = std::uint64_t{of[i]} << 32 | values[i];
  std::vector<std::uint64_t> sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  for (std::size_t i = 0; i < of.size(); ++i) {
    of[i] = static_cast<std::uint32_t>(std::lower_bound(sorted.begin(), sorted.end(), keys[i]) -
                                       sorted.begin());
  }
  count = sorted.size();
}

std::vector<std::uint32_t> Ranks::examples() const {
  std::vector<std::uint32_t> first(count);
  for (std::size_t i = of.size(); i-- > 0;) first[of[i]] = static_cast<std::uint32_t>(i);
  return first;
}

std::string Projection::Column::text(std::size_t value) const {
  if (plain != nullptr) return plain->values.labels[value];
  return write_region(quasi->domain, quasi->regions[regions[value]]);
}

std::optional<Cover> Projection::Column::find(const std::string& text, Region& storage) const {
  if (plain != nullptr) {
    const auto& labels = plain->values.labels;
    auto found = std::find(labels.begin(), labels.end(), text);
    if (found == labels.end() && plain->values.numeric()) {
      if (const auto value = parse_value(plain->values.type, text))
        found = std::find(labels.begin(), labels.end(), value->label);
    }
    if (found == labels.end()) return std::nullopt;
    const auto code = static_cast<Code>(found - labels.begin());
    return Cover{code, code, nullptr};
  }
  const Domain& domain = quasi->domain;
  if (domain.tree) {
    if (const auto node = domain.tree->find(text)) {
      return Cover{domain.tree->first(*node), domain.tree->last(*node), nullptr};
    }
  }
  if (const auto position = domain.find(text)) return Cover{*position, *position, nullptr};
  try {
    storage = read_region(domain, text);
  } catch (const InputError&) {
    // Without a hierarchy the domain may be what the releases happen to have.
    if (!domain.tree) return std::nullopt;
    throw InputError(
        fmt::format("'{}' is no value of column '{}' nor a label of its hierarchy", text, name));
  }
  return cover_of(storage);
}

std::optional<std::size_t> Projection::find(std::string_view name) const {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name == name) return i;
  }
  return std::nullopt;
}

Projection project(const Release& release, const std::vector<std::string>& names) {
  Projection result;
  result.rows = release.rows();
  std::vector<std::vector<std::uint32_t>> of_class;  // of each quasi-identifier: by class
  Ranks classes(release.classes);
  for (const std::string& name : names) {
    Projection::Column column;
    column.name = name;
    for (const Release::Quasi& quasi : release.quasi) {
      if (quasi.domain.name == name) column.quasi = &quasi;
    }
    for (const Release::Plain& plain : release.plain) {
      if (plain.name == name) column.plain = &plain;
    }
    if (column.quasi != nullptr) {
      const std::vector<Region>& regions = column.quasi->regions;
      std::vector<std::uint32_t> order(regions.size());
      std::iota(order.begin(), order.end(), 0U);
      std::sort(order.begin(), order.end(), [&](std::uint32_t one, std::uint32_t other) {
        return regions[one] < regions[other];
      });
      std::vector<std::uint32_t> value_of(regions.size());
      for (const std::uint32_t region : order) {
        if (column.regions.empty() || regions[column.regions.back()] != regions[region]) {
          column.regions.push_back(region);
          column.values.push_back(cover_of(regions[region]));
        }
        value_of[region] = static_cast<std::uint32_t>(column.regions.size() - 1);
      }
      of_class.emplace_back();
      for (const std::uint32_t region : column.quasi->of_class)
        of_class.back().push_back(value_of[region]);
      classes.refine(of_class.back(), column.values.size());
    } else if (column.plain != nullptr) {
      for (Code code = 0; code < column.plain->values.size(); ++code)
        column.values.push_back({code, code, nullptr});
    } else {
      continue;
    }
    result.columns.push_back(std::move(column));
  }

  Ranks records(release.rows());
  std::vector<std::uint32_t> values(release.rows());
  for (std::size_t row = 0; row < release.rows(); ++row)
    values[row] = classes.of[release.class_of_row[row]];
  records.refine(values, classes.count);
  for (const Projection::Column& column : result.columns) {
    if (column.plain == nullptr) continue;
    column.plain->codes.visit(
        [&](const auto& codes) { values.assign(codes.begin(), codes.end()); });
    records.refine(values, column.values.size());
  }
  result.weights.assign(records.count, 0);
  for (const std::uint32_t record : records.of) ++result.weights[record];
  const std::vector<std::uint32_t> examples = records.examples();
  std::size_t quasi = 0;
  for (Projection::Column& column : result.columns) {
    column.of.reserve(records.count);
    for (const std::uint32_t row : examples) {
      column.of.push_back(column.plain != nullptr ? column.plain->codes[row]
                                                  : of_class[quasi][release.class_of_row[row]]);
    }
    if (column.quasi != nullptr) ++quasi;
  }
  return result;
}

}  // namespace throng
