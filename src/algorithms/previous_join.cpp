#include "algorithms/previous_join.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "table/sorted_keys.h"
#include "throng/error.h"

namespace throng {
namespace {

// One column of a previous release: its values, what each covers, and which each record has.
struct SideColumn {
  std::string name;
  const Release::Quasi* quasi = nullptr;
  const Release::Plain* plain = nullptr;
  std::vector<Code> of;  // by record

  std::size_t size() const { return quasi ? quasi->regions.size() : plain->values.size(); }
  Span span(Code value) const {
    return quasi ? Span{quasi->regions[value].low, quasi->regions[value].high} : Span{value, value};
  }
  const std::vector<Code>* members(Code value) const {
    return quasi && !quasi->regions[value].members.empty() ? &quasi->regions[value].members
                                                           : nullptr;
  }
  // What a text of the policy names; none: the column cannot have it.
  std::optional<Span> find(const std::string& text) const {
    if (plain) {
      const auto& labels = plain->values.labels;
      const auto at = std::find(labels.begin(), labels.end(), text);
      if (at == labels.end()) return std::nullopt;
      const auto code = static_cast<Code>(at - labels.begin());
      return Span{code, code};
    }
    const Domain& domain = quasi->domain;
    if (domain.tree) {
      const auto node = domain.tree->find(text);
      if (!node) {
        throw InputError(fmt::format("column '{}': '{}' is no value of its hierarchy", name, text));
      }
      return Span{domain.tree->first(*node), domain.tree->last(*node)};
    }
    const auto position = domain.find(text);
    if (!position) return std::nullopt;
    return Span{*position, *position};
  }
};

bool share_member(const std::vector<const std::vector<Code>*>& sets, Span common) {
  for (const Code code : *sets[0]) {
    if (code < common.low || code > common.high) continue;
    if (std::all_of(sets.begin(), sets.end(), [&](const std::vector<Code>* set) {
          return std::binary_search(set->begin(), set->end(), code);
        })) {
      return true;
    }
  }
  return false;
}

// The number of each record's combination of some columns, and how many there are.
std::pair<std::vector<std::uint32_t>, std::size_t> number_records(
    const std::vector<const SideColumn*>& columns, const std::vector<std::uint32_t>& weights) {
  if (columns.empty()) return {std::vector<std::uint32_t>(weights.size(), 0), 1};
  std::vector<CodeColumn> keys;
  for (const SideColumn* column : columns) keys.push_back({column->of, column->size()});
  const SortedKeys sorted = sort_columns(keys, weights);
  return {sorted.combination_of(), sorted.size()};
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

struct PreviousJoin::Side {
  std::vector<SideColumn> columns;     // those that can matter
  std::vector<std::uint32_t> weights;  // by record
  std::vector<std::size_t> join;       // columns that a match depends on
  std::vector<std::uint32_t> block_of;
  std::vector<std::uint32_t> example;  // by block: a record
  std::vector<std::uint64_t> rows;     // by block
  std::vector<char> marked;
  std::vector<std::vector<std::vector<char>>> listed;  // by pair, by side of it: by block
  // By requirement: the cells of the blocks, one block after the other.
  std::vector<std::vector<Cell>> cells;
  std::vector<std::vector<std::uint32_t>> cell_begin;

  const SideColumn* find(const std::string& name) const {
    for (const SideColumn& column : columns) {
      if (column.name == name) return &column;
    }
    return nullptr;
  }
};

PreviousJoin::~PreviousJoin() = default;

PreviousJoin::PreviousJoin(std::span<const Release> previous, std::vector<JoinColumn> columns,
                           std::vector<XyRequirement> requirements,
                           std::vector<std::vector<LinkGuard>> guarded,
                           const std::vector<InconsistentPair>& inconsistent)
    : columns_(std::move(columns)), asked_(std::move(requirements)), guards_(std::move(guarded)) {
  const auto& asked = asked_;
  const auto& guards = guards_;
  set_of({});  // the empty set is number 0
  std::vector<std::string> wanted, join;
  for (const JoinColumn& column : columns_) join.push_back(column.name);
  for (const InconsistentPair& pair : inconsistent) {
    join.push_back(pair.one.column);
    join.push_back(pair.other.column);
  }
  const auto holders = [&](const std::string& name) {
    return std::count_if(previous.begin(), previous.end(), [&](const Release& release) {
      return std::any_of(release.quasi.begin(), release.quasi.end(),
                         [&](const auto& column) { return column.domain.name == name; }) ||
             std::any_of(release.plain.begin(), release.plain.end(),
                         [&](const auto& column) { return column.name == name; });
    });
  };
  for (const Release& release : previous) {
    for (const auto& column : release.quasi) {
      if (holders(column.domain.name) > 1) join.push_back(column.domain.name);
    }
    for (const auto& column : release.plain) {
      if (holders(column.name) > 1) join.push_back(column.name);
    }
  }
  wanted = join;
  for (const XyRequirement& requirement : asked) {
    wanted.insert(wanted.end(), requirement.x.begin(), requirement.x.end());
    wanted.insert(wanted.end(), requirement.y.begin(), requirement.y.end());
    for (const auto& value : requirement.guarded) wanted.push_back(value.column);
  }
  for (const Release& release : previous) {
    Side& side = *sides_.emplace_back(std::make_unique<Side>());
    const Codes classes(release.class_of_row, std::max<std::size_t>(1, release.classes));
    std::vector<KeyColumn> keys;
    for (const auto& column : release.quasi) {
      if (!has(wanted, column.domain.name)) continue;
      side.columns.push_back({column.domain.name, &column, nullptr, {}});
      keys.push_back({&classes, column.of_class, std::max<std::size_t>(1, column.regions.size())});
    }
    for (const auto& column : release.plain) {
      if (!has(wanted, column.name)) continue;
      side.columns.push_back({column.name, nullptr, &column, {}});
      keys.push_back({&column.codes, {}, std::max<std::size_t>(1, column.values.size())});
    }
    if (keys.empty()) {
      side.weights = {static_cast<std::uint32_t>(release.rows())};
    } else {
      const SortedKeys sorted(keys, release.rows());
      side.weights = sorted.counts();
      for (std::size_t i = 0; i < keys.size(); ++i) side.columns[i].of = sorted.column(i);
    }
    std::vector<const SideColumn*> of_join;
    for (std::size_t i = 0; i < side.columns.size(); ++i) {
      if (!has(join, side.columns[i].name)) continue;
      side.join.push_back(i);
      of_join.push_back(&side.columns[i]);
    }
    std::size_t blocks = 0;
    std::tie(side.block_of, blocks) = number_records(of_join, side.weights);
    side.example.assign(blocks, 0);
    side.rows.assign(blocks, 0);
    side.marked.assign(blocks, 0);
    for (std::uint32_t record = 0; record < side.weights.size(); ++record) {
      side.example[side.block_of[record]] = record;
      side.rows[side.block_of[record]] += side.weights[record];
    }
    for (const InconsistentPair& pair : inconsistent) {
      auto& listed = side.listed.emplace_back();
      for (const InconsistentPair::Side* one : {&pair.one, &pair.other}) {
        auto& by_block = listed.emplace_back();
        const SideColumn* column = side.find(one->column);
        if (column == nullptr) continue;
        const auto named = column->find(one->value);
        for (std::size_t block = 0; block < blocks; ++block) {
          const Code value = column->of[side.example[block]];
          by_block.push_back(named && column->span(value).within(*named) ? 1 : 0);
        }
      }
    }
  }
  // What each requirement counts in the blocks.
  numbers_.resize(2 * asked.size());
  matches_.resize(asked.size());
  x_count_.assign(asked.size(), 1);
  for (std::size_t r = 0; r < asked.size(); ++r) {
    for (const auto& owner : sides_) {
      Side& side = *owner;
      std::vector<const SideColumn*> x, y;
      for (const SideColumn& column : side.columns) {
        if (has(asked[r].x, column.name)) x.push_back(&column);
        if (has(asked[r].y, column.name)) y.push_back(&column);
      }
      const auto [of_x, x_count] = number_records(x, side.weights);
      x_count_[r] = sides_.size() == 1 ? x_count : 0;
      std::vector<std::uint32_t> of_y;
      if (asked[r].kind == XyRequirement::Kind::anonymity) {
        of_y = number_records(y, side.weights).first;
      } else {
        std::vector<std::vector<std::uint32_t>> in(side.weights.size());
        for (std::uint32_t g = 0; g < guards[r].size(); ++g) {
          const SideColumn* column = side.find(guards[r][g].column);
          if (column == nullptr) continue;
          const auto named = column->find(guards[r][g].text);
          for (std::size_t record = 0; named && record < in.size(); ++record) {
            if (column->span(column->of[record]).within(*named) &&
                column->members(column->of[record]) == nullptr) {
              in[record].push_back(g);
            }
          }
        }
        for (auto& set : in) of_y.push_back(set_of(std::move(set)));
      }
      std::vector<std::uint32_t> order(side.weights.size());
      for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
      const auto& xs = of_x;
      std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return std::tie(side.block_of[a], xs[a], of_y[a]) <
               std::tie(side.block_of[b], xs[b], of_y[b]);
      });
      auto& cells = side.cells.emplace_back();
      auto& begin = side.cell_begin.emplace_back(side.rows.size() + 1, 0);
      for (std::size_t i = 0; i < order.size(); ++i) {
        const std::uint32_t record = order[i];
        const bool same = i > 0 && side.block_of[order[i - 1]] == side.block_of[record] &&
                          cells.back().x == of_x[record] && cells.back().y == of_y[record];
        if (!same) cells.push_back({of_x[record], of_y[record], 0});
        cells.back().weight += side.weights[record];
        begin[side.block_of[record] + 1] = static_cast<std::uint32_t>(cells.size());
      }
    }
  }
  Node root;
  for (const auto& side : sides_) {
    auto all = std::make_shared<std::vector<std::uint32_t>>(side->rows.size());
    for (std::uint32_t block = 0; block < all->size(); ++block) (*all)[block] = block;
    List list = std::move(all);
    for (const JoinColumn& column : columns_) {
      if (column.from_root) list = consistent(*side, std::move(list), column, 0);
    }
    root.lists.push_back(std::move(list));
  }
  root.children.resize(columns_.size());
  tuples_.push_back(std::move(root));
}

PreviousJoin::List PreviousJoin::consistent(const Side& side, List list, const JoinColumn& by,
                                            std::uint32_t node) {
  for (std::size_t p = 0; p < by.pairs.size(); ++p) {
    if (!by.listed[p][node]) continue;
    const std::vector<char>& other = side.listed[by.pairs[p] / 2][1 - by.pairs[p] % 2];
    if (other.empty()) continue;
    auto kept = std::make_shared<std::vector<std::uint32_t>>();
    for (const std::uint32_t block : *list) {
      if (!other[block]) kept->push_back(block);
    }
    list = std::move(kept);
  }
  return list;
}

std::uint32_t PreviousJoin::set_of(std::vector<std::uint32_t> guards) {
  std::string key;
  for (const std::uint32_t guard : guards) {
    key.append(reinterpret_cast<const char*>(&guard), sizeof guard);
  }
  const auto place =
      set_numbers_.try_emplace(std::move(key), static_cast<std::uint32_t>(sets_.size()));
  if (place.second) sets_.push_back(std::move(guards));
  return place.first->second;
}

std::uint32_t PreviousJoin::unite(std::uint32_t one, std::uint32_t other) {
  if (one == other || other == 0) return one;
  if (one == 0) return other;
  std::vector<std::uint32_t> both;
  std::set_union(sets_[one].begin(), sets_[one].end(), sets_[other].begin(), sets_[other].end(),
                 std::back_inserter(both));
  return set_of(std::move(both));
}

const std::vector<PreviousJoin::Tuple>& PreviousJoin::refine(Tuple tuple, std::size_t column,
                                                             std::span<const std::uint32_t> nodes) {
  if (!tuples_[tuple].children[column].empty()) return tuples_[tuple].children[column];
  const JoinColumn& by = columns_[column];
  const std::vector<List> lists = tuples_[tuple].lists;
  std::vector<Node> made(nodes.size());
  // The children by what they are in the previous releases, from left to right: there, values of a
  // plain column may stand in another order, or not at all.
  std::vector<std::uint32_t> order(by.spans.empty() ? 0 : nodes.size());
  for (std::uint32_t child = 0; child < order.size(); ++child) order[child] = child;
  std::sort(order.begin(), order.end(), [&](std::uint32_t one, std::uint32_t other) {
    return by.spans[nodes[one]].low < by.spans[nodes[other]].low;
  });
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    const Side& side = *sides_[i];
    const SideColumn* common = by.spans.empty() ? nullptr : side.find(by.name);
    std::vector<std::shared_ptr<std::vector<std::uint32_t>>> parts(nodes.size());
    if (common != nullptr) {
      for (auto& part : parts) part = std::make_shared<std::vector<std::uint32_t>>();
      for (const std::uint32_t block : *lists[i]) {
        const Span span = common->span(common->of[side.example[block]]);
        // Those that it meets are neighbours.
        auto first = std::partition_point(order.begin(), order.end(), [&](std::uint32_t child) {
          return by.spans[nodes[child]].high < span.low;
        });
        for (; first != order.end() && by.spans[nodes[*first]].low <= span.high; ++first)
          parts[*first]->push_back(block);
      }
    }
    for (std::size_t child = 0; child < nodes.size(); ++child) {
      made[child].lists.push_back(
          consistent(side, common != nullptr ? List(parts[child]) : lists[i], by, nodes[child]));
    }
  }
  std::vector<Tuple> numbers;
  for (Node& node : made) {
    node.children.resize(columns_.size());
    numbers.push_back(static_cast<Tuple>(tuples_.size()));
    tuples_.push_back(std::move(node));
  }
  return tuples_[tuple].children[column] = std::move(numbers);
}

