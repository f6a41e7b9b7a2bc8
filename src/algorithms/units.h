// The units of one dimension of a partition: what Mondrian may cut between.
//
// They are the values that occur; in a hierarchy, the children of the lowest node that covers the
// partition. Whatever the domain's size, they cost no more than the partition has entries: a large
// partition over many values has them in kMostUnits neighbouring bundles (unless `exact`), a small
// one looks its values up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "hierarchy/domain.h"

namespace throng {

class Units {
 public:
  // Entries of a partition that is small enough to sort its values at every step.
  static constexpr std::size_t kFewEntries = 1024;
  static constexpr std::uint64_t kMostUnits = 4096;

  // `positions` are those of the partition's entries, all within low..high.
  void make(const Domain& domain, Code low, Code high, const std::vector<Code>& positions,
            bool exact) {
    const std::size_t count = positions.size();
    lowest_ = low;
    range_ = std::uint64_t{high} - low + 1;
    starts_.clear();
    bundled_ = false;
    if (domain.tree) {
      for (const auto child : domain.tree->children(domain.tree->cover(low, high))) {
        if (domain.tree->last(child) >= low && domain.tree->first(child) <= high) {
          starts_.push_back(domain.tree->first(child));
        }
      }
      if (starts_.size() > 4 * count + 64) keep_occurring(positions);
      size_ = static_cast<std::uint32_t>(starts_.size());
    } else if (range_ <= 4 * count + 64 && range_ <= kMostUnits) {
      size_ = static_cast<std::uint32_t>(range_);
    } else if (count < kFewEntries || exact) {
      starts_ = positions;
      std::sort(starts_.begin(), starts_.end());
      starts_.erase(std::unique(starts_.begin(), starts_.end()), starts_.end());
      size_ = static_cast<std::uint32_t>(starts_.size());
    } else {
      bundled_ = true;
      size_ = static_cast<std::uint32_t>(std::min(range_, kMostUnits));
    }
  }

  std::uint32_t size() const { return size_; }
  // Whether some cuts between values were passed over.
  bool bundled() const { return bundled_; }

  // The unit of each position.
  void of(const std::vector<Code>& positions, std::vector<std::uint32_t>& units) const {
    units.resize(positions.size());
    const auto fill = [&](const auto& unit) {
      std::transform(positions.begin(), positions.end(), units.begin(), unit);
    };
    if (!starts_.empty()) {
      fill([this](Code position) { return looked_up(position); });
    } else if (bundled_) {
      fill([this](Code position) {
        return static_cast<std::uint32_t>(std::uint64_t{position - lowest_} * size_ / range_);
      });
    } else {
      fill([lowest = lowest_](Code position) { return position - lowest; });
    }
  }

 private:
  std::uint32_t looked_up(Code position) const {
    return static_cast<std::uint32_t>(std::upper_bound(starts_.begin(), starts_.end(), position) -
                                      starts_.begin() - 1);
  }

  // Of more children than entries, those that have one.
  void keep_occurring(const std::vector<Code>& positions) {
    std::vector<Code> occurring;
    occurring.reserve(positions.size());
    for (const Code position : positions) occurring.push_back(starts_[looked_up(position)]);
    std::sort(occurring.begin(), occurring.end());
    occurring.erase(std::unique(occurring.begin(), occurring.end()), occurring.end());
    starts_ = std::move(occurring);
  }

  Code lowest_ = 0;
  std::uint64_t range_ = 0;
  std::uint32_t size_ = 0;
  bool bundled_ = false;
  std::vector<Code> starts_;  // the first position of each unit, where they are looked up
};

}  // namespace throng
