// Where records stand, so that records that stand near each other may share a bucket at little
// loss.
//
// What unlinking loses is the association of quasi-identifiers and sensitive values. Records whose
// quasi-identifiers tell the same about the sensitive value can change values with each other and
// no count over many records will show it (the argument of propensity scores: given the score, the
// quasi-identifiers say nothing more). So the first thing that counts is the profile of a record:
// Σ over its quasi-identifiers of P(s | value) − P(s), by sensitive value s. The second is that the
// quasi-identifiers themselves are equal: then even a count over few records does not change. Both
// are put into one vector, and its main axes are taken (principal components).
//
// Cost: O(entries · (quasi-identifiers + axes)), and O(sample · (values + quasi-identifiers)²) for
// the axes with a sample of at most 8,192 entries and at most 64 values (the frequent ones; the
// others count as one).
#pragma once

#include "algorithms/bucket_set.h"

namespace throng {

Places make_places(const FrequencyList& list, std::size_t column);

}  // namespace throng
