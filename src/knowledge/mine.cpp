// Depth first over the items of one column after the other, each with the records that satisfy X
// so far and their counts by sensitive value. Four things keep it small:
//
// - Identical records are one entry with a weight, and a column's values are replaced by the lowest
//   item with enough support that covers them: items without it are never met again. Items stand in
//   the order of a walk through the tree, so the records of an item, sorted by item, are one range,
//   and counts are made once at the bottom and added up the tree.
// - Support only falls from X to its extensions. What is below the least that any value needs
//   (the paper's minSup) is not gone into.
// - Below X a value s is looked for only while X still has it. If X has none and support enough,
//   X ⇒ not s is a rule or less general than one, and all below it are less general; without
//   support enough nothing below has it either. What is not looked for is only counted, for
//   `tested` and `holding`.
// - Of what is left, a rule is most general when none of its next more general ones is a rule (one
//   condition raised by one node, or dropped). Those were all met: X was met for s, so the part of
//   X before its last column has a record with s, so has that part raised. And no rule is without
//   the last column, or that part would have no record with s.
//
// Cost: O(n log n) for the entries (made by the caller), then for each pair of columns O(entries ·
// height) at max-items 2; every further item multiplies this by at most the number of columns and
// the height. The results of threads are put together by sorting, so that their number does not
// show.
//
// Departures from the paper: it finds frequent itemsets with an FP-tree first and rules afterwards,
// and does not say that it keeps the most general ones only. Its fuzzy sets have no shape; ours is
// in fuzzy_cover(). It does not ask what luck would give.
#include "knowledge/mine.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "knowledge/impossible.h"

namespace throng {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
// Support that reaches the need but for rounding reaches it.
constexpr double kRounding = 1e-9;

struct Share {
  Code position = 0;
  double membership = 0;  // above 0, at most 1
};

struct Item {
  Code first = 0, last = 0;      // the positions that it covers
  std::uint32_t parent = kNone;  // the next higher item
  std::uint32_t end = 0;         // one behind the items below it
  Hierarchy::Node node = 0;      // of a tree
  std::vector<Share> cover;      // fuzzy: all positions that belong to it, at least in part
};

// A column as the search sees it.
struct SearchColumn {
  std::size_t domain = 0;
  bool fuzzy = false;
  std::vector<Item> items;  // with support enough; parents before their children
  // By entry: crisp, the lowest item that covers it, or kNone; fuzzy, its position.
  std::vector<std::uint32_t> cells;
  std::size_t cell_count = 0;
  std::size_t height = 0;  // items above each other, at most
  // Fuzzy: the items that a position belongs to, at least in part; where each position's begin.
  std::vector<std::pair<std::uint32_t, double>> belongs;
  std::vector<std::size_t> belongs_begin;
  std::uint32_t first_number = 0;  // of its items among the items of all columns