// Whether the last of the blocks matches those before it. T1 was looked at before.
bool PreviousJoin::fits(const std::vector<std::uint32_t>& blocks) const {
  const std::size_t last = blocks.size() - 1;
  const Side& side = *sides_[last];
  for (const std::size_t number : side.join) {
    const SideColumn& column = side.columns[number];
    const Code value = column.of[side.example[blocks[last]]];
    Span common = column.span(value);
    std::vector<const std::vector<Code>*> sets;
    if (const auto* set = column.members(value)) sets.push_back(set);
    bool shared = false;
    for (std::size_t i = 0; i < last; ++i) {
      const SideColumn* other = sides_[i]->find(column.name);
      if (other == nullptr) continue;
      shared = true;
      const Code theirs = other->of[sides_[i]->example[blocks[i]]];
      const Span span = other->span(theirs);
      common = {std::max(common.low, span.low), std::min(common.high, span.high)};
      if (common.low > common.high) return false;
      if (const auto* set = other->members(theirs)) sets.push_back(set);
    }
    if (shared && !sets.empty() && !share_member(sets, common)) return false;
  }
  for (std::size_t pair = 0; pair < side.listed.size(); ++pair) {
    for (std::size_t half = 0; half < 2; ++half) {
      const std::vector<char>& mine = side.listed[pair][half];
      if (mine.empty() || !mine[blocks[last]]) continue;
      for (std::size_t i = 0; i < last; ++i) {
        const std::vector<char>& theirs = sides_[i]->listed[pair][1 - half];
        if (!theirs.empty() && theirs[blocks[i]]) return false;
      }
    }
  }
  return true;
}

