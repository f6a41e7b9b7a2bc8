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

  // `positions(i)` is the position of entry i of `count`; all are within low..high.
  template <typename Positions>
  void make(const Domain& domain, Code low, Code high, std::size_t count,
            const Positions& positions, bool exact) {
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
      if (starts_.size() > 4 * count + 64) keep_occurring(count, positions);
      size_ = static_cast<std::uint32_t>(starts_.size());
    } else if (range_ <= 4 * count + 64 && range_ <= kMostUnits) {
      size_ = static_cast<std::uint32_t>(range_);
    } else if (count < kFewEntries || exact) {
      for (std::size_t i = 0; i < count; ++i) starts_.push_back(positions(i));
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

  // The unit of a position that occurs.
  std::uint32_t of(Code position) const {
    if (!starts_.empty()) {
      return static_cast<std::uint32_t>(std::upper_bound(starts_.begin(), starts_.end(), position) -
                                        starts_.begin() - 1);
    }
    const std::uint64_t offset = position - lowest_;
    return static_cast<std::uint32_t>(bundled_ ? offset * size_ / range_ : offset);
  }

 private:
  // Of more children than entries, those that have one.
  template <typename Positions>
  void keep_occurring(std::size_t count, const Positions& positions) {
    std::vector<Code> occurring;
    for (std::size_t i = 0; i < count; ++i) occurring.push_back(starts_[of(positions(i))]);
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
