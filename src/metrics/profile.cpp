#include "metrics/profile.h"

#include <algorithm>
#include <map>

#include "table/sorted_keys.h"

namespace throng {
namespace {

// 1, 2, …, 9, 10, 20, 50, 100, 200, …: the first size of each bin.
std::uint64_t next_bin(std::uint64_t from) {
  if (from < 10) return from + 1;
  std::uint64_t power = 10;
  while (power * 10 <= from) power *= 10;
  return from / power == 2 ? 5 * power : 2 * from;
}

// Records with the same regions in every column look alike, whatever group they are in.
std::vector<std::uint32_t> alike_in(const Published& published) {
  std::vector<CodeColumn> columns;
  for (const Published::Quasi& quasi : published.quasi)
    columns.push_back({quasi.of_entry, std::max<std::size_t>(1, quasi.regions.size())});
  if (columns.empty()) return {static_cast<std::uint32_t>(published.records)};
  return sort_columns(columns, published.weights).counts();
}

}  // namespace

std::vector<ColumnLoss> losses_of(const Release& release) {
  std::vector<std::uint64_t> size_of(release.classes, 0);
  for (const std::uint32_t number : release.class_of_row) ++size_of[number];
  std::vector<ColumnLoss> result;
  for (const Release::Quasi& column : release.quasi) {
    ColumnLoss& loss = result.emplace_back(ColumnLoss{column.domain.name, 0});
    // Equal losses are summed as whole numbers, then in their order: the same sum from any file.
    std::map<double, std::uint64_t> records_of_loss;
    for (std::size_t i = 0; i < release.classes; ++i)
      records_of_loss[loss_of(column.domain, column.regions[column.of_class[i]])] += size_of[i];
    for (const auto& [each, count] : records_of_loss)
      loss.loss += each * static_cast<double>(count);
    if (release.rows() > 0) loss.loss /= static_cast<double>(release.rows());
  }
  return result;
}

ClassSizes class_sizes_of(std::span<const std::uint32_t> sizes) {
  ClassSizes result;
  std::map<std::uint64_t, std::uint64_t> classes_of_size;
  std::uint64_t classes = 0, records = 0;
  for (const std::uint32_t size : sizes) {
    if (size == 0) continue;
    ++classes_of_size[size];
    ++classes;
    records += size;
  }
  if (classes == 0) return result;
  result.smallest = classes_of_size.begin()->first;
  result.largest = classes_of_size.rbegin()->first;
  result.average = static_cast<double>(records) / static_cast<double>(classes);
  std::uint64_t seen = 0;
  for (const auto& [size, count] : classes_of_size) {
    if (seen < (classes + 1) / 2) result.median = size;
    seen += count;
    result.squares +=
        static_cast<double>(size) * static_cast<double>(size) * static_cast<double>(count);
  }
  constexpr std::uint64_t kFew = 40;
  const bool each = result.largest - result.smallest < kFew;
  std::uint64_t from = each ? result.smallest : 1;
  for (; from <= result.largest; from = each ? from + 1 : next_bin(from)) {
    ClassSizes::Bin bin{from, each ? from : next_bin(from) - 1, 0, 0};
    if (bin.to < result.smallest) continue;
    for (auto at = classes_of_size.lower_bound(from);
         at != classes_of_size.end() && at->first <= bin.to; ++at) {
      bin.classes += at->second;
      bin.records += at->first * at->second;
    }
    result.bins.push_back(bin);
  }
  return result;
}

Exposure exposure_of(const Published& published, bool has_sensitive) {
  Exposure result;
  if (published.records == 0) return result;
  result.alike = alike_in(published);
  const auto records = static_cast<double>(published.records);
  std::uint64_t sets = 0;
  for (const std::uint32_t size : result.alike) {
    if (size == 0) continue;
    ++sets;
    result.highest = std::max(result.highest, 1.0 / size);
    if (size == 1) ++result.alone;
  }
  result.average = static_cast<double>(sets) / records;
  if (!has_sensitive) return result;
  // By group: where it is known of several sets that look alike, of all of them alike.
  std::uint64_t right = 0;
  double highest = 0;
  for (std::uint32_t group = 0; group < published.sizes.size(); ++group) {
    std::uint32_t most = 0;
    for (const Published::Count& count : published.counts(group))
      most = std::max(most, count.count);
    right += most;
    if (published.sizes[group] > 0)
      highest = std::max(highest, static_cast<double>(most) / published.sizes[group]);
  }
  result.guess_highest = highest;
  result.guess_average = static_cast<double>(right) / records;
  return result;
}

std::vector<RiskBand> risk_bands(const Exposure& before, const Exposure& after) {
  std::vector<RiskBand> bands;
  for (const std::uint64_t from : {1, 2, 3, 5, 10, 20, 50, 100, 1000}) {
    if (!bands.empty()) bands.back().to = from - 1;
    bands.push_back({from, {}, 0, 0});
  }
  const auto band_of = [&](std::uint32_t size) -> RiskBand& {
    return *std::find_if(bands.begin(), bands.end(), [size](const RiskBand& band) {
      return size >= band.from && size <= band.to.value_or(size);
    });
  };
  for (const std::uint32_t size : before.alike)
    if (size > 0) band_of(size).before += size;
  for (const std::uint32_t size : after.alike)
    if (size > 0) band_of(size).after += size;
  return bands;
}

}  // namespace throng
