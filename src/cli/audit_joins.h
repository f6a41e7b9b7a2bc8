// Releases of different columns of the same people: the policy's (X,Y)-requirements on their join.
#pragma once

#include "cli/audit_input.h"

namespace throng::cli {

void report_joins(const Audited& audited, AuditReport& report);

}  // namespace throng::cli
