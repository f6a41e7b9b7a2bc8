// Which records of releases match: found for blocks of records that have the same values on all
// join columns, by an index over these columns. join.h says what a match is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "audit/block_index.h"
#include "audit/projection.h"
#include "policy/policy.h"
#include "release/release.h"

namespace throng {

// By side a list of blocks: every combination of one of each list matches. The list of T1 has one.
using BlockMatches = std::vector<std::vector<std::uint32_t>>;

// A release of the join, its records in blocks.
struct JoinSide {
  std::size_t release = 0;  // in the order given
  Projection projection;
  std::vector<std::size_t> join;        // columns; those that are tested against T1 first
  std::size_t tested = 0;               // how many those are
  std::vector<std::uint32_t> block_of;  // by record
  std::vector<std::vector<std::uint32_t>> values;  // by join column, by block
  std::size_t blocks = 0;

  const Projection::Column& column(std::size_t number) const {
    return projection.columns[join[number]];
  }
  const Cover& cover(std::size_t number, std::uint32_t block) const {
    return column(number).values[values[number][block]];
  }
};

class BlockJoin {
 public:
  // The releases must outlive it. Throws InputError as audit_join() does.
  BlockJoin(std::span<const Release> releases, const Policy& policy);

  const std::vector<JoinSide>& sides() const { return sides_; }  // T1, T2, …
  const std::vector<std::string>& join_columns() const { return join_names_; }
  std::uint64_t touched() const { return touched_; }

  // Calls `use` for what a block of T1 matches, each tuple of blocks in just one of the
  // BlockMatches.
  void match(std::uint32_t block, const std::function<void(const BlockMatches&)>& use);

  // A column in the sides that have it: side, and number of the join column (of no meaning where
  // the column is none).
  struct Copy {
    std::size_t side = 0, column = 0;
  };
  std::vector<Copy> copies(const std::string& name) const;

 private:
  // What two sides must fulfil. Columns are numbers of join columns.
  struct Link {
    struct Ban {
      std::size_t one = 0, other = 0;      // columns
      std::vector<bool> of_one, of_other;  // by value: whether it lies within what is listed
    };
    std::vector<std::pair<std::size_t, std::size_t>> common;
    std::vector<Ban> bans;
  };

  struct Block {
    std::size_t side = 0;
    std::uint32_t number = 0;
  };

  void name_columns(std::span<const Release> releases, const Policy& policy);
  void check_domains() const;
  void find_join_columns(const Policy& policy);
  static void make_blocks(JoinSide& side);
  void make_links(const Policy& policy);
  void add_tests(const Policy& policy, const Copy& one, const Copy& other);

  void find(std::uint32_t block, std::size_t side, std::vector<std::uint32_t>& found);
  bool banned(const Block& one, const Block& other, std::size_t level) const;
  bool fits(const Block& one, const Block& other);
  bool settled(std::uint32_t block) const;
  bool all_meet(const std::vector<std::uint32_t>& tuple) const;
  void extend(const BlockMatches& lists, std::vector<std::uint32_t>& tuple,
              const std::function<void(const BlockMatches&)>& use);

  std::vector<std::string> names_;  // that can matter
  std::vector<std::string> join_names_;
  std::vector<JoinSide> sides_;
  std::vector<std::vector<Link>> links_;
  std::vector<BlockIndex> indexes_;
  std::vector<std::vector<Copy>> many_;  // the columns that three sides or more have
  std::uint64_t touched_ = 0;
};

}  // namespace throng
