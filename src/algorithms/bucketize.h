// Bucketizers: they leave quasi-identifiers exact and unlink the sensitive values, by putting
// records into buckets of which only the multiset of values is published.
//
// Anatomy knows nothing of the attacker's knowledge; Injector takes it into account. Both work on
// the entries of a frequency list, and may spread the records of one entry over several buckets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "privacy/matching.h"
#include "release/frequency_list.h"

namespace throng {

struct BucketOptions {
  // Which of the list's guarded columns the buckets unlink.
  std::size_t column = 0;
  // Each record shall have so many valid values (Injector), each bucket so many distinct ones
  // (Anatomy).
  std::size_t l = 2;
  // Injector: who of a type goes into which bucket. `near`: those whose quasi-identifiers tell the
  // same about the sensitive value, so that unlinking loses little; `random`: anyone, as in the
  // paper.
  enum class Grouping { near, random };
  Grouping grouping = Grouping::near;
  // Injector: no value has more than 1/l of the records of a bucket. An attacker who knows no rule
  // at all then guesses right with a probability of at most 1/l, as with Anatomy.
  bool max_share = true;
  // Injector: the share of the records that may be left out, because even the whole table does not
  // have l valid values for them.
  double max_suppression = 1;
  // Random choices hang on it and on nothing else.
  std::uint64_t seed = 0;
};

struct Bucketing {
  // So many records of an entry are in a bucket.
  struct Part {
    std::uint32_t entry = 0;
    std::uint32_t bucket = 0;
    std::uint32_t count = 0;
    bool operator==(const Part&) const = default;
  };
  std::vector<Part> parts;  // by bucket, then by entry, each pair once
  // Neighbouring numbers are near each other, and that tells: number them anew by what is published
  // before they go out.
  std::size_t buckets = 0;
  // Records left out: all those of some types.
  std::uint64_t suppressed = 0;
  std::vector<std::uint32_t> suppressed_types;  // of the record types, ascending
};

// Records that no bucketing can protect: those of a type that has too few valid values even in one
// bucket of everybody else who can be published.
struct Hopeless {
  std::uint32_t type = 0;
  std::uint64_t records = 0;
  std::uint32_t valid = 0;  // values
};
// By type, ascending. What remains without them is the largest set of records that meets the
// requirement as one bucket: the union of sets that do does (privacy/matching.h). Knowledge must be
// true of the records.
std::vector<Hopeless> hopeless_types(const RecordTypes& types,
                                     const std::vector<std::uint32_t>& weights, std::size_t l);

// Buckets of l distinct values each. Throws PrivacyError where a value has more than 1/l of the
// records, or there are fewer than l values.
Bucketing anatomy(const FrequencyList& list, const BucketOptions& options);

// Buckets in which each record has l valid values. `types`: of the list's entries. Throws
// InputError where the knowledge contradicts the table; PrivacyError where l cannot be met, or only
// by leaving out more than max_suppression.
Bucketing injector(const FrequencyList& list, const RecordTypes& types,
                   const BucketOptions& options);

// How messages call a value of a guarded column.
std::string value_name(const FrequencyList& list, std::size_t column, Code value);
// `counts`: records by value. Throw PrivacyError where there are fewer than l values, where one has
// more than 1/l of the records; they say what could be met.
void check_distinct(const FrequencyList& list, std::size_t column,
                    const std::vector<std::uint64_t>& counts, std::size_t l);
void check_largest_share(const FrequencyList& list, std::size_t column,
                         const std::vector<std::uint64_t>& counts, std::size_t l);

}  // namespace throng
