// `throng anonymize` with `algorithm: anatomy` or `injector`.
#pragma once

#include <string>

#include "cli/common.h"

namespace throng::cli {

int anonymize_to_buckets(const Policy& policy, const std::string& input, const std::string& output,
                         const Common& common);

}  // namespace throng::cli
