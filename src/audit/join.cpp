#include "audit/join.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <unordered_map>

#include "audit/block_join.h"
#include "audit/join_cells.h"
#include "throng/error.h"

namespace throng {
namespace {

__extension__ using Wide = unsigned __int128;  // rows of the join of a few tables

constexpr double kRounding = 1e-9;

std::uint64_t narrow(Wide count) {
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  return count > kMost ? kMost : static_cast<std::uint64_t>(count);
}

class Measure {
 public:
  Measure(const BlockJoin& join, const XyRequirement& asked, const Policy& policy,
          std::size_t table_cells)
      : join_(join), asked_(asked) {
    guarded_ = guarded_values(join, asked, policy, regions_);
    for (const auto& guarded : asked.guarded) copies_.push_back(join.copies(guarded.column));
    best_links_.resize(asked.guarded.size());
    for (const JoinSide& side : join.sides())
      cells_.push_back(make_join_cells(side, asked, guarded_));
    direct_ = std::all_of(join.join_columns().begin(), join.join_columns().end(),
                          [&](const std::string& name) {
                            return std::find(asked.x.begin(), asked.x.end(), name) != asked.x.end();
                          });
    if (direct_) {
      find_extremes();
    } else {
      find_width(table_cells);
    }
  }

  // x has all join columns: each value on x is in one tuple of blocks.
  bool direct() const { return direct_; }

  void add(const BlockMatches& lists) {
    Wide groups = 1;
    std::vector<std::uint32_t> least(lists.size());  // cells
    Wide value = 1;
    for (std::size_t i = 0; i < lists.size(); ++i) {
      std::uint64_t cells = 0;
      std::uint32_t best = lists[i][0];
      for (const std::uint32_t block : lists[i]) {
        cells += cells_[i].begin[block + 1] - cells_[i].begin[block];
        if (figure(i, least_[i][block]) < figure(i, least_[i][best])) best = block;
      }
      groups *= cells;
      least[i] = least_[i][best];
      value *= figure(i, least[i]);
    }
    groups_ += groups;
    if (asked_.kind == XyRequirement::Kind::anonymity) return offer(value, x_of(least));
    for (std::size_t i = 0; i < lists.size(); ++i) {
      for (const std::uint32_t block : lists[i]) {
        if (seen_[i][block]) continue;
        seen_[i][block] = true;
        std::vector<std::uint32_t> cells = least;
        for (std::uint32_t cell = cells_[i].begin[block]; cell < cells_[i].begin[block + 1];
             ++cell) {
          for (const JoinCells::Count& count : cells_[i].counts_of(cell)) {
            cells[i] = cell;
            offer_link(count.y, count.weight, cells_[i].weight[cell], cells);
          }
        }
      }
    }
  }

  // Otherwise: counts are kept by value on x, for one value on T1's part of x after the other.
  void add_all(BlockJoin& join) {
    const JoinSide& current = join.sides()[0];
    Ranks parts(current.blocks);
    for (std::size_t column = 0; column < current.join.size(); ++column) {
      const std::string& name = current.projection.columns[current.join[column]].name;
      if (std::find(asked_.x.begin(), asked_.x.end(), name) == asked_.x.end()) continue;
      parts.refine(current.values[column],
                   current.projection.columns[current.join[column]].values.size());
    }
    std::vector<std::vector<std::uint32_t>> blocks(parts.count);
    for (std::uint32_t block = 0; block < current.blocks; ++block)
      blocks[parts.of[block]].push_back(block);
    for (const auto& part : blocks) {
      std::vector<std::vector<BlockMatches>> matches(part.size());
      std::vector<std::pair<std::uint32_t, std::pair<std::size_t, std::uint32_t>>> order;
      for (std::size_t i = 0; i < part.size(); ++i) {
        join.match(part[i], [&](const BlockMatches& lists) { matches[i].push_back(lists); });
        for (std::uint32_t cell = cells_[0].begin[part[i]]; cell < cells_[0].begin[part[i] + 1];
             ++cell) {
          order.push_back({cells_[0].x[cell], {i, cell}});
        }
      }
      std::sort(order.begin(), order.end());
      for (std::size_t i = 0; i < order.size(); ++i) {
        for (const BlockMatches& lists : matches[order[i].second.first])
          accumulate(lists, order[i].second.second);
        if (i + 1 == order.size() || order[i + 1].first != order[i].first) settle();
      }
    }
  }

