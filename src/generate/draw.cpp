#include "generate/draw.h"

#include <numeric>
#include <stdexcept>

namespace throng {

void WeightedDraw::add_context(const std::vector<Weight>& weights) {
  const Weight total = std::accumulate(weights.begin(), weights.end(), Weight{0});
  if (total == 0) throw std::logic_error("a draw from values that all have the weight 0");
  const std::size_t first = slots_.size();
  slots_.resize(first + values_);
  // A slot holds `total`; a value brings its weight times the number of slots.
  std::vector<Weight> left(weights);
  std::vector<std::size_t> light, heavy;
  for (std::size_t value = 0; value < values_; ++value) {
    left[value] *= values_;
    (left[value] < total ? light : heavy).push_back(value);
  }
  while (!light.empty() && !heavy.empty()) {
    const std::size_t small = light.back(), large = heavy.back();
    light.pop_back();
    // A quotient of doubles is rounded in one way everywhere, and the factor is a power of two.
    const double share = static_cast<double>(left[small]) / static_cast<double>(total);
    slots_[first + small] = {static_cast<std::uint32_t>(share * 0x1.0p32),
                             static_cast<Drawn>(large)};
    left[large] -= total - left[small];
    if (left[large] >= total) continue;
    heavy.pop_back();
    light.push_back(large);
  }
  // Sums of whole numbers are exact: no light value is left, and what is left fills its slot.
  for (const std::size_t value : heavy) slots_[first + value] = {0, static_cast<Drawn>(value)};
}

std::vector<Weight> along(std::initializer_list<Point> points) {
  std::vector<Weight> weights;
  const Point* before = points.begin();
  for (const Point& point : points) {
    const std::size_t length = point.at - before->at;
    for (std::size_t step = weights.empty() ? 0 : 1; step <= length; ++step) {
      const Weight weight = 100 * (before->weight * (length - step) + point.weight * step);
      weights.push_back(length == 0 ? 100 * point.weight : weight / length);
    }
    before = &point;
  }
  return weights;
}

std::vector<std::uint8_t> bands(std::initializer_list<std::size_t> bounds, std::size_t last) {
  std::vector<std::uint8_t> result(last + 1, 0);
  for (std::size_t value = 0; value <= last; ++value) {
    const auto above = std::upper_bound(bounds.begin(), bounds.end(), value);
    result[value] =
        static_cast<std::uint8_t>(above == bounds.begin() ? 0 : above - bounds.begin() - 1);
  }
  return result;
}

}  // namespace throng
