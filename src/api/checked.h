// A release that the audit room has seen: the only kind that leaves the house.
#pragma once

#include <string>
#include <vector>

#include "policy/policy.h"
#include "release/release.h"
#include "table/table.h"
#include "throng/throng.h"

namespace throng {

struct CheckedRelease {
  Release release;
  Figures figures;
  std::vector<std::string> warnings;
};

// Throws InputError, PrivacyError; std::logic_error where our own release breaks the policy.
CheckedRelease anonymize_checked(Table table, const Policy& policy, std::uint64_t seed);

}  // namespace throng
