// From one world to the others: by how much can counts shift when all sums stay as they are?
//
// A world is given as cells with counts; every sum says that the shifts of its cells add up to 0. A
// cell can rise or fall at first as its bounds allow. The question is which cells at their lowest
// count rise in some world.
//
// First the sums are reduced: a cell alone in a sum stays; two in a sum shift against each other
// and become one; a sum that lies inside another is taken from it. Then each piece that is left,
// tied together by sums, is looked at. Where every cell is in at most two sums and the sums can be
// given signs so that no cell enters both of its two with the same one, the piece is a network: a
// sum is a node, a cell is an arc, and a shift is a circulation in the residual graph of the given
// world. Circulations are made of cycles, so a cell that cannot fall can rise exactly when its arc
// lies inside a strongly connected component; no flow has to be found. In other pieces the answer
// is left open.
//
// Cost: linear in the cells of all sums for each time that a sum shrinks, times the sums of a cell;
// beyond `most_steps` sums are no longer taken from each other. That never makes an answer wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace throng {

struct Shifts {
  std::vector<char> can_rise, can_fall;     // by cell
  std::vector<std::uint32_t> sum_begin{0};  // of the sum after the last one too
  std::vector<std::uint32_t> members;       // cells

  std::size_t cells() const { return can_rise.size(); }
  std::size_t sums() const { return sum_begin.size() - 1; }
  void end_sum() { sum_begin.push_back(static_cast<std::uint32_t>(members.size())); }
};

enum class Rise : char {
  never,  // in no world
  can,    // in at least one
  open    // not settled here
};

// By cell: whether it rises in some world. Of cells that can fall nothing is said: open.
std::vector<Rise> settle_shifts(const Shifts& shifts, std::size_t most_steps);

}  // namespace throng
