#include "privacy/requirements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

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

Tally::Tally(const FrequencyList& list, const RecordTypes* types)
    : list_(&list), values_(list.values.size()) {
  if (types != nullptr) matching_.emplace(*types);
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

MatchingTally& Tally::matching() const {
  if (!matching_) throw std::logic_error("a group of records without types");
  return *matching_;
}

void Tally::add(std::size_t entry) {
  const std::uint32_t weight = list_->weights[entry];
  records_ += weight;
  if (matching_) matching_->add(list_->types[entry], weight);
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
  if (matching_) matching_->remove(list_->types[entry], weight);
  for (std::size_t column = 0; column < values_.size(); ++column) {
    std::uint32_t& count = values_[column].counts[list_->values[column][entry]];
    count -= weight;
    if (count == 0) --values_[column].distinct;
  }
}

void Tally::clear() {
  records_ = 0;
  if (matching_) matching_->clear();
  for (Values& values : values_) {
    for (const Code value : values.seen) {
      values.counts[value] = 0;
      values.is_seen[value] = 0;
    }
    values.seen.clear();
    values.distinct = 0;
  }
}

Requirements::Requirements(const Policy& policy, const FrequencyList& list,
                           const RecordTypes* types)
    : k_(policy.k), distinct_needed_(list.sensitive.size(), 1) {
  const auto column_of = [&](const std::string& name) {
    const auto found = std::find(list.sensitive.begin(), list.sensitive.end(), name);
    return static_cast<std::size_t>(found - list.sensitive.begin());
  };
  for (const Diversity& diversity : policy.diversities)
    add_rule({column_of(diversity.column), diversity});
  if (!policy.matching) return;
  if (types == nullptr) throw std::logic_error("matching l-diversity needs the types of records");
  const std::size_t column = column_of(policy.matching->column);
  // ℓ valid values are ℓ distinct ones; and all there is to it where everyone may have everything.
  Diversity distinct;
  distinct.column = policy.matching->column;
  distinct.l = static_cast<double>(policy.matching->l);
  add_rule({column, distinct});
  if (types->sets.size() < 2) return;
  types_ = types;
  valid_needed_ = policy.matching->l;
  matching_column_ = column;
  only_distinct_ = false;
}

void Requirements::add_rule(Rule rule) {
  // Every variant needs ℓ distinct values at least: ℓ shares of at most 1/ℓ, an entropy of log ℓ,
  // an ℓ-th value for the tail.
  const auto needed = static_cast<std::size_t>(std::ceil(rule.diversity.l - kTolerance));
  distinct_needed_[rule.column] = std::max(distinct_needed_[rule.column], needed);
  if (rule.diversity.variant != Diversity::Variant::distinct) only_distinct_ = false;
  rules_.push_back(std::move(rule));
}

bool Requirements::met(const Tally& tally) const {
  if (tally.records() < k_ || tally.records() == 0) return false;
  return std::all_of(rules_.begin(), rules_.end(),
                     [&](const Rule& rule) { return is_met(rule, tally.values(rule.column)); }) &&
         (types_ == nullptr || tally.matching().met(valid_needed_));
}

bool Requirements::helps_matching(const Tally& tally, std::size_t entry) const {
  // Where k is missing, it may be all that is: then anybody helps.
  if (tally.records() < k_ && tally.matching().met(valid_needed_)) return true;
  return tally.matching().helped_by(tally.list().types[entry], valid_needed_);
}

std::vector<char> Requirements::hopeless(const FrequencyList& list) const {
  if (types_ == nullptr) return {};
  std::vector<std::uint32_t> all(list.size());
  std::iota(all.begin(), all.end(), 0);
  Tally scratch = tally(list);
  return hopeless(scratch, all);
}

std::vector<char> Requirements::hopeless(Tally& scratch,
                                         std::span<const std::uint32_t> entries) const {
  std::vector<char> result;
  if (types_ == nullptr) return result;
  scratch.clear();
  for (const std::uint32_t entry : entries) scratch.add(entry);
  std::vector<std::uint32_t> types;  // ascending
  for (const MatchingTally::Found& found : scratch.matching().remove_hopeless(valid_needed_))
    types.push_back(found.type);
  scratch.clear();
  if (types.empty()) return result;
  for (const std::uint32_t entry : entries) {
    const bool found = std::binary_search(types.begin(), types.end(), scratch.list().types[entry]);
    result.push_back(found ? 1 : 0);
  }
  return result;
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
  const std::vector<char> left_out = hopeless(list);
  Tally all(list);
  for (std::size_t entry = 0; entry < list.size(); ++entry) {
    if (left_out.empty() || !left_out[entry]) all.add(entry);
  }
  if (all.records() < k_ || all.records() == 0) {
    throw PrivacyError(fmt::format(
        "matching l-diversity of column '{}' cannot be met: of {} records {} have {} valid values, "
        "even in one class of all of them; {} are needed for k",
        list.sensitive[matching_column_], list.records,
        all.records() == 0 ? std::string("none") : fmt::format("only {}", all.records()),
        valid_needed_, std::max<std::size_t>(k_, 1)));
  }
  for (const Rule& rule : rules_) {
    const std::vector<std::uint32_t> counts = all.values(rule.column).positive_counts();
    if (is_diverse(rule.diversity, counts)) continue;
    throw PrivacyError(
        fmt::format("{} l-diversity of column '{}' cannot be met: l = {} is asked, but all {} "
                    "records together reach only {:.4g}",
                    name_of(rule.diversity.variant), rule.diversity.column, rule.diversity.l,
                    all.records(), diversity_of(rule.diversity.variant, rule.diversity.c, counts)));
  }
}

}  // namespace throng
