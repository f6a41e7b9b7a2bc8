// From rules to what each record cannot have: the types of records that matching ℓ-diversity and
// the bucketizers work on.
//
// Cost: O(rules · values of the quasi-identifiers) once, then O(entries · (rules/64 + 1) · quasi-
// identifiers): for each position of each column the rules that it satisfies are one row of bits,
// and those of an entry are the rows of its positions, taken together.
#pragma once

#include <span>
#include <vector>

#include "knowledge/rules.h"
#include "privacy/matching.h"
#include "release/frequency_list.h"

namespace throng {

// `column`: of the guarded columns of the list, the one that the rules speak of. They were read
// with the list's domains. Rules whose value does not occur say nothing.
RecordTypes record_types(const FrequencyList& list, std::size_t column,
                         std::span<const NegativeRule> rules);

// The rules that an entry satisfies, by their places in `rules`: to name them in a message.
std::vector<std::size_t> rules_of(const FrequencyList& list, std::size_t entry,
                                  std::span<const NegativeRule> rules);

}  // namespace throng