  std::span<const std::pair<std::uint32_t, double>> belonging(std::uint32_t position) const {
    return std::span(belongs).subspan(belongs_begin[position],
                                      belongs_begin[position + 1] - belongs_begin[position]);
  }
};

// The items of a domain, whatever their support.
std::vector<Item> all_items(const Domain& domain) {
  std::vector<Item> items;
  if (!domain.tree) {
    if (domain.size() < 2) return items;
    for (Code position = 0; position < domain.size(); ++position)
      items.push_back({position, position, kNone, position + 1, 0, {}});
    return items;
  }
  const Hierarchy& tree = *domain.tree;
  struct Step {
    Hierarchy::Node node = 0;
    std::uint32_t item = kNone;  // that the node is, or is below
    std::size_t next = 0;        // child
  };
  std::vector<Step> path = {{tree.root(), kNone, 0}};
  while (!path.empty()) {
    Step& step = path.back();
    const auto children = tree.children(step.node);
    if (step.next == children.size()) {
      if (step.item != kNone) items[step.item].end = static_cast<std::uint32_t>(items.size());
      path.pop_back();
      continue;
    }
    const Hierarchy::Node child = children[step.next++];
    std::uint32_t item = step.item;
    // An only child covers what its parent covers.
    if (children.size() > 1) {
      item = static_cast<std::uint32_t>(items.size());
      items.push_back({tree.first(child), tree.last(child), step.item, 0, child, {}});
    }
    path.push_back({child, item, 0});
  }
  return items;
}

// What belongs to each item of numbers or dates. Within its interval, from its lowest to its
// highest value, membership is 1; beyond either end it falls in a straight line, to 0 at half the
// interval's width. An item of one value takes the width of the lowest interval above it that has
// one, if any below the root. So no membership is above that in the item's parent, and support only
// falls on the way down. A missing value belongs to what is above it in the tree and to nothing
// else.
void fuzzy_cover(const Domain& domain, const std::vector<double>& weights,
                 std::vector<Item>& items) {
  const std::vector<double>& numbers = domain.values.numbers;
  std::vector<Code> order, missing;  // positions that occur, by their number
  for (Code position = 0; position < domain.size(); ++position) {
    if (weights[position] > 0)
      (std::isfinite(numbers[position]) ? order : missing).push_back(position);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](Code a, Code b) { return numbers[a] < numbers[b]; });
  std::vector<double> widths(items.size(), 0);
  for (std::size_t i = 0; i < items.size(); ++i) {
    Item& item = items[i];
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (Code position = item.first; position <= item.last; ++position) {
      if (!std::isfinite(numbers[position])) continue;
      low = std::min(low, numbers[position]);
      high = std::max(high, numbers[position]);
    }
    for (const Code position : missing) {
      if (position >= item.first && position <= item.last) item.cover.push_back({position, 1});
    }
    if (low > high) continue;
    widths[i] = high > low ? high - low : item.parent == kNone ? 0 : widths[item.parent];
    const double reach = widths[i] / 2;
    auto at =
        std::lower_bound(order.begin(), order.end(), low - reach,
                         [&](Code position, double value) { return numbers[position] < value; });
    for (; at != order.end() && numbers[*at] <= high + reach; ++at) {
      const double distance = std::max({0.0, low - numbers[*at], numbers[*at] - high});
      const double membership = distance > 0 ? 1 - distance / reach : 1;
      if (membership > kRounding) item.cover.push_back({*at, membership});
    }
  }
}

// What the sensitive column asks.
struct Values {
  std::vector<double> log_absent;  // by value: log(1 − P(s))
  std::vector<double> need;        // the support that X needs for it (n · Sup_Y)
  double least = std::numeric_limits<double>::infinity();

  // log of the probability that as many records, drawn without looking at s, have none with s.
  double log_chance(Code value, double support) const { return support * log_absent[value]; }
};

Values make_values(const FrequencyList& list, std::size_t sensitive, double min_expectation) {
  std::vector<std::uint64_t> counts(list.sensitive_sizes[sensitive], 0);
  for (std::size_t entry = 0; entry < list.size(); ++entry)
    counts[list.values[sensitive][entry]] += list.weights[entry];
  Values values;
  for (const std::uint64_t count : counts) {
    const double share = static_cast<double>(count) / static_cast<double>(list.records);
    // Who is ever absent, or never, is in no rule.
    const bool is_some = count > 0 && count < list.records;
    values.log_absent.push_back(is_some ? std::log1p(-share) : 0);
    values.need.push_back(is_some ? (1 - kRounding) * std::log1p(-min_expectation) /
                                        values.log_absent.back()
                                  : std::numeric_limits<double>::infinity());
    values.least = std::min(values.least, values.need.back());
  }
  return values;
}

