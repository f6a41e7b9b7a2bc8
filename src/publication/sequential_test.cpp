// Random small tables, several times released: what release_after() says, against a brute force
// that makes the join row by row, literally by the definitions, for every table that could be made.
#include "publication/sequential.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "private_tables.h"
#include "table/random.h"
#include "throng/error.h"

namespace throng {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// A column that some of the releases have. Its values, whatever their level, are nodes; a node
// covers the bits of its mask. Node 0 of a quasi-identifier is `*`.
struct Field {
  enum class Kind { tree, number, set, plain };
  std::string name;
  Kind kind = Kind::tree;
  Role role = Role::quasi_identifier;
  std::vector<std::string> labels;
  std::vector<int> parents;
  std::vector<std::uint32_t> masks;
  std::vector<int> leaves;
  std::string file;    // of a tree
  HierarchyRule rule;  // of one that is built over the values of the table

  bool is_quasi() const { return kind != Kind::plain; }
  int add(const std::string& label, int parent, std::uint32_t mask) {
    labels.push_back(label);
    parents.push_back(parent);
    masks.push_back(mask);
    return static_cast<int>(labels.size()) - 1;
  }
  std::vector<int> children(int node) const {
    std::vector<int> result;
    for (std::size_t i = 1; i < parents.size(); ++i) {
      if (parents[i] == node) result.push_back(static_cast<int>(i));
    }
    return result;
  }
  std::optional<int> find(const std::string& label) const {
    const auto at = std::find(labels.begin(), labels.end(), label);
    if (at == labels.end()) return std::nullopt;
    return static_cast<int>(at - labels.begin());
  }
};

// A table or a release: nodes of its fields.
struct Sheet {
  std::vector<std::size_t> fields;
  std::vector<std::vector<int>> rows;
  std::optional<std::size_t> column(std::size_t field) const {
    const auto at = std::find(fields.begin(), fields.end(), field);
    if (at == fields.end()) return std::nullopt;
    return static_cast<std::size_t>(at - fields.begin());
  }
};

struct Case {
  std::vector<Field> fields;
  std::vector<Sheet> sheets;  // the table first
  Policy policy;

  std::size_t field(const std::string& name) const {
    std::size_t i = 0;
    while (fields[i].name != name) ++i;
    return i;
  }
};

// ---- Random cases

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  Case make() {
    made_.policy.source = "p.yaml";
    made_.policy.algorithm = Algorithm::tds;
    made_.policy.missing.values = {"?"};
    missing_ = chance(6);
    make_fields();
    make_sheets();
    make_policy();
    return std::move(made_);
  }

