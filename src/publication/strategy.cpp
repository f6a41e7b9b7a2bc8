#include "publication/strategy.h"

#include <algorithm>
#include <stdexcept>

#include "algorithms/blocks.h"
#include "publication/kept_knowledge.h"

namespace throng {
namespace {

Partition nothing_goes(const FrequencyList& list) {
  Partition partition;
  partition.class_of.assign(list.size(), kSuppressed);
  return partition;
}

bool whole_meets(const FrequencyList& list, const Requirements& requirements) {
  const std::vector<char> hopeless = requirements.hopeless(list);
  Tally all = requirements.tally(list);
  for (std::size_t entry = 0; entry < list.size(); ++entry) {
    if (hopeless.empty() || !hopeless[entry]) all.add(entry);
  }
  return requirements.met(all);
}

Partition partition_of(Strategy strategy, const Pool& pool, const Policy& policy,
                       std::uint32_t release, const RecordTypes* types) {
  const FrequencyList& list = pool.list();
  const Requirements requirements(policy, list, types);
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

// Who goes out, with the number of the partition's class.
RawRecords people_in(const FrequencyList& list, std::size_t column, const Partition& partition) {
  std::vector<std::uint32_t> rows;  // entries, repeated
  for (std::uint32_t entry = 0; entry < list.size(); ++entry) {
    if (partition.class_of[entry] != kSuppressed)
      rows.insert(rows.end(), list.weights[entry], entry);
  }
  RawRecords people;
  people.rows = rows.size();
  const auto add = [&](const std::string& name, std::vector<std::string> texts,
                       const std::vector<std::uint32_t>& code_of) {
    std::vector<Code> codes;
    codes.reserve(rows.size());
    for (const std::uint32_t entry : rows) codes.push_back(code_of[entry]);
    people.columns.push_back({name, std::move(texts), {}});
    people.columns.back().codes = Codes(codes, people.columns.back().texts.size());
  };
  for (const FrequencyList::Slot& slot : list.layout) {
    if (slot.quasi) {
      const Domain& domain = list.domains[slot.index];
      add(domain.name, domain.values.labels, list.positions[slot.index]);
    } else if (list.plain[slot.index].name == list.sensitive[column]) {
      add(list.sensitive[column], list.plain[slot.index].values.labels, list.values[column]);
    }
  }
  add(kClassColumn, std::vector<std::string>(partition.classes), partition.class_of);
  return people;
}

}  // namespace

Decision decide(Strategy strategy, const std::vector<RawRecords>& records, const KnownValues& known,
                const Policy& policy, const std::vector<std::string>& names, std::uint32_t release,
                std::uint64_t seed, const std::string& rules) {
  Pool pool(records, known, policy, names);
  Decision decision;
  decision.additions = pool.additions(known);
  decision.domains = pool.list().domains;
  std::optional<Attacker> attacker;
  if (policy.matching) attacker = attacker_knowing(pool.list(), policy, rules);
  const Partition partition =
      partition_of(strategy, pool, policy, release, attacker ? &attacker->types : nullptr);
  decision.waiting = pool.left_out(partition);
  if (partition.classes == 0) return decision;
  if (attacker) {
    decision.known = known_records(pool.list(), *attacker);
    decision.people = people_in(pool.list(), attacker->column, partition);
  }
  std::vector<std::uint32_t> numbers;
  decision.added = std::move(pool).release(partition, seed, &numbers);
  if (attacker) {
    for (const std::uint32_t number : partition.class_of)
      decision.known->class_of.push_back(number == kSuppressed ? kSuppressed : numbers[number]);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      decision.people.columns.back().texts[i] = std::to_string(numbers[i]);
  }
  return decision;
}

}  // namespace throng
