// What the strongest attacker learns from a history: for each record the values that are possible,
// and whether these are exactly those, or by bounds, that is, perhaps too many. Whoever is called
// exposed is exposed.
//
// Cells, sums and worlds are those of bounds.h. First the bounds are tightened. What they leave
// open falls into components that no sum ties together. Since the private table is one world,
// others are reached from it by shifts (shifts.h), and each component is settled by the first of
// these that does:
//
//   flow      After reduction its sums form a network, and the strongly connected components of the
//             residual graph of the true world tell all. Provably so:
//             - one release, and any number of releases whose classes are nested (of two classes
//               that share a record, one lies in the other): the attacker learns each group's
//               multiset, no less and no more;
//             - two releases, where only two values are in doubt (records may be in one of them
//               only);
//             - two releases, one of which has only two classes there that all went into the
//               other, or only one and those who are absent from it.
//   exchange  A component that is no network, but where exchanges of two values along cycles from
//             the true world, which are a flow again, reach all that the bounds allow.
//   search    A small component: worlds are searched for what is left, up to a limit of work.
//   bounds    Otherwise: of some of its groups it is not known whether a value is possible.
//
// Two releases are not one flow problem in general, whatever the classes. A flow for each value by
// itself says too much: classes {1 2} {3 4}, then {1 3} {2 4}, and the values of the records 1 to 4
// are a b c a. For a alone, records 2 and 3 could have it in place of 1 and 4; but then 1 has b,
// which its second class has not. The values of a group must also add up to its size, so the
// unknown is a table of three ways (class, class, value) with all its two-way sums known, and from
// 3 · 3 · 3 on these are no networks: in general it is NP-hard to say whether such a table exists,
// with three values already.
//
// What a flow with only some of the sums denies is still denied truly: so the sums of two
// partitions at a time (groups, the classes of a release) sharpen the bounds before anything else
// is tried.
//
// Cost: that of the bounds, and about cells · releases² for the rest; all limits are counts of
// steps, so the result does not depend on the machine.
#pragma once

#include <cstddef>
#include <vector>

#include "audit/history.h"

namespace throng {

struct Strongest {
  std::vector<std::vector<Code>> possible;  // by record, ascending; none: it is in no release
  std::vector<bool> exact;  // by record: all of them are possible, not just by bounds

  std::size_t groups = 0;      // records that no release tells apart
  std::size_t components = 0;  // of the groups that the bounds leave open
  std::size_t by_flow = 0, by_exchange = 0, by_search = 0, by_bounds = 0;  // components

  std::size_t exact_components() const { return components - by_bounds; }
  // Published records with fewer than l possible values.
  std::size_t fewer_than(std::size_t l) const;
  std::size_t certain() const { return fewer_than(2); }
  // Published records that may have fewer possible values than are listed.
  std::size_t not_settled() const;
};

// `most_work` limits the search for worlds; 0: there is none.
Strongest strongest_attack(const History& history, std::size_t most_work = 20'000'000);

}  // namespace throng
