// The classes of one release of a history: their records, and their multisets of values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "audit/history.h"

namespace throng {

struct Classes {
  struct Count {
    Code value = 0;
    std::uint32_t count = 0;
  };

  // Classes are numbered anew from 0, in the order of the numbers that the history gives them.
  std::vector<std::uint32_t> numbers;       // by class: its number in the history
  std::vector<std::uint32_t> of_record;     // by record: its class, or History::kAbsent
  std::vector<std::uint32_t> record_begin;  // of the class after the last one too
  std::vector<std::uint32_t> record_list;
  std::vector<std::uint32_t> count_begin;
  std::vector<Count> count_list;

  std::size_t size() const { return numbers.size(); }
  std::span<const std::uint32_t> records(std::uint32_t number) const {
    return {record_list.data() + record_begin[number],
            record_list.data() + record_begin[number + 1]};
  }
  // The distinct values and how often each occurs, in the order of the values.
  std::span<const Count> counts(std::uint32_t number) const {
    return {count_list.data() + count_begin[number], count_list.data() + count_begin[number + 1]};
  }
};

// Time n log n of n records. Throws std::invalid_argument where the history is not a table.
Classes make_classes(const History& history, std::size_t release);

// How often the value occurs, by binary search; nullptr: not at all.
const Classes::Count* find_count(std::span<const Classes::Count> counts, Code value);

}  // namespace throng
