// Which classes of one release meet a class of another: share a value in every quasi-identifier.
//
// A class is a box, packed into few words so that two boxes are tested with some instructions a
// word. The boxes of a release stand in a tree: each node knows what covers all boxes below it, and
// a node that a query does not meet is passed over with all of them. Cuts are chosen where they
// part most boxes; those that a cut goes through are a third child, so that no box stands twice and
// memory is linear.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "release/release.h"

namespace throng {

// The boxes of one release, by class.
struct Boxes {
  std::vector<std::uint64_t> words;  // BoxCode::words() a class
  std::vector<std::uint32_t> sets;   // BoxCode::sets() a class: numbers of large sets
  std::size_t classes = 0;
};

// How boxes are packed. A domain of few values is a field of bits, one a value, and a spare one;
// fields share words. Of another `interval` or `tree` a word holds the ends of the range. A `set`
// of many values is a field of buckets of values, which tells only when two sets cannot meet, and
// its values are kept beside it.
class BoxCode {
 public:
  // The domains must be those of all releases that are packed.
  explicit BoxCode(const Release& release);

  std::size_t words() const { return words_.size(); }
  std::size_t sets() const { return sets_; }
  std::size_t columns() const { return places_.size(); }

  Boxes pack(const Release& release);

  // Words as they are asked for: of a range the ends change their places.
  void make_query(const std::uint64_t* box, std::uint64_t* query) const;
  bool meet(const std::uint64_t* query, const std::uint64_t* box) const {
    for (std::size_t i = 0; i < ranges_begin_; ++i) {
      if ((((query[i] & box[i]) + words_[i].fill) & words_[i].tops) != words_[i].tops) return false;
    }
    for (std::size_t i = ranges_begin_; i < words_.size(); ++i) {
      if ((((box[i] | kRangeTops) - query[i]) & kRangeTops) != kRangeTops) return false;
    }
    return true;
  }
  // What the words could not tell: whether the large sets meet.
  bool sets_meet(const std::uint32_t* a, const std::uint32_t* b) const;

  // `box` becomes what covers it and `other`.
  void cover(std::uint64_t* box, const std::uint64_t* other) const;
  // The first and the last position (of a field of buckets: bucket) in a column.
  struct Range {
    std::uint32_t low = 0, high = 0;
  };
  Range range(const std::uint64_t* box, std::size_t column) const;

 private:
  static constexpr std::uint64_t kRangeTops = 0x8000000080000000ULL;

  struct Word {
    std::uint64_t tops = 0;  // the spare bit of each field
    std::uint64_t fill = 0;  // all its other bits: added to a field that is not empty, they carry
    unsigned used = 0;       // bits
  };
  struct Place {
    enum class Kind { field, buckets, range };
    Kind kind = Kind::field;
    std::size_t word = 0;
    unsigned shift = 0, width = 0;  // of a field, without its spare bit
    std::size_t domain = 0;         // its size
  };

  std::uint64_t bits_of(const Place& place, const Domain& domain, const Region& region) const;
  std::uint32_t number_of_set(const Region& region);

  std::vector<Place> places_;  // by quasi-identifier
  std::vector<Word> words_;    // fields first
  std::size_t ranges_begin_ = 0;
  std::size_t sets_ = 0;
  std::map<std::vector<Code>, std::uint32_t> numbers_;  // of large sets; 0 is everything
  std::vector<const std::vector<Code>*> set_members_;   // by number
};

class OverlapTree {
 public:
  // Time n log² n of n boxes. Both must outlive the tree.
  OverlapTree(const BoxCode& code, const Boxes& boxes);

  // Puts the classes that meet `box` of `of` into `found`, ascending. Returns how many boxes, of
  // classes and of nodes, were compared.
  std::uint64_t find(const Boxes& of, std::uint32_t box, std::vector<std::uint32_t>& found) const;

 private:
  struct Node {
    std::uint32_t after = 0;             // the node that follows all below this one
    std::uint32_t begin = 0, count = 0;  // of a leaf: its boxes in order_
  };

  void build(std::span<std::uint32_t> order);
  // Reorders, and gives the sizes of the children: two or three, all at least 1 and at most 7/8.
  std::vector<std::size_t> split(std::span<std::uint32_t> order);
  const std::uint64_t* box(std::uint32_t number) const {
    return boxes_.words.data() + number * code_.words();
  }

  const BoxCode& code_;
  const Boxes& boxes_;
  std::vector<std::uint32_t> order_;         // classes, leaf by leaf
  std::vector<std::uint64_t> words_;         // their boxes, in this order
  std::vector<Node> nodes_;                  // each before those below it
  std::vector<std::uint64_t> node_words_;    // what covers them
  std::vector<std::uint32_t> lows_, highs_;  // scratch of split()
};

}  // namespace throng
