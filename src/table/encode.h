// From the distinct texts of a column, in the order in which they were met, to a column of codes in
// the order of its values.
#pragma once

#include <string>
#include <vector>

#include "table/table.h"

namespace throng {

// What a cell that holds no value looks like, and what becomes of it.
struct MissingRule {
  enum class As { value, drop, error };
  std::vector<std::string> values = {""};  // spellings; an absent cell (NULL) reads as ""
  As as = As::value;
};

// How one column is to be read.
struct ColumnType {
  Type type = Type::text;
  std::string format;  // of dates
};

// A text that is none of its type, or a missing value where none may be. The reader, who knows the
// file, adds the line.
struct BadValue {
  std::string column;
  std::string text;
  std::string expected;
};

// Whether encode() would throw for a column with this text.
bool is_bad(const std::string& text, const ColumnType& type, const MissingRule& missing);

// A column as it was met: `texts[code]`, each text once.
struct RawColumn {
  std::string name;
  std::vector<std::string> texts;
  Codes codes;
};

// Throws BadValue. Texts that spell one value (7 and 007) become one; all missing spellings become
// the first of `missing.values`.
Column encode(RawColumn raw, const ColumnType& type, const MissingRule& missing);

// Leaves out every row in which one of the columns is missing, and counts them in the table.
void drop_missing(Table& table);

}  // namespace throng
