#include "algorithms/view.h"

#include <algorithm>
#include <tuple>

#include "privacy/requirements.h"

namespace throng {
namespace {

// Shares are compared as the audit compares them.
constexpr double kRounding = 1e-9;

}  // namespace

// Counts the records of some groups at once, each entry as it comes; then says how a group stands.
class View::Counter {
 public:
  explicit Counter(const Measure& measure) : measure_(measure) {
    items_.resize(1);
    runs_.resize(1);
  }

  void begin(std::size_t groups) {
    groups_ = groups;
    weight_.assign(groups, 0);
    if (simple()) return;
    tuple_.assign(groups, 0);
    if (!measure_.one_tuple) {
      if (items_.size() < groups) items_.resize(groups);
      for (std::size_t i = 0; i < groups; ++i) items_[i].clear();
    } else if (measure_.kind == Measure::Kind::values) {
      distinct_.assign(groups, 0);
      last_y_.assign(groups, kNoY);
    } else if (measure_.kind == Measure::Kind::diversity ||
               measure_.kind == Measure::Kind::linkability) {
      if (runs_.size() < groups) runs_.resize(groups);
      for (std::size_t i = 0; i < groups; ++i) runs_[i].clear();
    }
  }

  bool simple() const { return measure_.kind == Measure::Kind::records && !measure_.joined; }
  void add_weight(std::size_t group, std::uint32_t weight) { weight_[group] += weight; }

  void add(std::size_t group, std::uint32_t tuple, std::uint32_t y, std::uint32_t weight) {
    weight_[group] += weight;
    tuple_[group] = tuple;
    if (!measure_.one_tuple) {
      items_[group].push_back({tuple, y, weight});
    } else if (measure_.kind == Measure::Kind::values) {
      distinct_[group] += last_y_[group] != y ? 1 : 0;
      last_y_[group] = y;
    } else if (measure_.kind == Measure::Kind::diversity ||
               measure_.kind == Measure::Kind::linkability) {
      auto& runs = runs_[group];
      if (!runs.empty() && runs.back().y == y) {
        runs.back().weight += weight;
      } else {
        runs.push_back({0, y, weight});
      }
    }
  }

  Standing finish(std::size_t group) {
    if (weight_[group] == 0) return {};
    const auto records = static_cast<double>(weight_[group]);
    if (simple()) return at_least(records);
    if (!measure_.one_tuple) return join(items_[group]);
    if (measure_.joined && !measure_.join->matched(tuple_[group])) return {};
    switch (measure_.kind) {
      case Measure::Kind::records:
        return at_least(records);
      case Measure::Kind::pairs:
        return at_least(records * static_cast<double>(found(group).least_weight));
      case Measure::Kind::values:
        return at_least(static_cast<double>(distinct_[group]) *
                        (measure_.joined ? static_cast<double>(found(group).least_distinct) : 1));
      case Measure::Kind::diversity:
        return diverse(runs_[group]);
      case Measure::Kind::linkability:
        break;
    }
    shares_.assign(measure_.max.size(), 0);
    for (const Item& run : runs_[group]) {
      for (const std::uint32_t guard : measure_.join->guards(run.y))
        shares_[guard] += static_cast<double>(run.weight);
    }
    for (double& share : shares_) share /= records;
    if (measure_.joined) {
      const std::vector<double>& theirs = found(group).shares;
      for (std::size_t i = 0; i < shares_.size(); ++i) {
        if (!measure_.guard_is_here[i]) shares_[i] = theirs[i];
      }
    }
    return linked(shares_.data());
  }

 private:
  static constexpr std::uint32_t kNoY = ~std::uint32_t{0};
  struct Item {
    std::uint32_t tuple = 0, y = 0;
    std::uint64_t weight = 0;
  };

  const PreviousJoin::Matches& found(std::size_t group) {
    return measure_.join->matches(measure_.requirement, tuple_[group]);
  }
  Standing at_least(double count) const { return {count, count >= measure_.k}; }
  Standing linked(const double* shares) const {
    Standing standing{0, true};
    for (std::size_t i = 0; i < measure_.max.size(); ++i) {
      standing.level = std::min(standing.level, -shares[i]);
      standing.holds = standing.holds && shares[i] <= measure_.max[i] * (1 + kRounding);
    }
    return standing;
  }
  Standing diverse(const std::vector<Item>& runs) {
    counts_.clear();
    for (const Item& run : runs) counts_.push_back(static_cast<std::uint32_t>(run.weight));
    const Diversity& asked = measure_.diversity;
    return {diversity_of(asked.variant, asked.c, counts_), is_diverse(asked, counts_)};
  }

