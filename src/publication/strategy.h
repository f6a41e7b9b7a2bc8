// What each strategy makes of a pool of raw records. `dynamic` keeps its own state (dynamic.h), and
// `sequential` publishes every record of a table at once (sequential.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "knowledge/attacker.h"
#include "publication/ledger.h"
#include "publication/pool.h"

namespace throng {

struct Decision {
  Release added;                    // the classes that begin; no rows where none does
  std::vector<RawRecords> waiting;  // by batch
  KnownValues additions;            // to the known values
  std::vector<Domain> domains;      // of all records so far
  // Under matching ℓ-diversity: what the attacker knows of the pool, with the classes of `added`;
  // and who is in these, with the number of the class as the last column (kClassColumn).
  std::optional<KnownRecords> known;
  RawRecords people;
};

// `pool`: under append and static-batch the new records and those that wait, under static-full all.
// `rules`: all that the attacker of matching ℓ-diversity knows, as a file of rules.
Decision decide(Strategy strategy, const std::vector<RawRecords>& pool, const KnownValues& known,
                const Policy& policy, const std::vector<std::string>& names, std::uint32_t release,
                std::uint64_t seed, const std::string& rules = "[]");

}  // namespace throng
