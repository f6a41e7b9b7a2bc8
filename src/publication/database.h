// SQLite as the ledger uses it: one file, WAL, full synchronous, deleted content overwritten.
//
// Nothing outside database.cpp includes sqlite3.h. What goes wrong is thrown as an InputError that
// names the file and the fix: damaged, no space left, no permission.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace throng {

class Statement;

class Database {
 public:
  enum class Mode { create, write, read };

  // `create`: makes the file, 0600, which must not exist. `read` sees the last commit, also while
  // another process writes, and also in a folder that cannot be written. Throws InputError.
  Database(const std::string& path, Mode mode);
  ~Database();  // the last connection writes the WAL back and removes it
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // One or more statements without parameters or results.
  void execute(const std::string& sql);
  Statement prepare(std::string_view sql);
  // The first number of the first row of a query; 0 where there is none.
  std::int64_t number(std::string_view sql);
  // Changes of the last INSERT, UPDATE or DELETE.
  std::int64_t changes() const;
  // What SQLite's own check finds wrong with the file, or nothing.
  std::string integrity();

  const std::string& path() const { return path_; }

 private:
  friend class Statement;
  friend class Transaction;
  void open();
  void open_immutable();
  bool on_read_only_medium() const;
  void close() noexcept;
  [[noreturn]] void fail(int code) const;

  std::string path_;
  Mode mode_;
  sqlite3* handle_ = nullptr;
};

// A prepared statement. Parameters are numbered from 1, columns of a result from 0.
//
//   Statement insert = database.prepare("INSERT INTO waiting VALUES (?, ?)");
//   insert.bind(1, batch).bind_blob(2, sealed).run();
//   Statement query = database.prepare("SELECT number FROM release");
//   while (query.step()) use(query.integer(0));
class Statement {
 public:
  ~Statement();
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;

  // What is bound is copied.
  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, double value);
  Statement& bind(int parameter, std::integral auto value) {
    return bind(parameter, static_cast<std::int64_t>(value));
  }
  Statement& bind_text(int parameter, std::string_view text);
  Statement& bind_blob(int parameter, std::string_view bytes);
  Statement& bind_null(int parameter);

  // The next row; false at the end, after which it may be bound and run again.
  bool step();
  // For statements without a result: runs it, and makes it ready for the next time.
  void run();

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  // Until the next step().
  std::string_view text(int column) const;
  std::string_view blob(int column) const;

 private:
  friend class Database;
  Statement(Database& database, sqlite3_stmt* handle) : database_(&database), handle_(handle) {}
  void rewind() const;
  void bound(int code) const;

  Database* database_;
  sqlite3_stmt* handle_;
};

// BEGIN IMMEDIATE; rolled back unless committed.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace throng
