#include "audit/covering.h"

#include <algorithm>
#include <numeric>

namespace throng {
namespace {

// Comparisons that are not worth another cut.
constexpr std::size_t kFew = 2048;
// A cut must save at least this share of the comparisons.
constexpr double kWorth = 0.9;

struct Span {
  Code low = 0, high = 0;
};

class Search {
 public:
  Search(const Release& release, const std::vector<std::vector<Code>>& points)
      : release_(release), points_(points) {
    for (const Release::Quasi& column : release.quasi) {
      auto& spans = spans_.emplace_back();
      for (const Region& region : column.regions) spans.push_back(span_of(column.domain, region));
    }
    const std::size_t count = points.empty() ? 0 : points[0].size();
    result_.resize(count);
    std::vector<std::uint32_t> all(count), classes(release.classes);
    std::iota(all.begin(), all.end(), 0);
    std::iota(classes.begin(), classes.end(), 0);
    search(all, classes);
    for (auto& found : result_) std::sort(found.begin(), found.end());
  }

  std::vector<std::vector<std::uint32_t>> take() && { return std::move(result_); }

 private:
  static Span span_of(const Domain& domain, const Region& region) {
    if (region.everything) return {0, static_cast<Code>(domain.size())};
    if (domain.tree && region.low != region.high)
      return {domain.tree->first(region.node), domain.tree->last(region.node)};
    if (!region.members.empty()) return {region.members.front(), region.members.back()};
    return {region.low, region.high};
  }
  Span span(std::size_t column, std::uint32_t number) const {
    return spans_[column][release_.quasi[column].of_class[number]];
  }

  void compare(const std::vector<std::uint32_t>& points,
               const std::vector<std::uint32_t>& classes) {
    for (const std::uint32_t number : classes) {
      for (const std::uint32_t point : points) {
        bool covered = true;
        for (std::size_t column = 0; covered && column < spans_.size(); ++column) {
          const Code position = points_[column][point];
          const Span own = span(column, number);
          covered = own.low <= position && position <= own.high;
        }
        for (std::size_t column = 0; covered && column < spans_.size(); ++column) {
          covered = covers(release_.quasi[column].domain, release_.region(column, number),
                           points_[column][point]);
        }
        if (covered) result_[point].push_back(number);
      }
    }
  }

  void search(std::vector<std::uint32_t> points, std::vector<std::uint32_t> classes) {
    if (points.empty() || classes.empty()) return;
    const double whole = static_cast<double>(points.size()) * static_cast<double>(classes.size());
    double best = whole * kWorth;
    std::size_t best_column = spans_.size();
    Code best_cut = 0;  // points and regions up to it go left
    if (whole > kFew) {
      std::vector<Code> positions(points.size());
      for (std::size_t column = 0; column < spans_.size(); ++column) {
        for (std::size_t i = 0; i < points.size(); ++i) positions[i] = points_[column][points[i]];
        const auto middle = positions.begin() + static_cast<std::ptrdiff_t>(positions.size() / 2);
        std::nth_element(positions.begin(), middle, positions.end());
        // Below the median's value, or with it: one of them parts the points.
        for (const Code cut : {*middle == 0 ? Code{0} : *middle - 1, *middle}) {
          double left_points = 0, left = 0, right = 0;
          for (const Code position : positions) left_points += position <= cut ? 1 : 0;
          for (const std::uint32_t number : classes) {
            const Span own = span(column, number);
            left += own.low <= cut ? 1 : 0;
            right += own.high > cut ? 1 : 0;
          }
          const double cost =
              left_points * left + (static_cast<double>(points.size()) - left_points) * right;
          if (cost < best) {
            best = cost;
            best_column = column;
            best_cut = cut;
          }
        }
      }
    }
    if (best_column == spans_.size()) return compare(points, classes);
    std::vector<std::uint32_t> left_points, right_points, left, right;
    for (const std::uint32_t point : points) {
      (points_[best_column][point] <= best_cut ? left_points : right_points).push_back(point);
    }
    for (const std::uint32_t number : classes) {
      const Span own = span(best_column, number);
      if (own.low <= best_cut) left.push_back(number);
      if (own.high > best_cut) right.push_back(number);
    }
    points = {};
    classes = {};
    search(std::move(left_points), std::move(left));
    search(std::move(right_points), std::move(right));
  }

  const Release& release_;
  const std::vector<std::vector<Code>>& points_;
  std::vector<std::vector<Span>> spans_;  // by quasi-identifier, by region
  std::vector<std::vector<std::uint32_t>> result_;
};

}  // namespace

std::vector<std::vector<std::uint32_t>> covering_classes(
    const Release& release, const std::vector<std::vector<Code>>& points) {
  return Search(release, points).take();
}

}  // namespace throng
