#include "algorithms/attribute_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace throng {

AttributeTree::AttributeTree(const Domain& domain, Goal goal, Marginals marginals)
    : domain_(&domain), goal_(goal), class_count_(marginals.class_count) {
  const std::size_t size = domain.size();
  sums_.assign(size + 1, 0);
  for (std::size_t i = 0; i < size; ++i) sums_[i + 1] = sums_[i] + marginals.records[i];
  class_sums_.assign((size + 1) * class_count_, 0);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t c = 0; c < class_count_; ++c) {
      class_sums_[(i + 1) * class_count_ + c] =
          class_sums_[i * class_count_ + c] + marginals.classes[i * class_count_ + c];
    }
  }
  nodes_.reserve(64);
  add_child(kRoot, 0, static_cast<Code>(size - 1), domain.tree ? domain.tree->root() : 0);
}

void AttributeTree::add_child(Node parent, Code low, Code high, Hierarchy::Node node) {
  const std::uint64_t records = records_in(low, high);
  if (records == 0) return;
  // To the first and the last that occur.
  const auto first = std::upper_bound(sums_.begin() + low, sums_.begin() + high + 1, sums_[low]);
  low = static_cast<Code>(first - sums_.begin()) - 1;
  const auto last =
      std::lower_bound(sums_.begin() + low, sums_.begin() + high + 1, sums_[high + 1]);
  high = static_cast<Code>(last - sums_.begin()) - 1;
  const auto number = static_cast<Node>(nodes_.size());
  if (number != kRoot) nodes_[parent].children.push_back(number);
  Entry& entry = nodes_.emplace_back();
  entry.low = low;
  entry.high = high;
  entry.parent = parent;
  entry.node = node;
  entry.records = records;
}

void AttributeTree::open(Node node) {
  if (nodes_[node].opened) return;
  nodes_[node].opened = true;
  const Entry at = nodes_[node];  // a copy: nodes_ grows
  if (domain_->tree) {
    for (const Hierarchy::Node child : domain_->tree->children(at.node))
      add_child(node, domain_->tree->first(child), domain_->tree->last(child), child);
  } else if (!continuous()) {
    if (node == kRoot && domain_->size() > 1) {
      for (Code value = at.low; value <= at.high; ++value) add_child(node, value, value, 0);
    }
  } else if (at.low < at.high) {
    halve(node);
  }
}

// Where the gain is largest; of equal gains the split that leaves the halves most alike, since
// intervals without a gain would else lose one value at a time.
void AttributeTree::halve(Node node) {
  const Code low = nodes_[node].low, high = nodes_[node].high;
  if (high == domain_->missing()) {  // the missing value is no number
    add_child(node, low, high - 1, 0);
    add_child(node, high, high, 0);
    return;
  }
  constexpr double kSame = 1e-12;
  double best = -1;
  std::uint64_t best_smaller = 0;
  Code at = low;
  const auto all = static_cast<double>(nodes_[node].records);
  for (Code last = low; last < high; ++last) {
    if (sums_[last + 1] == sums_[last]) continue;  // nobody has this value
    const std::uint64_t left = records_in(low, last), right = records_in(last + 1, high);
    const Code next = static_cast<Code>(
        std::upper_bound(sums_.begin() + last + 1, sums_.begin() + high + 2, sums_[last + 1]) -
        sums_.begin() - 1);
    double cost = 0;  // what the halves keep; the least is the best
    if (goal_ == Goal::classification) {
      cost = (static_cast<double>(left) * entropy(low, last) +
              static_cast<double>(right) * entropy(last + 1, high)) /
             all;
    } else if (goal_ == Goal::distortion) {
      cost = (static_cast<double>(left) * length(low, last) +
              static_cast<double>(right) * length(next, high)) /
             all;
    } else {
      const double a = static_cast<double>(left) / all, b = static_cast<double>(right) / all;
      cost = a * a + b * b;
    }
    const std::uint64_t smaller = std::min(left, right);
    if (best < 0 || cost < best - kSame || (cost < best + kSame && smaller > best_smaller)) {
      best = best < 0 ? cost : std::min(best, cost);
      best_smaller = smaller;
      at = last;
    }
  }
  add_child(node, low, at, 0);
  add_child(node, at + 1, high, 0);
}

