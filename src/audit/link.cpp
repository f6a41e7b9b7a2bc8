#include "audit/link.h"

#include <algorithm>
#include <numeric>

#include "audit/covering.h"
#include "table/sorted_keys.h"

namespace throng {
namespace {

// Records with the same quasi-identifiers are one point.
struct Points {
  std::vector<std::vector<Code>> positions;  // by quasi-identifier, by point
  std::vector<std::uint32_t> of;             // by record
};

Points points_of(const PrivateRecords& records, const std::vector<Domain>& domains) {
  std::vector<Codes> columns;
  std::vector<KeyColumn> keys;
  columns.reserve(domains.size());
  for (std::size_t i = 0; i < domains.size(); ++i) {
    columns.emplace_back(records.positions[i], domains[i].size());
    keys.push_back({&columns.back(), {}, domains[i].size()});
  }
  const std::size_t count = records.values.size();
  const SortedKeys sorted(keys, count, std::vector<std::uint32_t>(count, 1));
  Points points;
  for (std::size_t i = 0; i < domains.size(); ++i) points.positions.push_back(sorted.column(i));
  points.of = sorted.combination_of();
  return points;
}

// Sets of classes that are joined.
class Joined {
 public:
  explicit Joined(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  std::uint32_t find(std::uint32_t number) {
    while (parent_[number] != number) number = parent_[number] = parent_[parent_[number]];
    return number;
  }
  bool join(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
    return a != b;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace

Linked link_records(const PrivateRecords& records, const std::vector<Release>& releases,
                    std::size_t plain) {
  Linked linked;
  linked.history.values = records.values;
  const std::size_t count = records.values.size();
  for (std::size_t i = 0; i < releases.size(); ++i) {
    const Release& release = releases[i];
    auto& class_of = linked.history.class_of.emplace_back(count, History::kAbsent);
    linked.astray.push_back(0);
    std::vector<Domain> domains;
    for (const Release::Quasi& column : release.quasi) domains.push_back(column.domain);
    const Points points = points_of(records, domains);
    const auto covering = covering_classes(release, points.positions);
    // A record is only in a class that has its value.
    std::vector<std::uint64_t> present(release.rows());
    for (std::size_t row = 0; row < release.rows(); ++row) {
      present[row] =
          (std::uint64_t{release.class_of_row[row]} << 32) | release.plain[plain].codes[row];
    }
    std::sort(present.begin(), present.end());
    present.erase(std::unique(present.begin(), present.end()), present.end());
    Joined joined(release.classes);
    for (std::size_t record = 0; record < count; ++record) {
      if (!records.is_in[i][record]) continue;
      for (const std::uint32_t number : covering[points.of[record]]) {
        const std::uint64_t pair = (std::uint64_t{number} << 32) | records.values[record];
        if (!std::binary_search(present.begin(), present.end(), pair)) continue;
        if (class_of[record] == History::kAbsent) {
          class_of[record] = number;
        } else if (joined.join(class_of[record], number)) {
          ++linked.joined;
        }
      }
      if (class_of[record] == History::kAbsent) ++linked.astray.back();
    }
    std::vector<std::int64_t> records_of(release.classes, 0);
    for (const std::uint32_t number : release.class_of_row) ++records_of[joined.find(number)];
    for (std::uint32_t& number : class_of) {
      if (number == History::kAbsent) continue;
      number = joined.find(number);
      --records_of[number];
    }
    linked.disagreeing += static_cast<std::size_t>(
        std::count_if(records_of.begin(), records_of.end(), [](std::int64_t n) { return n != 0; }));
  }
  return linked;
}

}  // namespace throng