SearchColumn make_column(const FrequencyList& list, std::size_t domain_index, bool fuzzy,
                         double least) {
  const Domain& domain = list.domains[domain_index];
  const std::vector<Code>& positions = list.positions[domain_index];
  SearchColumn column;
  column.domain = domain_index;
  column.fuzzy = fuzzy && domain.tree && domain.values.numeric();
  std::vector<double> weights(domain.size(), 0);
  for (std::size_t entry = 0; entry < list.size(); ++entry)
    weights[positions[entry]] += list.weights[entry];

  std::vector<Item> items = all_items(domain);
  if (column.fuzzy) fuzzy_cover(domain, weights, items);
  std::vector<double> before(domain.size() + 1, 0);  // weights of the positions before
  std::partial_sum(weights.begin(), weights.end(), before.begin() + 1);
  // An item without support enough has none below it with more: ranges stay ranges.
  std::vector<std::uint32_t> kept(items.size() + 1, 0);  // how many before
  std::vector<char> is_kept(items.size(), 0);
  for (std::size_t i = 0; i < items.size(); ++i) {
    double support = before[items[i].last + 1] - before[items[i].first];
    if (column.fuzzy) {
      support = 0;
      for (const Share& share : items[i].cover)
        support += share.membership * weights[share.position];
    }
    is_kept[i] = support >= least && (items[i].parent == kNone || is_kept[items[i].parent]) ? 1 : 0;
    kept[i + 1] = kept[i] + static_cast<std::uint32_t>(is_kept[i]);
  }
  std::vector<std::uint32_t> lowest(domain.size(), kNone);
  std::vector<std::size_t> depth(items.size(), 1);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!is_kept[i]) continue;
    Item item = std::move(items[i]);
    if (item.parent != kNone) {
      depth[i] = depth[item.parent] + 1;
      item.parent = kept[item.parent];
    }
    item.end = kept[item.end];
    column.height = std::max(column.height, depth[i]);
    std::fill(lowest.begin() + item.first, lowest.begin() + item.last + 1, kept[i]);
    column.items.push_back(std::move(item));
  }
  column.cell_count = column.fuzzy ? domain.size() : column.items.size();
  column.cells = positions;
  if (!column.fuzzy) {
    for (std::uint32_t& cell : column.cells) cell = lowest[cell];
    return column;
  }
  std::vector<std::vector<std::pair<std::uint32_t, double>>> belonging(domain.size());
  for (std::uint32_t i = 0; i < column.items.size(); ++i) {
    for (const Share& share : column.items[i].cover)
      belonging[share.position].emplace_back(i, share.membership);
  }
  for (const auto& items_of : belonging) {
    column.belongs_begin.push_back(column.belongs.size());
    column.belongs.insert(column.belongs.end(), items_of.begin(), items_of.end());
  }
  column.belongs_begin.push_back(column.belongs.size());
  return column;
}

// A rule that holds, most general or not.
struct Holding {
  Code value = 0;
  std::vector<std::uint32_t> items;  // by their numbers among the items of all columns, ascending
  double support = 0;

  auto key() const { return std::tie(value, items); }
};

struct Space {
  const FrequencyList& list;
  Values values;
  std::vector<SearchColumn> columns;  // in the order of the search
  std::size_t max_items = 1;
  bool wants_chances = false;

  // An item by its number among the items of all columns.
  std::pair<const SearchColumn*, const Item*> find(std::uint32_t number) const {
    const auto behind = std::upper_bound(
        columns.begin(), columns.end(), number,
        [](std::uint32_t each, const SearchColumn& column) { return each < column.first_number; });
    const SearchColumn& column = *(behind - 1);
    return {&column, &column.items[number - column.first_number]};
  }
};

// What a thread finds.
struct Findings {
  std::vector<Holding> rules;
  std::vector<double> supports;  // of every X with support enough for some value
  std::vector<double> chances;   // of what holds, rule or not, as logarithms; where they are wanted
  std::uint64_t holding = 0;
};

// An entry that satisfies X, with what it counts.
struct Member {
  std::uint32_t entry = 0;
  Code value = 0;
  double weight = 0;
};

// The values that still matter below X: X has support enough for them.
struct Wanted {
  std::vector<Code> open;    // and X has records with them
  std::vector<Code> closed;  // and X has none: all below holds, and is less general
};

class Search {
 public:
  explicit Search(const Space& space) : space_(space), levels_(space.max_items) {}

  Findings findings;

  // Goes into all extensions of X, which is `prefix_`, by columns from `from` on.
  void extend(std::span<const Member> members, std::size_t from, const Wanted& wanted) {
    for (std::size_t index = from; index < space_.columns.size(); ++index) {
      tally(members, index, wanted);
      Level& level = levels_[prefix_.size()];
      for (std::size_t i = 0; i < level.met.size(); ++i) visit(index, i, wanted, level);
    }
  }

  // The same for no X at all and one column, with the branches below it on all threads.
  static void begin(std::span<const Member> members, std::size_t index, const Wanted& wanted,
                    tbb::enumerable_thread_specific<Search>& searches, const Space& space) {
    Search first(space);
    first.tally(members, index, wanted);
    Level& level = first.levels_[0];
    tbb::parallel_for(std::size_t{0}, level.met.size(),
                      [&](std::size_t i) { searches.local().visit(index, i, wanted, level); });
  }