std::span<const AttributeTree::Node> AttributeTree::children(Node node) {
  open(node);
  return nodes_[node].children;
}

void AttributeTree::grow() {
  for (Node node = 0; node < nodes_.size(); ++node) open(node);  // nodes_ grows on the way
}

Region AttributeTree::region(Node node) const {
  const Entry& at = nodes_[node];
  if (node == kRoot) return region_of_everything(*domain_);
  if (domain_->tree) return region_of_node(*domain_, at.node);
  return region_of_range(*domain_, at.low, at.high);
}

double AttributeTree::entropy(Code low, Code high) const {
  const auto all = static_cast<double>(records_in(low, high));
  double bits = 0;
  for (std::size_t c = 0; c < class_count_; ++c) {
    const std::uint64_t count =
        class_sums_[(high + 1) * class_count_ + c] - class_sums_[low * class_count_ + c];
    if (count == 0) continue;
    const double share = static_cast<double>(count) / all;
    bits -= share * std::log2(share);
  }
  return bits;
}

void AttributeTree::weigh(Node node) {
  if (nodes_[node].weighed) return;
  const std::vector<Node> below(children(node).begin(), children(node).end());
  Entry& at = nodes_[node];
  at.weighed = true;
  if (below.empty() || goal_ == Goal::discernibility) return;
  const auto all = static_cast<double>(at.records);
  if (goal_ == Goal::classification) {
    double rest = 0;
    for (const Node child : below) {
      rest += static_cast<double>(nodes_[child].records) / all *
              entropy(nodes_[child].low, nodes_[child].high);
    }
    at.gain = std::max(0.0, entropy(at.low, at.high) - rest);
    at.benefit = at.gain * all;
  } else if (continuous()) {
    double rest = 0;
    for (const Node child : below) {
      rest += static_cast<double>(nodes_[child].records) *
              length(nodes_[child].low, nodes_[child].high);
    }
    at.gain = at.benefit = all * (node == kRoot ? 1 : length(at.low, at.high)) - rest;
  } else {
    at.gain = at.benefit = all;  // every record is one node nearer to its value
  }
}

double AttributeTree::gain(Node node) {
  weigh(node);
  return nodes_[node].gain;
}

double AttributeTree::benefit(Node node) {
  weigh(node);
  return nodes_[node].benefit;
}

double AttributeTree::benefit_below(Node node) {
  if (nodes_[node].below >= 0) return nodes_[node].below;
  double below = 0;
  if (continuous()) {  // down to the values, without growing the tree
    const Entry& at = nodes_[node];
    const auto all = static_cast<double>(at.records);
    if (goal_ == Goal::distortion && at.low < at.high) {
      below = all * (node == kRoot ? 1 : length(at.low, at.high));
    } else if (goal_ == Goal::classification) {
      below = all * entropy(at.low, at.high);
      for (Code value = at.low; value <= at.high; ++value) {
        const std::uint64_t records = records_in(value, value);
        if (records > 0) below -= static_cast<double>(records) * entropy(value, value);
      }
      below = std::max(0.0, below);
    }
  } else {
    below = benefit(node);
    const std::vector<Node> under(children(node).begin(), children(node).end());
    for (const Node child : under) below += benefit_below(child);
  }
  return nodes_[node].below = below;
}

double AttributeTree::cuts() {
  if (continuous()) return std::numeric_limits<double>::infinity();
  const auto count = [this](const auto& self, Node node) -> double {
    const std::vector<Node> below(children(node).begin(), children(node).end());
    if (below.empty()) return 1;
    double product = 1;
    for (const Node child : below) product *= self(self, child);
    return 1 + product;
  };
  return count(count, kRoot);
}

}  // namespace throng
