#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "algorithms/specialization.h"
#include "table/sorted_keys.h"
#include "throng/error.h"

namespace throng {
namespace {

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// A column of T1 by what the plan needs to know of it.
struct Current {
  std::string name;
  bool is_quasi = false;
  std::size_t index = 0;  // of the list's domains or plain columns
  std::size_t join = kNone;
  std::size_t attribute = kNone;  // of the trees
  static constexpr std::size_t kNone = ~std::size_t{0};
};

class Planner {
 public:
  Planner(FrequencyList& list, std::span<const Release> previous, const Policy& policy)
      : list_(list), previous_(previous), policy_(policy) {}

  SpecializationPlan make() {
    plan_.asked = policy_.xy;
    plan_.goal = policy_.goal;
    list_columns();
    check_requirements();
    find_join();
    choose_attributes();
    name_guards();
    make_trees();
    make_join();
    if (!previous_.empty()) find_dangling();
    fix_tuples();
    make_views();
    plan_.records = list_.records;
    return std::move(plan_);
  }

 private:
  bool before(const std::string& name) const { return has(previous_names_, name); }
  const Current* find(const std::string& name) const {
    const auto at = std::find_if(columns_.begin(), columns_.end(),
                                 [&](const Current& column) { return column.name == name; });
    return at == columns_.end() ? nullptr : &*at;
  }
  std::string place(const XyRequirement& asked) const {
    return fmt::format("{}:{}", policy_.source, asked.line);
  }
  // The columns of y of a requirement, whatever its kind.
  static std::vector<std::string> y_of(const XyRequirement& asked) {
    std::vector<std::string> names = asked.y;
    for (const auto& guarded : asked.guarded) {
      if (!has(names, guarded.column)) names.push_back(guarded.column);
    }
    return names;
  }
  bool by_class() const { return policy_.k > 1 || !policy_.diversities.empty(); }

  void list_columns();
  void check_requirements() const;
  void find_join();
  void choose_attributes();
  void name_guards();
  void make_join();
  JoinColumn join_column(const Current& column, bool by_value) const;
  void find_dangling();
  void match_exactly(std::size_t level, std::size_t begin, std::size_t end,
                     PreviousJoin::Tuple tuple, const std::vector<std::vector<Code>>& values,
                     std::vector<char>& dangles);
  void drop(const std::vector<char>& dangles);
  void fix_tuples();
  void make_trees();
  void make_views();
  // Whether x has all columns of the previous releases that a value of T1 can be inconsistent with.
  bool has_partners(const std::vector<std::string>& x) const;
  void add_requirement(std::size_t number);
  // `label`: a column of y that stays what it is in T1, whatever is released of it.
  std::shared_ptr<const ViewTable> make_view(const std::vector<std::string>& x,
                                             const std::vector<std::string>& y, Measure measure,
                                             const Current* label = nullptr);

  // The codes of a column of T1, by combination of the list's plain columns.
  std::vector<Code> codes_of(const Current& column) const;
  // These combinations by their values on some columns.
  SortedKeys sort_rows(const std::vector<const Current*>& columns) const {
    std::vector<CodeColumn> keys;
    for (const Current* column : columns) keys.push_back({codes_of(*column), domain_of(*column)});
    return sort_columns(keys, list_.plain_weights);
  }
  std::size_t domain_of(const Current& column) const {
    return column.is_quasi ? list_.domains[column.index].size()
                           : list_.plain[column.index].values.size();
  }