 private:
  // How X extends by one column.
  struct Level {
    std::size_t width = 0;               // slots an item: the open values, and one for all others
    std::vector<std::uint32_t> met;      // the items with members, ascending
    std::vector<double> counts;          // by item, by slot
    std::vector<double> by_position;     // fuzzy: by position, by slot
    std::vector<char> is_met;            // by item
    std::vector<std::uint32_t> slot_of;  // by value
    // Where there are further items to come: the members by cell, and where each cell begins.
    std::vector<Member> ordered;
    std::vector<std::size_t> begins;
    bool is_sorted = false;        // in place of `begins`
    std::vector<Member> gathered;  // fuzzy: those of the item in hand
  };

  bool goes_on(std::size_t index) const {
    return prefix_.size() + 1 < space_.max_items && index + 1 < space_.columns.size();
  }

  void tally(std::span<const Member> members, std::size_t index, const Wanted& wanted) {
    Level& level = levels_[prefix_.size()];
    const SearchColumn& column = space_.columns[index];
    level.width = wanted.open.size() + 1;
    level.slot_of.assign(space_.values.need.size(), static_cast<std::uint32_t>(wanted.open.size()));
    for (std::size_t slot = 0; slot < wanted.open.size(); ++slot)
      level.slot_of[wanted.open[slot]] = static_cast<std::uint32_t>(slot);
    level.met.clear();
    if (column.fuzzy) {
      tally_fuzzy(members, column, level);
    } else {
      tally_crisp(members, column, level);
    }
    if (goes_on(index)) order(members, column, level);
  }

  // Where few members meet few items, only these are cleared and gone through. `meet` is called for
  // each member then, and calls back with every item that it has.
  template <typename Meet>
  static void clear(std::span<const Member> members, const SearchColumn& column, bool is_sparse,
                    Level& level, const Meet& meet) {
    const std::size_t width = level.width, items = column.items.size();
    if (level.counts.size() < items * width) level.counts.resize(items * width);
    if (!is_sparse) {
      level.met.resize(items);
      std::iota(level.met.begin(), level.met.end(), 0U);
      std::fill_n(level.counts.begin(), items * width, 0.0);
      return;
    }
    level.is_met.resize(std::max(level.is_met.size(), items), 0);
    for (const Member& member : members) {
      meet(member, [&](std::uint32_t item) {
        if (level.is_met[item]) return false;
        level.is_met[item] = 1;
        level.met.push_back(item);
        return true;
      });
    }
    std::sort(level.met.begin(), level.met.end());
    for (const std::uint32_t item : level.met) {
      level.is_met[item] = 0;
      std::fill_n(level.counts.begin() + static_cast<std::ptrdiff_t>(item * width), width, 0.0);
    }
  }

  static void tally_crisp(std::span<const Member> members, const SearchColumn& column,
                          Level& level) {
    clear(members, column, members.size() < column.items.size() / 8, level,
          [&](const Member& member, const auto& has) {
            std::uint32_t item = column.cells[member.entry];
            while (item != kNone && has(item)) item = column.items[item].parent;
          });
    const std::size_t width = level.width;
    const std::uint32_t* const cells = column.cells.data();
    const std::uint32_t* const slot_of = level.slot_of.data();
    double* const counts = level.counts.data();
    for (const Member& member : members) {
      const std::uint32_t cell = cells[member.entry];
      if (cell != kNone) counts[cell * width + slot_of[member.value]] += member.weight;
    }
    for (auto at = level.met.rbegin(); at != level.met.rend(); ++at) {
      const std::uint32_t parent = column.items[*at].parent;
      if (parent == kNone) continue;
      for (std::size_t slot = 0; slot < width; ++slot)
        counts[parent * width + slot] += counts[*at * width + slot];
    }
  }

