// Files in and out: dialects, formats, and what happens to files that are wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "io/duckdb.h"
#include "io/reader.h"
#include "io/source.h"
#include "io/writer.h"
#include "table/random.h"
#include "throng/error.h"

namespace throng::io {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("throng_io_" + std::to_string(::getpid()) + "_" +
               ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }
  static std::string content(const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
  }

  fs::path folder_;
  Session session_{2};  // one for all that a test reads and writes, as in a command
};

using Rows = std::vector<std::vector<std::string>>;

Rows rows_of(const RawTable& table) {
  Rows rows(table.rows);
  for (const RawColumn& column : table.columns) {
    for (std::size_t row = 0; row < table.rows; ++row)
      rows[row].push_back(column.texts[column.codes[row]]);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::string failure(const std::string& source, const std::vector<Wanted>& wanted) {
  try {
    Session session(2);
    read_table(source, wanted, session);
  } catch (const InputError& error) {
    return fs::path(source).filename().string() +
           std::string(error.what())
               .substr(std::min(source.size(), std::string(error.what()).size()));
  }
  return "no error";
}

TEST_F(Files, ReadsEveryDialect) {
  const Rows expected = {{"1", "a"}, {"2", "b, \"c\"\nd"}, {"3", ""}};
  for (const char delimiter : {',', ';', '\t', '|'}) {
    for (const std::string end : {"\n", "\r\n"}) {
      for (const std::string bom : {"", "\xEF\xBB\xBF"}) {
        const std::string d(1, delimiter);
        const std::string file =
            write("t.csv", bom + "x" + d + "y z" + end + "1" + d + "a" + end + "2" + d +
                               "\"b, \"\"c\"\"\nd\"" + end + "3" + d + end);
        EXPECT_EQ(read_names(file, session_), (std::vector<std::string>{"x", "y z"}));
        EXPECT_EQ(rows_of(read_raw(file, {"x", "y z"}, session_)), expected)
            << delimiter << end.size() << bom.size();
      }
    }
  }
}

TEST_F(Files, ReadsUtf8AndLongTexts) {
  const std::string text = "Zoë, 日本, " + std::string(1000, 'x');
  const std::string file = write("t.csv", "Größe,n\n\"" + text + "\",1\n");
  EXPECT_EQ(rows_of(read_raw(file, {"Größe"}, session_)), (Rows{{text}}));
}

TEST_F(Files, ReadsJsonParquetAndDatabases) {
  const Rows expected = {{"1", "a"}, {"2", "b"}, {"30", "c"}};
  const std::string json = write(
      "t.jsonl", "{\"x\": 1, \"y\": \"a\"}\n{\"y\": \"b\", \"x\": 2}\n{\"x\": 30, \"y\": \"c\"}\n");
  EXPECT_EQ(rows_of(read_raw(json, {"x", "y"}, session_)), expected);
  {
    Session session(1);
    Duck duck(session);
    duck.run("ATTACH " + sql_text(path("d.duckdb")) + " AS d");
    duck.run(
        "CREATE TABLE d.\"my table\" AS SELECT * FROM (VALUES (1, 'a'), (2, 'b'), (30, 'c')) AS "
        "t(x, y)");
    duck.run("COPY d.\"my table\" TO " + sql_text(path("t.parquet")));
  }
  EXPECT_EQ(rows_of(read_raw(path("d.duckdb") + ":my table", {"x", "y"}, session_)), expected);
  EXPECT_EQ(read_names(path("d.duckdb") + ":my table", session_),
            (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(rows_of(read_raw(path("t.parquet"), {"y", "x"}, session_)),
            (Rows{{"a", "1"}, {"b", "2"}, {"c", "30"}}));
  EXPECT_THROW(read_raw(path("d.duckdb") + ":other", {"x"}, session_), InputError);
}

// More rows than one chunk, more values than 8 and 16 bits, on several threads.
TEST_F(Files, EncodesLargeTables) {
  constexpr std::size_t kRows = 300000;
  std::map<std::string, std::size_t> expected;
  Random random(3);
  std::string text = "few,many\n";
  for (std::size_t i = 0; i < kRows; ++i) {
    const std::string few = "value " + std::to_string(random.below(40)),
                      many = std::to_string(random.below(100000));
    text += few + "," + many + "\n";
    ++expected[few + "," + many];
  }
  const RawTable table = read_raw(write("t.csv", text), {"few", "many"}, session_);
  ASSERT_EQ(table.rows, kRows);
  EXPECT_EQ(table.columns[0].codes.width(), 1U);
  EXPECT_EQ(table.columns[1].codes.width(), 4U);
  for (std::size_t row = 0; row < kRows; ++row) {
    --expected[table.columns[0].texts[table.columns[0].codes[row]] + "," +
               table.columns[1].texts[table.columns[1].codes[row]]];
  }
  for (const auto& [key, count] : expected) ASSERT_EQ(count, 0U) << key;
}

TEST_F(Files, NamesTheLine) {
  const Wanted number{"n", {Type::integer, ""}, {}};
  EXPECT_EQ(failure(write("a.csv", "n,t\n1,x\n2,y\nthree,z\n"), {number}),
            "a.csv:4: column 'n' has 'three'; expected an integer");
  EXPECT_EQ(failure(write("b.csv", "n,t\n1,\"x\ny\nz\"\n2,y\nthree,z\n"), {number}),
            "b.csv:6: column 'n' has 'three'; expected an integer");
  EXPECT_EQ(failure(write("c.csv", "n,t\n1,x\n2\n3,z\n"), {number}),
            "c.csv:3: has 1 fields where the header has 2; expected as many");
  EXPECT_EQ(failure(write("d.csv", "n,t\n1,x\n2,y,z\n3,z\n"), {number}),
            "d.csv:3: has 3 fields where the header has 2; expected as many");
  EXPECT_EQ(failure(write("e.csv", "n,t\n1,x\n2,\xff\xfe\n"), {number, {"t", {}, {}}}),
            "e.csv:3: is not valid UTF-8; expected the file in UTF-8");
  EXPECT_EQ(failure(write("f.jsonl", "{\"n\": 1}\n{\"n\": \"x\"}\n"), {number}),
            "f.jsonl:2: column 'n' has 'x'; expected an integer");
  EXPECT_EQ(failure(write("g.csv", ""), {number}),
            "g.csv: is empty; expected a table with a header");
  EXPECT_EQ(failure(write("h.csv", "n,t\n"), {number}),
            "h.csv: has no records; expected at least one below the header");
  EXPECT_EQ(failure(write("i.csv", "n,n\n1,2\n"), {number}),
            "i.csv:1: column 'n' stands twice in the header");
  EXPECT_EQ(failure(write("j.csv", "n,\n1,2\n"), {number}), "j.csv:1: column 2 has no name");
}

TEST_F(Files, NamesTheLineDeepInside) {
  std::string text = "n,t\n";
  for (int i = 2; i <= 20000; ++i) text += i == 15001 ? "1,2,3\n" : "1,2\n";
  EXPECT_EQ(failure(write("a.csv", text), {{"n", {}, {}}}),
            "a.csv:15001: has 3 fields where the header has 2; expected as many");
}

TEST_F(Files, WritesWhatItReads) {
  LabelColumn a{"a, b", {"plain", "with \"quotes\"", "two\nlines", "", " edge ", "ü"}, Codes(6, 6)};
  LabelColumn b{"c", {"{x|y}", "1..2"}, Codes(6, 2)};
  for (Code i = 0; i < 6; ++i) {
    a.codes.set(i, i);
    b.codes.set(i, i % 2);
  }
  for (const char* name : {"t.csv", "t.parquet"}) {
    write_columns({a, b}, path(name), session_);
    Rows expected;
    for (Code i = 0; i < 6; ++i) expected.push_back({a.labels[i], b.labels[i % 2]});
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(rows_of(read_raw(path(name), {"a, b", "c"}, session_)), expected) << name;
  }
  EXPECT_EQ(content(path("t.csv")).substr(0, 17), "\"a, b\",c\nplain,{x");
}

TEST_F(Files, LeavesNothingBehind) {
  LabelColumn column{"a", {"x"}, Codes(3, 1)};
  for (const char* name : {"t.csv", "t.parquet"}) {
    EXPECT_THROW(write_columns({column}, path("no/such/folder/") + name, session_), InputError);
  }
  write("t.csv", "before");
  EXPECT_THROW(write_columns({column}, path("t.csv/x.csv"), session_), InputError);
  EXPECT_EQ(content(path("t.csv")), "before");
  write_columns({column}, path("t.csv"), session_);
  EXPECT_EQ(content(path("t.csv")), "a\nx\nx\nx\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

TEST_F(Files, RefusesOutputsBeforeAnyWork) {
  const std::string input = write("in.csv", "a\n1\n");
  const auto message = [&](const std::string& output) {
    try {
      check_output(output, {".csv", ".parquet"}, {input});
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message(path("out.csv")), "no error");
  EXPECT_NE(message(path("out.xlsx")).find("expected .csv or .parquet"), std::string::npos);
  EXPECT_NE(message(path("none/out.csv")).find("does not exist"), std::string::npos);
  EXPECT_NE(message(input).find("also an input"), std::string::npos);
  fs::create_symlink(input, path("link.csv"));
  EXPECT_NE(message(path("link.csv")).find("also an input"), std::string::npos);
  fs::create_directory(path("dir.csv"));
  EXPECT_NE(message(path("dir.csv")).find("is a folder"), std::string::npos);
}

}  // namespace
}  // namespace throng::io
