#include "table/encode.h"

#include <gtest/gtest.h>

namespace throng {
namespace {

RawColumn raw(std::vector<std::string> texts, const std::vector<Code>& codes) {
  RawColumn column{"c", std::move(texts), Codes(codes.size(), 1U << 20)};
  for (std::size_t i = 0; i < codes.size(); ++i) column.codes.set(i, codes[i]);
  return column;
}

TEST(Encode, CodesAreInTheOrderOfTheValues) {
  const Column column =
      encode(raw({"10", "9", "-1", "09"}, {0, 1, 2, 3, 0}), {Type::integer, ""}, {});
  EXPECT_EQ(column.values.labels, (std::vector<std::string>{"-1", "9", "10"}));
  EXPECT_EQ(column.values.numbers, (std::vector<double>{-1, 9, 10}));
  EXPECT_EQ(column.codes.width(), 1U);
  std::vector<Code> codes;
  for (std::size_t i = 0; i < column.codes.size(); ++i) codes.push_back(column.codes[i]);
  EXPECT_EQ(codes, (std::vector<Code>{2, 1, 0, 1, 2}));
}

TEST(Encode, NarrowestWidth) {
  std::vector<std::string> texts;
  std::vector<Code> codes;
  for (Code i = 0; i < 300; ++i) {
    texts.push_back(std::to_string(i));
    codes.push_back(i);
  }
  EXPECT_EQ(encode(raw(texts, codes), {}, {}).codes.width(), 2U);
  for (Code i = 300; i < 70000; ++i) {
    texts.push_back(std::to_string(i));
    codes.push_back(i);
  }
  EXPECT_EQ(encode(raw(texts, codes), {}, {}).codes.width(), 4U);
}

TEST(Encode, MissingIsOneValueAndLast) {
  const MissingRule rule{{"?", ""}, MissingRule::As::value};
  const Column column = encode(raw({"", "5", "?", "zz"}, {0, 1, 2, 3}), {}, rule);
  EXPECT_EQ(column.values.labels, (std::vector<std::string>{"5", "zz", "?"}));
  EXPECT_TRUE(column.values.missing);
  EXPECT_EQ(column.values.present(), 2U);
  EXPECT_EQ(column.codes[0], 2U);
  EXPECT_EQ(column.codes[2], 2U);
  const Column numbers = encode(raw({"?", "5"}, {0, 1}), {Type::integer, ""}, rule);
  EXPECT_EQ(numbers.values.labels, (std::vector<std::string>{"5", "?"}));
}

TEST(Encode, NamesTheBadValue) {
  try {
    encode(raw({"5", "five"}, {0, 1}), {Type::integer, ""}, {});
    FAIL() << "expected BadValue";
  } catch (const BadValue& bad) {
    EXPECT_EQ(bad.column, "c");
    EXPECT_EQ(bad.text, "five");
    EXPECT_EQ(bad.expected, "an integer");
  }
  const MissingRule rule{{"?"}, MissingRule::As::error};
  EXPECT_THROW(encode(raw({"5", "?"}, {0, 1}), {}, rule), BadValue);
}

TEST(Encode, DropsRowsAndWhatOnlyTheyHad) {
  const MissingRule rule{{"?"}, MissingRule::As::drop};
  Table table;
  table.rows = 3;
  table.columns.push_back(encode(raw({"a", "b", "c"}, {0, 1, 2}), {}, rule));
  table.columns.push_back(encode(raw({"x", "?"}, {0, 1, 0}), {}, rule));
  drop_missing(table);
  EXPECT_EQ(table.rows, 2U);
  EXPECT_EQ(table.columns[0].values.labels, (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(table.columns[0].codes[1], 1U);
  EXPECT_EQ(table.columns[1].values.labels, (std::vector<std::string>{"x"}));
  EXPECT_FALSE(table.columns[1].values.missing);
}

}  // namespace
}  // namespace throng
