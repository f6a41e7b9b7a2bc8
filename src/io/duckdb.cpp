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

struct Session::State {
  duckdb_database database = nullptr;
  unsigned names = 0;
};

Session::Session(unsigned threads) : threads_(threads), state_(std::make_unique<State>()) {}

Session::~Session() {
  if (state_->database != nullptr) duckdb_close(&state_->database);
}

namespace {

duckdb_database start(unsigned threads) {
  duckdb_config config = nullptr;
  duckdb_create_config(&config);
  // Nothing is ever fetched at run time.
  duckdb_set_config(config, "autoinstall_known_extensions", "false");
  duckdb_set_config(config, "autoload_known_extensions", "false");
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  duckdb_set_config(config, "threads", std::to_string(threads).c_str());
  char* message = nullptr;
  duckdb_database database = nullptr;
  const auto state = duckdb_open_ext(nullptr, &database, config, &message);
  duckdb_destroy_config(&config);
  if (state != DuckDBSuccess) {
    const std::string text = message != nullptr ? message : "no reason given";
    duckdb_free(message);
    throw DuckError("cannot start DuckDB: " + text);
  }
  return database;
}

}  // namespace

Duck::Duck(Session& session) : session_(session) {
  if (session.state_->database == nullptr) session.state_->database = start(session.threads_);
  if (duckdb_connect(session.state_->database, &connection_) != DuckDBSuccess)
    throw DuckError("cannot connect to DuckDB");
}

Duck::~Duck() {
  if (!attached_.empty()) {
    duckdb_query(connection_, ("DETACH " + attached_).c_str(), nullptr);
  }
  duckdb_disconnect(&connection_);
}

std::string Duck::unique_name(const std::string& stem) {
  return fmt::format("{}_{}", stem, ++session_.state_->names);
}

std::string Duck::attach(const std::string& path) {
  std::string name = unique_name("source");
  run(fmt::format("ATTACH {} AS {} (READ_ONLY)", sql_text(path), name));
  attached_ = name;
  return name;
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
