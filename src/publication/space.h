// The space of the quasi-identifiers, and boxes in it: what the records of a class span.
//
// A box is a few words in terms of value numbers (values.h), so that it stays true when domains
// grow. Numbers: the lowest and the highest value, and whether one is missing. Trees: two values
// whose lowest common node is that of all. Categories: a bit a value; where numbers are too high
// for the bits, they are folded by their remainder, and the box of a class has its exact list
// besides. Boxes of several classes (an index's nodes) have no lists: they are bounds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hierarchy/domain.h"
#include "publication/values.h"
#include "release/region.h"

namespace throng {

struct Box {
  // First a mask, a bit a quasi-identifier (by its remainder): the region was published as `*`.
  // A domain that grew later does not change what readers see.
  std::vector<std::uint64_t> words;
  // Of categories with folded bits: quasi-identifier, count, values ascending; and again.
  std::vector<Code> lists;
};

struct BoxView {
  const std::uint64_t* words = nullptr;
  std::span<const Code> lists;

  BoxView(const std::uint64_t* box_words, std::span<const Code> box_lists)
      : words(box_words), lists(box_lists) {}
  BoxView(const Box& box) : words(box.words.data()), lists(box.lists) {}  // NOLINT: a view of it
};

class Space {
 public:
  // How boxes are laid out. It is chosen once and kept: the measures are those of the domains then.
  struct Layout {
    struct Axis {
      Domain::Kind kind = Domain::Kind::set;
      std::uint32_t words = 1;
      double measure = 0;  // what a loss of 1 was: width, values − 1, leaves − 1
    };
    std::vector<Axis> axes;
  };
  static Layout choose(const std::vector<Domain>& domains, const std::vector<Domain::Kind>& kinds);

  // `values[i]` belongs to domains[i]; both must outlive the space.
  Space(const Layout& layout, const std::vector<Domain>& domains,
        const std::vector<const Values*>& values);

  std::size_t dimensions() const { return axes_.size(); }
  std::size_t words() const { return words_; }
  Code position(std::size_t axis, Code value) const { return axes_[axis].positions[value]; }

  Box empty() const;
  // A record is its values by quasi-identifier; more may follow.
  void add(Box& box, std::span<const Code> record) const;
  // Sets the mask by the domains of now: for a box that is to be published, or asked about.
  void mark(Box& box) const;
  // Makes `into` span `other` too; without lists.
  void join(std::uint64_t* into, const std::uint64_t* other) const;

  double loss(BoxView box, std::size_t axis) const;
  double loss(BoxView box) const;
  Region region(BoxView box, std::size_t axis) const;
  // Whether the regions of two classes meet, or are the same to a reader.
  bool overlaps(BoxView a, BoxView b) const;
  bool equal(BoxView a, BoxView b) const;
  // False only where no class below the node can overlap with the box, have its regions, or be it.
  bool may_overlap(const std::uint64_t* node, BoxView box) const;
  bool may_equal(const std::uint64_t* node, BoxView box) const;
  bool may_hold(const std::uint64_t* node, BoxView box) const;
  // Where a box lies along a quasi-identifier, for sorting.
  double middle(const std::uint64_t* box, std::size_t axis) const;

  // A record, resolved once for many questions.
  struct Query {
    struct Place {
      Code value = 0;
      Code position = 0;
      double number = 0;
      bool missing = false;
    };
    std::vector<Place> places;
  };
  Query query(std::span<const Code> record) const;
  // IL(e ∪ {r}) − IL(e) of a class e of `size` records.
  double increase(BoxView box, std::uint64_t size, const Query& query) const;
  // No more than the Σ over quasi-identifiers by which the loss of any class below the node grows.
  // What is above `enough` may be too little. `resolved` is of the same box, or null.
  double least_growth(const std::uint64_t* node, const Hierarchy::Node* resolved,
                      const Query& query, double enough) const;
  // The node of each tree that a box is in, for many questions about it.
  std::size_t trees() const { return trees_; }
  void resolve(const std::uint64_t* box, Hierarchy::Node* resolved) const;

  // The loss in terms of the layout's measures; times shrinkage(), it is at most the loss of now.
  double base_loss(BoxView box) const;
  double shrinkage() const { return shrinkage_; }

 private:
  struct Axis {
    Domain::Kind kind = Domain::Kind::set;
    std::uint32_t offset = 0, words = 1;
    Code capacity = 64;
    double measure = 0, base = 0;  // now, and in the layout
    double unit = 0;               // the loss of a measure of 1
    const Domain* domain = nullptr;
    const double* numbers = nullptr;  // by value
    Code missing = Values::kNone;
    std::vector<Code> positions;  // by value
    // What is asked of a tree, in little memory.
    struct TreeNode {
      Code first = 0, last = 0;
      Hierarchy::Node parent = 0;
      double loss = 0;
      bool holds(Code position) const { return first <= position && position <= last; }
    };
    std::vector<TreeNode> nodes;
    std::vector<Hierarchy::Node> leaves;  // by value
    bool is_tree() const { return !nodes.empty(); }
  };
  struct Range {
    Code low = Values::kNone, high = Values::kNone;
    bool missing = false;
    bool empty() const { return low == Values::kNone; }
  };
  static Range range_of(std::uint64_t word);
  static std::uint64_t word_of(const Range& range);
  static std::span<const Code> list_of(BoxView box, std::size_t axis);
  static bool has_bit(const std::uint64_t* bits, Code bit) {
    return ((bits[bit / 64] >> (bit % 64)) & 1) != 0;
  }

  Hierarchy::Node node_of(const Axis& axis, const Range& range) const;
  Range join_tree(const Axis& axis, const Range& a, const Range& b) const;
  std::size_t count(BoxView box, std::size_t axis) const;
  bool has(BoxView box, std::size_t axis, Code value) const;
  std::vector<Code> members(BoxView box, std::size_t axis) const;
  bool sets_meet(BoxView a, BoxView b, std::size_t axis) const;
  bool holds(const std::uint64_t* node, BoxView box, const Axis& axis) const;
  bool published_everything(BoxView box, std::size_t axis) const {
    return ((box.words[0] >> (axis % 64)) & 1) != 0;
  }

  std::vector<Axis> axes_;
  std::size_t words_ = 1;
  std::size_t trees_ = 0;
  double shrinkage_ = 1;
};

}  // namespace throng