 private:
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_.below(bound)); }
  bool chance(std::size_t one_in) { return below(one_in) == 0; }

  void grow(Field& field, int node, std::size_t depth, std::uint32_t& bit) {
    // Below a root with the missing value beside it nothing covers all the rest.
    const std::size_t children = node > 0 ? 1 + below(2) : missing_ ? 2 + below(2) : 1 + below(3);
    std::uint32_t mask = 0;
    for (std::size_t i = 0; i < children; ++i) {
      const int child =
          field.add(field.name + std::to_string(field.labels.size()), node, std::uint32_t{0});
      if (depth > 1 && !chance(3) && bit < 16) {
        grow(field, child, depth - 1, bit);
      } else {
        field.masks[static_cast<std::size_t>(child)] = bit;
        field.leaves.push_back(child);
        bit <<= 1U;
      }
      mask |= field.masks[static_cast<std::size_t>(child)];
    }
    field.masks[static_cast<std::size_t>(node)] = mask;
  }

  Field tree(const std::string& name) {
    Field field;
    field.name = name;
    field.add("*", -1, 0);
    std::uint32_t bit = 1;
    grow(field, 0, 1 + below(3), bit);
    std::size_t height = 0;
    std::vector<std::vector<std::string>> lines;
    for (const int leaf : field.leaves) {
      auto& line = lines.emplace_back();
      for (int at = leaf; at >= 0; at = field.parents[static_cast<std::size_t>(at)])
        line.push_back(field.labels[static_cast<std::size_t>(at)]);
      height = std::max(height, line.size());
    }
    for (auto& line : lines) {
      line.insert(line.begin(), height - line.size(), line[0]);
      field.file += fmt::format("{}\n", fmt::join(line, ";"));
    }
    if (missing_) field.leaves.push_back(field.add("?", 0, bit)), field.masks[0] |= bit;
    return field;
  }

  // Over 11, 12, 21, 22: by masks, or by tens.
  Field built(const std::string& name) {
    Field field;
    field.name = name;
    const bool masks = chance(2);
    if (masks) {
      field.rule = MaskRule{};
    } else {
      field.rule = IntervalRule{{10}, 0, {}};
    }
    field.add("*", -1, 15);
    field.add(masks ? "1*" : "10..19", 0, 3);
    field.add(masks ? "2*" : "20..29", 0, 12);
    const char* const values[] = {"11", "12", "21", "22"};
    for (std::size_t i = 0; i < 4; ++i)
      field.leaves.push_back(field.add(values[i], i < 2 ? 1 : 2, 1U << i));
    return field;
  }

  Field flat(const std::string& name, Field::Kind kind) {
    Field field;
    field.name = name;
    field.kind = kind;
    field.add("*", -1, 0);
    const std::size_t count = kind == Field::Kind::number ? 2 + below(4) : 2 + below(2);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string label = kind == Field::Kind::number
                                    ? std::to_string(i * i + 10)
                                    : name + std::string(1, static_cast<char>('a' + i));
      field.leaves.push_back(field.add(label, 0, 1U << i));
    }
    if (missing_) field.leaves.push_back(field.add("?", 0, 1U << count));
    for (const std::uint32_t mask : field.masks) field.masks[0] |= mask;
    return field;
  }

  Field plain(const std::string& name) {
    Field field = flat(name, Field::Kind::plain);
    field.role = chance(2) ? Role::sensitive : Role::insensitive;
    return field;
  }

  void give(std::size_t field, std::initializer_list<std::size_t> sheets) {
    for (const std::size_t sheet : sheets) {
      if (sheet < made_.sheets.size()) made_.sheets[sheet].fields.push_back(field);
    }
  }
  std::size_t add(Field field) {
    made_.fields.push_back(std::move(field));
    return made_.fields.size() - 1;
  }

  void make_fields() {
    const std::size_t previous = chance(8) ? 0 : chance(3) ? 2 : 1;
    made_.sheets.resize(1 + previous);
    const std::size_t joins = 1 + below(chance(3) ? 3 : 2);
    for (std::size_t i = 0; i < joins; ++i) {
      const std::string name(1, static_cast<char>('j' + i));
      const std::size_t field = add(chance(6)                ? plain(name)
                                    : chance(8) && !missing_ ? built(name)
                                                             : tree(name));
      if (previous < 2 || chance(3)) {
        give(field, {0, 1, 2});
      } else if (chance(2)) {
        give(field, {0, 1});
      } else {
        give(field, {0, 2});
      }
    }
    if (chance(2)) give(add(tree("q")), {0});
    if (chance(4)) give(add(flat("n", Field::Kind::number)), {0});
    if (chance(4)) give(add(flat("c", Field::Kind::set)), {0});
    give(add(plain("s")), {0});
    if (made_.sheets[0].fields.size() < 3) give(add(plain("i")), {0});
    if (previous == 0) return;
    give(add(plain("d")), {1});
    if (chance(3)) give(add(chance(2) ? tree("t") : flat("t", Field::Kind::set)), {1});
    if (previous == 2 && chance(2)) give(add(chance(2) ? plain("u") : tree("u")), {1, 2});
    if (previous == 2 && chance(2)) {  // with sets of values
      Field field = flat("w", Field::Kind::set);
      if (!missing_) field.add("{wa|wb}", 0, 3U);
      if (field.masks[0] == 3U)
        field.labels.pop_back(), field.parents.pop_back(), field.masks.pop_back();
      give(add(std::move(field)), {1, 2});
    }
    if (previous == 2) give(add(plain("e")), {2});
    for (Sheet& sheet : made_.sheets) {
      if (sheet.fields.empty())
        give(add(plain("f")), {static_cast<std::size_t>(&sheet - made_.sheets.data())});
    }
  }

  // Of some people, most of them in all sheets; or of anybody.
  void make_sheets() {
    const bool many = made_.sheets.size() < 3 && chance(2);  // so that more can be met
    const std::size_t people = many ? 8 + below(8) : 2 + below(8);
    std::vector<std::vector<int>> world(people);
    for (auto& person : world) {
      for (const Field& field : made_.fields)
        person.push_back(field.leaves[below(field.leaves.size())]);
    }
    const bool related = !chance(4);
    const std::size_t coarse = below(4);  // how often a value was generalized
    for (std::size_t s = 0; s < made_.sheets.size(); ++s) {
      Sheet& sheet = made_.sheets[s];
      const std::size_t count = related ? people : 1 + below(6);
      for (std::size_t i = 0; i < count; ++i) {
        auto& row = sheet.rows.emplace_back();
        for (const std::size_t number : sheet.fields) {
          const Field& field = made_.fields[number];
          int node = related ? world[i][number] : field.leaves[below(field.leaves.size())];
          if (s > 0 && field.is_quasi() && below(4) < coarse) {
            const std::uint32_t mask = field.masks[static_cast<std::size_t>(node)];
            std::vector<int> above;
            // A set of all values that occur would be `*`, however it is spelled.
            const bool sets = field.labels.back()[0] == '{';
            for (std::size_t at = sets ? 1 : 0; at < field.masks.size(); ++at) {
              if ((field.masks[at] & mask) == mask) above.push_back(static_cast<int>(at));
            }
            node = above[below(above.size())];
          }
          row.push_back(node);
        }
      }
      if (related && chance(3)) sheet.rows.push_back(sheet.rows[below(sheet.rows.size())]);
    }
  }

  void make_policy() {
    Policy& policy = made_.policy;
    std::vector<std::string> guardable;
    for (const Field& field : made_.fields) {
      ColumnPolicy column;
      column.name = field.name;
      column.role = field.role;
      if (field.kind == Field::Kind::number) column.type.type = Type::integer;
      const bool is_built = !std::holds_alternative<std::monostate>(field.rule);
      if (is_built) {
        column.generalization.hierarchy = field.rule;
        if (std::holds_alternative<IntervalRule>(field.rule)) column.type.type = Type::integer;
      } else if (field.kind == Field::Kind::tree) {
        column.generalization.hierarchy = HierarchyFile{field.name, field.file};
      }
      policy.columns.push_back(column);
      // A tree that is built has the labels of what occurs, and no others.
      if (field.kind != Field::Kind::set && !is_built) guardable.push_back(field.name);
    }
    if (chance(4)) policy.k = 2 + below(2);
    const Field& s = made_.fields[made_.field("s")];
    if (s.role == Role::sensitive && chance(5)) {
      Diversity diversity;
      diversity.column = "s";
      diversity.l = 2;
      diversity.variant = static_cast<Diversity::Variant>(below(4));
      diversity.c = 2;
      policy.diversities.push_back(diversity);
    }
    const std::size_t count = policy.k > 1 || !policy.diversities.empty() ? below(3) : 1 + below(2);
    for (std::size_t i = 0; i < count; ++i) policy.xy.push_back(requirement(guardable));
    if (chance(3)) {
      for (std::size_t i = 0; i < 1 + below(2); ++i) {
        const Field& one = made_.fields[below(made_.fields.size())];
        const Field& other = made_.fields[below(made_.fields.size())];
        const auto named = [&](const Field& field) {
          return std::find(guardable.begin(), guardable.end(), field.name) != guardable.end() &&
                 field.kind != Field::Kind::number;
        };
        if (!named(one) || !named(other) || one.name == other.name) continue;
        policy.inconsistent.push_back(
            {{one.name, one.labels[1 + below(one.labels.size() - 1)]},
             {other.name, other.labels[1 + below(other.labels.size() - 1)]}});
        // The missing value is a leaf only where somebody has it.
        if (policy.inconsistent.back().one.value == "?" ||
            policy.inconsistent.back().other.value == "?")
          policy.inconsistent.pop_back();
      }
    }
    policy.goal = static_cast<Goal>(below(3));
    const Sheet& table = made_.sheets[0];
    policy.class_column =
        chance(4) ? made_.fields[table.fields[below(table.fields.size())]].name : "s";
    policy.dangling = static_cast<Dangling>(below(3));
    policy.search.kind = static_cast<SearchRule::Kind>(below(3));
    policy.search.width = 1 + below(4);
  }

  XyRequirement requirement(const std::vector<std::string>& guardable) {
    XyRequirement asked;
    asked.line = 7;
    std::vector<std::string> rest;
    const bool whole = chance(2);  // all join columns
    for (std::size_t i = 0; i < made_.fields.size(); ++i) {
      std::size_t holders = 0;
      for (const Sheet& sheet : made_.sheets) holders += sheet.column(i) ? 1 : 0;
      const bool in = (holders > 1 && whole) || chance(2);
      (in ? asked.x : rest).push_back(made_.fields[i].name);
    }
    if (asked.x.empty()) {
      asked.x.push_back(rest.back());
      rest.pop_back();
    }
    const auto guard = [&](const std::string& name) {
      return std::find(guardable.begin(), guardable.end(), name) != guardable.end() &&
             std::find(rest.begin(), rest.end(), name) != rest.end();
    };
    std::vector<std::string> guards;
    for (const std::string& name : rest) {
      if (guard(name)) guards.push_back(name);
    }
    if (chance(2) && !guards.empty()) {
      asked.kind = XyRequirement::Kind::linkability;
      const double shares[] = {0.34, 0.5, 0.67, 0.85};
      const bool each = chance(3);
      const std::size_t sets = 1 + below(std::min<std::size_t>(2, guards.size()));
      for (std::size_t i = 0; i < sets; ++i) {
        const std::size_t at = below(guards.size());
        const Field& field = made_.fields[made_.field(guards[at])];
        guards.erase(guards.begin() + static_cast<std::ptrdiff_t>(at));
        const double max = shares[below(4)];
        if (each) {
          asked.guarded.push_back({field.name, std::nullopt, max});
        } else {
          std::string label = field.labels[1 + below(field.labels.size() - 1)];
          if (label == "?") label = field.labels[1];
          asked.guarded.push_back({field.name, label, max});
          if (field.labels[1] != label && chance(2))
            asked.guarded.push_back({field.name, field.labels[1], shares[below(4)]});
        }
      }
      return asked;
    }
    asked.k = 2 + (chance(3) ? below(3) : 0);
    const std::size_t kind = rest.empty() ? below(2) : below(4);
    asked.counted = kind == 0   ? XyRequirement::Counted::rows
                    : kind == 1 ? XyRequirement::Counted::pairs
                                : XyRequirement::Counted::values;
    if (kind < 2) return asked;
    for (const std::string& name : rest) {
      if (asked.y.empty() || chance(3)) asked.y.push_back(name);
    }
    return asked;
  }

  Random random_;
  Case made_;
  bool missing_ = false;
};

