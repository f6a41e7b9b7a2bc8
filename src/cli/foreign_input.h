// Files that somebody published, read for those verbs that look at releases.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/session.h"
#include "policy/policy.h"
#include "release/buckets.h"
#include "release/foreign.h"

namespace throng::cli {

// The columns of a file that the policy releases, in the policy's order; identifiers that it
// publishes go to `identifiers`. Throws InputError: a column that the policy does not list, none
// that it releases.
std::vector<std::string> published_names(const std::string& source, const Policy& policy,
                                         io::Session& session,
                                         std::vector<std::string>& identifiers);

ForeignFile read_published(const std::string& source, const std::vector<std::string>& names,
                           io::Session& session);

// Buckets as the command line names them: NAME.csv stands for NAME.qit.csv and NAME.st.csv, or is
// itself a table with a column `group`, inside which sensitive values are permuted.
struct BucketFiles {
  std::string qit, st;  // the same file: permuted
};
BucketFiles bucket_files(const std::string& word);
// Whether the word names no file itself, but both of the pair are there.
bool names_buckets(const std::string& word);
// The files of buckets that the word names, if it does: the pair, or a file with a column `group`
// that the policy does not list.
std::optional<BucketFiles> find_buckets(const std::string& word, const Policy& policy,
                                        io::Session& session);
// Throws InputError with the place of what cannot be read.
Buckets read_bucket_files(const BucketFiles& files, const Policy& policy, io::Session& session);

}  // namespace throng::cli
