#include "audit/matching.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "audit/components.h"

namespace throng {
namespace {

// How many records of each type have each value.
class Assignment {
 public:
  explicit Assignment(const MatchingGroup& group)
      : group_(group),
        values_(static_cast<std::uint32_t>(group.value_counts.size())),
        has_(group.types.size(), std::vector<std::uint32_t>(values_, 0)),
        left_(group.value_counts) {}

  std::uint32_t has(std::size_t type, std::size_t value) const { return has_[type][value]; }

  // False: there is none.
  bool find() {
    if (take_given()) return true;
    for (auto& has : has_) std::fill(has.begin(), has.end(), 0U);
    left_ = group_.value_counts;
    for (std::uint32_t type = 0; type < group_.types.size(); ++type) {
      std::uint32_t missing = group_.types[type].count;
      // Whatever is left; then by others giving up theirs for something else.
      for (std::uint32_t value = 0; value < values_ && missing > 0; ++value) {
        if (group_.types[type].allowed[value] == 0) continue;
        const std::uint32_t taken = std::min(missing, left_[value]);
        has_[type][value] += taken;
        left_[value] -= taken;
        missing -= taken;
      }
      while (missing > 0) {
        const std::uint32_t given = augment(type, missing);
        if (given == 0) return false;
        missing -= given;
      }
    }
    return true;
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  bool take_given() {
    std::vector<std::uint32_t> total(values_, 0);
    for (std::size_t type = 0; type < group_.types.size(); ++type) {
      const MatchingGroup::Type& given = group_.types[type];
      if (given.has.size() != values_) return false;
      for (std::uint32_t value = 0; value < values_; ++value) {
        if (given.has[value] > 0 && given.allowed[value] == 0) return false;
        total[value] += given.has[value];
      }
      if (std::accumulate(given.has.begin(), given.has.end(), std::uint64_t{0}) != given.count)
        return false;
      has_[type] = given.has;
    }
    return total == group_.value_counts;
  }

  // A shortest path from the type to a value that is left: the type takes a value from another one,
  // which takes another, and so on. Gives how many records could go along it.
  std::uint32_t augment(std::uint32_t type, std::uint32_t wanted) {
    std::vector<std::uint32_t> taken_by(values_, kNone);  // by value
    std::vector<std::uint32_t> gives(group_.types.size(), kNone);
    std::vector<char> seen(group_.types.size(), 0);
    std::vector<std::uint32_t> queue = {type};
    seen[type] = 1;
    std::uint32_t end = kNone;
    for (std::size_t i = 0; i < queue.size() && end == kNone; ++i) {
      for (std::uint32_t value = 0; value < values_ && end == kNone; ++value) {
        if (group_.types[queue[i]].allowed[value] == 0 || taken_by[value] != kNone) continue;
        taken_by[value] = queue[i];
        if (left_[value] > 0) {
          end = value;
          break;
        }
        for (std::uint32_t other = 0; other < group_.types.size(); ++other) {
          if (seen[other] != 0 || has_[other][value] == 0) continue;
          seen[other] = 1;
          gives[other] = value;
          queue.push_back(other);
        }
      }
    }
    if (end == kNone) return 0;
    std::uint32_t count = std::min(wanted, left_[end]);
    for (std::uint32_t at = taken_by[end]; at != type; at = taken_by[gives[at]])
      count = std::min(count, has_[at][gives[at]]);
    left_[end] -= count;
    std::uint32_t at = taken_by[end];
    has_[at][end] += count;
    while (at != type) {
      const std::uint32_t given = gives[at];
      has_[at][given] -= count;
      at = taken_by[given];
      has_[at][given] += count;
    }
    return count;
  }

  const MatchingGroup& group_;
  std::uint32_t values_;
  std::vector<std::vector<std::uint32_t>> has_;  // by type, by value
  std::vector<std::uint32_t> left_;              // by value: not yet assigned
};

void check(const MatchingGroup& group) {
  std::uint64_t records = 0;
  for (const MatchingGroup::Type& type : group.types) {
    if (type.allowed.size() != group.value_counts.size())
      throw std::invalid_argument("a type of records says of every value whether it may have it");
    records += type.count;
  }
  if (records !=
      std::accumulate(group.value_counts.begin(), group.value_counts.end(), std::uint64_t{0}))
    throw std::invalid_argument("a group has as many values as records");
}

}  // namespace

Matching match_values(const MatchingGroup& group) {
  check(group);
  const std::size_t types = group.types.size(), values = group.value_counts.size();
  Matching matching;
  matching.valid.assign(types, std::vector<char>(values, 0));
  matching.valid_values.assign(types, 0);
  matching.allowed_values.assign(types, 0);
  for (std::size_t type = 0; type < types; ++type) {
    for (std::size_t value = 0; value < values; ++value) {
      if (group.value_counts[value] > 0 && group.types[type].allowed[value] != 0)
        ++matching.allowed_values[type];
    }
  }
  Assignment assignment(group);
  if (!assignment.find()) {
    matching.contradiction = true;
    return matching;
  }
  std::vector<std::vector<char>> leads(values, std::vector<char>(values, 0));
  for (std::size_t type = 0; type < types; ++type) {
    for (std::size_t from = 0; from < values; ++from) {
      if (assignment.has(type, from) == 0) continue;
      for (std::size_t to = 0; to < values; ++to)
        leads[from][to] = static_cast<char>(leads[from][to] | group.types[type].allowed[to]);
    }
  }
  std::vector<std::vector<std::uint32_t>> arcs(values);
  for (std::uint32_t from = 0; from < values; ++from) {
    for (std::uint32_t to = 0; to < values; ++to)
      if (leads[from][to] != 0 && group.value_counts[to] > 0) arcs[from].push_back(to);
  }
  const std::vector<std::uint32_t> component = strong_components(arcs);
  std::vector<char> has_one(values);  // by component
  for (std::size_t type = 0; type < types; ++type) {
    std::fill(has_one.begin(), has_one.end(), 0);
    for (std::size_t value = 0; value < values; ++value)
      if (assignment.has(type, value) > 0) has_one[component[value]] = 1;
    for (std::size_t value = 0; value < values; ++value) {
      if (group.types[type].allowed[value] == 0 || group.value_counts[value] == 0) continue;
      if (has_one[component[value]] == 0) continue;
      matching.valid[type][value] = 1;
      ++matching.valid_values[type];
    }
  }
  return matching;
}

}  // namespace throng
