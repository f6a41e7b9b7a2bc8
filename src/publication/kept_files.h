// What a publication has published, as whoever kept the files reads it: from the segments, never
// from the user's files, which may have changed.
#pragma once

#include <string>
#include <vector>

#include "audit/join.h"
#include "publication/due_policy.h"
#include "publication/publication.h"
#include "release/foreign.h"

namespace throng {

// "release 2", or "release 2 (T1)" where releases have names.
std::string title_of(const ReleaseRecord& record);

// A release as a file of that title. A star inside a value of ours is one, and no mask.
ForeignFile published_file(Ledger& ledger, const ReleaseRecord& record, io::Session& session);

// What was asked of the last of `releases`, all those of a sequential publication up to it, by the
// policy of its time.
DuePolicy due_at(const Ledger& ledger, const std::vector<ReleaseRecord>& releases);

// The columns of all of them.
std::vector<std::string> columns_of(const std::vector<ReleaseRecord>& releases);

// The join of files, the last of which is the current table. What cannot be read is an InputError
// that names the file.
JoinAudit audit_files(std::vector<ForeignFile> files, const Policy& policy);

}  // namespace throng
