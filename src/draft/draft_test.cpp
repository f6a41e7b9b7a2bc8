#include "draft/draft.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "draft/narrowing.h"
#include "table/random.h"
#include "throng/error.h"

namespace throng {
namespace {

// A column as the reader hands it over: each text once, in the order in which it was met.
RawColumn raw(const std::string& name, const std::vector<std::string>& cells) {
  RawColumn column;
  column.name = name;
  std::map<std::string, Code> known;
  std::vector<Code> codes;
  for (const std::string& cell : cells) {
    const auto [at, added] = known.try_emplace(cell, static_cast<Code>(column.texts.size()));
    if (added) column.texts.push_back(cell);
    codes.push_back(at->second);
  }
  column.codes = Codes(cells.size(), column.texts.size());
  for (std::size_t row = 0; row < cells.size(); ++row) column.codes.set(row, codes[row]);
  return column;
}

// `rows` cells, each made of its number.
template <typename Cell>
RawColumn made(const std::string& name, std::size_t rows, Cell cell) {
  std::vector<std::string> cells;
  for (std::size_t row = 0; row < rows; ++row) cells.push_back(cell(row));
  return raw(name, cells);
}

RawColumn cycle(const std::string& name, std::size_t rows, const std::vector<std::string>& values) {
  return made(name, rows, [&](std::size_t row) { return values[row % values.size()]; });
}

const DraftColumn& find(const Draft& draft, const std::string& name) {
  for (const DraftColumn& column : draft.columns) {
    if (column.name == name) return column;
  }
  throw std::runtime_error("no column " + name);
}

// The draft of a table with these columns and an age; it must parse, and mean what it says.
Draft drafted(std::vector<RawColumn> columns) {
  const std::size_t rows = columns[0].codes.size();
  columns.push_back(
      made("age", rows, [](std::size_t row) { return std::to_string(20 + row % 7); }));
  Draft draft = draft_policy(columns, rows, "people.csv");
  const Policy policy = parse_policy(draft.policy, "draft.yaml", "");
  EXPECT_EQ(policy.columns.size(), columns.size());
  for (const DraftColumn& column : draft.columns) {
    const ColumnPolicy* known = policy.find(column.name);
    EXPECT_NE(known, nullptr) << column.name;
    if (known == nullptr) continue;
    EXPECT_EQ(known->role, column.role) << column.name;
    if (column.role == Role::quasi_identifier || column.role == Role::sensitive) {
      EXPECT_EQ(known->type.type, column.type) << column.name;
    }
  }
  return draft;
}

Role role_of(const RawColumn& column) { return find(drafted({column}), column.name).role; }
Type type_of(const std::vector<std::string>& cells) {
  return find(drafted({raw("x", cells)}), "x").type;
}
std::string warning_of(const RawColumn& column) {
  return find(drafted({column}), column.name).warning;
}

TEST(DraftTest, ParsesWhateverTheNamesAre) {
  const std::vector<std::string> names = {"plain",
                                          "with space",
                                          "colon: inside",
                                          "# hash",
                                          "a #b",
                                          "quote\"s",
                                          "apostrophe's",
                                          "back\\slash",
                                          "yes",
                                          "No",
                                          "null",
                                          "~",
                                          "12",
                                          "1.5",
                                          "-",
                                          "- dash",
                                          "? mark",
                                          "{brace}",
                                          "[list]",
                                          "a,b",
                                          "*star",
                                          "&anchor",
                                          "!tag",
                                          "%percent",
                                          "@at",
                                          "`tick`",
                                          "|",
                                          ">",
                                          "<<",
                                          "=",
                                          "Größe",
                                          "年齢",
                                          "😀",
                                          "line\nbreak",
                                          "tab\there",
                                          " leading",
                                          "trailing ",
                                          "true",
                                          "Off",
                                          "0x1F",
                                          "columns",
                                          "role",
                                          "\x01",
                                          "\xC2\x85next",
                                          "a\xE2\x80\xA8line",
                                          std::string(2000, 'k'),
                                          "trailing:",
                                          "---",
                                          "...",
                                          "\\n",
                                          "''",
                                          "\"\""};
  std::vector<RawColumn> columns;
  for (const std::string& name : names) columns.push_back(cycle(name, 40, {"a", "b", "c"}));
  for (const std::string& name : names) columns.push_back(cycle(name + " disease", 40, {"x", "y"}));
  const Draft draft = drafted(columns);
  const Policy policy = parse_policy(draft.policy, "draft.yaml", "");
  EXPECT_EQ(policy.diversities.size(), names.size());
}

TEST(DraftTest, NamesItsSourceOnOneLine) {
  const Draft draft = draft_policy({cycle("city", 8, {"a", "b"})}, 8, "odd\nkey: value.csv");
  EXPECT_NO_THROW(parse_policy(draft.policy, "draft.yaml", ""));
  EXPECT_NE(draft.policy.find("odd key: value.csv"), std::string::npos);
}

TEST(DraftTest, FindsTypes) {
  EXPECT_EQ(type_of({"1", "2", "3", "-4", "2"}), Type::integer);
  EXPECT_EQ(type_of({"1", "2", "?", "NA", ""}), Type::integer);
  EXPECT_EQ(type_of({"1.5", "2", "3", "1.5"}), Type::decimal);
  EXPECT_EQ(type_of({"1.0", "2.0", "3.0", "1.0"}), Type::decimal);
  EXPECT_EQ(type_of({"2020-01-31", "1999-12-01", "1999-12-01"}), Type::date);
  EXPECT_EQ(type_of({"2020-01-31", "2020-02-30", "2020-01-31"}), Type::text);
  EXPECT_EQ(type_of({"1", "2", "three", "1"}), Type::text);
  EXPECT_EQ(type_of({"007", "123", "456", "123"}), Type::text);
  EXPECT_EQ(type_of({"12345678901234567", "22345678901234567", "12345678901234567"}), Type::text);
  EXPECT_EQ(type_of({"0", "1", "0", "1"}), Type::integer);
  EXPECT_EQ(type_of({"0.5", "0.25", "0.5"}), Type::decimal);
}

TEST(DraftTest, MasksZips) {
  for (const auto& column :
       {cycle("x", 40, {"02141", "02142", "53711"}), cycle("zip", 40, {"53711", "53712", "53703"}),
        cycle("PostalCode", 40, {"K1A0B1", "K1A0B2", "H0H0H0"})}) {
    const Draft draft = drafted({column});
    EXPECT_EQ(find(draft, column.name).type, Type::text) << column.name;
    EXPECT_TRUE(find(draft, column.name).mask) << column.name;
    const Policy policy = parse_policy(draft.policy, "draft.yaml", "");
    EXPECT_TRUE(
        std::holds_alternative<MaskRule>(policy.find(column.name)->generalization.hierarchy))
        << column.name;
  }
  EXPECT_FALSE(find(drafted({cycle("x", 40, {"53711", "53712", "53703"})}), "x").mask);
}

TEST(DraftTest, GivesDatesAHierarchy) {
  const Draft draft = drafted({cycle("birth", 40, {"2001-02-03", "1999-12-31", "1970-01-01"})});
  const Policy policy = parse_policy(draft.policy, "draft.yaml", "");
  const auto* rule = std::get_if<DateRule>(&policy.find("birth")->generalization.hierarchy);
  ASSERT_NE(rule, nullptr);
  EXPECT_EQ(rule->levels,
            (std::vector<DateLevel>{DateLevel::month, DateLevel::year, DateLevel::decade}));
}

TEST(DraftTest, WarnsOfWhatNamesPeople) {
  const auto number = [](const char* format) {
    return [format](std::size_t row) { return fmt::format(fmt::runtime(format), row % 900); };
  };
  EXPECT_EQ(warning_of(made("contact", 100, number("p{}@example.org"))),
            "looks like an e-mail address");
  EXPECT_EQ(warning_of(cycle("E-Mail", 100, {"none", "hidden"})), "looks like an e-mail address");
  EXPECT_EQ(warning_of(made("x", 100, number("{:03}-05-1120"))),
            "looks like a social-security number");
  EXPECT_EQ(warning_of(made("SSN", 100, number("{:09}"))), "looks like a social-security number");
  EXPECT_EQ(warning_of(made("x", 100, number("+49 30 1234{:03}"))), "looks like a phone number");
  EXPECT_EQ(warning_of(made("x", 100, number("(617) 555-0{:03}"))), "looks like a phone number");
  EXPECT_EQ(warning_of(made("mobile phone", 100, number("17612345{:03}"))),
            "looks like a phone number");
  EXPECT_EQ(warning_of(cycle("LastName", 100, {"Smith", "Jones", "Miller"})), "looks like a name");
  EXPECT_EQ(warning_of(cycle("name", 3, {"Ann", "Bob", "Cy"})), "looks like a name");
  EXPECT_EQ(warning_of(made("who", 100,
                            [](std::size_t row) {
                              return fmt::format("{}nn O'{}ara", static_cast<char>('A' + row % 26),
                                                 static_cast<char>('B' + row / 26));
                            })),
            "looks like a name");
  EXPECT_EQ(warning_of(made("patient_id", 100, number("{}"))),
            "looks like a number that stands for a person");
  // What only sounds or looks like it.
  EXPECT_EQ(warning_of(cycle("telephone", 100, {"yes", "none"})), "");
  EXPECT_EQ(warning_of(cycle("disease name", 100, {"Flu", "Gout", "Asthma"})), "");
  EXPECT_EQ(warning_of(cycle("day", 100, {"2020-01-31", "2020-02-01"})), "");
  EXPECT_EQ(warning_of(cycle("job", 100, {"Police Officer", "Truck Driver"})), "");
}

TEST(DraftTest, GuessesRoles) {
  EXPECT_EQ(role_of(cycle("Diagnosis", 100, {"Flu", "Gout"})), Role::sensitive);
  EXPECT_EQ(role_of(cycle("salary-class", 100, {"<=50K", ">50K"})), Role::sensitive);
  EXPECT_EQ(role_of(cycle("HIV", 100, {"yes", "no"})), Role::sensitive);
  EXPECT_EQ(role_of(cycle("testResult", 100, {"+", "-"})), Role::sensitive);
  EXPECT_EQ(role_of(cycle("test date", 100, {"2020-01-31", "2020-02-01"})), Role::quasi_identifier);
  EXPECT_EQ(role_of(cycle("sex", 100, {"F", "M"})), Role::quasi_identifier);
  EXPECT_EQ(role_of(cycle("whatever", 100, {"a", "b"})), Role::quasi_identifier);
  EXPECT_EQ(role_of(cycle("hospital", 100, {"St Mary"})), Role::insensitive);
  EXPECT_EQ(role_of(cycle("email", 100, {"a@b.cd"})),
            Role::identifier);  // constant, but still somebody's
  const auto own = [](std::size_t row) { return fmt::format("code{}", row); };
  EXPECT_EQ(role_of(made("record", 100, own)), Role::identifier);
  EXPECT_EQ(role_of(made("record", 10, own)), Role::quasi_identifier);
  EXPECT_EQ(role_of(made("city", 100, own)), Role::quasi_identifier);
  EXPECT_EQ(role_of(made("length", 100, [](std::size_t row) { return fmt::format("{}.5", row); })),
            Role::quasi_identifier);
}

TEST(DraftTest, ListsTheMissingSpellingsThatOccur) {
  const auto missing = [](const std::vector<RawColumn>& columns) {
    return parse_policy(drafted(columns).policy, "draft.yaml", "").missing.values;
  };
  EXPECT_EQ(missing({cycle("x", 40, {"a", "b"})}), (std::vector<std::string>{""}));
  EXPECT_EQ(missing({cycle("x", 40, {"a", "?"}), cycle("y", 40, {"1", "", "NA"})}),
            (std::vector<std::string>{"?", "NA", ""}));
  EXPECT_EQ(missing({cycle("x", 40, {"a", "-"})}), (std::vector<std::string>{"-", ""}));
  EXPECT_EQ(missing({cycle("x", 40, {"+", "-"})}), (std::vector<std::string>{""}));
}

TEST(DraftTest, AsksForWhatTheTableCanGive) {
  const auto policy_of = [](std::size_t rows, const std::vector<std::string>& values) {
    return parse_policy(drafted({cycle("disease", rows, values)}).policy, "draft.yaml", "");
  };
  EXPECT_EQ(policy_of(49, {"a", "b"}).k, 2U);
  EXPECT_EQ(policy_of(50, {"a", "b"}).k, 5U);
  EXPECT_EQ(policy_of(50, {"a", "b"}).diversities.at(0).l, 2);
  EXPECT_EQ(policy_of(50, {"a", "b", "c", "d"}).diversities.at(0).l, 3);
  EXPECT_TRUE(policy_of(50, {"a", "?"}).diversities.empty());
  const Draft none = drafted({cycle("x", 40, {"a", "b"})});
  EXPECT_NE(none.policy.find("# - l-diversity:"), std::string::npos);
}

TEST(DraftTest, AlwaysFindsAQuasiIdentifierOrSaysWhyNot) {
  const auto roles = [](const std::vector<RawColumn>& columns) {
    const Draft draft = draft_policy(columns, columns[0].codes.size(), "x.csv");
    parse_policy(draft.policy, "draft.yaml", "");
    std::vector<Role> result;
    for (const DraftColumn& column : draft.columns) result.push_back(column.role);
    return result;
  };
  using Roles = std::vector<Role>;
  const auto own = [](std::size_t row) { return fmt::format("code{}", row); };
  const RawColumn record = made("record", 100, own), name = cycle("name", 100, {"Ann", "Bob"}),
                  disease = cycle("disease", 100, {"a", "b"}),
                  salary = cycle("salary", 100, {"1", "2", "3"}),
                  same = cycle("hospital", 100, {"here"});
  EXPECT_EQ(roles({record, disease}), (Roles{Role::quasi_identifier, Role::sensitive}));
  EXPECT_EQ(roles({name, disease}), (Roles{Role::identifier, Role::quasi_identifier}));
  EXPECT_EQ(roles({disease, salary}), (Roles{Role::sensitive, Role::quasi_identifier}));
  EXPECT_EQ(roles({same, disease}), (Roles{Role::quasi_identifier, Role::sensitive}));
  EXPECT_THROW(roles({name}), InputError);
}

TEST(DraftTest, TellsNoValues) {
  const auto secret = [](const char* kind) {
    return [kind](std::size_t row) { return fmt::format("Secret {}{}", kind, row % 60); };
  };
  const Draft draft =
      drafted({made("name", 100, secret("Person")), made("disease", 100, secret("Disease")),
               made("city", 100, secret("City")), made("x", 100, secret("X"))});
  EXPECT_EQ(draft.policy.find("Secret"), std::string::npos);
}

// --- Unique records ------------------------------------------------------------------------------

Table random_table(std::size_t rows, const std::vector<std::size_t>& domains, std::uint64_t seed) {
  Random random(seed);
  Table table;
  table.rows = rows;
  for (std::size_t i = 0; i < domains.size(); ++i) {
    Column column;
    column.name = fmt::format("c{}", i);
    for (std::size_t value = 0; value < domains[i]; ++value)
      column.values.labels.push_back(std::to_string(value));
    column.codes = Codes(rows, domains[i]);
    for (std::size_t row = 0; row < rows; ++row) {
      column.codes.set(
          row, static_cast<Code>(std::min(random.below(domains[i]), random.below(domains[i]))));
    }
    table.columns.push_back(std::move(column));
  }
  return table;
}

std::size_t unique_by_force(const Table& table, const std::vector<std::size_t>& columns) {
  std::size_t unique = 0;
  for (std::size_t a = 0; a < table.rows; ++a) {
    bool alone = true;
    for (std::size_t b = 0; b < table.rows && alone; ++b) {
      alone = a == b || !std::all_of(columns.begin(), columns.end(), [&](std::size_t column) {
                return table.columns[column].codes[a] == table.columns[column].codes[b];
              });
    }
    unique += alone ? 1 : 0;
  }
  return unique;
}

TEST(NarrowingTest, CountsWhatBruteForceCounts) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const Table table = random_table(120, {2, 40, 9, 15, 300}, seed);
    const Narrowings found = narrow(table);
    ASSERT_EQ(found.alone.size(), 5U);
    ASSERT_EQ(found.pairs.size(), 3U);
    ASSERT_EQ(found.triples.size(), 3U);
    EXPECT_EQ(found.sample, 120U);
    for (const auto* list : {&found.alone, &found.pairs, &found.triples}) {
      for (const Narrowing& each : *list)
        EXPECT_EQ(each.unique, unique_by_force(table, each.columns));
    }
    EXPECT_EQ(found.all.unique, unique_by_force(table, {0, 1, 2, 3, 4}));
    // No pair is sharper than the first, and the third is among the three sharpest.
    std::vector<std::size_t> pairs;
    for (std::size_t a = 0; a < 5; ++a) {
      for (std::size_t b = a + 1; b < 5; ++b) pairs.push_back(unique_by_force(table, {a, b}));
    }
    std::sort(pairs.rbegin(), pairs.rend());
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(found.pairs[i].unique, pairs[i]);
  }
}

