// What follows for each record from all releases together, by bounds: the cells and sums of a
// history.
//
// Records that were in the same class of every release cannot be told apart: they are one group. A
// cell says how many records of a group have a value. Known sums of cells are: the size of a group;
// how often a class of a release has a value. A world is a matrix of cells that keeps all sums.
//
// Each cell has a lowest and a highest count, at first 0 and what its group and classes have room
// for. They are tightened against the sums (the shuttle algorithm of the disclosure control of
// tables) and against sums that follow from them: of what a class has beyond the classes inside it,
// of what classes together have beyond a class that lies in them. Bounds hold in every world; they
// need not be reached in any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "audit/history.h"

namespace throng {

class Bounds {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Counts {
    std::vector<std::uint32_t> low, high;  // by cell
  };

  explicit Bounds(const History& history);

  // Tightens until nothing changes, or for kRounds rounds of derived sums.
  void tighten();

  // Beyond kMostMembers cells in sums there are only the first bounds, and no sums.
  bool is_too_large() const { return cells() * (releases_ + 1) > kMostMembers; }

  // The group of a record; kNone: it is in no release.
  std::uint32_t group_of(std::size_t record) const { return group_of_[record]; }
  std::size_t groups() const { return cell_begin_.size() - 1; }
  // The cells of a group are `first_cell(group)` up to that of the next; those of values that one
  // of its classes has not are left out.
  std::uint32_t first_cell(std::uint32_t group) const { return cell_begin_[group]; }
  std::size_t cells() const { return value_.size(); }
  Code value(std::uint32_t cell) const { return value_[cell]; }
  const Counts& counts() const { return counts_; }

  // For who looks for worlds: tightens `counts`, of which one cell was changed, against the known
  // sums (and those that tighten() derived). False: no world has such counts. If every cell is
  // fixed and this is true, they are a world.
  bool propagate(Counts& counts, std::uint32_t changed) const;
  template <typename Use>
  void for_each_neighbour(std::uint32_t cell, const Use& use) const {
    for_each_sum(cell, [&](std::uint32_t sum) {
      for (const std::uint32_t member : members(sum)) use(member);
    });
  }

 private:
  class Queue;
  class Derivation;
  static constexpr int kRounds = 4;
  static constexpr std::size_t kMostMembers = std::size_t{1} << 26;

  std::vector<std::uint32_t> make_groups(const History& history);
  void add_sum(std::span<const std::uint32_t> cells, std::uint64_t total);
  bool visit(std::uint32_t sum, Counts& counts, std::vector<std::uint32_t>& changed) const;
  bool settle(Counts& counts, Queue& queue) const;

  std::span<const std::uint32_t> members(std::size_t sum) const {
    return {member_.data() + member_begin_[sum], member_.data() + member_begin_[sum + 1]};
  }
  template <typename Use>
  void for_each_sum(std::uint32_t cell, const Use& use) const {
    use(group_of_cell_[cell]);
    for (std::size_t release = 0; release < releases_; ++release) {
      const std::uint32_t sum = sum_of_[cell * releases_ + release];
      if (sum != kNone) use(sum);
    }
    for (const std::uint32_t sum : derived_of_[cell]) use(sum);
  }

  std::size_t releases_ = 0;
  std::vector<std::uint32_t> group_of_;    // by record
  std::vector<std::uint32_t> group_size_;  // by group
  std::vector<std::uint32_t> cell_begin_;  // by group
  std::vector<std::uint32_t> group_of_cell_;
  std::vector<Code> value_;  // by cell
  Counts counts_;

  // Sums: first one a group, then the values of the classes of each release, then what was derived.
  std::vector<std::uint64_t> total_;
  std::vector<std::size_t> member_begin_;
  std::vector<std::uint32_t> member_;  // cells
  std::size_t first_derived_ = 0;
  std::vector<std::uint32_t> sum_of_;                   // by cell and release
  std::vector<std::vector<std::uint32_t>> derived_of_;  // by cell
};

}  // namespace throng
