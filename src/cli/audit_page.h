// What the page of `throng audit` shows beside the report: what was given, and how many values are
// possible for how many records.
#pragma once

#include "audit/strongest.h"
#include "cli/audit_input.h"

namespace throng::cli {

// `[{values, records}]` in the order of `values`: of who has all releases at once,
Json possible_values_of(const Strongest& found);
// and of who has this release alone: the distinct values of the record's class or bucket, by
// sensitive column.
Json possible_values_of(const Release& release);
Json possible_values_of(const Buckets& buckets);

// `given`: the files, the attackers and what the policy asks.
void add_given(const AuditArguments& arguments, const Audited& audited,
               const std::vector<GuardedColumn>& guarded, AuditReport& report);

// What the page may not overwrite.
std::vector<std::string> audit_inputs(const AuditArguments& arguments);

}  // namespace throng::cli
