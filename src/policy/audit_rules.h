// The parts of a policy that only the audit checks: (X,Y)-requirements, inconsistent values,
// knowledge. Internal to the policy room.
#pragma once

#include <string>

#include "policy/policy.h"
#include "policy/reader.h"

namespace throng {

// `xy-anonymity`, `xy-linkability` or `matching-l-diversity`, with its value. False: `name` is
// none of them. Columns are looked up in `policy`, which has them already.
bool audit_requirement(const PolicyReader& reader, const std::string& name, const YAML::Node& value,
                       Policy& policy);

// `inconsistent:` and `knowledge:`, where `root` has them.
void audit_rules(const PolicyReader& reader, const YAML::Node& root, const std::string& folder,
                 Policy& policy);

}  // namespace throng
