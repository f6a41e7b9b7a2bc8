// What every algorithm is: a frequency list and requirements in, a partition of its entries out.
//
// Claim of each: every class of the partition meets the requirements. Entries in no class are
// suppressed.
#pragma once

#include "policy/policy.h"
#include "privacy/requirements.h"
#include "release/frequency_list.h"
#include "release/release.h"

namespace throng {

Partition datafly(const FrequencyList& list, const Requirements& requirements,
                  const Policy& policy);
Partition greedy_release(const FrequencyList& list, const Requirements& requirements,
                         const Policy& policy);
Partition mondrian(const FrequencyList& list, const Requirements& requirements,
                   const Policy& policy);

// Top-down specialization of a table by itself; tds.h has it after previous releases.
Partition tds(const FrequencyList& list, const Requirements& requirements, const Policy& policy);

// Mondrian's best cuts, made known at two depths: `order` holds the entries; classes are ranges of
// it, and parts are ranges of classes that have at most `part_entries` entries where they can be
// cut.
struct NestedParts {
  std::vector<std::uint32_t> order, part_starts, class_starts;
};
NestedParts mondrian_parts(const FrequencyList& list, const Requirements& requirements,
                           std::size_t part_entries);

// The one that the policy names. Throws PrivacyError where more would be suppressed than the policy
// allows, and what check_reachable() throws.
Partition run_algorithm(const FrequencyList& list, const Requirements& requirements,
                        const Policy& policy);

}  // namespace throng
