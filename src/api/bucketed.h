// The road from a table to buckets that the audit room has seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "audit/bucket_attack.h"
#include "policy/policy.h"
#include "release/bucketed.h"
#include "table/table.h"

namespace throng {

struct CheckedBuckets {
  BucketedRelease release;
  std::size_t l = 1;                  // that was asked for
  std::size_t stated = 0, mined = 0;  // rules that were taken into account
  KnowledgeAttack attack;             // by who knows them
  BucketSizes sizes;
  std::size_t dropped = 0;  // records that were not taken for a missing value
  std::vector<std::string> warnings;
  struct {
    double mine = 0, bucketize = 0, check = 0;
  } seconds;
};

// The policy's algorithm makes buckets. Throws InputError, PrivacyError; std::logic_error where our
// own release breaks the policy.
CheckedBuckets bucketize_checked(Table table, const Policy& policy, std::uint64_t seed);

}  // namespace throng
