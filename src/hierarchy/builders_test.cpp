#include "hierarchy/builders.h"

#include <gtest/gtest.h>

#include "table/value.h"
#include "throng/error.h"

namespace throng {
namespace {

Dictionary values_of(Type type, const std::vector<std::string>& texts) {
  Dictionary values;
  values.type = type;
  for (const std::string& text : texts) {
    const auto value = parse_value(type, text).value();
    values.labels.push_back(value.label);
    if (values.numeric()) values.numbers.push_back(value.number);
  }
  return values;
}

// The labels from leaf to root.
std::vector<std::string> line(const Hierarchy& tree, const std::string& leaf) {
  std::vector<std::string> labels;
  const Code position = tree.find_leaf(leaf).value();
  for (std::size_t level = 0; level < tree.height(); ++level)
    labels.push_back(tree.label(tree.at_level(position, level)));
  return labels;
}
using Labels = std::vector<std::string>;

TEST(Mask, HidesFromEitherEnd) {
  const Dictionary zips = values_of(Type::text, {"02138", "02139", "02141"});
  const Hierarchy right = build_mask(zips, {}, "zip");
  EXPECT_EQ(line(right, "02141"), (Labels{"02141", "0214*", "021**", "02***", "0****", "*"}));
  const Hierarchy left = build_mask(zips, {false, "x"}, "zip");
  EXPECT_EQ(line(left, "02141"), (Labels{"02141", "x2141", "xx141", "xxx41", "xxxx1", "*"}));
}

TEST(Mask, HidesCharactersNotBytes) {
  const Hierarchy tree = build_mask(values_of(Type::text, {"aé", "aü", "b"}), {}, "c");
  EXPECT_EQ(line(tree, "aé"), (Labels{"aé", "a*", "*"}));
  EXPECT_EQ(line(tree, "b"), (Labels{"b", "*", "*"}));
}

TEST(Mask, TakesTheEmptyText) {
  EXPECT_EQ(line(build_mask(values_of(Type::text, {""}), {}, "c"), ""), (Labels{"", "*"}));
  EXPECT_EQ(line(build_mask(values_of(Type::text, {"", "ab"}), {}, "c"), ""),
            (Labels{"", "*", "*"}));
}

TEST(Intervals, ByWidths) {
  const Dictionary ages = values_of(Type::integer, {"-3", "0", "4", "5", "23"});
  IntervalRule rule;
  rule.widths = {5, 10};
  const Hierarchy tree = build_intervals(ages, rule, "", "age");
  EXPECT_EQ(line(tree, "23"), (Labels{"23", "20..24", "20..29", "*"}));
  EXPECT_EQ(line(tree, "4"), (Labels{"4", "0..4", "0..9", "*"}));
  EXPECT_EQ(line(tree, "-3"), (Labels{"-3", "-5..-1", "-10..-1", "*"}));
}

TEST(Intervals, OfDecimalsEndBeforeTheNext) {
  const Dictionary values = values_of(Type::decimal, {"20", "29.95", "30"});
  IntervalRule rule;
  rule.widths = {10};
  const Hierarchy tree = build_intervals(values, rule, "", "x");
  EXPECT_EQ(line(tree, "29.95"), (Labels{"29.95", "20..29.99", "*"}));
  EXPECT_EQ(line(tree, "30"), (Labels{"30", "30..39.99", "*"}));
}

// Whatever the width, a value lies in the interval that it is written for.
TEST(Intervals, HoldTheirValues) {
  for (const double width : {0.1, 0.2, 0.3, 0.7, 1.0, 2.5, 3.0}) {
    for (const Type type : {Type::decimal, Type::integer}) {
      if (type == Type::integer && width < 1) continue;
      std::vector<std::string> texts;
      for (int i = -40; i < 40; ++i)
        texts.push_back(spell_number(type == Type::integer ? i : i / 10.0));
      IntervalRule rule;
      rule.widths = {width, width * 2};
      rule.origin = 0.5;
      const Hierarchy tree = build_intervals(values_of(type, texts), rule, "", "x");
      for (const std::string& text : texts) {
        for (const std::string& label : line(tree, text)) {
          const auto dots = label.find("..");
          if (label == "*") continue;
          const std::string low = label.substr(0, dots);
          const std::string high = dots == std::string::npos ? low : label.substr(dots + 2);
          EXPECT_LE(std::stod(low), std::stod(text) + 1e-9) << label << " " << text << " " << width;
          EXPECT_GE(std::stod(high), std::stod(text) - 1e-9)
              << label << " " << text << " " << width;
        }
      }
    }
  }
}

TEST(Intervals, OfVerySmallNumbers) {
  IntervalRule rule;
  rule.widths = {10};
  const Dictionary values = values_of(Type::decimal, {"-2e-05", "-1e-05", "3"});
  const Hierarchy tree = build_intervals(values, rule, "", "x");
  EXPECT_EQ(line(tree, "-1e-05")[1], "-10..-1e-05");
  EXPECT_THROW(
      build_intervals(values_of(Type::decimal, {"36.123456789012345", "1e3"}), rule, "", "x"),
      InputError);
}

TEST(Intervals, ByBounds) {
  const Dictionary ages = values_of(Type::integer, {"3", "17", "18", "64", "65", "90"});
  IntervalRule rule;
  rule.bounds = {18, 65};
  const Hierarchy tree = build_intervals(ages, rule, "", "age");
  EXPECT_EQ(line(tree, "17"), (Labels{"17", "<18", "*"}));
  EXPECT_EQ(line(tree, "18"), (Labels{"18", "18..64", "*"}));
  EXPECT_EQ(line(tree, "90"), (Labels{"90", ">=65", "*"}));
}

TEST(Dates, ByCalendar) {
  const Dictionary dates = values_of(Type::date, {"1964-10-07", "1965-08-20"});
  const Hierarchy tree = build_dates(
      dates,
      {{DateLevel::day, DateLevel::month, DateLevel::quarter, DateLevel::year, DateLevel::decade}},
      "", "birth");
  EXPECT_EQ(line(tree, "1964-10-07"),
            (Labels{"1964-10-07", "1964-10", "1964-Q4", "1964", "1960s", "*"}));
}

}  // namespace
}  // namespace throng
