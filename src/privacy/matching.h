// Matching ℓ-diversity as a privacy model: each record of a group has at least ℓ distinct values
// that are valid for it, for an attacker who knows that some records cannot have some values.
//
// A value is valid for a record when the record may take it, and some assignment of the group's
// values to its records in which everyone may take what he gets gives it to him (Li and Li,
// "Injector", ICDE 2008, section V, definition 1). The paper's check (figure 1) looks for an
// assignment for every record with every value, O(n⁴·edges) a group.
//
// Here: when the knowledge is true of the data, the true values are an assignment. The distinct
// values of the group are nodes, with an arc a → b where some record that has a may take b. A
// record that has a can take b exactly when it may, and b leads back to a: then the values go round
// along the circle. So it can when a and b are in one strongly connected component. Where the
// knowledge contradicts the data (someone has an impossible value), an assignment is looked for
// first (Hopcroft and Karp's phases, on types of records with their counts), and the arcs start
// from what it gives.
//
// Cost of a group: O(types · values/64 + values²), and nothing but O(types · values/64) where
// nobody's impossible values occur in it.
//
// Monotone: where the union of two groups is taken, assignments of the two together are one of the
// union, values stay present and arcs stay, so components only grow and no record loses a valid
// value. Groups of records that have what they may have always have an assignment; so for true
// knowledge, what meets the requirement still does when anyone is added. It is not so when a
// record is added that contradicts the knowledge: that one may leave the group without any
// assignment (matching_test.cpp has an example; the paper, which mines its rules from the data,
// need not say so).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "table/codes.h"

namespace throng {

// Which records cannot have which values: distinct sets of values, as words of 64 bits.
class ImpossibleSets {
 public:
  // Of a column with so many values. Set 0 is empty.
  explicit ImpossibleSets(std::size_t values);

  // The number of the set; the same one for the same set. `words` has words() of them.
  std::uint32_t add(std::span<const std::uint64_t> words);
  // The same of values.
  std::uint32_t add_values(std::span<const Code> values);

  std::size_t values() const { return values_; }
  std::size_t words() const { return words_; }
  std::size_t size() const { return bits_.size() / words_; }
  const std::uint64_t* set(std::uint32_t number) const {
    return bits_.data() + std::size_t{number} * words_;
  }
  bool has(std::uint32_t number, Code value) const {
    return ((set(number)[value / 64] >> (value % 64)) & 1) != 0;
  }

 private:
  std::size_t values_ = 0;
  std::size_t words_ = 1;
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint32_t> slots_;  // open addressing over the sets
};

// Records with the same value and the same impossible values are of one type: all that matching
// asks about them.
struct RecordTypes {
  explicit RecordTypes(std::size_t values) : sets(values) {}

  struct Type {
    Code value = 0;
    std::uint32_t set = 0;
    bool operator==(const Type&) const = default;
  };
  ImpossibleSets sets;
  std::vector<Type> types;
  std::vector<std::uint32_t> type_of;  // by entry of a frequency list

  // Whether someone of this type has what the knowledge says he cannot have.
  bool contradicts(std::uint32_t type) const {
    return sets.has(types[type].set, types[type].value);
  }
};

// The types of entries that have these values and impossible sets.
RecordTypes make_record_types(ImpossibleSets sets, std::span<const Code> values,
                              std::span<const std::uint32_t> set_of);

// A group of records by their types. add(), remove() and clear() cost O(1), and what was added, as
// in Tally; so it can go along inside the loops of algorithms.
class MatchingTally {
 public:
  explicit MatchingTally(const RecordTypes& types);

  void add(std::uint32_t type, std::uint64_t count = 1);
  void remove(std::uint32_t type, std::uint64_t count = 1);  // that were added
  void clear();

  std::uint64_t records() const { return records_; }
  std::size_t distinct() const { return distinct_; }
  std::uint64_t count(Code value) const { return value_counts_[value]; }
  // How often the most frequent value occurs.
  std::uint64_t most() const;

  // Whether each record has at least l valid values; a group of none does not.
  bool met(std::size_t l);

  // Everything about the group: by type that occurs.
  struct Found {
    std::uint32_t type = 0;
    std::uint64_t records = 0;
    // Values that occur and that it may take: the paper's simple requirement, which does not see
    // that the others of the group need values too. Never less than `valid`.
    std::uint32_t possible = 0;
    std::uint32_t valid = 0;
  };
  struct Result {
    bool contradiction = false;  // no assignment: then no value is valid for anyone
    std::vector<Found> types;
  };
  Result result();
  // Takes out who has fewer than l valid values, until everyone who is left has enough: what is
  // left is the largest part of the group that meets it, for the union of parts that do does. Those
  // taken out, by type, ascending. Knowledge must be true of the records.
  std::vector<Found> remove_hopeless(std::size_t l);
  // Of a group that does not meet l yet: false only where a record of this type brings it no
  // nearer. While someone has fewer than l values that occur and that he may take, only a new value
  // that he may take does; after that, a new value or a new arc.
  bool helped_by(std::uint32_t type, std::size_t l) const;
  // The words of the values that are valid for a type that occurs; after result().
  std::vector<std::uint64_t> valid_values(std::uint32_t type) const;

 private:
  bool collect();  // what occurs; false: no one's impossible values do, nor does a contradiction
  bool solve();    // components; false: there is no assignment
  bool assign();
  void find_components();
  void valid_words(std::size_t index, std::uint64_t* words) const;
  const std::uint64_t* impossible(std::size_t index) const {
    return types_->sets.set(types_->types[here_[index]].set);
  }

  const RecordTypes* types_;
  std::size_t words_;
  std::uint64_t records_ = 0;
  std::size_t distinct_ = 0;
  std::vector<std::uint64_t> type_counts_, value_counts_;
  std::vector<std::uint32_t> seen_types_;  // since clear(), each once
  std::vector<char> is_seen_;
  std::vector<Code> seen_values_;
  std::vector<char> is_value_seen_;

  // Of the group as it is asked: types and values that occur, and who holds what in an assignment.
  std::vector<std::uint32_t> here_;
  std::vector<Code> values_here_;
  std::vector<std::uint32_t> place_;  // by value: in values_here_
  std::vector<std::uint64_t> present_;
  bool contradicted_ = false;
  struct Held {
    std::uint32_t index = 0;  // in here_
    std::uint32_t place = 0;  // in values_here_
  };
  std::vector<Held> held_;
  std::vector<std::uint32_t> component_;         // by place
  std::vector<std::uint64_t> component_words_;   // by component, of values
  std::vector<std::uint64_t> arcs_, back_arcs_;  // by place, of places
  std::vector<std::uint32_t> finished_, stack_;
  std::vector<std::uint64_t> unvisited_, words_scratch_;
};

}  // namespace throng
