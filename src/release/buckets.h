// A release that leaves quasi-identifiers exact and unlinks the sensitive values. Two tables:
// NAME.qit.csv, each record with its quasi-identifiers and its `group`, and NAME.st.csv, how often
// each sensitive value (`group`, the sensitive column, `count`) occurs in a group. Or one: records
// with their `group`, inside which the sensitive values are permuted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "release/foreign.h"

namespace throng {

struct Buckets {
  struct Count {
    Code value = 0;
    std::uint32_t count = 0;
    bool operator==(const Count&) const = default;
  };

  // The quasi-identifiers in the file's order, and by each, by row, the position of its value.
  std::vector<Domain> domains;
  std::vector<std::vector<Code>> positions;
  std::vector<std::uint32_t> group_of_row;
  std::vector<std::string> groups;  // their names in the order of the numbers, else of the text
  // The sensitive column, and the multisets of the groups one after the other.
  std::string sensitive;
  Dictionary values;
  std::vector<std::size_t> count_begin;  // of the group after the last one too
  std::vector<Count> count_list;

  std::size_t rows() const { return group_of_row.size(); }
  // The distinct values of a group and how often each occurs, in the order of the values.
  std::span<const Count> counts(std::uint32_t group) const {
    return {count_list.data() + count_begin[group], count_list.data() + count_begin[group + 1]};
  }
};

// `qit`: `group` and quasi-identifiers; insensitive columns and identifiers are not read; `st`:
// `group`, one sensitive column, `count`. Throws ForeignValue (file 0 is `qit`, 1 is `st`): a
// region where a value should be, a bad count. InputError: other columns, or groups whose counts
// are not those of their records.
Buckets read_buckets(const ForeignFile& qit, const ForeignFile& st, const Policy& policy);

// One table of both. Throws the same.
Buckets read_permuted(const ForeignFile& file, const Policy& policy);

}  // namespace throng
