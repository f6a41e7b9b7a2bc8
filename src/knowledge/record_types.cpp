#include "knowledge/record_types.h"

#include <algorithm>
#include <bit>

namespace throng {
namespace {

// By quasi-identifier, by position: the rules whose condition on it, if any, is satisfied.
std::vector<std::vector<std::uint64_t>> satisfied_rules(const FrequencyList& list,
                                                        std::span<const NegativeRule> rules,
                                                        std::size_t width) {
  std::vector<std::vector<std::uint64_t>> rows(list.domains.size());
  for (std::size_t column = 0; column < list.domains.size(); ++column) {
    const Domain& domain = list.domains[column];
    std::vector<std::uint64_t>& row = rows[column];
    row.assign(domain.size() * width, 0);
    for (std::size_t rule = 0; rule < rules.size(); ++rule) {
      const auto& conditions = rules[rule].conditions;
      const auto condition =
          std::find_if(conditions.begin(), conditions.end(),
                       [&](const NegativeRule::Condition& each) { return each.column == column; });
      for (Code position = 0; position < domain.size(); ++position) {
        if (condition == conditions.end() || covers(domain, condition->region, position))
          row[position * width + rule / 64] |= std::uint64_t{1} << (rule % 64);
      }
    }
  }
  return rows;
}

}  // namespace

RecordTypes record_types(const FrequencyList& list, std::size_t column,
                         std::span<const NegativeRule> rules) {
  ImpossibleSets sets(list.sensitive_sizes[column]);
  const std::size_t width = (rules.size() + 63) / 64;
  const auto rows = satisfied_rules(list, rules, width);
  std::vector<std::uint32_t> set_of(list.size(), 0);
  std::vector<std::uint64_t> satisfied(width), before(width), words(sets.words());
  for (std::size_t entry = 0; entry < list.size(); ++entry) {
    std::fill(satisfied.begin(), satisfied.end(), ~std::uint64_t{0});
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::uint64_t* row = rows[i].data() + list.positions[i][entry] * width;
      for (std::size_t word = 0; word < width; ++word) satisfied[word] &= row[word];
    }
    // Entries are sorted by quasi-identifiers: neighbours satisfy the same rules.
    if (entry > 0 && satisfied == before) {
      set_of[entry] = set_of[entry - 1];
      continue;
    }
    before = satisfied;
    std::fill(words.begin(), words.end(), std::uint64_t{0});
    for (std::size_t word = 0; word < width; ++word) {
      for (std::uint64_t bits = satisfied[word]; bits != 0; bits &= bits - 1) {
        const std::size_t rule = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
        if (rule >= rules.size()) break;
        if (const std::optional<Code> value = rules[rule].code)
          words[*value / 64] |= std::uint64_t{1} << (*value % 64);
      }
    }
    set_of[entry] = sets.add(words);
  }
  return make_record_types(std::move(sets), list.values[column], set_of);
}

std::vector<std::size_t> rules_of(const FrequencyList& list, std::size_t entry,
                                  std::span<const NegativeRule> rules) {
  std::vector<Code> positions;
  for (const auto& column : list.positions) positions.push_back(column[entry]);
  std::vector<std::size_t> found;
  for (std::size_t rule = 0; rule < rules.size(); ++rule) {
    if (rules[rule].code && satisfies(rules[rule], list.domains, positions)) found.push_back(rule);
  }
  return found;
}

}  // namespace throng
