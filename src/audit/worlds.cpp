#include "audit/worlds.h"

#include <stdexcept>

#include "audit/bounds.h"

namespace throng {
namespace {

using Counts = Bounds::Counts;

// Worlds by search: cells are fixed one after the other, and after each one the bounds follow.
class Search {
 public:
  explicit Search(const Bounds& bounds) : bounds_(bounds), seen_(bounds.cells(), 0) {}

  // Narrows `counts` to one world on the cells `among`, which no sum may tie to any other open
  // cell. False, and `counts` are of no use: there is none.
  bool find(Counts& counts, const std::vector<std::uint32_t>& among) {
    // Parts that no sum ties together cannot disturb each other: each is settled once and for all.
    for (const std::vector<std::uint32_t>& part : open_parts(counts, among)) {
      std::uint32_t narrowest = part[0];
      for (const std::uint32_t cell : part) {
        if (counts.high[cell] - counts.low[cell] < counts.high[narrowest] - counts.low[narrowest])
          narrowest = cell;
      }
      bool found = false;
      for (std::uint32_t count = counts.low[narrowest]; !found && count <= counts.high[narrowest];
           ++count) {
        Counts tried = counts;
        tried.low[narrowest] = tried.high[narrowest] = count;
        found = bounds_.propagate(tried, narrowest) && find(tried, part);
        if (found) counts = std::move(tried);
      }
      if (!found) return false;
    }
    return true;
  }

  // The open cells of `among` (all cells reached from them, too), as parts that no sum ties
  // together.
  std::vector<std::vector<std::uint32_t>> open_parts(const Counts& counts,
                                                     const std::vector<std::uint32_t>& among) {
    const auto is_open = [&](std::uint32_t cell) { return counts.low[cell] < counts.high[cell]; };
    std::vector<std::vector<std::uint32_t>> parts;
    for (const std::uint32_t first : among) {
      if (!is_open(first) || seen_[first] != 0) continue;
      std::vector<std::uint32_t> part = {first};
      seen_[first] = 1;
      for (std::size_t i = 0; i < part.size(); ++i) {
        bounds_.for_each_neighbour(part[i], [&](std::uint32_t cell) {
          if (!is_open(cell) || seen_[cell] != 0) return;
          seen_[cell] = 1;
          part.push_back(cell);
        });
      }
      parts.push_back(std::move(part));
    }
    for (const auto& part : parts)
      for (const std::uint32_t cell : part) seen_[cell] = 0;
    return parts;
  }

 private:
  const Bounds& bounds_;
  std::vector<char> seen_;
};

// By record, the values of its group's cells that are possible.
std::vector<std::vector<Code>> values_by_record(const History& history, const Bounds& bounds,
                                                const std::vector<char>& is_possible) {
  std::vector<std::vector<Code>> values(history.records());
  for (std::size_t record = 0; record < history.records(); ++record) {
    const std::uint32_t group = bounds.group_of(record);
    if (group == Bounds::kNone) continue;
    for (std::uint32_t cell = bounds.first_cell(group); cell < bounds.first_cell(group + 1); ++cell)
      if (is_possible[cell] != 0) values[record].push_back(bounds.value(cell));
  }
  return values;
}

}  // namespace

std::vector<std::vector<Code>> possible_values(const History& history) {
  Bounds bounds(history);
  if (bounds.is_too_large()) throw std::length_error("a history is too large to search for worlds");
  bounds.tighten();
  const Counts& root = bounds.counts();
  std::vector<char> is_possible(bounds.cells(), 0);
  const auto note = [&](const Counts& world, const std::vector<std::uint32_t>& cells) {
    for (const std::uint32_t cell : cells) {
      if (world.low[cell] > 0) is_possible[cell] = 1;
    }
  };
  std::vector<std::uint32_t> all(bounds.cells());
  for (std::uint32_t cell = 0; cell < all.size(); ++cell) all[cell] = cell;
  note(root, all);
  Search search(bounds);
  for (const std::vector<std::uint32_t>& part : search.open_parts(root, all)) {
    for (const std::uint32_t cell : part) {
      if (is_possible[cell] != 0) continue;
      Counts world = root;
      world.low[cell] = 1;
      // The rest of the history has a world whatever this part does.
      if (bounds.propagate(world, cell) && search.find(world, part)) note(world, part);
    }
  }
  return values_by_record(history, bounds, is_possible);
}

std::vector<std::vector<Code>> bounded_values(const History& history) {
  Bounds bounds(history);
  bounds.tighten();
  std::vector<char> is_possible(bounds.cells());
  for (std::size_t cell = 0; cell < is_possible.size(); ++cell)
    is_possible[cell] = bounds.counts().high[cell] > 0 ? 1 : 0;
  return values_by_record(history, bounds, is_possible);
}

}  // namespace throng
