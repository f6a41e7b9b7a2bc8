#include "io/duckdb.h"

#include <fmt/format.h>

#include <thread>

namespace throng::io {
namespace {

std::string quoted(std::string_view text, char quote) {
  std::string result(1, quote);
  for (const char character : text) {
    if (character == quote) result += quote;
    result += character;
  }
  return result + quote;
}

}  // namespace

std::string sql_text(std::string_view text) { return quoted(text, '\''); }
std::string sql_name(std::string_view name) { return quoted(name, '"'); }

Duck::Duck(unsigned threads) {
  duckdb_config config = nullptr;
  duckdb_create_config(&config);
  // Nothing is ever fetched at run time.
  duckdb_set_config(config, "autoinstall_known_extensions", "false");
  duckdb_set_config(config, "autoload_known_extensions", "false");
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  duckdb_set_config(config, "threads", std::to_string(threads).c_str());
  char* message = nullptr;
  const auto state = duckdb_open_ext(nullptr, &database_, config, &message);
  duckdb_destroy_config(&config);
  if (state != DuckDBSuccess) {
    const std::string text = message != nullptr ? message : "no reason given";
    duckdb_free(message);
    throw DuckError("cannot start DuckDB: " + text);
  }
  if (duckdb_connect(database_, &connection_) != DuckDBSuccess) {
    duckdb_close(&database_);
    throw DuckError("cannot connect to DuckDB");
  }
}

Duck::~Duck() {
  duckdb_disconnect(&connection_);
  duckdb_close(&database_);
}

void Duck::run(const std::string& sql) { rows(sql); }

std::vector<std::vector<std::string>> Duck::rows(const std::string& sql) {
  duckdb_result result;
  const auto state = duckdb_query(connection_, sql.c_str(), &result);
  if (state != DuckDBSuccess) {
    const char* message = duckdb_result_error(&result);
    const std::string text = message != nullptr ? message : "no reason given";
    duckdb_destroy_result(&result);
    throw DuckError(text);
  }
  std::vector<std::vector<std::string>> rows(duckdb_row_count(&result));
  const auto columns = duckdb_column_count(&result);
  for (idx_t row = 0; row < rows.size(); ++row) {
    for (idx_t column = 0; column < columns; ++column) {
      char* value = duckdb_value_varchar(&result, column, row);
      rows[row].emplace_back(value != nullptr ? value : "");
      duckdb_free(value);
    }
  }
  duckdb_destroy_result(&result);
  return rows;
}

}  // namespace throng::io
