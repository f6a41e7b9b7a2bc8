// Where a table comes from: a CSV, Parquet or JSON-lines file by its ending, or FILE.duckdb:TABLE.
#pragma once

#include <string>
#include <vector>

namespace throng::io {

struct Source {
  enum class Kind { csv, parquet, json, database };
  Kind kind = Kind::csv;
  std::string text;  // as the user gave it, for messages
  std::string path;
  std::string table;  // of a database
};

// Throws InputError: an ending that is none of these, a file that is not there.
Source parse_source(const std::string& text);

// Whether a path ends so, in capitals or not; `ending` is in small letters.
bool ends_in(const std::string& path, const std::string& ending);
// ASCII in small letters.
std::string lower(std::string text);

// What the first line of a CSV says: the delimiter and the names.
struct CsvHeader {
  char delimiter = ',';
  std::vector<std::string> names;
};
// Throws InputError: an empty file, a name that is empty or comes twice.
CsvHeader read_csv_header(const Source& source);

}  // namespace throng::io
