// Files and databases in: columns of codes, encoded on all threads while DuckDB reads.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/session.h"
#include "table/encode.h"
#include "table/table.h"

namespace throng::io {

// The names of the columns in their order. Throws InputError.
std::vector<std::string> read_names(const std::string& source, Session& session);

// The columns `names` as they are, in no particular order of rows. Throws InputError that names
// file and line. A file without records is an error.
struct RawTable {
  std::vector<RawColumn> columns;
  std::size_t rows = 0;
};
RawTable read_raw(const std::string& source, const std::vector<std::string>& names,
                  Session& session, bool may_be_empty = false);
// Where a column of a source first has this text: "FILE:LINE", or "FILE: record N".
std::string place_of(const std::string& source, const std::string& column, const std::string& text);

// A column to read, how, and what becomes of its missing values.
struct Wanted {
  std::string name;
  ColumnType type;
  MissingRule missing;
};
Table read_table(const std::string& source, const std::vector<Wanted>& wanted, Session& session,
                 bool may_be_empty = false);

// The rows of Parquet files that all have the columns c0, c1, …, in no particular order.
RawTable read_parquets(const std::vector<std::string>& paths, std::size_t columns,
                       Session& session);

}  // namespace throng::io
