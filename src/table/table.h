// The private microdata: columns of dictionary codes, in the order of the values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "table/codes.h"

namespace throng {

enum class Type { text, integer, decimal, date };

std::string_view name_of(Type type);

// The distinct values of a column in their order: text by its bytes, numbers and dates by their
// size. The missing value, if there is one, comes last. A code is a position in here.
struct Dictionary {
  Type type = Type::text;
  std::vector<std::string> labels;
  std::vector<double> numbers;  // the values of a number, the days since 1970 of a date; else empty
  bool missing = false;         // whether the last label is the missing value

  std::size_t size() const { return labels.size(); }
  // How many of the values are not missing.
  std::size_t present() const { return labels.size() - (missing ? 1 : 0); }
  bool numeric() const { return type != Type::text; }
};

struct Column {
  std::string name;
  Dictionary values;
  Codes codes;
};

struct Table {
  std::vector<Column> columns;
  std::size_t rows = 0;
  std::size_t dropped = 0;  // records left out because a value was missing

  const Column* find(std::string_view name) const;
};

}  // namespace throng