  FrequencyList& list_;
  std::span<const Release> previous_;
  const Policy& policy_;
  SpecializationPlan plan_;
  std::vector<Current> columns_;
  std::vector<std::string> previous_names_;
  bool dangles_ = false;  // somebody does, in T1 or before
  // What join columns that are not specialized make of the root, by row; and the tuple of each.
  std::vector<Code> fixed_of_row_;
  std::vector<PreviousJoin::Tuple> fixed_tuples_;
};

void Planner::list_columns() {
  for (const FrequencyList::Slot& slot : list_.layout) {
    Current& column = columns_.emplace_back();
    column.is_quasi = slot.quasi;
    column.index = slot.index;
    column.name = slot.quasi ? list_.domains[slot.index].name : list_.plain[slot.index].name;
  }
  for (const Release& release : previous_) {
    for (const auto& column : release.quasi) previous_names_.push_back(column.domain.name);
    for (const auto& column : release.plain) previous_names_.push_back(column.name);
  }
}

void Planner::check_requirements() const {
  for (const XyRequirement& asked : policy_.xy) {
    const std::vector<std::string> y = y_of(asked);
    for (const auto* names : {&asked.x, &y}) {
      for (const std::string& name : *names) {
        if (find(name) != nullptr || before(name)) continue;
        throw InputError(
            fmt::format("{}: column '{}' of {} is in neither the table nor a previous release; "
                        "expected a column that one of them has",
                        place(asked), name, names == &y ? "y" : "x"));
      }
    }
    if (asked.kind != XyRequirement::Kind::linkability) continue;
    const auto only = [&](bool here) {
      return std::find_if(y.begin(), y.end(), [&](const std::string& name) {
        return (find(name) != nullptr) == here && before(name) != here;
      });
    };
    if (only(true) != y.end() && only(false) != y.end()) {
      throw InputError(fmt::format(
          "{}: y of xy-linkability has values from both tables ('{}' of the table, '{}' of a "
          "previous release); what holds for the whole then says nothing about its parts (lemma "
          "4.2): give them as two requirements",
          place(asked), *only(true), *only(false)));
    }
  }
}

// Columns of T1 that a match depends on: those that it has in common with a previous release, and
// those that cannot belong to one person with some other of theirs.
void Planner::find_join() {
  std::size_t count = 0;
  for (Current& column : columns_) {
    bool joins = before(column.name);
    if (joins && column.is_quasi && !list_.domains[column.index].tree) {
      throw InputError(fmt::format(
          "{}: column '{}' joins the table with a previous release and has no hierarchy; give it "
          "one, so that their values can be compared",
          policy_.source, column.name));
    }
    for (const InconsistentPair& pair : policy_.inconsistent) {
      joins = joins || (pair.one.column == column.name && before(pair.other.column)) ||
              (pair.other.column == column.name && before(pair.one.column));
    }
    if (joins && column.is_quasi && list_.domains[column.index].kind == Domain::Kind::interval) {
      throw InputError(
          fmt::format("{}: column '{}' of an inconsistent pair has no hierarchy; give it one",
                      policy_.source, column.name));
    }
    if (!joins || previous_.empty()) continue;
    column.join = count++;
    plan_.join_columns.push_back(column.name);
  }
}

void Planner::choose_attributes() {
  for (Current& column : columns_) {
    if (!column.is_quasi) continue;
    bool in_x = false, in_y = false;
    for (const XyRequirement& asked : policy_.xy) {
      in_x = in_x || has(asked.x, column.name);
      in_y = in_y || has(y_of(asked), column.name);
    }
    const bool joins = column.join != Current::kNone;
    if (!by_class() && !in_x && !(joins && !in_y)) continue;
    column.attribute = plan_.quasi.size();
    plan_.quasi.push_back(column.index);
  }
}

// `y: test` stands for each value of the column that occurs.
void Planner::name_guards() {
  for (const XyRequirement& asked : policy_.xy) {
    auto& guards = plan_.guards.emplace_back();
    for (std::size_t entry = 0; entry < asked.guarded.size(); ++entry) {
      const XyRequirement::Guarded& guarded = asked.guarded[entry];
      std::vector<std::string> texts;
      if (guarded.value) {
        texts.push_back(*guarded.value);
      } else {
        if (const Current* column = find(guarded.column)) {
          if (column->attribute != Current::kNone) {
            throw InputError(
                fmt::format("{}: y stands for each value of column '{}', which another requirement "
                            "generalizes; expected its values by name",
                            place(asked), guarded.column));
          }
          std::vector<char> occurs(domain_of(*column), 0);
          for (const Code code : codes_of(*column)) occurs[code] = 1;
          for (std::size_t code = 0; code < occurs.size(); ++code) {
            if (!occurs[code]) continue;
            texts.push_back(column->is_quasi ? list_.domains[column->index].values.labels[code]
                                             : list_.plain[column->index].values.labels[code]);
          }
        }
        for (const Release& release : previous_) {
          for (const auto& column : release.quasi) {
            if (column.domain.name != guarded.column) continue;
            for (const Region& region : column.regions) {
              if (region.members.empty())
                texts.push_back(column.domain.tree ? column.domain.tree->label(region.node)
                                                   : write_region(column.domain, region));
            }
          }
          for (const auto& column : release.plain) {
            if (column.name == guarded.column)
              texts.insert(texts.end(), column.values.labels.begin(), column.values.labels.end());
          }
        }
        std::sort(texts.begin(), texts.end());
        texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
      }
      for (std::string& text : texts)
        guards.push_back({entry, guarded.column, std::move(text), guarded.max});
    }
  }
}

std::vector<Code> Planner::codes_of(const Current& column) const {
  if (!column.is_quasi) return list_.plain[column.index].codes;
  std::vector<Code> codes(list_.entry_of.size());
  const std::vector<Code>& positions = list_.positions[column.index];
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = positions[list_.entry_of[i]];
  return codes;
}

// The node of a hierarchy that a text of the policy names, as the positions below it. `before`:
// what T1 lacks a previous release may have; those look for it there.
Span named_in(const Domain& domain, const std::string& text, const std::string& source,
              bool before) {
  if (domain.tree) {
    const auto node = domain.tree->find(text);
    if (!node && before) return {1, 0};
    if (!node) {
      throw InputError(fmt::format("{}: '{}' is no value of the hierarchy of column '{}'", source,
                                   text, domain.name));
    }
    return {domain.tree->first(*node), domain.tree->last(*node)};
  }
  const auto position = domain.find(text);
  return position ? Span{*position, *position} : Span{1, 0};  // nothing lies within nothing
}

// `by_value`: its nodes are its values, not those of its tree.
JoinColumn Planner::join_column(const Current& column, bool by_value) const {
  JoinColumn join;
  join.name = column.name;
  join.from_root = !by_value;
  // What each node covers in T1's own order.
  std::vector<Span> own;
  if (by_value) {
    for (Code code = 0; code < domain_of(column); ++code) own.push_back({code, code});
  } else {
    const AttributeTree& tree = plan_.trees[column.attribute];
    const Domain& domain = tree.domain();
    for (AttributeTree::Node node = 0; node < tree.nodes(); ++node) {
      if (domain.tree && node != AttributeTree::kRoot) {
        const Hierarchy::Node at = tree.region(node).node;
        own.push_back({domain.tree->first(at), domain.tree->last(at)});
      } else if (node == AttributeTree::kRoot) {
        own.push_back({0, static_cast<Code>(domain.size() - 1)});
      } else {
        own.push_back({tree.low(node), tree.high(node)});
      }
    }
  }
  for (std::size_t pair = 0; pair < policy_.inconsistent.size(); ++pair) {
    for (const bool other : {false, true}) {
      const auto& side = other ? policy_.inconsistent[pair].other : policy_.inconsistent[pair].one;
      if (side.column != column.name) continue;
      join.pairs.push_back(2 * pair + (other ? 1 : 0));
      auto& listed = join.listed.emplace_back(own.size(), 0);
      if (column.is_quasi) {
        const Domain& domain = list_.domains[column.index];
        const Span named = named_in(domain, side.value, policy_.source, before(column.name));
        for (std::size_t node = 0; node < own.size(); ++node) {
          const bool whole = !by_value && node == AttributeTree::kRoot && !domain.tree;
          listed[node] = own[node].within(named) && !whole ? 1 : 0;
        }
      } else {
        const auto& labels = list_.plain[column.index].values.labels;
        for (std::size_t code = 0; code < own.size(); ++code)
          listed[code] = labels[code] == side.value ? 1 : 0;
      }
    }
  }
  // The same in the order of the previous releases.
  const Domain* theirs = nullptr;
  const Dictionary* labels = nullptr;
  for (const Release& release : previous_) {
    for (const auto& other : release.quasi) {
      if (other.domain.name == column.name) theirs = &other.domain;
    }
    for (const auto& other : release.plain) {
      if (other.name == column.name) labels = &other.values;
    }
  }
  if (labels != nullptr) {
    std::vector<std::pair<std::string_view, Code>> sorted;
    for (Code code = 0; code < labels->size(); ++code)
      sorted.push_back({labels->labels[code], code});
    std::sort(sorted.begin(), sorted.end());
    for (const std::string& label : list_.plain[column.index].values.labels) {
      const auto at = std::lower_bound(sorted.begin(), sorted.end(),
                                       std::pair<std::string_view, Code>(label, 0));
      const bool found = at != sorted.end() && at->first == label;
      // A value that no release has meets none of theirs.
      join.spans.push_back(
          found ? Span{at->second, at->second}
                : Span{static_cast<Code>(labels->size()), static_cast<Code>(labels->size())});
    }
  } else if (theirs != nullptr) {
    const Hierarchy& mine = *list_.domains[column.index].tree;
    std::vector<Code> moved;  // by position of T1: theirs
    for (Code at = 0; at < mine.leaves().size(); ++at) {
      const auto leaf = theirs->tree->find_leaf(mine.leaves().labels[at]);
      if (!leaf) {
        throw InputError(fmt::format("column '{}': '{}' is no value of its hierarchy", column.name,
                                     mine.leaves().labels[at]));
      }
      moved.push_back(*leaf);
    }
    for (AttributeTree::Node node = 0; node < own.size(); ++node) {
      const auto [low, high] =
          std::minmax_element(moved.begin() + own[node].low, moved.begin() + own[node].high + 1);
      Hierarchy::Node at = theirs->tree->cover(*low, *high);
      // Their tree may have more below the same label: it is built over their values too.
      if (!by_value && node == AttributeTree::kRoot) {
        at = theirs->tree->root();
      } else if (!by_value) {
        const Region region = plan_.trees[column.attribute].region(node);
        at = theirs->tree->find(mine.label(region.node)).value_or(at);
      }
      join.spans.push_back({theirs->tree->first(at), theirs->tree->last(at)});
    }
  }
  return join;
}

// Once by the nodes of the trees, once by values: columns()/2 of each.
void Planner::make_join() {
  std::vector<JoinColumn> columns;
  for (const bool by_value : {false, true}) {
    for (const Current& column : columns_) {
      if (column.join == Current::kNone) continue;
      columns.push_back(join_column(column, by_value || column.attribute == Current::kNone));
    }
  }
  plan_.join = std::make_unique<PreviousJoin>(previous_, std::move(columns), plan_.asked,
                                              plan_.guards, policy_.inconsistent);
}

// Every record at its values: who matches nobody then, in T1 and before?
void Planner::find_dangling() {
  std::vector<const Current*> joins;
  for (const Current& column : columns_) {
    if (column.join != Current::kNone) joins.push_back(&column);
  }
  std::vector<char> dangles(list_.entry_of.size(), 0);
  std::vector<std::vector<Code>> values;
  std::vector<std::uint32_t> combination(dangles.size(), 0);
  std::size_t count = 1;
  if (!joins.empty()) {
    const SortedKeys sorted = sort_rows(joins);
    for (std::size_t i = 0; i < joins.size(); ++i) values.push_back(sorted.column(i));
    combination = sorted.combination_of();
    count = sorted.size();
  }
  std::vector<char> alone(count, 0);
  match_exactly(0, 0, count, PreviousJoin::kRoot, values, alone);
  for (std::size_t i = 0; i < dangles.size(); ++i) {
    dangles[i] = alone[combination[i]];
    if (dangles[i]) plan_.dangling += list_.plain_weights[i];
  }
  plan_.dangling_previous = plan_.join->unmarked();
  if (plan_.dangling == list_.records) {
    throw InputError(
        "no record of the table matches any of the previous releases: their join is empty; are "
        "they of the same people?");
  }
  const std::uint64_t others = std::accumulate(plan_.dangling_previous.begin(),
                                               plan_.dangling_previous.end(), std::uint64_t{0});
  if (plan_.dangling + others > 0 && policy_.dangling == Dangling::error) {
    throw InputError(fmt::format(
        "{} records of the table and {} of the previous releases match nothing in the other; the "
        "requirements are about people who are in both: give `dangling: drop` to leave those of "
        "the table out, or `dangling: keep`",
        plan_.dangling, fmt::join(plan_.dangling_previous, ", ")));
  }
  const bool dropped = policy_.dangling == Dangling::drop && plan_.dangling > 0;
  dangles_ = others > 0 || (plan_.dangling > 0 && !dropped);
  if (!dropped) return;
  drop(dangles);
  make_trees();  // without them
  make_join();
}

void Planner::match_exactly(std::size_t level, std::size_t begin, std::size_t end,
                            PreviousJoin::Tuple tuple, const std::vector<std::vector<Code>>& values,
                            std::vector<char>& dangles) {
  PreviousJoin& join = *plan_.join;
  if (level == values.size()) {
    const bool matched = join.matched(tuple);
    if (matched) join.mark(tuple);
    dangles[begin] = matched ? 0 : 1;
    return;
  }
  std::vector<std::uint32_t> nodes, starts;
  for (std::size_t i = begin; i < end; ++i) {
    if (i > begin && values[level][i] == values[level][i - 1]) continue;
    nodes.push_back(values[level][i]);
    starts.push_back(static_cast<std::uint32_t>(i));
  }
  starts.push_back(static_cast<std::uint32_t>(end));
  const std::size_t mark = join.here();
  const std::vector<PreviousJoin::Tuple> below =
      join.refine(tuple, join.columns() / 2 + level, nodes);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    match_exactly(level + 1, starts[i], starts[i + 1], below[i], values, dangles);
  join.forget(mark, tuple, join.columns() / 2 + level);
}

void Planner::fix_tuples() {
  std::vector<const Current*> fixed;
  for (const Current& column : columns_) {
    if (column.join != Current::kNone && column.attribute == Current::kNone)
      fixed.push_back(&column);
  }
  fixed_of_row_.assign(list_.entry_of.size(), 0);
  fixed_tuples_ = {PreviousJoin::kRoot};
  if (fixed.empty()) return;
  const SortedKeys sorted = sort_rows(fixed);
  fixed_of_row_ = sorted.combination_of();
  fixed_tuples_.assign(sorted.size(), PreviousJoin::kRoot);
  // Only what occurs below a tuple is refined: combinations stand in the order of their columns.
  for (std::size_t i = 0; i < fixed.size(); ++i) {
    const std::vector<Code> values = sorted.column(i);
    const std::vector<PreviousJoin::Tuple> above = fixed_tuples_;
    for (std::size_t begin = 0; begin < values.size();) {
      std::size_t end = begin;
      std::vector<std::uint32_t> nodes;
      for (; end < values.size() && above[end] == above[begin]; ++end) {
        if (nodes.empty() || nodes.back() != values[end]) nodes.push_back(values[end]);
      }
      const auto& below = plan_.join->refine(above[begin], fixed[i]->join, nodes);
      std::size_t child = 0;
      for (std::size_t at = begin; at < end; ++at) {
        while (nodes[child] != values[at]) ++child;
        fixed_tuples_[at] = below[child];
      }
      begin = end;
    }
  }
}

void Planner::drop(const std::vector<char>& dangles) {
  FrequencyList& list = list_;
  std::vector<std::uint32_t> weights(list.size(), 0), place(list.size(), 0);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < dangles.size(); ++i) {
    if (dangles[i]) continue;
    weights[list.entry_of[i]] += list.plain_weights[i];
    for (auto& column : list.plain) column.codes[kept] = column.codes[i];
    list.entry_of[kept] = list.entry_of[i];
    list.plain_weights[kept] = list.plain_weights[i];
    ++kept;
  }
  for (auto& column : list.plain) column.codes.resize(kept);
  list.entry_of.resize(kept);
  list.plain_weights.resize(kept);
  std::uint32_t entries = 0;
  for (std::uint32_t entry = 0; entry < list.size(); ++entry) {
    place[entry] = entries;
    if (weights[entry] == 0) continue;
    for (auto& positions : list.positions) positions[entries] = positions[entry];
    for (auto& values : list.values) values[entries] = values[entry];
    weights[entries] = weights[entry];
    ++entries;
  }
  for (auto& positions : list.positions) positions.resize(entries);
  for (auto& values : list.values) values.resize(entries);
  weights.resize(entries);
  list.weights = std::move(weights);
  for (std::uint32_t& entry : list.entry_of) entry = place[entry];
  list.records -= plan_.dangling;
}

void Planner::make_trees() {
  plan_.trees.clear();
  const Current* class_column =
      policy_.goal == Goal::classification ? find(policy_.class_column) : nullptr;
  if (policy_.goal == Goal::classification && class_column == nullptr) {
    throw InputError(fmt::format("{}: the class '{}' is no column of the table", policy_.source,
                                 policy_.class_column));
  }
  std::vector<Code> classes;
  if (class_column != nullptr) classes = codes_of(*class_column);
  for (const std::size_t quasi : plan_.quasi) {
    Marginals marginals;
    const Domain& domain = list_.domains[quasi];
    marginals.records.assign(domain.size(), 0);
    if (class_column != nullptr) marginals.class_count = domain_of(*class_column);
    marginals.classes.assign(domain.size() * marginals.class_count, 0);
    const std::vector<Code>& positions = list_.positions[quasi];
    for (std::size_t i = 0; i < list_.entry_of.size(); ++i) {
      const Code at = positions[list_.entry_of[i]];
      marginals.records[at] += list_.plain_weights[i];
      if (class_column != nullptr)
        marginals.classes[at * marginals.class_count + classes[i]] += list_.plain_weights[i];
    }
    AttributeTree& tree = plan_.trees.emplace_back(domain, policy_.goal, std::move(marginals));
    if (!tree.continuous()) tree.grow();
  }
}

std::shared_ptr<const ViewTable> Planner::make_view(const std::vector<std::string>& x,
                                                    const std::vector<std::string>& y,
                                                    Measure measure, const Current* label) {
  auto view = std::make_shared<ViewTable>();
  PreviousJoin& join = *plan_.join;
  measure.join = &join;
  // What tells entries apart: fixed values of x, values on y, fixed join columns, attributes.
  std::vector<const Current*> fixed_x, fixed_y, moving;
  if (label != nullptr) fixed_y.push_back(label);
  for (const Current& column : columns_) {
    const bool in_x = has(x, column.name), in_y = has(y, column.name);
    const bool joins = measure.joined && column.join != Current::kNone;
    if (!in_x && !in_y && !joins) continue;
    if (column.attribute != Current::kNone) {
      moving.push_back(&column);
      continue;
    }
    if (in_x) fixed_x.push_back(&column);
    if (in_y) fixed_y.push_back(&column);
  }
  std::vector<CodeColumn> keys;
  for (const Current* column : fixed_x) keys.push_back({codes_of(*column), domain_of(*column)});
  // The values on y as one number.
  const std::size_t rows = list_.entry_of.size();
  const std::vector<LinkGuard>* guards =
      measure.kind == Measure::Kind::linkability ? &plan_.guards[measure.requirement] : nullptr;
  std::vector<Code> y_of_row(rows, 0);
  std::size_t y_count = 1;
  if (guards != nullptr) {
    std::vector<std::vector<std::uint32_t>> in(rows);
    for (std::uint32_t guard = 0; guard < guards->size(); ++guard) {
      for (const Current* column : fixed_y) {
        if (column->name != (*guards)[guard].column) continue;
        std::vector<char> listed(domain_of(*column), 0);
        if (column->is_quasi) {
          const Domain& domain = list_.domains[column->index];
          const Span named =
              named_in(domain, (*guards)[guard].text, policy_.source, before(column->name));
          for (Code at = 0; at < listed.size(); ++at) listed[at] = Span{at, at}.within(named);
        } else {
          const auto& labels = list_.plain[column->index].values.labels;
          for (Code at = 0; at < listed.size(); ++at)
            listed[at] = labels[at] == (*guards)[guard].text;
        }
        const std::vector<Code> values = codes_of(*column);
        for (std::size_t row = 0; row < rows; ++row) {
          if (listed[values[row]]) in[row].push_back(guard);
        }
      }
      for (const Current* column : moving) {
        if (column->name != (*guards)[guard].column) continue;
        // `*` of a column that can have nothing else.
        const Domain& domain = list_.domains[column->index];
        const Span named =
            named_in(domain, (*guards)[guard].text, policy_.source, before(column->name));
        if (!Span{0, static_cast<Code>(domain.size() - 1)}.within(named)) continue;
        for (auto& guards_of_row : in) guards_of_row.push_back(guard);
      }
    }
    for (std::size_t row = 0; row < rows; ++row) {
      y_of_row[row] = join.set_of(std::move(in[row]));
      y_count = std::max<std::size_t>(y_count, y_of_row[row] + 1);
    }
  } else if (!fixed_y.empty()) {
    const SortedKeys sorted = sort_rows(fixed_y);
    y_of_row = sorted.combination_of();
    y_count = sorted.size();
  }
  const std::size_t y_key = keys.size();
  keys.push_back({std::move(y_of_row), y_count});
  if (measure.joined) keys.push_back({fixed_of_row_, fixed_tuples_.size()});
  const std::size_t first_moving = keys.size();
  for (const Current* column : moving) keys.push_back({codes_of(*column), domain_of(*column)});
  const SortedKeys sorted = sort_columns(keys, list_.plain_weights);

  view->weights = sorted.counts();
  view->y = sorted.column(y_key);
  view->tuple.assign(sorted.size(), PreviousJoin::kRoot);
  if (measure.joined) {
    const std::vector<Code> fixed = sorted.column(y_key + 1);
    for (std::size_t entry = 0; entry < fixed.size(); ++entry)
      view->tuple[entry] = fixed_tuples_[fixed[entry]];
  }
  std::vector<std::vector<Code>> fixed;
  for (std::size_t i = 0; i < fixed_x.size(); ++i) fixed.push_back(sorted.column(i));
  for (std::uint32_t entry = 0; entry < sorted.size(); ++entry) {
    const bool same = entry > 0 && std::all_of(fixed.begin(), fixed.end(), [&](const auto& values) {
                        return values[entry] == values[entry - 1];
                      });
    if (!same) view->begin.push_back(entry);
  }
  for (std::size_t i = 0; i < moving.size(); ++i) {
    const Current& current = *moving[i];
    ViewTable::Column& column = view->columns.emplace_back();
    column.attribute = current.attribute;
    column.splits = has(x, current.name);
    column.changes_y = has(y, current.name);
    if (measure.joined && current.join != Current::kNone) column.join = current.join;
    column.positions = sorted.column(first_moving + i);
    if (!column.changes_y) continue;
    measure.one_tuple = measure.monotone = false;
    if (guards == nullptr) continue;
    for (const LinkGuard& guard : *guards) {
      auto& in = column.in.emplace_back();
      if (guard.column != current.name) continue;
      AttributeTree& tree = plan_.trees[current.attribute];
      tree.grow();  // all its nodes are asked for here
      const Span named = named_in(tree.domain(), guard.text, policy_.source, before(current.name));
      for (AttributeTree::Node node = 0; node < tree.nodes(); ++node) {
        const Region region = tree.region(node);
        in.push_back(!region.everything && Span{region.low, region.high}.within(named) ? 1 : 0);
      }
    }
  }
  view->measure = std::move(measure);
  return view;
}

bool Planner::has_partners(const std::vector<std::string>& x) const {
  return std::all_of(
      policy_.inconsistent.begin(), policy_.inconsistent.end(), [&](const InconsistentPair& pair) {
        const auto fits = [&](const std::string& here, const std::string& there) {
          return find(here) == nullptr || !before(there) || has(x, there);
        };
        return fits(pair.one.column, pair.other.column) && fits(pair.other.column, pair.one.column);
      });
}

void Planner::add_requirement(std::size_t number) {
  const XyRequirement& asked = policy_.xy[number];
  const std::vector<std::string> y = y_of(asked);
  const bool y_here = std::any_of(y.begin(), y.end(), [&](const auto& name) { return find(name); });
  const bool y_before =
      std::any_of(y.begin(), y.end(), [&](const auto& name) { return before(name); });
  Measure measure;
  measure.requirement = number;
  measure.k = static_cast<double>(asked.k);
  const bool anonymity = asked.kind == XyRequirement::Kind::anonymity;
  const bool pairs = anonymity && asked.counted == XyRequirement::Counted::pairs;
  measure.kind = !anonymity                                      ? Measure::Kind::linkability
                 : pairs                                         ? Measure::Kind::pairs
                 : asked.counted == XyRequirement::Counted::rows ? Measure::Kind::records
                                                                 : Measure::Kind::values;
  for (const LinkGuard& guard : plan_.guards[number]) {
    measure.max.push_back(guard.max);
    measure.guard_is_here.push_back(find(guard.column) != nullptr ? 1 : 0);
  }
  measure.one_tuple = std::all_of(plan_.join_columns.begin(), plan_.join_columns.end(),
                                  [&](const std::string& name) { return has(asked.x, name); });
  const bool one_table = !pairs && !(y_here && y_before);
  // Where y stands before, what an x comes with there must not depend on T1.
  const bool fixed = !y_before || (previous_.size() == 1 && has_partners(asked.x));
  measure.monotone = previous_.empty() || (measure.one_tuple && one_table && fixed && !dangles_);
  measure.joined = !previous_.empty() && !(measure.monotone && !y_before);
  if (measure.monotone && measure.joined) {
    // Nobody dangles, and y stands in the previous releases: all of it is in the join, whatever T1
    // looks like. One entry stands for T1.
    auto settled = std::make_shared<ViewTable>();
    measure.join = plan_.join.get();
    settled->measure = std::move(measure);
    settled->weights = {1};
    settled->y = settled->tuple = settled->begin = {0};
    plan_.views.push_back(std::move(settled));
    return;
  }
  plan_.views.push_back(make_view(asked.x, y, measure));
  plan_.monotone = plan_.monotone && plan_.views.back()->measure.monotone;
}

void Planner::make_views() {
  std::vector<std::string> all;
  for (const Current& column : columns_) {
    if (column.is_quasi) all.push_back(column.name);
  }
  if (policy_.k > 1) {
    Measure measure;
    measure.k = static_cast<double>(policy_.k);
    plan_.views.push_back(make_view(all, {}, measure));
  }
  for (const Diversity& diversity : policy_.diversities) {
    Measure measure;
    measure.kind = diversity.variant == Diversity::Variant::distinct ? Measure::Kind::values
                                                                     : Measure::Kind::diversity;
    measure.k = diversity.l;
    measure.diversity = diversity;
    plan_.views.push_back(make_view(all, {diversity.column}, measure));
  }
  for (std::size_t i = 0; i < policy_.xy.size(); ++i) add_requirement(i);
  if (policy_.goal == Goal::discernibility) {
    Measure measure;
    measure.k = 0;
    plan_.whole = make_view(all, {}, measure);
  }
  if (policy_.goal == Goal::classification) {
    // Of the columns that are specialized; what the others tell does not change.
    std::vector<std::string> moving;
    for (const std::size_t quasi : plan_.quasi) moving.push_back(list_.domains[quasi].name);
    Measure measure;
    measure.k = 0;
    plan_.whole = make_view(moving, {}, measure, find(policy_.class_column));
  }
}

}  // namespace

SpecializationPlan plan_specialization(FrequencyList& list, std::span<const Release> previous,
                                       const Policy& policy) {
  return Planner(list, previous, policy).make();
}

}  // namespace throng