TEST(NarrowingTest, ASampleChoosesButTheWholeIsCounted) {
  const Table table = random_table(700, {3, 60, 9, 400}, 1);
  const Narrowings found = narrow(table, 300);
  EXPECT_EQ(found.sample, 300U);
  for (const auto* list : {&found.pairs, &found.triples}) {
    for (const Narrowing& each : *list)
      EXPECT_EQ(each.unique, unique_by_force(table, each.columns));
  }
  EXPECT_EQ(found.pairs[0].columns, (std::vector<std::size_t>{1, 3}));
}

TEST(NarrowingTest, TheOrderOfTheRowsDoesNotMatter) {
  const Table table = random_table(3000, {30, 31, 32, 33, 34, 35}, 2);
  Table turned = table;
  for (Column& column : turned.columns) {
    for (std::size_t row = 0; row < table.rows; ++row)
      column.codes.set(row, table.find(column.name)->codes[2999 - row]);
  }
  const Narrowings a = narrow(table, 200), b = narrow(turned, 200);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(a.pairs[i].columns, b.pairs[i].columns);
    EXPECT_EQ(a.triples[i].columns, b.triples[i].columns);
  }
}

TEST(NarrowingTest, OnlyTheWidestColumnsFormPairs) {
  const Narrowings found = narrow(random_table(50, {2, 20, 2, 30, 2}, 3), 1000, 2);
  ASSERT_EQ(found.pairs.size(), 1U);
  EXPECT_EQ(found.pairs[0].columns, (std::vector<std::size_t>{1, 3}));
  EXPECT_TRUE(found.triples.empty());
  EXPECT_EQ(found.alone.size(), 5U);
}

TEST(NarrowingTest, TheDraftTellsIt) {
  const Draft draft = draft_policy(
      {raw("age", {"1", "01.0", "2", "3"}), raw("sex", {"F", "F", "M", "M"})}, 4, "x.csv");
  ASSERT_EQ(draft.unique.size(), 3U);
  EXPECT_EQ(draft.unique[0].records, 4U);  // 01.0 makes the column text
  EXPECT_EQ(draft.unique[1].records, 0U);
  EXPECT_EQ(draft.unique[2].columns, (std::vector<std::string>{"age", "sex"}));
  const Draft numbers = draft_policy({raw("age", {"1.0", "1", "2", "?", "NA"})}, 5, "x.csv");
  EXPECT_EQ(numbers.unique[0].records, 1U);  // 1.0 is 1, and one missing value is like another
  EXPECT_NE(numbers.policy.find("20.0%"), std::string::npos);
}

}  // namespace
}  // namespace throng