  XyFinding finding() const {
    XyFinding result;
    result.groups = narrow(groups_);
    if (asked_.kind == XyRequirement::Kind::anonymity) {
      result.anonymity = narrow(best_.value);
      result.holds = groups_ == 0 || best_.value >= asked_.k;
      result.group = group_of(best_.x);
      return result;
    }
    for (std::size_t i = 0; i < best_links_.size(); ++i) {
      const BestLink& best = best_links_[i];
      XyFinding::Link link;
      link.share = best.share;
      if (best.share > 0) {
        link.value = guarded_[best.y].text;
        link.group = group_of(best.x);
      }
      link.holds = best.share <= asked_.guarded[i].max * (1 + kRounding);
      result.holds = result.holds && link.holds;
      if (link.share > result.linkability) {
        result.linkability = link.share;
        result.group = link.group;
      }
      result.links.push_back(std::move(link));
    }
    return result;
  }

 private:
  struct Best {
    Wide value = 0;
    std::vector<std::uint32_t> x;  // by side; empty: none yet
  };
  struct BestLink {
    double share = 0;
    std::uint32_t y = 0;
    std::vector<std::uint32_t> x;
  };
  // What is kept for a value on x.
  struct Group {
    std::vector<std::uint32_t> x;
    Wide total = 0;
    std::uint32_t last_cell = ~std::uint32_t{0};  // of T1, counted last
  };
  struct Entry {
    std::uint32_t group = 0;
    Wide y = 0;
    Wide weight = 0;
    bool operator<(const Entry& other) const {
      return group != other.group ? group < other.group : y < other.y;
    }
  };

  // What a cell of a side adds to A_Y(x) as a factor, where x is in one tuple of blocks.
  std::uint64_t figure(std::size_t side, std::uint32_t cell) const {
    if (asked_.kind == XyRequirement::Kind::linkability) return 1;
    switch (asked_.counted) {
      case XyRequirement::Counted::rows:
        return side == 0 ? cells_[side].weight[cell] : 1;
      case XyRequirement::Counted::pairs:
        return cells_[side].weight[cell];
      case XyRequirement::Counted::values:
        return cells_[side].counts_of(cell).size();
    }
    return 0;
  }

  void find_extremes() {
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const std::size_t blocks = cells_[i].begin.size() - 1;
      least_.emplace_back(blocks);
      seen_.emplace_back(blocks, false);
      for (std::uint32_t block = 0; block < blocks; ++block) {
        std::uint32_t& least = least_[i][block];
        least = cells_[i].begin[block];
        for (std::uint32_t cell = least; cell < cells_[i].begin[block + 1]; ++cell) {
          if (figure(i, cell) < figure(i, least)) least = cell;
        }
      }
    }
  }

  // Whether what can be counted for one value on T1's part of x fits a small table.
  void find_width(Wide most) {
    Wide width = std::max<std::size_t>(guarded_.size(), 1), groups = 1;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      width = std::min(width * cells_[i].y_count, most + 1);
      if (i > 0) groups = std::min(groups * cells_[i].example.size(), most + 1);
    }
    width_ = width * groups <= most ? static_cast<std::size_t>(width) : 0;
  }

  std::vector<std::uint32_t> x_of(const std::vector<std::uint32_t>& cells) const {
    std::vector<std::uint32_t> x(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) x[i] = cells_[i].x[cells[i]];
    return x;
  }

  void offer(Wide value, const std::vector<std::uint32_t>& x) {
    if (best_.x.empty() || value < best_.value) best_ = {value, x};
  }

  bool better(std::uint32_t y, double share) const {
    return share > best_links_[guarded_[y].entry].share;
  }
  void offer_link(std::uint32_t y, Wide having, Wide of, const std::vector<std::uint32_t>& cells) {
    const double share = static_cast<double>(having) / static_cast<double>(of);
    if (better(y, share)) best_links_[guarded_[y].entry] = {share, y, x_of(cells)};
  }

  // A cell of T1 with everything that its block matches.
  void accumulate(const BlockMatches& lists, std::uint32_t cell) {
    std::vector<std::size_t> at(lists.size(), 0);
    std::vector<std::uint32_t> cells(lists.size(), cell), everywhere;
    for (;;) {
      find_common(lists, at, everywhere);
      add_cells(lists, at, 1, cells, everywhere);
      std::size_t i = 1;
      while (i < at.size() && ++at[i] == lists[i].size()) at[i++] = 0;
      if (i >= at.size()) return;
    }
  }

  // The guarded values that the row has by what all copies of their column have in common.
  void find_common(const BlockMatches& lists, const std::vector<std::size_t>& at,
                   std::vector<std::uint32_t>& found) const {
    found.clear();
    std::vector<Cover> all;
    std::size_t of = asked_.guarded.size();  // the entry that they are of
    for (std::uint32_t y = 0; y < guarded_.size(); ++y) {
      const GuardedValue& guarded = guarded_[y];
      if (guarded.copies < 2) continue;
      if (of != guarded.entry) {
        of = guarded.entry;
        all.clear();
        for (const BlockJoin::Copy& copy : copies_[of]) {
          all.push_back(
              join_.sides()[copy.side].cover(copy.column, lists[copy.side][at[copy.side]]));
        }
      }
      if (common_within(all, guarded.cover)) found.push_back(y);
    }
  }

