// Releases of buckets out. What belongs together appears together or not at all.
#pragma once

#include <cstdint>
#include <string>

#include "io/session.h"
#include "release/bucketed.h"

namespace throng::io {

// Two tables: quasi-identifiers and insensitive columns with `group`; `group`, the sensitive column
// and `count`. Throws InputError where they cannot be written.
void write_bucket_tables(const BucketedRelease& release, const std::string& qit,
                         const std::string& st, Session& session);

// One table: the columns in the order of the input's, the sensitive values permuted inside each
// group; then `group`.
void write_permuted(const BucketedRelease& release, std::uint64_t seed, const std::string& path,
                    Session& session);

}  // namespace throng::io
