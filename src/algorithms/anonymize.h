// A table and a policy in, a release out: the one road that every front end takes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "knowledge/attacker.h"
#include "policy/policy.h"
#include "release/release.h"
#include "table/table.h"

namespace throng {

// Throws InputError and PrivacyError. Whoever publishes the release has the audit room check it
// first. `known`: where to put what the attacker of matching ℓ-diversity knows of its records, for
// that check.
Release anonymize_table(Table table, const Policy& policy, std::uint64_t seed,
                        std::optional<KnownRecords>* known = nullptr);

// "column 'id' is nearly unique: …", for each insensitive column that would identify rows.
std::vector<std::string> warnings_about(const Table& table, const Policy& policy);

}  // namespace throng