  static void tally_fuzzy(std::span<const Member> members, const SearchColumn& column,
                          Level& level) {
    const std::size_t width = level.width;
    // Few members go to their items one by one; many by their positions first.
    const bool is_sparse = members.size() < column.cell_count;
    clear(members, column, is_sparse, level, [&](const Member& member, const auto& has) {
      for (const auto& [item, membership] : column.belonging(column.cells[member.entry])) has(item);
    });
    double* const counts = level.counts.data();
    if (is_sparse) {
      for (const Member& member : members) {
        const std::uint32_t slot = level.slot_of[member.value];
        for (const auto& [item, membership] : column.belonging(column.cells[member.entry]))
          counts[item * width + slot] += membership * member.weight;
      }
      return;
    }
    level.by_position.assign(column.cell_count * width, 0);
    for (const Member& member : members)
      level.by_position[column.cells[member.entry] * width + level.slot_of[member.value]] +=
          member.weight;
    for (std::uint32_t position = 0; position < column.cell_count; ++position) {
      const double* const from = level.by_position.data() + position * width;
      for (const auto& [item, membership] : column.belonging(position)) {
        for (std::size_t slot = 0; slot < width; ++slot)
          counts[item * width + slot] += membership * from[slot];
      }
    }
  }

  static void order(std::span<const Member> members, const SearchColumn& column, Level& level) {
    level.ordered.clear();
    level.is_sorted = members.size() < column.cell_count / 8;
    if (level.is_sorted) {  // few: sorted, and the ranges are searched for
      for (const Member& member : members) {
        if (column.cells[member.entry] != kNone) level.ordered.push_back(member);
      }
      std::stable_sort(level.ordered.begin(), level.ordered.end(),
                       [&](const Member& a, const Member& b) {
                         return column.cells[a.entry] < column.cells[b.entry];
                       });
      return;
    }
    std::vector<std::size_t>& begins = level.begins;
    begins.assign(column.cell_count + 2, 0);
    for (const Member& member : members) {
      const std::uint32_t cell = column.cells[member.entry];
      if (cell != kNone) ++begins[cell + 2];
    }
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    level.ordered.resize(begins.back());
    for (const Member& member : members) {
      const std::uint32_t cell = column.cells[member.entry];
      if (cell != kNone) level.ordered[begins[cell + 1]++] = member;
    }
  }

  // The ordered members of the cells from `first` up to, but without, `end`.
  static std::span<const Member> range(const SearchColumn& column, const Level& level,
                                       std::uint32_t first, std::uint32_t end) {
    if (!level.is_sorted)
      return std::span(level.ordered)
          .subspan(level.begins[first], level.begins[end] - level.begins[first]);
    const auto before = [&](const Member& member, std::uint32_t cell) {
      return column.cells[member.entry] < cell;
    };
    const auto from = std::lower_bound(level.ordered.begin(), level.ordered.end(), first, before);
    const auto to = std::lower_bound(from, level.ordered.end(), end, before);
    return {from, to};
  }

  // X extended by item level.met[i] of a column. `level` may be another thread's, and is only read.
  void visit(std::size_t index, std::size_t i, const Wanted& wanted, const Level& level) {
    const SearchColumn& column = space_.columns[index];
    const std::uint32_t number = level.met[i];
    const double* const counts = level.counts.data() + number * level.width;
    const double support = std::accumulate(counts, counts + level.width, 0.0);
    const Values& values = space_.values;
    if (support < values.least) return;
    findings.supports.push_back(support);
    prefix_.push_back(column.first_number + number);
    Wanted below;
    for (const Code value : wanted.closed) {
      if (support < values.need[value]) continue;
      below.closed.push_back(value);
      count_holding(value, support);
    }
    for (std::size_t slot = 0; slot < wanted.open.size(); ++slot) {
      const Code value = wanted.open[slot];
      if (support < values.need[value]) continue;
      if (counts[slot] > 0) {
        below.open.push_back(value);
        continue;
      }
      below.closed.push_back(value);
      count_holding(value, support);
      findings.rules.push_back({value, prefix_, support});
    }
    if (prefix_.size() < space_.max_items && index + 1 < space_.columns.size())
      extend(members_of(column, number, level), index + 1, below);
    prefix_.pop_back();
  }

  void count_holding(Code value, double support) {
    ++findings.holding;
    if (space_.wants_chances) findings.chances.push_back(space_.values.log_chance(value, support));
  }

