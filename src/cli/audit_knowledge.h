// What the attacker knows beforehand: who is left with too few values by the policy's rules.
#pragma once

#include "cli/audit_input.h"

namespace throng::cli {

// Mines the private table as the policy's `knowledge:` says. Throws InputError.
MinedRules mine_private(const std::string& source, const Policy& policy, io::Session& session);

void report_knowledge(const Audited& audited, AuditReport& report);

}  // namespace throng::cli
