#include "release/cuts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "table/random.h"
#include "throng/error.h"

namespace throng {
namespace {

Policy policy_of(const std::string& columns) {
  return parse_policy(
      "columns:\n" + columns + "missing: {values: [\"?\", \"\"]}\nprivacy:\n  - k-anonymity: 2\n",
      "p.yaml", "");
}

RawColumn raw_of(const std::string& name, const std::vector<std::string>& texts) {
  RawColumn raw;
  raw.name = name;
  std::vector<Code> codes;
  for (const std::string& text : texts) {
    const auto at = std::find(raw.texts.begin(), raw.texts.end(), text);
    codes.push_back(static_cast<Code>(at - raw.texts.begin()));
    if (at == raw.texts.end()) raw.texts.push_back(text);
  }
  raw.codes = Codes(codes, std::max<std::size_t>(1, raw.texts.size()));
  return raw;
}

std::vector<std::string> texts_of(const RawColumn& raw) {
  std::vector<std::string> texts;
  for (std::size_t row = 0; row < raw.codes.size(); ++row)
    texts.push_back(raw.texts[raw.codes[row]]);
  return texts;
}

Domain domain_of(const Policy& policy, const std::string& name,
                 const std::vector<std::string>& texts) {
  const ColumnPolicy& rule = *policy.find(name);
  const Column column = encode(raw_of(name, texts), rule.type, missing_rule(policy, rule));
  return make_domain(name, column.values, rule.generalization);
}

// The regions of a random cut: whatever tds may leave.
std::vector<Region> random_cut(const Domain& domain, Random& random) {
  std::vector<Region> cut;
  if (random.below(5) == 0) return {region_of_everything(domain)};
  if (domain.kind == Domain::Kind::tree) {
    const auto visit = [&](const auto& self, Hierarchy::Node node) -> void {
      const auto children = domain.tree->children(node);
      if (children.empty() || (node != domain.tree->root() && random.below(2) == 0)) {
        cut.push_back(region_of_node(domain, node));
        return;
      }
      for (const Hierarchy::Node child : children) self(self, child);
    };
    visit(visit, domain.tree->root());
    return cut;
  }
  for (Code low = 0; low < domain.size();) {
    Code high = low;
    if (domain.kind == Domain::Kind::interval && low < domain.missing()) {
      const std::size_t left = domain.missing() - low;
      high = low + static_cast<Code>(random.below(left));
    }
    cut.push_back(low == high ? region_of_value(domain, low) : region_of_range(domain, low, high));
    low = high + 1;
  }
  return cut;
}

TEST(Cuts, WrittenReadAndAppliedTheyGiveTheSameRegions) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> columns = {
      {"{role: quasi-identifier}",
       {"a", "b|c", "*", "x..y", "{z}", "back\\slash", "\"q\"", "ü", "?", ""}},
      {"{role: quasi-identifier, type: integer}", {"1", "007", "-3", "12", "100", "13", "?", ""}},
      {"{role: quasi-identifier, type: decimal}", {"0.5", "1.25", "-2", "1e3", "7"}},
      {"{role: quasi-identifier, type: date}", {"2020-01-31", "2021-02-01", "1999-12-31", "?"}},
      {"{role: quasi-identifier, type: date, format: \"%m/%d/%Y\"}",
       {"01/31/2020", "02/01/2021", "12/31/1999"}},
      {"{role: quasi-identifier, hierarchy: {mask: right}}",
       {"02141", "02142", "02200", "13053", "?"}},
      {"{role: quasi-identifier, type: integer, hierarchy: {interval: [5, 10]}}",
       {"1", "2", "7", "23", "29", "?"}}};
  for (std::uint64_t seed = 0; seed < 700; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto& [rule, values] = columns[seed % columns.size()];
    const Policy policy = policy_of("  q: " + rule + "\n  s: {role: sensitive}\n");
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < 1 + random.below(12); ++i)
      texts.push_back(values[random.below(values.size())]);
    const Domain domain = domain_of(policy, "q", texts);
    const std::vector<Region> regions = random_cut(domain, random);
    const std::string json = write_cuts({{&domain, regions}}, policy, {"q", "s"});
    const Cuts cuts = Cuts::parse(json, "cuts.json");
    const std::vector<std::string> found = texts_of(cuts.apply(raw_of("q", texts)));
    // By the position of each value, the region that covers it.
    const Column column =
        encode(raw_of("q", texts), policy.find("q")->type, missing_rule(policy, *policy.find("q")));
    const std::vector<Code> positions = positions_in(domain, column.values);
    ASSERT_EQ(found.size(), texts.size());
    for (std::size_t row = 0; row < texts.size(); ++row) {
      std::vector<std::string> covering;
      for (const Region& region : regions) {
        if (covers(domain, region, positions[column.codes[row]]))
          covering.push_back(write_region(domain, region));
      }
      ASSERT_EQ(covering, std::vector<std::string>{found[row]}) << texts[row];
    }
    EXPECT_EQ(write_cuts({{&domain, regions}}, policy, {"q", "s"}), json);
  }
}