// ---- The brute force

class Model {
 public:
  // By column of the table: the nodes of its cut; none where it is released as it is.
  using Cut = std::vector<std::vector<int>>;

  explicit Model(Case given) : case_(std::move(given)) {
    table_ = case_.sheets[0];
    range_ = occurring_numbers();
    find_dangling();
    all_dangle = !dangling.empty() && std::count(dangling.begin(), dangling.end(), true) ==
                                          static_cast<std::ptrdiff_t>(dangling.size());
    if (case_.policy.dangling == Dangling::drop && !dangling.empty()) {
      std::vector<std::vector<int>> kept;
      for (std::size_t i = 0; i < table_.rows.size(); ++i) {
        if (!dangling[i]) kept.push_back(table_.rows[i]);
      }
      table_.rows = std::move(kept);
    }
    if (table_.rows.empty()) return;
    for (std::size_t c = 0; c < table_.fields.size(); ++c) make_tree(c);
  }

  const Field& field(std::size_t column) const { return case_.fields[table_.fields[column]]; }
  const Sheet& table() const { return table_; }

  bool in_y(const std::string& name) const {
    for (const XyRequirement& asked : case_.policy.xy) {
      if (std::find(asked.y.begin(), asked.y.end(), name) != asked.y.end()) return true;
      for (const auto& guarded : asked.guarded) {
        if (guarded.column == name) return true;
      }
    }
    return false;
  }
  bool before(const std::string& name) const {
    for (std::size_t s = 1; s < case_.sheets.size(); ++s) {
      if (case_.sheets[s].column(case_.field(name))) return true;
    }
    return false;
  }
  bool here(const std::string& name) const { return table_.column(case_.field(name)).has_value(); }
  // Whether a column of the table is specialized.
  bool moves(std::size_t column) const {
    const Field& of = field(column);
    if (!of.is_quasi()) return false;
    if (case_.policy.k > 1 || !case_.policy.diversities.empty()) return true;
    for (const XyRequirement& asked : case_.policy.xy) {
      if (std::find(asked.x.begin(), asked.x.end(), of.name) != asked.x.end()) return true;
    }
    bool joins = before(of.name);
    for (const InconsistentPair& pair : case_.policy.inconsistent) {
      joins = joins || (pair.one.column == of.name && before(pair.other.column)) ||
              (pair.other.column == of.name && before(pair.one.column));
    }
    return joins && !in_y(of.name);
  }

  // The children of a node that some record is in.
  const std::vector<int>& below(std::size_t column, int node) const {
    return children_[column][static_cast<std::size_t>(node)];
  }
  Cut top() const {
    Cut cut(table_.fields.size());
    for (std::size_t c = 0; c < cut.size(); ++c) {
      if (moves(c)) cut[c] = {top_[c]};
    }
    return cut;
  }
  // With one node specialized.
  std::vector<Cut> next(const Cut& cut) const {
    std::vector<Cut> result;
    for (std::size_t c = 0; c < cut.size(); ++c) {
      for (std::size_t i = 0; i < cut[c].size(); ++i) {
        const std::vector<int>& children = below(c, cut[c][i]);
        if (children.empty()) continue;
        Cut one = cut;
        one[c].erase(one[c].begin() + static_cast<std::ptrdiff_t>(i));
        one[c].insert(one[c].end(), children.begin(), children.end());
        std::sort(one[c].begin(), one[c].end());
        result.push_back(std::move(one));
      }
    }
    return result;
  }
  // All that there are; none where there are more than `most`.
  std::vector<Cut> all(std::size_t most) const {
    std::set<Cut> known = {top()};
    std::vector<Cut> result = {top()};
    for (std::size_t i = 0; i < result.size(); ++i) {
      for (Cut& cut : next(result[i])) {
        if (!known.insert(cut).second) continue;
        if (result.size() == most) return {};
        result.push_back(std::move(cut));
      }
    }
    return result;
  }

