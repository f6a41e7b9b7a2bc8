// DuckDB with owners: a database in memory that never fetches anything, queries, and their results.
// Only the io room includes this.
#pragma once

#include <duckdb.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace throng::io {

// What DuckDB said; the io room turns it into a message for the user.
class DuckError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Duck {
 public:
  explicit Duck(unsigned threads);
  ~Duck();
  Duck(const Duck&) = delete;
  Duck& operator=(const Duck&) = delete;

  // Runs a statement; throws DuckError.
  void run(const std::string& sql);
  // Its result as text, row by row; NULL is "".
  std::vector<std::vector<std::string>> rows(const std::string& sql);

  duckdb_connection connection() { return connection_; }

 private:
  duckdb_database database_ = nullptr;
  duckdb_connection connection_ = nullptr;
};

// 'text' and "name" as SQL writes them.
std::string sql_text(std::string_view text);
std::string sql_name(std::string_view name);

}  // namespace throng::io
