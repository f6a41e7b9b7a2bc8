#include "audit/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace throng {
namespace {

// The rows of each class, class after class.
struct RowsByClass {
  std::vector<std::uint32_t> begin;
  std::vector<std::uint32_t> rows;
};

RowsByClass rows_by_class(const Release& release) {
  RowsByClass result;
  result.begin.assign(release.classes + 1, 0);
  for (const std::uint32_t number : release.class_of_row) ++result.begin[number + 1];
  for (std::size_t i = 0; i < release.classes; ++i) result.begin[i + 1] += result.begin[i];
  result.rows.resize(release.rows());
  std::vector<std::uint32_t> next(result.begin.begin(), result.begin.end() - 1);
  for (std::uint32_t row = 0; row < release.rows(); ++row)
    result.rows[next[release.class_of_row[row]]++] = row;
  return result;
}

double entropy(const std::vector<std::uint32_t>& counts, double total) {
  double sum = 0;
  for (const std::uint32_t count : counts) sum += count * std::log(count);
  return std::log(total) - sum / total;
}

// Whether a class whose values occur `counts` times (descending) is diverse as asked.
bool diverse(const Diversity& asked, const std::vector<std::uint32_t>& counts, double total) {
  constexpr double kRounding = 1e-9;
  switch (asked.variant) {
    case Diversity::Variant::distinct:
      return static_cast<double>(counts.size()) >= asked.l;
    case Diversity::Variant::frequency:
      return counts[0] / total <= 1 / asked.l * (1 + kRounding);
    case Diversity::Variant::entropy:
      return entropy(counts, total) >= std::log(asked.l) - kRounding;
    case Diversity::Variant::recursive: {
      double tail = 0;
      for (std::size_t i = static_cast<std::size_t>(asked.l) - 1; i < counts.size(); ++i)
        tail += counts[i];
      return counts[0] < asked.c * tail;
    }
  }
  return false;
}

}  // namespace

Verdict check_release(const Release& release, const Policy& policy) {
  Verdict verdict;
  if (release.rows() == 0) {
    verdict.broken.emplace_back("the release has no records");
    return verdict;
  }
  const RowsByClass by_class = rows_by_class(release);
  verdict.k = std::numeric_limits<std::size_t>::max();
  std::size_t small = 0;
  for (std::size_t i = 0; i < release.classes; ++i) {
    const std::size_t size = by_class.begin[i + 1] - by_class.begin[i];
    verdict.k = std::min(verdict.k, size);
    if (size < policy.k) ++small;
  }
  if (small > 0) {
    verdict.broken.push_back(
        fmt::format("k-anonymity: {} of {} classes have fewer than {} records, the smallest {}",
                    small, release.classes, policy.k, verdict.k));
  }
  for (const Release::Plain& column : release.plain) {
    if (column.role != Role::sensitive) continue;
    std::vector<const Diversity*> asked;
    for (const Diversity& diversity : policy.diversities) {
      if (diversity.column == column.name) asked.push_back(&diversity);
    }
    std::vector<std::size_t> failing(asked.size(), 0);
    DiversityFigures least{column.name, std::numeric_limits<std::size_t>::max(), 1e300, 1e300};
    std::vector<std::uint32_t> of_value(column.values.size(), 0), counts;
    std::vector<Code> present;
    column.codes.visit([&](const auto& codes) {
      for (std::size_t i = 0; i < release.classes; ++i) {
        for (std::uint32_t at = by_class.begin[i]; at < by_class.begin[i + 1]; ++at) {
          const Code value = codes[by_class.rows[at]];
          if (of_value[value]++ == 0) present.push_back(value);
        }
        counts.clear();
        for (const Code value : present) {
          counts.push_back(of_value[value]);
          of_value[value] = 0;
        }
        present.clear();
        std::sort(counts.begin(), counts.end(), std::greater<>());
        const double total = by_class.begin[i + 1] - by_class.begin[i];
        least.distinct = std::min(least.distinct, counts.size());
        least.frequency = std::min(least.frequency, total / counts[0]);
        least.entropy = std::min(least.entropy, std::exp(entropy(counts, total)));
        for (std::size_t j = 0; j < asked.size(); ++j)
          failing[j] += diverse(*asked[j], counts, total) ? 0 : 1;
      }
    });
    verdict.diversity.push_back(least);
    for (std::size_t j = 0; j < asked.size(); ++j) {
      if (failing[j] == 0) continue;
      verdict.broken.push_back(fmt::format(
          "{} l-diversity of column '{}': {} of {} classes do not reach l = {}",
          name_of(asked[j]->variant), column.name, failing[j], release.classes, asked[j]->l));
    }
  }
  return verdict;
}

}  // namespace throng
