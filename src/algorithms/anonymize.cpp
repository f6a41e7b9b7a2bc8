#include "algorithms/anonymize.h"

#include <fmt/format.h>

#include "algorithms/algorithm.h"

namespace throng {

Release anonymize_table(Table table, const Policy& policy, std::uint64_t seed,
                        std::optional<KnownRecords>* known) {
  FrequencyList list = make_frequency_list(table, policy);
  table = {};  // the frequency list holds all that is needed
  const std::optional<Attacker> attacker = attacker_of(list, policy);
  const Requirements requirements(policy, list, attacker ? &attacker->types : nullptr);
  const Partition partition = run_algorithm(list, requirements, policy);
  if (!attacker || known == nullptr) return make_release(std::move(list), partition, seed);
  *known = known_records(list, *attacker);
  const std::vector<char> hopeless = requirements.hopeless(list);
  for (std::size_t entry = 0; entry < hopeless.size(); ++entry)
    (*known)->hopeless += hopeless[entry] ? list.weights[entry] : 0;
  std::vector<std::uint32_t> numbers;
  Release release = make_release(std::move(list), partition, seed, &numbers);
  for (const std::uint32_t number : partition.class_of)
    (*known)->class_of.push_back(number == kSuppressed ? kSuppressed : numbers[number]);
  return release;
}

std::vector<std::string> warnings_about(const Table& table, const Policy& policy) {
  // On average fewer than two records share a value.
  constexpr double kNearlyUnique = 0.5;
  std::vector<std::string> warnings;
  for (const Column& column : table.columns) {
    const ColumnPolicy* rule = policy.find(column.name);
    if (rule == nullptr || rule->role != Role::insensitive) continue;
    if (column.values.size() < 2) continue;  // a constant tells nothing
    const double share =
        static_cast<double>(column.values.size()) / static_cast<double>(table.rows);
    if (share < kNearlyUnique) continue;
    warnings.push_back(
        fmt::format("column '{}' is insensitive but nearly unique ({} values in {} records): "
                    "released as it is, it identifies "
                    "rows; make it an identifier, or a quasi-identifier",
                    column.name, column.values.size(), table.rows));
  }
  return warnings;
}

}  // namespace throng
