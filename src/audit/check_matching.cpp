#include "audit/check_matching.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>

#include "audit/matching.h"

namespace throng {
namespace {

// Sorts things by the class that they are in: those of class c are order[begin[c]] and on.
struct ByClass {
  std::vector<std::uint32_t> begin, order;
};

ByClass by_class(const std::vector<std::uint32_t>& class_of, std::size_t classes) {
  ByClass result;
  result.begin.assign(classes + 1, 0);
  for (const std::uint32_t number : class_of) {
    if (number != kSuppressed) ++result.begin[number + 1];
  }
  std::partial_sum(result.begin.begin(), result.begin.end(), result.begin.begin());
  result.order.resize(result.begin.back());
  std::vector<std::uint32_t> next(result.begin.begin(), result.begin.end() - 1);
  for (std::uint32_t i = 0; i < class_of.size(); ++i) {
    if (class_of[i] != kSuppressed) result.order[next[class_of[i]]++] = i;
  }
  return result;
}

std::size_t classes_in(const std::vector<std::uint32_t>& class_of) {
  std::size_t classes = 0;
  for (const std::uint32_t number : class_of) {
    if (number != kSuppressed) classes = std::max<std::size_t>(classes, number + std::size_t{1});
  }
  return classes;
}

}  // namespace

std::vector<std::uint32_t> valid_values(const KnownRecords& known) {
  std::vector<std::uint32_t> result(known.class_of.size(), 0);
  const std::size_t classes = classes_in(known.class_of);
  const ByClass entries = by_class(known.class_of, classes);
  for (std::size_t number = 0; number < classes; ++number) {
    const std::uint32_t begin = entries.begin[number], end = entries.begin[number + 1];
    if (begin == end) continue;
    std::map<Code, std::uint32_t> place;
    for (std::uint32_t i = begin; i < end; ++i) place[known.values[entries.order[i]]] = 0;
    std::uint32_t values = 0;
    for (auto& [value, at] : place) at = values++;
    // Who is in it, by what each cannot have.
    std::map<std::uint32_t, std::uint32_t> type_of;  // by set of impossible values
    MatchingGroup group;
    group.value_counts.assign(values, 0);
    for (std::uint32_t i = begin; i < end; ++i) {
      const std::uint32_t entry = entries.order[i], set = known.impossible.set_of[entry];
      const auto [found, is_new] =
          type_of.try_emplace(set, static_cast<std::uint32_t>(group.types.size()));
      if (is_new) {
        MatchingGroup::Type& type = group.types.emplace_back();
        type.has.assign(values, 0);
        const std::vector<Code>& impossible = known.impossible.sets[set];
        for (const auto& [value, at] : place) {
          const bool struck = std::binary_search(impossible.begin(), impossible.end(), value);
          type.allowed.push_back(struck ? 0 : 1);
        }
      }
      MatchingGroup::Type& type = group.types[found->second];
      const std::uint32_t at = place[known.values[entry]], weight = known.weights[entry];
      if (type.allowed[at] == 0) throw std::invalid_argument("someone has what he cannot have");
      type.has[at] += weight;
      type.count += weight;
      group.value_counts[at] += weight;
    }
    const Matching matching = match_values(group);
    for (std::uint32_t i = begin; i < end; ++i) {
      const std::uint32_t entry = entries.order[i];
      result[entry] = matching.valid_values[type_of[known.impossible.set_of[entry]]];
    }
  }
  return result;
}

MatchingVerdict check_matching(const Release& release, const KnownRecords& known, std::size_t l) {
  MatchingVerdict verdict;
  const auto column =
      std::find_if(release.plain.begin(), release.plain.end(),
                   [&](const Release::Plain& plain) { return plain.name == known.column; });
  if (column == release.plain.end()) {
    verdict.broken.push_back(
        fmt::format("matching l-diversity: the release has no column '{}'", known.column));
    return verdict;
  }
  // What is published of a class are the values of who is in it.
  const std::size_t classes = std::max(release.classes, classes_in(known.class_of));
  const ByClass rows = by_class(release.class_of_row, classes);
  const ByClass entries = by_class(known.class_of, classes);
  std::vector<std::int64_t> more(column->values.size(), 0);
  for (std::size_t number = 0; number < classes; ++number) {
    bool same = true;
    for (std::uint32_t i = rows.begin[number]; i < rows.begin[number + 1]; ++i)
      ++more[column->codes[rows.order[i]]];
    for (std::uint32_t i = entries.begin[number]; i < entries.begin[number + 1]; ++i)
      more[known.values[entries.order[i]]] -= known.weights[entries.order[i]];
    for (std::uint32_t i = rows.begin[number]; i < rows.begin[number + 1]; ++i)
      same = same && more[column->codes[rows.order[i]]] == 0;
    for (std::uint32_t i = entries.begin[number]; i < entries.begin[number + 1]; ++i)
      same = same && more[known.values[entries.order[i]]] == 0;
    if (same) continue;
    verdict.broken.push_back(fmt::format(
        "matching l-diversity of column '{}': class {} does not publish the values of the records "
        "that are in it",
        known.column, number));
    return verdict;
  }
  const std::vector<std::uint32_t> valid = valid_values(known);
  std::vector<char> exposes(classes, 0);
  bool any = false;
  for (std::size_t entry = 0; entry < valid.size(); ++entry) {
    if (known.class_of[entry] == kSuppressed) continue;
    verdict.valid = any ? std::min<std::size_t>(verdict.valid, valid[entry]) : valid[entry];
    any = true;
    if (valid[entry] >= l) continue;
    verdict.exposed += known.weights[entry];
    exposes[known.class_of[entry]] = 1;
  }
  verdict.exposed_classes =
      static_cast<std::size_t>(std::count(exposes.begin(), exposes.end(), char{1}));
  if (verdict.exposed > 0) {
    verdict.broken.push_back(fmt::format(
        "matching l-diversity of column '{}': {} records in {} of {} classes have "
        "fewer than {} valid values, the least {}",
        known.column, verdict.exposed, verdict.exposed_classes, release.classes, l, verdict.valid));
  }
  return verdict;
}

}  // namespace throng
