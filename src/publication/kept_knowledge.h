// What the attacker of matching ℓ-diversity knows of a publication, and who is in its classes.
//
// Claim: a rule that was ever known stays known, for everyone of whom it is true. A rule that
// becomes known later, because it is mined from more records or because another file states it, is
// held against every class that was published before, with the exact quasi-identifiers of the
// people in it. Fewer rules leave everyone more values, so nothing that is forgotten could help the
// attacker; nothing is.
//
// For this the ledger of such a publication keeps, sealed, the exact quasi-identifiers and the
// guarded value of everyone it has published, and in which class; `append` and `static-batch`
// otherwise forget whom they have published. `static-full`, which promises nothing for earlier
// releases, looks at the new classes alone.
//
// Cost of a release: mining over all records so far, and one matching a class that was published.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/session.h"
#include "knowledge/attacker.h"
#include "publication/change.h"
#include "publication/ledger.h"
#include "publication/pool.h"

namespace throng {

class KeptKnowledge {
 public:
  // Its tables, in a new ledger.
  static void create(Database& database);

  // Throws InputError where the policy's file of rules is none, or speaks of a column that is no
  // quasi-identifier. Which values occur only the batches tell.
  static void check_rules(const Policy& policy);

  explicit KeptKnowledge(Ledger& ledger) : ledger_(ledger), database_(ledger.database()) {}

  // What a release finds before it decides.
  struct Found {
    std::string rules;  // all that are known now, as a file of rules
    std::string fresh;  // those of them that became known now
    std::size_t rule_count = 0, fresh_count = 0, stated = 0;
    std::optional<std::size_t> valid;  // the fewest valid values of who was published before
    // Who was published before and has fewer than l valid values by the fresh rules, and had
    // enough without them.
    std::uint64_t exposed = 0;
    std::size_t exposed_classes = 0;
    std::vector<std::string> exposing;  // the fresh rules that speak of those classes, in words
  };
  // `pool`: the records that the release decides about. Throws InputError where the policy's file
  // of rules is wrong of a record.
  Found find(const std::vector<RawRecords>& pool, const std::vector<std::string>& names);

  void keep_rules(std::int64_t release, const Found& found);
  // `people`: of the classes that begin, with kClassColumn as the last column: the number in the
  // release.
  void keep_people(std::int64_t release, const RawRecords& people);

  // For status: known rules, and records whose exposure was accepted.
  struct Totals {
    std::int64_t rules = 0, exposed = 0, people = 0;
  };
  Totals totals();

  // All that are known, as a file of rules.
  std::string rules();
  // Everyone published, by release, with the number of his class in kClassColumn, the last column.
  std::vector<RawRecords> people();

  // What the attacker knows of the people in the classes from `first_class` on, by their numbers
  // from there, with the codes of `values`, which they publish. Of a publication that knows who is
  // in them: dynamic.
  KnownRecords known_in(ClassId first_class, const std::vector<std::string>& values,
                        const std::string& rules);

  // Everyone published and everything known, matched again: what is not as it should be. Records
  // whose exposure was accepted are. Nothing is asked of static-full.
  std::vector<std::string> check(io::Session& session);

 private:
  struct Published;
  std::vector<std::string> kept_rules();
  Published published(const std::vector<std::string>& names);

  Ledger& ledger_;
  Database& database_;
};

// The column of a people's class, as text.
extern const char* const kClassColumn;

}  // namespace throng
