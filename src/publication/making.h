// A release in the making: what happens inside its transaction, step by step.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/new_file.h"
#include "publication/change.h"
#include "publication/kept_knowledge.h"
#include "publication/pool.h"
#include "publication/publication.h"

namespace throng {

class Making {
 public:
  // What is given must live as long. `before`: of a sequential publication, all its releases.
  Making(Ledger& ledger, io::Session& session, Batch batch, const ReleaseOptions& options,
         const std::optional<ReleaseRecord>& last, const std::vector<ReleaseRecord>& before);

  const ReleaseRecord& record() const { return record_; }
  const Figures& figures() const { return figures_; }
  // Of a sequential publication.
  const std::optional<Joined>& joined() const { return joined_; }
  double write_seconds() const { return write_seconds_; }
  // All but the commit.
  void make();
  // After the commit: the output gets its name.
  void put_in_place();

 private:
  // The publication's order of columns.
  void put_in_order();
  void insert_keys();
  void find_rules(const std::vector<RawRecords>& pool);
  void update_classes();
  void decide_and_keep();
  // What the release of a sequential publication is called, and its columns.
  void insert_projection();
  // The table as far as it can be told beside all that is out. Nothing of it is kept.
  void specialize_table();
  KnownValues known_values();
  // Throws PrivacyError where rules that became known expose people, and nobody accepted that.
  void refuse_exposed() const;
  void keep(const RawRecords& records);
  // Every class so far ends: those of the last release that had any.
  void end_all();
  void check_and_write_segment();
  void count();
  void insert_record();
  void write_output();
  void update_record();

  Ledger& ledger_;
  Database& database_;
  io::Session& session_;
  Batch batch_;
  const ReleaseOptions& options_;
  const std::optional<ReleaseRecord>& last_;
  const std::vector<ReleaseRecord>& before_;
  ReleaseRecord record_;
  std::vector<std::string> names_;
  Release added_;
  std::vector<ClassId> ended_;
  std::vector<Domain> domains_;
  // Under matching ℓ-diversity: what was found before deciding, and of the classes that begin.
  std::optional<KeptKnowledge::Found> found_;
  std::optional<KnownRecords> known_records_;
  Figures figures_;
  std::optional<Joined> joined_;
  std::unique_ptr<io::NewFile> output_, manifest_;
  double write_seconds_ = 0;
};

// A keyed hash as the database takes it.
std::string_view bytes_of(const Vault::KeyHash& hash);
// The exclusive or of all key hashes, as the ledger has it, and how one more changes it.
Vault::KeyHash key_sum(const Ledger& ledger);
void add_to_sum(Vault::KeyHash& sum, std::string_view hash);

}  // namespace throng
