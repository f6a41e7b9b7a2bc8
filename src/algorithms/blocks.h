// The tightest blocks of a pool of records: what `append` publishes at a release.
#pragma once

#include <vector>

#include "algorithms/algorithm.h"

namespace throng {

// Entries whose class is kSuppressed wait. `due[entry]`: it has waited long enough, and goes out at
// any loss if a block can be formed for it.
Partition make_blocks(const FrequencyList& list, const Requirements& requirements, double max_loss,
                      const std::vector<char>& due);

}  // namespace throng
