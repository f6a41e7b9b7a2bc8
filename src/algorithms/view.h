// One requirement's view of the table that is being specialized: the records that differ in what
// the requirement looks at, partitioned by their values on x (Tree1 and the X-tree of Wang and Fung
// 2006, section 5, in one: all rows of the join with one x come from one partition).
//
// It knows how every partition stands, and how it would stand after each specialization of one of
// its values; both are found in one pass over its entries when the partition is made, and never
// again. Identical records are one weighed entry; entries of a partition are a range of one array,
// and stay in the order of their values on y while they are divided, so that distinct values are
// counted by comparing neighbours (section 5.4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <unordered_map>
#include <vector>

#include "algorithms/attribute_tree.h"
#include "algorithms/previous_join.h"
#include "policy/policy.h"

namespace throng {

// How a group, or the worst of many, stands towards a requirement.
struct Standing {
  // The larger the safer: A_Y(X), minus L_Y(X), or the l of a diversity. Infinite: no group.
  double level = std::numeric_limits<double>::infinity();
  bool holds = true;

  void add(const Standing& other) {
    level = other.level < level ? other.level : level;
    holds = holds && other.holds;
  }
};

// What a group's records are measured by.
struct Measure {
  enum class Kind {
    records,  // how many
    pairs,    // rows of the join
    values,   // distinct values on y
    linkability,
    diversity  // of the values on y, by a variant
  };
  Kind kind = Kind::records;
  double k = 1;
  Diversity diversity;
  std::size_t requirement = 0;      // of the policy's (X,Y)-requirements
  std::vector<double> max;          // of linkability, by guard
  std::vector<char> guard_is_here;  // of linkability, by guard: T1 has its column
  PreviousJoin* join = nullptr;
  bool joined = false;    // what was published before matters
  bool one_tuple = true;  // all records of a partition have one tuple: x has all join columns
  bool monotone = true;   // once broken it stays broken: the lemmas hold
};

// The part of a view that never changes.
struct ViewTable {
  struct Column {
    std::size_t attribute = 0;  // of the trees
    bool splits = true;         // it is in x; else a node of it changes a tuple or a value on y
    bool changes_y = false;
    std::size_t join = kNone;  // column of the join
    static constexpr std::size_t kNone = ~std::size_t{0};
    std::vector<std::vector<char>> in;  // of a y of linkability, by guard: by node whether it is in
    std::vector<Code> positions;        // by entry
  };
  Measure measure;
  std::vector<Column> columns;
  std::vector<std::uint32_t> weights, y, tuple;  // by entry
  std::vector<std::uint32_t> begin;              // of the first partitions: those of fixed values
};

// Which node each position of an attribute is in, and which child of it.
struct CutMap {
  std::vector<AttributeTree::Node> node;
  std::vector<std::uint32_t> child;
};

// The nodes whose specialization nobody will ask for again: by attribute, by node.
using Closed = std::vector<std::vector<char>>;

class View {
 public:
  using Node = AttributeTree::Node;
  using Trees = std::vector<AttributeTree>;
  using Cuts = std::vector<CutMap>;  // by attribute

  View(std::shared_ptr<const ViewTable> table, Trees& trees, const Cuts& cuts);

  const Measure& measure() const { return table_->measure; }
  const Standing& standing() const { return all_; }
  bool looks_at(std::size_t attribute) const { return find(attribute) < table_->columns.size(); }
  // How it would stand with this node of the attribute specialized.
  Standing after(std::size_t attribute, Node node, Trees& trees, const Cuts& cuts);
  // Specializes a node; `cuts` have its children already.
  void specialize(std::size_t attribute, Node node, Trees& trees, const Cuts& cuts,
                  const Closed& closed);

  // Σ |part|², and how much less it is with a node specialized (discernibility). The measure is
  // that of records.
  double squares() const;
  double squares_saved(std::size_t attribute, Node node, Trees& trees, const Cuts& cuts) const;
  // How many records have the most frequent y of their part; y is fixed. And how many would, if all
  // that is open were specialized to its values: no table that can be reached from here has more.
  double told_right() const;
  double most_told_right(const Cuts& cuts, const Closed& open) const;
  std::size_t partitions() const { return parts_.size(); }

 private:
  struct Part {
    std::uint32_t begin = 0, end = 0;
  };
  class Counter;

  std::size_t find(std::size_t attribute) const;
  std::size_t width() const { return table_->columns.size(); }
  void stand(std::size_t part, Counter& counter);
  void try_columns(std::size_t part, Trees& trees, const Cuts& cuts, const Closed& closed,
                   Counter& counter);
  void split(std::size_t part, std::size_t column, Node node, Trees& trees, const Cuts& cuts);
  void sum_up();
  // All nodes of a column at once.
  void find_after(std::size_t column, Trees& trees, const Cuts& cuts);
  Standing changed(std::size_t column, Node node, Trees& trees, const Cuts& cuts);
  std::uint32_t tuple_below(std::uint32_t tuple, const ViewTable::Column& column, Node node,
                            std::uint32_t child, Trees& trees) const;
  std::uint32_t y_below(std::uint32_t y, std::size_t column, Node child);

  std::shared_ptr<const ViewTable> table_;
  std::vector<std::uint32_t> order_;      // entries
  std::vector<std::uint32_t> tuple_, y_;  // by entry
  std::vector<Part> parts_;
  std::vector<Standing> standing_;  // by part
  std::vector<Node> nodes_;         // by part and column: of columns that split
  std::vector<Standing> trial_;     // the same: with that node specialized
  std::vector<std::vector<std::vector<std::uint32_t>>> links_;  // by column, by node: parts
  std::vector<std::vector<Standing>> after_;                    // by column, by node
  std::vector<char> fresh_;                                     // by column: after_ is known
  std::unordered_map<std::uint64_t, std::uint32_t> y_numbers_;
  Standing all_;
};

}  // namespace throng
