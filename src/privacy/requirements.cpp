#include "privacy/requirements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "throng/error.h"

namespace throng {
namespace {

// Entropies are sums of rounded logarithms; two that are equal on paper must compare as equal.
constexpr double kTolerance = 1e-9;

double entropy_of(const std::vector<std::uint32_t>& counts) {
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  double entropy = 0;
  for (const double count : counts) entropy -= count / total * std::log(count / total);
  return entropy;
}

// n_1 < c · (n_l + n_{l+1} + …), counts descending.
bool is_recursive(const std::vector<std::uint32_t>& counts, std::size_t l, double c) {
  if (counts.size() < l) return false;
  const double rest =
      std::accumulate(counts.begin() + static_cast<std::ptrdiff_t>(l) - 1, counts.end(), 0.0);
  return counts.front() < c * rest;
}

}  // namespace

double diversity_of(Diversity::Variant variant, double c, std::vector<std::uint32_t> counts) {
  if (counts.empty()) return 0;
  switch (variant) {
    case Diversity::Variant::distinct:
      return static_cast<double>(counts.size());
    case Diversity::Variant::frequency:
      return std::accumulate(counts.begin(), counts.end(), 0.0) /
             *std::max_element(counts.begin(), counts.end());
    case Diversity::Variant::entropy:
      return std::exp(entropy_of(counts));
    case Diversity::Variant::recursive: {
      std::sort(counts.begin(), counts.end(), std::greater<>());
      std::size_t l = counts.size();
      while (l > 0 && !is_recursive(counts, l, c)) --l;
      return static_cast<double>(l);
    }
  }
  return 0;
}

bool is_diverse(const Diversity& diversity, const std::vector<std::uint32_t>& counts) {
  if (counts.empty()) return false;
  switch (diversity.variant) {
    case Diversity::Variant::distinct:
      return static_cast<double>(counts.size()) >= diversity.l;
    case Diversity::Variant::frequency: {
      const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
      return *std::max_element(counts.begin(), counts.end()) * diversity.l <=
             total * (1 + kTolerance);
    }
    case Diversity::Variant::entropy:
      return entropy_of(counts) >= std::log(diversity.l) - kTolerance;
    case Diversity::Variant::recursive: {
      std::vector<std::uint32_t> descending = counts;
      std::sort(descending.begin(), descending.end(), std::greater<>());
      return is_recursive(descending, static_cast<std::size_t>(diversity.l), diversity.c);
    }
  }
  return false;
}

Tally::Tally(const FrequencyList& list) : list_(&list), values_(list.values.size()) {
  for (std::size_t column = 0; column < values_.size(); ++column) {
    values_[column].counts.resize(list.sensitive_sizes[column]);
    values_[column].is_seen.resize(list.sensitive_sizes[column]);
  }
}

std::vector<std::uint32_t> Tally::Values::positive_counts() const {
  std::vector<std::uint32_t> positive;
  positive.reserve(distinct);
  for (const Code value : seen) {
    if (counts[value] > 0) positive.push_back(counts[value]);
  }
  return positive;
}

std::uint32_t Tally::Values::most() const {
  std::uint32_t most = 0;
  for (const Code value : seen) most = std::max(most, counts[value]);
  return most;
}

void Tally::add(std::size_t entry) {
  const std::uint32_t weight = list_->weights[entry];
  records_ += weight;
  for (std::size_t column = 0; column < values_.size(); ++column) {
    Values& values = values_[column];
    const Code value = list_->values[column][entry];
    if (values.counts[value] == 0) {
      ++values.distinct;
      if (!values.is_seen[value]) values.seen.push_back(value);
      values.is_seen[value] = 1;
    }
    values.counts[value] += weight;
  }
}

void Tally::remove(std::size_t entry) {
  const std::uint32_t weight = list_->weights[entry];
  records_ -= weight;
  for (std::size_t column = 0; column < values_.size(); ++column) {
    std::uint32_t& count = values_[column].counts[list_->values[column][entry]];
    count -= weight;
    if (count == 0) --values_[column].distinct;
  }
}

void Tally::clear() {
  records_ = 0;
  for (Values& values : values_) {
    for (const Code value : values.seen) {
      values.counts[value] = 0;
      values.is_seen[value] = 0;
    }
    values.seen.clear();
    values.distinct = 0;
  }
}

Requirements::Requirements(const Policy& policy, const FrequencyList& list)
    : k_(policy.k), distinct_needed_(list.sensitive.size(), 1) {
  for (const Diversity& diversity : policy.diversities) {
    const auto found = std::find(list.sensitive.begin(), list.sensitive.end(), diversity.column);
    const auto column = static_cast<std::size_t>(found - list.sensitive.begin());
    rules_.push_back({column, diversity});
    // Every variant needs ℓ distinct values at least: ℓ shares of at most 1/ℓ, an entropy of log ℓ,
    // an ℓ-th value for the tail.
    const auto needed = static_cast<std::size_t>(std::ceil(diversity.l - kTolerance));
    distinct_needed_[column] = std::max(distinct_needed_[column], needed);
    if (diversity.variant != Diversity::Variant::distinct) only_distinct_ = false;
  }
}

bool Requirements::met(const Tally& tally) const {
  if (tally.records() < k_ || tally.records() == 0) return false;
  return std::all_of(rules_.begin(), rules_.end(),
                     [&](const Rule& rule) { return is_met(rule, tally.values(rule.column)); });
}

bool Requirements::is_met(const Rule& rule, const Tally::Values& values) {
  if (static_cast<double>(values.distinct) < rule.diversity.l - kTolerance) return false;
  return rule.diversity.variant == Diversity::Variant::distinct ||
         is_diverse(rule.diversity, values.positive_counts());
}

void Requirements::check_reachable(const FrequencyList& list) const {
  if (k_ > list.records) {
    throw InputError(
        fmt::format("k-anonymity: {} is asked of a table of {} records; expected k of at most {}",
                    k_, list.records, list.records));
  }
  Tally all(list);
  for (std::size_t entry = 0; entry < list.size(); ++entry) all.add(entry);
  for (const Rule& rule : rules_) {
    const std::vector<std::uint32_t> counts = all.values(rule.column).positive_counts();
    if (is_diverse(rule.diversity, counts)) continue;
    throw PrivacyError(
        fmt::format("{} l-diversity of column '{}' cannot be met: l = {} is asked, but all {} "
                    "records together reach only {:.4g}",
                    name_of(rule.diversity.variant), rule.diversity.column, rule.diversity.l,
                    list.records, diversity_of(rule.diversity.variant, rule.diversity.c, counts)));
  }
}

}  // namespace throng
