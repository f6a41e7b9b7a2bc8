// SQLite as the ledger uses it: what is committed stays, what is deleted goes, what is wrong is
// named.
#include "publication/database.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "throng/error.h"

namespace throng {
namespace {

namespace fs = std::filesystem;
using Mode = Database::Mode;

class DatabaseFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "throng_database_XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    path_ = (folder_ / "ledger.db").string();
  }
  void TearDown() override {
    fs::permissions(folder_, fs::perms::owner_all);
    fs::remove_all(folder_);
  }

  // A file with `rows` rows of about 100 bytes.
  void make(int rows) const {
    Database database(path_, Mode::create);
    database.execute("CREATE TABLE t (number INTEGER PRIMARY KEY, bytes BLOB)");
    Transaction transaction(database);
    Statement insert = database.prepare("INSERT INTO t VALUES (?, ?)");
    for (int row = 0; row < rows; ++row) {
      insert.bind(1, row).bind_blob(2, "secret " + std::string(100, 'x')).run();
    }
    transaction.commit();
  }

  static std::int64_t count(Database& database) {
    Statement query = database.prepare("SELECT count(*) FROM t");
    EXPECT_TRUE(query.step());
    return query.integer(0);
  }
  static mode_t mode_of(const std::string& file) {
    struct stat status {};
    EXPECT_EQ(::stat(file.c_str(), &status), 0) << file;
    return status.st_mode & 07777;
  }
  std::string content() const {
    std::ostringstream text;
    text << std::ifstream(path_, std::ios::binary).rdbuf();
    return text.str();
  }
  void overwrite(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
  }

