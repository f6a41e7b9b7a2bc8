// GreedyRelease, `choose: loss`: records leave at the cheapest levels at which they can.
#pragma once

#include "algorithms/algorithm.h"

namespace throng {

Partition release_by_loss(const FrequencyList& list, const Requirements& requirements,
                          bool tighten);

}  // namespace throng
