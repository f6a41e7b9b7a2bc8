// How the values of a column are distributed in the original, and in what is published of it.
//
// A reader of a release takes each value that a region covers for as likely as any other
// (published.h): a region spreads its records evenly over its values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "metrics/published.h"

namespace throng {

struct Distribution {
  struct Bin {
    std::string label;
    double original = 0, released = 0;  // records
  };
  // Numbers and dates in their order, one bin a value where there are few, else bins of equal
  // width. Categories by their records in the original, the most frequent first.
  std::vector<Bin> bins;
  bool is_number = false;
  // What has no bin of its own.
  std::size_t other_values = 0;
  Bin others;
  // Half the sum over all values of |share of the original − share of the release|: 0 where they
  // are alike, 1 where they have no value in common.
  double difference = 0;
};

inline constexpr std::size_t kMostBins = 24;

// How many records each position of the schema's column has in a release.
std::vector<double> spread_of(const Published& published, const Schema& schema, std::size_t column);
// How many records have each value of the schema's sensitive column.
std::vector<double> sensitive_counts(const Published& published, const Schema& schema);

// `original` and `released` by the position of the value; `missing` is the missing value's, or the
// size. Time is linear in the values, but for sorting them.
Distribution compare(const Dictionary& values, std::size_t missing,
                     const std::vector<std::uint64_t>& original,
                     const std::vector<double>& released);

}  // namespace throng