  // Rows with one x come from several tuples: they are put together here.
  Standing join(std::vector<Item>& items) {
    std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
      return a.tuple != b.tuple ? a.tuple < b.tuple : a.y < b.y;
    });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (kept > 0 && items[kept - 1].tuple == items[i].tuple && items[kept - 1].y == items[i].y) {
        items[kept - 1].weight += items[i].weight;
      } else {
        items[kept++] = items[i];
      }
    }
    items.resize(kept);
    PreviousJoin& previous = *measure_.join;
    for (const Item& item : items) previous.matches(measure_.requirement, item.tuple);
    const std::size_t wide = previous.x_count(measure_.requirement);
    return measure_.kind == Measure::Kind::values        ? join_values(items)
           : measure_.kind == Measure::Kind::linkability ? join_links(items, wide)
                                                         : join_counts(items, wide);
  }

  Standing join_counts(const std::vector<Item>& items, std::size_t wide) {
    if (total_.size() < wide) total_.resize(wide, 0);
    seen_.clear();
    for (std::size_t i = 0; i < items.size();) {
      const std::uint32_t tuple = items[i].tuple;
      std::uint64_t weight = 0;
      for (; i < items.size() && items[i].tuple == tuple; ++i) weight += items[i].weight;
      const auto& cells = measure_.join->matches(measure_.requirement, tuple).cells;
      for (std::size_t c = 0; c < cells.size(); ++c) {
        const bool first = c == 0 || cells[c].x != cells[c - 1].x;
        if (measure_.kind == Measure::Kind::records && !first) continue;
        if (total_[cells[c].x] == 0) seen_.push_back(cells[c].x);
        total_[cells[c].x] +=
            measure_.kind == Measure::Kind::records ? weight : weight * cells[c].weight;
      }
    }
    Standing standing;
    for (const std::uint32_t x : seen_) {
      standing.add(at_least(static_cast<double>(total_[x])));
      total_[x] = 0;
    }
    return standing;
  }

  Standing join_values(const std::vector<Item>& items) {
    rows_.clear();
    for (const Item& item : items) {
      for (const auto& cell : measure_.join->matches(measure_.requirement, item.tuple).cells)
        rows_.push_back({cell.x, item.y, cell.y});
    }
    std::sort(rows_.begin(), rows_.end());
    rows_.erase(std::unique(rows_.begin(), rows_.end()), rows_.end());
    Standing standing;
    for (std::size_t i = 0; i < rows_.size();) {
      std::size_t end = i;
      while (end < rows_.size() && rows_[end].x == rows_[i].x) ++end;
      standing.add(at_least(static_cast<double>(end - i)));
      i = end;
    }
    return standing;
  }

  Standing join_links(const std::vector<Item>& items, std::size_t wide) {
    const std::size_t guards = measure_.max.size();
    if (total_.size() < wide) total_.resize(wide, 0);
    if (having_.size() < wide * guards) having_.resize(wide * guards, 0);
    seen_.clear();
    for (const Item& item : items) {
      for (const auto& cell : measure_.join->matches(measure_.requirement, item.tuple).cells) {
        const std::uint64_t rows = item.weight * cell.weight;
        if (total_[cell.x] == 0) seen_.push_back(cell.x);
        total_[cell.x] += rows;
        for (const std::uint32_t guard : measure_.join->guards(item.y))
          having_[cell.x * guards + guard] += rows;
        if (cell.y == 0) continue;
        const auto& mine = measure_.join->guards(item.y);
        for (const std::uint32_t guard : measure_.join->guards(cell.y)) {
          if (!std::binary_search(mine.begin(), mine.end(), guard))
            having_[cell.x * guards + guard] += rows;
        }
      }
    }
    Standing standing;
    for (const std::uint32_t x : seen_) {
      shares_.assign(guards, 0);
      for (std::size_t guard = 0; guard < guards; ++guard) {
        shares_[guard] =
            static_cast<double>(having_[x * guards + guard]) / static_cast<double>(total_[x]);
        having_[x * guards + guard] = 0;
      }
      total_[x] = 0;
      standing.add(linked(shares_.data()));
    }
    return standing;
  }

  struct Row {
    std::uint32_t x = 0, here = 0, there = 0;
    bool operator==(const Row&) const = default;
    bool operator<(const Row& other) const {
      return std::tie(x, here, there) < std::tie(other.x, other.here, other.there);
    }
  };

  const Measure& measure_;
  std::size_t groups_ = 0;
  std::vector<std::uint64_t> weight_;
  std::vector<std::uint32_t> tuple_, distinct_, last_y_, counts_, seen_;
  std::vector<std::vector<Item>> items_, runs_;
  std::vector<double> shares_;
  std::vector<std::uint64_t> total_, having_;
  std::vector<Row> rows_;
};