  // The members that have an item, weighed by how much they belong to it.
  std::span<const Member> members_of(const SearchColumn& column, std::uint32_t number,
                                     const Level& level) {
    const Item& item = column.items[number];
    if (!column.fuzzy) return range(column, level, number, item.end);
    // `level` may be another thread's; what is gathered goes into our own.
    std::vector<Member>& gathered = levels_[prefix_.size() - 1].gathered;
    gathered.clear();
    for (const Share& share : item.cover) {
      for (Member member : range(column, level, share.position, share.position + 1)) {
        member.weight *= share.membership;
        gathered.push_back(member);
      }
    }
    return gathered;
  }

  const Space& space_;
  std::vector<Level> levels_;          // by the number of items of X
  std::vector<std::uint32_t> prefix_;  // X: its items by their numbers
};

// Removes the rules that are less general than another.
void keep_most_general(const Space& space, std::vector<Holding>& rules) {
  const auto before = [](const Holding& a, const Holding& b) { return a.key() < b.key(); };
  std::sort(rules.begin(), rules.end(), before);
  const auto is_less_general = [&](const Holding& rule) {
    Holding other;
    other.value = rule.value;
    for (std::size_t i = 0; i < rule.items.size(); ++i) {
      const auto [column, item] = space.find(rule.items[i]);
      other.items = rule.items;
      if (item->parent != kNone) {
        other.items[i] = column->first_number + item->parent;
      } else {
        other.items.erase(other.items.begin() + static_cast<std::ptrdiff_t>(i));
      }
      if (std::binary_search(rules.begin(), rules.end(), other, before)) return true;
    }
    return false;
  };
  std::vector<char> is_dropped(rules.size());
  tbb::parallel_for(std::size_t{0}, rules.size(),
                    [&](std::size_t i) { is_dropped[i] = is_less_general(rules[i]) ? 1 : 0; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (is_dropped[i]) continue;
    if (kept != i) rules[kept] = std::move(rules[i]);
    ++kept;
  }
  rules.resize(kept);
}

// The largest log chance at which a rule still counts. `chances`: of what holds, as logarithms.
// What was tested and does not hold has the chance 1: the test looks at nothing but whether there
// is a record at all.
double allowed_chance(std::vector<double>& chances, std::uint64_t tested,
                      const MiningRules& rules) {
  const double alpha = std::log1p(-rules.min_expectation);
  std::sort(chances.begin(), chances.end());
  const auto log_of = [](std::uint64_t number) { return std::log(static_cast<double>(number)); };
  double allowed = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < chances.size(); ++i) {
    if (rules.correction == MiningRules::Correction::holm) {
      const double bound = alpha - log_of(tested - i);
      if (chances[i] > bound) break;  // from the first that fails on, all fail
      allowed = bound;
    } else {
      const double bound = alpha + log_of(i + 1) - log_of(tested);
      if (chances[i] <= bound) allowed = bound;  // up to the last that passes, all pass
    }
  }
  return allowed;
}

NegativeRule as_rule(const Space& space, const Dictionary& values, const Holding& holding) {
  NegativeRule rule;
  for (const std::uint32_t number : holding.items) {
    const auto [column, item] = space.find(number);
    const Domain& domain = space.list.domains[column->domain];
    rule.conditions.push_back({column->domain, domain.tree ? region_of_node(domain, item->node)
                                                           : region_of_value(domain, item->first)});
  }
  std::sort(rule.conditions.begin(), rule.conditions.end(),
            [](const auto& a, const auto& b) { return a.column < b.column; });
  rule.value = values.labels[holding.value];
  rule.code = holding.value;
  rule.records = static_cast<std::uint64_t>(holding.support);
  rule.expectation = -std::expm1(space.values.log_chance(holding.value, holding.support));
  rule.source = NegativeRule::Source::mined;
  return rule;
}

bool stands_before(const NegativeRule& a, const NegativeRule& b) {
  if (a.code != b.code) return a.code < b.code;
  if (a.conditions.size() != b.conditions.size()) return a.conditions.size() < b.conditions.size();
  for (std::size_t i = 0; i < a.conditions.size(); ++i) {
    const auto& one = a.conditions[i];
    const auto& other = b.conditions[i];
    if (one.column != other.column) return one.column < other.column;
    if (one.region != other.region) return one.region < other.region;
  }
  return false;
}

}  // namespace

