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
      {kColumns + kPrivacy + "algorithm: mondrain\n",
       "unknown algorithm 'mondrain'; did you mean 'mondrian'?"},
      {kColumns + kPrivacy + "algorithm: tds\ntighten: true\n", "tds never does"},
      {kColumns + kPrivacy + "search: beam\n", "search goes with `algorithm: tds`"},
      {kColumns + kPrivacy + "algorithm: tds\nsearch: best\n", "unknown search 'best'"},
      {kColumns + kPrivacy + "algorithm: tds\nsearch: {beam: 0}\n", "the width of beam"},
      {kColumns + kPrivacy + "algorithm: tds\nsearch: {beam: 2, optimal: 3}\n", "expected one"},
      {kColumns + kPrivacy + "dangling: keep\n", "dangling goes with `algorithm: tds`"},
      {kColumns + kPrivacy + "algorithm: tds\ndangling: no\n",
       "unknown way with dangling records 'no'"},
      {kColumns + kPrivacy + "algorithm: tds\nutility: {goal: classification}\n", "needs a class"},
      {kColumns + kPrivacy + "algorithm: tds\nutility: {goal: classification, class: age}\n",
       "the class 'age' is quasi-identifier"},
      {kColumns + kPrivacy + "algorithm: tds\nutility: {class: diagnosis}\n",
       "class goes with `goal: classification`"},
      {kColumns + kPrivacy + "algorithm: datafly\ncut: best\n",
       "cut goes with `algorithm: mondrian`"},
      {kColumns + kPrivacy + "choose: loss\n", "choose goes with `algorithm: greedy-release`"},
      {kColumns + kPrivacy + "tighten: true\n", "mondrian always tightens"},
      {kColumns + kPrivacy + "suppression: {max: 2}\n", "expected 0 to 1"},
      {kColumns + kPrivacy + "missing: {as: nothing}\n",
       "unknown way with missing values 'nothing'"},
      {kColumns + kPrivacy + "key: age\n", "the key 'age' is no column with the role identifier"},
      {kColumns + kPrivacy + "layout: permuted\n", "layout goes with `algorithm: anatomy`"},
      {kColumns + kPrivacy + "utility: {goal: classification, class: x}\n",
       "the goal classification goes with `algorithm: tds`"},
  };
  for (const auto& [yaml, expected] : cases) {
    const std::string message = failure(yaml);
    EXPECT_NE(message.find(expected), std::string::npos) << yaml << "\n-> " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

const std::string kSequential =
    "columns:\n  name: {role: identifier}\n  job: {role: quasi-identifier}\n"
    "  sex: {role: quasi-identifier}\n  status: {role: insensitive}\n  test: {role: sensitive}\n";

TEST(Policy, TakesWhatOnlyTheAuditChecks) {
  const Policy policy = parse(kSequential + R"(privacy:
  - xy-anonymity: {x: [job, sex], y: row, k: 40}
  - xy-anonymity: {x: job, y: row-pairs, k: 3}
  - xy-anonymity: {x: [job], y: [test, status], k: 2}
  - xy-linkability: {x: [job, sex], y: {test: [HIV]}, max: 0.5}
  - xy-linkability: {x: [job], y: {test: [HIV, Flu], status: Pregnant}, max: {HIV: 0.5, Flu: 0.9, Pregnant: 1}}
  - xy-linkability: {x: [job], y: [test, status], max: 0.7}
  - matching-l-diversity: {column: test, l: 6}
inconsistent: [[{sex: Male}, {status: Pregnant}]]
knowledge: {mine: {min-expectation: 0.8, max-items: 2}}
)");
  ASSERT_EQ(policy.xy.size(), 6U);
  EXPECT_EQ(policy.xy[0].kind, XyRequirement::Kind::anonymity);
  EXPECT_EQ(policy.xy[0].x, (std::vector<std::string>{"job", "sex"}));
  EXPECT_EQ(policy.xy[0].counted, XyRequirement::Counted::rows);
  EXPECT_EQ(policy.xy[0].k, 40U);
  EXPECT_EQ(policy.xy[1].counted, XyRequirement::Counted::pairs);
  EXPECT_EQ(policy.xy[2].counted, XyRequirement::Counted::values);
  EXPECT_EQ(policy.xy[2].y, (std::vector<std::string>{"test", "status"}));
  EXPECT_EQ(policy.xy[3].kind, XyRequirement::Kind::linkability);
  ASSERT_EQ(policy.xy[3].guarded.size(), 1U);
  EXPECT_EQ(policy.xy[3].guarded[0].value, "HIV");
  EXPECT_EQ(policy.xy[3].guarded[0].max, 0.5);
  ASSERT_EQ(policy.xy[4].guarded.size(), 3U);
  EXPECT_EQ(policy.xy[4].guarded[1].max, 0.9);
  EXPECT_EQ(policy.xy[4].guarded[2].column, "status");
  ASSERT_EQ(policy.xy[5].guarded.size(), 2U);
  EXPECT_EQ(policy.xy[5].guarded[0].value, std::nullopt);
  EXPECT_EQ(policy.matching->column, "test");
  EXPECT_EQ(policy.matching->l, 6U);
  ASSERT_EQ(policy.inconsistent.size(), 1U);
  EXPECT_EQ(policy.inconsistent[0].one.column, "sex");
  EXPECT_EQ(policy.inconsistent[0].other.value, "Pregnant");
  EXPECT_EQ(policy.knowledge->mine->min_expectation, 0.8);
  EXPECT_EQ(policy.knowledge->mine->max_items, 2U);
  EXPECT_EQ(parse(kColumns + kPrivacy + "knowledge: rules.json\n").knowledge->rules,
            "folder/rules.json");
  const auto knowledge_of = [](const std::string& text) {
    return *parse(kSequential + "privacy:\n  - k-anonymity: 2\nknowledge: " + text + "\n")
                .knowledge;
  };
  const MiningRules defaults = *knowledge_of("{mine: {}}").mine;
  EXPECT_EQ(defaults.max_items, 1U);
  EXPECT_EQ(defaults.min_expectation, 0.9);
  EXPECT_EQ(defaults.membership, MiningRules::Membership::crisp);
  EXPECT_EQ(defaults.correction, MiningRules::Correction::none);
  EXPECT_TRUE(knowledge_of("{mine: }").mine);
  EXPECT_FALSE(knowledge_of("{mine: }").rules);
  const Knowledge both =
      knowledge_of("{rules: r.json, mine: {membership: fuzzy, correction: holm}}");
  EXPECT_EQ(both.rules, "folder/r.json");
  EXPECT_EQ(both.mine->membership, MiningRules::Membership::fuzzy);
  EXPECT_EQ(both.mine->correction, MiningRules::Correction::holm);
  EXPECT_EQ(name_of(both.mine->membership), "fuzzy");
  EXPECT_EQ(name_of(both.mine->correction), "holm");
  EXPECT_EQ(knowledge_of("{rules: r.json}").rules, "folder/r.json");
  EXPECT_FALSE(knowledge_of("{rules: r.json}").mine);
}

TEST(Policy, WhatOnlyTheAuditChecksIsRefusedByNameElsewhere) {
  const std::pair<std::string, std::string> cases[] = {
      {kSequential + "privacy:\n  - k-anonymity: 2\n  - xy-anonymity: {x: job, y: row, k: 2}\n",
       "p.yaml:9:5: 'xy-anonymity'"},
      {kSequential + "privacy:\n  - xy-linkability: {x: job, y: test, max: 0.5}\n",
       "p.yaml:8:5: 'xy-linkability'"},
      {kColumns + kPrivacy + "inconsistent: []\n", "p.yaml:7:1: 'inconsistent'"},
      {kColumns + kPrivacy + "knowledge: r.json\n", "p.yaml:7:1: 'knowledge'"},
  };
  for (const auto& [yaml, place] : cases) {
    const Policy policy = parse(yaml);
    try {
      refuse_unkept(policy, "anonymize");
      ADD_FAILURE() << yaml;
    } catch (const InputError& error) {
      const std::string message = error.what();
      EXPECT_EQ(message.find(place + " is not kept by `anonymize` with `algorithm: mondrian`; "),
                0U)
          << message;
    }
  }
  EXPECT_NO_THROW(refuse_unkept(parse(kColumns + kPrivacy), "anonymize"));
}

TEST(Policy, TakesBuckets) {
  const std::string matching = "privacy:\n  - matching-l-diversity: {column: diagnosis, l: 3}\n";
  const std::string distinct = "privacy:\n  - l-diversity: {column: diagnosis, l: 3}\n";
  Policy policy = parse(kColumns + matching + "algorithm: injector\n");
  EXPECT_EQ(policy.algorithm, Algorithm::injector);
  EXPECT_EQ(policy.buckets.grouping, BucketRules::Grouping::near);
  EXPECT_EQ(policy.buckets.layout, BucketRules::Layout::tables);
  EXPECT_TRUE(policy.buckets.max_share);
  EXPECT_TRUE(makes_buckets(policy));
  EXPECT_NO_THROW(refuse_unkept(policy, "anonymize"));
  EXPECT_THROW(refuse_unkept(policy, "init"), InputError);
  policy = parse(kColumns + matching +
                 "algorithm: injector\ngrouping: random\nmax-share: false\nlayout: permuted\n"
                 "knowledge: {mine: {}}\nsuppression: {max: 0}\n");
  EXPECT_EQ(policy.buckets.grouping, BucketRules::Grouping::random);
  EXPECT_EQ(policy.buckets.layout, BucketRules::Layout::permuted);
  EXPECT_FALSE(policy.buckets.max_share);
  EXPECT_NO_THROW(refuse_unkept(policy, "anonymize"));
  EXPECT_FALSE(makes_buckets(parse(kColumns + kPrivacy)));
  EXPECT_NO_THROW(refuse_unkept(parse(kColumns + distinct + "algorithm: anatomy\n"), "anonymize"));
  EXPECT_THROW(refuse_unkept(parse(kColumns + matching + "algorithm: anatomy\n"), "anonymize"),
               InputError);
  EXPECT_THROW(refuse_unkept(parse(kColumns + distinct + "inconsistent: []\nalgorithm: anatomy\n"),
                             "anonymize"),
               InputError);

  const std::pair<std::string, std::string> cases[] = {
      {kColumns + distinct + "algorithm: injector\n", "injector needs `matching-l-diversity"},
      {kColumns + kPrivacy + "algorithm: anatomy\n", "k-anonymity is not kept by"},
      {kColumns + distinct + "algorithm: anatomy\nmax-share: true\n",
       "max-share goes with `algorithm: injector`"},
      {kColumns + matching + "algorithm: injector\nmax-share: maybe\n", "max-share"},
      {kColumns + matching + "algorithm: injector\ngrouping: far\n", "unknown grouping 'far'"},
      {kColumns + matching + "algorithm: injector\nlayout: [tables]\n", "layout"},
      {kColumns + matching + "  - l-diversity: {column: diagnosis, l: 4}\nalgorithm: injector\n",
       "injector keeps the l = 3 of matching-l-diversity"},
      {kColumns + "  more: {role: sensitive}\n" + distinct + "algorithm: anatomy\n",
       "column 'more' is sensitive, as 'diagnosis' is"},
      {kColumns + "  group: {role: insensitive}\n" + distinct + "algorithm: anatomy\n",
       "column 'group' is called as a column that buckets add"},
      {"columns:\n  age: {role: quasi-identifier}\n  count: {role: sensitive}\n"
       "privacy:\n  - l-diversity: {column: count, l: 2}\nalgorithm: anatomy\n",
       "column 'count' is called as a column that buckets add"},
  };
  for (const auto& [yaml, expected] : cases) {
    const std::string message = failure(yaml);
    EXPECT_NE(message.find(expected), std::string::npos) << yaml << "\n-> " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(Policy, MatchingIsKeptByAllButTds) {
  const std::string yaml =
      kSequential + "privacy:\n  - matching-l-diversity: {column: test, l: 2}\nknowledge: r.json\n";
  for (const char* algorithm : {"mondrian", "datafly", "greedy-release"}) {
    EXPECT_NO_THROW(refuse_unkept(parse(yaml + "algorithm: " + algorithm + "\n"), "anonymize"));
  }
  try {
    refuse_unkept(parse(yaml + "algorithm: tds\n"), "anonymize");
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "p.yaml:8:5: 'matching-l-diversity' is not kept by `anonymize` with `algorithm: tds`; "
        "`algorithm: mondrian` keeps it in classes and `injector` in buckets, `throng audit` "
        "checks it");
  }
}

TEST(Policy, ErrorsOfWhatOnlyTheAuditChecks) {
  const std::string begin = kSequential + "privacy:\n  - ";
  const std::pair<std::string, std::string> cases[] = {
      {"xy-anonymity: {x: [job], k: 2}", "p.yaml:8:19: xy-anonymity needs x, y and k"},
      {"xy-anonymity: 5", "xy-anonymity is not a mapping; expected some of: x, y, k"},
      {"xy-anonymity: {x: [jop], y: row, k: 2}",
       "p.yaml:8:24: unknown column of x 'jop'; did you mean 'job'?"},
      {"xy-anonymity: {x: [job, job], y: row, k: 2}",
       "p.yaml:8:29: column 'job' stands twice in x"},
      {"xy-anonymity: {x: [], y: row, k: 2}", "x has no columns"},
      {"xy-anonymity: {x: [name], y: row, k: 2}", "'name', which is identifier and never released"},
      {"xy-anonymity: {x: [job], y: rows, k: 2}",
       "y is 'rows'; expected row, row-pairs or a list of columns"},
      {"xy-anonymity: {x: [job], y: [test, job], k: 2}",
       "p.yaml:8:40: column 'job' is in x and in y"},
      {"xy-anonymity: {x: [job], y: {test: [HIV]}, k: 2}", "a column of y is not a single value"},
      {"xy-anonymity: {x: [job], y: row, k: 0}", "k is '0'"},
      {"xy-anonymity: {x: [job], y: row, k: 2, max: 1}", "unknown key in xy-anonymity 'max'"},
      {"xy-linkability: {x: [job], y: {test: [HIV]}}", "xy-linkability needs x, y and max"},
      {"xy-linkability: {x: [job], y: {test: [HIV]}, max: 0}",
       "max is '0'; expected a share above 0 and at most 1"},
      {"xy-linkability: {x: [job], y: {test: [HIV]}, max: 50}", "max is '50'"},
      {"xy-linkability: {x: [job], y: {test: [HIV, HIV]}, max: 0.5}", "'HIV' stands twice in y"},
      {"xy-linkability: {x: [job], y: {test: []}, max: 0.5}", "y names no value of column 'test'"},
      {"xy-linkability: {x: [job], y: {job: [x]}, max: 0.5}", "column 'job' is in x and in y"},
      {"xy-linkability: {x: [job], y: {tests: [x]}, max: 0.5}", "did you mean 'test'?"},
      {"xy-linkability: {x: [job], y: {test: [HIV, Flu]}, max: {HIV: 0.5}}",
       "max has nothing for 'Flu'"},
      {"xy-linkability: {x: [job], y: {test: [HIV]}, max: {HIW: 0.5}}",
       "unknown value of y in max 'HIW'; did you mean 'HIV'?"},
      {"xy-linkability: {x: [job], y: test, max: {HIV: 0.5}}",
       "max value by value goes with values in y"},
      {"matching-l-diversity: {column: test}", "matching-l-diversity needs a column and an l"},
      {"matching-l-diversity: {column: job, l: 2}", "'job', which is quasi-identifier"},
      {"matching-l-diversity: {column: test, l: 1}", "no privacy is asked for"},
      {"k-anonymity: 2\ninconsistent: {sex: Male}", "p.yaml:9:15: inconsistent is not a list"},
      {"k-anonymity: 2\ninconsistent: [{sex: Male}, {status: Pregnant}]", "no pair"},
      {"k-anonymity: 2\ninconsistent: [[{sex: Male, job: x}, {status: Pregnant}]]",
       "is one column with its value"},
      {"k-anonymity: 2\ninconsistent: [[{sex: Male}, {statu: Pregnant}]]",
       "unknown column of inconsistent 'statu'; did you mean 'status'?"},
      {"k-anonymity: 2\ninconsistent: [[{sex: Male}, {sex: Female}]]", "names column 'sex' twice"},
      {"k-anonymity: 2\nknowledge: [a]", "knowledge is neither a file of rules nor a mapping"},
      {"k-anonymity: 2\nknowledge: {}", "knowledge has neither `rules:` nor `mine:`"},
      {"k-anonymity: 2\nknowledge: {rules: ''}", "p.yaml:9:20: rules is empty"},
      {"k-anonymity: 2\nknowledge: {rules: [a]}", "rules is not a single value"},
      {"k-anonymity: 2\nknowledge: {mine: {min-expectation: 1}}", "above 0 and below 1"},
      {"k-anonymity: 2\nknowledge: {mine: {max-items: 3}}",
       "p.yaml:9:31: max-items is '3'; expected at most 2, the number of quasi-identifiers"},
      {"k-anonymity: 2\nknowledge: {mine: {membership: fuzy}}", "did you mean 'fuzzy'?"},
      {"k-anonymity: 2\nknowledge: {mine: {correction: bonferroni}}", "unknown correction"},
      {"k-anonymity: 2\nknowledge: {mine: {min-expectation: 2}}", "min-expectation is '2'"},
      {"k-anonymity: 2\nknowledge: {mine: {max-items: 0}}", "max-items is '0'"},
      {"k-anonymity: 2\nknowledge: {mine: {items: 1}}", "unknown key in mine 'items'"},
  };
  for (const auto& [rest, expected] : cases) {
    const std::string message = failure(begin + rest + "\n");
    EXPECT_NE(message.find(expected), std::string::npos) << rest << "\n-> " << message;
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
