// What a policy asks for, in words and numbers: for reports that stand by themselves.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "policy/policy.h"

namespace throng::cli {

// A list of lines such as "distinct l-diversity of disease: l = 3".
nlohmann::ordered_json asked_by(const Policy& policy);

}  // namespace throng::cli