  std::vector<std::vector<int>> generalize(const Cut& cut) const {
    std::vector<std::vector<int>> rows = table_.rows;
    for (auto& row : rows) {
      for (std::size_t c = 0; c < cut.size(); ++c) {
        if (cut[c].empty()) continue;
        const std::uint32_t bit = mask(c, row[c]);
        for (const int node : cut[c]) {
          if (mask(c, node) & bit) row[c] = node;
        }
      }
    }
    return rows;
  }

  // How each requirement stands, the larger the safer; of linkability one figure a guarded value.
  struct Standing {
    std::vector<double> levels;
    bool holds = true;
  };
  Standing stand(const Cut& cut) const {
    Standing standing;
    const std::vector<std::vector<int>> rows = generalize(cut);
    stand_alone(rows, standing);
    const std::vector<std::vector<std::size_t>> joined = join(rows);
    for (const XyRequirement& asked : case_.policy.xy) {
      if (asked.kind == XyRequirement::Kind::anonymity) {
        stand_anonymous(asked, rows, joined, standing);
      } else {
        stand_linked(asked, rows, joined, standing);
      }
    }
    return standing;
  }

  double objective(const Cut& cut) const {
    const auto records = static_cast<double>(table_.rows.size());
    const std::vector<std::vector<int>> rows = generalize(cut);
    double sum = 0;
    if (case_.policy.goal == Goal::discernibility) {
      for (const auto& one : classes(rows)) {
        const auto size = static_cast<double>(one.second.size());
        sum -= size * size;
      }
      return sum / records;
    }
    if (case_.policy.goal == Goal::classification) {
      // Those whose class is the most frequent one of all that look alike where it is specialized.
      std::map<std::vector<int>, std::map<int, double>> groups;
      const std::size_t of = *table_.column(case_.field(case_.policy.class_column));
      for (std::size_t i = 0; i < rows.size(); ++i) {
        std::vector<int> key;
        for (std::size_t c = 0; c < cut.size(); ++c) {
          if (!cut[c].empty()) key.push_back(rows[i][c]);
        }
        ++groups[key][table_.rows[i][of]];
      }
      for (const auto& group : groups) {
        double most = 0;
        for (const auto& count : group.second) most = std::max(most, count.second);
        sum += most;
      }
      return sum / records;
    }
    for (std::size_t c = 0; c < cut.size(); ++c) {
      if (cut[c].empty() || top_[c] != 0) continue;
      for (const int node : cut[c]) {
        const auto count = static_cast<double>(std::count_if(
            rows.begin(), rows.end(), [&](const auto& row) { return row[c] == node; }));
        if (field(c).kind == Field::Kind::number) {
          if (node != 0) sum += count * (1 - length(c, mask(c, node)));
        } else {
          for (int at = node; at > 0; at = field(c).parents[static_cast<std::size_t>(at)])
            sum += count;
        }
      }
    }
    return sum / records;
  }

  std::vector<bool> dangling;         // by record of the table
  std::vector<std::size_t> danglers;  // by previous release
  bool all_dangle = false;

 private:
  std::uint32_t mask(std::size_t column, int node) const {
    return field(column).masks[static_cast<std::size_t>(node)];
  }

  std::map<std::size_t, int> occurring_numbers() const {  // by column: highest minus lowest
    std::map<std::size_t, int> result;
    for (std::size_t c = 0; c < table_.fields.size(); ++c) {
      if (field(c).kind != Field::Kind::number) continue;
      int low = 1 << 20, high = -1;
      for (const auto& row : table_.rows) {
        if (label(c, row[c]) == "?") continue;
        low = std::min(low, std::stoi(label(c, row[c])));
        high = std::max(high, std::stoi(label(c, row[c])));
      }
      result[c] = high - low;
    }
    return result;
  }
  const std::string& label(std::size_t column, int node) const {
    return field(column).labels[static_cast<std::size_t>(node)];
  }

  // Of the range of a column: the values of a mask.
  int width(std::size_t column, std::uint32_t values) const {
    int low = 1 << 20, high = -1;
    for (const int leaf : field(column).leaves) {
      if ((mask(column, leaf) & values) == 0 || label(column, leaf) == "?") continue;
      low = std::min(low, std::stoi(label(column, leaf)));
      high = std::max(high, std::stoi(label(column, leaf)));
    }
    return std::max(0, high - low);
  }
  double length(std::size_t column, std::uint32_t values) const {
    const int range = range_.at(column);
    return range == 0 ? 0 : static_cast<double>(width(column, values)) / range;
  }
  // Of the class, among the records with a value of the mask.
  double entropy(std::size_t column, std::uint32_t values) const {
    const std::size_t of = *table_.column(case_.field(case_.policy.class_column));
    std::map<int, double> counts;
    double all = 0;
    for (const auto& row : table_.rows) {
      if ((mask(column, row[column]) & values) == 0) continue;
      ++counts[row[of]];
      ++all;
    }
    double bits = 0;
    for (const auto& count : counts) bits -= count.second / all * std::log2(count.second / all);
    return bits;
  }
  std::size_t weight(std::size_t column, std::uint32_t values) const {
    return static_cast<std::size_t>(
        std::count_if(table_.rows.begin(), table_.rows.end(),
                      [&](const auto& row) { return (mask(column, row[column]) & values) != 0; }));
  }

