// The domain of a quasi-identifier: the values that it may take, numbered in an order along which
// they generalize, and what a generalization costs.
//
// Three kinds. `interval`: numbers or dates, generalized to lowest..highest. `set`: categories,
// generalized to the set of those that occur. `tree`: the leaves of a hierarchy from left to right,
// generalized to its nodes. Algorithms speak of positions in a domain, never of values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hierarchy/builders.h"
#include "hierarchy/hierarchy.h"

namespace throng {

struct Domain {
  enum class Kind { interval, set, tree };

  std::string name;
  Kind kind = Kind::set;
  Dictionary values;  // by position; the missing value, if any, last
  std::string date_format;
  std::optional<Hierarchy> tree;
  double low = 0;  // the ends of an interval domain
  double high = 0;

  std::size_t size() const { return values.size(); }
  // The position of the missing value, or size() where there is none.
  std::size_t missing() const { return values.missing ? values.size() - 1 : values.size(); }
  // Levels of generalization: the height of the tree; 2 (the value, everything) without one.
  std::size_t levels() const { return tree ? tree->height() : 2; }

  // What generalizing to lowest..highest costs, between 0 and 1 (`interval` and `tree`: the region
  // is the interval, or the lowest node that covers it).
  double range_loss(Code lowest, Code highest) const;
  // What generalizing to `count` distinct values costs (`set`).
  double set_loss(std::size_t count) const {
    return size() < 2 ? 0 : static_cast<double>(count - 1) / static_cast<double>(size() - 1);
  }

  // The position of a value by its spelling in a file.
  std::optional<Code> find(std::string_view text) const;
};

// `domain:` in the policy: the values of a category, or the ends of numbers and dates.
struct DomainRule {
  std::vector<std::string> values;
  std::string low, high;
};

// What a policy says of one column's generalization, and how messages call it.
struct Generalization {
  HierarchyRule hierarchy;
  std::optional<DomainRule> domain;
  std::string date_format;
  std::string folder;  // that hierarchy paths are taken from
};

// Where a rule's hierarchy file is.
std::string path_of(const Generalization& rule, const HierarchyFile& file);

// Throws InputError: values without a leaf, or outside `domain:` (the first five, and how many).
Domain make_domain(const std::string& name, const Dictionary& values, const Generalization& rule);

// For each code of `values` its position in the domain.
std::vector<Code> positions_in(const Domain& domain, const Dictionary& values);

}  // namespace throng
