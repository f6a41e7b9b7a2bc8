#include "metrics/queries.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <set>

#include "metrics/published_examples.h"
#include "throng/error.h"

namespace throng {
namespace {

using testing::count_by_definition;
using testing::Example;
using testing::example_of;
using testing::release_of;
using testing::small_policy;

Query random_query(const Schema& schema, Random& random) {
  Query query;
  for (std::size_t i = 0; i < schema.quasi.size(); ++i) {
    if (random.below(3) == 0) continue;
    std::vector<char> chosen(schema.quasi[i].domain.size());
    for (char& each : chosen) each = random.below(2) == 0 ? 1 : 0;
    query.quasi.push_back({i, std::move(chosen)});
  }
  if (random.below(4) > 0) {
    query.sensitive.resize(schema.values.size());
    for (char& each : query.sensitive) each = random.below(2) == 0 ? 1 : 0;
  }
  return query;
}

// Worked by hand. Ages 20 21 22 24, jobs p q r, zips 100 101 207.
const testing::Rows kRows = {{"a", "b", "c", "s"},      {"20", "p", "100", "flu"},
                             {"21", "q", "100", "flu"}, {"22", "p", "101", "gout"},
                             {"24", "r", "207", "flu"}, {"24", "r", "207", "acne"}};

TEST(Queries, OfAReleaseByHand) {
  const Example example = example_of(kRows, small_policy("privacy:\n  - k-anonymity: 2\n"));
  const Release release = release_of({{"a", "b", "c", "s"},
                                      {"20..22", "{p|q}", "10*", "flu"},
                                      {"20..22", "{p|q}", "10*", "flu"},
                                      {"20..22", "{p|q}", "10*", "gout"},
                                      {"22..24", "*", "*", "acne"}},
                                     example);
  const Published published = publish(release, example.schema);
  EXPECT_EQ(published.entries(), 2U);
  EXPECT_EQ(published.records, 4U);
  // Ages 20 and 22, job p, zip 101, flu: values are acne, flu, gout.
  const Query query{{{0, {1, 0, 1, 0}}, {1, {1, 0, 0}}, {2, {0, 1, 0}}}, {0, 1, 0}};
  EXPECT_DOUBLE_EQ(count_queries(published, example.schema, {{query}})[0],
                   2 * (2.0 / 3) * (1.0 / 2) * (1.0 / 2));
  // Ages 22 and 24 (positions 2 and 3), whatever the value: in 22..24 both there are.
  const Query ages{{{0, {0, 0, 1, 1}}}, {}};
  EXPECT_DOUBLE_EQ(count_queries(published, example.schema, {{ages}})[0], 3 * (1.0 / 3) + 1);
  EXPECT_DOUBLE_EQ(
      count_queries(publish(example.table, example.schema), example.schema, {{ages}})[0], 3);
}

TEST(Queries, OfBucketsByHand) {
  const Example example = example_of(kRows, small_policy("privacy:\n  - k-anonymity: 2\n"));
  Buckets buckets = testing::random_buckets(example, 1);
  // Two buckets: ages 20 and 22 with {flu, gout}, ages 21, 24, 24 with {acne, flu, flu}.
  buckets.positions = {{0, 2, 1, 3, 3}, {0, 0, 1, 2, 2}, {0, 1, 0, 2, 2}};
  buckets.group_of_row = {0, 0, 1, 1, 1};
  buckets.groups = {"1", "2"};
  buckets.count_begin = {0, 2, 4};
  buckets.count_list = {{1, 1}, {2, 1}, {0, 1}, {1, 2}};
  const Published published = publish(buckets, example.schema, "buckets");
  EXPECT_EQ(published.entries(), 4U);  // the two records of age 24 are one
  // Older than 21, with the flu: 1/2 of one record and 2/3 of two.
  const Query query{{{0, {0, 0, 1, 1}}}, {0, 1, 0}};
  EXPECT_DOUBLE_EQ(count_queries(published, example.schema, {{query}})[0], 0.5 + 2 * (2.0 / 3));
}

// Buckets of 2, of 255 and 256 records, and more buckets than one sum holds.
TEST(Queries, OfBucketsOfEverySize) {
  const Policy policy = parse_policy(
      "columns:\n  a: {role: quasi-identifier}\n  s: {role: sensitive}\n"
      "privacy:\n  - k-anonymity: 2\n",
      "policy", "");
  for (const std::size_t size : {2, 3, 254, 255, 256, 1000}) {
    const std::size_t groups = size == 2 ? 70000 : 3;
    testing::Rows rows = {{"a", "s"}, {"p", "x"}, {"q", "y"}};
    Example example = example_of(rows, policy);
    Buckets buckets = testing::random_buckets(example, 1);
    buckets.positions = {{}};
    buckets.group_of_row.clear();
    buckets.groups.clear();
    buckets.count_list.clear();
    buckets.count_begin = {0};
    for (std::uint32_t group = 0; group < groups; ++group) {  // one q, one y, the others p and x
      for (std::size_t i = 0; i < size; ++i) {
        buckets.positions[0].push_back(i == 0 ? 1 : 0);
        buckets.group_of_row.push_back(group);
      }
      buckets.groups.push_back(std::to_string(group));
      buckets.count_list.push_back({0, static_cast<std::uint32_t>(size - 1)});
      buckets.count_list.push_back({1, 1});
      buckets.count_begin.push_back(buckets.count_list.size());
    }
    const Published published = publish(buckets, example.schema, "buckets");
    const std::vector<Query> queries = {
        {{{0, {1, 0}}}, {1, 0}}, {{{0, {1, 1}}}, {0, 1}}, {{{0, {0, 1}}}, {}}};
    const std::vector<double> counts = count_queries(published, example.schema, queries);
    const auto records = static_cast<double>(size), all = static_cast<double>(groups);
    EXPECT_NEAR(counts[0], all * (records - 1) * (records - 1) / records, 1e-6) << size;
    EXPECT_NEAR(counts[1], all, 1e-6) << size;
    EXPECT_NEAR(counts[2], all, 1e-6) << size;
  }
}

TEST(Queries, BucketsOfAnotherTableAreRefused) {
  const Example example = example_of(kRows, small_policy("privacy:\n  - k-anonymity: 2\n"));
  Buckets buckets = testing::random_buckets(example, 1);
  buckets.values.labels[buckets.count_list[0].value] = "plague";
  EXPECT_THROW(publish(buckets, example.schema, "buckets"), InputError);
  buckets = testing::random_buckets(example, 1);
  buckets.domains[1].values.labels[buckets.positions[1][0]] = "z";
  EXPECT_THROW(publish(buckets, example.schema, "buckets"), InputError);
}

// Against the definition: the table, generalized releases of all kinds of regions, and buckets.
TEST(Queries, AgreeWithTheDefinition) {
  std::size_t answered = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    const char* algorithms[] = {"mondrian", "datafly", "greedy-release"};
    const std::string k = std::to_string(2 + random.below(3));
    const Example example =
        example_of(testing::random_rows(1 + random.below(40), seed),
                   small_policy("privacy:\n  - k-anonymity: " + k +
                                "\nalgorithm: " + algorithms[random.below(3)] + "\n"));
    if (example.table.rows < 4) continue;
    const Release release = anonymize_table(example.table, example.policy, seed);
    const Buckets buckets = testing::random_buckets(example, seed);
    std::vector<Query> queries;
    const std::size_t number = 1 + random.below(130);  // one word, several, and the last one full
    for (std::size_t i = 0; i < number; ++i)
      queries.push_back(random_query(example.schema, random));
    const Schema& schema = example.schema;
    const auto original = count_queries(publish(example.table, schema), schema, queries);
    const auto generalized = count_queries(publish(release, schema), schema, queries);
    const auto bucketed = count_queries(publish(buckets, schema, "buckets"), schema, queries);
    for (std::size_t i = 0; i < queries.size(); ++i) {
      ASSERT_EQ(original[i], count_by_definition(example.table, schema, queries[i]))
          << "seed " << seed;
      ASSERT_NEAR(generalized[i], count_by_definition(release, schema, queries[i]), 1e-9)
          << "seed " << seed;
      ASSERT_NEAR(bucketed[i], count_by_definition(buckets, queries[i]), 1e-9) << "seed " << seed;
      answered += original[i] > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(answered, 5000U);
}

TEST(Queries, TheOriginalHasNoError) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const testing::Rows rows = testing::random_rows(200, seed);
    const Example example = example_of(rows, small_policy("privacy:\n  - k-anonymity: 2\n"));
    const Published original = publish(example.table, example.schema);
    const Published published = publish(release_of(rows, example), example.schema);
    QueryOptions options;
    options.seed = seed;
    options.dimension = 1 + seed % 4;
    options.selectivity = seed % 2 == 0 ? 0.05 : 0.5;
    options.number = 100;
    const QueryErrors errors = measure_queries(original, published, example.schema, options);
    EXPECT_GT(errors.number, 0U);
    EXPECT_EQ(errors.number + errors.given_up, 100U);
    EXPECT_EQ(errors.mean, 0) << "seed " << seed;
    EXPECT_EQ(errors.percentile_95, 0);
    EXPECT_EQ(errors.dimension, std::min<std::size_t>(3, options.dimension));
  }
}

// What is left out is missing from every answer.
TEST(Queries, NothingIsScaledUp) {
  testing::Rows rows = {{"a", "b", "c", "s"}};
  for (int i = 0; i < 8; ++i) rows.push_back({"20", "p", "100", "flu"});
  const Example example = example_of(rows, small_policy("privacy:\n  - k-anonymity: 2\n"));
  rows.resize(7);  // two of eight are gone
  const QueryErrors errors =
      measure_queries(publish(example.table, example.schema),
                      publish(release_of(rows, example), example.schema), example.schema, {});
  EXPECT_EQ(errors.number, 1000U);
  EXPECT_DOUBLE_EQ(errors.mean, 0.25);
  EXPECT_DOUBLE_EQ(errors.median, 0.25);
  EXPECT_DOUBLE_EQ(errors.mean_count, 8);
}

TEST(Queries, AreDrawnAsPromised) {
  const Policy policy = parse_policy(
      "columns:\n"
      "  a: {role: quasi-identifier, type: integer}\n"
      "  b: {role: quasi-identifier, domain: [k, l, m, n, o, p]}\n"
      "  c: {role: quasi-identifier}\n"
      "  s: {role: sensitive}\n"
      "missing: {values: ['?'], as: value}\n"
      "privacy:\n  - k-anonymity: 2\n",
      "policy", "");
  testing::Rows rows = {{"a", "b", "c", "s"}};
  for (int i = 0; i < 64; ++i) {
    rows.push_back({i == 9 ? "?" : std::to_string(3 * i),
                    std::string(1, static_cast<char>('k' + i % 4)),
                    std::string(1, static_cast<char>('a' + i % 16)), std::to_string(i % 8)});
  }
  const Example example = example_of(rows, policy);
  QueryOptions options;
  options.dimension = 2;
  options.selectivity = 0.125;  // half of each column
  const RandomQueries random(example.schema, options);
  std::set<std::vector<char>> different;
  for (std::uint64_t seed = 1; seed < 500; ++seed) {
    const Query query = random.draw(seed);
    ASSERT_EQ(query.quasi.size(), 2U);
    EXPECT_NE(query.quasi[0].column, query.quasi[1].column);
    EXPECT_EQ(std::count(query.sensitive.begin(), query.sensitive.end(), 1), 4);
    for (const Query::Predicate& predicate : query.quasi) {
      const std::vector<char>& chosen = predicate.chosen;
      const auto count = std::count(chosen.begin(), chosen.end(), 1);
      if (predicate.column == 0) {  // 63 numbers and the missing value: 32 consecutive ones
        ASSERT_EQ(chosen.size(), 64U);
        EXPECT_EQ(count, 32);
        EXPECT_EQ(chosen[63], 0);
        const auto first = std::find(chosen.begin(), chosen.end(), 1);
        EXPECT_EQ(std::count(first, first + 32, 1), 32);
      } else if (predicate.column == 1) {  // of the six values four occur
        ASSERT_EQ(chosen.size(), 6U);
        EXPECT_EQ(count, 2);
        EXPECT_EQ(chosen[4] + chosen[5], 0);
      } else {
        EXPECT_EQ(count, 8);
        different.insert(chosen);
      }
    }
  }
  EXPECT_GT(different.size(), 300U);  // any eight of sixteen
}

// Queries without an answer are drawn again, or given up where there can be none.
TEST(Queries, WithoutAnAnswerAreDrawnAgain) {
  testing::Rows rows = {{"a", "b", "c", "s"}};
  for (int i = 0; i < 12; ++i) {
    rows.push_back({std::to_string(i), std::string(1, static_cast<char>('a' + i)),
                    std::to_string(100 + i), "v" + std::to_string(i)});
  }
  const Example example = example_of(rows, small_policy("privacy:\n  - k-anonymity: 2\n"));
  const Published original = publish(example.table, example.schema);
  QueryOptions options;
  options.number = 50;
  options.selectivity = 0.1;
  const QueryErrors some = measure_queries(original, original, example.schema, options);
  EXPECT_EQ(some.number, 50U);
  EXPECT_GT(some.redrawn, 5U);
  EXPECT_EQ(some.given_up, 0U);
  options.selectivity = 1e-6;  // one value a column: one query in 12^3 has an answer
  const QueryErrors few = measure_queries(original, original, example.schema, options);
  EXPECT_GT(few.given_up, 0U);
  EXPECT_EQ(few.number + few.given_up, 50U);
}

TEST(Queries, DoNotDependOnThreadsOrOnTheOrderOfRows) {
  testing::Rows rows = testing::random_rows(300, 5);
  const Example example =
      example_of(rows, small_policy("privacy:\n  - k-anonymity: 4\nalgorithm: mondrian\n"));
  const Release release = anonymize_table(example.table, example.policy, 0);
  // The same release with its rows, classes and regions the other way round.
  Release turned = release;
  const auto classes = static_cast<std::uint32_t>(release.classes);
  for (Release::Quasi& column : turned.quasi) {
    std::reverse(column.regions.begin(), column.regions.end());
    std::reverse(column.of_class.begin(), column.of_class.end());
    for (std::uint32_t& region : column.of_class)
      region = static_cast<std::uint32_t>(column.regions.size()) - 1 - region;
  }
  for (std::size_t row = 0; row < release.rows(); ++row) {
    const std::size_t other = release.rows() - 1 - row;
    turned.class_of_row[row] = classes - 1 - release.class_of_row[other];
    for (std::size_t i = 0; i < turned.plain.size(); ++i)
      turned.plain[i].codes.set(row, release.plain[i].codes[other]);
  }
  const Published original = publish(example.table, example.schema);
  std::set<double> means;
  for (const std::size_t threads : {1, 2, 5}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    for (const Release* each : std::vector<const Release*>{&release, &turned}) {
      means.insert(
          measure_queries(original, publish(*each, example.schema), example.schema, {}).mean);
    }
  }
  EXPECT_EQ(means.size(), 1U);
  EXPECT_GT(*means.begin(), 0);
}

TEST(Queries, WithoutASensitiveColumn) {
  const Policy policy = parse_policy(
      "columns:\n  a: {role: quasi-identifier, type: integer}\n  b: {role: quasi-identifier}\n"
      "privacy:\n  - k-anonymity: 2\n",
      "policy", "");
  const testing::Rows rows = {{"a", "b"}, {"1", "p"}, {"2", "p"}, {"3", "q"}, {"4", "q"}};
  const Example example = example_of(rows, policy);
  const Release release =
      release_of({{"a", "b"}, {"1..2", "p"}, {"1..2", "p"}, {"3..4", "q"}, {"3..4", "q"}}, example);
  const Query query{{{0, {1, 0, 0, 0}}, {1, {1, 1}}}, {}};
  EXPECT_DOUBLE_EQ(count_queries(publish(release, example.schema), example.schema, {{query}})[0],
                   1);
  EXPECT_EQ(measure_queries(publish(example.table, example.schema),
                            publish(release, example.schema), example.schema, {})
                .number,
            1000U);
}

}  // namespace
}  // namespace throng
