// What negative rules say of the records of a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "knowledge/rules.h"
#include "release/frequency_list.h"

namespace throng {

// Which sensitive values each entry cannot have. Few different sets occur, so they are kept once.
struct Impossible {
  std::vector<std::uint32_t> set_of;    // by entry: which of `sets`
  std::vector<std::vector<Code>> sets;  // distinct, in the order in which entries have them; the
                                        // values of each ascending
};

// Rules about values that the table does not have say nothing.
Impossible impossible_values(const FrequencyList& list, std::span<const NegativeRule> rules);

// How far a rule is true.
struct RuleCount {
  std::uint64_t records = 0;   // that satisfy X
  std::uint64_t contrary = 0;  // those of them that have s nevertheless
};

// `sensitive`: which of list.sensitive.
std::vector<RuleCount> count_rules(const FrequencyList& list, std::size_t sensitive,
                                   std::span<const NegativeRule> rules);

// The stated rules and behind them the mined ones, without those that say no more than a stated
// one.
std::vector<NegativeRule> combine_rules(std::vector<NegativeRule> stated,
                                        const std::vector<NegativeRule>& mined,
                                        std::span<const Domain> domains);

}  // namespace throng
