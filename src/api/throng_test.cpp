#include "throng/throng.h"

#include <gtest/gtest.h>

namespace throng {
namespace {

const char* kPolicy =
    "columns:\n"
    "  name: {role: identifier}\n"
    "  age: {role: quasi-identifier, type: integer}\n"
    "  id: {role: insensitive}\n"
    "  diagnosis: {role: sensitive}\n"
    "privacy:\n"
    "  - k-anonymity: 2\n";

TEST(Api, ColumnsInColumnsOut) {
  const Result result = anonymize(kPolicy, {{"name", {"a", "b", "c", "d"}},
                                            {"diagnosis", {"flu", "gout", "flu", "acne"}},
                                            {"age", {"21", "23", "52", "57"}},
                                            {"id", {"1", "2", "3", "4"}}});
  ASSERT_EQ(result.columns.size(), 3U);
  EXPECT_EQ(result.columns[0].name, "diagnosis");
  EXPECT_EQ(result.columns[1].name, "age");
  EXPECT_EQ(result.figures.k, 2U);
  EXPECT_EQ(result.figures.classes, 2U);
  for (const std::string& age : result.columns[1].values)
    EXPECT_TRUE(age == "21..23" || age == "52..57") << age;
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_NE(result.warnings[0].find("'id' is insensitive but nearly unique"), std::string::npos);
}

TEST(Api, InsensitiveValuesStayWithTheirRecord) {
  std::vector<TextColumn> input = {{"age", {}}, {"id", {}}, {"diagnosis", {}}};
  for (int i = 0; i < 50; ++i) {
    input[0].values.push_back(std::to_string(i / 5));
    input[1].values.push_back(std::to_string(i));
    input[2].values.push_back("d" + std::to_string(i % 7));
  }
  const Result result = anonymize(kPolicy, input);
  ASSERT_EQ(result.columns[1].values.size(), 50U);
  for (std::size_t row = 0; row < 50; ++row) {
    EXPECT_EQ(result.columns[2].values[row],
              "d" + std::to_string(std::stoi(result.columns[1].values[row]) % 7));
  }
}

TEST(Api, WhatAnAttackerKnowsIsKept) {
  const std::string policy =
      "columns:\n"
      "  sex: {role: quasi-identifier}\n"
      "  illness: {role: sensitive}\n"
      "privacy:\n"
      "  - matching-l-diversity: {column: illness, l: 2}\n"
      "knowledge: {mine: {min-expectation: 0.8}}\n";
  // No man has the first; two of these women do, and one of the others could.
  std::vector<TextColumn> input = {{"sex", {}}, {"illness", {}}};
  for (int i = 0; i < 12; ++i) {
    input[0].values.push_back(i % 2 == 0 ? "Male" : "Female");
    input[1].values.push_back(i % 4 == 1 ? "ovarian" : i % 3 == 0 ? "flu" : "gout");
  }
  const Result result = anonymize(policy, input);
  ASSERT_TRUE(result.figures.matching);
  EXPECT_EQ(result.figures.matching->column, "illness");
  EXPECT_GT(result.figures.matching->rules, 0U);
  EXPECT_EQ(result.figures.matching->stated, 0U);
  EXPECT_GE(result.figures.matching->valid, 2U);
  EXPECT_FALSE(
      anonymize(kPolicy, {{"age", {"1", "2"}}, {"diagnosis", {"x", "y"}}, {"id", {"1", "2"}}})
          .figures.matching);
}

TEST(Api, Refuses) {
  EXPECT_THROW(anonymize("nonsense: 1", {}), InputError);
  EXPECT_THROW(anonymize(kPolicy, {}), InputError);
  EXPECT_THROW(anonymize(kPolicy, {{"age", {"1"}}, {"diagnosis", {"x", "y"}}, {"id", {"1"}}}),
               InputError);
  EXPECT_THROW(
      anonymize(kPolicy, {{"age", {"x", "1"}}, {"diagnosis", {"x", "y"}}, {"id", {"1", "2"}}}),
      InputError);
  EXPECT_THROW(anonymize(kPolicy, {{"age", {"1", "2"}},
                                   {"diagnosis", {"x", "y"}},
                                   {"id", {"1", "2"}},
                                   {"zip", {"1", "2"}}}),
               InputError);
}

}  // namespace
}  // namespace throng
