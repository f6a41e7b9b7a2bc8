#include "metrics/associations.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <cmath>
#include <map>

#include "metrics/published_examples.h"

namespace throng {
namespace {

using testing::Example;
using testing::example_of;
using testing::release_of;
using testing::small_policy;

// Rules by trying every combination of at most `max_items` values and every sensitive value.
// `count` says how many records a query gives; those within rounding of a threshold are in `edge`.
struct Tried {
  std::map<std::pair<std::vector<Item>, Code>, double> confidence, edge;
};

template <typename Count>
Tried try_all(const Schema& schema, const RuleOptions& options, double total, const Count& count) {
  Tried tried;
  std::vector<std::vector<Item>> sets = {{}};
  for (std::size_t at = 0; at < sets.size(); ++at) {
    const std::vector<Item> items = sets[at];
    const std::size_t first = items.empty() ? 0 : items.back().column + 1;
    for (std::size_t column = first;
         items.size() < options.max_items && column < schema.quasi.size(); ++column) {
      for (Code position = 0; position < schema.quasi[column].domain.size(); ++position) {
        sets.push_back(items);
        sets.back().push_back({column, position});
      }
    }
    if (items.empty()) continue;
    Query query;
    for (const Item& item : items) {
      std::vector<char> chosen(schema.quasi[item.column].domain.size(), 0);
      chosen[item.position] = 1;
      query.quasi.push_back({item.column, chosen});
    }
    const double with_items = count(query);
    for (Code value = 0; value < schema.values.size(); ++value) {
      std::vector<char> only(schema.values.size(), 0);
      only[value] = 1;
      Query both_query = query;
      both_query.sensitive = only;
      const double both = count(both_query);
      const double of_value = count(Query{{}, only});
      if (both <= 0) continue;
      const double support = both / total;
      const double without = std::max(0.0, with_items - both) / total;
      const double conviction =
          without < 1e-12 ? 1e300 : with_items / total * (1 - of_value / total) / without;
      const double rounding = 1e-7;
      const double least = std::max(1.0, options.min_conviction);
      if (support < options.min_support - rounding || conviction < least - rounding) continue;
      const bool is_clear =
          support > options.min_support + rounding && conviction > least + rounding;
      (is_clear ? tried.confidence : tried.edge)[{items, value}] = both / with_items;
    }
  }
  return tried;
}

void expect_same(const std::vector<AssociationRule>& rules, const Tried& tried) {
  std::size_t clear = 0;
  for (const AssociationRule& rule : rules) {
    const auto key = std::pair(rule.items, rule.value);
    const auto found = tried.confidence.find(key);
    if (found == tried.confidence.end()) {
      EXPECT_TRUE(tried.edge.contains(key));
      continue;
    }
    ++clear;
    EXPECT_NEAR(rule.confidence, found->second, 1e-9);
  }
  EXPECT_EQ(clear, tried.confidence.size());
}

TEST(Associations, AgreeWithTheDefinition) {
  std::size_t rules_seen = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const char* algorithms[] = {"mondrian", "datafly", "greedy-release"};
    const std::string k = std::to_string(2 + random.below(3));
    testing::Rows rows = testing::random_rows(6 + random.below(30), seed);
    for (std::size_t i = 1; i < rows.size(); ++i) {  // few values, so that there are rules
      rows[i][0] = std::to_string(20 + std::stoi(rows[i][0]) % 4);
      rows[i][2] = std::to_string(100 + std::stoi(rows[i][2]) % 5);
    }
    const Example example =
        example_of(rows, small_policy("privacy:\n  - k-anonymity: " + k +
                                      "\nalgorithm: " + algorithms[random.below(3)] + "\n"));
    const Schema& schema = example.schema;
    RuleOptions options;
    options.max_items = 1 + random.below(3);
    options.min_support = 0.01 + 0.2 * random.unit();
    options.min_conviction = random.below(3) == 0 ? 1 : 1 + random.unit();
    const Release release = anonymize_table(example.table, example.policy, seed);
    const Buckets buckets = testing::random_buckets(example, seed);
    const auto total = static_cast<double>(example.table.rows);
    const auto original = mine_associations(publish(example.table, schema), schema, options);
    rules_seen += original.size();
    expect_same(original, try_all(schema, options, total, [&](const Query& query) {
                  return testing::count_by_definition(example.table, schema, query);
                }));
    if (release.rows() > 0) {
      expect_same(
          mine_associations(publish(release, schema), schema, options),
          try_all(schema, options, static_cast<double>(release.rows()), [&](const Query& query) {
            return testing::count_by_definition(release, schema, query);
          }));
    }
    expect_same(
        mine_associations(publish(buckets, schema, "buckets"), schema, options),
        try_all(schema, options, static_cast<double>(buckets.rows()),
                [&](const Query& query) { return testing::count_by_definition(buckets, query); }));
  }
  EXPECT_GT(rules_seen, 1000U);
}

// Worked by hand: of eight records four are p, three of them with the flu; of the q none has it.
TEST(Associations, ByHand) {
  const testing::Rows rows = {{"b", "s"},    {"p", "flu"},  {"p", "flu"},
                              {"p", "flu"},  {"p", "gout"}, {"q", "gout"},
                              {"q", "gout"}, {"q", "gout"}, {"q", "acne"}};
  const Policy policy = parse_policy(
      "columns:\n  b: {role: quasi-identifier}\n  s: {role: sensitive}\n"
      "privacy:\n  - k-anonymity: 2\n",
      "policy", "");
  const Example example = example_of(rows, policy);
  const Published original = publish(example.table, example.schema);
  RuleOptions options;
  options.min_support = 0.25;
  options.min_conviction = 2;
  const auto rules = mine_associations(original, example.schema, options);
  // p ⇒ flu: 1/2 · 5/8 over 1/8 is 2.5. q ⇒ gout: 1/2 · 1/2 over 1/8 is 2.
  ASSERT_EQ(rules.size(), 2U);
  EXPECT_EQ(rules[0].items, (std::vector<Item>{{0, 0}}));
  EXPECT_EQ(example.schema.values.labels[rules[0].value], "flu");
  EXPECT_DOUBLE_EQ(rules[0].support, 3.0 / 8);
  EXPECT_DOUBLE_EQ(rules[0].confidence, 0.75);
  EXPECT_EQ(example.schema.values.labels[rules[1].value], "gout");

  // A release in which p and q cannot be told apart but for three: p ⇒ flu is 2 of 2 and 1/2 of 5
  // records more, q ⇒ gout 1 of 1 and half of 3 of 5.
  const Release release = release_of({{"b", "s"},
                                      {"p", "flu"},
                                      {"p", "flu"},
                                      {"*", "flu"},
                                      {"*", "gout"},
                                      {"*", "gout"},
                                      {"*", "gout"},
                                      {"q", "gout"},
                                      {"*", "acne"}},
                                     example);
  const Published published = publish(release, example.schema);
  const double flu = 2.5 / 4.5, gout = 2.5 / 3.5;
  const RuleErrors errors = measure_associations(original, published, example.schema, options);
  EXPECT_EQ(errors.original, 2U);
  // 4.5/8 · 5/8 over 2/8 is 1.41; 3.5/8 · 1/2 over 1/8 is 1.75: neither is a rule.
  EXPECT_EQ(errors.published, 0U);
  EXPECT_DOUBLE_EQ(*errors.confidence_error, ((0.75 - flu) / 0.75 + (0.75 - gout) / 0.75) / 2);
  EXPECT_DOUBLE_EQ(*errors.false_negatives, 1);
  EXPECT_DOUBLE_EQ(*errors.false_positives, 0);
  options.min_conviction = 1.5;
  const RuleErrors milder = measure_associations(original, published, example.schema, options);
  EXPECT_EQ(milder.original, 2U);
  EXPECT_EQ(milder.both, 1U);
  EXPECT_DOUBLE_EQ(*milder.false_negatives, 0.5);
}

TEST(Associations, OfTheOriginalHaveNoError) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const testing::Rows rows = testing::random_rows(100, seed);
    const Example example = example_of(rows, small_policy("privacy:\n  - k-anonymity: 2\n"));
    const RuleErrors errors = measure_associations(
        publish(example.table, example.schema), publish(release_of(rows, example), example.schema),
        example.schema, {0.01, 1.05, 3});
    ASSERT_GT(errors.original, 0U);
    EXPECT_EQ(errors.original, errors.both);
    EXPECT_EQ(errors.published, errors.both);
    EXPECT_EQ(errors.confidence_error, 0);
    EXPECT_EQ(errors.false_positives, 0);
    EXPECT_EQ(errors.false_negatives, 0);
  }
}

