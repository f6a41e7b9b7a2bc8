// What one column of a table can be specialized to: a tree from `*` down to its values. A cut takes
// just one node of every path; a specialization replaces a node of the cut by its children.
//
// A column with a hierarchy has its nodes, a category without one has `*` and its values. A number
// or a date without a hierarchy is halved on the fly, each interval where it gains most; since the
// gain of a split depends on the records of the interval alone, so does the whole tree, and it is
// grown only where somebody asks. Nodes that no record is in are left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "policy/policy.h"
#include "release/region.h"

namespace throng {

// How often each value of a column occurs, and with which class: what gains are counted on.
struct Marginals {
  std::vector<std::uint64_t> records;  // by position
  std::vector<std::uint64_t> classes;  // by position and class; empty without a class column
  std::size_t class_count = 0;
};

class AttributeTree {
 public:
  using Node = std::uint32_t;
  static constexpr Node kRoot = 0;

  AttributeTree(const Domain& domain, Goal goal, Marginals marginals);

  const Domain& domain() const { return *domain_; }
  bool continuous() const { return domain_->kind == Domain::Kind::interval; }

  // The children of a node from left to right; none of a value. Grows the tree where it must.
  std::span<const Node> children(Node node);
  void grow();  // to its values; not for continuous columns
  // Those that somebody asked for.
  std::span<const Node> known_children(Node node) const { return nodes_[node].children; }
  std::uint64_t records(Node node) const { return nodes_[node].records; }
  Node parent(Node node) const { return nodes_[node].parent; }
  // The positions below, from the first to the last that occurs.
  Code low(Node node) const { return nodes_[node].low; }
  Code high(Node node) const { return nodes_[node].high; }
  Region region(Node node) const;

  // InfoGain of the paper, (2) and (3). Of discernibility it is counted in the partitions: 0 here.
  double gain(Node node);
  // What a specialization adds to the figure that the search as a whole makes large, and what
  // specializing all that lies below would add: distortion taken away, or bits about the class. 0
  // for discernibility.
  double benefit(Node node);
  double benefit_below(Node node);
  std::size_t nodes() const { return nodes_.size(); }

  // The number of cuts, as far as it can be counted; continuous columns: infinity.
  double cuts();

 private:
  struct Entry {
    Code low = 0, high = 0;
    Node parent = kRoot;
    bool opened = false, weighed = false;
    Hierarchy::Node node = 0;
    std::uint64_t records = 0;
    double gain = 0, benefit = 0, below = -1;
    std::vector<Node> children;
  };

  void open(Node node);
  void weigh(Node node);
  void add_child(Node parent, Code low, Code high, Hierarchy::Node node);
  void halve(Node node);
  double entropy(Code low, Code high) const;  // of the classes of positions low to high, in bits
  std::uint64_t records_in(Code low, Code high) const { return sums_[high + 1] - sums_[low]; }
  double length(Code low, Code high) const { return domain_->range_loss(low, high); }

  const Domain* domain_;
  Goal goal_;
  std::size_t class_count_;
  std::vector<std::uint64_t> sums_;        // of records, before each position
  std::vector<std::uint64_t> class_sums_;  // by class, before each position
  std::vector<Entry> nodes_;
};

}  // namespace throng