const char* const kColumns =
    "  name: {role: identifier}\n"
    "  age: {role: quasi-identifier, type: integer}\n"
    "  zip: {role: quasi-identifier, hierarchy: {mask: right}}\n"
    "  job: {role: quasi-identifier}\n"
    "  income: {role: insensitive}\n";

std::string example() {
  const Policy policy = policy_of(kColumns);
  const Domain age = domain_of(policy, "age", {"17", "20", "38", "40", "90"});
  const Domain zip = domain_of(policy, "zip", {"02141", "02142", "13053"});
  return write_cuts({{&age, {region_of_range(age, 0, 2), region_of_range(age, 3, 4)}},
                     {&zip, {region_of_everything(zip)}}},
                    policy, {"name", "age", "zip", "job", "income"});
}

TEST(Cuts, UnseenValuesFailUnlessTheyLieWithin) {
  const Cuts cuts = Cuts::parse(example(), "cuts.json");
  EXPECT_EQ(texts_of(cuts.apply(raw_of("age", {"18", "040", "90"}))),
            (std::vector<std::string>{"17..38", "40..90", "40..90"}));
  EXPECT_EQ(texts_of(cuts.apply(raw_of("zip", {"13053"}))), std::vector<std::string>{"*"});
  const auto bad = [&](const std::string& column, const std::string& text) {
    try {
      cuts.apply(raw_of(column, {text}));
    } catch (const BadValue& value) {
      EXPECT_EQ(value.column, column);
      return value.text;
    }
    return std::string("no error");
  };
  EXPECT_EQ(bad("age", "39"), "39");  // between the pieces
  EXPECT_EQ(bad("age", "16"), "16");
  EXPECT_EQ(bad("age", "91"), "91");
  EXPECT_EQ(bad("age", "?"), "?");
  EXPECT_EQ(bad("age", "old"), "old");
  EXPECT_EQ(bad("zip", "99999"), "99999");
}

// Columns without a cut are spelled as a release spells them: `*` is a value, not everything.
TEST(Cuts, ColumnsWithoutACutKeepTheirValues) {
  const Policy policy = policy_of(
      "  f: {role: quasi-identifier}\n  n: {role: quasi-identifier, type: integer}\n"
      "  s: {role: sensitive}\n  i: {role: insensitive}\n");
  const Cuts cuts = Cuts::parse(write_cuts({}, policy, {"f", "n", "s", "i"}), "cuts.json");
  using Texts = std::vector<std::string>;
  EXPECT_EQ(texts_of(cuts.apply(raw_of("f", {"*", "a|b", ""}))), (Texts{"\\*", "a\\|b", "?"}));
  EXPECT_EQ(texts_of(cuts.apply(raw_of("n", {"007", "+3", "?"}))), (Texts{"7", "3", "?"}));
  EXPECT_EQ(texts_of(cuts.apply(raw_of("s", {"*", "", "?"}))), (Texts{"*", "?", "?"}));
  EXPECT_EQ(texts_of(cuts.apply(raw_of("i", {"*", "", "?"}))), (Texts{"*", "", "?"}));
}