  void add_cells(const BlockMatches& lists, const std::vector<std::size_t>& at, std::size_t i,
                 std::vector<std::uint32_t>& cells, const std::vector<std::uint32_t>& everywhere) {
    if (i == lists.size()) return add_row(cells, everywhere);
    const std::uint32_t block = lists[i][at[i]];
    for (std::uint32_t cell = cells_[i].begin[block]; cell < cells_[i].begin[block + 1]; ++cell) {
      cells[i] = cell;
      add_cells(lists, at, i + 1, cells, everywhere);
    }
  }

  void add_row(const std::vector<std::uint32_t>& cells,
               const std::vector<std::uint32_t>& everywhere) {
    const std::uint32_t number = group_number(cells);
    Group& group = open_[number];
    Wide weight = 1;
    for (std::size_t i = 0; i < cells.size(); ++i) weight *= cells_[i].weight[cells[i]];
    if (asked_.kind == XyRequirement::Kind::linkability) {
      group.total += weight;
      for (const std::uint32_t y : everywhere) add_entry(number, y, weight);
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const Wide others = weight / cells_[i].weight[cells[i]];
        for (const JoinCells::Count& count : cells_[i].counts_of(cells[i]))
          add_entry(number, count.y, others * count.weight);
      }
    } else if (asked_.counted == XyRequirement::Counted::rows) {
      if (group.last_cell != cells[0]) group.total += cells_[0].weight[cells[0]];
      group.last_cell = cells[0];
    } else if (asked_.counted == XyRequirement::Counted::pairs) {
      group.total += weight;
    } else {
      add_values(cells, 0, 0, number);
    }
  }

  void add_entry(std::uint32_t group, Wide y, Wide weight) {
    if (width_ > 0) {
      dense_[group * width_ + static_cast<std::size_t>(y)] += weight;
      return;
    }
    entries_.push_back({group, y, weight});
    if (entries_.size() > 2 * merged_ + (std::size_t{1} << 16)) merge();
  }

  // Each combination of the cells' values on y, as one number.
  void add_values(const std::vector<std::uint32_t>& cells, std::size_t i, Wide y,
                  std::uint32_t number) {
    if (i == cells.size()) return add_entry(number, y, 1);
    for (const JoinCells::Count& count : cells_[i].counts_of(cells[i]))
      add_values(cells, i + 1, y * cells_[i].y_count + count.y, number);
  }

  // The number of the open group with the cells' value on x: T1's part is the same for all.
  std::uint32_t group_number(const std::vector<std::uint32_t>& cells) {
    std::uint32_t key = 0;
    for (std::size_t i = 1; i < cells.size(); ++i) {
      const std::uint32_t x = cells_[i].x[cells[i]];
      if (i == 1) {
        key = x;
        continue;
      }
      while (keys_.size() < i) keys_.emplace_back();
      auto& keys = keys_[i - 1];
      key = keys.emplace(std::uint64_t{key} << 32 | x, static_cast<std::uint32_t>(keys.size()))
                .first->second;
    }
    if (key >= number_of_key_.size()) number_of_key_.resize(key + 1, 0);
    if (number_of_key_[key] == 0) {
      open_.emplace_back();
      open_.back().x = x_of(cells);
      dense_.resize(open_.size() * width_);
      open_keys_.push_back(key);
      number_of_key_[key] = static_cast<std::uint32_t>(open_.size());
    }
    return number_of_key_[key] - 1;
  }

  void merge() {
    std::sort(entries_.begin(), entries_.end());
    std::size_t kept = 0;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (kept > 0 && entries_[kept - 1].group == entries_[i].group &&
          entries_[kept - 1].y == entries_[i].y) {
        entries_[kept - 1].weight += entries_[i].weight;
      } else {
        entries_[kept++] = entries_[i];
      }
    }
    entries_.resize(kept);
    merged_ = kept;
  }

  // The open groups are complete.
  void settle() {
    for (std::size_t i = 0; i < dense_.size(); ++i) {
      if (dense_[i] == 0) continue;
      entries_.push_back({static_cast<std::uint32_t>(i / width_), i % width_, dense_[i]});
    }
    dense_.clear();
    if (width_ == 0) merge();
    if (asked_.kind == XyRequirement::Kind::linkability) {
      for (const Entry& entry : entries_) {
        const Group& group = open_[entry.group];
        const auto y = static_cast<std::uint32_t>(entry.y);
        const double share = static_cast<double>(entry.weight) / static_cast<double>(group.total);
        if (better(y, share)) best_links_[guarded_[y].entry] = {share, y, group.x};
      }
    } else {
      for (const Entry& entry : entries_) ++open_[entry.group].total;
      for (const Group& group : open_) offer(group.total, group.x);
    }
    groups_ += open_.size();
    for (const std::uint32_t key : open_keys_) number_of_key_[key] = 0;
    open_.clear();
    open_keys_.clear();
    entries_.clear();
    merged_ = 0;
    keys_.clear();
  }

  XyGroup group_of(const std::vector<std::uint32_t>& x) const {
    XyGroup group;
    if (x.empty()) return group;
    for (const std::string& name : asked_.x) {
      std::vector<XyGroup::Value> values;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const JoinSide& side = join_.sides()[i];
        const auto column = side.projection.find(name);
        if (!column) continue;
        const Projection::Column& found = side.projection.columns[*column];
        values.push_back({name, side.release, found.text(found.of[cells_[i].example[x[i]]])});
      }
      std::sort(values.begin(), values.end(),
                [](const XyGroup::Value& one, const XyGroup::Value& other) {
                  return one.release < other.release;
                });
      group.values.insert(group.values.end(), values.begin(), values.end());
    }
    return group;
  }

  const BlockJoin& join_;
  const XyRequirement& asked_;
  std::deque<Region> regions_;  // that guarded values may point into
  std::vector<GuardedValue> guarded_;
  std::vector<std::vector<BlockJoin::Copy>> copies_;  // by entry of `guarded`: of its column
  std::vector<JoinCells> cells_;                      // by side
  bool direct_ = false;

  std::vector<std::vector<std::uint32_t>> least_;  // by side, by block: the cell of least figure
  std::vector<std::vector<bool>> seen_;            // by side, by block: its links are offered

  Wide groups_ = 0;
  Best best_;
  std::vector<BestLink> best_links_;  // by entry of `guarded`

  std::vector<Group> open_;
  std::vector<std::uint32_t> open_keys_;
  std::vector<std::uint32_t> number_of_key_;  // 1 + the number of the open group; 0: none
  std::vector<std::unordered_map<std::uint64_t, std::uint32_t>> keys_;
  std::size_t width_ = 0;    // of a row of `dense_`; 0: `entries_` it is
  std::vector<Wide> dense_;  // by open group and y
  std::vector<Entry> entries_;
  std::size_t merged_ = 0;
};

}  // namespace

