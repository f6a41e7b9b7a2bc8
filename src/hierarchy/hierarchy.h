// A tree of values over one column, from its leaves to the root `*`.
//
// Leaves are numbered from left to right so that the leaves below any node are consecutive: a node
// is a range of leaves, and the lowest node that covers a set of leaves is the one that covers its
// first and its last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "table/table.h"

namespace throng {

class Hierarchy {
 public:
  using Node = std::uint32_t;

  // One line a leaf: leaf, level 1, …, `*`. Lines have one length; a label repeated along a line is
  // one node. Leaves are spelled and ordered by `type`; `missing` is a leaf that need not be of it.
  // Throws InputError that begins with `source` and, where `line_numbers` are given, the line.
  Hierarchy(const std::vector<std::vector<std::string>>& lines, Type type,
            const std::string& date_format, const std::string& source,
            const std::vector<std::size_t>& line_numbers = {},
            const std::optional<std::string>& missing = {});

  // The leaves from left to right, as a dictionary; `missing` is never set.
  const Dictionary& leaves() const { return leaves_; }
  // Levels, with that of the leaves and that of the root.
  std::size_t height() const { return height_; }
  std::size_t nodes() const { return nodes_.size(); }

  Node root() const { return root_; }
  Node leaf(Code position) const { return leaf_nodes_[position]; }
  const std::string& label(Node node) const { return nodes_[node].label; }
  Code first(Node node) const { return nodes_[node].first; }
  Code last(Node node) const { return nodes_[node].last; }
  bool is_leaf(Node node) const { return nodes_[node].children.empty(); }
  Node parent(Node node) const { return nodes_[node].parent; }
  std::span<const Node> children(Node node) const { return nodes_[node].children; }

  // The node of a leaf at a level of the lines: 0 is the leaf, height() − 1 the root. Leaves that
  // share a node at a level share one at every level above.
  Node at_level(Code position, std::size_t level) const {
    return levels_[level * leaves_.size() + position];
  }
  // Where a node of the level before goes at a level: that of its first leaf, unless that one is
  // below it because its line is longer.
  Node raised(Node node, std::size_t level) const {
    const Node above = at_level(nodes_[node].first, level);
    return nodes_[above].first <= nodes_[node].first && nodes_[above].last >= nodes_[node].last
               ? above
               : node;
  }
  // The lowest node that covers the leaves `low` to `high`.
  Node cover(Code low, Code high) const {
    Node node = leaf_nodes_[low];
    while (nodes_[node].last < high || nodes_[node].first > low) node = nodes_[node].parent;
    return node;
  }
  // (leaves below the node − 1) / (leaves − 1); 0 in a tree of one leaf.
  double loss(Node node) const { return nodes_[node].loss; }

  std::optional<Node> find(std::string_view label) const;
  // The position of the leaf with this label.
  std::optional<Code> find_leaf(std::string_view label) const;

 private:
  struct Entry {
    std::string label;
    Node parent = 0;
    Code first = 0;
    Code last = 0;
    double loss = 0;
    std::vector<Node> children;
  };

  std::vector<Entry> nodes_;
  std::vector<Node> leaf_nodes_;
  std::vector<Node> levels_;  // height() rows of leaves().size()
  Dictionary leaves_;
  std::size_t height_ = 0;
  Node root_ = 0;
  std::unordered_map<std::string, Node> by_label_;
};

}  // namespace throng
