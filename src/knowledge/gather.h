// What the attacker knows of a table by its policy: the rules of a file, those mined from the
// table, or both.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "knowledge/mine.h"
#include "knowledge/rules.h"
#include "policy/policy.h"
#include "release/frequency_list.h"
#include "table/table.h"

namespace throng {

// The sensitive column whose values the rules rule out: that of `matching-l-diversity`, or the only
// one. Throws InputError.
std::string ruled_column(const Policy& policy);

// The records by what can be in a rule: other columns would only tell more records apart.
FrequencyList list_for_rules(Table table, Policy policy, const std::string& column);

// The values of a guarded column, which every release publishes.
const Dictionary& values_of(const FrequencyList& list, std::size_t sensitive);

// The rules of a file with their records and expectations in this table. `sensitive`: which of
// list.sensitive. Throws InputError where one is about what the table does not have, or is wrong of
// everybody it speaks of. One that is wrong of some is a warning, or with `must_hold` an InputError
// too.
std::vector<NegativeRule> stated_rules(const std::string& path, const FrequencyList& list,
                                       std::size_t sensitive, bool must_hold,
                                       std::vector<std::string>& warnings);

struct GatheredRules {
  std::vector<NegativeRule> rules;  // stated ones first, then mined ones that say more
  std::size_t stated = 0;           // of them
  std::size_t mined() const { return rules.size() - stated; }
};

// Everything that the policy's `knowledge:` says, true of every record. Throws as stated_rules().
GatheredRules gather_rules(const std::optional<Knowledge>& knowledge, const FrequencyList& list,
                           std::size_t sensitive);

// A rule in words: `sex = M, age = 0..12 => not Flu`.
std::string words_of(const NegativeRule& rule, std::span<const Domain> domains);

}  // namespace throng
