// What `throng audit` is given, read; and the report that it makes.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "audit/link.h"
#include "cli/publication.h"
#include "publication/follow.h"
#include "release/buckets.h"
#include "release/release.h"

namespace throng::cli {

using Json = nlohmann::ordered_json;

struct AuditArguments {
  PublicationArguments publication;
  std::vector<std::string> words;  // POLICY RELEASE…
  std::string private_table, membership, population, report, page;
  double threshold = 0.2;
  std::size_t explain = 0;
};

// Everything that was found out, for people and for programs.
struct AuditReport {  // NOLINT(bugprone-exception-escape): of the JSON library, in a move
  Json json;
  std::vector<std::string> lines;
  std::vector<std::string> broken;    // promises that do not hold: the gate
  std::vector<std::string> warnings;  // what the reader should know
};

// Rules as such a file has them: each release reads them with its own domains.
struct MinedRules {
  std::string json;
  std::size_t count = 0;
};

struct Audited {
  Policy policy;
  std::vector<std::string> sources;
  std::vector<Release> releases;  // in the order of publication, with the same domains
  std::vector<Buckets> buckets;   // releases that unlink instead of generalizing
  std::vector<std::string> bucket_sources;
  // Exact tables in the domains of the releases, as releases of single values.
  std::optional<Release> records, population;
  std::vector<std::vector<char>> is_in;  // by release, by record of `records`
  bool records_known = false;            // from `records` or from a ledger
  bool sequential = false;               // those of a sequential publication: of the same people
  std::size_t explain = 0;               // how many cases to tell
  std::optional<MinedRules> mined;       // from the private table
  std::optional<std::string> rules;      // that a ledger knows, as a file of rules
};

// Throws InputError. `publication` is opened where the releases are those of one.
Audited read_audited(const AuditArguments& arguments, io::Session& session,
                     std::optional<Publication>& publication, AuditReport& report);

// The names of a release's columns, sorted.
std::vector<std::string> columns_of(const Release& release);

// The sensitive columns that the policy guards, with the ℓ that is asked of them.
std::vector<GuardedColumn> guarded_of(const Audited& audited);

// How many of the population each class covers.
std::vector<std::uint64_t> population_of_classes(const Release& release, const Release& population);

// The private records in the classes of the releases.
Linked link_to_releases(const Audited& audited, const std::string& column);

}  // namespace throng::cli
