// Top-down specialization for sequential anonymization (Wang and Fung, "Anonymizing Sequential
// Releases", KDD 2006: Algorithm 1, TDS4SA; several previous releases as in section 7).
//
// Claim: the table that it gives meets k-anonymity and l-diversity of the policy in every class,
// and every (X,Y)-requirement on the join of the table with all previous releases; and no single
// specialization of it does (it is maximal).
//
// T1 starts at `*` in every column and is specialized along one cut a column, the candidate with
// the best Score = InfoGain / (PrivLoss + 1) first; PrivLoss is the sum over the requirements.
// Where the lemmas 4.1 and 4.2 hold, a candidate that once breaks a requirement is dropped for
// good, and a requirement that `*` cannot meet is not met by any table. They hold when x has all
// join columns of T1, y lies in one table, and no record dangles; outside that (view.h:
// Measure::monotone) candidates are checked again after every step, and a table that does not hold
// yet is specialized on, where it comes nearest.
//
// Cost: every entry is touched once for each specialization of one of its values and column, that
// is at most columns² · height times; a candidate costs the partitions, not the records.
//
// Departures from the paper. Quasi-identifiers that are in a join but in no x are specialized from
// `*` too: the paper releases them as they are, and cannot meet requirements that this can. Counts
// of records that dangle are exact. `search` looks further than the paper's greedy choice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "policy/policy.h"
#include "release/frequency_list.h"
#include "release/release.h"

namespace throng {

struct Specialized {
  FrequencyList list;  // as given, less what dangles where the policy drops that
  Partition partition;
  // The regions of each quasi-identifier, in their order; none where no requirement covers it, and
  // it stays as it is.
  std::vector<std::optional<std::vector<Region>>> cuts;

  bool met = true;       // all requirements hold; if not, this is the best that was found
  bool certain = true;   // of those that are not met: no table meets them
  bool monotone = true;  // the lemmas hold for all requirements
  // What the search makes large, a record: distortion taken away, the share whose class is the most
  // frequent one of those that look alike, or minus the records that look alike; and what no valid
  // table can exceed, where that is known.
  double objective = 0;
  std::optional<double> bound;
  bool complete = false;     // the search knows that nothing is better
  std::uint64_t states = 0;  // tables that the search looked at

  std::uint64_t dangling = 0;                    // records of the table that match nothing
  std::vector<std::uint64_t> dangling_previous;  // by release
  std::vector<std::string> join_columns;
};

// `previous`: in the order of their publication, all with one domain per column that has the
// table's values too. Throws InputError: columns that nobody has, a join column without a
// hierarchy, an empty join, records that dangle where the policy does not allow it.
Specialized specialize(FrequencyList list, std::span<const Release> previous, const Policy& policy);

}  // namespace throng
