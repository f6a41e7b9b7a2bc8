// A release of buckets as it is published: numbers of groups and the order of rows come from what
// is published alone, and then from chance, so that they say nothing about the private table, even
// to those who know the seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "release/buckets.h"
#include "release/frequency_list.h"
#include "release/release.h"

namespace throng {

struct BucketedRelease {
  Buckets buckets;                     // groups are called 1, 2, …
  std::vector<Release::Plain> others;  // insensitive columns, by row, beside the quasi-identifiers
  // The table's columns in its order.
  struct Slot {
    enum class Kind { quasi, other, sensitive };
    Kind kind = Kind::quasi;
    std::size_t index = 0;
  };
  std::vector<Slot> layout;
  std::size_t suppressed = 0;  // records left out
};

// A record and the bucket that it is in; `combination`: which of the list's `entry_of`.
struct PlacedRecord {
  std::uint32_t bucket = 0;
  std::uint32_t combination = 0;
};

// `sensitive`: which of list.sensitive is unlinked; `buckets`: how many there are, none empty.
BucketedRelease make_bucketed(const FrequencyList& list, std::size_t sensitive,
                              const std::vector<PlacedRecord>& records, std::size_t buckets,
                              std::uint64_t seed);

// By row a value of its bucket, in random order.
std::vector<Code> permuted_values(const Buckets& buckets, std::uint64_t seed);

}  // namespace throng