// A table that tells nobody apart has no rule, however low the threshold.
TEST(Associations, IndependenceIsNoRule) {
  const testing::Rows rows = testing::random_rows(60, 2);
  const Example example = example_of(rows, small_policy("privacy:\n  - k-anonymity: 2\n"));
  testing::Rows hidden = rows;
  for (std::size_t i = 1; i < hidden.size(); ++i) hidden[i][0] = hidden[i][1] = hidden[i][2] = "*";
  const RuleErrors errors = measure_associations(
      publish(example.table, example.schema), publish(release_of(hidden, example), example.schema),
      example.schema, {0.0001, 1, 3});
  EXPECT_GT(errors.original, 0U);
  EXPECT_EQ(errors.published, 0U);
  EXPECT_EQ(errors.false_negatives, 1);
}

TEST(Associations, WithoutRulesThereIsNoError) {
  const testing::Rows rows = testing::random_rows(50, 1);
  const Example example = example_of(rows, small_policy("privacy:\n  - k-anonymity: 2\n"));
  const Published original = publish(example.table, example.schema);
  const RuleErrors errors = measure_associations(original, original, example.schema, {1, 1000, 2});
  EXPECT_EQ(errors.original, 0U);
  EXPECT_FALSE(errors.confidence_error.has_value());
}

TEST(Associations, DoNotDependOnThreads) {
  const Example example =
      example_of(testing::random_rows(400, 3),
                 small_policy("privacy:\n  - k-anonymity: 4\nalgorithm: mondrian\n"));
  const Published published =
      publish(anonymize_table(example.table, example.policy, 0), example.schema);
  std::vector<std::vector<AssociationRule>> mined;
  for (const std::size_t threads : {1, 2, 5}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    mined.push_back(mine_associations(published, example.schema, {0.005, 1.01, 3}));
    ASSERT_EQ(mined.back().size(), mined.front().size());
    for (std::size_t i = 0; i < mined.front().size(); ++i) {
      EXPECT_TRUE(mined.back()[i].is_same(mined.front()[i]));
      EXPECT_EQ(mined.back()[i].confidence, mined.front()[i].confidence);
    }
  }
  EXPECT_GT(mined.front().size(), 10U);
}

}  // namespace
}  // namespace throng
