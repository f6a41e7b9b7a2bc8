#include "knowledge/gather.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "knowledge/impossible.h"
#include "throng/error.h"

namespace throng {
const Dictionary& values_of(const FrequencyList& list, std::size_t sensitive) {
  const auto plain = std::find_if(
      list.plain.begin(), list.plain.end(),
      [&](const FrequencyList::Plain& each) { return each.name == list.sensitive[sensitive]; });
  if (plain == list.plain.end()) throw std::logic_error("a guarded column without values");
  return plain->values;
}

std::string ruled_column(const Policy& policy) {
  if (policy.matching) return policy.matching->column;
  std::vector<std::string> names;
  for (const ColumnPolicy& column : policy.columns) {
    if (column.role == Role::sensitive) names.push_back(column.name);
  }
  if (names.empty()) {
    throw InputError(
        fmt::format("{}: no column is sensitive; expected one whose values the rules can rule out",
                    policy.source));
  }
  if (names.size() > 1) {
    throw InputError(
        fmt::format("{}: {} columns are sensitive ({}); expected `matching-l-diversity: {{column: "
                    "…, l: …}}` in `privacy:` to name the one to mine",
                    policy.source, names.size(), fmt::join(names, ", ")));
  }
  return names[0];
}

FrequencyList list_for_rules(Table table, Policy policy, const std::string& column) {
  std::erase_if(table.columns, [&](const Column& each) {
    return each.name != column && policy.find(each.name)->role != Role::quasi_identifier;
  });
  policy.diversities.clear();
  policy.matching = {column, 1};
  return make_frequency_list(table, policy);
}

std::vector<NegativeRule> stated_rules(const std::string& path, const FrequencyList& list,
                                       std::size_t sensitive, bool must_hold,
                                       std::vector<std::string>& warnings) {
  const Dictionary& values = values_of(list, sensitive);
  std::vector<NegativeRule> rules = read_rules(path, list.domains, values);
  const std::vector<RuleCount> counts = count_rules(list, sensitive, rules);
  std::vector<std::uint64_t> having(values.size(), 0);
  for (std::size_t entry = 0; entry < list.size(); ++entry)
    having[list.values[sensitive][entry]] += list.weights[entry];
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const std::string place = fmt::format("{}: rule {}", path, i + 1);
    if (!rules[i].code) {
      const auto meant = nearest(rules[i].value, values.labels);
      throw InputError(fmt::format("{}, \"not\": '{}' is no value of column '{}'{}", place,
                                   rules[i].value, list.sensitive[sensitive],
                                   meant ? fmt::format("; did you mean '{}'?", *meant)
                                         : "; expected one that the table has"));
    }
    const RuleCount& count = counts[i];
    if (count.contrary > 0 && count.contrary == count.records) {
      throw InputError(
          fmt::format("{}: all {} records that satisfy it have '{}'; expected a rule "
                      "that the table does not contradict",
                      place, count.records, rules[i].value));
    }
    if (count.contrary > 0) {
      const std::string wrong = fmt::format("{}: {} of the {} records that satisfy it have '{}'",
                                            place, count.contrary, count.records, rules[i].value);
      if (must_hold) throw InputError(wrong + "; expected rules that are true of every record");
      warnings.push_back(wrong + "; the rule is wrong for them");
    }
    rules[i].records = count.records;
    rules[i].expectation = expectation_of(
        static_cast<double>(having[*rules[i].code]) / static_cast<double>(list.records),
        static_cast<double>(count.records));
  }
  return rules;
}

GatheredRules gather_rules(const std::optional<Knowledge>& knowledge, const FrequencyList& list,
                           std::size_t sensitive) {
  GatheredRules gathered;
  if (!knowledge) return gathered;
  std::vector<std::string> no_warnings;
  if (knowledge->rules)
    gathered.rules = stated_rules(*knowledge->rules, list, sensitive, true, no_warnings);
  gathered.stated = gathered.rules.size();
  // A file that was mined is stated by whoever names it.
  for (NegativeRule& rule : gathered.rules) rule.source = NegativeRule::Source::stated;
  if (knowledge->mine) {
    gathered.rules =
        combine_rules(std::move(gathered.rules),
                      mine_rules(list, sensitive, *knowledge->mine).rules, list.domains);
  }
  return gathered;
}

std::string words_of(const NegativeRule& rule, std::span<const Domain> domains) {
  std::string text;
  for (const NegativeRule::Condition& condition : rule.conditions) {
    const Domain& domain = domains[condition.column];
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", domain.name,
                        write_region(domain, condition.region));
  }
  return fmt::format("{} => not {}", text, rule.value);
}

}  // namespace throng
