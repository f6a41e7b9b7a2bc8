#include "publication/database.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "throng/error.h"

namespace throng {
namespace {

constexpr int busy_milliseconds = 5000;

// Absolute, so that no name is taken for one of SQLite's own (":memory:", "file:...").
std::string absolute(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::absolute(path, ignored).string();
}

std::string percent_encoded(std::string_view path) {
  std::string result;
  for (const char character : path) {
    if (character == '%' || character == '?' || character == '#') {
      result += fmt::format("%{:02x}", static_cast<unsigned char>(character));
    } else {
      result += character;
    }
  }
  return result;
}

void make_file(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    throw InputError(fmt::format("{}: cannot be made: {}", path, std::strerror(errno)));
  }
  ::close(descriptor);
}

void remove_files(const std::string& path) {
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) ::unlink((path + suffix).c_str());
}

// SQLite takes an empty file for an empty database. Not opened here: closing it again would drop
// the locks that this process has on the file.
void check_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    throw InputError(fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)));
  }
  if (!S_ISREG(status.st_mode)) {
    throw InputError(fmt::format("{}: cannot be opened: not a file", path));
  }
  if (status.st_size == 0) {
    throw InputError(fmt::format("{} is damaged: it is empty; restore it from a backup", path));
  }
}

}  // namespace

Database::Database(const std::string& path, Mode mode) : path_(path), mode_(mode) {
  if (mode == Mode::create) {
    make_file(path);
  } else {
    check_file(path);
  }
  try {
    open();
  } catch (...) {
    close();
    if (mode == Mode::create) remove_files(path);
    throw;
  }
}

