// Boxes: what a set of entries spans in every quasi-identifier at once, in a few words of memory,
// so that two sets are joined by a handful of instructions and the loss of any cut is known without
// looking at entries again.
//
// Numbers and hierarchies keep their lowest and highest position. Categories of at most 256 values
// keep a bit a value; larger ones are measured by lowest and highest position, which is never less
// than their true loss.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "privacy/requirements.h"
#include "release/frequency_list.h"
#include "release/release.h"

namespace throng {

// How the boxes of one frequency list are laid out, and each entry's own box.
class BoxSpace {
 public:
  BoxSpace(const FrequencyList& list, const Requirements& requirements);

  // Whether BoxArray::may_meet() is the whole truth: only distinct values are asked for, and all of
  // them are counted.
  bool settles_everything() const { return settles_everything_; }

  // The positions of entries in a quasi-identifier.
  void positions(std::span<const std::uint32_t> entries, std::size_t dimension,
                 std::vector<Code>& result) const;

 private:
  friend class BoxArray;
  struct Dimension {
    bool bits = false;
    std::uint32_t slot = 0;  // of its range, in ranges_
    std::uint32_t word = 0;  // its first word, and how many
    std::uint32_t words = 0;
    std::uint64_t mask = 0;  // of its bits in the word, where it shares one
    unsigned shift = 0;
    double unit = 0;  // the loss of one more value
  };
  struct Sensitive {
    std::uint32_t word = 0;
    std::uint32_t needed = 1;  // distinct values
  };

  const FrequencyList* list_ = nullptr;
  std::vector<Dimension> dimensions_;
  std::vector<std::uint32_t> range_dimensions_;  // the quasi-identifier of each range
  std::vector<Sensitive> sensitive_;             // guarded columns of at most 64 values
  std::uint32_t words_ = 0;
  std::uint64_t k_ = 1;
  bool settles_everything_ = true;
  // All that is asked of an entry stands side by side, so that one look in memory fetches it: its
  // words, its positions in ranges (two a word), its weight.
  const std::uint64_t* record(std::uint32_t entry) const {
    return records_.data() + std::size_t{entry} * stride_;
  }
  static Code half(const std::uint64_t* words, std::size_t index) {
    return static_cast<Code>(words[index / 2] >> (32 * (index % 2)));
  }
  std::vector<std::uint64_t> records_;
  std::size_t stride_ = 0;
};

// Boxes in one piece of memory, made anew for each use without giving it back.
class BoxArray {
 public:
  // `count` empty boxes. With `weights_only`, add() counts records and nothing else.
  void reset(const BoxSpace& space, std::size_t count, bool weights_only = false);

  void add(std::size_t box, std::uint32_t entry) { add({&entry, 1}, {}, box); }
  // Adds each entry to the box that `box_of` has for it or, without `box_of`, all of them to `box`.
  void add(std::span<const std::uint32_t> entries, std::span<const std::uint32_t> box_of,
           std::size_t box = 0);
  // Makes `box` what boxes a and b span together.
  void join(std::size_t box, const BoxArray& with_a, std::size_t a, const BoxArray& with_b,
            std::size_t b);

  double weight(std::size_t box) const { return static_cast<double>(weights_[box]); }
  // Σ over quasi-identifiers of the loss, each between 0 and 1.
  double loss(std::size_t box) const;
  double loss(std::size_t box, std::size_t dimension) const;
  Code low(std::size_t box, std::size_t dimension) const;
  Code high(std::size_t box, std::size_t dimension) const;
  // False only where k, or the distinct values that every requirement needs, are out of reach.
  bool may_meet(std::size_t box) const;

 private:
  template <std::size_t fixed_words, std::size_t fixed_ranges>
  void add_fixed(std::span<const std::uint32_t> entries, std::span<const std::uint32_t> box_of,
                 std::size_t box);
  double range_loss(std::size_t box, std::size_t range) const;
  double bits_loss(std::size_t box, const BoxSpace::Dimension& dimension) const;

  const BoxSpace* space_ = nullptr;
  bool weights_only_ = false;
  std::vector<std::uint64_t> weights_;
  std::vector<std::uint64_t> words_;
  std::vector<Code> lows_, highs_;
};

inline void BoxArray::join(std::size_t box, const BoxArray& with_a, std::size_t a,
                           const BoxArray& with_b, std::size_t b) {
  weights_[box] = with_a.weights_[a] + with_b.weights_[b];
  const std::size_t words = space_->words_, ranges = space_->range_dimensions_.size();
  for (std::size_t i = 0; i < words; ++i) {
    words_[box * words + i] = with_a.words_[a * words + i] | with_b.words_[b * words + i];
  }
  for (std::size_t i = 0; i < ranges; ++i) {
    lows_[box * ranges + i] = std::min(with_a.lows_[a * ranges + i], with_b.lows_[b * ranges + i]);
    highs_[box * ranges + i] =
        std::max(with_a.highs_[a * ranges + i], with_b.highs_[b * ranges + i]);
  }
}

// The tightest region that covers the positions (any order, repeated or not).
Region tight_region(const Domain& domain, std::vector<Code>& positions);

// Classes with the tightest regions: class c holds the entries from `starts[c]` on in `order`. What
// is not in `order` is suppressed.
Partition tight_partition(const FrequencyList& list, const std::vector<std::uint32_t>& order,
                          std::vector<std::uint32_t> starts);

}  // namespace throng
