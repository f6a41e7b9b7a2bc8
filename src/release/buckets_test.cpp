#include "release/buckets.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "private_tables.h"
#include "throng/error.h"

namespace throng {
namespace {

using testing::Rows;

ForeignFile file_of(const std::string& source, const Rows& rows) {
  ForeignFile file{source, {}, rows.size() - 1};
  for (std::size_t i = 0; i < rows[0].size(); ++i) {
    RawColumn raw{rows[0][i], {}, Codes(file.rows, 1U << 20)};
    for (std::size_t row = 1; row < rows.size(); ++row) {
      const auto found = std::find(raw.texts.begin(), raw.texts.end(), rows[row][i]);
      raw.codes.set(row - 1, static_cast<Code>(found - raw.texts.begin()));
      if (found == raw.texts.end()) raw.texts.push_back(rows[row][i]);
    }
    file.columns.push_back(std::move(raw));
  }
  return file;
}

const Policy& policy() {
  static const Policy policy = testing::small_policy("privacy:\n  - k-anonymity: 2\n");
  return policy;
}

const Rows kRecords = {{"a", "b", "c", "group"}, {"30", "x", "101", "10"},
                       {"20", "y", "101", "2"},  {"20", "x", "102", "10"},
                       {"40", "y", "103", "2"},  {"20", "x", "102", "10"}};
const Rows kCounts = {{"group", "s", "count"},
                      {"2", "flu", "1"},
                      {"10", "gout", "2"},
                      {"10", "flu", "1"},
                      {"2", "acne", "1"}};

Buckets read(const Rows& records, const Rows& counts) {
  return read_buckets(file_of("n.qit.csv", records), file_of("n.st.csv", counts), policy());
}

std::string fault_of(const Rows& records, const Rows& counts) {
  try {
    read(records, counts);
  } catch (const InputError& fault) {
    return fault.what();
  } catch (const ForeignValue& value) {
    return std::to_string(value.file) + " " + value.column + " '" + value.text + "'";
  }
  return "";
}

TEST(Buckets, AreReadFromBothFiles) {
  const Buckets buckets = read(kRecords, kCounts);
  EXPECT_EQ(buckets.groups, (std::vector<std::string>{"2", "10"}));
  EXPECT_EQ(buckets.group_of_row, (std::vector<std::uint32_t>{1, 0, 1, 0, 1}));
  ASSERT_EQ(buckets.domains.size(), 3U);
  EXPECT_EQ(buckets.positions[0], (std::vector<Code>{1, 0, 0, 2, 0}));
  EXPECT_EQ(buckets.domains[2].values.labels[buckets.positions[2][3]], "103");
  EXPECT_EQ(buckets.sensitive, "s");
  EXPECT_EQ(buckets.values.labels, (std::vector<std::string>{"acne", "flu", "gout"}));
  const auto counts = [&](std::uint32_t group) {
    const auto span = buckets.counts(group);
    return std::vector<Buckets::Count>(span.begin(), span.end());
  };
  EXPECT_EQ(counts(0), (std::vector<Buckets::Count>{{0, 1}, {1, 1}}));
  EXPECT_EQ(counts(1), (std::vector<Buckets::Count>{{1, 1}, {2, 2}}));
}

TEST(Buckets, LinesOfOneValueAreSummed) {
  Rows counts = kCounts;
  counts[2][2] = "1";
  counts.push_back({"10", "gout", "1"});
  const Buckets buckets = read(kRecords, counts);
  EXPECT_EQ(buckets.counts(1)[1], (Buckets::Count{2, 2}));
}

TEST(Buckets, GroupsMustAgree) {
  Rows counts = kCounts;
  counts[2][2] = "3";
  EXPECT_EQ(fault_of(kRecords, counts),
            "n.st.csv: the counts of group '10' are 4 in all; expected 3, the number of its "
            "records in n.qit.csv");
  counts = kCounts;
  counts.push_back({"7", "flu", "1"});
  EXPECT_EQ(fault_of(kRecords, counts),
            "n.st.csv: has the group '7', of which n.qit.csv has no record");
  Rows records = kRecords;
  records.push_back({"20", "x", "101", "8"});
  EXPECT_EQ(fault_of(records, kCounts),
            "n.st.csv: the counts of group '8' are 0 in all; expected 1, the number of its records "
            "in n.qit.csv");
}

TEST(Buckets, RefuseWhatTheyCannotRead) {
  for (const char* bad : {"0", "-1", "x", "", "1.5", "5000000000"}) {
    Rows counts = kCounts;
    counts[1][2] = bad;
    EXPECT_EQ(fault_of(kRecords, counts), std::string("1 count '") + bad + "'");
  }
  for (const char* bad : {"20-30", "*", "<18"}) {
    Rows records = kRecords;
    records[2][0] = bad;
    EXPECT_EQ(fault_of(records, kCounts), std::string("0 a '") + bad + "'");
  }
  Rows records = kRecords;
  records[1][2] = "10*";
  EXPECT_EQ(fault_of(records, kCounts), "0 c '10*'");
  records = kRecords;
  records[0][3] = "class";
  EXPECT_EQ(fault_of(records, kCounts),
            "n.qit.csv: has no column 'group'; expected the groups of buckets");
  records[0] = {"a", "b", "s", "group"};
  EXPECT_EQ(fault_of(records, kCounts),
            "n.qit.csv: column 's' is no quasi-identifier of the policy policy");
  Rows counts = kCounts;
  counts[0][1] = "a";
  EXPECT_EQ(fault_of(kRecords, counts),
            "n.st.csv: has the column 'a'; expected `group`, one sensitive column and `count`");
}

TEST(Buckets, AreReadFromOneFileWithPermutedValues) {
  const Rows rows = {{"s", "a", "b", "c", "group"},   {"flu", "30", "x", "101", "10"},
                     {"flu", "20", "y", "101", "2"},  {"gout", "20", "x", "102", "10"},
                     {"acne", "40", "y", "103", "2"}, {"gout", "20", "x", "102", "10"}};
  const Buckets one = read_permuted(file_of("n.csv", rows), policy());
  const Buckets pair = read(kRecords, kCounts);
  EXPECT_EQ(one.groups, pair.groups);
  EXPECT_EQ(one.group_of_row, pair.group_of_row);
  EXPECT_EQ(one.positions, pair.positions);
  EXPECT_EQ(one.sensitive, pair.sensitive);
  EXPECT_EQ(one.values.labels, pair.values.labels);
  EXPECT_EQ(one.count_begin, pair.count_begin);
  EXPECT_EQ(one.count_list, pair.count_list);
  EXPECT_THROW(read_permuted(file_of("n.csv", kRecords), policy()), InputError);
}

TEST(Buckets, StarsInsideValuesAreValues) {
  Rows records = kRecords;
  records[1][1] = "x*";
  records[2][1] = "x**y";
  const Buckets buckets = read(records, kCounts);
  EXPECT_EQ(buckets.domains[1].values.labels[buckets.positions[1][0]], "x*");
  EXPECT_EQ(buckets.domains[1].values.labels[buckets.positions[1][1]], "x**y");
}

}  // namespace
}  // namespace throng