  void make_tree(std::size_t column) {
    Field& of = case_.fields[table_.fields[column]];
    children_.resize(table_.fields.size());
    top_.resize(table_.fields.size(), 0);
    const bool flat = of.kind == Field::Kind::set || of.kind == Field::Kind::number;
    if (flat && distinct_before(column) < 2) {  // all of it is the one value
      top_[column] = table_.rows[0][column];
      children_[column].resize(of.labels.size());
      return;
    }
    if (of.kind == Field::Kind::number) {
      std::vector<int> numbers;
      bool missing = false;
      for (const int leaf : of.leaves) {
        if (weight(column, mask(column, leaf)) == 0) continue;
        if (label(column, leaf) == "?") {
          missing = true;
        } else {
          numbers.push_back(leaf);
        }
        of.parents[static_cast<std::size_t>(leaf)] = -1;
      }
      if (missing && !numbers.empty()) {
        of.parents[static_cast<std::size_t>(of.leaves.back())] = 0;
        halve(column, numbers, numbers.size() == 1 ? numbers[0] : interval(column, numbers), 0);
      } else if (numbers.size() > 1) {
        halve(column, numbers, 0, -1);
      }
    }
    for (std::size_t node = 0; node < of.labels.size(); ++node) {
      auto& children = children_[column].emplace_back();
      for (const int child : of.children(static_cast<int>(node))) {
        if (weight(column, mask(column, child)) > 0) children.push_back(child);
      }
    }
  }
  std::size_t distinct_before(std::size_t column) const {  // whether it dangles or not
    std::set<int> values;
    for (const auto& row : case_.sheets[0].rows) values.insert(row[column]);
    return values.size();
  }
  int interval(std::size_t column, const std::vector<int>& numbers) {
    Field& of = case_.fields[table_.fields[column]];
    std::uint32_t values = 0;
    for (const int leaf : numbers) values |= mask(column, leaf);
    return of.add(
        fmt::format("{}..{}", label(column, numbers.front()), label(column, numbers.back())), -1,
        values);
  }
  // By every split in turn: the largest gain; then the halves most alike; then the leftmost.
  void halve(std::size_t column, const std::vector<int>& numbers, int node, int parent) {
    Field& of = case_.fields[table_.fields[column]];
    if (node != 0) of.parents[static_cast<std::size_t>(node)] = parent;
    if (numbers.size() < 2) return;
    std::size_t best = 0, best_smaller = 0;
    double best_cost = 0;
    for (std::size_t at = 1; at < numbers.size(); ++at) {
      std::uint32_t left = 0, right = 0;
      for (std::size_t i = 0; i < numbers.size(); ++i)
        (i < at ? left : right) |= mask(column, numbers[i]);
      const auto l = static_cast<double>(weight(column, left)),
                 r = static_cast<double>(weight(column, right));
      const double cost = case_.policy.goal == Goal::classification
                              ? l * entropy(column, left) + r * entropy(column, right)
                          : case_.policy.goal == Goal::distortion
                              ? l * width(column, left) + r * width(column, right)
                              : l * l + r * r;
      const auto smaller = static_cast<std::size_t>(std::min(l, r));
      if (best == 0 || cost < best_cost - 1e-9 ||
          (cost < best_cost + 1e-9 && smaller > best_smaller)) {
        best = at;
        best_cost = cost;
        best_smaller = smaller;
      }
    }
    const std::vector<int> left(numbers.begin(),
                                numbers.begin() + static_cast<std::ptrdiff_t>(best));
    const std::vector<int> right(numbers.begin() + static_cast<std::ptrdiff_t>(best),
                                 numbers.end());
    halve(column, left, left.size() == 1 ? left[0] : interval(column, left), node);
    halve(column, right, right.size() == 1 ? right[0] : interval(column, right), node);
  }

  int node_at(std::size_t sheet, std::size_t row, std::size_t column,
              const std::vector<std::vector<int>>& rows) const {
    return sheet == 0 ? rows[row][column] : case_.sheets[sheet].rows[row][column];
  }
  std::uint32_t mask_of(std::size_t field_number, int node) const {
    return case_.fields[field_number].masks[static_cast<std::size_t>(node)];
  }

  // Section 3.3, between any two releases.
  bool match(const std::vector<std::size_t>& row, const std::vector<std::vector<int>>& rows) const {
    for (std::size_t f = 0; f < case_.fields.size(); ++f) {
      std::uint32_t common = ~0U;
      for (std::size_t s = 0; s < row.size(); ++s) {
        if (const auto column = case_.sheets[s].column(f))
          common &= mask_of(f, node_at(s, row[s], *column, rows));
      }
      if (common == 0) return false;
    }
    for (const InconsistentPair& pair : case_.policy.inconsistent) {
      const auto lies = [&](const InconsistentPair::Side& side, std::size_t s) {
        const std::size_t f = case_.field(side.column);
        const auto column = case_.sheets[s].column(f);
        if (!column) return false;
        const std::uint32_t named = mask_of(f, *case_.fields[f].find(side.value));
        return (mask_of(f, node_at(s, row[s], *column, rows)) & ~named) == 0;
      };
      for (std::size_t s = 0; s < row.size(); ++s) {
        for (std::size_t t = 0; t < row.size(); ++t) {
          if (s != t && lies(pair.one, s) && lies(pair.other, t)) return false;
        }
      }
    }
    return true;
  }
  // The rows of the join: a record of each release.
  std::vector<std::vector<std::size_t>> join(const std::vector<std::vector<int>>& rows) const {
    std::vector<std::vector<std::size_t>> result;
    std::vector<std::size_t> row(case_.sheets.size(), 0);
    const auto fill = [&](const auto& self, std::size_t sheet) -> void {
      if (sheet == row.size()) {
        if (row.size() == 1 || match(row, rows)) result.push_back(row);
        return;
      }
      const std::size_t count = sheet == 0 ? rows.size() : case_.sheets[sheet].rows.size();
      for (row[sheet] = 0; row[sheet] < count; ++row[sheet]) self(self, sheet + 1);
    };
    fill(fill, 0);
    return result;
  }
  void find_dangling() {
    if (case_.sheets.size() == 1) return;
    std::vector<std::vector<bool>> found;
    for (const Sheet& sheet : case_.sheets) found.emplace_back(sheet.rows.size(), false);
    for (const auto& row : join(table_.rows)) {
      for (std::size_t s = 0; s < row.size(); ++s) found[s][row[s]] = true;
    }
    for (const bool one : found[0]) dangling.push_back(!one);
    for (std::size_t s = 1; s < found.size(); ++s) {
      danglers.push_back(
          static_cast<std::size_t>(std::count(found[s].begin(), found[s].end(), false)));
    }
  }

