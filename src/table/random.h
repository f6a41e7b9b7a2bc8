// Random order by a seed, the same on every machine.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace throng {

// splitmix64: each call gives 64 random bits; small, fast, and good enough to hide an order.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t operator()() {
    std::uint64_t bits = state_ += 0x9E3779B97F4A7C15ULL;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9ULL;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBULL;
    return bits ^ (bits >> 31);
  }
  // A number below `bound`, by its high bits: the bias is below bound / 2^64.
  std::uint64_t below(std::uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>((*this)()) * bound) >> 64);
  }
  // A number in [0, 1).
  double unit() { return static_cast<double>((*this)() >> 11) * 0x1.0p-53; }

 private:
  std::uint64_t state_;
};

template <typename Item>
void shuffle(std::vector<Item>& items, std::uint64_t seed) {
  Random random(seed);
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.below(i)]);
}

}  // namespace throng
