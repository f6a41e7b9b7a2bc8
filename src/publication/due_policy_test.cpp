// What is asked before all columns are out: never more than the whole asks, but for y; and all of
// it in the end.
#include "publication/due_policy.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "audit/join.h"
#include "release/foreign.h"
#include "table/random.h"

namespace throng {
namespace {

const std::string kColumns =
    "columns:\n"
    "  name: {role: quasi-identifier, hierarchy: {mask: right}}\n"
    "  job: {role: quasi-identifier, hierarchy: {mask: right}}\n"
    "  class: {role: insensitive}\n"
    "  disease: {role: sensitive}\n"
    "  drug: {role: sensitive}\n"
    "algorithm: tds\n";

Policy policy_of(const std::string& rest) { return parse_policy(kColumns + rest, "policy", ""); }

TEST(DuePolicyTest, AsksAllWhereAllIsOut) {
  const Policy policy = policy_of(
      "privacy:\n"
      "  - xy-anonymity: {x: [name, disease], y: row, k: 2}\n"
      "  - xy-linkability: {x: [job], y: {disease: [HIV, Flu]}, max: 0.5}\n");
  const DuePolicy due = due_policy(policy, {"name", "job"}, {"job", "disease"});
  EXPECT_TRUE(due.waits.empty());
  ASSERT_EQ(due.policy.xy.size(), 2U);
  EXPECT_EQ(due.policy.xy[0].x, policy.xy[0].x);
  EXPECT_EQ(due.policy.xy[1].guarded.size(), 2U);
}

TEST(DuePolicyTest, LeavesOutOfXWhatIsNotOut) {
  const Policy policy =
      policy_of("privacy:\n  - xy-anonymity: {x: [name, job, disease], y: row, k: 2}\n");
  const DuePolicy due = due_policy(policy, {"name", "class"}, {"job"});
  ASSERT_EQ(due.policy.xy.size(), 1U);
  EXPECT_EQ(due.policy.xy[0].x, (std::vector<std::string>{"name", "job"}));
  EXPECT_EQ(
      due.waits,
      (std::vector<std::string>{
          "xy-anonymity of name, job, disease is asked without disease, which is not out yet"}));
}

TEST(DuePolicyTest, WaitsWithoutAnyX) {
  const Policy policy = policy_of("privacy:\n  - xy-anonymity: {x: [name, job], y: row, k: 2}\n");
  const DuePolicy due = due_policy(policy, {"disease"}, {"class"});
  EXPECT_TRUE(due.policy.xy.empty());
  EXPECT_EQ(due.waits,
            (std::vector<std::string>{
                "xy-anonymity of name, job waits for name, job, which are not out yet"}));
}

TEST(DuePolicyTest, WaitsWithoutAnyY) {
  const Policy policy = policy_of(
      "privacy:\n"
      "  - xy-linkability: {x: [name], y: disease, max: 0.5}\n"
      "  - xy-anonymity: {x: [name], y: [disease, drug], k: 2}\n");
  DuePolicy due = due_policy(policy, {"name", "job"}, {});
  EXPECT_TRUE(due.policy.xy.empty());
  EXPECT_EQ(due.waits.size(), 2U);
  // With a part of it, by that part: no attacker sees more.
  due = due_policy(policy, {"name", "drug"}, {});
  ASSERT_EQ(due.policy.xy.size(), 1U);
  EXPECT_EQ(due.policy.xy[0].y, (std::vector<std::string>{"drug"}));
  EXPECT_EQ(due.waits.size(), 2U);
}

TEST(DuePolicyTest, GuardsEachColumnByItself) {
  const Policy policy = policy_of(
      "privacy:\n"
      "  - xy-linkability: {x: [name], y: {disease: [HIV, Flu], drug: [a]}, max: {HIV: 0.1, Flu: "
      "0.9, a: 0.4}}\n");
  DuePolicy due = due_policy(policy, {"name", "disease"}, {"drug"});
  EXPECT_TRUE(due.waits.empty());
  ASSERT_EQ(due.policy.xy.size(), 2U);
  EXPECT_EQ(due.policy.xy[0].guarded.size(), 2U);
  EXPECT_EQ(due.policy.xy[0].guarded[1].max, 0.9);
  ASSERT_EQ(due.policy.xy[1].guarded.size(), 1U);
  EXPECT_EQ(due.policy.xy[1].guarded[0].max, 0.4);
  due = due_policy(policy, {"name", "disease"}, {});
  ASSERT_EQ(due.policy.xy.size(), 1U);
  EXPECT_EQ(due.policy.xy[0].guarded[0].column, "disease");
  EXPECT_EQ(due.waits, (std::vector<std::string>{
                           "xy-linkability of name is asked without drug, which is not out yet"}));
}

TEST(DuePolicyTest, AsksNothingOfColumnsThatATableLacks) {
  const Policy policy = policy_of(
      "privacy:\n"
      "  - xy-anonymity: {x: [name], y: row, k: 2}\n"
      "  - l-diversity: {column: disease, l: 2}\n"
      "  - l-diversity: {column: drug, l: 2}\n"
      "inconsistent: [[{job: a}, {drug: b}], [{job: a}, {disease: b}]]\n"
      "utility: {goal: classification, class: class}\n");
  const DuePolicy due = due_policy(policy, {"name", "disease"}, {"job", "drug"});
  ASSERT_EQ(due.policy.diversities.size(), 1U);
  EXPECT_EQ(due.policy.diversities[0].column, "disease");
  EXPECT_EQ(due.policy.inconsistent.size(), 2U);
  EXPECT_EQ(due.policy.goal, Goal::distortion);
  EXPECT_EQ(due_policy(policy, {"class"}, {"job"}).policy.inconsistent.size(), 0U);
  EXPECT_EQ(due_policy(policy, {"class"}, {"job"}).policy.goal, Goal::classification);
}

// Corollary 3.1 of the paper, on joins of random tables: what is asked with fewer columns of x is
// reached wherever the whole is, and the columns of a linkability reach together what it reaches.
TEST(DuePolicyTest, AsksLessThanTheWhole) {
  const Policy policy = policy_of(
      "privacy:\n"
      "  - xy-anonymity: {x: [name, job, class], y: row, k: 2}\n"
      "  - xy-anonymity: {x: [name, job, class], y: row-pairs, k: 2}\n"
      "  - xy-anonymity: {x: [name, job, class], y: [disease], k: 2}\n"
      "  - xy-linkability: {x: [name, job, class], y: disease, max: 0.5}\n"
      "  - xy-linkability: {x: [name, job], y: [disease, drug], max: 0.5}\n");
  const auto column = [](const std::string& name, std::vector<std::string> texts, std::size_t rows,
                         Random& random) {
    RawColumn raw{name, std::move(texts), Codes(rows, 8)};
    for (std::size_t row = 0; row < rows; ++row)
      raw.codes.set(row, static_cast<Code>(random.below(raw.texts.size())));
    return raw;
  };
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::vector<std::string> words = {"aa", "ab", "ba", "a*", "*"};
    ForeignFile t2{"t2", {}, 2 + random.below(6)}, t1{"t1", {}, 2 + random.below(6)};
    t2.columns.push_back(column("job", words, t2.rows, random));
    t2.columns.push_back(column("disease", {"Flu", "HIV"}, t2.rows, random));
    t1.columns.push_back(column("name", words, t1.rows, random));
    t1.columns.push_back(column("job", words, t1.rows, random));
    t1.columns.push_back(column("class", {"c", "d"}, t1.rows, random));
    t1.columns.push_back(column("drug", {"x", "y"}, t1.rows, random));
    const std::vector<Release> releases = read_foreign({t2, t1}, policy);
    const JoinAudit whole = audit_join(releases, policy);
    const DuePolicy split = due_policy(policy, {"name", "job", "class", "drug"}, {"disease"});
    ASSERT_EQ(split.policy.xy.size(), 6U);
    const JoinAudit parts = audit_join(releases, split.policy);
    EXPECT_EQ(whole.findings[4].linkability,
              std::max(parts.findings[4].linkability, parts.findings[5].linkability));
    EXPECT_EQ(whole.holds(), parts.holds());
    std::vector<std::string> out = {"disease", "drug"};
    for (const char* name : {"name", "job", "class"}) {
      if (random.below(2) == 0) out.emplace_back(name);
    }
    const DuePolicy due = due_policy(policy, out, {});
    if (due.policy.xy.size() < 4) continue;  // without any x
    const JoinAudit less = audit_join(releases, due.policy);
    if (less.empty) continue;
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_GE(less.findings[i].anonymity, whole.findings[i].anonymity);
    EXPECT_LE(less.findings[3].linkability, whole.findings[3].linkability + 1e-12);
  }
}

}  // namespace
}  // namespace throng
