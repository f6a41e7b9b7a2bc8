#include "knowledge/gather.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "private_tables.h"
#include "throng/error.h"

namespace throng {
namespace {

// Twenty of each; no x has flu, no y gout, and cough is for all.
FrequencyList list_of(const Policy& policy) {
  testing::Rows rows = {{"a", "b", "c", "s"}};
  for (int i = 0; i < 10; ++i) {
    rows.push_back({"20", "x", "100", "gout"});
    rows.push_back({"30", "x", "100", "cough"});
    rows.push_back({"20", "y", "100", "flu"});
    rows.push_back({"30", "y", "100", "cough"});
  }
  return make_frequency_list(testing::table_of(rows, policy), policy);
}

class Gather : public ::testing::Test {
 protected:
  Gather()
      : policy_(testing::small_policy("privacy:\n  - matching-l-diversity: {column: s, l: 2}\n")),
        list_(list_of(policy_)),
        path_((std::filesystem::path(::testing::TempDir()) /
               ("gather-" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
                ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".json"))
                  .string()) {}
  ~Gather() override { std::filesystem::remove(path_); }

  std::string write(const std::string& json) {
    std::ofstream(path_) << json;
    return path_;
  }
  std::vector<std::string> words(const std::vector<NegativeRule>& rules) {
    std::vector<std::string> result;
    for (const NegativeRule& rule : rules) result.push_back(words_of(rule, list_.domains));
    return result;
  }
  std::string fault(const std::string& json, bool must_hold) {
    std::vector<std::string> warnings;
    try {
      stated_rules(write(json), list_, 0, must_hold, warnings);
    } catch (const InputError& error) {
      return error.what();
    }
    return warnings.empty() ? "" : "warning: " + warnings[0];
  }

  Policy policy_;
  FrequencyList list_;
  std::string path_;
};

TEST_F(Gather, StatedRulesFirstThenMinedOnesThatSayMore) {
  EXPECT_TRUE(gather_rules(std::nullopt, list_, 0).rules.empty());
  Knowledge knowledge;
  knowledge.mine = MiningRules{};
  const GatheredRules mined = gather_rules(knowledge, list_, 0);
  EXPECT_EQ(mined.stated, 0U);
  EXPECT_EQ(words(mined.rules), (std::vector<std::string>{
                                    "a = 20 => not cough", "a = 30 => not flu", "b = x => not flu",
                                    "a = 30 => not gout", "b = y => not gout"}));
  knowledge.rules = write(R"([{"if": {"b": "x"}, "not": "flu"}])");
  const GatheredRules both = gather_rules(knowledge, list_, 0);
  EXPECT_EQ(both.stated, 1U);
  EXPECT_EQ(both.mined(), 4U);
  EXPECT_EQ(words(both.rules)[0], "b = x => not flu");
  EXPECT_EQ(both.rules[0].records, 20U);
  knowledge.mine.reset();
  EXPECT_EQ(gather_rules(knowledge, list_, 0).rules.size(), 1U);
}

TEST_F(Gather, RulesThatAreWrongOfSomeMustHoldOrAreToldOf) {
  const std::string some = R"([{"if": {"b": "x"}, "not": "gout"}])";
  EXPECT_EQ(fault(some, true),
            path_ +
                ": rule 1: 10 of the 20 records that satisfy it have 'gout'; expected rules "
                "that are true of every record");
  EXPECT_EQ(fault(some, false), "warning: " + path_ +
                                    ": rule 1: 10 of the 20 records that satisfy it have 'gout'; "
                                    "the rule is wrong for them");
  const std::string all = R"([{"if": {"a": "20", "b": "x"}, "not": "gout"}])";
  for (const bool must_hold : {false, true}) {
    EXPECT_EQ(fault(all, must_hold),
              path_ +
                  ": rule 1: all 10 records that satisfy it have 'gout'; expected a rule that "
                  "the table does not contradict");
    EXPECT_NE(
        fault(R"([{"if": {"b": "x"}, "not": "goat"}])", must_hold).find("did you mean 'gout'"),
        std::string::npos);
    EXPECT_EQ(fault(R"([{"if": {"b": "x"}, "not": "flu"}])", must_hold), "");
  }
}

TEST(GatherColumn, IsTheOneThatIsGuardedOrTheOnlyOne) {
  EXPECT_EQ(ruled_column(testing::small_policy("privacy:\n  - k-anonymity: 2\n")), "s");
  const std::string two =
      "columns:\n  a: {role: quasi-identifier}\n  s: {role: sensitive}\n  t: {role: sensitive}\n";
  const auto parse = [](const std::string& yaml) { return parse_policy(yaml, "p", ""); };
  EXPECT_THROW(ruled_column(parse(two + "privacy:\n  - k-anonymity: 2\n")), InputError);
  EXPECT_EQ(ruled_column(parse(two + "privacy:\n  - matching-l-diversity: {column: t, l: 2}\n")),
            "t");
}

}  // namespace
}  // namespace throng
