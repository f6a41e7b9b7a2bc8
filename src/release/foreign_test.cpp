#include "release/foreign.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "algorithms/anonymize.h"
#include "private_tables.h"
#include "release/foreign_text.h"
#include "table/value.h"
#include "throng/error.h"

namespace throng {
namespace {

using testing::Rows;

// A file whose first row is its header.
ForeignFile file_of(const Rows& rows) {
  ForeignFile file{"r.csv", {}, rows.size() - 1};
  for (std::size_t i = 0; i < rows[0].size(); ++i) {
    RawColumn raw{rows[0][i], {}, Codes(file.rows, 1U << 20)};
    std::map<std::string, Code> known;
    for (std::size_t row = 1; row < rows.size(); ++row) {
      const auto place = known.emplace(rows[row][i], static_cast<Code>(raw.texts.size()));
      if (place.second) raw.texts.push_back(rows[row][i]);
      raw.codes.set(row - 1, place.first->second);
    }
    file.columns.push_back(std::move(raw));
  }
  return file;
}

Policy policy_of(const std::string& columns, const std::string& rest = "") {
  return parse_policy("columns:\n" + columns + "privacy:\n  - k-anonymity: 2\n" + rest, "policy",
                      "");
}

// A policy of one quasi-identifier q, its hierarchy's file given.
Policy quasi(const std::string& settings, const std::string& rest = "",
             const std::string& hierarchy = "") {
  Policy policy = policy_of("  q: {role: quasi-identifier" + settings + "}\n", rest);
  if (!hierarchy.empty())
    policy.columns[0].generalization.hierarchy = HierarchyFile{"h.csv", hierarchy};
  return policy;
}

std::vector<Release> read(const Policy& policy, const std::vector<std::vector<std::string>>& files,
                          EmptyCell empty = EmptyCell::as_listed) {
  std::vector<ForeignFile> foreign;
  for (const auto& texts : files) {
    Rows rows = {{"q"}};
    for (const std::string& text : texts) rows.push_back({text});
    foreign.push_back(file_of(rows));
  }
  return read_foreign(std::move(foreign), policy, empty);
}

const Region& region_of_row(const Release& release, std::size_t row, std::size_t column = 0) {
  return release.region(column, release.class_of_row[row]);
}

// What each text of one file means, as we would write it.
std::vector<std::string> means(const Policy& policy, const std::vector<std::string>& texts) {
  const Release release = read(policy, {texts})[0];
  std::vector<std::string> written;
  for (std::size_t row = 0; row < texts.size(); ++row)
    written.push_back(write_region(release.quasi[0].domain, region_of_row(release, row)));
  return written;
}

using Strings = std::vector<std::string>;

// The text of the file that is refused; "" where none is.
std::string refused(const Policy& policy, const std::vector<std::string>& texts) {
  try {
    read(policy, {texts});
  } catch (const ForeignValue& value) {
    EXPECT_EQ(value.column, "q");
    EXPECT_FALSE(value.expected.empty());
    return value.text;
  }
  return "";
}

bool meet(const Domain& domain, const Region& a, const Region& b) {
  for (Code i = 0; i < domain.size(); ++i) {
    if (covers(domain, a, i) && covers(domain, b, i)) return true;
  }
  return false;
}

TEST(Foreign, ReadsExtents) {
  const double infinity = std::numeric_limits<double>::infinity();
  struct Case {
    const char* text;
    Type type;
    double low, high;
  };
  const auto day = [](int year, int month, int date) { return days_of({year, month, date}); };
  const Case cases[] = {
      {"20", Type::integer, 20, 20},
      {"-20", Type::integer, -20, -20},
      {"20..30", Type::integer, 20, 30},
      {"20 .. 30", Type::integer, 20, 30},
      {"20-30", Type::integer, 20, 30},
      {"20 - 30", Type::integer, 20, 30},
      {"20\u201330", Type::integer, 20, 30},
      {"[20, 30[", Type::integer, 20, 29},
      {"[20,30)", Type::integer, 20, 29},
      {"]20,30]", Type::integer, 21, 30},
      {"(20,30]", Type::integer, 21, 30},
      {"(20,30)", Type::integer, 21, 29},
      {"]20;30[", Type::integer, 21, 29},
      {"[20-30]", Type::integer, 20, 30},
      {"[20 \u2013 30]", Type::integer, 20, 30},
      {"[20..30]", Type::integer, 20, 30},
      {"[20,20]", Type::integer, 20, 20},
      {"[19.5, 24.5]", Type::integer, 20, 24},
      {"-10--5", Type::integer, -10, -5},
      {"-10-5", Type::integer, -10, 5},
      {"[-10, -5[", Type::integer, -10, -6},
      {"-10..-5", Type::integer, -10, -5},
      {"[-0.5, 3]", Type::integer, 0, 3},
      {">=65", Type::integer, 65, infinity},
      {">= 65", Type::integer, 65, infinity},
      {"\u226565", Type::integer, 65, infinity},
      {">65", Type::integer, 66, infinity},
      {"65+", Type::integer, 65, infinity},
      {"<18", Type::integer, -infinity, 17},
      {"<=18", Type::integer, -infinity, 18},
      {"<-18", Type::integer, -infinity, -19},
      {"1.5-2.5", Type::decimal, 1.5, 2.5},
      {"1e-5", Type::decimal, 1e-5, 1e-5},
      {"1e-5-2", Type::decimal, 1e-5, 2},
      {"[1.5,2.5[", Type::decimal, 1.5, std::nextafter(2.5, 0.0)},
      {">1.5", Type::decimal, std::nextafter(1.5, 2.0), infinity},
      {"2020-01-01..2020-02-01", Type::date, day(2020, 1, 1), day(2020, 2, 1)},
      {"2020-01-01-2020-02-01", Type::date, day(2020, 1, 1), day(2020, 2, 1)},
      {"[2020-01-01, 2020-03-01[", Type::date, day(2020, 1, 1), day(2020, 2, 29)},
      {"]2020-02-28 \u2013 2020-03-01]", Type::date, day(2020, 2, 29), day(2020, 3, 1)},
      {"<2020-01-01", Type::date, -infinity, day(2019, 12, 31)},
  };
  for (const Case& one : cases) {
    const auto extent = read_extent(one.text, one.type, "");
    ASSERT_TRUE(extent) << one.text;
    EXPECT_EQ(extent->low, one.low) << one.text;
    EXPECT_EQ(extent->high, one.high) << one.text;
  }
  for (const char* text :
       {"",           " ",        "x",       "20-",     "-",      "..",    "20..",  "..30",
        "30..20",     "[30,20]",  "[20,20[", "(20,21)", "20,30",  "[20",   "20]",   "[20]",
        "[20,30,40]", "20-30-40", "20...30", ">",       "<x",     "+",     "++",    ">=20-30",
        "20 30",      "[,]",      "{20}",    "2*",      "20to30", "[a,b]", ">=inf", "1e400..2"}) {
    EXPECT_FALSE(read_extent(text, Type::integer, "")) << text;
  }
  EXPECT_FALSE(read_extent("1...2", Type::decimal, ""));  // 1. to 2, or 1 to .2
  const auto german = read_extent("01.02.2020-03.02.2020", Type::date, "%d.%m.%Y");
  ASSERT_TRUE(german);
  EXPECT_EQ(german->high - german->low, 2);
  // A format without days: the month before; after it there is no saying.
  const auto months = read_extent("[2020-01, 2020-03[", Type::date, "%Y-%m");
  ASSERT_TRUE(months);
  EXPECT_EQ(months->high, day(2020, 2, 1));
  EXPECT_FALSE(read_extent("]2020-01, 2020-03]", Type::date, "%Y-%m"));
}

TEST(Foreign, ReadsDateLabels) {
  const DateRule rule{{DateLevel::month, DateLevel::quarter, DateLevel::year, DateLevel::decade}};
  const auto days = [&](const char* text) -> double {
    const auto extent = read_date_label(text, rule, "");
    return extent ? extent->high - extent->low + 1 : 0;
  };
  EXPECT_EQ(days("1964-02"), 29);
  EXPECT_EQ(days("1964-Q4"), 92);
  EXPECT_EQ(days("1964"), 366);
  EXPECT_EQ(days("1960s"), 3653);
  for (const char* text : {"1964-13", "1964-Q5", "1964-", "196", "1965s", "1964-2", "", "19640"})
    EXPECT_EQ(days(text), 0) << text;
  EXPECT_FALSE(read_date_label("1964", DateRule{{DateLevel::month}}, ""));
}

TEST(Foreign, IntervalsBecomeADomainOfTheirEnds) {
  const Policy numbers = quasi(", type: integer");
  EXPECT_EQ(means(numbers, {"20-30", "[20,30]", "[20, 31[", "25", "40", "007", "7", "*", "40-50"}),
            (Strings{"20..30", "20..30", "20..30", "25", "40", "7", "7", "*", "40..50"}));
  EXPECT_EQ(means(numbers, {"7..50", "7", "50"}), (Strings{"*", "7", "50"}));
  EXPECT_EQ(means(numbers, {"<18", "18-64", "65+", ">64", "17"}),
            (Strings{"-\u221E..17", "18..64", "65..\u221E", "65..\u221E", "17"}));
  EXPECT_EQ(means(quasi(", type: decimal"), {"[20,30[", "30", "31"}),
            (Strings{"20..29.999999999999996", "30", "31"}));
  EXPECT_EQ(means(quasi(", type: date, format: \"%d.%m.%Y\""),
                  {"[01.02.2020, 01.03.2020[", "05.03.2020"}),
            (Strings{"01.02.2020..29.02.2020", "05.03.2020"}));
  EXPECT_EQ(means(numbers, {"*"}), (Strings{"*"}));
  EXPECT_EQ(means(numbers, {"*", "5"}), (Strings{"*", "5"}));  // others may not be 5
}

TEST(Foreign, SetsOfNumbers) {
  const Policy numbers = quasi(", type: integer");
  EXPECT_EQ(means(numbers, {"{20|21|22}", "30"}), (Strings{"20..22", "30"}));
  EXPECT_EQ(means(numbers, {"{20, 30}", "25", "24-26", "40"}),
            (Strings{"{20|30}", "25", "{24|25|26}", "40"}));
  EXPECT_EQ(refused(numbers, {"20,30"}), "20,30");
  EXPECT_EQ(refused(numbers, {"{20|x}"}), "{20|x}");
}

TEST(Foreign, DeclaredDomains) {
  const Policy range = quasi(", type: integer, domain: 10..90");
  EXPECT_EQ(means(range, {"[0, 20[", "<30", "10..90", "80+"}),
            (Strings{"10..19", "10..29", "*", "80..90"}));
  EXPECT_EQ(refused(range, {"50", "5"}), "5");
  EXPECT_EQ(refused(range, {"50", "91-95"}), "91-95");
  const Policy list = quasi(", type: integer, domain: [1, 2, 3, 5, 8]");
  EXPECT_EQ(means(list, {"2-6", "4-6", "*", "<3"}), (Strings{"2..5", "5", "*", "1..2"}));
  EXPECT_EQ(refused(list, {"6-7"}), "6-7");
  EXPECT_EQ(refused(list, {"4"}), "4");
  const Policy words = quasi(", domain: [\"a\", \"b\", \"a,b\", \"c*\", \"{a|b}\", d]");
  EXPECT_EQ(means(words, {"a,b", "b,a", "c*", "{a|d}", "\\{a\\|b\\}", "*"}),
            (Strings{"a,b", "{a|b}", "c*", "{a|d}", "\\{a\\|b\\}", "*"}));
  EXPECT_EQ(refused(words, {"e"}), "e");
  EXPECT_EQ(refused(words, {"a,e"}), "a,e");
  EXPECT_EQ(refused(words, {"{a|e}"}), "{a|e}");
  EXPECT_EQ(refused(words, {"e*"}), "e*");
}

TEST(Foreign, SetsOfText) {
  const Policy words = quasi("");
  EXPECT_EQ(means(words, {"a", "b", "c", "{a|b}", "{b, a}", "{ a | b }", "a,b", "b, a", "{a}"}),
            (Strings{"a", "b", "c", "{a|b}", "{a|b}", "{a|b}", "{a|b}", "{a|b}", "a"}));
  EXPECT_EQ(means(words, {"{a|b, c}", "d"}), (Strings{"{a|b, c}", "d"}));
  EXPECT_EQ(means(words, {"{a|b}", "{b|c}", "*", "{a|b|c}"}),
            (Strings{"{a|b}", "{b|c}", "*", "*"}));
  // Values are not trimmed, members are.
  EXPECT_EQ(means(words, {" a", "a", "{a, b}"}), (Strings{" a", "a", "{a|b}"}));
  EXPECT_EQ(means(words, {" a", "{ a|b}", "c"}), (Strings{" a", "{ a|b}", "c"}));
  // What looks like a set but shares no part with anyone meets the same as a value.
  EXPECT_EQ(means(words, {"Doe, Jane", "Poe, Ann", "x"}), (Strings{"Doe, Jane", "Poe, Ann", "x"}));
  EXPECT_EQ(refused(words, {"a,b", "a,c"}), "a,b");
  EXPECT_EQ(refused(words, {"a", "a,b"}), "a,b");
  EXPECT_EQ(refused(words, {"a", "b", "a|b"}), "a|b");
  EXPECT_EQ(refused(words, {"{}"}), "{}");
  EXPECT_EQ(means(words, {"\\*", "*", "x", "a\\\\b", "a\\b", "1\\..2"}),
            (Strings{"\\*", "*", "x", "a\\\\b", "a\\\\b", "1\\..2"}));
}

TEST(Foreign, MasksOfTextStandForValues) {
  const Policy words = quasi("");
  EXPECT_EQ(means(words, {"02141", "02142", "02999", "0214*", "02***", "*2141", "*****"}),
            (Strings{"02141", "02142", "02999", "{02141|02142}", "*", "02141", "*"}));
  EXPECT_EQ(refused(words, {"02141", "03*"}), "03*");
  EXPECT_EQ(refused(words, {"02141", "*3"}), "*3");
  EXPECT_EQ(refused(words, {"0*1"}), "0*1");
  EXPECT_EQ(refused(words, {"*21*"}), "*21*");
}

TEST(Foreign, MaskRules) {
  const Policy right = quasi(", hierarchy: {mask: right}");
  EXPECT_EQ(means(right, {"02141", "0214*", "021**", "03***", "*", "*****"}),
            (Strings{"02141", "0214*", "021**", "03***", "*", "*"}));
  // A single star of others is the rest, whatever its length.
  EXPECT_EQ(means(right, {"02141", "021*"}), (Strings{"02141", "021**"}));
  EXPECT_EQ(means(right, {"021*", "02*", "0214*"}), (Strings{"021**", "02***", "0214*"}));
  EXPECT_EQ(means(right, {"021*", "0214*", "03***"}), (Strings{"021*", "0214*", "03***"}));
  EXPECT_EQ(refused(right, {"02141", "021", "0*"}), "0*");
  const std::vector<Release> both = read(right, {{"021**", "0214*"}, {"021*"}});
  EXPECT_EQ(region_of_row(both[0], 0), region_of_row(both[1], 0));
  EXPECT_EQ(refused(right, {"02141", "*2141"}), "*2141");
  const Policy left = quasi(", hierarchy: {mask: left, character: x}");
  EXPECT_EQ(means(left, {"02141", "x2141", "xx999", "xxxxx", "*"}),
            (Strings{"02141", "x2141", "xx999", "*", "*"}));
  // A mask is never one value, though only one is told.
  const Release release = read(right, {{"02141", "0214*"}})[0];
  EXPECT_NE(region_of_row(release, 1).low, region_of_row(release, 1).high);
  // A set is no node: then all are sets.
  const std::vector<std::string> sets = means(right, {"02141", "02142", "{02141|02999}", "0214*"});
  EXPECT_EQ(sets[2], "{02141|02999}");
  EXPECT_EQ(sets[3], "{02141|02142}");
}

TEST(Foreign, MasksMeetWhereOneBeginsTheOther) {
  for (const bool right : {true, false}) {
    const Policy policy = quasi(right ? ", hierarchy: {mask: right}" : ", hierarchy: {mask: left}");
    for (std::uint64_t seed = 1; seed < 60; ++seed) {
      Random random(seed);
      std::vector<std::vector<std::string>> files(2);
      for (auto& file : files) {
        const std::size_t count = 1 + random.below(8);
        for (std::size_t i = 0; i < count; ++i) {
          std::string text;
          const std::size_t shown = 1 + random.below(4);
          for (std::size_t at = 0; at < shown; ++at)
            text += static_cast<char>('0' + random.below(2));
          const std::string hidden(4 - shown, '*');
          file.push_back(right ? text + hidden : hidden + text);
        }
      }
      const std::vector<Release> releases = read(policy, files);
      const Domain& domain = releases[0].quasi[0].domain;
      EXPECT_EQ(domain.values.labels, releases[1].quasi[0].domain.values.labels);
      for (std::size_t i = 0; i < files[0].size(); ++i) {
        for (std::size_t j = 0; j < files[1].size(); ++j) {
          bool agree = true;
          for (std::size_t at = 0; at < 4; ++at) {
            const char a = files[0][i][at], b = files[1][j][at];
            agree = agree && (a == b || a == '*' || b == '*');
          }
          EXPECT_EQ(meet(domain, region_of_row(releases[0], i), region_of_row(releases[1], j)),
                    agree)
              << files[0][i] << " " << files[1][j] << " seed " << seed;
        }
      }
    }
  }
}

// Intervals meet by their numbers, with any hierarchy and in any notation.
TEST(Foreign, IntervalsMeetByTheirNumbers) {
  for (const char* settings : {"", ", hierarchy: {interval: [5, 10, 20]}",
                               ", hierarchy: {interval: {bounds: [8, 20]}}", ", domain: 0..60"}) {
    const Policy policy = quasi(std::string(", type: integer") + settings);
    for (std::uint64_t seed = 1; seed < 60; ++seed) {
      Random random(seed);
      std::vector<std::vector<std::string>> files(2);
      std::vector<std::vector<Extent>> extents(2);
      const bool nodes = random.below(2) == 0;  // only what the rule of fives and tens knows
      for (std::size_t file = 0; file < 2; ++file) {
        const std::size_t count = 1 + random.below(8);
        for (std::size_t i = 0; i < count; ++i) {
          auto low = static_cast<int>(random.below(40));
          auto high = low + static_cast<int>(random.below(20));
          if (nodes) {
            low = low / 5 * 5;
            high = low + 4;
          }
          double from = low, to = high;
          std::string text;
          switch (random.below(nodes ? 3 : 6)) {
            case 0:
              text = std::to_string(low) + "-" + std::to_string(high);
              break;
            case 1:
              text = "[" + std::to_string(low) + ", " + std::to_string(high + 1) + "[";
              break;
            case 2:
              text = std::to_string(low);
              to = low;
              break;
            case 3:
              text = "(" + std::to_string(low - 1) + "," + std::to_string(high) + "]";
              break;
            case 4:
              text = ">" + std::to_string(low - 1);
              to = 1000;
              break;
            default:
              text = "<" + std::to_string(high + 1);
              from = -1000;
          }
          files[file].push_back(text);
          extents[file].push_back({from, to});
        }
      }
      const std::vector<Release> releases = read(policy, files);
      const Domain& domain = releases[0].quasi[0].domain;
      for (std::size_t i = 0; i < files[0].size(); ++i) {
        for (std::size_t j = 0; j < files[1].size(); ++j) {
          const Extent &a = extents[0][i], &b = extents[1][j];
          EXPECT_EQ(meet(domain, region_of_row(releases[0], i), region_of_row(releases[1], j)),
                    a.low <= b.high && b.low <= a.high)
              << files[0][i] << " " << files[1][j] << " seed " << seed << settings;
        }
      }
    }
  }
}

TEST(Foreign, Rules) {
  const Policy tens = quasi(", type: integer, hierarchy: {interval: [10, 20]}");
  const Release release = read(tens, {{"[20, 30[", "20-29", "20..39", "23", "50..59", "*", ""}},
                               EmptyCell::everything)[0];
  EXPECT_EQ(release.quasi[0].domain.kind, Domain::Kind::tree);
  EXPECT_EQ(release.classes, 5U);
  EXPECT_EQ(means(tens, {"20..29", "23", "50..59"}), (Strings{"20..29", "23", "50..59"}));
  EXPECT_EQ(means(tens, {"18-27", "20..29", "50..59"}), (Strings{"18..27", "20..29", "50..59"}));
  const Policy bounds = quasi(", type: integer, hierarchy: {interval: {bounds: [18, 65]}}");
  EXPECT_EQ(means(bounds, {"<18", "<=17", "[18, 65[", "65+", "3"}),
            (Strings{"<18", "<18", "18..64", ">=65", "3"}));
  const Policy dates = quasi(", type: date, hierarchy: {date: [month, year]}");
  EXPECT_EQ(means(dates, {"1964-10", "[1964-10-01, 1964-11-01[", "1964", "1970-05-05"}),
            (Strings{"1964-10", "1964-10", "1964", "1970-05-05"}));
  EXPECT_EQ(
      means(dates, {"1964-10", "1964-10-05..1964-10-06", "1971"}),
      (Strings{"1964-10-01..1964-10-31", "1964-10-05..1964-10-06", "1971-01-01..1971-12-31"}));
  EXPECT_EQ(refused(dates, {"1960s"}), "1960s");
}

TEST(Foreign, HierarchyFiles) {
  const Policy jobs =
      quasi("", "", "cook;kitchen;*\nwaiter;kitchen;*\nnurse;ward;*\nsurgeon;ward;*\n");
  EXPECT_EQ(means(jobs, {"kitchen", "{cook|waiter}", "waiter,cook", "nurse", "*"}),
            (Strings{"kitchen", "kitchen", "kitchen", "nurse", "*"}));
  EXPECT_EQ(means(jobs, {"kitchen", "{cook|nurse}", "surg*"}),
            (Strings{"{cook|waiter}", "{cook|nurse}", "surgeon"}));
  EXPECT_EQ(means(jobs, {"{kitchen|ward}"}).front(), "*");
  EXPECT_EQ(refused(jobs, {"kitchen", "pilot"}), "pilot");
  const Policy ages = quasi(", type: integer", "", "1;young;*\n2;young;*\n3;old;*\n4;old;*\n");
  EXPECT_EQ(means(ages, {"young", "1-2", "[0, 3[", "3", "0-9"}),
            (Strings{"young", "young", "young", "3", "*"}));
  EXPECT_EQ(means(ages, {"young", "2-3", "old"}), (Strings{"1..2", "2..3", "3..4"}));
  EXPECT_EQ(refused(ages, {"5"}), "5");
  // Leaves that are not in the order of the numbers make no intervals.
  const Policy odd = quasi(", type: integer", "", "1;odd;*\n2;even;*\n3;odd;*\n4;even;*\n");
  EXPECT_EQ(means(odd, {"odd", "2"}), (Strings{"odd", "2"}));
  EXPECT_EQ(refused(odd, {"odd", "1-2"}), "1-2");
}

TEST(Foreign, EmptyAndMissing) {
  const std::string listed = "missing: {values: [\"?\", \"\"], as: value}\n";
  const std::string unlisted = "missing: {values: [\"?\"], as: value}\n";
  for (const char* settings : {"", ", type: integer", ", type: integer, hierarchy: {interval: 10}",
                               ", hierarchy: {mask: right}", ", domain: [\"1\", \"2\"]"}) {
    EXPECT_EQ(means(quasi(settings, listed), {"", "?", "1", "2", "*"}),
              (Strings{"?", "?", "1", "2", "*"}))
        << settings;
    EXPECT_EQ(means(quasi(settings, unlisted), {"", "?", "1", "2", "*"}),
              (Strings{"*", "?", "1", "2", "*"}))
        << settings;
    EXPECT_EQ(means(quasi(settings, "missing: {values: [\"\"], as: drop}\n"), {"", "1"}),
              (Strings{"*", "1"}))
        << settings;
    EXPECT_EQ(refused(quasi(settings, "missing: {values: [\"?\"], as: error}\n"), {"1", "?"}), "?");
  }
  EXPECT_EQ(means(quasi("", listed), {"{a|?}", "a", "b"}), (Strings{"{a|?}", "a", "b"}));
  EXPECT_EQ(means(quasi(", type: integer", unlisted), {"1..2", "?"}), (Strings{"1..2", "?"}));
  const Release everything = read(quasi("", listed), {{"", "?", "*"}}, EmptyCell::everything)[0];
  EXPECT_EQ(everything.classes, 2U);
}

TEST(Foreign, SharesDomainsAndDictionaries) {
  const Policy policy = policy_of(
      "  a: {role: quasi-identifier, type: integer}\n  b: {role: quasi-identifier}\n"
      "  i: {role: insensitive}\n  s: {role: sensitive}\n");
  const std::vector<Release> releases = read_foreign(
      {file_of(
           {{"s", "a", "b"}, {"flu", "20-30", "x"}, {"acne", "[20,30]", "x"}, {"flu", "*", "y"}}),
       file_of({{"b", "s", "i"}, {"{x|z}", "gout", "1"}, {"y", "flu", "2"}})},
      policy);
  ASSERT_EQ(releases.size(), 2U);
  EXPECT_EQ(releases[0].classes, 2U);
  EXPECT_EQ(releases[0].suppressed, 0U);
  ASSERT_EQ(releases[0].layout.size(), 3U);
  EXPECT_FALSE(releases[0].layout[0].quasi);
  EXPECT_EQ(releases[0].quasi[1].domain.values.labels, (Strings{"x", "y", "z"}));
  EXPECT_EQ(releases[1].quasi[0].domain.values.labels, (Strings{"x", "y", "z"}));
  EXPECT_EQ(releases[0].plain[0].values.labels, (Strings{"acne", "flu", "gout"}));
  EXPECT_EQ(releases[1].plain[0].values.labels, (Strings{"acne", "flu", "gout"}));
  EXPECT_EQ(releases[1].plain[0].codes[1], releases[0].plain[0].codes[0]);
  EXPECT_EQ(releases[1].quasi.size(), 1U);
}

TEST(Foreign, TellsWhichFile) {
  const Policy policy = policy_of(
      "  a: {role: quasi-identifier, type: integer}\n  n: {role: identifier}\n"
      "  s: {role: sensitive, type: integer}\n");
  try {
    read_foreign({file_of({{"a", "s"}, {"1", "2"}}), file_of({{"a", "s"}, {"1", "2"}, {"1", "x"}})},
                 policy);
    FAIL();
  } catch (const ForeignValue& value) {
    EXPECT_EQ(value.file, 1U);
    EXPECT_EQ(value.column, "s");
    EXPECT_EQ(value.text, "x");
    EXPECT_EQ(value.expected, "an integer");
  }
  EXPECT_THROW(read_foreign({file_of({{"n"}, {"1"}})}, policy), InputError);
  EXPECT_THROW(read_foreign({file_of({{"z"}, {"1"}})}, policy), InputError);
}

TEST(Foreign, EmptyReleases) {
  const Policy policy = quasi(", hierarchy: {mask: right}");
  const std::vector<Release> releases =
      read_foreign({file_of({{"q"}}), file_of({{"q"}, {"*"}})}, policy);
  EXPECT_EQ(releases[0].rows(), 0U);
  EXPECT_EQ(releases[0].classes, 0U);
  EXPECT_EQ(releases[1].classes, 1U);
  EXPECT_TRUE(read_foreign({}, policy).empty());
  const Policy plain = policy_of("  q: {role: quasi-identifier}\n  s: {role: sensitive}\n");
  EXPECT_EQ(read_foreign({file_of({{"s"}, {"1"}, {"2"}})}, plain)[0].classes, 1U);
}

// Whatever stands in a file is read, or refused by its column and value; never in two ways.
TEST(Foreign, GarbageIsReadOrRefused) {
  const std::string letters = "0129ab[](){}|,.*-<>=+ \\x";
  const char* columns[] = {"",
                           ", type: integer",
                           ", type: decimal",
                           ", type: date",
                           ", type: integer, hierarchy: {interval: [5, 10]}",
                           ", type: date, hierarchy: {date: [month, year]}",
                           ", hierarchy: {mask: right}",
                           ", hierarchy: {mask: left, character: x}",
                           ", domain: [a, b, \"0\", \"1\", \"a,b\"]",
                           ", type: integer, domain: 0..99"};
  std::size_t understood = 0;
  for (std::uint64_t seed = 1; seed < 1500; ++seed) {
    Random random(seed);
    const Policy policy =
        quasi(columns[random.below(10)], "missing: {values: [\"?\"], as: value}\n");
    std::vector<std::string> texts;
    for (std::size_t i = 1 + random.below(3); i > 0; --i) {
      std::string text;
      for (std::size_t at = random.below(7); at > 0; --at)
        text += letters[random.below(letters.size())];
      texts.push_back(text);
    }
    try {
      const Release release = read(policy, {texts})[0];
      const Domain& domain = release.quasi[0].domain;
      ++understood;
      for (std::size_t row = 0; row < texts.size(); ++row) {
        const Region& region = region_of_row(release, row);
        EXPECT_LE(region.low, region.high) << texts[row] << " seed " << seed;
        EXPECT_LT(region.high, domain.size()) << texts[row] << " seed " << seed;
        EXPECT_FALSE(write_region(domain, region).empty() && !texts[row].empty());
      }
    } catch (const ForeignValue& value) {
      EXPECT_NE(std::find(texts.begin(), texts.end(), value.text), texts.end()) << "seed " << seed;
    }
  }
  EXPECT_GT(understood, 150U);
}

// What we write is read as it was: the same classes, and the same texts when written again.
TEST(Foreign, OurReleasesReadBack) {
  const char* hierarchies[] = {"", ", hierarchy: {mask: right}", ", hierarchy: {mask: left}"};
  const char* numbers[] = {"", ", hierarchy: {interval: [5, 10]}",
                           ", hierarchy: {interval: {bounds: [25, 40]}}", ", domain: 0..99"};
  const char* words[] = {"p", "q|r", "{s}", "*", "a..b", "t\\u", "x y", ""};
  for (std::uint64_t seed = 1; seed < 80; ++seed) {
    Random random(seed);
    const Policy policy =
        parse_policy(std::string("columns:\n  a: {role: quasi-identifier, type: integer") +
                         numbers[random.below(4)] + "}\n  b: {role: quasi-identifier}\n" +
                         "  c: {role: quasi-identifier" + hierarchies[random.below(3)] +
                         "}\n  s: {role: sensitive}\nprivacy:\n  - k-anonymity: 3\nalgorithm: " +
                         (random.below(2) == 0 ? "mondrian" : "greedy-release") + "\n",
                     "policy", "");
    Rows rows = testing::random_rows(60, seed);
    for (std::size_t row = 1; row < rows.size(); ++row) {
      rows[row][1] = words[random.below(8)];
      if (random.below(40) == 0) rows[row][0] = "";
    }
    const Release release = anonymize_table(testing::table_of(rows, policy), policy, 0);
    Rows written = {{"a", "b", "c", "s"}};
    for (std::size_t row = 0; row < release.rows(); ++row) {
      auto& line = written.emplace_back();
      for (std::size_t column = 0; column < 3; ++column) {
        line.push_back(
            write_region(release.quasi[column].domain, region_of_row(release, row, column)));
      }
      line.push_back(release.plain[0].values.labels[release.plain[0].codes[row]]);
    }
    const Release back = read_foreign({file_of(written)}, policy)[0];
    EXPECT_EQ(back.classes, release.classes) << "seed " << seed;
    for (std::size_t row = 0; row < release.rows(); ++row) {
      for (std::size_t column = 0; column < 3; ++column) {
        const std::string text =
            write_region(back.quasi[column].domain, region_of_row(back, row, column));
        // A region may be all that is told.
        if (text == "*") continue;
        EXPECT_EQ(text, written[row + 1][column]) << "seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace throng
