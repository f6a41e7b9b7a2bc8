// The `dynamic` strategy: a publication that grows by adding classes, inserting records into
// classes, and splitting classes, and in which no two releases ever open an inference channel.
// dynamic.cpp has the claim, its source and its cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "audit/history.h"
#include "policy/policy.h"
#include "publication/change.h"
#include "publication/database.h"
#include "publication/pool.h"
#include "publication/vault.h"
#include "table/table.h"

namespace throng {

class Dynamic {
 public:
  // Its tables, in a new ledger.
  static void create(Database& database);

  // All three must outlive it.
  Dynamic(Database& database, const Vault& vault, const Policy& policy);
  ~Dynamic();
  Dynamic(const Dynamic&) = delete;
  Dynamic& operator=(const Dynamic&) = delete;

  // Makes release number `release` (1, 2, …): takes the released columns of the batch, decides, and
  // writes its state inside the open transaction of the caller. After an error, or where the
  // transaction is not committed, this object is of no more use. `added.suppressed` is 0: who waits
  // is told by waiting(). `rules`: all that the attacker of matching ℓ-diversity knows, as a file
  // of rules. Throws InputError.
  Change update(const Table& batch, std::uint32_t release, ClassId first_class, std::uint64_t seed,
                const std::string& rules = "[]");

  struct Waiting {
    std::uint64_t records = 0;
    std::uint32_t oldest_release = 0;  // that in which the longest waiting one came; 0: none waits
  };
  Waiting waiting() const;

  // Everything that ever came: in which class (by its number) each record was, in every release.
  // Those that wait were in none. `guarded_column` counts the columns of which the policy asks
  // ℓ-diversity, in the order of the table; its values are numbered as they came.
  History history(std::size_t guarded_column) const;

  // Quasi-identifiers and the column of matching ℓ-diversity of everyone, for whom rules are mined
  // and tried.
  struct People {
    RawRecords records;     // each once, those that wait too
    RawRecords in_classes;  // once for every class that he was ever in: kClassColumn, the last one
  };
  People people() const;

  // Of the quasi-identifiers, in the order of the table: of all records so far, waiting ones too.
  const std::vector<Domain>& domains() const;

 private:
  class Ledger;
  class Update;
  std::unique_ptr<Ledger> ledger_;
};

}  // namespace throng
