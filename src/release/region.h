// A region: one generalized value of a quasi-identifier. docs/notation.md says how it is written.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "hierarchy/domain.h"

namespace throng {

// What it covers, in positions of its domain. One value has low == high, whatever the domain's
// kind.
struct Region {
  Code low = 0;
  Code high = 0;
  Hierarchy::Node node = 0;   // `tree`: the node
  bool everything = false;    // the root, the whole domain: `*`
  std::vector<Code> members;  // `set` of more than one value, but not of all: the values, ascending

  auto operator<=>(const Region&) const =
      default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 errs
};

Region region_of_value(const Domain& domain, Code position);
Region region_of_node(const Domain& domain, Hierarchy::Node node);
// The tightest region that covers low..high of an `interval` or a `tree`.
Region region_of_range(const Domain& domain, Code low, Code high);
// The set of these positions of a `set`, ascending.
Region region_of_set(const Domain& domain, std::vector<Code> members);
Region region_of_everything(const Domain& domain);

// How much of the domain the region takes: 0 for one value, 1 for everything.
double loss_of(const Domain& domain, const Region& region);
bool covers(const Domain& domain, const Region& region, Code position);

// As it stands in a CSV, before the quoting of CSV itself.
std::string write_region(const Domain& domain, const Region& region);
// The inverse. Throws InputError that says why `text` is no region of the domain.
Region read_region(const Domain& domain, std::string_view text);

// A value with a backslash before each character that would make it something else; with
// `plain_dots` two dots are what they look like.
std::string escape_value(std::string_view value, bool plain_dots = false);

}  // namespace throng
