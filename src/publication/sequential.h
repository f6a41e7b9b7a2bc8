// One more release of the same people: the table is specialized until the join of what goes out
// with all that went out before is as private as the policy asks (algorithms/tds.h), and the audit
// room joins the published texts again before anybody sees them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/tds.h"
#include "audit/check.h"
#include "audit/join.h"
#include "io/writer.h"
#include "policy/policy.h"
#include "release/foreign.h"
#include "release/release.h"
#include "table/table.h"

namespace throng {

struct SequentialRelease {
  Release release;
  Verdict verdict;            // of the release alone
  JoinAudit join;             // of the release with all before it
  Specialized how;            // without the list
  std::uint64_t dropped = 0;  // records that match nothing, where the policy drops them
  std::vector<std::string> warnings;
  double seconds = 0;  // of the specialization itself
};

// `previous`: what was published, in its order, by the columns that the policy releases; any
// notation that release/foreign.h reads. Throws InputError, ForeignValue (of `previous`);
// PrivacyError where the requirements are not met, saying what is reached and which group is in the
// way; std::logic_error where our own release breaks them.
SequentialRelease release_after(Table table, std::vector<ForeignFile> previous,
                                const Policy& policy, std::uint64_t seed);

// The policy as far as it is about a table with the columns `names`: columns that only previous
// releases have are not asked of it.
Policy without_columns_of(Policy policy, const std::vector<std::string>& names,
                          const std::vector<ForeignFile>& previous);

// What we published, as anybody reads it: our own notation is kept from being taken for others'.
ForeignFile file_of(std::vector<io::LabelColumn> columns, const std::string& source,
                    const Policy& policy);

// What a requirement is and what was found, in one line: "xy-anonymity of job, sex: …".
std::string words_of(const XyRequirement& asked, const XyFinding& finding);

}  // namespace throng