View::View(std::shared_ptr<const ViewTable> table, Trees& trees, const Cuts& cuts)
    : table_(std::move(table)), tuple_(table_->tuple), y_(table_->y) {
  order_.resize(table_->weights.size());
  for (std::uint32_t i = 0; i < order_.size(); ++i) order_[i] = i;
  const std::size_t count = table_->begin.size();
  for (std::size_t i = 0; i < count; ++i) {
    parts_.push_back({table_->begin[i], i + 1 < count ? table_->begin[i + 1]
                                                      : static_cast<std::uint32_t>(order_.size())});
  }
  standing_.resize(count);
  nodes_.assign(count * width(), AttributeTree::kRoot);
  trial_.resize(count * width());
  links_.resize(width());
  after_.resize(width());
  fresh_.assign(width(), 0);
  for (std::size_t c = 0; c < width(); ++c) {
    links_[c].resize(1);
    for (std::uint32_t part = 0; part < count; ++part) links_[c][0].push_back(part);
  }
  Counter counter(table_->measure);
  const Closed none(trees.size());
  for (std::size_t part = 0; part < count; ++part) {
    stand(part, counter);
    try_columns(part, trees, cuts, none, counter);
  }
  sum_up();
}

std::size_t View::find(std::size_t attribute) const {
  std::size_t column = 0;
  while (column < width() && table_->columns[column].attribute != attribute) ++column;
  return column;
}

void View::stand(std::size_t part, Counter& counter) {
  counter.begin(1);
  for (std::uint32_t i = parts_[part].begin; i < parts_[part].end; ++i) {
    const std::uint32_t entry = order_[i];
    if (counter.simple()) {
      counter.add_weight(0, table_->weights[entry]);
    } else {
      counter.add(0, tuple_[entry], y_[entry], table_->weights[entry]);
    }
  }
  standing_[part] = counter.finish(0);
}

std::uint32_t View::tuple_below(std::uint32_t tuple, const ViewTable::Column& column, Node node,
                                std::uint32_t child, Trees& trees) const {
  if (column.join == ViewTable::Column::kNone || !table_->measure.joined) return tuple;
  return table_->measure.join->refine(tuple, column.join,
                                      trees[column.attribute].children(node))[child];
}

std::uint32_t View::y_below(std::uint32_t y, std::size_t column, Node child) {
  const ViewTable::Column& by = table_->columns[column];
  if (!by.changes_y) return y;
  if (table_->measure.kind == Measure::Kind::linkability) {
    std::vector<std::uint32_t> guards;
    for (std::uint32_t guard = 0; guard < by.in.size(); ++guard) {
      if (!by.in[guard].empty() && by.in[guard][child]) guards.push_back(guard);
    }
    return table_->measure.join->unite(y, table_->measure.join->set_of(std::move(guards)));
  }
  // Values that were one become several: each gets a number of its own.
  const std::uint64_t key = (std::uint64_t{y} << 32U) | (std::uint64_t{child} << 8U) | column;
  const auto place =
      y_numbers_.try_emplace(key, static_cast<std::uint32_t>(0x80000000U + y_numbers_.size()));
  return place.first->second;
}

void View::try_columns(std::size_t part, Trees& trees, const Cuts& cuts, const Closed& closed,
                       Counter& counter) {
  for (std::size_t c = 0; c < width(); ++c) {
    const ViewTable::Column& column = table_->columns[c];
    if (!column.splits) continue;
    const Node node = nodes_[part * width() + c];
    const auto& shut = closed[column.attribute];
    if (node < shut.size() && shut[node]) continue;
    const std::size_t children = trees[column.attribute].children(node).size();
    Standing& trial = trial_[part * width() + c];
    trial = standing_[part];
    if (children == 0) continue;
    const std::vector<std::uint32_t>& child_of = cuts[column.attribute].child;
    counter.begin(children);
    if (counter.simple()) {
      for (std::uint32_t i = parts_[part].begin; i < parts_[part].end; ++i) {
        const std::uint32_t entry = order_[i];
        counter.add_weight(child_of[column.positions[entry]], table_->weights[entry]);
      }
    } else {
      for (std::uint32_t i = parts_[part].begin; i < parts_[part].end; ++i) {
        const std::uint32_t entry = order_[i];
        const std::uint32_t child = child_of[column.positions[entry]];
        counter.add(child, tuple_below(tuple_[entry], column, node, child, trees), y_[entry],
                    table_->weights[entry]);
      }
    }
    trial = {};
    for (std::size_t child = 0; child < children; ++child) trial.add(counter.finish(child));
  }
}

