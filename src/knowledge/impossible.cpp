// A rule is a bit. For each column and position stand the rules that the position does not rule
// out; the rules that a record satisfies are what is common to all its positions. Entries are
// sorted, so from one to the next only the last columns change. Cost: O(entries · rules / 64) at
// most a column, mostly for one or two columns.
#include "knowledge/impossible.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

namespace throng {
namespace {

using Bits = std::vector<std::uint64_t>;

// Up to so many words of a column's bits are written out by position.
constexpr std::size_t kMostWords = std::size_t{1} << 21;

std::size_t words_for(std::size_t bits) { return (bits + 63) / 64; }
void set_bit(std::uint64_t* bits, std::size_t at) {
  bits[at / 64] |= std::uint64_t{1} << (at % 64);
}
bool has_bit(const Bits& bits, std::size_t at) { return (bits[at / 64] >> (at % 64) & 1U) != 0; }

// The rules by what they say of one column.
class ColumnRules {
 public:
  ColumnRules(const Domain& domain, std::size_t column,
              const std::vector<const NegativeRule*>& rules)
      : words_(words_for(rules.size())), silent_(words_, 0) {
    std::map<Region, std::vector<std::uint32_t>> named;
    for (std::uint32_t i = 0; i < rules.size(); ++i) {
      const auto& conditions = rules[i]->conditions;
      const auto found = std::find_if(conditions.begin(), conditions.end(),
                                      [&](const auto& each) { return each.column == column; });
      if (found == conditions.end()) {
        set_bit(silent_.data(), i);
      } else {
        named[found->region].push_back(i);
      }
    }
    is_named_ = !named.empty();
    is_wide_ = domain.size() * words_ > kMostWords;
    if (is_wide_) {
      regions_.resize(domain.size());
    } else {
      for (Code position = 0; position < domain.size(); ++position)
        by_position_.insert(by_position_.end(), silent_.begin(), silent_.end());
    }
    for (auto& [region, numbers] : named) {
      for (Code position = region.low; position <= region.high; ++position) {
        if (!covers(domain, region, position)) continue;
        if (is_wide_) {
          regions_[position].push_back(static_cast<std::uint32_t>(by_region_.size()));
        } else {
          for (const std::uint32_t rule : numbers)
            set_bit(by_position_.data() + position * words_, rule);
        }
      }
      by_region_.push_back(std::move(numbers));
    }
  }

  bool is_named() const { return is_named_; }

  // The rules of `before` that the position does not rule out.
  void narrow(Code position, const Bits& before, Bits& after) const {
    const std::uint64_t* const bits =
        is_wide_ ? silent_.data() : by_position_.data() + position * words_;
    for (std::size_t word = 0; word < words_; ++word) after[word] = before[word] & bits[word];
    if (!is_wide_) return;
    for (const std::uint32_t region : regions_[position]) {
      for (const std::uint32_t rule : by_region_[region]) {
        if (has_bit(before, rule)) set_bit(after.data(), rule);
      }
    }
  }

