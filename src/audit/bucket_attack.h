// What who knows rules learns from classes or buckets, and what buckets are by themselves. Counted
// from what is published, by code that the bucketizers do not share: the rules go through
// knowledge/impossible.h, the matching through audit/matching.h.
#pragma once

#include <cstddef>
#include <span>

#include "audit/matching.h"
#include "knowledge/rules.h"
#include "release/buckets.h"

namespace throng {

struct KnowledgeAttack {
  std::size_t records = 0;
  std::size_t by_matching = 0;  // records with fewer than l valid values
  std::size_t by_count = 0;     // the same by the simple count
  std::size_t groups = 0;
  std::size_t contradictions = 0;  // groups whose values no rule-abiding assignment explains
  std::size_t least_valid = ~std::size_t{0};  // of the record that has the fewest valid values
};

void add_group(const MatchingGroup& group, std::size_t l, KnowledgeAttack& attack);

// Quasi-identifiers are exact, so the records of a bucket may be of several types. `rules` were
// read with the buckets' domains and values. Cost: O(n · rules/64), and what match_values() costs a
// bucket.
KnowledgeAttack attack_buckets(const Buckets& buckets, std::span<const NegativeRule> rules,
                               std::size_t l);

struct BucketSizes {
  std::size_t smallest = 0, largest = 0;  // records in a bucket
  std::size_t distinct = 0;               // values in the least diverse bucket
  double largest_share = 0;               // that one value has of a bucket
  std::size_t above_share = 0;            // buckets where one value has more than 1/l
};

BucketSizes sizes_of(const Buckets& buckets, std::size_t l);

}  // namespace throng