template <typename Use>
bool PreviousJoin::combine(const Node& node, std::vector<std::uint32_t>& blocks,
                           const Use& use) const {
  if (blocks.size() == sides_.size()) return use(blocks);
  for (const std::uint32_t block : *node.lists[blocks.size()]) {
    blocks.push_back(block);
    const bool go_on = !fits(blocks) || combine(node, blocks, use);
    blocks.pop_back();
    if (!go_on) return false;
  }
  return true;
}

bool PreviousJoin::matched(Tuple tuple) {
  Node& node = tuples_[tuple];
  if (node.matched < 0) {
    std::vector<std::uint32_t> blocks;
    if (sides_.size() == 1) {
      node.matched = node.lists[0]->empty() ? 0 : 1;
    } else {
      node.matched =
          combine(node, blocks, [](const std::vector<std::uint32_t>&) { return false; }) ? 0 : 1;
    }
  }
  return node.matched == 1;
}

void PreviousJoin::forget(std::size_t since, Tuple tuple, std::size_t column) {
  tuples_.erase(tuples_.begin() + static_cast<std::ptrdiff_t>(since), tuples_.end());
  tuples_[tuple].children[column].clear();
}

void PreviousJoin::mark(Tuple tuple) {
  std::vector<std::uint32_t> blocks;
  if (sides_.size() == 1) {
    for (const std::uint32_t block : *tuples_[tuple].lists[0]) sides_[0]->marked[block] = 1;
    return;
  }
  combine(tuples_[tuple], blocks, [&](const std::vector<std::uint32_t>& all) {
    for (std::size_t i = 0; i < all.size(); ++i) sides_[i]->marked[all[i]] = 1;
    return true;
  });
}

