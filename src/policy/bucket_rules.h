// What a policy says of buckets (anatomy, injector). Internal to the policy room.
#pragma once

#include "policy/policy.h"
#include "policy/reader.h"

namespace throng {

// `grouping`, `max-share` and `layout`. Throws InputError where they go with another algorithm.
void bucket_rules(const PolicyReader& reader, const YAML::Node& root, Policy& policy);

// Throws InputError where the whole asks for what buckets do not keep: of a policy whose algorithm
// makes none, nothing is asked.
void check_buckets(const PolicyReader& reader, const YAML::Node& root, const Policy& policy);

}  // namespace throng
