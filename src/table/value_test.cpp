#include "table/value.h"

#include <gtest/gtest.h>

namespace throng {
namespace {

TEST(Value, IntegersHaveOneSpelling) {
  for (const char* text : {"7", "007", "+7", " 7 ", "7.0"}) {
    const auto value = parse_value(Type::integer, text);
    ASSERT_TRUE(value) << text;
    EXPECT_EQ(value->label, "7");
    EXPECT_EQ(value->number, 7);
  }
  EXPECT_EQ(parse_value(Type::integer, "-12")->label, "-12");
}

TEST(Value, RefusesWhatIsNone) {
  for (const char* text :
       {"", "x", "1x", "1.5", "--1", "++1", "+-1", "1e400", "99999999999999999999", "0x10"}) {
    EXPECT_FALSE(parse_value(Type::integer, text)) << text;
  }
  for (const char* text : {"", "nan", "inf", "-inf", "1,5", "1.2.3"}) {
    EXPECT_FALSE(parse_value(Type::decimal, text)) << text;
  }
  for (const char* text :
       {"", "2026-02-30", "2026-13-01", "26-01-01", "2026/01/01", "2026-01-01x", "2026-1-01"}) {
    EXPECT_FALSE(parse_value(Type::date, text)) << text;
  }
}

TEST(Value, DecimalsReadBack) {
  for (const double number : {0.1, -2.5, 1e-9, 123456.789, 1e20, 3.0}) {
    const std::string text = spell_number(number);
    EXPECT_EQ(parse_value(Type::decimal, text)->number, number) << text;
  }
  EXPECT_EQ(parse_value(Type::decimal, "-0")->label, "0");
  EXPECT_EQ(parse_value(Type::decimal, "1.50")->label, "1.5");
}

TEST(Value, DatesCountDays) {
  EXPECT_EQ(parse_value(Type::date, "1970-01-01")->number, 0);
  EXPECT_EQ(parse_value(Type::date, "1969-12-31")->number, -1);
  EXPECT_EQ(parse_value(Type::date, "2024-02-29")->label, "2024-02-29");
  EXPECT_EQ(parse_value(Type::date, "2024-02-29 00:00:00")->label, "2024-02-29");
  const Calendar date = calendar_of(parse_value(Type::date, "1964-10-07")->number);
  EXPECT_EQ(date.year, 1964);
  EXPECT_EQ(date.month, 10);
  EXPECT_EQ(date.day, 7);
}

TEST(Value, DatesKeepTheirFormat) {
  const auto value = parse_value(Type::date, "8/20/1965", "%m/%d/%Y");
  ASSERT_TRUE(value);
  EXPECT_EQ(value->label, "08/20/1965");
  EXPECT_EQ(value->number, parse_value(Type::date, "1965-08-20")->number);
  EXPECT_FALSE(parse_value(Type::date, "1965-08-20", "%m/%d/%Y"));
}

}  // namespace
}  // namespace throng
