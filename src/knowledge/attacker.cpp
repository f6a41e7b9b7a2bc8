#include "knowledge/attacker.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "knowledge/gather.h"
#include "throng/error.h"

namespace throng {
namespace {

std::size_t guarded_column(const FrequencyList& list, const Policy& policy) {
  const auto found =
      std::find(list.sensitive.begin(), list.sensitive.end(), policy.matching->column);
  if (found == list.sensitive.end())
    throw std::logic_error("the column of matching l-diversity is not guarded");
  return static_cast<std::size_t>(found - list.sensitive.begin());
}

std::size_t stated_among(const std::vector<NegativeRule>& rules) {
  return static_cast<std::size_t>(std::count_if(
      rules.begin(), rules.end(),
      [](const NegativeRule& rule) { return rule.source == NegativeRule::Source::stated; }));
}

}  // namespace

void refuse_contradiction(const FrequencyList& list, std::size_t column,
                          const std::vector<NegativeRule>& rules, const std::string& source) {
  const std::vector<RuleCount> counts = count_rules(list, column, rules);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (counts[i].contrary == 0) continue;
    throw InputError(fmt::format(
        "{}: rule {}: {} of the {} records that satisfy it have '{}'; expected rules that are true "
        "of every record",
        source, i + 1, counts[i].contrary, counts[i].records, rules[i].value));
  }
}

Attacker attacker_with(FrequencyList& list, const Policy& policy, std::vector<NegativeRule> rules) {
  Attacker attacker;
  attacker.column = guarded_column(list, policy);
  attacker.rules = std::move(rules);
  attacker.stated = stated_among(attacker.rules);
  attacker.types = record_types(list, attacker.column, attacker.rules);
  for (std::uint32_t type = 0; type < attacker.types.types.size(); ++type) {
    if (!attacker.types.contradicts(type)) continue;
    RecordTypes::Type& one = attacker.types.types[type];
    const std::uint64_t* set = attacker.types.sets.set(one.set);
    std::vector<std::uint64_t> words(set, set + attacker.types.sets.words());
    words[one.value / 64] &= ~(std::uint64_t{1} << (one.value % 64));
    one.set = attacker.types.sets.add(words);
  }
  list.types = attacker.types.type_of;
  return attacker;
}

Attacker attacker_knowing(FrequencyList& list, const Policy& policy, const std::string& rules) {
  const Dictionary& values = values_of(list, guarded_column(list, policy));
  return attacker_with(list, policy,
                       parse_rules(rules, policy.source, list.domains, values, /*lenient=*/true));
}

std::optional<Attacker> attacker_of(FrequencyList& list, const Policy& policy) {
  if (!policy.matching) return std::nullopt;
  const std::size_t column = guarded_column(list, policy);
  GatheredRules gathered = gather_rules(policy.knowledge, list, column);
  return attacker_with(list, policy, std::move(gathered.rules));
}

KnownRecords known_records(const FrequencyList& list, const Attacker& attacker) {
  return known_records(list, attacker.column, attacker.rules);
}

KnownRecords known_records(const FrequencyList& list, std::size_t column,
                           const std::vector<NegativeRule>& rules) {
  KnownRecords known;
  known.column = list.sensitive[column];
  known.rules = rules.size();
  known.stated = stated_among(rules);
  known.impossible = impossible_values(list, rules);
  known.values = list.values[column];
  known.weights = list.weights;
  // Exceptions: a set without the value that the record has.
  Impossible& impossible = known.impossible;
  std::map<std::pair<std::uint32_t, Code>, std::uint32_t> without;
  for (std::size_t entry = 0; entry < list.size(); ++entry) {
    const std::uint32_t set = impossible.set_of[entry];
    const Code value = known.values[entry];
    if (!std::binary_search(impossible.sets[set].begin(), impossible.sets[set].end(), value))
      continue;
    const auto [found, is_new] =
        without.try_emplace({set, value}, static_cast<std::uint32_t>(impossible.sets.size()));
    if (is_new) {
      std::vector<Code> fewer = impossible.sets[set];
      std::erase(fewer, value);
      impossible.sets.push_back(std::move(fewer));
    }
    impossible.set_of[entry] = found->second;
  }
  return known;
}

}  // namespace throng
