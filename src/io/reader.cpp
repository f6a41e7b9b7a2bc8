#include "io/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "io/diagnose.h"
#include "io/duckdb.h"
#include "io/encoder.h"
#include "io/relation.h"
#include "io/source.h"
#include "throng/error.h"

namespace throng::io {
namespace {

// SELECT count(take(c0, c1, …)): DuckDB scans on all threads and calls take() on each chunk.
void take_chunk(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector output) {
  auto* encoder = static_cast<Encoder*>(duckdb_scalar_function_get_extra_info(info));
  try {
    encoder->take(chunk);
  } catch (const std::bad_alloc&) {
    encoder->out_of_memory = true;
    duckdb_scalar_function_set_error(info, "out of memory");
  } catch (const std::exception& failure) {
    duckdb_scalar_function_set_error(info, failure.what());
  }
  auto* result = static_cast<bool*>(duckdb_vector_get_data(output));
  std::fill_n(result, duckdb_data_chunk_get_size(chunk), true);
}

std::string register_take(Duck& duck, Encoder& encoder) {
  std::string name = duck.unique_name("throng_take");
  duckdb_scalar_function function = duckdb_create_scalar_function();
  duckdb_scalar_function_set_name(function, name.c_str());
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
  return name;
}

// The columns `names` of a relation, encoded while they are read.
RawTable take_columns(Duck& duck, const Relation& relation, const std::vector<std::string>& names) {
  std::string columns;
  for (const std::string& name : names) {
    const auto found = std::find(relation.names.begin(), relation.names.end(), name);
    columns += fmt::format("{}c{}", columns.empty() ? "" : ", ", found - relation.names.begin());
  }
  Encoder encoder(names);
  const std::string take = register_take(duck, encoder);
  // Rows come as they are read: their order is not kept, and nobody below may rely on it.
  duck.run("SET preserve_insertion_order = false");
  try {
    duck.run(fmt::format("SELECT count({}({})) FROM {}", take, columns, relation.from));
  } catch (const DuckError&) {
    if (encoder.out_of_memory) throw std::bad_alloc();
    throw;
  }
  RawTable table;
  table.columns = encoder.finish();
  table.rows = table.columns.empty() ? 0 : table.columns[0].codes.size();
  return table;
}

[[noreturn]] void fail_without_records(const Source& source) {
  throw InputError(
      fmt::format("{}: has no records; expected at least one below the header", source.text));
}

RawTable read_source(const Source& source, const std::vector<std::string>& names,
                     Session& session) {
  try {
    Duck duck(session);
    const Relation relation = relation_of(duck, source);
    for (const std::string& name : names) {
      if (std::find(relation.names.begin(), relation.names.end(), name) == relation.names.end()) {
        throw InputError(fmt::format("{}: has no column '{}'", source.text, name));
      }
    }
    return take_columns(duck, relation, names);
  } catch (const DuckError& failure) {
    throw fault_of(source, failure.what());
  }
}

}  // namespace

std::vector<std::string> read_names(const std::string& text, Session& session) {
  const Source source = parse_source(text);
  try {
    if (source.kind == Source::Kind::csv) return read_csv_header(source).names;
    Duck duck(session);
    return relation_of(duck, source).names;
  } catch (const DuckError& failure) {
    throw fault_of(source, failure.what());
  }
}

RawTable read_raw(const std::string& text, const std::vector<std::string>& names, Session& session,
                  bool may_be_empty) {
  const Source source = parse_source(text);
  RawTable table = read_source(source, names, session);
  if (table.rows == 0 && !may_be_empty) fail_without_records(source);
  return table;
}

std::string place_of(const std::string& text, const std::string& column, const std::string& value) {
  return find_value(parse_source(text), column, value,
                    [&](const std::string& cell) { return cell == value; })
      .place;
}

RawTable read_parquets(const std::vector<std::string>& paths, std::size_t columns,
                       Session& session) {
  try {
    Duck duck(session);
    const Relation relation = parquets_relation(paths, columns);
    return take_columns(duck, relation, relation.names);
  } catch (const DuckError& failure) {
    const std::string message = failure.what();
    throw InputError(fmt::format("{}: cannot be read: {}", paths.front(),
                                 message.substr(0, message.find('\n'))));
  }
}

Table read_table(const std::string& text, const std::vector<Wanted>& wanted, Session& session,
                 bool may_be_empty) {
  const Source source = parse_source(text);
  std::vector<std::string> names;
  names.reserve(wanted.size());
  for (const Wanted& column : wanted) names.push_back(column.name);
  RawTable raw = read_source(source, names, session);
  if (raw.rows == 0 && !may_be_empty) fail_without_records(source);
  Table table;
  table.rows = raw.rows;
  bool drops = false;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    try {
      table.columns.push_back(encode(std::move(raw.columns[i]), wanted[i].type, wanted[i].missing));
    } catch (const BadValue& bad) {
      const Found found = find_value(source, bad.column, bad.text, [&](const std::string& cell) {
        return is_bad(cell, wanted[i].type, wanted[i].missing);
      });
      throw InputError(fmt::format("{}: column '{}' has '{}'; expected {}", found.place, bad.column,
                                   found.text, bad.expected));
    }
    drops = drops || wanted[i].missing.as == MissingRule::As::drop;
  }
  if (drops) drop_missing(table);
  if (table.rows == 0 && !may_be_empty)
    throw InputError(fmt::format("{}: every record has a missing value, and the policy drops those",
                                 source.text));
  return table;
}

}  // namespace throng::io
