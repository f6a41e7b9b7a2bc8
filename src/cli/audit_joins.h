// The (X,Y)-requirements on the join of releases, in words and as JSON.
#pragma once

#include "audit/join.h"
#include "cli/audit_input.h"

namespace throng::cli {

struct JoinWords {
  Json json;
  std::vector<std::string> lines;
  std::vector<std::string> broken;  // requirements that do not hold
};
// `explain`: also who the worst group is, which would be a disclosure.
JoinWords words_of_join(const JoinAudit& found, const Policy& policy, bool explain);

// For releases with (X,Y)-requirements in their policy.
void report_joins(const Audited& audited, AuditReport& report);

}  // namespace throng::cli
