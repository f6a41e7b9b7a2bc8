// The strongest attacker on a history: he knows who is in which class of which release and every
// class's multiset of values, keeps all releases, and reasons without fault. He knows nothing else.
//
// A world is an assignment of values to records that gives every class of every release its
// multiset. The values that are possible for a record are those it has in at least one world. That
// does not say how probable they are.
#pragma once

#include <vector>

#include "audit/history.h"

namespace throng {

// By record, its possible values, ascending; none of a record that is in no release. Exact, by
// search: time grows exponentially at worst. For histories of some dozens of records.
std::vector<std::vector<Code>> possible_values(const History& history);

// The same by bounds (bounds.h): always all possible values, and perhaps some more. So whoever has
// fewer than l values here has truly been exposed; who has not may still be. Time a round is about
// the number of groups · values · releases²; some seconds for 30,000 records in 21 releases.
std::vector<std::vector<Code>> bounded_values(const History& history);

}  // namespace throng
