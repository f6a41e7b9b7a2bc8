#include "policy/policy.h"

#include <gtest/gtest.h>

#include "throng/error.h"

namespace throng {
namespace {

Policy parse(const std::string& yaml) { return parse_policy(yaml, "p.yaml", "folder"); }

std::string failure(const std::string& yaml) {
  try {
    parse(yaml);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

const std::string kColumns =
    "columns:\n  age: {role: quasi-identifier, type: integer}\n  diagnosis: {role: sensitive}\n  "
    "name: {role: identifier}\n";
const std::string kPrivacy = "privacy:\n  - k-anonymity: 5\n";

TEST(Policy, TakesAllOfDesignThatBelongsHere) {
  const Policy policy = parse(R"(
columns:
  name:       {role: identifier}
  age:        {role: quasi-identifier, type: integer}
  zip:        {role: quasi-identifier, hierarchy: {mask: right}}
  birth:      {role: quasi-identifier, type: date, hierarchy: {date: [month, year, decade]}}
  education:  {role: quasi-identifier, hierarchy: taxonomies/education.csv}
  income:     {role: quasi-identifier, type: decimal, hierarchy: {interval: {bounds: [0, 18.5, 65]}}}
  diagnosis:  {role: sensitive}
  id:         {role: insensitive}
missing: {values: ["?", ""], as: drop}
key: name
privacy:
  - k-anonymity: 5
  - l-diversity: {column: diagnosis, l: 3, variant: recursive, c: 2.5}
algorithm: greedy-release
choose: loss
suppression: {max: 0.05}
utility: {goal: distortion}
)");
  EXPECT_EQ(policy.columns.size(), 8U);
  EXPECT_EQ(policy.k, 5U);
  ASSERT_EQ(policy.diversities.size(), 1U);
  EXPECT_EQ(policy.diversities[0].variant, Diversity::Variant::recursive);
  EXPECT_EQ(policy.diversities[0].c, 2.5);
  EXPECT_EQ(policy.missing.as, MissingRule::As::drop);
  EXPECT_EQ(policy.algorithm, Algorithm::greedy_release);
  EXPECT_TRUE(policy.tighten);
  EXPECT_EQ(policy.max_suppression, 0.05);
  EXPECT_EQ(policy.key, "name");
  EXPECT_EQ(std::get<HierarchyFile>(policy.find("education")->generalization.hierarchy).path,
            "taxonomies/education.csv");
  EXPECT_EQ(std::get<IntervalRule>(policy.find("income")->generalization.hierarchy).bounds.size(),
            3U);
  EXPECT_EQ(policy.find("education")->generalization.folder, "folder");
}

TEST(Policy, Defaults) {
  const Policy policy = parse(kColumns + kPrivacy);
  EXPECT_EQ(policy.algorithm, Algorithm::mondrian);
  EXPECT_EQ(policy.cut, Cut::best);
  EXPECT_FALSE(policy.tighten);
  EXPECT_EQ(policy.max_suppression, 1);
  EXPECT_EQ(policy.missing.values, (std::vector<std::string>{""}));
}

TEST(Policy, ErrorsNameThePlaceAndTheFix) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "p.yaml: the policy is empty"},
      {"- a\n- b\n", "p.yaml:1:1: the policy is not a mapping"},
      {"columns: [", "not valid YAML"},
      {kPrivacy, "the policy has no `columns:`"},
      {kColumns, "no privacy is asked for"},
      {"colums:\n  a: {role: sensitive}\n",
       "p.yaml:1:1: unknown key in the policy 'colums'; did you mean 'columns'?"},
      {"columns:\n  a: {role: quasi}\n" + kPrivacy,
       "p.yaml:2:13: unknown role 'quasi'; did you mean 'quasi-identifier'?"},
      {"columns:\n  a: {rol: quasi}\n" + kPrivacy,
       "unknown key in column 'a' 'rol'; did you mean 'role'?"},
      {"columns:\n  a: {type: text}\n" + kPrivacy, "column 'a' has no role"},
      {"columns:\n  a: quasi-identifier\n" + kPrivacy, "column 'a' is not a mapping"},
      {"columns:\n  a: {role: sensitive}\n  a: {role: identifier}\n" + kPrivacy,
       "'a' stands twice in columns"},
      {"columns:\n  a: {role: sensitive}\n" + kPrivacy, "no column is a quasi-identifier"},
      {"columns:\n  a: {role: quasi-identifier, type: int}\n" + kPrivacy,
       "unknown type 'int'; did you mean 'integer'?"},
      {"columns:\n  a: {role: sensitive, hierarchy: {mask: left}}\n" + kPrivacy,
       "hierarchy goes with a quasi-identifier"},
      {"columns:\n  a: {role: quasi-identifier, type: integer, hierarchy: {mask: left}}\n" +
           kPrivacy,
       "a mask hides characters"},
      {"columns:\n  a: {role: quasi-identifier, hierarchy: {mask: middle}}\n" + kPrivacy,
       "unknown side of a mask"},
      {"columns:\n  a: {role: quasi-identifier, hierarchy: {interval: 5}}\n" + kPrivacy,
       "intervals are of numbers"},
      {"columns:\n  a: {role: quasi-identifier, type: integer, hierarchy: {interval: [5, 12]}}\n" +
           kPrivacy,
       "the width 12 is no multiple of the width 5"},
      {"columns:\n  a: {role: quasi-identifier, type: integer, hierarchy: {interval: 0}}\n" +
           kPrivacy,
       "not above 0"},
      {"columns:\n  a: {role: quasi-identifier, type: integer, hierarchy: {interval: {bounds: [5, "
       "5]}}}\n" +
           kPrivacy,
       "bounds do not rise"},
      {"columns:\n  a: {role: quasi-identifier, type: date, hierarchy: {date: [year, month]}}\n" +
           kPrivacy,
       "date levels do not rise"},
      {"columns:\n  a: {role: quasi-identifier, hierarchy: {}}\n" + kPrivacy,
       "hierarchy needs just one of"},
      {"columns:\n  a: {role: quasi-identifier, domain: 1..2}\n" + kPrivacy, "domain is neither"},
      {kColumns + "privacy:\n  - k-anonymity: 0\n",
       "k is '0'; expected a whole number of at least 1"},
      {kColumns + "privacy:\n  - k-anonymity: five\n", "k is 'five'; expected a number"},
      {kColumns + "privacy:\n  - k-anonimity: 5\n",
       "unknown requirement 'k-anonimity'; did you mean 'k-anonymity'?"},
      {kColumns + "privacy:\n  - l-diversity: {column: diagnosis}\n",
       "l-diversity needs a column and an l"},
      {kColumns + "privacy:\n  - l-diversity: {column: age, l: 2}\n",
       "column 'age', which is quasi-identifier"},
      {kColumns + "privacy:\n  - l-diversity: {column: diagnoses, l: 2}\n",
       "did you mean 'diagnosis'?"},
      {kColumns + "privacy:\n  - l-diversity: {column: diagnosis, l: 2.5}\n",
       "expected a whole number of at least 1"},
      {kColumns + "privacy:\n  - l-diversity: {column: diagnosis, l: 2, variant: recursive}\n",
       "needs a c"},
      {kColumns + "privacy:\n  - l-diversity: {column: diagnosis, l: 2, c: 2}\n", "c goes with"},
      {kColumns + "privacy:\n  - xy-anonymity: {x: [age], y: row, k: 2}\n",
       "'xy-anonymity' is not part of this version"},
      {kColumns + kPrivacy + "algorithm: mondrain\n",
       "unknown algorithm 'mondrain'; did you mean 'mondrian'?"},
      {kColumns + kPrivacy + "algorithm: tds\n", "'tds' is not part of this version"},
      {kColumns + kPrivacy + "algorithm: datafly\ncut: best\n",
       "cut goes with `algorithm: mondrian`"},
      {kColumns + kPrivacy + "choose: loss\n", "choose goes with `algorithm: greedy-release`"},
      {kColumns + kPrivacy + "tighten: true\n", "mondrian always tightens"},
      {kColumns + kPrivacy + "suppression: {max: 2}\n", "expected 0 to 1"},
      {kColumns + kPrivacy + "missing: {as: nothing}\n",
       "unknown way with missing values 'nothing'"},
      {kColumns + kPrivacy + "key: age\n", "the key 'age' is no column with the role identifier"},
      {kColumns + kPrivacy + "layout: permuted\n", "'layout' is not part of this version"},
      {kColumns + kPrivacy + "utility: {goal: classification, class: x}\n",
       "not part of this version"},
  };
  for (const auto& [yaml, expected] : cases) {
    const std::string message = failure(yaml);
    EXPECT_NE(message.find(expected), std::string::npos) << yaml << "\n-> " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(Policy, EveryColumnIsListedOrRefused) {
  const Policy policy = parse(kColumns + kPrivacy);
  EXPECT_EQ(released_columns(policy, {"diagnosis", "name", "age"}, "t.csv").size(), 2U);
  EXPECT_EQ(released_columns(policy, {"diagnosis", "age"}, "t.csv")[0]->name, "diagnosis");
  EXPECT_THROW(released_columns(policy, {"diagnosis", "age", "salary"}, "t.csv"), InputError);
  EXPECT_THROW(released_columns(policy, {"diagnosis"}, "t.csv"), InputError);
}

TEST(Policy, NearestWord) {
  EXPECT_EQ(nearest("modrian", {"datafly", "mondrian"}), "mondrian");
  EXPECT_EQ(nearest("zzzzzz", {"datafly", "mondrian"}), std::nullopt);
}

}  // namespace
}  // namespace throng