  // What a row of the join has on some columns: every copy of each.
  std::uint64_t values_on(const std::vector<std::string>& names,
                          const std::vector<std::size_t>& row,
                          const std::vector<std::vector<int>>& rows) const {
    std::uint64_t key = 1;
    for (const std::string& name : names) {
      const std::size_t f = case_.field(name);
      for (std::size_t s = 0; s < row.size(); ++s) {
        if (const auto column = case_.sheets[s].column(f))
          key = key * 19 + static_cast<std::uint64_t>(node_at(s, row[s], *column, rows));
      }
    }
    return key;
  }

  void stand_anonymous(const XyRequirement& asked, const std::vector<std::vector<int>>& rows,
                       const std::vector<std::vector<std::size_t>>& joined,
                       Standing& standing) const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> counted;
    for (std::size_t i = 0; i < joined.size(); ++i) {
      const std::uint64_t x = values_on(asked.x, joined[i], rows);
      const std::uint64_t y = asked.counted == XyRequirement::Counted::rows ? joined[i][0]
                              : asked.counted == XyRequirement::Counted::pairs
                                  ? i
                                  : values_on(asked.y, joined[i], rows);
      counted.push_back({x, y});
    }
    std::sort(counted.begin(), counted.end());
    counted.erase(std::unique(counted.begin(), counted.end()), counted.end());
    double least = kInfinite;
    for (std::size_t i = 0; i < counted.size();) {
      std::size_t end = i;
      while (end < counted.size() && counted[end].first == counted[i].first) ++end;
      least = std::min(least, static_cast<double>(end - i));
      i = end;
    }
    standing.levels.push_back(least);
    standing.holds = standing.holds && least >= static_cast<double>(asked.k);
  }

  void stand_linked(const XyRequirement& asked, const std::vector<std::vector<int>>& rows,
                    const std::vector<std::vector<std::size_t>>& joined, Standing& standing) const {
    for (const XyRequirement::Guarded& guarded : asked.guarded) {
      const std::size_t f = case_.field(guarded.column);
      std::set<int> named;
      if (guarded.value) {
        named = {*case_.fields[f].find(*guarded.value)};
      } else {
        for (std::size_t s = 0; s < case_.sheets.size(); ++s) {
          const auto column = case_.sheets[s].column(f);
          const std::size_t count = s == 0 ? rows.size() : case_.sheets[s].rows.size();
          for (std::size_t row = 0; column && row < count; ++row)
            named.insert(node_at(s, row, *column, rows));
        }
      }
      for (const int value : named) {
        std::map<std::uint64_t, std::pair<double, double>> shares;
        for (const auto& row : joined) {
          auto& share = shares[values_on(asked.x, row, rows)];
          ++share.second;
          std::uint32_t common = ~0U;
          for (std::size_t s = 0; s < row.size(); ++s) {
            if (const auto column = case_.sheets[s].column(f))
              common &= mask_of(f, node_at(s, row[s], *column, rows));
          }
          if ((common & ~mask_of(f, value)) == 0) ++share.first;
        }
        double most = 0;
        for (const auto& share : shares)
          most = std::max(most, share.second.first / share.second.second);
        standing.levels.push_back(-most);
        standing.holds = standing.holds && most <= guarded.max + 1e-9;
      }
    }
  }

  std::map<std::vector<int>, std::vector<std::size_t>> classes(
      const std::vector<std::vector<int>>& rows) const {
    std::map<std::vector<int>, std::vector<std::size_t>> result;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::vector<int> key;
      for (std::size_t c = 0; c < table_.fields.size(); ++c) {
        if (field(c).is_quasi()) key.push_back(rows[i][c]);
      }
      result[key].push_back(i);
    }
    return result;
  }

  void stand_alone(const std::vector<std::vector<int>>& rows, Standing& standing) const {
    const Policy& policy = case_.policy;
    if (policy.k <= 1 && policy.diversities.empty()) return;
    double least = kInfinite;
    bool diverse = true;
    for (const auto& one : classes(rows)) {
      least = std::min(least, static_cast<double>(one.second.size()));
      for (const Diversity& asked : policy.diversities) {
        std::map<int, double> counts;
        for (const std::size_t i : one.second)
          ++counts[rows[i][*table_.column(case_.field(asked.column))]];
        diverse = diverse && is_diverse_by_definition(asked, counts);
      }
    }
    standing.levels.push_back(least);
    standing.levels.push_back(diverse ? 1 : 0);
    standing.holds = standing.holds && diverse && least >= static_cast<double>(policy.k);
  }
  static bool is_diverse_by_definition(const Diversity& asked,
                                       const std::map<int, double>& counts) {
    std::vector<double> sorted;
    double all = 0, bits = 0, rest = 0;
    for (const auto& count : counts) sorted.push_back(count.second), all += count.second;
    std::sort(sorted.rbegin(), sorted.rend());
    for (const double count : sorted) bits -= count / all * std::log(count / all);
    for (auto i = static_cast<std::size_t>(asked.l) - 1; i < sorted.size(); ++i) rest += sorted[i];
    switch (asked.variant) {
      case Diversity::Variant::distinct:
        return static_cast<double>(sorted.size()) >= asked.l;
      case Diversity::Variant::frequency:
        return sorted[0] <= all / asked.l + 1e-9;
      case Diversity::Variant::entropy:
        return bits >= std::log(asked.l) - 1e-9;
      case Diversity::Variant::recursive:
        return sorted[0] < asked.c * rest;
    }
    return false;
  }

  Case case_;
  Sheet table_;
  std::map<std::size_t, int> range_;
  std::vector<std::vector<std::vector<int>>> children_;  // by column, by node
  std::vector<int> top_;                                 // by column
};

// ---- Told to the program

