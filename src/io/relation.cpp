#include "io/relation.h"

#include <fmt/format.h>

#include <algorithm>

#include "throng/error.h"

namespace throng::io {
namespace {

// DuckDB takes *, ? and [ in a path for a pattern; in brackets they stand for themselves.
std::string plain_path(const std::string& path) {
  std::string result;
  for (const char character : path) {
    if (character == '*' || character == '?' || character == '[') {
      result += {'[', character, ']'};
    } else {
      result += character;
    }
  }
  return sql_text(result);
}

std::vector<std::string> described_names(Duck& duck, const std::string& from) {
  std::vector<std::string> names;
  for (const auto& row : duck.rows("DESCRIBE SELECT * FROM " + from)) names.push_back(row.at(0));
  return names;
}

// "column: 'VARCHAR', …" for readers that take the columns of a file, all as text.
std::string text_columns(const std::vector<std::string>& names) {
  std::string columns;
  for (const std::string& name : names) {
    columns += fmt::format("{}{}: 'VARCHAR'", columns.empty() ? "" : ", ", sql_text(name));
  }
  return columns;
}

// Columns by their place, as text.
std::string numbered(std::size_t count, const std::string& from) {
  std::string names, columns;
  for (std::size_t i = 0; i < count; ++i) {
    names += fmt::format("{}c{}", i == 0 ? "" : ", ", i);
    columns += fmt::format("{0}CAST(c{1} AS VARCHAR) AS c{1}", i == 0 ? "" : ", ", i);
  }
  return fmt::format("(SELECT {} FROM {} AS source_columns({}))", columns, from, names);
}

Relation csv_relation(const Source& source) {
  // The dialect is known from the header; guessing it again from the data could only go wrong.
  const CsvHeader header = read_csv_header(source);
  std::vector<std::string> numbered;
  for (std::size_t i = 0; i < header.names.size(); ++i) numbered.push_back(fmt::format("c{}", i));
  return {
      fmt::format("read_csv({}, auto_detect = false, header = true, delim = {}, quote = '\"', "
                  "escape = '\"', null_padding = false, ignore_errors = false, strict_mode = true, "
                  "hive_partitioning = false, columns = {{{}}})",
                  plain_path(source.path), sql_text(std::string(1, header.delimiter)),
                  text_columns(numbered)),
      header.names};
}

Relation json_relation(Duck& duck, const Source& source) {
  const std::string reader = fmt::format(
      "read_json({}, format = 'newline_delimited', sample_size = -1, hive_partitioning = false",
      plain_path(source.path));
  const std::vector<std::string> names = described_names(duck, reader + ")");
  if (names == std::vector<std::string>{"json"}) {
    throw DuckError("is no JSON object; expected one object a line");
  }
  return {numbered(names.size(), fmt::format("{}, columns = {{{}}})", reader, text_columns(names))),
          names};
}

std::string database_table(Duck& duck, const Source& source) {
  const std::string name = duck.attach(source.path);
  std::string tables;
  bool found = false;
  for (const auto& row : duck.rows(
           fmt::format("SELECT table_name FROM duckdb_tables() WHERE database_name = '{0}' UNION "
                       "SELECT view_name FROM duckdb_views() WHERE database_name = '{0}' AND NOT "
                       "internal ORDER BY 1",
                       name))) {
    tables += (tables.empty() ? "" : ", ") + row[0];
    found = found || row[0] == source.table;
  }
  if (!found) {
    throw InputError(fmt::format("{}: the database has no table '{}'; it has: {}", source.text,
                                 source.table, tables.empty() ? "none" : tables));
  }
  return name + "." + sql_name(source.table);
}

}  // namespace

Relation relation_of(Duck& duck, const Source& source) {
  if (source.kind == Source::Kind::csv) return csv_relation(source);
  if (source.kind == Source::Kind::json) return json_relation(duck, source);
  const std::string from =
      source.kind == Source::Kind::parquet
          ? fmt::format("read_parquet({}, hive_partitioning = false)", plain_path(source.path))
          : database_table(duck, source);
  const std::vector<std::string> names = described_names(duck, from);
  return {numbered(names.size(), from), names};
}

Relation parquets_relation(const std::vector<std::string>& paths, std::size_t columns) {
  std::string list;
  for (const std::string& path : paths) list += (list.empty() ? "" : ", ") + plain_path(path);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < columns; ++i) names.push_back(fmt::format("c{}", i));
  return {numbered(columns, fmt::format("read_parquet([{}], hive_partitioning = false)", list)),
          names};
}

}  // namespace throng::io
