#include "publication/strategy.h"

#include <stdexcept>

#include "algorithms/blocks.h"

namespace throng {
namespace {

Partition nothing_goes(const FrequencyList& list) {
  Partition partition;
  partition.class_of.assign(list.size(), kSuppressed);
  return partition;
}

bool whole_meets(const FrequencyList& list, const Requirements& requirements) {
  Tally all(list);
  for (std::size_t entry = 0; entry < list.size(); ++entry) all.add(entry);
  return requirements.met(all);
}

Partition partition_of(Strategy strategy, const Pool& pool, const Policy& policy,
                       std::uint32_t release) {
  const FrequencyList& list = pool.list();
  const Requirements requirements(policy, list);
  switch (strategy) {
    case Strategy::append: {
      std::vector<char> due(list.size());
      for (std::size_t entry = 0; entry < list.size(); ++entry) {
        due[entry] = release - pool.oldest()[entry] >= policy.publication.patience ? 1 : 0;
      }
      return make_blocks(list, requirements, policy.publication.max_loss, due);
    }
    case Strategy::static_full:
    case Strategy::static_batch:
      if (!whole_meets(list, requirements)) return nothing_goes(list);
      return run_algorithm(list, requirements, policy);
    case Strategy::dynamic:
    case Strategy::sequential:
      break;
  }
  throw std::logic_error(std::string(name_of(strategy)) + " has no pool");
}

}  // namespace

Decision decide(Strategy strategy, const std::vector<RawRecords>& records, const KnownValues& known,
                const Policy& policy, const std::vector<std::string>& names, std::uint32_t release,
                std::uint64_t seed) {
  Pool pool(records, known, policy, names);
  Decision decision;
  decision.additions = pool.additions(known);
  decision.domains = pool.list().domains;
  const Partition partition = partition_of(strategy, pool, policy, release);
  decision.waiting = pool.left_out(partition);
  if (partition.classes > 0) decision.added = std::move(pool).release(partition, seed);
  return decision;
}

}  // namespace throng