void View::split(std::size_t part, std::size_t c, Node node, Trees& trees, const Cuts& cuts) {
  const ViewTable::Column& column = table_->columns[c];
  const auto children = trees[column.attribute].children(node);
  const std::vector<Node>& node_of = cuts[column.attribute].node;
  std::vector<std::vector<std::uint32_t>> entries(children.size());
  const Part whole = parts_[part];
  for (std::uint32_t i = whole.begin; i < whole.end; ++i) {
    const std::uint32_t entry = order_[i];
    const Node to = node_of[column.positions[entry]];
    const auto child = static_cast<std::uint32_t>(
        std::lower_bound(children.begin(), children.end(), to) - children.begin());
    tuple_[entry] = tuple_below(tuple_[entry], column, node, child, trees);
    entries[child].push_back(entry);
  }
  std::uint32_t at = whole.begin;
  bool first = true;
  for (std::size_t child = 0; child < children.size(); ++child) {
    if (entries[child].empty()) continue;
    std::size_t number = part;
    if (!first) {
      number = parts_.size();
      parts_.emplace_back();
      standing_.emplace_back();
      trial_.resize(trial_.size() + width());
      for (std::size_t other = 0; other < width(); ++other) {
        const Node same = nodes_[part * width() + other];
        nodes_.push_back(same);
        if (other != c && table_->columns[other].splits)
          links_[other][same].push_back(static_cast<std::uint32_t>(number));
      }
    }
    first = false;
    nodes_[number * width() + c] = children[child];
    links_[c][children[child]].push_back(static_cast<std::uint32_t>(number));
    parts_[number].begin = at;
    for (const std::uint32_t entry : entries[child]) order_[at++] = entry;
    parts_[number].end = at;
  }
}

void View::specialize(std::size_t attribute, Node node, Trees& trees, const Cuts& cuts,
                      const Closed& closed) {
  const std::size_t c = find(attribute);
  if (c == width()) return;
  std::fill(fresh_.begin(), fresh_.end(), 0);
  const ViewTable::Column& column = table_->columns[c];
  const auto children = trees[attribute].children(node);
  Counter counter(table_->measure);
  if (!column.splits) {
    const std::vector<Node>& node_of = cuts[attribute].node;
    for (std::size_t entry = 0; entry < order_.size(); ++entry) {
      const Node to = node_of[column.positions[entry]];
      const auto at = std::lower_bound(children.begin(), children.end(), to);
      if (at == children.end() || *at != to) continue;
      tuple_[entry] = tuple_below(tuple_[entry], column, node,
                                  static_cast<std::uint32_t>(at - children.begin()), trees);
      y_[entry] = y_below(y_[entry], c, to);
    }
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      stand(part, counter);
      try_columns(part, trees, cuts, closed, counter);
    }
    sum_up();
    return;
  }
  if (children.empty()) return;
  links_[c].resize(std::max<std::size_t>(links_[c].size(), children.back() + 1));
  const std::vector<std::uint32_t> parts = std::move(links_[c][node]);
  links_[c][node].clear();
  const std::size_t before = parts_.size();
  for (const std::uint32_t part : parts) split(part, c, node, trees, cuts);
  const auto renew = [&](std::size_t part) {
    stand(part, counter);
    try_columns(part, trees, cuts, closed, counter);
  };
  for (const std::uint32_t part : parts) renew(part);
  for (std::size_t part = before; part < parts_.size(); ++part) renew(part);
  sum_up();
}

void View::sum_up() {
  all_ = {};
  for (const Standing& standing : standing_) all_.add(standing);
}

// With one node of the column specialized: its parts as they would stand, all others as they do.
void View::find_after(std::size_t c, Trees& trees, const Cuts& cuts) {
  fresh_[c] = 1;
  const ViewTable::Column& column = table_->columns[c];
  std::vector<Standing>& after = after_[c];
  if (!column.splits) {
    after.assign(trees[column.attribute].nodes(), {});
    std::vector<char> done(after.size(), 0);
    for (const Node node : cuts[column.attribute].node) {
      if (done[node]) continue;
      done[node] = 1;
      after[node] = changed(c, node, trees, cuts);
    }
    return;
  }
  const std::size_t nodes = links_[c].size();
  std::vector<Standing> now(nodes), then(nodes);
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    const Node node = nodes_[part * width() + c];
    now[node].add(standing_[part]);
    then[node].add(trial_[part * width() + c]);
  }
  // The worst of all nodes but one: of those before it and those behind it.
  std::vector<Standing> behind(nodes + 1);
  for (std::size_t node = nodes; node-- > 0;) {
    behind[node] = behind[node + 1];
    behind[node].add(now[node]);
  }
  after.assign(nodes, {});
  Standing ahead;
  for (std::size_t node = 0; node < nodes; ++node) {
    after[node] = then[node];
    after[node].add(ahead);
    after[node].add(behind[node + 1]);
    ahead.add(now[node]);
  }
}