TEST(Cuts, TablesHaveTheColumnsOfTheCuts) {
  const Cuts cuts = Cuts::parse(example(), "cuts.json");
  using Names = std::vector<std::string>;
  EXPECT_EQ(cuts.released({"income", "name", "age", "zip", "job"}, "t.csv"),
            (Names{"income", "age", "zip", "job"}));
  EXPECT_EQ(cuts.released({"age", "zip", "job", "income"}, "t.csv"),
            (Names{"age", "zip", "job", "income"}));
  const auto failure = [&](const Names& names) -> std::string {
    try {
      cuts.released(names, "t.csv");
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(
      failure({"age", "zip", "income", "job", "extra"}),
      "t.csv: column 'extra' is not in the cuts cuts.json; expected the columns that they were "
      "made for");
  EXPECT_EQ(failure({"age", "zip", "job"}),
            "t.csv: has no column 'income', which the cuts cuts.json are about");
}

TEST(Cuts, SaysWhatIsWrongInOneLine) {
  const std::string column = R"({"columns": [{"name": "a", "role": "quasi-identifier")";
  const std::pair<std::string, const char*> wrong[] = {
      {"", "is no file of cuts"},
      {"[]", "is no file of cuts"},
      {"{\"columns\": 3}", "is no file of cuts"},
      {"{\"columns\": [", "is no file of cuts"},
      {"{\"columns\": [3]}", "a column has no \"name\""},
      {"{\"columns\": [{\"name\": 3}]}", "a column has no \"name\""},
      {"{\"columns\": [{\"name\": \"a\"}]}", "column \"a\" has no \"role\""},
      {"{\"columns\": [{\"name\": \"a\", \"role\": \"king\"}]}", "has the role 'king'"},
      {column + ", \"type\": \"text\"}, {\"name\": \"a\", \"role\": \"sensitive\"}]}",
       "column \"a\" stands twice"},
      {column + R"(, "cut": []}]})", "column \"a\" has no \"type\""},
      {column + R"(, "type": "float", "cut": []}]})", "has the type 'float'"},
      {column + R"(, "type": "text", "cut": 1}]})", "has a cut that is no list"},
      {column + R"(, "type": "text", "cut": [1]}]})", "has a piece without \"as\""},
      {column + R"(, "type": "text", "cut": [{"as": "*"}]}]})", "has a piece \"*\" without values"},
      {column + R"(, "type": "text", "cut": [{"as": "*", "values": [1]}]}]})",
       "is no list of texts"},
      {column + R"(, "type": "integer", "cut": [{"as": "*", "from": "1", "to": "x"}]}]})",
       "without proper ends"},
      {column + R"(, "type": "text", "cut": [{"as": "*", "from": "1", "to": "2"}]}]})",
       "without proper ends"},
      {R"({"missing": "?", "columns": []})", "\"missing\" is no list of texts"}};
  for (const auto& one : wrong) {
    try {
      Cuts::parse(one.first, "cuts.json");
      ADD_FAILURE() << one.first;
    } catch (const InputError& error) {
      const std::string said = error.what();
      EXPECT_EQ(said.find("cuts.json: "), 0U) << said;
      EXPECT_NE(said.find(one.second), std::string::npos) << one.first << "\n" << said;
      EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    }
  }
}

// Whatever stands there: it is read, or refused as the user's.
TEST(Cuts, DamagedFilesAreReadOrRefused) {
  const std::string whole = example();
  std::size_t read = 0, refused = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::string text = whole;
    for (std::size_t i = 0; i < 1 + random.below(3); ++i) {
      const std::size_t at = random.below(text.size());
      switch (random.below(4)) {
        case 0:
          text.erase(at, 1 + random.below(20));
          break;
        case 1:
          text[at] = static_cast<char>(random.below(256));
          break;
        case 2:
          text.insert(at, 1, "{}[],:\"0"[random.below(8)]);
          break;
        default:
          std::swap(text[at], text[random.below(text.size())]);
      }
      if (text.empty()) text = " ";
    }
    try {
      const Cuts cuts = Cuts::parse(text, "cuts.json");
      ++read;
      for (const std::string name : {"age", "zip", "job"}) cuts.released({name}, "t.csv");
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(read, 50U);
  EXPECT_GT(refused, 100U);
}

}  // namespace
}  // namespace throng
