// Does every class leave everyone the valid values that the policy promises? Counted again, by the
// audit's own matching (audit/matching.h), from what is published and from what the attacker knows
// of the people in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "knowledge/attacker.h"
#include "release/release.h"

namespace throng {

// By entry: how many values are valid for its records in their class, if each class publishes the
// values of its records; 0 of those who are in none. Throws std::invalid_argument where someone has
// what he cannot have.
std::vector<std::uint32_t> valid_values(const KnownRecords& known);

struct MatchingVerdict {
  std::size_t valid = 0;            // values, of the record that has the fewest
  std::uint64_t exposed = 0;        // records with fewer than l
  std::size_t exposed_classes = 0;  // that they are in
  std::vector<std::string> broken;  // promises that do not hold, in plain words
};

// `known.class_of` are classes of the release.
MatchingVerdict check_matching(const Release& release, const KnownRecords& known, std::size_t l);

}  // namespace throng
