// The checking algorithm of the Injector paper (Li and Li 2008, figure 1), as it stands there:
// slow, and plain enough to be believed. What the program computes in other ways is held against
// it.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <vector>

#include "table/codes.h"

namespace throng::testing {

struct Record {
  Code value = 0;
  std::set<Code> impossible;
};
using Group = std::vector<Record>;

// MBM of figure 1: the size of a maximum matching of records and values, by augmenting paths.
inline std::size_t matching_size(const std::vector<const Record*>& records,
                                 const std::vector<Code>& values) {
  std::vector<int> taken_by(values.size(), -1);
  std::vector<char> seen;
  const std::function<bool(int)> augment = [&](int record) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (seen[i] || records[static_cast<std::size_t>(record)]->impossible.count(values[i]) > 0)
        continue;
      seen[i] = 1;
      if (taken_by[i] < 0 || augment(taken_by[i])) {
        taken_by[i] = record;
        return true;
      }
    }
    return false;
  };
  std::size_t size = 0;
  for (std::size_t record = 0; record < records.size(); ++record) {
    seen.assign(values.size(), 0);
    size += augment(static_cast<int>(record)) ? 1 : 0;
  }
  return size;
}

// Figure 1 for one record: the set of its valid values. (The figure leaves out that t_i may take
// s_j at all; section V-B has it.)
inline std::set<Code> valid_by_figure(const Group& group, std::size_t i) {
  std::set<Code> valid;
  for (std::size_t j = 0; j < group.size(); ++j) {
    if (group[i].impossible.count(group[j].value) > 0) continue;
    std::vector<const Record*> records;  // g − {t_i, t_j} ∪ {(q_j, s_i)}
    std::vector<Code> values;
    for (std::size_t k = 0; k < group.size(); ++k) {
      if (k != i) records.push_back(&group[k]);
      if (k != j) values.push_back(group[k].value);
    }
    if (matching_size(records, values) == group.size() - 1) valid.insert(group[j].value);
  }
  return valid;
}

}  // namespace throng::testing
