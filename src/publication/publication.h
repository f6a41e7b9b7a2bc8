// A publication: a table that grows, and its releases.
//
// Claim: after a kill at any moment the ledger is in the state before a release or after it; the
// next command that opens it finishes or forgets what was interrupted (notes()). The order of a
// release: note what is about to be written; in one transaction decide, write the segment and the
// output beside their places, and record everything; commit; give the output its name; strike out
// the note.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "audit/join.h"
#include "io/session.h"
#include "publication/ledger.h"
#include "table/table.h"
#include "throng/throng.h"

namespace throng {

struct Batch {
  Table table;                    // the released columns
  std::vector<std::string> keys;  // by row, where the policy names a key
  std::string mark;               // tells this batch from others: a hash of its file, or ""
};

struct ReleaseOptions {
  std::string output;
  bool delta = false;  // write only the classes that began
  bool again = false;  // take the batch even if the last release took the very same
  std::uint64_t seed = 0;
  std::string name;  // of a sequential publication's release
  // Let the release out though rules that became known expose people who were published before;
  // the ledger and the manifest say so.
  bool accept_exposed = false;
};

// One release as the ledger knows it.
struct ReleaseRecord {
  std::int64_t number = 0;
  std::string date;
  std::int64_t batch_records = 0, dropped = 0, new_records = 0, published = 0, waiting = 0;
  std::int64_t first_class = 0, new_classes = 0;
  std::int64_t segment_rows = 0;
  std::string segment_sha256;
  std::string output;
  bool delta = false;
  std::int64_t output_rows = 0, output_bytes = 0;
  std::string output_sha256;
  std::int64_t seed = 0, policy = 0;
  std::string manifest;
  // Of a sequential publication: the release's own name, and its columns in their order.
  std::string name;
  std::vector<std::string> columns;
  // Under matching ℓ-diversity, of a release in the making: rules that became known, and records
  // and classes published before that they expose; the manifest keeps them.
  std::int64_t new_rules = 0, exposed = 0, exposed_classes = 0;
};

// Of a sequential publication: how a release stands with all before it.
struct Joined {
  Policy policy;  // what was asked
  JoinAudit join;
  std::uint64_t left_out = 0;                    // records that match nothing, and were dropped
  std::uint64_t dangling = 0;                    // records of the table that match nothing
  std::vector<std::uint64_t> dangling_previous;  // by release
  std::vector<std::string> waits, warnings;
};

struct Released {
  ReleaseRecord record;
  Figures figures;
  bool repeated = false;  // the last release took this very batch, to this very output
  std::int64_t twin = 0;  // an earlier release whose batch was the same file; 0: none
  double update_seconds = 0, write_seconds = 0;
  std::optional<Joined> joined;  // of a sequential publication; nothing where it is repeated
};

struct PublicationStatus {
  Strategy strategy = Strategy::append;
  bool encrypted = false;
  std::int64_t records = 0, published = 0, waiting = 0, classes = 0;
  std::int64_t raw_held = 0;  // records whose raw values the ledger holds
  // Under matching ℓ-diversity.
  bool has_knowledge = false;
  std::int64_t rules = 0;        // that are known
  std::int64_t exposed = 0;      // records that rules found later expose; accepted
  std::int64_t people_held = 0;  // published records whose exact quasi-identifiers are held
  std::int64_t oldest_wait = 0;  // releases that the longest waiting record was passed over in
  std::vector<ReleaseRecord> releases;
  std::vector<std::string> waits;  // of a sequential publication: what is not asked yet
};

class Publication {
 public:
  Publication(const std::string& folder, Ledger::Access access, const std::string& verb,
              const std::string& key_file, double wait, io::Session& session);

  Ledger& ledger() { return ledger_; }
  const Policy& policy() const { return ledger_.policy(); }
  // What was found interrupted when it was opened, and what became of it.
  const std::vector<std::string>& notes() const { return notes_; }

  // Throws InputError, PrivacyError; nothing has changed then.
  Released release(Batch batch, const ReleaseOptions& options);

  PublicationStatus status();
  std::vector<std::pair<std::string, std::string>> log();  // date and text
  // A release again, byte for byte where the ending is that of the first time.
  void export_release(std::int64_t number, const std::string& output, bool delta);

  std::vector<ReleaseRecord> releases();
  std::optional<ReleaseRecord> find_release(std::int64_t number);
  // By its number, or by its name in a sequential publication. Throws InputError: no such release.
  ReleaseRecord release_called(const std::string& word);
  // What chains a release to the one before it.
  static std::string chain_of(const std::string& before, const ReleaseRecord& record);

 private:
  void recover();
  void finish(const ReleaseRecord& record, const std::string& part);
  void note_parts(const ReleaseRecord& record);
  void forget(std::int64_t number, const std::vector<std::string>& parts);
  void strike_pending();
  void check_keys(const Batch& batch);
  // Refuses a name that is taken or none, and one where releases have none.
  void check_name(const ReleaseOptions& options);
  // All that record_in() reads.
  Statement select_releases(std::string_view where);
  ReleaseRecord record_in(const Statement& row) const;
  // Refuses an output in the ledger's own folder.
  void check_place(const std::string& output) const;

  Ledger ledger_;
  io::Session& session_;
  std::vector<std::string> notes_;
};

}  // namespace throng
