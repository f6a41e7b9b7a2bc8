// What a ledger knows of every record's way through the releases: the history that the attackers of
// the audit room are asked about.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "audit/history.h"
#include "publication/publication.h"

namespace throng {

// A sensitive column that every policy of the publication guards, and its least ℓ.
struct GuardedColumn {
  std::string name;
  std::size_t l = 1;  // distinct values that are needed
};
// Distinct values that a policy's ℓ-diversity needs of a column, by whatever variant; 0: none is
// asked.
std::size_t distinct_needed(const Policy& policy, const std::string& column);
std::vector<GuardedColumn> guarded_columns(const Ledger& ledger);

// By guarded column. Nothing under static-full and sequential, which do not follow records. Of
// dynamic those who wait are in it too, absent everywhere.
std::optional<History> follow_records(Publication& publication, std::size_t guarded,
                                      io::Session& session);

}  // namespace throng
