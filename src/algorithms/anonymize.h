// A table and a policy in, a release out: the one road that every front end takes.
#pragma once

#include <string>
#include <vector>

#include "policy/policy.h"
#include "release/release.h"
#include "table/table.h"

namespace throng {

// Throws InputError and PrivacyError. Whoever publishes the release has the audit room check it
// first.
Release anonymize_table(Table table, const Policy& policy, std::uint64_t seed);

// "column 'id' is nearly unique: …", for each insensitive column that would identify rows.
std::vector<std::string> warnings_about(const Table& table, const Policy& policy);

}  // namespace throng
