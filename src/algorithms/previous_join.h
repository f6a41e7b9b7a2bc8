// The releases that went out before, as the records of the current table T1 can be joined with them
// (Wang and Fung 2006, sections 3.3, 5 and 7): static, grouped by their join columns, and never
// joined with rows.
//
// A tuple is what T1's records have on the join columns while T1 is specialized: a node of each. It
// knows the blocks of each previous release that it matches; to specialize a tuple is to hand these
// lists down to its children, in time of what the children get. A match is what the audit says it
// is (audit/join.h), found here by other code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "policy/policy.h"
#include "release/release.h"

namespace throng {

// Positions low to high of a column in the previous releases.
struct Span {
  Code low = 0, high = 0;
  bool meets(const Span& other) const { return low <= other.high && other.low <= high; }
  bool within(const Span& other) const { return other.low <= low && high <= other.high; }
};

// A column of T1 that a match depends on: what its nodes (of a plain column: its values) are in the
// previous releases, and which of them an `inconsistent` pair of the policy lists.
struct JoinColumn {
  std::string name;
  bool from_root = false;                 // every tuple begins at its node 0, `*`
  std::vector<Span> spans;                // by node; empty where no previous release has it
  std::vector<std::vector<char>> listed;  // by side of a pair that names it: by node
  std::vector<std::size_t> pairs;         // which pair, twice its number; one more: its other side
};

// A guarded value of a linkability requirement: entry by entry, `y: test` being each of its values.
struct LinkGuard {
  std::size_t entry = 0;
  std::string column, text;
  double max = 1;
};

class PreviousJoin {
 public:
  using Tuple = std::uint32_t;
  static constexpr Tuple kRoot = 0;

  // What T1's records with one tuple find in the previous releases, for one requirement.
  struct Cell {
    std::uint32_t x = 0;  // the values on x
    std::uint32_t y = 0;  // the values on y, or of linkability the set of guards that they are in
    std::uint64_t weight = 0;
  };
  struct Matches {
    std::vector<Cell> cells;  // in the order of x and y
    bool any = false;
    std::uint64_t least_weight = 0, least_distinct = 0;  // of one x: rows, values on y
    std::vector<double> shares;                          // by guard: the largest of one x
  };

  // `guards`: by requirement. The releases must outlive it and share their domains.
  PreviousJoin(std::span<const Release> previous, std::vector<JoinColumn> columns,
               std::vector<XyRequirement> asked, std::vector<std::vector<LinkGuard>> guards,
               const std::vector<InconsistentPair>& inconsistent);
  ~PreviousJoin();
  PreviousJoin(const PreviousJoin&) = delete;
  PreviousJoin& operator=(const PreviousJoin&) = delete;

  std::size_t columns() const { return columns_.size(); }
  const JoinColumn& column(std::size_t number) const { return columns_[number]; }

  // The tuples of these nodes of a column, where the tuple had one above them: disjoint, from left
  // to right, the same whenever it is asked.
  const std::vector<Tuple>& refine(Tuple tuple, std::size_t column,
                                   std::span<const std::uint32_t> nodes);
  bool matched(Tuple tuple);
  const Matches& matches(std::size_t requirement, Tuple tuple);

  std::size_t x_count(std::size_t requirement) const { return x_count_[requirement]; }
  // The guards of a set; what another set adds to it.
  const std::vector<std::uint32_t>& guards(std::uint32_t set) const { return sets_[set]; }
  std::uint32_t set_of(std::vector<std::uint32_t> guards);
  std::uint32_t unite(std::uint32_t one, std::uint32_t other);

  // Takes back tuples: all that were made since, below this column of a tuple.
  std::size_t here() const { return tuples_.size(); }
  void forget(std::size_t since, Tuple tuple, std::size_t column);

  // Marks what a tuple matches; records of the previous releases that nothing marked dangle.
  void mark(Tuple tuple);
  std::vector<std::uint64_t> unmarked() const;  // by release

 private:
  struct Side;
  using List = std::shared_ptr<const std::vector<std::uint32_t>>;
  struct Node {
    std::vector<List> lists;                   // by side: blocks
    std::vector<std::vector<Tuple>> children;  // by column
    int matched = -1;                          // unknown
  };
  // Calls `use` with one block of each side, all of which match each other; stops where it says no.
  template <typename Use>
  bool combine(const Node& node, std::vector<std::uint32_t>& blocks, const Use& use) const;
  bool fits(const std::vector<std::uint32_t>& blocks) const;
  // The blocks that no pair forbids to a node of T1.
  static List consistent(const Side& side, List list, const JoinColumn& by, std::uint32_t node);
  void add_cells(std::size_t requirement, const std::vector<std::uint32_t>& blocks,
                 std::vector<Cell>& cells);
  void summarize(std::size_t requirement, Matches& matches) const;
  std::uint32_t number_of(std::size_t requirement, bool y, std::uint32_t one, std::uint32_t other);

  std::vector<JoinColumn> columns_;
  std::vector<XyRequirement> asked_;
  std::vector<std::vector<LinkGuard>> guards_;
  std::vector<std::unique_ptr<Side>> sides_;
  std::vector<Node> tuples_;
  std::vector<std::unordered_map<Tuple, Matches>> matches_;  // by requirement
  std::vector<std::size_t> x_count_;
  // With several previous releases: the numbers of combinations, by requirement and for x and y.
  std::vector<std::unordered_map<std::uint64_t, std::uint32_t>> numbers_;
  std::vector<std::vector<std::uint32_t>> sets_;
  std::unordered_map<std::string, std::uint32_t> set_numbers_;
};

}  // namespace throng
