// Drawing values by weights, and rows in blocks. Internal to the generate room.
#pragma once

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "table/codes.h"
#include "table/random.h"

namespace throng {

// Weights are whole numbers, so that the tables made of them are the same on every machine.
using Weight = std::uint64_t;
using Drawn = std::uint16_t;

// Draws one of `values` values by weights that depend on a context. One random number, one
// multiplication and one comparison a draw, however many values there are (Walker's alias method):
// each value has a slot of equal size, and what a light value leaves free of its slot goes to one
// heavy value.
class WeightedDraw {
 public:
  // `weight(context, value)`: a Weight; in each context at least one above 0.
  template <typename WeightOf>
  WeightedDraw(std::size_t contexts, std::size_t values, const WeightOf& weight) : values_(values) {
    slots_.reserve(contexts * values);
    std::vector<Weight> weights(values);
    for (std::size_t context = 0; context < contexts; ++context) {
      for (std::size_t value = 0; value < values; ++value) weights[value] = weight(context, value);
      add_context(weights);
    }
  }

  Drawn operator()(std::size_t context, Random& random) const {
    const std::uint64_t bits = random();
    const std::uint64_t value = ((bits >> 32) * values_) >> 32;
    const Slot& slot = slots_[context * values_ + value];
    return static_cast<std::uint32_t>(bits) < slot.share ? static_cast<Drawn>(value) : slot.other;
  }

 private:
  struct Slot {
    std::uint32_t share = 0;  // of the slot's own value, in 2^-32
    Drawn other = 0;
  };

  void add_context(const std::vector<Weight>& weights);

  std::uint64_t values_;
  std::vector<Slot> slots_;
};

// Weights along a line through points: `{17, 90}, {19, 150}` gives 17, 18 and 19 the weights 90,
// 120 and 150, all times 100. The points rise.
struct Point {
  std::size_t at;
  Weight weight;
};
std::vector<Weight> along(std::initializer_list<Point> points);

// For each of 0..last the number of the band that it lies in, where each bound begins a band and
// the first is 0 or lies below all that is asked for.
std::vector<std::uint8_t> bands(std::initializer_list<std::size_t> bounds, std::size_t last);

// Calls `make_row(random)`, which gives an array of `columns` values, once a row. A block of rows
// has its own randomness, made of the seed and its number: the threads that take the blocks leave
// no trace.
template <std::size_t columns, typename MakeRow>
std::array<Codes, columns> draw_rows(std::size_t rows, std::uint64_t seed,
                                     const std::array<std::size_t, columns>& domains,
                                     const MakeRow& make_row) {
  constexpr std::size_t kBlock = 1U << 14;
  std::array<Codes, columns> codes;
  for (std::size_t column = 0; column < columns; ++column)
    codes[column] = Codes(rows, domains[column]);
  const std::uint64_t mixed = Random(seed)();
  tbb::parallel_for(std::size_t{0}, (rows + kBlock - 1) / kBlock, [&](std::size_t block) {
    Random random(Random(mixed ^ block)());
    const std::size_t begin = block * kBlock;
    const std::size_t count = std::min(kBlock, rows - begin);
    std::vector<std::array<Drawn, columns>> drawn(count);
    for (auto& row : drawn) row = make_row(random);
    for (std::size_t column = 0; column < columns; ++column) {
      codes[column].visit([&](auto& to) {
        using Narrow = typename std::decay_t<decltype(to)>::value_type;
        for (std::size_t row = 0; row < count; ++row)
          to[begin + row] = static_cast<Narrow>(drawn[row][column]);
      });
    }
  });
  return codes;
}

}  // namespace throng
