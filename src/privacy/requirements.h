// The privacy that a policy asks of every group of records that are published as one.
//
// Claim: all requirements here are monotone: if two groups meet them, so does their union. So
// classes may be merged without another check, and a table whose whole does not meet them has no
// release of everybody. Matching ℓ-diversity is so where the knowledge is true of the records
// (privacy/matching.h); unlike the others it may leave someone hopeless whom no group protects,
// while the rest can be released.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "policy/policy.h"
#include "privacy/matching.h"
#include "release/frequency_list.h"

namespace throng {

// How often each value of each guarded column occurs in a group of records.
class Tally {
 public:
  // With `types`, the list's entries are counted by their type too.
  explicit Tally(const FrequencyList& list, const RecordTypes* types = nullptr);

  void add(std::size_t entry);
  void remove(std::size_t entry);  // one that was added
  void clear();                    // costs what was added, not what the columns could hold

  std::uint64_t records() const { return records_; }
  struct Values {
    std::vector<std::uint32_t> counts;  // by value
    std::vector<Code> seen;             // the values that were added since clear()
    std::vector<char> is_seen;          // by value
    std::size_t distinct = 0;           // values with a count above 0

    std::vector<std::uint32_t> positive_counts() const;
    std::uint32_t most() const;  // the count of the most frequent value
  };
  const Values& values(std::size_t column) const { return values_[column]; }
  const FrequencyList& list() const { return *list_; }
  // By types; throws std::logic_error where there are none. Asking uses its scratch, so a tally is
  // one thread's.
  MatchingTally& matching() const;

 private:
  const FrequencyList* list_;
  std::uint64_t records_ = 0;
  std::vector<Values> values_;
  mutable std::optional<MatchingTally> matching_;
};

class Requirements {
 public:
  // `types`: what the attacker knows of the entries, which have their numbers in list.types; needed
  // where the policy asks for matching ℓ-diversity, and must live as long.
  Requirements(const Policy& policy, const FrequencyList& list, const RecordTypes* types = nullptr);

  // An empty group of entries of the list, or of one made from it, that can be asked about.
  Tally tally(const FrequencyList& list) const { return Tally(list, types_); }

  std::size_t k() const { return k_; }
  bool met(const Tally& tally) const;
  // Whether a group that does not meet them yet comes nearer by an entry of its list.
  bool helped_by(const Tally& tally, std::size_t entry) const {
    bool diverse = true;
    for (const Rule& rule : rules_) {
      const Tally::Values& values = tally.values(rule.column);
      if (is_met(rule, values)) continue;
      diverse = false;
      const std::uint32_t count = values.counts[tally.list().values[rule.column][entry]];
      if (count == 0) return true;
      // Other variants weigh values: any but the most frequent evens them out.
      if (rule.diversity.variant != Diversity::Variant::distinct && count < values.most()) {
        return true;
      }
    }
    if (!diverse) return false;
    return types_ == nullptr || helps_matching(tally, entry);  // only k is missing: anybody helps
  }

  // Whether an attacker's knowledge counts, so that someone may be hopeless.
  bool has_knowledge() const { return types_ != nullptr; }
  // By entry, whether no group of these entries protects it; nothing where there is no such entry.
  // The others as one group meet matching ℓ-diversity, if there are others.
  std::vector<char> hopeless(const FrequencyList& list) const;
  // The same among some entries of the list of `scratch`, which is empty afterwards.
  std::vector<char> hopeless(Tally& scratch, std::span<const std::uint32_t> entries) const;

  // Whether k and the number of distinct values settle everything, so that counts are not needed.
  bool only_distinct() const { return only_distinct_; }
  // At least so many distinct values of guarded column `column` are needed, by whatever variant.
  std::size_t distinct_needed(std::size_t column) const { return distinct_needed_[column]; }

  // Throws: InputError where k is above the number of records, PrivacyError where even one class of
  // all records who are not hopeless does not do, saying what could be reached.
  void check_reachable(const FrequencyList& list) const;

 private:
  struct Rule {
    std::size_t column = 0;
    Diversity diversity;
  };
  static bool is_met(const Rule& rule, const Tally::Values& values);
  void add_rule(Rule rule);
  bool helps_matching(const Tally& tally, std::size_t entry) const;

  std::size_t k_ = 1;
  const RecordTypes* types_ = nullptr;  // only where some record cannot have some value
  std::size_t valid_needed_ = 1;        // values, for each record
  std::size_t matching_column_ = 0;
  std::vector<Rule> rules_;
  std::vector<std::size_t> distinct_needed_;
  bool only_distinct_ = true;
};

// The largest ℓ for which the counts (none of them 0) are ℓ-diverse by a variant; 0 of no records.
double diversity_of(Diversity::Variant variant, double c, std::vector<std::uint32_t> counts);
// Whether they are ℓ-diverse.
bool is_diverse(const Diversity& diversity, const std::vector<std::uint32_t>& counts);

}  // namespace throng
