// How wrong the answers are that a release gives to counting queries
//
//   SELECT COUNT(*) WHERE a IN A AND b IN B AND … AND s IN S
//
// over quasi-identifiers a, b, … and the sensitive column s: the relative error |estimate − truth|
// / truth of random queries (Li and Li, "Injector", 2008, section VI-D).
//
// How queries are drawn: `dimension` quasi-identifiers at random, and in each of them, and in the
// sensitive column, ⌈|D| · selectivity^(1/(dimension + 1))⌉ of the values that occur in the
// original. So much of each column leaves, if columns were independent, the share `selectivity` of
// the records: this is the definition of Xiao and Tao ("Anatomy", 2006, section 6), whose queries
// the paper says it uses. Its own words, "size … randomly chosen from {0, 1, …, sel·|D|}" with sel
// at most 0.1, give sets of one value or none in columns of two to sixteen values, and answers of a
// few records whose errors are about ten times as large (docs/evaluate.md has what we measured). Of
// numbers and dates the values are consecutive ones, as people ask for them; of categories any.
//
// A query that no record of the original answers has no relative error; it is drawn again, a
// hundred times at most, then given up. Errors do not depend on the number of threads.
//
// Cost: 64 queries at a time are one word for each value of a column, and an entry is asked by one
// AND a column; then each of its sensitive values is added to the queries that are left. O(entries
// · columns · queries / 64 + answers).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "metrics/published.h"
#include "table/random.h"

namespace throng {

struct Query {
  // The values asked for in one quasi-identifier: by position, 1 or 0.
  struct Predicate {
    std::size_t column = 0;
    std::vector<char> chosen;
  };
  std::vector<Predicate> quasi;  // of different columns
  std::vector<char> sensitive;   // by value; empty: whatever it is
};

struct QueryOptions {
  std::size_t number = 1000;
  std::size_t dimension = 3;  // quasi-identifiers asked for; all of them where there are fewer
  double selectivity = 0.1;   // share of the records that a query would give
  std::uint64_t seed = 0;
};

struct QueryErrors {
  std::size_t number = 0;     // queries with an answer, over which the errors are
  std::size_t dimension = 0;  // as used
  double selectivity = 0;
  std::size_t redrawn = 0;  // queries without an answer, drawn again
  std::size_t given_up = 0;
  double mean_count = 0;  // records of the original that a query gives
  double mean = 0;        // relative errors: 0.1 is 10 %
  double median = 0;
  double percentile_95 = 0;
};

// The number of records that a reader of `published` would expect each query to give.
std::vector<double> count_queries(const Published& published, const Schema& schema,
                                  std::span<const Query> queries);

// Random queries, each the same for the same seed.
class RandomQueries {
 public:
  RandomQueries(const Schema& schema, const QueryOptions& options);
  Query draw(std::uint64_t seed) const;

 private:
  // What may be chosen of one column.
  struct Choice {
    // `records` by value; `missing` is no number that a range could hold.
    Choice(const Dictionary& values, const std::vector<std::uint64_t>& records,
           std::size_t missing);
    std::vector<char> draw(double share, Random& random) const;

    std::size_t size;              // of the domain
    std::vector<Code> candidates;  // values that occur; of numbers in their order
    std::vector<double> numbers;   // by value; empty: a category
  };

  std::size_t dimension_;
  double share_ = 0;
  std::vector<Choice> quasi_;
  std::optional<Choice> sensitive_;
};

QueryErrors measure_queries(const Published& original, const Published& published,
                            const Schema& schema, const QueryOptions& options);

}  // namespace throng
