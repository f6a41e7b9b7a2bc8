// What a requirement counts in the blocks of a release: they are divided by the values on x into
// cells, each with its weight and the weights of the values on y.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "audit/block_join.h"
#include "policy/policy.h"

namespace throng {

// A value that a linkability requirement guards.
struct GuardedValue {
  std::size_t entry = 0;  // of the requirement
  std::string text;
  Cover cover;
  std::size_t copies = 0;  // sides that have its column
};

// Entry by entry; one that stands for each value of its column: those that occur. `storage` holds
// what they point into. Throws InputError for what is no label of a hierarchy.
std::vector<GuardedValue> guarded_values(const BlockJoin& join, const XyRequirement& asked,
                                         const Policy& policy, std::deque<Region>& storage);

struct JoinCells {
  struct Count {
    // anonymity: a value on the side's columns of y; linkability: a guarded value whose column only
    // this side has
    std::uint32_t y = 0;
    std::uint64_t weight = 0;
  };
  std::vector<std::uint32_t> begin;  // by block
  std::vector<std::uint32_t> x;      // by cell: its value on x
  std::vector<std::uint64_t> weight;
  std::vector<std::uint32_t> count_begin;
  std::vector<Count> counts;           // in the order of y
  std::vector<std::uint32_t> example;  // by value on x: a record
  std::size_t y_count = 1;             // values on y

  std::span<const Count> counts_of(std::uint32_t cell) const {
    return {counts.data() + count_begin[cell], counts.data() + count_begin[cell + 1]};
  }
};

JoinCells make_join_cells(const JoinSide& side, const XyRequirement& asked,
                          const std::vector<GuardedValue>& guarded);

}  // namespace throng