std::string XyGroup::words() const {
  std::string words;
  for (std::size_t i = 0; i < values.size();) {
    std::size_t end = i;
    bool same = true;
    for (; end < values.size() && values[end].column == values[i].column; ++end)
      same = same && values[end].text == values[i].text;
    for (; i < end; ++i) {
      if (!words.empty()) words += ", ";
      words += fmt::format("{}={}", values[i].column, values[i].text);
      if (same) {
        i = end;
        break;
      }
      words += fmt::format(" (release {})", values[i].release + 1);
    }
  }
  return words;
}

bool JoinAudit::holds() const {
  return std::all_of(findings.begin(), findings.end(),
                     [](const XyFinding& finding) { return finding.holds; });
}

JoinAudit audit_join(std::span<const Release> releases, const Policy& policy,
                     std::size_t table_cells) {
  if (releases.empty()) throw std::invalid_argument("a join needs a release");
  BlockJoin join(releases, policy);
  std::deque<Measure> measures;
  for (const XyRequirement& asked : policy.xy)
    measures.emplace_back(join, asked, policy, table_cells);

  JoinAudit audit;
  audit.join_columns = join.join_columns();
  std::vector<std::vector<bool>> matched;
  for (const JoinSide& side : join.sides()) matched.emplace_back(side.blocks, false);
  Wide matches = 0;
  for (std::uint32_t block = 0; block < join.sides()[0].blocks; ++block) {
    join.match(block, [&](const BlockMatches& lists) {
      Wide tuples = 1;
      for (std::size_t i = 0; i < lists.size(); ++i) {
        tuples *= lists[i].size();
        for (const std::uint32_t other : lists[i]) matched[i][other] = true;
      }
      matches += tuples;
      for (Measure& measure : measures) {
        if (measure.direct()) measure.add(lists);
      }
    });
  }
  audit.matches = narrow(matches);
  audit.touched = join.touched();
  audit.empty = matches == 0;
  for (Measure& measure : measures) {
    if (!measure.direct()) measure.add_all(join);
    audit.findings.push_back(measure.finding());
  }
  audit.dangling.resize(releases.size());
  audit.blocks.resize(releases.size());
  for (std::size_t i = 0; i < releases.size(); ++i) {
    const JoinSide& side = join.sides()[i];
    audit.blocks[side.release] = side.blocks;
    for (std::size_t record = 0; record < side.projection.size(); ++record) {
      if (!matched[i][side.block_of[record]])
        audit.dangling[side.release] += side.projection.weights[record];
    }
  }
  return audit;
}

}  // namespace throng
