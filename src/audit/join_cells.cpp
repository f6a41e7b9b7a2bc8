#include "audit/join_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "throng/error.h"

namespace throng {
namespace {

// By value of a column: the guarded values that it lies within.
struct Guard {
  const Projection::Column* column = nullptr;
  std::vector<std::vector<std::uint32_t>> of_value;
};

std::vector<Guard> guards_of(const Projection& projection, const XyRequirement& asked,
                             const std::vector<GuardedValue>& guarded) {
  std::vector<Guard> guards;
  for (std::uint32_t i = 0; i < guarded.size(); ++i) {
    const auto number = projection.find(asked.guarded[guarded[i].entry].column);
    if (guarded[i].copies != 1 || !number) continue;
    const Projection::Column& column = projection.columns[*number];
    if (guards.empty() || guards.back().column != &column)
      guards.push_back({&column, std::vector<std::vector<std::uint32_t>>(column.values.size())});
    // A plain column's values are its codes: no need to try them all.
    const std::size_t first = column.plain != nullptr ? guarded[i].cover.low : 0;
    const std::size_t end =
        column.plain != nullptr ? guarded[i].cover.high + std::size_t{1} : column.values.size();
    for (std::size_t value = first; value < end; ++value) {
      if (within(column.values[value], guarded[i].cover))
        guards.back().of_value[value].push_back(i);
    }
  }
  return guards;
}

// Adds `counts`, those of one y as one, and empties it.
void append(std::vector<JoinCells::Count>& counts, std::vector<JoinCells::Count>& to) {
  std::sort(
      counts.begin(), counts.end(),
      [](const JoinCells::Count& one, const JoinCells::Count& other) { return one.y < other.y; });
  const std::size_t first = to.size();
  for (const JoinCells::Count& count : counts) {
    if (to.size() == first || to.back().y != count.y) {
      to.push_back(count);
    } else {
      to.back().weight += count.weight;
    }
  }
  counts.clear();
}

}  // namespace

std::vector<GuardedValue> guarded_values(const BlockJoin& join, const XyRequirement& asked,
                                         const Policy& policy, std::deque<Region>& storage) {
  std::vector<GuardedValue> result;
  for (std::size_t entry = 0; entry < asked.guarded.size(); ++entry) {
    const XyRequirement::Guarded& guarded = asked.guarded[entry];
    const std::vector<BlockJoin::Copy> copies = join.copies(guarded.column);
    std::set<std::string> known;
    for (const BlockJoin::Copy& copy : copies) {
      const Projection& projection = join.sides()[copy.side].projection;
      const Projection::Column& column =
          projection.columns[projection.find(guarded.column).value()];
      if (guarded.value) {
        storage.emplace_back();
        try {
          if (const auto cover = column.find(*guarded.value, storage.back()))
            result.push_back({entry, *guarded.value, *cover, copies.size()});
        } catch (const InputError& error) {
          throw InputError(fmt::format("{}:{}: {}", policy.source, asked.line, error.what()));
        }
        break;  // the copies have one domain
      }
      std::vector<bool> occurs(column.values.size());
      for (const std::uint32_t value : column.of) occurs[value] = true;
      for (std::size_t value = 0; value < occurs.size(); ++value) {
        if (!occurs[value]) continue;
        std::string text = column.text(value);
        if (known.insert(text).second)
          result.push_back({entry, std::move(text), column.values[value], copies.size()});
      }
    }
  }
  return result;
}

JoinCells make_join_cells(const JoinSide& side, const XyRequirement& asked,
                          const std::vector<GuardedValue>& guarded) {
  JoinCells cells;
  const Projection& projection = side.projection;
  Ranks x(projection.size()), y(projection.size());
  const auto refine = [&](Ranks& ranks, const std::string& name) {
    if (const auto column = projection.find(name))
      ranks.refine(projection.columns[*column].of, projection.columns[*column].values.size());
  };
  for (const std::string& name : asked.x) refine(x, name);
  for (const std::string& name : asked.y) refine(y, name);
  cells.y_count = y.count;
  cells.example = x.examples();
  const std::vector<Guard> guards = guards_of(projection, asked, guarded);

  std::vector<std::uint32_t> order(projection.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t one, std::uint32_t other) {
    if (side.block_of[one] != side.block_of[other])
      return side.block_of[one] < side.block_of[other];
    return x.of[one] < x.of[other];
  });
  cells.begin.assign(side.blocks + 1, 0);
  std::vector<JoinCells::Count> counts;  // of the last cell
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t record = order[i], block = side.block_of[record];
    if (i == 0 || block != side.block_of[order[i - 1]] || x.of[record] != x.of[order[i - 1]]) {
      append(counts, cells.counts);
      cells.count_begin.push_back(static_cast<std::uint32_t>(cells.counts.size()));
      cells.x.push_back(x.of[record]);
      cells.weight.push_back(0);
      ++cells.begin[block + 1];
    }
    cells.weight.back() += projection.weights[record];
    if (asked.kind == XyRequirement::Kind::anonymity)
      counts.push_back({y.of[record], projection.weights[record]});
    for (const Guard& guard : guards) {
      for (const std::uint32_t number : guard.of_value[guard.column->of[record]])
        counts.push_back({number, projection.weights[record]});
    }
  }
  append(counts, cells.counts);
  cells.count_begin.push_back(static_cast<std::uint32_t>(cells.counts.size()));
  std::partial_sum(cells.begin.begin(), cells.begin.end(), cells.begin.begin());
  return cells;
}

}  // namespace throng
