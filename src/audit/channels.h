// The inference channels between two releases (Byun et al. 2006, section 3.2, Figure 6), where it
// is known which record is in which class.
//
// A class e_i of the earlier release went into the classes e_j1 … e_jm of the later one: those that
// share a record with it. By multisets of sensitive values (∪ is the sum), for each k:
//
//   difference    ((e_j1 ∪ … ∪ e_jm) ∖ e_i) ∩ e_jk   the values of e_jk's records that are not in
//   e_i intersection  e_i ∩ e_jk, where m > 1            the values of e_jk's records that are in
//   e_i
//
// One that is neither empty nor has at least l distinct values is a channel. (With m = 1 the
// difference is e_j ∖ e_i, as the paper has it.) These are the paper's pairwise channels: that
// there are none does not say that three releases together give nothing away; see worlds.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "audit/history.h"

namespace throng {

struct Channel {
  enum class Kind { difference, intersection };

  std::size_t earlier = 0, later = 0;                // releases
  std::uint32_t earlier_class = 0, later_class = 0;  // by their numbers in the history
  Kind kind = Kind::difference;
  std::vector<Code> values;    // the distinct values that are left, ascending: fewer than l
  std::size_t vulnerable = 0;  // records of the later class that have one of them

  bool operator==(const Channel&) const = default;
};

// All channels of all pairs of releases, in the order of later, earlier, earlier_class, later_class
// and kind. Time a pair: the records, and for each two classes that share a record the distinct
// values of the one that has fewer; at most n · min(√n, values of the column), in practice a small
// multiple of n.
std::vector<Channel> find_channels(const History& history, std::size_t l);

// Those between the last release and each one before it: what a new release adds.
std::vector<Channel> find_channels_of_last(const History& history, std::size_t l);

// By record: whether it is vulnerable by any of the channels. Of many channels a record may be
// vulnerable by several; this counts it once.
std::vector<bool> vulnerable_records(const History& history, std::span<const Channel> channels);

}  // namespace throng