 private:
  std::size_t words_ = 0;
  bool is_named_ = false;  // by any rule
  bool is_wide_ = false;
  Bits silent_;       // the rules that do not name the column
  Bits by_position_;  // silent, or naming a region that covers the position
  // Of a wide column: the rules by their region, and the regions that cover a position.
  std::vector<std::vector<std::uint32_t>> by_region_, regions_;
};

// Calls `use(entry, bits, is_new)` for each entry with the rules that it satisfies, and whether
// they may differ from those of the entry before.
template <typename Use>
void walk(const FrequencyList& list, const std::vector<const NegativeRule*>& rules,
          const Use& use) {
  std::vector<std::pair<const std::vector<Code>*, ColumnRules>> columns;
  for (std::size_t i = 0; i < list.domains.size(); ++i) {
    ColumnRules column(list.domains[i], i, rules);
    if (column.is_named()) columns.emplace_back(&list.positions[i], std::move(column));
  }
  // By the number of columns looked at: the rules that are left.
  std::vector<Bits> left(columns.size() + 1, Bits(words_for(rules.size()), 0));
  for (std::size_t i = 0; i < rules.size(); ++i) set_bit(left[0].data(), i);
  for (std::size_t entry = 0; entry < list.size(); ++entry) {
    std::size_t same = 0;
    while (entry > 0 && same < columns.size() &&
           (*columns[same].first)[entry] == (*columns[same].first)[entry - 1])
      ++same;
    for (std::size_t i = same; i < columns.size(); ++i)
      columns[i].second.narrow((*columns[i].first)[entry], left[i], left[i + 1]);
    use(entry, left.back(), entry == 0 || same < columns.size());
  }
}

}  // namespace

Impossible impossible_values(const FrequencyList& list, std::span<const NegativeRule> rules) {
  std::vector<const NegativeRule*> known;
  for (const NegativeRule& rule : rules) {
    if (rule.code) known.push_back(&rule);
  }
  std::stable_sort(known.begin(), known.end(),
                   [](const auto* a, const auto* b) { return *a->code < *b->code; });
  // The bits of a value's rules are a range.
  struct Range {
    Code value = 0;
    std::size_t first_word = 0;
    Bits mask;
  };
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (i == 0 || *known[i]->code != *known[i - 1]->code)
      ranges.push_back({*known[i]->code, i / 64, {}});
    Range& range = ranges.back();
    range.mask.resize(i / 64 - range.first_word + 1, 0);
    range.mask.back() |= std::uint64_t{1} << (i % 64);
  }
  Impossible impossible;
  impossible.set_of.resize(list.size());
  std::map<std::vector<Code>, std::uint32_t> numbers;
  std::vector<Code> values;
  walk(list, known, [&](std::size_t entry, const Bits& bits, bool is_new) {
    if (!is_new) {
      impossible.set_of[entry] = impossible.set_of[entry - 1];
      return;
    }
    values.clear();
    for (const Range& range : ranges) {
      for (std::size_t word = 0; word < range.mask.size(); ++word) {
        if ((bits[range.first_word + word] & range.mask[word]) == 0) continue;
        values.push_back(range.value);
        break;
      }
    }
    const auto [found, is_first] =
        numbers.try_emplace(values, static_cast<std::uint32_t>(impossible.sets.size()));
    if (is_first) impossible.sets.push_back(values);
    impossible.set_of[entry] = found->second;
  });
  return impossible;
}

std::vector<RuleCount> count_rules(const FrequencyList& list, std::size_t sensitive,
                                   std::span<const NegativeRule> rules) {
  std::vector<const NegativeRule*> all;
  for (const NegativeRule& rule : rules) all.push_back(&rule);
  std::vector<RuleCount> counts(rules.size());
  walk(list, all, [&](std::size_t entry, const Bits& bits, bool /*is_new*/) {
    for (std::size_t word = 0; word < bits.size(); ++word) {
      for (std::uint64_t rest = bits[word]; rest != 0; rest &= rest - 1) {
        const std::size_t rule = word * 64 + static_cast<std::size_t>(std::countr_zero(rest));
        counts[rule].records += list.weights[entry];
        if (rules[rule].code == list.values[sensitive][entry])
          counts[rule].contrary += list.weights[entry];
      }
    }
  });
  return counts;
}

std::vector<NegativeRule> combine_rules(std::vector<NegativeRule> stated,
                                        const std::vector<NegativeRule>& mined,
                                        std::span<const Domain> domains) {
  const auto says_no_more = [&](const NegativeRule& rule, const NegativeRule& than) {
    if (rule.value != than.value) return false;
    return std::all_of(than.conditions.begin(), than.conditions.end(), [&](const auto& condition) {
      return std::any_of(rule.conditions.begin(), rule.conditions.end(), [&](const auto& own) {
        return own.column == condition.column &&
               lies_in(domains[own.column], own.region, condition.region);
      });
    });
  };
  const std::size_t count = stated.size();
  for (const NegativeRule& rule : mined) {
    const bool is_said =
        std::any_of(stated.begin(), stated.begin() + static_cast<std::ptrdiff_t>(count),
                    [&](const NegativeRule& other) { return says_no_more(rule, other); });
    if (!is_said) stated.push_back(rule);
  }
  return stated;
}

}  // namespace throng