Database::~Database() {
  // The last connection does this of itself. If it is a reader that lasts longer than this one, the
  // WAL must not keep until then what was deleted.
  if (mode_ != Mode::read) {
    sqlite3_busy_timeout(handle_, 500);
    sqlite3_wal_checkpoint_v2(handle_, nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  }
  close();
}

void Database::open() {
  // Readers too: whoever is the last to close must be able to remove the WAL. SQLite falls back to
  // reading where it may not write.
  int code = sqlite3_open_v2(absolute(path_).c_str(), &handle_, SQLITE_OPEN_READWRITE, nullptr);
  if (code == SQLITE_OK && mode_ != Mode::read && sqlite3_db_readonly(handle_, "main") == 1) {
    throw InputError(fmt::format("{}: cannot be written: {}", path_, std::strerror(EACCES)));
  }
  if (code != SQLITE_OK) fail(code);
  sqlite3_extended_result_codes(handle_, 1);
  sqlite3_busy_timeout(handle_, busy_milliseconds);

  // The first look at the file: a damaged one is found here, not in the midst of the work.
  constexpr const char* look = "SELECT count(*) FROM sqlite_schema";
  code = sqlite3_exec(handle_, look, nullptr, nullptr, nullptr);
  const int kind = code & 0xff;
  if ((kind == SQLITE_CANTOPEN || kind == SQLITE_READONLY) && on_read_only_medium()) {
    open_immutable();
    code = sqlite3_exec(handle_, look, nullptr, nullptr, nullptr);
  }
  if (code != SQLITE_OK) fail(code);

  if (mode_ != Mode::read) {
    Statement journal = prepare("PRAGMA journal_mode = WAL");
    if (!journal.step() || journal.text(0) != "wal") {
      throw InputError(fmt::format(
          "{}: its file system has no shared memory, which SQLite's WAL needs; use a local disk",
          path_));
    }
  }
  // A file from elsewhere gets no say: no functions in its schema, no writes to it but by SQL.
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  execute(
      "PRAGMA synchronous = FULL;"
      "PRAGMA secure_delete = ON;"
      "PRAGMA foreign_keys = OFF;"
      "PRAGMA cell_size_check = ON;"
      "PRAGMA temp_store = MEMORY;"  // raw values in no file but this one
      "PRAGMA mmap_size = 0");       // an error of the disk is an error, not a signal
  if (mode_ == Mode::read) execute("PRAGMA query_only = ON");
}

// Where nothing can be written, by us at least, there is no room for the files of a WAL; and where
// none is left over there is nothing in it to be read.
bool Database::on_read_only_medium() const {
  if (mode_ != Mode::read) return false;
  const std::filesystem::path path = absolute(path_);
  struct stat wal {};
  if (::stat((path.string() + "-wal").c_str(), &wal) == 0 && wal.st_size > 0) return false;
  return ::access(path.parent_path().c_str(), W_OK) != 0;
}

void Database::open_immutable() {
  close();
  const std::string uri = "file:" + percent_encoded(absolute(path_)) + "?immutable=1";
  const int code =
      sqlite3_open_v2(uri.c_str(), &handle_, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
  if (code != SQLITE_OK) fail(code);
  sqlite3_extended_result_codes(handle_, 1);
}

void Database::close() noexcept {
  sqlite3_close_v2(handle_);
  handle_ = nullptr;
}

void Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

Statement Database::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v2(handle_, sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  if (code != SQLITE_OK) fail(code);
  return {*this, statement};
}

std::int64_t Database::number(std::string_view sql) {
  Statement query = prepare(sql);
  const std::int64_t value = query.step() ? query.integer(0) : 0;
  while (query.step()) {
  }
  return value;
}

std::int64_t Database::changes() const { return sqlite3_changes64(handle_); }

std::string Database::integrity() {
  std::string findings;
  const auto collect = [](void* into, int, char** values, char**) {
    if (values[0] == nullptr || std::strcmp(values[0], "ok") == 0) return 0;
    auto& text = *static_cast<std::string*>(into);
    for (const char* character = values[0]; *character != '\0'; ++character) {
      text += *character == '\n' ? ' ' : *character;
    }
    text += "; ";
    return 0;
  };
  const int code = sqlite3_exec(handle_, "PRAGMA integrity_check(10)", collect, &findings, nullptr);
  const int kind = code & 0xff;
  if (kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB) {
    findings += sqlite3_errmsg(handle_);
    findings += "; ";
  } else if (code != SQLITE_OK) {
    fail(code);
  }
  if (!findings.empty()) findings.resize(findings.size() - 2);
  return findings;
}

void Database::fail(int code) const {
  const char* message = handle_ != nullptr ? sqlite3_errmsg(handle_) : sqlite3_errstr(code);
  const int error = handle_ != nullptr ? sqlite3_system_errno(handle_) : 0;
  const std::string reason = error != 0 ? std::strerror(error) : message;
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      throw InputError(fmt::format("{} is damaged: {}; restore it from a backup", path_, message));
    case SQLITE_IOERR:
      if (error != ENOSPC && error != EDQUOT) {
        throw InputError(fmt::format("{}: cannot be read or written: {}", path_, reason));
      }
      [[fallthrough]];
    case SQLITE_FULL:
      throw InputError(fmt::format(
          "{}: no space left on the device; make room and try again; nothing was changed", path_));
    case SQLITE_CANTOPEN:
      // SQLite tries to read what it cannot make, and so forgets why it could not.
      if (error == ENOENT && ::access(path_.c_str(), F_OK) == 0) {
        throw InputError(fmt::format(
            "{}: the files beside it cannot be made: no space left on the device, or no permission",
            path_));
      }
      [[fallthrough]];
    case SQLITE_PERM:
    case SQLITE_AUTH:
      throw InputError(fmt::format("{}: cannot be opened: {}", path_, reason));
    case SQLITE_READONLY:
      throw InputError(fmt::format("{}: cannot be written: {}", path_, message));
    case SQLITE_BUSY:
    case SQLITE_PROTOCOL:
      throw InputError(
          fmt::format("{} is in use by another process; try again when it has finished", path_));
    case SQLITE_TOOBIG:
      throw InputError(
          fmt::format("{}: a piece of more than 1 GB cannot be kept; use smaller batches", path_));
    case SQLITE_NOMEM:
      throw std::bad_alloc();
    default:  // wrong SQL, a broken constraint: ours
      throw std::runtime_error(fmt::format("{}: SQLite: {} ({})", path_, message, code));
  }
}

Statement::~Statement() { sqlite3_finalize(handle_); }

Statement::Statement(Statement&& other) noexcept
    : database_(other.database_), handle_(std::exchange(other.handle_, nullptr)) {}

void Statement::bound(int code) const {
  if (code != SQLITE_OK) database_->fail(code);
}

// A query that was left before its end can be bound only when it is reset.
void Statement::rewind() const {
  if (sqlite3_stmt_busy(handle_) != 0) sqlite3_reset(handle_);
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  rewind();
  bound(sqlite3_bind_int64(handle_, parameter, value));
  return *this;
}

Statement& Statement::bind(int parameter, double value) {
  rewind();
  bound(sqlite3_bind_double(handle_, parameter, value));
  return *this;
}

// SQLite binds NULL where the pointer is null, as that of an empty view may be.
Statement& Statement::bind_text(int parameter, std::string_view text) {
  rewind();
  bound(sqlite3_bind_text64(handle_, parameter, text.empty() ? "" : text.data(), text.size(),
                            SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind_blob(int parameter, std::string_view bytes) {
  rewind();
  bound(sqlite3_bind_blob64(handle_, parameter, bytes.empty() ? "" : bytes.data(), bytes.size(),
                            SQLITE_TRANSIENT));
  return *this;
}

Statement& Statement::bind_null(int parameter) {
  rewind();
  bound(sqlite3_bind_null(handle_, parameter));
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  sqlite3_reset(handle_);  // keeps the message of what failed
  if (code != SQLITE_DONE) database_->fail(code);
  return false;
}

void Statement::run() {
  while (step()) {
  }
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(handle_, column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(handle_, column); }

double Statement::real(int column) const { return sqlite3_column_double(handle_, column); }

std::string_view Statement::text(int column) const {
  const unsigned char* text = sqlite3_column_text(handle_, column);
  if (text == nullptr) return {};
  return {reinterpret_cast<const char*>(text),
          static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

std::string_view Statement::blob(int column) const {
  const void* bytes = sqlite3_column_blob(handle_, column);
  if (bytes == nullptr) return {};
  return {static_cast<const char*>(bytes),
          static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

Transaction::Transaction(Database& database) : database_(database) {
  database_.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  // Some errors (a full disk) have rolled it back already.
  if (open_ && sqlite3_get_autocommit(database_.handle_) == 0) {
    sqlite3_exec(database_.handle_, "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace throng
