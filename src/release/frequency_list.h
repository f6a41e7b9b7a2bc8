// The private table as algorithms see it: identical records grouped once and weighed.
//
// An entry is a distinct combination of quasi-identifiers (as positions in their domains) and of
// the sensitive values that the policy guards. Entries are sorted by quasi-identifiers, the first
// column first. No algorithm goes back to rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hierarchy/domain.h"
#include "policy/policy.h"
#include "table/table.h"

namespace throng {

struct FrequencyList {
  std::vector<Domain> domains;               // of the quasi-identifiers, in the table's order
  std::vector<std::vector<Code>> positions;  // by quasi-identifier, by entry
  std::vector<std::string> sensitive;        // the columns that a requirement guards
  std::vector<std::size_t> sensitive_sizes;  // how many values each of them has
  std::vector<std::vector<Code>> values;     // by such column, by entry
  std::vector<std::uint32_t> weights;        // records, by entry
  // By entry: what the attacker's knowledge makes of it, as a number of RecordTypes
  // (privacy/matching.h). None unless matching ℓ-diversity is asked for.
  std::vector<std::uint32_t> types;
  std::uint64_t records = 0;

  std::size_t size() const { return weights.size(); }

  // What is released as it is beside the regions: the distinct combinations of an entry and all
  // sensitive and insensitive values. `plain_of[i]` are the codes of published column i, `entry_of`
  // the entry, `plain_weights` the records.
  struct Plain {
    std::string name;
    Role role = Role::insensitive;
    Dictionary values;
    std::vector<Code> codes;
  };
  std::vector<Plain> plain;
  std::vector<std::uint32_t> entry_of;
  std::vector<std::uint32_t> plain_weights;

  // The table's released columns in its order: quasi-identifier or plain, and its index.
  struct Slot {
    bool quasi = false;
    std::size_t index = 0;
  };
  std::vector<Slot> layout;
};

// Throws InputError: a column of the policy that the table lacks, values outside a hierarchy. The
// table must have only columns that the policy releases.
FrequencyList make_frequency_list(const Table& table, const Policy& policy);

// Some entries of a list, as algorithms see them: without what is released beside the regions.
FrequencyList some_entries(const FrequencyList& list, const std::vector<std::uint32_t>& entries);

}  // namespace throng
