// Which values each record of a group may have, for an attacker who knows that some records cannot
// have some values (negative rules), and that the group's values go to its records one by one.
//
// A value is valid for a record when the record may take it, and some assignment of the group's
// values to its records in which everyone may take what he gets gives it to him (matching
// l-diversity, Li and Li, "Injector", ICDE 2008, section V). The paper tries every record with
// every value and looks for an assignment each time, O(n⁴·edges) a group. Here one assignment is
// found, and the values are nodes with an arc a → b where someone who has a may take b: he can then
// have b exactly when b leads back to a, that is, when a and b are in one strongly connected
// component.
//
// Records that may take the same values are one type; equal values are one node. Cost: an
// assignment by augmenting paths, at most one a type and value, O(types · values²) in all for the
// search and less where a first guess fits; then O(types · values²) for the arcs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "table/codes.h"

namespace throng {

struct MatchingGroup {
  struct Type {
    std::vector<char> allowed;  // by distinct value of the group: whether the record may take it
    std::uint32_t count = 0;    // records
    // How many of them have each value, where that is known; none: unknown. Known of all types, and
    // allowed, it spares the search for an assignment.
    std::vector<std::uint32_t> has;
  };
  std::vector<Type> types;
  std::vector<std::uint32_t> value_counts;  // by distinct value: how often it occurs
};

struct Matching {
  // No assignment is consistent with the knowledge: it is wrong, or the group is. Then no value is
  // valid.
  bool contradiction = false;
  std::vector<std::vector<char>> valid;     // by type, by value
  std::vector<std::uint32_t> valid_values;  // by type: how many
  // By type: how many values occur that it may take. The simple count, which does not see that the
  // others of the group need values too; never less.
  std::vector<std::uint32_t> allowed_values;
};

// Throws std::invalid_argument where the records are not as many as the values.
Matching match_values(const MatchingGroup& group);

}  // namespace throng
