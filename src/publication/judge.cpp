#include "publication/judge.h"

#include <numeric>

#include "knowledge/attacker.h"

namespace throng {
namespace {

FrequencyList list_of_guards(const std::vector<Guard>& guards,
                             const std::vector<std::string>& names,
                             const std::vector<Values>& values) {
  FrequencyList list;
  for (const Guard& guard : guards) {
    list.sensitive.push_back(names[guard.column]);
    list.sensitive_sizes.push_back(values[guard.column].size());
  }
  list.values.resize(guards.size());
  return list;
}

}  // namespace

KnownTypes::KnownTypes(const std::string& rules, const Policy& policy,
                       const std::vector<Domain>& domains, const Space& space,
                       const Values& guarded_values, std::size_t guarded,
                       std::span<const Code> records, std::size_t width)
    : quasi_(domains.size()), guarded_(guarded) {
  FrequencyList list;
  list.domains = domains;
  list.positions.resize(quasi_);
  list.values.resize(1);
  list.sensitive = {policy.matching->column};
  list.sensitive_sizes = {guarded_values.size()};
  for (std::size_t at = 0; at < records.size(); at += width) {
    const std::span<const Code> record = records.subspan(at, width);
    const auto entry = static_cast<std::uint32_t>(list.weights.size());
    if (!type_of_.try_emplace(key_of(record), entry).second) continue;
    for (std::size_t axis = 0; axis < quasi_; ++axis)
      list.positions[axis].push_back(space.position(axis, record[axis]));
    list.values[0].push_back(record[guarded]);
    list.weights.push_back(1);
  }
  list.records = list.weights.size();
  // Rules know values by their place in the order, records by their lasting numbers. A rule about
  // what nobody has says nothing.
  const Values::Sorted& sorted = guarded_values.sorted();
  std::vector<NegativeRule> known =
      parse_rules(rules, policy.source, domains, sorted.dictionary, /*lenient=*/true);
  for (NegativeRule& rule : known) {
    if (rule.code) rule.code = sorted.value_of[*rule.code];
  }
  Attacker attacker = attacker_with(list, policy, std::move(known));
  types_ = std::move(attacker.types);
  for (auto& [key, type] : type_of_) type = list.types[type];
}

std::string KnownTypes::key_of(std::span<const Code> record) const {
  std::string key(reinterpret_cast<const char*>(record.data()), quasi_ * sizeof(Code));
  return key.append(reinterpret_cast<const char*>(&record[guarded_]), sizeof(Code));
}

std::uint32_t KnownTypes::type_of(std::span<const Code> record) const {
  return type_of_.at(key_of(record));
}

Judge::Judge(const Policy& policy, const std::vector<Guard>& guards,
             const std::vector<std::string>& names, const std::vector<Values>& values,
             const KnownTypes* known)
    : guards_(guards),
      known_(known),
      list_(list_of_guards(guards, names, values)),
      requirements_(policy, list_, known == nullptr ? nullptr : &known->types()),
      tally_(requirements_.tally(list_)) {}

void Judge::resize(std::size_t count) {
  list_.weights.resize(count);
  for (auto& column : list_.values) column.resize(count);
  if (has_knowledge()) list_.types.resize(count);
}

void Judge::set(std::size_t entry, std::span<const Code> record, std::uint32_t weight) {
  for (std::size_t g = 0; g < guards_.size(); ++g)
    list_.values[g][entry] = record[guards_[g].column];
  list_.weights[entry] = weight;
  if (has_knowledge()) list_.types[entry] = known_->type_of(record);
}

std::span<const std::uint32_t> Judge::all(std::size_t count) {
  if (all_.size() < count) {
    all_.resize(count);
    std::iota(all_.begin(), all_.end(), 0);
  }
  return std::span(all_).first(count);
}

}  // namespace throng