std::vector<std::uint64_t> PreviousJoin::unmarked() const {
  std::vector<std::uint64_t> result;
  for (const auto& side : sides_) {
    std::uint64_t rows = 0;
    for (std::size_t block = 0; block < side->rows.size(); ++block)
      rows += side->marked[block] ? 0 : side->rows[block];
    result.push_back(rows);
  }
  return result;
}

std::uint32_t PreviousJoin::number_of(std::size_t requirement, bool y, std::uint32_t one,
                                      std::uint32_t other) {
  auto& numbers = numbers_[2 * requirement + (y ? 1 : 0)];
  const auto place = numbers.try_emplace(std::uint64_t{one} << 32U | other,
                                         static_cast<std::uint32_t>(numbers.size()));
  return place.first->second;
}

void PreviousJoin::add_cells(std::size_t requirement, const std::vector<std::uint32_t>& blocks,
                             std::vector<Cell>& cells) {
  const bool linked = asked_[requirement].kind == XyRequirement::Kind::linkability;
  std::vector<Cell> now;
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    const auto& begin = sides_[i]->cell_begin[requirement];
    const Cell* first = sides_[i]->cells[requirement].data() + begin[blocks[i]];
    const Cell* last = sides_[i]->cells[requirement].data() + begin[blocks[i] + 1];
    if (i == 0) {
      now.assign(first, last);
      continue;
    }
    std::vector<Cell> next;
    for (const Cell& one : now) {
      for (const Cell* other = first; other != last; ++other) {
        next.push_back(
            {number_of(requirement, false, one.x, other->x),
             linked ? unite(one.y, other->y) : number_of(requirement, true, one.y, other->y),
             one.weight * other->weight});
      }
    }
    now = std::move(next);
  }
  cells.insert(cells.end(), now.begin(), now.end());
}

