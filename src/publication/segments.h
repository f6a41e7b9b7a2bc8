// Segments: what each release made public, once, as it stays. Any release is a choice of their
// rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/writer.h"
#include "publication/change.h"
#include "publication/ledger.h"
#include "publication/pool.h"

namespace throng {

// Writes the rows of the classes that begin, durably. Returns the file's SHA-256.
std::string write_segment(const Release& added, ClassId first_class, const std::string& path,
                          io::Session& session);

// Rows with the class that each one belongs to.
struct SegmentRows {
  std::vector<ClassId> class_of;  // by row
  std::vector<RawColumn> columns;
  std::size_t rows() const { return class_of.size(); }
};
// Those of the segments `numbers`, each checked against its SHA-256 first; of a sequential
// publication, just one. Throws InputError that names the damaged one.
SegmentRows read_segments(Ledger& ledger, const std::vector<std::int64_t>& numbers,
                          io::Session& session);

// The rows of release `number` (with `delta`, and in a sequential publication: of the classes that
// began in it) in their order: by
// what is published alone, then shuffled by the seed of the release.
std::vector<io::LabelColumn> rows_of_release(Ledger& ledger, std::int64_t number, bool delta,
                                             io::Session& session);

// The raw records that the ledger holds, by batch.
std::vector<RawRecords> held_records(Ledger& ledger);

// The released columns in the publication's order; none before the first release, nor in a
// sequential publication, where each release has its own.
std::vector<std::string> released_names(const Ledger& ledger);
std::string pack_names(const std::vector<std::string>& names);
// Throws InputError: no names, or none that the policy lists.
std::vector<std::string> unpack_names(const Ledger& ledger, std::string_view packed);

}  // namespace throng
