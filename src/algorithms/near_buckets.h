// Buckets of records that stand near each other, each with at least l values, each of them once.
//
// Claim: if no value has more than one record in l, n records become ⌊n/l⌋ buckets in which no
// value occurs twice. No paper; cost O(n · log(n/l)).
//
// How: a set of n records for m buckets (n ≥ l·m, no value more than m times) is cut in two along
// the axis on which it is spread most, with m/2 buckets for each side. A side with m' buckets can
// take at most m' records of a value; so of each value those that stand furthest on a side go
// there, as many as must, and the rest by where they stand, as long as there is room. There always
// is: Σ min(c, m') over the counts c of the values is at least l·m', because c ≤ m and Σ c ≥ l·m
// give min(c, m') ≥ c·m'/m. So a value that is too frequent where its records stand gives away only
// those that must go, and those next to the cut; and at the end each set is one bucket.
#pragma once

#include "algorithms/bucket_set.h"

namespace throng {

// `chosen`: places in `records`. Neighbours in the result are near each other. Throws
// std::invalid_argument where a value is too frequent.
std::vector<BucketSet::Members> cut_into_buckets(const Records& records, std::size_t values,
                                                 const Places& places,
                                                 std::vector<std::uint32_t> chosen, std::size_t l);

// Exchanges records of one value between buckets near each other so that counts of quasi-identifier
// values with sensitive values come out right: each bucket mixes them, but what one has too much of
// another can have too little of. For each value x of each quasi-identifier and each sensitive
// value s, Σ over buckets of (records with x · share of s) should be the number of records that
// have both; the squares of the differences, summed over a region of buckets, are what an exchange
// must lower. Which values a bucket has does not change; and into buckets in which nobody's
// impossible values occur only such records come for whom that remains so, into others only records
// of the type that leaves. So everything that held of a bucket still holds. Cost: O(n).
void fit_counts(const FrequencyList& list, const RecordTypes& types, const Records& records,
                std::vector<BucketSet::Members>& buckets, std::uint64_t seed);

}  // namespace throng
