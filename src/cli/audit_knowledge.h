// What the attacker knows beforehand: who is left with too few values by the policy's rules.
#pragma once

#include "cli/audit_input.h"

namespace throng::cli {

void report_knowledge(const Audited& audited, AuditReport& report);

}  // namespace throng::cli
