// Rows as one sorted list of keys with counts: the frequency list, made by packing the codes of a
// row into a 64-bit key and sorting the keys, never by hashing rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "table/codes.h"

namespace throng {

// A column of a key: its codes, each replaced by `mapping[code]` where there is a mapping.
struct KeyColumn {
  const Codes* codes = nullptr;
  std::vector<Code> mapping;  // empty: the code itself
  std::size_t domain = 0;     // (mapped) codes are below it
};

// The distinct combinations of the columns in ascending order (the first column decides first), and
// how many rows have each.
class SortedKeys {
 public:
  // A row counts as `weights[row]` rows where there are weights.
  SortedKeys(const std::vector<KeyColumn>& columns, std::size_t rows,
             const std::vector<std::uint32_t>& weights = {});

  std::size_t size() const { return counts_.size(); }
  const std::vector<std::uint32_t>& counts() const { return counts_; }

  // With weights: the combination of each row.
  const std::vector<std::uint32_t>& combination_of() const { return combination_of_; }

  // The codes of one column, by combination.
  std::vector<Code> column(std::size_t index) const;

 private:
  // Where a column is found: shifted and masked out of the keys of a stage. Columns that do not fit
  // into 64 bits together are ranked stage by stage: the rank of a combination stands for it in the
  // top bits of the next stage's keys.
  struct Field {
    std::size_t stage = 0;
    unsigned shift = 0;
    std::uint64_t mask = 0;
  };
  struct Stage {
    std::vector<std::uint64_t> keys;  // distinct, ascending
    Field rank;                       // of the stage before, in these keys
  };

  std::vector<Stage> stages_;
  std::vector<Field> fields_;
  std::vector<std::uint32_t> counts_;
  std::vector<std::uint32_t> combination_of_;
};

// The same of codes that are not narrow yet; there is a weight a row, and at least one column.
struct CodeColumn {
  std::vector<Code> codes;
  std::size_t domain = 0;
};
SortedKeys sort_columns(const std::vector<CodeColumn>& columns,
                        const std::vector<std::uint32_t>& weights);

// Sorts on all threads.
void sort_keys(std::vector<std::uint64_t>& keys);

}  // namespace throng
