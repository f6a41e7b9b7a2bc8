// Whether a policy asks at least what another one asks: what a publication demands of every policy
// after its first.
#pragma once

#include <string>

#include "policy/policy.h"

namespace throng {

// What `stricter` asks beyond `policy`, in words, "" where they ask the same. Throws InputError
// that begins with `stricter.source` and names the first thing that is weaker, or not the same.
// `may_grow`: it may list more columns.
std::string stricter_by(const Policy& policy, const Policy& stricter, bool may_grow = false);

}  // namespace throng