// A column that is not in x: its node may be in any part, beside others.
Standing View::changed(std::size_t c, Node node, Trees& trees, const Cuts& cuts) {
  const ViewTable::Column& column = table_->columns[c];
  const CutMap& cut = cuts[column.attribute];
  const std::vector<Node> children(trees[column.attribute].children(node).begin(),
                                   trees[column.attribute].children(node).end());
  if (children.empty()) return all_;
  Counter counter(table_->measure);
  Standing result;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    bool touched = false;
    counter.begin(1);
    for (std::uint32_t i = parts_[part].begin; i < parts_[part].end; ++i) {
      const std::uint32_t entry = order_[i];
      const Code position = column.positions[entry];
      std::uint32_t tuple = tuple_[entry], y = y_[entry];
      if (cut.node[position] == node) {
        touched = true;
        tuple = tuple_below(tuple, column, node, cut.child[position], trees);
        y = y_below(y, c, children[cut.child[position]]);
      }
      counter.add(0, tuple, y, table_->weights[entry]);
    }
    result.add(touched ? counter.finish(0) : standing_[part]);
  }
  return result;
}

Standing View::after(std::size_t attribute, Node node, Trees& trees, const Cuts& cuts) {
  const std::size_t c = find(attribute);
  if (c == width()) return all_;
  if (!fresh_[c]) find_after(c, trees, cuts);
  return after_[c][node];
}

double View::squares() const {
  double sum = 0;
  for (const Standing& standing : standing_) sum += standing.level * standing.level;
  return sum;
}

double View::told_right() const {
  const auto last = std::max_element(table_->y.begin(), table_->y.end());
  std::vector<std::uint64_t> counts(last == table_->y.end() ? 1 : *last + 1);
  std::uint64_t right = 0;
  for (const Part& part : parts_) {
    std::fill(counts.begin(), counts.end(), 0);
    for (std::uint32_t i = part.begin; i < part.end; ++i)
      counts[y_[order_[i]]] += table_->weights[order_[i]];
    right += *std::max_element(counts.begin(), counts.end());
  }
  return static_cast<double>(right);
}

double View::most_told_right(const Cuts& cuts, const Closed& open) const {
  const auto last = std::max_element(table_->y.begin(), table_->y.end());
  const std::size_t classes = last == table_->y.end() ? 1 : *last + 1;
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> counts;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    for (std::uint32_t i = parts_[part].begin; i < parts_[part].end; ++i) {
      const std::uint32_t entry = order_[i];
      std::uint64_t key = part + 1;
      for (std::size_t c = 0; c < width(); ++c) {
        const ViewTable::Column& column = table_->columns[c];
        const Node node = cuts[column.attribute].node[column.positions[entry]];
        const auto& ways = open[column.attribute];
        const bool is_open = node < ways.size() && ways[node];
        key *= 0x9E3779B97F4A7C15ULL;  // first: numbers of parts and positions are both small
        key ^= key >> 29U;
        key ^= is_open ? column.positions[entry] + 1 : 0;
      }
      auto& own = counts[key];
      own.resize(classes);
      own[y_[entry]] += table_->weights[entry];
    }
  }
  std::uint64_t right = 0;
  for (const auto& own : counts) right += *std::max_element(own.second.begin(), own.second.end());
  return static_cast<double>(right);
}

double View::squares_saved(std::size_t attribute, Node node, Trees& trees, const Cuts& cuts) const {
  const std::size_t c = find(attribute);
  if (c == width()) return 0;
  const ViewTable::Column& column = table_->columns[c];
  const std::vector<std::uint32_t>& child_of = cuts[attribute].child;
  std::vector<double> sizes(trees[attribute].children(node).size());
  double saved = 0;
  for (const std::uint32_t part : links_[c][node]) {
    std::fill(sizes.begin(), sizes.end(), 0);
    for (std::uint32_t i = parts_[part].begin; i < parts_[part].end; ++i)
      sizes[child_of[column.positions[order_[i]]]] += table_->weights[order_[i]];
    saved += standing_[part].level * standing_[part].level;
    for (const double size : sizes) saved -= size * size;
  }
  return saved;
}

}  // namespace throng