void PreviousJoin::summarize(std::size_t requirement, Matches& matches) const {
  matches.any = !matches.cells.empty();
  matches.least_weight = matches.least_distinct = std::numeric_limits<std::uint64_t>::max();
  matches.shares.assign(guards_[requirement].size(), 0);
  std::vector<std::uint64_t> having(matches.shares.size(), 0);
  const std::vector<Cell>& cells = matches.cells;
  for (std::size_t begin = 0; begin < cells.size();) {
    std::size_t end = begin;
    std::uint64_t weight = 0;
    std::fill(having.begin(), having.end(), 0);
    for (; end < cells.size() && cells[end].x == cells[begin].x; ++end) {
      weight += cells[end].weight;
      if (having.empty()) continue;
      for (const std::uint32_t guard : sets_[cells[end].y]) having[guard] += cells[end].weight;
    }
    matches.least_weight = std::min(matches.least_weight, weight);
    matches.least_distinct = std::min<std::uint64_t>(matches.least_distinct, end - begin);
    for (std::size_t guard = 0; guard < having.size(); ++guard) {
      matches.shares[guard] = std::max(
          matches.shares[guard], static_cast<double>(having[guard]) / static_cast<double>(weight));
    }
    begin = end;
  }
}

const PreviousJoin::Matches& PreviousJoin::matches(std::size_t requirement, Tuple tuple) {
  const auto found = matches_[requirement].find(tuple);
  if (found != matches_[requirement].end()) return found->second;
  Matches matches;
  std::vector<std::uint32_t> blocks;
  if (sides_.empty()) {
    matches.cells.push_back({0, 0, 1});
  } else if (sides_.size() == 1) {
    for (const std::uint32_t block : *tuples_[tuple].lists[0]) {
      const auto& begin = sides_[0]->cell_begin[requirement];
      const auto& cells = sides_[0]->cells[requirement];
      matches.cells.insert(matches.cells.end(), cells.begin() + begin[block],
                           cells.begin() + begin[block + 1]);
    }
  } else {
    combine(tuples_[tuple], blocks, [&](const std::vector<std::uint32_t>& all) {
      add_cells(requirement, all, matches.cells);
      return true;
    });
    x_count_[requirement] = numbers_[2 * requirement].size();
  }
  std::vector<Cell>& cells = matches.cells;
  std::sort(cells.begin(), cells.end(),
            [](const Cell& a, const Cell& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (kept > 0 && cells[kept - 1].x == cells[i].x && cells[kept - 1].y == cells[i].y) {
      cells[kept - 1].weight += cells[i].weight;
    } else {
      cells[kept++] = cells[i];
    }
  }
  cells.resize(kept);
  summarize(requirement, matches);
  return matches_[requirement].emplace(tuple, std::move(matches)).first->second;
}

}  // namespace throng
