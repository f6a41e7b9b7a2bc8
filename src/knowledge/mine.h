// Mining negative rules X ⇒ not s from the private table (Li and Li 2008, "Injector", section IV).
//
// X says of at least one and at most `max-items` quasi-identifiers which item a record has there:
// a node of its hierarchy below the root, or where there is none one of its values. An item that
// covers the whole domain says nothing and is none; nodes that cover the same leaves are one item,
// called by the highest of them.
//
// Claim: the result is exactly the set of most general rules. A rule holds when no record that
// satisfies X has s, and the expectation 1 − (1 − P(s))^support(X) is at least `min-expectation`;
// it is most general when no other rule for s that holds has an X that every record satisfying
// this one satisfies by the hierarchies alone. The order of rows and columns and the number of
// threads do not matter.
#pragma once

#include <cstdint>
#include <vector>

#include "knowledge/rules.h"
#include "policy/policy.h"
#include "release/frequency_list.h"

namespace throng {

struct Mined {
  // The most general rules, by value, then by the number of conditions, then by these.
  std::vector<NegativeRule> rules;
  // Pairs (X, s) with support enough to be expected: what was tested. This depends on how often
  // each X and each s occurs, but not on which of them occur together.
  std::uint64_t tested = 0;
  // Those of them that hold, after the correction; the less general ones too.
  std::uint64_t holding = 0;
  // How many of `tested` would hold by luck alone if s had nothing to do with the
  // quasi-identifiers: to be compared with `holding`. At most: it lets records be drawn with
  // replacement, as the expectation does.
  double by_luck = 0;
};

// The probability that among so many records that satisfy X at least one has s, if those had it as
// often as all do: 1 − (1 − share)^support.
double expectation_of(double share, double support);

// `sensitive`: which of list.sensitive.
Mined mine_rules(const FrequencyList& list, std::size_t sensitive, const MiningRules& rules);

}  // namespace throng
