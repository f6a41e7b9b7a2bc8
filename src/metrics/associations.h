// What a release keeps of the associations between quasi-identifiers and the sensitive column:
// positive rules X ⇒ s mined from the original and from what is published (Li and Li, "Injector",
// 2008, section VI-C).
//
// X is one value each of at most `max_items` quasi-identifiers. A rule counts in a table when at
// least the share `min_support` of its records have X and s, and its conviction P(X)·P(not s) /
// P(X, not s), how much more often X would go without s if they were independent, is at least
// `min_conviction` (infinite where X never goes without s) and more than 1, which is what a table
// has that says nothing. Both tables are mined in the same way, by their own records and what
// published.h makes of them; so where records were left out, shares are of those that are there.
//
// The paper gives neither threshold. Spreading pulls every conviction towards 1, so that a
// threshold above 1 soon finds nothing in any bucketized table; the default asks for the direction
// only, and leaves how strong a rule is to the error of confidence. On UCI Adult (occupation, six
// quasi-identifiers) it finds 139 rules.
//
// The errors: of confidence, the mean over the original's rules of |confidence in the release −
// confidence| / confidence (a release in which nobody has X has confidence 0); of identification,
// the rules that only the release has, and those that only the original has, as shares of the
// original's rules.
//
// Cost: each item or set of items that is frequent enough walks the entries of the one before it
// once for each further column: O(entries · columns · frequent sets of max_items − 1 values) at
// worst, the frequent values of one column sharing its entries.
#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <vector>

#include "metrics/published.h"

namespace throng {

struct Item {
  std::size_t column = 0;  // of the schema
  Code position = 0;
  auto operator<=>(const Item&) const =
      default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 errs
};

struct AssociationRule {
  std::vector<Item> items;  // columns ascending
  Code value = 0;
  double support = 0;     // share of the records with X and s
  double confidence = 0;  // share of those with X that have s

  bool is_same(const AssociationRule& other) const {
    return items == other.items && value == other.value;
  }
};

struct RuleOptions {
  double min_support = 0.02;
  double min_conviction = 1;
  std::size_t max_items = 2;
};

// In the order of items and values.
std::vector<AssociationRule> mine_associations(const Published& published, const Schema& schema,
                                               const RuleOptions& options);

struct RuleErrors {
  std::size_t original = 0;   // rules of the original
  std::size_t published = 0;  // rules of the release
  std::size_t both = 0;
  // Without a rule in the original there is nothing to be wrong about.
  std::optional<double> confidence_error, false_positives, false_negatives;
};

RuleErrors measure_associations(const Published& original, const Published& published,
                                const Schema& schema, const RuleOptions& options);

}  // namespace throng
