// What each strategy makes of a pool of raw records. `dynamic` keeps its own state (dynamic.h), and
// `sequential` publishes every record of a table at once (sequential.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "publication/ledger.h"
#include "publication/pool.h"

namespace throng {

struct Decision {
  Release added;                    // the classes that begin; no rows where none does
  std::vector<RawRecords> waiting;  // by batch
  KnownValues additions;            // to the known values
  std::vector<Domain> domains;      // of all records so far
};

// `pool`: under append and static-batch the new records and those that wait, under static-full all.
Decision decide(Strategy strategy, const std::vector<RawRecords>& pool, const KnownValues& known,
                const Policy& policy, const std::vector<std::string>& names, std::uint32_t release,
                std::uint64_t seed);

}  // namespace throng
