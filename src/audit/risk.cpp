#include "audit/risk.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace throng {
namespace {

std::vector<std::uint64_t> records_of_classes(const Release& release) {
  std::vector<std::uint64_t> records(release.classes, 0);
  for (const std::uint32_t number : release.class_of_row) ++records[number];
  return records;
}

// A class, its values with their counts: runs of the sorted pairs of class and value.
struct Run {
  std::uint32_t number = 0;
  Code value = 0;
  std::uint64_t count = 0;
};
std::vector<Run> runs_of(const Release& release, const Release::Plain& column) {
  std::vector<std::uint64_t> pairs(release.rows());
  for (std::size_t row = 0; row < release.rows(); ++row) {
    pairs[row] = (std::uint64_t{release.class_of_row[row]} << 32) | column.codes[row];
  }
  std::sort(pairs.begin(), pairs.end());
  std::vector<Run> runs;
  for (std::size_t begin = 0, end = 0; begin < pairs.size(); begin = end) {
    while (end < pairs.size() && pairs[end] == pairs[begin]) ++end;
    runs.push_back({static_cast<std::uint32_t>(pairs[begin] >> 32), static_cast<Code>(pairs[begin]),
                    end - begin});
  }
  return runs;
}

}  // namespace

Risk risk_of(const Release& release, double threshold) {
  Risk risk;
  if (release.rows() == 0) return risk;
  std::uint64_t above = 0, classes = 0;
  for (const std::uint64_t records : records_of_classes(release)) {
    if (records == 0) continue;
    ++classes;
    const double one = 1.0 / static_cast<double>(records);
    risk.prosecutor_highest = std::max(risk.prosecutor_highest, one);
    if (one > threshold) above += records;
    if (records == 1) ++risk.alone;
  }
  const auto rows = static_cast<double>(release.rows());
  risk.prosecutor_average = static_cast<double>(classes) / rows;
  risk.above_threshold = static_cast<double>(above) / rows;
  return risk;
}

PopulationRisk population_risk_of(const Release& release,
                                  const std::vector<std::uint64_t>& population_of_class,
                                  double threshold) {
  PopulationRisk risk;
  if (release.rows() == 0) return risk;
  const std::vector<std::uint64_t> records = records_of_classes(release);
  double right = 0, above = 0;
  for (std::size_t i = 0; i < release.classes; ++i) {
    if (records[i] == 0) continue;
    if (population_of_class[i] < records[i]) ++risk.uncovered;
    // Nobody is harder to find than among those who are surely there.
    const auto population = static_cast<double>(std::max(population_of_class[i], records[i]));
    risk.journalist_highest = std::max(risk.journalist_highest, 1 / population);
    if (1 / population > threshold) above += static_cast<double>(records[i]);
    right += static_cast<double>(records[i]) / population;
  }
  const auto rows = static_cast<double>(release.rows());
  risk.journalist_above_threshold = above / rows;
  risk.marketer = right / rows;
  return risk;
}

std::size_t recursive_diversity(const Release& release, const std::string& name, double c) {
  std::size_t least = 0;
  bool any = false;
  for (const Release::Plain& column : release.plain) {
    if (column.name != name) continue;
    const std::vector<Run> runs = runs_of(release, column);
    std::vector<std::uint64_t> counts;
    for (std::size_t begin = 0, end = 0; begin < runs.size(); begin = end) {
      counts.clear();
      for (; end < runs.size() && runs[end].number == runs[begin].number; ++end)
        counts.push_back(runs[end].count);
      std::sort(counts.begin(), counts.end());  // the rarest first: the tail grows as l shrinks
      std::uint64_t tail = 0;
      std::size_t l = counts.size();
      for (const std::uint64_t count : counts) {
        tail += count;
        if (static_cast<double>(counts.back()) < c * static_cast<double>(tail)) break;
        --l;
      }
      least = any ? std::min(least, l) : l;
      any = true;
    }
  }
  return least;
}

std::vector<Closeness> closeness_of(const Release& release) {
  std::vector<Closeness> result;
  const std::vector<std::uint64_t> records = records_of_classes(release);
  for (const Release::Plain& column : release.plain) {
    if (column.role != Role::sensitive) continue;
    Closeness& closeness = result.emplace_back();
    closeness.column = column.name;
    if (release.rows() == 0) continue;
    // Values that occur, in their order; what does not occur has no place in the order.
    std::vector<double> share(column.values.size(), 0);
    for (std::size_t row = 0; row < release.rows(); ++row) ++share[column.codes[row]];
    std::vector<double> before(share.size() + 1, 0);  // the sum of the shares of smaller values
    std::vector<std::size_t> rank(share.size() + 1, 0);
    for (std::size_t value = 0; value < share.size(); ++value) {
      share[value] /= static_cast<double>(release.rows());
      before[value + 1] = before[value] + share[value];
      rank[value + 1] = rank[value] + (share[value] > 0 ? 1 : 0);
    }
    // Σ over places of the order of |F_class − F|: between two values of a class F_class is
    // constant and F grows, so the sum is found from sums of F, split where F passes F_class.
    std::vector<double> cumulative, sums = {0};
    for (std::size_t value = 0; value < share.size(); ++value) {
      if (share[value] <= 0) continue;
      cumulative.push_back(before[value + 1]);
      sums.push_back(sums.back() + cumulative.back());
    }
    const auto gap = [&](std::size_t from, std::size_t to, double level) {
      const auto split = static_cast<std::size_t>(
          std::lower_bound(cumulative.begin() + static_cast<std::ptrdiff_t>(from),
                           cumulative.begin() + static_cast<std::ptrdiff_t>(to), level) -
          cumulative.begin());
      const double low = level * static_cast<double>(split - from) - (sums[split] - sums[from]);
      const double high = (sums[to] - sums[split]) - level * static_cast<double>(to - split);
      return low + high;
    };
    const std::vector<Run> runs = runs_of(release, column);
    for (std::size_t begin = 0, end = 0; begin < runs.size(); begin = end) {
      const auto size = static_cast<double>(records[runs[begin].number]);
      double in_class = 0, common = 0, moved = 0, level = 0;
      std::size_t place = 0;
      for (; end < runs.size() && runs[end].number == runs[begin].number; ++end) {
        const double own = static_cast<double>(runs[end].count) / size;
        in_class += std::abs(own - share[runs[end].value]);
        common += share[runs[end].value];
        moved += gap(place, rank[runs[end].value], level);
        place = rank[runs[end].value];
        level += own;
      }
      moved += gap(place, cumulative.size(), 1.0);
      closeness.equal = std::max(closeness.equal, (in_class + 1 - common) / 2);
      if (cumulative.size() > 1) {
        closeness.ordered =
            std::max(closeness.ordered, moved / static_cast<double>(cumulative.size() - 1));
      }
    }
  }
  return result;
}

}  // namespace throng