Table table_of(const Case& one) {
  testing::Rows rows(1);
  const Sheet& sheet = one.sheets[0];
  for (const std::size_t f : sheet.fields) rows[0].push_back(one.fields[f].name);
  for (const auto& row : sheet.rows) {
    auto& texts = rows.emplace_back();
    for (std::size_t c = 0; c < row.size(); ++c)
      texts.push_back(one.fields[sheet.fields[c]].labels[static_cast<std::size_t>(row[c])]);
  }
  return testing::table_of(rows, one.policy);
}

std::vector<ForeignFile> files_of(const Case& one) {
  std::vector<ForeignFile> files;
  for (std::size_t s = 1; s < one.sheets.size(); ++s) {
    const Sheet& sheet = one.sheets[s];
    ForeignFile& file = files.emplace_back();
    file.source = "previous " + std::to_string(s);
    file.rows = sheet.rows.size();
    for (std::size_t c = 0; c < sheet.fields.size(); ++c) {
      RawColumn& raw = file.columns.emplace_back();
      const Field& field = one.fields[sheet.fields[c]];
      raw.name = field.name;
      std::vector<Code> codes;
      for (const auto& row : sheet.rows) {
        const std::string& text = field.labels[static_cast<std::size_t>(row[c])];
        const auto at = std::find(raw.texts.begin(), raw.texts.end(), text);
        codes.push_back(static_cast<Code>(at - raw.texts.begin()));
        if (at == raw.texts.end()) raw.texts.push_back(text);
      }
      raw.codes = Codes(codes, raw.texts.size());
    }
  }
  return files;
}

std::string words_of(const Case& one) {
  const Policy& policy = one.policy;
  std::string text;
  for (const Sheet& sheet : one.sheets) {
    text += &sheet == one.sheets.data() ? "table:" : "previous:";
    for (const std::size_t f : sheet.fields)
      text +=
          " " + one.fields[f].name + (one.fields[f].kind == Field::Kind::plain ? "(plain)" : "");
    for (const auto& row : sheet.rows) {
      text += "\n ";
      for (std::size_t c = 0; c < row.size(); ++c)
        text += " " + one.fields[sheet.fields[c]].labels[static_cast<std::size_t>(row[c])];
    }
    text += "\n";
  }
  for (const Field& field : one.fields) {
    if (field.kind == Field::Kind::tree) text += field.name + ":\n" + field.file;
  }
  text += fmt::format("k {} goal {} dangling {} search {} width {}\n", policy.k,
                      static_cast<int>(policy.goal), static_cast<int>(policy.dangling),
                      static_cast<int>(policy.search.kind), policy.search.width) +
          "class " + policy.class_column + "\n";
  for (const Diversity& diversity : policy.diversities)
    text += fmt::format("diversity of s, variant {}\n", static_cast<int>(diversity.variant));
  for (const XyRequirement& asked : policy.xy) {
    text += fmt::format("x [{}] counted {} y [{}] k {}", fmt::join(asked.x, " "),
                        static_cast<int>(asked.counted), fmt::join(asked.y, " "), asked.k);
    for (const auto& guarded : asked.guarded)
      text += fmt::format(" {}={} at most {}", guarded.column, guarded.value.value_or("each"),
                          guarded.max);
    text += "\n";
  }
  for (const auto& pair : policy.inconsistent)
    text += fmt::format("inconsistent {}={} {}={}\n", pair.one.column, pair.one.value,
                        pair.other.column, pair.other.value);
  return text;
}

struct Outcome {
  std::optional<SequentialRelease> made;
  std::string refused, unmet;
};

