#include "hierarchy/hierarchy.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "table/value.h"
#include "throng/error.h"

namespace throng {
namespace {

constexpr Hierarchy::Node kNone = std::numeric_limits<Hierarchy::Node>::max();

}  // namespace

Hierarchy::Hierarchy(const std::vector<std::vector<std::string>>& lines, Type type,
                     const std::string& date_format, const std::string& source,
                     const std::vector<std::size_t>& line_numbers,
                     const std::optional<std::string>& missing) {
  const auto place = [&](std::size_t line) {
    if (line < line_numbers.size()) return fmt::format("{}:{}", source, line_numbers[line]);
    return source;
  };
  if (lines.empty())
    throw InputError(source + ": the hierarchy is empty; expected one line a leaf");
  height_ = lines[0].size();

  // Nodes by label, children in the order in which they are met, and the leaf of each line.
  std::vector<Value> leaf_values;  // by node; only leaves' are used
  std::vector<Node> line_nodes(lines.size() * height_);
  const auto node_of = [&](const std::string& label) {
    const auto [found, is_new] = by_label_.try_emplace(label, static_cast<Node>(nodes_.size()));
    if (is_new) {
      nodes_.push_back(
          {.label = label, .parent = kNone, .first = 0, .last = 0, .loss = 0, .children = {}});
      leaf_values.emplace_back();
    }
    return found->second;
  };
  std::vector<char> leaf_seen;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& line = lines[i];
    if (line.size() != height_) {
      throw InputError(
          fmt::format("{}: the line of '{}' has {} levels where the first line has {}; expected "
                      "lines of one length",
                      place(i), line.empty() ? "" : line[0], line.size(), height_));
    }
    if (line.back() != "*") {
      throw InputError(
          fmt::format("{}: the line of '{}' ends in '{}'; expected the root '*' as its last level",
                      place(i), line[0], line.back()));
    }
    auto value = line[0] == missing ? Value{std::numeric_limits<double>::infinity(), line[0]}
                                    : parse_value(type, line[0], date_format);
    if (!value) {
      throw InputError(
          fmt::format("{}: the leaf '{}' is not {}, which the policy says the column is", place(i),
                      line[0], expected(type)));
    }
    Node previous = node_of(value->label);
    leaf_values[previous] = *value;
    leaf_seen.resize(nodes_.size(), 0);
    if (leaf_seen[previous]) {
      throw InputError(fmt::format("{}: the leaf '{}' stands twice", place(i), value->label));
    }
    leaf_seen[previous] = 1;
    line_nodes[i * height_] = previous;
    for (std::size_t level = 1; level < height_; ++level) {
      // A leaf repeated along its line in the file's own spelling (007;007;*) is still the leaf.
      const Node node = line[level] == line[0] ? line_nodes[i * height_] : node_of(line[level]);
      line_nodes[i * height_ + level] = node;
      if (node == previous) continue;
      if (nodes_[previous].parent == kNone) {
        nodes_[previous].parent = node;
        nodes_[node].children.push_back(previous);
      } else if (nodes_[previous].parent != node) {
        throw InputError(fmt::format(
            "{}: '{}' is under two parents, '{}' and '{}'; expected a tree", place(i),
            nodes_[previous].label, nodes_[nodes_[previous].parent].label, nodes_[node].label));
      }
      previous = node;
    }
  }
  root_ = by_label_.at("*");
  leaf_seen.resize(nodes_.size(), 0);
  // Ancestors must end at the root: a label that comes again above itself would make a circle.
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::size_t steps = 0;
    for (Node node = line_nodes[i * height_]; node != root_; node = nodes_[node].parent) {
      if (nodes_[node].parent == kNone || ++steps > height_) {
        throw InputError(fmt::format("{}: '{}' is its own ancestor; expected a tree", place(i),
                                     nodes_[node].label));
      }
    }
  }
  if (nodes_[root_].parent != kNone) {
    throw InputError(
        fmt::format("{}: '*' has the parent '{}'; expected the root '*' only at the end", source,
                    nodes_[nodes_[root_].parent].label));
  }
  for (Node node = 0; node < nodes_.size(); ++node) {
    if (leaf_seen[node] && !nodes_[node].children.empty()) {
      throw InputError(fmt::format("{}: '{}' is a leaf and also above '{}'; expected a tree",
                                   source, nodes_[node].label,
                                   nodes_[nodes_[node].children[0]].label));
    }
  }

  // Siblings stand in the order of their smallest leaf, so that leaves come as near to the order of
  // the values as the tree allows. Parents are met after their children when nodes are taken from
  // the leaves up, a level at a time.
  const auto smaller = [&](Node a, Node b) {
    if (type != Type::text) return leaf_values[a].number < leaf_values[b].number;
    return nodes_[a].label < nodes_[b].label;
  };
  std::vector<Node> smallest(nodes_.size(), kNone);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Node leaf = line_nodes[i * height_];
    for (Node node = leaf;; node = nodes_[node].parent) {
      if (smallest[node] == kNone || smaller(leaf, smallest[node])) smallest[node] = leaf;
      if (node == root_) break;
    }
  }
  for (Entry& entry : nodes_) {
    std::sort(entry.children.begin(), entry.children.end(),
              [&](Node a, Node b) { return smaller(smallest[a], smallest[b]); });
  }

  // Number the leaves from left to right, without recursion: a file may be deep.
  leaves_.type = type;
  std::vector<std::pair<Node, std::size_t>> path = {{root_, 0}};
  while (!path.empty()) {
    auto& [node, next] = path.back();
    if (next == 0) nodes_[node].first = static_cast<Code>(leaf_nodes_.size());
    if (nodes_[node].children.empty()) {
      leaf_nodes_.push_back(node);
      leaves_.labels.push_back(nodes_[node].label);
      if (leaves_.numeric()) leaves_.numbers.push_back(leaf_values[node].number);
    }
    if (next < nodes_[node].children.size()) {
      path.emplace_back(nodes_[node].children[next++], 0);
    } else {
      nodes_[node].last = static_cast<Code>(leaf_nodes_.size() - 1);
      path.pop_back();
    }
  }
  if (leaf_nodes_.size() > 1) {
    for (Entry& entry : nodes_) {
      entry.loss = static_cast<double>(entry.last - entry.first) /
                   static_cast<double>(leaf_nodes_.size() - 1);
    }
  }
  levels_.resize(height_ * leaf_nodes_.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Code position = nodes_[line_nodes[i * height_]].first;
    for (std::size_t level = 0; level < height_; ++level) {
      levels_[level * leaf_nodes_.size() + position] = line_nodes[i * height_ + level];
    }
  }
  // Lines may repeat a label at different levels. What generalizes a value must also generalize
  // every value that shares its label, so from each level to the next a label goes one way: that of
  // its first leaf.
  const auto at = [&](std::size_t level, Code position) -> Node& {
    return levels_[level * leaf_nodes_.size() + position];
  };
  for (std::size_t level = 1; level < height_; ++level) {
    for (Code position = 0; position < leaf_nodes_.size(); ++position) {
      at(level, position) = raised(at(level - 1, position), level);
    }
  }
}

std::optional<Hierarchy::Node> Hierarchy::find(std::string_view label) const {
  const auto found = by_label_.find(std::string(label));
  if (found == by_label_.end()) return std::nullopt;
  return found->second;
}

std::optional<Code> Hierarchy::find_leaf(std::string_view label) const {
  const auto node = find(label);
  if (!node || !is_leaf(*node)) return std::nullopt;
  return first(*node);
}

}  // namespace throng
