// The attacker of matching ℓ-diversity: the rules that he is taken to know, and what they tell him
// of each record. He knows everybody's exact quasi-identifiers, however wide the published regions
// are: so a rule counts for a record when the record's own values satisfy it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "knowledge/impossible.h"
#include "knowledge/record_types.h"
#include "knowledge/rules.h"
#include "policy/policy.h"
#include "release/frequency_list.h"

namespace throng {

struct Attacker {
  std::size_t column = 0;           // the guarded column that the rules speak of, of list.sensitive
  std::vector<NegativeRule> rules;  // the stated ones first
  std::size_t stated = 0;           // of these
  RecordTypes types{0};             // list.types are its numbers
};

// What the policy lets him know of a table: the rules of its file, those that are mined from the
// table, or both. Gives the list its types. None where the policy does not ask for matching
// ℓ-diversity. Throws InputError where a stated rule is wrong of a record, or about a value that
// the table does not have.
std::optional<Attacker> attacker_of(FrequencyList& list, const Policy& policy);

// The same with rules that were read with the list's domains. A rule that is wrong of a record
// counts for everybody else: nobody can know it of that one. So the knowledge is true of all.
Attacker attacker_with(FrequencyList& list, const Policy& policy, std::vector<NegativeRule> rules);

// The same with the text of a file of rules. A rule about what nobody in the list has says nothing.
Attacker attacker_knowing(FrequencyList& list, const Policy& policy, const std::string& rules);

// Throws InputError where a rule is wrong of a record; its message begins with `source`.
void refuse_contradiction(const FrequencyList& list, std::size_t column,
                          const std::vector<NegativeRule>& rules, const std::string& source);

// The people of a release as the attacker, and whoever checks on us, knows them: by entry of the
// private table.
struct KnownRecords {
  std::string column;                   // the sensitive one
  std::size_t rules = 0, stated = 0;    // that he knows
  std::uint64_t hopeless = 0;           // records left out because no class protects them
  Impossible impossible;                // by the rules alone
  std::vector<Code> values;             // that they have
  std::vector<std::uint32_t> weights;   // records
  std::vector<std::uint32_t> class_of;  // of the release, or kSuppressed
};
// All but the classes. Exceptions are made as in attacker_with().
KnownRecords known_records(const FrequencyList& list, const Attacker& attacker);
KnownRecords known_records(const FrequencyList& list, std::size_t column,
                           const std::vector<NegativeRule>& rules);

}  // namespace throng