Outcome run(const Case& one) {
  Outcome outcome;
  try {
    outcome.made = release_after(table_of(one), files_of(one), one.policy, 1);
  } catch (const InputError& error) {
    outcome.refused = error.what();
  } catch (const PrivacyError& error) {
    outcome.unmet = error.what();
  } catch (const ForeignValue& value) {
    outcome.refused =
        fmt::format("foreign value {} {} {}", value.column, value.text, value.expected);
  }
  return outcome;
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The cut that a release says it has.
std::optional<Model::Cut> cut_of(const SequentialRelease& made, const Model& model) {
  Model::Cut cut(model.table().fields.size());
  for (std::size_t c = 0; c < cut.size(); ++c) {
    for (std::size_t q = 0; q < made.release.quasi.size(); ++q) {
      const Domain& domain = made.release.quasi[q].domain;
      if (domain.name != model.field(c).name || !made.how.cuts[q]) continue;
      for (const Region& region : *made.how.cuts[q]) {
        const auto node = model.field(c).find(write_region(domain, region));
        if (!node) {
          ADD_FAILURE() << "unknown region " << write_region(domain, region) << " of "
                        << domain.name;
          return std::nullopt;
        }
        cut[c].push_back(*node);
      }
    }
    std::sort(cut[c].begin(), cut[c].end());
  }
  return cut;
}

testing::Rows published(const SequentialRelease& made) {
  const std::size_t count = made.release.rows();
  testing::Rows rows(count);
  for (const io::LabelColumn& column : io::columns_of(made.release)) {
    for (std::size_t row = 0; row < rows.size(); ++row)
      rows[row].push_back(column.labels[column.codes[row]]);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

// How many cases there were of each.
struct Seen {
  std::size_t met = 0, certain = 0, refused = 0;
  std::size_t safe_joined = 0;  // the lemmas hold on a join, and were tried on all tables
  std::size_t unsafe = 0;       // met where they do not
  std::size_t optimal = 0;      // the best of all tables was found
  std::size_t two = 0;          // previous releases
  std::size_t healed = 0;       // met, though not by the most general table
};

constexpr std::size_t kMostCuts = 150;

// Both lemmas: no specialization makes anybody safer.
void check_monotone(const Model& model, const std::vector<Model::Cut>& cuts) {
  for (const Model::Cut& cut : cuts) {
    const auto now = model.stand(cut).levels;
    for (const Model::Cut& next : model.next(cut)) {
      const auto then = model.stand(next).levels;
      for (std::size_t i = 0; i < now.size(); ++i) ASSERT_LE(then[i], now[i] + 1e-9);
    }
  }
}

void check_met(const Case& one, const Model& model, const SequentialRelease& made, Seen& seen) {
  ++seen.met;
  const auto cut = cut_of(made, model);
  ASSERT_TRUE(cut);
  testing::Rows expected;
  for (const auto& row : model.generalize(*cut)) {
    auto& texts = expected.emplace_back();
    for (std::size_t c = 0; c < row.size(); ++c)
      texts.push_back(model.field(c).labels[static_cast<std::size_t>(row[c])]);
  }
  std::sort(expected.begin(), expected.end());
  ASSERT_EQ(published(made), expected);
  ASSERT_TRUE(model.stand(*cut).holds) << "what is published breaks a requirement";
  for (const Model::Cut& next : model.next(*cut))
    ASSERT_FALSE(model.stand(next).holds) << "a valid specialization is left";
  ASSERT_NEAR(made.how.objective, model.objective(*cut), 1e-6);
  if (!model.stand(model.top()).holds) ++seen.healed;
  if (!made.how.monotone) ++seen.unsafe;
  const std::vector<Model::Cut> cuts = model.all(kMostCuts);
  if (cuts.empty()) return;
  if (made.how.monotone) {
    if (one.sheets.size() > 1) ++seen.safe_joined;
    ASSERT_NO_FATAL_FAILURE(check_monotone(model, cuts)) << "said to be monotone";
  }
  const bool optimal = one.policy.search.kind == SearchRule::Kind::optimal;
  if (!optimal && !made.how.bound) return;
  double best = -kInfinite;
  for (const Model::Cut& other : cuts) {
    if (model.stand(other).holds) best = std::max(best, model.objective(other));
  }
  if (made.how.bound) {
    ASSERT_GE(*made.how.bound, best - 1e-6);
  }
  if (optimal && made.how.complete) {
    ++seen.optimal;
    ASSERT_NEAR(made.how.objective, best, 1e-6) << "not the best";
  }
}

void check_unmet(const Case& one, const Model& model, const std::string& said, Seen& seen) {
  const bool certain = says(said, "not even by") || !says(said, "no table was found");
  if (!certain) {
    ASSERT_NE(one.policy.search.kind, SearchRule::Kind::optimal) << said;
    return;
  }
  ++seen.certain;
  for (const Model::Cut& cut : model.all(kMostCuts))
    ASSERT_FALSE(model.stand(cut).holds) << "a table meets it, but: " << said;
}

void check_refused(const Case& one, const Model& model, const std::string& said, Seen& seen) {
  ++seen.refused;
  const std::size_t lost =
      static_cast<std::size_t>(std::count(model.dangling.begin(), model.dangling.end(), true));
  std::size_t others = 0;
  for (const std::size_t count : model.danglers) others += count;
  if (says(said, "their join is empty")) {
    ASSERT_TRUE(model.all_dangle);
  } else if (says(said, "match nothing in the other")) {
    ASSERT_EQ(one.policy.dangling, Dangling::error);
    ASSERT_GT(lost + others, 0U);
    ASSERT_EQ(said.find(std::to_string(lost) + " records of the table"), 0U) << said;
  } else if (says(said, "values from both tables")) {
    bool both = false;
    for (const XyRequirement& asked : one.policy.xy) {
      bool here = false, there = false;
      for (const auto& guarded : asked.guarded) {
        here = here || (model.here(guarded.column) && !model.before(guarded.column));
        there = there || (!model.here(guarded.column) && model.before(guarded.column));
      }
      both = both || (here && there);
    }
    ASSERT_TRUE(both);
  } else if (says(said, "y stands for each value")) {
    bool moves = false;
    for (const XyRequirement& asked : one.policy.xy) {
      for (const auto& guarded : asked.guarded) {
        const auto column = model.table().column(one.field(guarded.column));
        moves = moves || (!guarded.value && column && model.moves(*column));
      }
    }
    ASSERT_TRUE(moves);
  } else if (says(said, "expected k of at most")) {
    ASSERT_GT(one.policy.k, one.sheets[0].rows.size());
  } else {
    FAIL() << "refused: " << said;
  }
}

void check_case(const Case& one, Seen& seen) {
  const Model model(one);
  const Outcome outcome = run(one);
  if (one.sheets.size() > 2) ++seen.two;
  if (!outcome.refused.empty()) {
    check_refused(one, model, outcome.refused, seen);
    return;
  }
  // An l that the whole table does not reach is told first.
  ASSERT_TRUE(!model.all_dangle || says(outcome.unmet, "records together"))
      << "an empty join was not refused";
  if (model.all_dangle) return;
  if (!outcome.unmet.empty()) {
    check_unmet(one, model, outcome.unmet, seen);
  } else {
    check_met(one, model, *outcome.made, seen);
  }
  if (one.policy.search.kind == SearchRule::Kind::greedy) {
    // Nothing depends on the order of the records.
    Case turned = one;
    for (Sheet& sheet : turned.sheets) std::reverse(sheet.rows.begin(), sheet.rows.end());
    const Outcome again = run(turned);
    ASSERT_EQ(again.unmet, outcome.unmet);
    if (outcome.made) {
      ASSERT_EQ(published(*again.made), published(*outcome.made));
    }
    return;
  }
  Case simple = one;
  simple.policy.search.kind = SearchRule::Kind::greedy;
  const Outcome greedy = run(simple);
  if (!greedy.made) return;
  ASSERT_TRUE(outcome.made) << "the greedy search meets it";
  ASSERT_GE(outcome.made->how.objective, greedy.made->how.objective - 1e-9);
}

TEST(Sequential, HoldsByBruteForceOnRandomTables) {
  Seen seen;
  for (std::uint64_t seed = 0; seed < 2500; ++seed) {
    const Case one = Generator(seed).make();
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, words_of(one)));
    try {
      check_case(one, seen);
    } catch (const std::exception& error) {
      ADD_FAILURE() << "threw: " << error.what();
    }
    if (HasFailure()) return;
  }
  // Something of everything was among them.
  EXPECT_GT(seen.met, 500U);
  EXPECT_GT(seen.certain, 500U);
  EXPECT_GT(seen.refused, 200U);
  EXPECT_GT(seen.safe_joined, 200U);
  EXPECT_GT(seen.unsafe, 200U);
  EXPECT_GT(seen.optimal, 100U);
  EXPECT_GT(seen.two, 500U);
  EXPECT_GT(seen.healed, 10U);
}

}  // namespace
}  // namespace throng