double expectation_of(double share, double support) {
  return support > 0 ? -std::expm1(support * std::log1p(-share)) : 0;
}

Mined mine_rules(const FrequencyList& list, std::size_t sensitive, const MiningRules& rules) {
  Mined mined;
  if (list.records == 0) return mined;
  const auto dictionary =
      std::find_if(list.plain.begin(), list.plain.end(),
                   [&](const auto& plain) { return plain.name == list.sensitive[sensitive]; });

  Space space{list, make_values(list, sensitive, rules.min_expectation), {}, 0, false};
  space.wants_chances = rules.correction != MiningRules::Correction::none;
  const bool fuzzy = rules.membership == MiningRules::Membership::fuzzy;
  for (std::size_t i = 0; i < list.domains.size(); ++i) {
    SearchColumn column = make_column(list, i, fuzzy, space.values.least);
    if (!column.items.empty()) space.columns.push_back(std::move(column));
  }
  // Each record is in as many branches as items of it are above each other: flat columns first.
  std::stable_sort(space.columns.begin(), space.columns.end(),
                   [](const auto& a, const auto& b) { return a.height < b.height; });
  std::uint32_t number = 0;
  for (SearchColumn& column : space.columns) {
    column.first_number = number;
    number += static_cast<std::uint32_t>(column.items.size());
  }
  space.max_items = std::min(rules.max_items, space.columns.size());

  std::vector<Member> members(list.size());
  for (std::uint32_t entry = 0; entry < list.size(); ++entry)
    members[entry] = {entry, list.values[sensitive][entry],
                      static_cast<double>(list.weights[entry])};
  Wanted wanted;
  for (Code value = 0; value < space.values.need.size(); ++value) {
    if (std::isfinite(space.values.need[value])) wanted.open.push_back(value);
  }
  tbb::enumerable_thread_specific<Search> searches([&] { return Search(space); });
  for (std::size_t index = 0; index < space.columns.size(); ++index)
    Search::begin(members, index, wanted, searches, space);
  Findings all;
  for (Search& search : searches) {
    Findings& part = search.findings;
    std::move(part.rules.begin(), part.rules.end(), std::back_inserter(all.rules));
    all.supports.insert(all.supports.end(), part.supports.begin(), part.supports.end());
    all.chances.insert(all.chances.end(), part.chances.begin(), part.chances.end());
    all.holding += part.holding;
  }

  // The same support gives the same chances: they are worked out once.
  std::sort(all.supports.begin(), all.supports.end());
  const auto for_tests = [&](const auto& use) {
    for (auto run = all.supports.begin(); run != all.supports.end();) {
      const auto end = std::upper_bound(run, all.supports.end(), *run);
      for (const Code value : wanted.open) {
        if (*run >= space.values.need[value])
          use(space.values.log_chance(value, *run), static_cast<std::uint64_t>(end - run));
      }
      run = end;
    }
  };
  for_tests([&](double /*chance*/, std::uint64_t times) { mined.tested += times; });
  double allowed = std::numeric_limits<double>::infinity();
  mined.holding = all.holding;
  if (space.wants_chances) {
    allowed = allowed_chance(all.chances, mined.tested, rules);
    mined.holding = static_cast<std::uint64_t>(
        std::upper_bound(all.chances.begin(), all.chances.end(), allowed) - all.chances.begin());
    // A rule is no less probable than a less general one: all that is more general stays, too.
    std::erase_if(all.rules, [&](const Holding& rule) {
      return space.values.log_chance(rule.value, rule.support) > allowed;
    });
  }
  for_tests([&](double chance, std::uint64_t times) {
    if (chance <= allowed) mined.by_luck += static_cast<double>(times) * std::exp(chance);
  });
  keep_most_general(space, all.rules);
  for (const Holding& holding : all.rules)
    mined.rules.push_back(as_rule(space, dictionary->values, holding));
  if (fuzzy) {  // then support is more than the records that satisfy X
    const std::vector<RuleCount> counts = count_rules(list, sensitive, mined.rules);
    for (std::size_t i = 0; i < counts.size(); ++i) mined.rules[i].records = counts[i].records;
  }
  std::sort(mined.rules.begin(), mined.rules.end(), stands_before);
  return mined;
}

}  // namespace throng
