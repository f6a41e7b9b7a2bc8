// The blocks of a release as a tree: one level a join column, the values below a node in their
// order. It finds those that meet a cover by their ends, in logarithmic time and that of what it
// finds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "audit/projection.h"

namespace throng {

class BlockIndex {
 public:
  // `values[level][block]`, for blocks in the order of their values, and what each value covers.
  BlockIndex(std::size_t levels, std::size_t blocks,
             const std::vector<std::vector<std::uint32_t>>& values,
             const std::function<Cover(std::size_t level, std::uint32_t value)>& cover) {
    std::vector<std::uint32_t> begin(1, 0);  // of the nodes above: their blocks
    for (std::size_t column = 0; column < levels; ++column) {
      Level level;
      std::vector<std::uint32_t> next;
      for (std::size_t node = 0; node < begin.size(); ++node) {
        const std::size_t end = node + 1 < begin.size() ? begin[node + 1] : blocks;
        level.begin.push_back(static_cast<std::uint32_t>(next.size()));
        for (std::uint32_t block = begin[node]; block < end; ++block) {
          if (block > begin[node] && values[column][block] == values[column][block - 1]) continue;
          next.push_back(block);
          level.block.push_back(block);
          const Cover covered = cover(column, values[column][block]);
          level.low.push_back(covered.low);
          level.high.push_back(covered.high);
        }
      }
      level.begin.push_back(static_cast<std::uint32_t>(next.size()));
      level.highest = level.high;
      for (std::size_t node = 0; node + 1 < level.begin.size(); ++node)
        bound(level, level.begin[node], level.begin[node + 1]);
      levels_.push_back(std::move(level));
      begin = std::move(next);
    }
    leaves_ = std::move(begin);
    leaves_.push_back(static_cast<std::uint32_t>(blocks));
  }

  // Adds the blocks whose value at each level meets the range that `wanted(level)` gives and passes
  // `test(level, block)`; what `test` sees is counted in `touched`.
  template <typename Wanted, typename Test>
  void search(const Wanted& wanted, const Test& test, std::vector<std::uint32_t>& found,
              std::uint64_t& touched) const {
    descend(0, 0, wanted, test, found, touched);
  }

 private:
  struct Level {
    std::vector<std::uint32_t> begin;  // by node of the level above: its entries here
    std::vector<std::uint32_t> block;  // by entry: the first of its blocks
    std::vector<Code> low, high;
    std::vector<Code> highest;  // of the entries of which this is the middle
  };

  static Code bound(Level& level, std::size_t begin, std::size_t end) {
    if (begin >= end) return 0;
    const std::size_t middle = begin + (end - begin) / 2;
    const Code left = bound(level, begin, middle), right = bound(level, middle + 1, end);
    return level.highest[middle] = std::max({level.high[middle], left, right});
  }

  template <typename Wanted, typename Test>
  void descend(std::size_t depth, std::size_t node, const Wanted& wanted, const Test& test,
               std::vector<std::uint32_t>& found, std::uint64_t& touched) const {
    if (depth == levels_.size()) {
      for (std::uint32_t block = leaves_[node]; block < leaves_[node + 1]; ++block)
        found.push_back(block);
      return;
    }
    const Level& level = levels_[depth];
    const Cover range = wanted(depth);
    const auto visit = [&](std::size_t entry) {
      ++touched;
      if (test(depth, level.block[entry])) descend(depth + 1, entry, wanted, test, found, touched);
    };
    within_range(level, level.begin[node], level.begin[node + 1], range, visit);
  }

  template <typename Visit>
  static void within_range(const Level& level, std::size_t begin, std::size_t end,
                           const Cover& range, const Visit& visit) {
    if (begin >= end) return;
    const std::size_t middle = begin + (end - begin) / 2;
    if (level.highest[middle] < range.low) return;
    within_range(level, begin, middle, range, visit);
    if (level.low[middle] > range.high) return;
    if (level.high[middle] >= range.low) visit(middle);
    within_range(level, middle + 1, end, range, visit);
  }

  std::vector<Level> levels_;
  std::vector<std::uint32_t> leaves_;  // by node of the last level: its first block
};

}  // namespace throng