  template <typename Act>
  static std::string error_of(Act&& act) {
    try {
      act();
    } catch (const InputError& error) {
      EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
      return error.what();
    }
    return "no InputError";
  }
  // What `work` returns when it is run by a process that may not write everywhere.
  template <typename Work>
  static int in_child(Work&& work) {
    const pid_t child = ::fork();
    if (child == 0) {
      if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(99);
      try {
        ::_exit(work());
      } catch (const std::exception& error) {
        std::fprintf(stderr, "in the child: %s\n", error.what());
        ::_exit(98);
      }
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 97;
  }

  fs::path folder_;
  std::string path_;
};

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST_F(DatabaseFile, KeepsWhatWasBound) {
  const std::string bytes("\0\xff' \n\0", 6);
  {
    Database database(path_, Mode::create);
    database.execute("CREATE TABLE t (a, b, c, d, e, f, g)");
    Statement insert = database.prepare("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?)");
    insert.bind(1, std::numeric_limits<std::int64_t>::min()).bind(2, 0.1).bind_text(3, "süß");
    insert.bind_blob(4, bytes).bind_null(5).bind_blob(6, {}).bind_text(7, {}).run();
    EXPECT_EQ(database.changes(), 1);
    insert.bind(1, std::uint64_t{7}).bind(2, 7).bind(3, true).run();  // bindings stay
    EXPECT_EQ(database.changes(), 1);
  }
  Database database(path_, Mode::read);
  Statement query = database.prepare("SELECT * FROM t ORDER BY a");
  ASSERT_TRUE(query.step());
  EXPECT_EQ(query.integer(0), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(query.real(1), 0.1);
  EXPECT_EQ(query.text(2), "süß");
  EXPECT_EQ(query.blob(3), bytes);
  EXPECT_TRUE(query.is_null(4));
  EXPECT_EQ(query.blob(4), "");
  EXPECT_FALSE(query.is_null(5));
  EXPECT_EQ(query.blob(5), "");
  EXPECT_FALSE(query.is_null(6));
  EXPECT_EQ(query.text(6), "");
  ASSERT_TRUE(query.step());
  EXPECT_EQ(query.integer(0), 7);
  EXPECT_EQ(query.blob(3), bytes);
  EXPECT_FALSE(query.step());
  EXPECT_TRUE(query.step());  // begins again
}

TEST_F(DatabaseFile, AQueryThatWasLeftCanBeBoundAgain) {
  make(10);
  Database database(path_, Mode::write);
  Statement query = database.prepare("SELECT number FROM t WHERE number >= ? ORDER BY number");
  query.bind(1, 3);
  ASSERT_TRUE(query.step());
  EXPECT_EQ(query.integer(0), 3);
  query.bind(1, 9);
  ASSERT_TRUE(query.step());
  EXPECT_EQ(query.integer(0), 9);
  EXPECT_FALSE(query.step());
}

TEST_F(DatabaseFile, NobodyElseCanReadIt) {
  const mode_t before = ::umask(0);
  {
    Database database(path_, Mode::create);
    database.execute("CREATE TABLE t (a)");
    EXPECT_EQ(mode_of(path_), 0600U);
    EXPECT_EQ(mode_of(path_ + "-wal"), 0600U);
    EXPECT_EQ(mode_of(path_ + "-shm"), 0600U);
  }
  ::umask(before);
  EXPECT_EQ(mode_of(path_), 0600U);
}

TEST_F(DatabaseFile, CreateTakesNoFileThatIsThere) {
  overwrite("precious");
  const std::string error = error_of([&] { Database(path_, Mode::create); });
  EXPECT_SAYS(error, path_ + ": cannot be made: File exists");
  EXPECT_EQ(content(), "precious");
}

TEST_F(DatabaseFile, OtherModesMakeNoFile) {
  for (const Mode mode : {Mode::write, Mode::read}) {
    const std::string error = error_of([&] { Database(path_, mode); });
    EXPECT_SAYS(error, path_ + ": cannot be opened: No such file");
    EXPECT_FALSE(fs::exists(path_));
    EXPECT_SAYS(error_of([&] { Database(folder_.string(), mode); }), "not a file");
    EXPECT_SAYS(error_of([&] { Database("", mode); }), "cannot be opened");
    EXPECT_SAYS(error_of([&] { Database(":memory:", mode); }), "cannot be opened");
  }
  EXPECT_SAYS(error_of([&] { Database((folder_ / "no" / "a.db").string(), Mode::create); }),
              "cannot be made: No such file");
}

TEST_F(DatabaseFile, IsRolledBackUnlessCommitted) {
  make(10);
  Database database(path_, Mode::write);
  {
    Transaction transaction(database);
    database.execute("DELETE FROM t WHERE number < 4");
    EXPECT_EQ(database.changes(), 4);
    EXPECT_EQ(count(database), 6);
  }
  EXPECT_EQ(count(database), 10);
  {
    Transaction transaction(database);
    database.execute("DELETE FROM t WHERE number < 4");
    transaction.commit();
  }
  EXPECT_EQ(count(database), 6);
}

TEST_F(DatabaseFile, AKilledWriterLeavesTheLastCommit) {
  make(10);
  const pid_t child = ::fork();
  if (child == 0) {
    Database database(path_, Mode::write);
    database.execute("DELETE FROM t WHERE number = 0");
    const Transaction transaction(database);
    database.execute("DELETE FROM t");
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  Database database(path_, Mode::read);
  EXPECT_EQ(count(database), 9);
  EXPECT_EQ(database.integrity(), "");
}

TEST_F(DatabaseFile, IsReadWhileAnotherWrites) {
  make(10);
  Database writer(path_, Mode::write);
  Transaction transaction(writer);
  writer.execute("DELETE FROM t WHERE number < 4");
  Database reader(path_, Mode::read);
  EXPECT_EQ(count(reader), 10);
  transaction.commit();
  EXPECT_EQ(count(reader), 6);
}

TEST_F(DatabaseFile, AReaderChangesNothing) {
  make(10);
  Database reader(path_, Mode::read);
  EXPECT_SAYS(error_of([&] { reader.execute("DELETE FROM t"); }), path_ + ": cannot be written");
  EXPECT_EQ(count(reader), 10);
}

TEST_F(DatabaseFile, LeavesOneFileAndNothingOfWhatWasDeleted) {
  make(200);
  ASSERT_NE(content().find("secret"), std::string::npos);
  {
    Database reader(path_, Mode::read);
    EXPECT_EQ(count(reader), 200);
    Database writer(path_, Mode::write);
    writer.execute("DELETE FROM t");
    Database late(path_, Mode::read);
  }
  EXPECT_EQ(content().find("secret"), std::string::npos);
  {
    Database reader(path_, Mode::read);  // lasts longer than the writer
    {
      Database writer(path_, Mode::write);
      writer.execute("INSERT INTO t VALUES (1, 'secret')");
      writer.execute("DELETE FROM t");
      EXPECT_GT(fs::file_size(path_ + "-wal"), 0U);
    }
    EXPECT_EQ(fs::file_size(path_ + "-wal"), 0U);
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(DatabaseFile, ADamagedFileIsNamed) {
  make(500);
  const std::string whole = content();
  const auto refused = [&](const std::string& bytes) {
    overwrite(bytes);
    for (const Mode mode : {Mode::write, Mode::read}) {
      const std::string error = error_of([&] {
        Database database(path_, mode);
        Statement query = database.prepare("SELECT sum(length(bytes)) FROM t");
        query.step();
      });
      EXPECT_EQ(error.find(path_ + " is damaged: "), 0U) << error;
      EXPECT_SAYS(error, "; restore it from a backup");
    }
  };
  refused("");
  refused("not a database, but longer than the sixteen bytes of its magic; " +
          std::string(1000, ' '));
  refused(whole.substr(0, whole.size() / 2));
  refused(whole.substr(0, 100));
  std::string page = whole;
  page.replace(8192, 4096, std::string(4096, '\xee'));
  refused(page);
}

TEST_F(DatabaseFile, IntegritySaysWhatIsWrong) {
  make(500);
  EXPECT_EQ(Database(path_, Mode::read).integrity(), "");
  std::string bytes = content();
  bytes.replace(8192, 4096, std::string(4096, '\xee'));
  overwrite(bytes);
  const std::string finding = Database(path_, Mode::read).integrity();
  EXPECT_NE(finding, "");
  EXPECT_EQ(finding.find('\n'), std::string::npos);
}

TEST_F(DatabaseFile, NoSpaceLeftIsSaidAndLosesNothing) {
  make(10);
  Database database(path_, Mode::write);
  database.execute("PRAGMA max_page_count = 5");
  const std::string error = error_of([&] {
    Transaction transaction(database);
    database.execute("DELETE FROM t");
    database.prepare("INSERT INTO t VALUES (1, ?)").bind_blob(1, std::string(100000, 'x')).run();
    transaction.commit();
  });
  EXPECT_SAYS(error, path_ + ": no space left on the device; ");
  EXPECT_EQ(count(database), 10);
  Transaction again(database);  // the failed one is over
}

TEST_F(DatabaseFile, ASecondWriterIsRefusedWithTheFile) {
  make(10);
  Database first(path_, Mode::write);
  const Transaction transaction(first);
  Database second(path_, Mode::write);
  second.execute("PRAGMA busy_timeout = 10");
  EXPECT_SAYS(error_of([&] { Transaction refused(second); }), path_ + " is in use by another");
}

TEST_F(DatabaseFile, WhatMayNotBeWrittenCanBeRead) {
  make(10);
  fs::permissions(path_, static_cast<fs::perms>(0444));
  fs::permissions(folder_, static_cast<fs::perms>(0555));
  EXPECT_EQ(in_child([&] {
              Database database(path_, Mode::read);
              return static_cast<int>(count(database));
            }),
            10);
  EXPECT_EQ(in_child([&] {
              const auto error = error_of([&] { Database(path_, Mode::write); });
              return error == path_ + ": cannot be written: Permission denied" ? 0 : 1;
            }),
            0);
  fs::permissions(path_, static_cast<fs::perms>(0));
  EXPECT_EQ(in_child([&] {
              const auto error = error_of([&] { Database(path_, Mode::read); });
              return error == path_ + ": cannot be opened: Permission denied" ? 0 : 1;
            }),
            0);
  fs::permissions(path_, static_cast<fs::perms>(0600));
}

TEST_F(DatabaseFile, WrongSqlIsNotTheUsersFault) {
  Database database(path_, Mode::create);
  try {
    database.execute("SELEC 1");
    FAIL();
  } catch (const InputError&) {
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_SAYS(std::string(error.what()), "syntax error");
  }
}

}  // namespace
}  // namespace throng
