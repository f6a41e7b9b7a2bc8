// DuckDB with owners: a connection to the session's database in memory, which never fetches
// anything, queries, and their results.
// Only the io room includes this.
#pragma once

#include <duckdb.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "io/session.h"

namespace throng::io {

// What DuckDB said; the io room turns it into a message for the user.
class DuckError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Duck {
 public:
  explicit Duck(Session& session);
  ~Duck();
  Duck(const Duck&) = delete;
  Duck& operator=(const Duck&) = delete;

  // Runs a statement; throws DuckError.
  void run(const std::string& sql);
  // Its result as text, row by row; NULL is "".
  std::vector<std::vector<std::string>> rows(const std::string& sql);

  duckdb_connection connection() { return connection_; }
  // A name that nothing else in the session has: functions are the database's, not the
  // connection's.
  std::string unique_name(const std::string& stem);
  // Attaches a database file for reading; the name it has.
  std::string attach(const std::string& path);

 private:
  Session& session_;
  duckdb_connection connection_ = nullptr;
  std::string attached_;
};

// 'text' and "name" as SQL writes them.
std::string sql_text(std::string_view text);
std::string sql_name(std::string_view name);

}  // namespace throng::io
