// Policies of sequential publications: what may follow what. Of growing tables see
// tests/scenarios/publication_policy.txt.
#include "publication/stricter.h"

#include <gtest/gtest.h>

#include "throng/error.h"

namespace throng {
namespace {

const std::string kColumns =
    "columns:\n"
    "  name: {role: quasi-identifier}\n"
    "  job: {role: quasi-identifier}\n"
    "  disease: {role: sensitive}\n"
    "  drug: {role: sensitive}\n";

Policy with(const std::string& rest) {
  return parse_policy(kColumns + "algorithm: tds\n" + rest, "policy", "");
}
std::string by(const std::string& policy, const std::string& stricter) {
  return stricter_by(with(policy), with(stricter), true);
}

TEST(StricterTest, AnonymityMayTakeMoreX) {
  const std::string before = "privacy: [{xy-anonymity: {x: [name], y: row, k: 3}}]\n";
  EXPECT_EQ(by(before, before), "");
  EXPECT_EQ(by(before, "privacy: [{xy-anonymity: {x: [job, name], y: row, k: 3}}]\n"),
            "xy-anonymity of job, name");
  EXPECT_EQ(by(before, "privacy: [{xy-anonymity: {x: [name], y: row, k: 4}}]\n"),
            "xy-anonymity of name");
  for (const char* weaker : {"{x: [name], y: row, k: 2}", "{x: [job], y: row, k: 3}",
                             "{x: [name], y: row-pairs, k: 3}", "{x: [name], y: [job], k: 3}"}) {
    EXPECT_THROW(by(before, std::string("privacy: [{xy-anonymity: ") + weaker + "}]\n"), InputError)
        << weaker;
  }
}

TEST(StricterTest, LinkabilityMayBeDividedAndTightened) {
  const std::string before =
      "privacy: [{xy-linkability: {x: [name], y: {disease: [a, b], drug: [c]}, max: 0.5}}]\n";
  EXPECT_EQ(by(before,
               "privacy:\n  - xy-linkability: {x: [name], y: {disease: [a, b]}, max: 0.5}\n"
               "  - xy-linkability: {x: [name], y: {drug: [c]}, max: 0.5}\n"),
            "");
  EXPECT_EQ(by(before,
               "privacy:\n  - xy-linkability: {x: [name], y: {disease: [a, b]}, max: 0.4}\n"
               "  - xy-linkability: {x: [name], y: {drug: [c]}, max: 0.5}\n"),
            "xy-linkability of name");
  // Each value of a column is not its labels.
  EXPECT_THROW(
      by(before, "privacy: [{xy-linkability: {x: [name], y: [disease, drug], max: 0.5}}]\n"),
      InputError);
  EXPECT_THROW(
      by(before, "privacy: [{xy-linkability: {x: [name], y: {disease: [a, b]}, max: 0.5}}]\n"),
      InputError);
  EXPECT_THROW(
      by(before,
         "privacy: [{xy-linkability: {x: [name], y: {disease: [a, b], drug: [c]}, max: {a: "
         "0.1, b: 0.6, c: 0.1}}}]\n"),
      InputError);
}

TEST(StricterTest, WhatMatchesStays) {
  const std::string before =
      "privacy: [{xy-anonymity: {x: [name], y: row, k: 3}}]\n"
      "inconsistent: [[{job: a}, {disease: b}]]\n";
  const std::string swapped =
      "privacy: [{xy-anonymity: {x: [name], y: row, k: 3}}]\n"
      "inconsistent: [[{disease: b}, {job: a}], [{job: b}, {disease: b}]]\n";
  EXPECT_EQ(by(before, swapped), "more inconsistent values");
  EXPECT_THROW(by(swapped, before), InputError);
  EXPECT_THROW(by(before, before + "dangling: drop\n"), InputError);
  EXPECT_EQ(by(before + "dangling: keep\n", before), "");
}

TEST(StricterTest, OnlySomeMayGrow) {
  const std::string privacy = "privacy: [{k-anonymity: 2}]\n";
  const Policy policy = with(privacy);
  const Policy grown =
      parse_policy(kColumns + "  ward: {role: insensitive}\n" + privacy, "more", "");
  EXPECT_EQ(stricter_by(policy, grown, true), "the column ward");
  EXPECT_THROW(stricter_by(policy, grown), InputError);
  EXPECT_THROW(stricter_by(grown, policy, true), InputError);
}

}  // namespace
}  // namespace throng
