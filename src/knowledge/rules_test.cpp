#include "knowledge/rules.h"

#include <gtest/gtest.h>

#include "hierarchy/file.h"
#include "throng/error.h"

namespace throng {
namespace {

std::vector<Domain> domains() {
  Domain sex;
  sex.name = "sex";
  sex.kind = Domain::Kind::set;
  sex.values.labels = {"Female", "Male", "Other"};
  Domain age;
  age.name = "age";
  age.kind = Domain::Kind::interval;
  age.values.type = Type::integer;
  age.values.labels = {"20", "25", "40", "60"};
  age.values.numbers = {20, 25, 40, 60};
  age.low = 20;
  age.high = 60;
  Domain job;
  job.name = "job";
  job.kind = Domain::Kind::tree;
  job.tree =
      parse_hierarchy("baker;craft;*\nsmith;craft;*\nnurse;health;*\n", Type::text, "", "job");
  job.values = job.tree->leaves();
  return {sex, age, job};
}

Dictionary diseases() {
  Dictionary values;
  values.labels = {"Flu", "Ovarian cancer"};
  return values;
}

std::vector<NegativeRule> parse(const std::string& json) {
  return parse_rules(json, "RULES.json", domains(), diseases());
}

std::string fault_of(const std::string& json) {
  try {
    parse(json);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(Rules, AreRead) {
  const auto rules = parse(R"([
    {"if": {"sex": "Male"}, "not": "Ovarian cancer", "records": 18034, "expectation": 0.998,
     "source": "mined"},
    {"if": {"job": "craft", "age": "20..25"}, "not": "Plague"}])");
  ASSERT_EQ(rules.size(), 2U);
  EXPECT_EQ(rules[0].value, "Ovarian cancer");
  EXPECT_EQ(rules[0].code, Code{1});
  EXPECT_EQ(rules[0].records, 18034U);
  EXPECT_EQ(rules[0].expectation, 0.998);
  EXPECT_EQ(rules[0].source, NegativeRule::Source::mined);
  ASSERT_EQ(rules[1].conditions.size(), 2U);
  EXPECT_EQ(rules[1].conditions[0].column, 1U);
  EXPECT_EQ(rules[1].conditions[1].column, 2U);
  EXPECT_FALSE(rules[1].code);
  EXPECT_FALSE(rules[1].records);
  EXPECT_EQ(rules[1].source, NegativeRule::Source::stated);
  EXPECT_TRUE(parse("[]").empty());
}

TEST(Rules, AreWrittenOneALineAsTheyAreRead) {
  const std::string text =
      "[\n"
      R"({"if": {"sex": "{Female|Other}", "age": "20..25"}, "not": "Ovarian cancer", )"
      R"("records": 18034, "expectation": 0.998, "source": "mined"},)"
      "\n"
      R"({"if": {"job": "craft"}, "not": "a \"plague\"", "source": "stated"})"
      "\n]\n";
  EXPECT_EQ(write_rules(parse(text), domains()), text);
  EXPECT_EQ(write_rules({}, domains()), "[\n]\n");
  EXPECT_TRUE(parse(write_rules({}, domains())).empty());
}

TEST(Rules, TellWhoSatisfiesThem) {
  const auto all = domains();
  const auto rules = parse(
      R"([{"if": {"job": "craft", "age": "20..25"}, "not": "Flu"},
          {"if": {"sex": "{Female|Other}"}, "not": "Flu"}, {"if": {"age": 40}, "not": "Flu"}])");
  const auto who = [&](std::size_t rule, std::vector<Code> positions) {
    return satisfies(rules[rule], all, positions);
  };
  EXPECT_TRUE(who(0, {0, 1, 1}));
  EXPECT_FALSE(who(0, {0, 2, 1}));
  EXPECT_FALSE(who(0, {0, 1, 2}));
  EXPECT_TRUE(who(1, {2, 0, 0}));
  EXPECT_FALSE(who(1, {1, 0, 0}));
  EXPECT_TRUE(who(2, {1, 2, 0}));

