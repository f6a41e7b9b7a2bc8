#include "io/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <regex>

#include "io/duckdb.h"
#include "io/encoder.h"
#include "io/source.h"
#include "throng/error.h"

namespace throng::io {
namespace {

// The FROM clause of a source, its columns called c0, c1, … in the order of `names`.
struct Relation {
  std::string from;
  std::vector<std::string> names;
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// DuckDB explains CSV errors in many lines; one that names the place is enough.
InputError csv_error(const Source& source, const std::string& message) {
  std::smatch match;
  std::string place = source.path;
  if (std::regex_search(message, match, std::regex("Line: ([0-9]+)")))
    place += ":" + match[1].str();
  static const std::regex kCounts("Expected Number of Columns: ([0-9]+) Found: ([0-9]+)");
  if (std::regex_search(message, match, kCounts)) {
    return InputError(fmt::format("{}: has {} fields where the header has {}; expected as many",
                                  place, match[2].str(), match[1].str()));
  }
  if (message.find("nicode") != std::string::npos || message.find("utf-8") != std::string::npos) {
    return InputError(fmt::format("{}: is not valid UTF-8; expected the file in UTF-8", place));
  }
  if (message.find("quote") != std::string::npos) {
    return InputError(
        fmt::format("{}: a quote is opened and not closed, or followed by text", place));
  }
  return InputError(fmt::format("{}: {}", place, first_line(message)));
}

InputError read_error(const Source& source, const std::string& message) {
  if (source.kind == Source::Kind::csv) return csv_error(source, message);
  return InputError(fmt::format("{}: {}", source.text, first_line(message)));
}

std::vector<std::string> described_names(Duck& duck, const std::string& from) {
  std::vector<std::string> names;
  for (const auto& row : duck.rows("DESCRIBE SELECT * FROM " + from)) names.push_back(row.at(0));
  return names;
}

Relation relation_of(Duck& duck, const Source& source) {
  const std::string path = sql_text(source.path);
  Relation relation;
  std::string columns, renamed;
  const auto list_columns = [&] {
    for (std::size_t i = 0; i < relation.names.size(); ++i) {
      columns += fmt::format(
          "{}{}: 'VARCHAR'", i == 0 ? "" : ", ",
          sql_text(source.kind == Source::Kind::csv ? fmt::format("c{}", i) : relation.names[i]));
      renamed += fmt::format("{}CAST({} AS VARCHAR) AS c{}", i == 0 ? "" : ", ",
                             sql_name(relation.names[i]), i);
    }
  };
  switch (source.kind) {
    case Source::Kind::csv: {
      const CsvHeader header = read_csv_header(source);
      relation.names = header.names;
      list_columns();
      // The dialect is known from the header; guessing it again from the data could only go wrong.
      relation.from = fmt::format(
          "read_csv({}, auto_detect = false, header = true, delim = {}, quote = '\"', escape = "
          "'\"', "
          "null_padding = false, ignore_errors = false, strict_mode = true, columns = {{{}}})",
          path, sql_text(std::string(1, header.delimiter)), columns);
      return relation;
    }
    case Source::Kind::json:
      relation.names =
          described_names(duck, fmt::format("read_json({}, format = 'newline_delimited')", path));
      list_columns();
      relation.from = fmt::format(
          "(SELECT {} FROM read_json({}, format = 'newline_delimited', columns = {{{}}}))", renamed,
          path, columns);
      return relation;
    case Source::Kind::parquet:
      relation.from = fmt::format("read_parquet({})", path);
      break;
    case Source::Kind::database:
      duck.run(fmt::format("ATTACH {} AS source (READ_ONLY)", path));
      relation.from = "source." + sql_name(source.table);
      break;
  }
  relation.names = described_names(duck, relation.from);
  list_columns();
  relation.from = fmt::format("(SELECT {} FROM {})", renamed, relation.from);
  return relation;
}

// SELECT count(take(c0, c1, …)): DuckDB scans on all threads and calls take() on each chunk.
void take_chunk(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector output) {
  auto* encoder = static_cast<Encoder*>(duckdb_scalar_function_get_extra_info(info));
  try {
    encoder->take(chunk);
  } catch (const std::exception& failure) {
    duckdb_scalar_function_set_error(info, failure.what());
  }
  auto* result = static_cast<bool*>(duckdb_vector_get_data(output));
  std::fill_n(result, duckdb_data_chunk_get_size(chunk), true);
}

void register_take(Duck& duck, Encoder& encoder) {
  duckdb_scalar_function function = duckdb_create_scalar_function();
  duckdb_scalar_function_set_name(function, "throng_take");
  duckdb_logical_type text = duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
  duckdb_logical_type truth = duckdb_create_logical_type(DUCKDB_TYPE_BOOLEAN);
  duckdb_scalar_function_set_varargs(function, text);
  duckdb_scalar_function_set_return_type(function, truth);
  duckdb_scalar_function_set_special_handling(function);  // a NULL is handed over, not passed by
  duckdb_scalar_function_set_volatile(function);          // each chunk must be seen
  duckdb_scalar_function_set_extra_info(function, &encoder, nullptr);
  duckdb_scalar_function_set_function(function, take_chunk);
  const auto state = duckdb_register_scalar_function(duck.connection(), function);
  duckdb_destroy_logical_type(&text);
  duckdb_destroy_logical_type(&truth);
  duckdb_destroy_scalar_function(&function);
  if (state != DuckDBSuccess) throw DuckError("cannot register a function");
}

// The number of the record, from 1, that is the first with this text; by a second, slow reading
// that only a bad value pays for. With it the lines that quoted line ends before it took.
std::string place_of(const Source& source, const std::string& column, const std::string& text) {
  try {
    Duck duck(1);
    const Relation relation = relation_of(duck, source);
    std::string lines = "0";
    std::string wanted;
    for (std::size_t i = 0; i < relation.names.size(); ++i) {
      lines += fmt::format(" + coalesce(length(c{0}) - length(replace(c{0}, chr(10), '')), 0)", i);
      if (relation.names[i] == column) wanted = fmt::format("c{}", i);
    }
    const auto rows = duck.rows(fmt::format(
        "SELECT row, before FROM (SELECT row_number() OVER () AS row, sum({}) OVER (ROWS UNBOUNDED "
        "PRECEDING) AS "
        "before, coalesce({}, '') AS value FROM {}) WHERE value = {} ORDER BY row LIMIT 1",
        lines, wanted, relation.from, sql_text(text)));
    if (rows.empty()) return source.text;
    const long row = std::stol(rows[0][0]);
    if (source.kind == Source::Kind::csv)
      return fmt::format("{}:{}", source.path, row + 1 + std::stol(rows[0][1]));
    if (source.kind == Source::Kind::json) return fmt::format("{}:{}", source.path, row);
    return fmt::format("{}: record {}", source.text, row);
  } catch (const DuckError&) {
    return source.text;
  }
}

RawTable read_source(const Source& source, const std::vector<std::string>& names,
                     unsigned threads) {
  try {
    Duck duck(threads);
    const Relation relation = relation_of(duck, source);
    std::string columns;
    for (const std::string& name : names) {
      const auto found = std::find(relation.names.begin(), relation.names.end(), name);
      if (found == relation.names.end()) {
        throw InputError(fmt::format("{}: has no column '{}'", source.text, name));
      }
      columns += fmt::format("{}c{}", columns.empty() ? "" : ", ", found - relation.names.begin());
    }
    Encoder encoder(names);
    register_take(duck, encoder);
    // Rows come as they are read: their order is not kept, and nobody below may rely on it.
    duck.run("SET preserve_insertion_order = false");
    duck.run(fmt::format("SELECT count(throng_take({})) FROM {}", columns, relation.from));
    RawTable table;
    table.columns = encoder.finish();
    table.rows = table.columns.empty() ? 0 : table.columns[0].codes.size();
    if (table.rows == 0)
      throw InputError(
          fmt::format("{}: has no records; expected at least one below the header", source.text));
    return table;
  } catch (const DuckError& failure) {
    throw read_error(source, failure.what());
  }
}

}  // namespace

std::vector<std::string> read_names(const std::string& text) {
  const Source source = parse_source(text);
  try {
    if (source.kind == Source::Kind::csv) return read_csv_header(source).names;
    Duck duck(1);
    return relation_of(duck, source).names;
  } catch (const DuckError& failure) {
    throw read_error(source, failure.what());
  }
}

RawTable read_raw(const std::string& text, const std::vector<std::string>& names,
                  unsigned threads) {
  return read_source(parse_source(text), names, threads);
}

Table read_table(const std::string& text, const std::vector<Wanted>& wanted, unsigned threads) {
  const Source source = parse_source(text);
  std::vector<std::string> names;
  for (const Wanted& column : wanted) names.push_back(column.name);
  RawTable raw = read_source(source, names, threads);
  Table table;
  table.rows = raw.rows;
  bool drops = false;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    try {
      table.columns.push_back(encode(std::move(raw.columns[i]), wanted[i].type, wanted[i].missing));
    } catch (const BadValue& bad) {
      throw InputError(fmt::format("{}: column '{}' has '{}'; expected {}",
                                   place_of(source, bad.column, bad.text), bad.column, bad.text,
                                   bad.expected));
    }
    drops = drops || wanted[i].missing.as == MissingRule::As::drop;
  }
  if (drops) drop_missing(table);
  if (table.rows == 0)
    throw InputError(fmt::format("{}: every record has a missing value, and the policy drops those",
                                 source.text));
  return table;
}

}  // namespace throng::io