  const auto surely = [&](std::size_t rule, const char* sex, const char* age, const char* job) {
    const std::vector<Region> regions = {read_region(all[0], sex), read_region(all[1], age),
                                         read_region(all[2], job)};
    return surely_satisfies(rules[rule], all, regions);
  };
  EXPECT_TRUE(surely(0, "*", "20..25", "craft"));
  EXPECT_TRUE(surely(0, "Male", "25", "smith"));
  EXPECT_FALSE(surely(0, "Male", "20..40", "craft"));
  EXPECT_FALSE(surely(0, "Male", "20", "*"));
  EXPECT_TRUE(surely(1, "{Female|Other}", "*", "*"));
  EXPECT_FALSE(surely(1, "{Female|Male}", "*", "*"));
  EXPECT_FALSE(surely(1, "*", "*", "*"));
}

// Of every region: it lies in another exactly when each of its positions is covered.
TEST(Rules, ARegionLiesInAnotherWhenItsPositionsDo) {
  const std::vector<std::vector<const char*>> written = {
      {"*", "Male", "Other", "{Female|Other}", "{Female|Male}"},
      {"*", "20", "20..25", "25..40", "20..40", "60"},
      {"*", "craft", "health", "baker", "smith", "nurse"}};
  const auto all = domains();
  for (std::size_t column = 0; column < all.size(); ++column) {
    for (const char* inner : written[column]) {
      for (const char* outer : written[column]) {
        const Region a = read_region(all[column], inner), b = read_region(all[column], outer);
        bool inside = true;
        for (Code position = 0; position < all[column].size(); ++position)
          inside =
              inside && (!covers(all[column], a, position) || covers(all[column], b, position));
        // Positions between: an interval that is everything by its values is not the whole domain.
        EXPECT_EQ(lies_in(all[column], a, b), inside) << inner << " in " << outer;
      }
    }
  }
}

TEST(Rules, FaultsHaveTheirPlace) {
  EXPECT_EQ(fault_of("[\n{]"), "RULES.json:2: not valid JSON; expected a list of rules");
  EXPECT_EQ(fault_of("{}"),
            R"(RULES.json: expected a list of rules, [{"if": {…}, "not": "…"}, …])");
  EXPECT_EQ(fault_of("[1]"), R"(RULES.json: rule 1: expected {"if": {…}, "not": "…"})");
  const std::string good = R"({"if": {"sex": "Male"}, "not": "Flu"})";
  EXPECT_EQ(fault_of("[" + good + R"(, {"if": {"sex": "Male"}}])"),
            R"(RULES.json: rule 2, "not": missing)");
  EXPECT_EQ(fault_of(R"([{"if": {}, "not": "Flu"}])"),
            R"(RULES.json: rule 1, "if": expected quasi-identifiers and their values, )"
            R"({"column": "value", …})");
  EXPECT_EQ(
      fault_of(R"([{"if": {"sax": "Male"}, "not": "Flu"}])"),
      R"(RULES.json: rule 1, "if", "sax": no quasi-identifier; expected one of sex, age, job)");
  EXPECT_EQ(fault_of(R"([{"if": {"sex": "Mole"}, "not": "Flu"}])"),
            R"(RULES.json: rule 1, "if", "sex": 'Mole' is no region of column 'sex': )"
            R"('Mole' is not in its domain)");
  EXPECT_EQ(fault_of(R"([{"if": {"sex": null}, "not": "Flu"}])"),
            R"(RULES.json: rule 1, "if", "sex": expected a value, a node or an interval)");
  EXPECT_EQ(fault_of(R"([{"if": {"sex": "Male", "sex": "Female"}, "not": "Flu"}])"),
            R"(RULES.json: rule 1, "sex": stands twice; expected it once)");
  const std::string begin = R"([{"if": {"sex": "Male"}, "not": "Flu", )";
  EXPECT_EQ(fault_of(begin + R"("records": -1}])"),
            R"(RULES.json: rule 1, "records": expected a number of records)");
  EXPECT_EQ(fault_of(begin + R"("expectation": 1.5}])"),
            R"(RULES.json: rule 1, "expectation": expected a number between 0 and 1)");
  EXPECT_EQ(fault_of(begin + R"("source": "heard"}])"),
            R"(RULES.json: rule 1, "source": expected "mined" or "stated")");
  EXPECT_EQ(fault_of(begin + R"("why": 1}])"),
            R"(RULES.json: rule 1, "why": no key of a rule; )"
            R"(expected if, not, records, expectation or source)");
}

}  // namespace
}  // namespace throng
