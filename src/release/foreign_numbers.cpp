// Columns of numbers and dates: a text is an extent, or several; its ends are the domain.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "release/foreign_column.h"
#include "table/value.h"

namespace throng::foreign {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Generalization without_hierarchy(Generalization rule) {
  rule.hierarchy = std::monostate{};
  return rule;
}

class NumberColumn {
 public:
  NumberColumn(const Texts& column, EmptyCell empty)
      : column_(column),
        type_(column.rule->type.type),
        rule_(column.rule->generalization),
        kinds_(kinds_of(column, empty)),
        missing_(any_missing(kinds_)),
        extents_(column.size()),
        nodes_(column.size()) {}

  Shared read() {
    const bool closed = is_closed(rule_);
    Dictionary known;
    known.type = type_;
    if (closed) {
      if (missing_) add_missing(known, column_.missing);
      domain_ = make_domain(column_.name(), known, rule_);
    }
    read_extents();
    if (!closed) {
      known = told_values();
      if (missing_) add_missing(known, column_.missing);
      if (known.present() == 0) {
        domain_ = unknown_domain(column_, known);
      } else {
        domain_ =
            make_domain(column_.name(), known, may_have_tree() ? rule_ : without_hierarchy(rule_));
      }
    }
    index();
    if (domain_.tree) {
      for (std::size_t i = 0; i < column_.size() && domain_.tree; ++i) {
        if (kinds_[i] == Kind::other && (extents_[i].size() > 1 || !node_of(i))) flatten(i);
      }
    }
    if (std::any_of(extents_.begin(), extents_.end(),
                    [](const std::vector<Extent>& told) { return told.size() > 1; })) {
      domain_.kind = Domain::Kind::set;
    }
    Shared shared;
    for (std::size_t i = 0; i < column_.size(); ++i) shared.regions.push_back(region_of(i));
    if (!domain_.tree) {  // in a tree the label of a node tells it
      if (open_low_) domain_.values.labels.front() = "-\u221E";
      if (open_high_) domain_.values.labels[domain_.values.present() - 1] = "\u221E";
    }
    shared.domain = std::move(domain_);
    return shared;
  }

 private:
  void read_extents() {
    const std::string& format = column_.rule->type.format;
    const auto* dates = std::get_if<DateRule>(&rule_.hierarchy);
    for (std::size_t i = 0; i < column_.size(); ++i) {
      if (kinds_[i] != Kind::other) continue;
      const std::string& text = column_.texts[i];
      if (domain_.tree) {
        nodes_[i] = find_node(*domain_.tree, read_escapes(text), text);
        if (nodes_[i]) continue;
      }
      if (const auto value = parse_value(type_, text, format)) {
        extents_[i] = {{value->number, value->number}};
        continue;
      }
      if (const auto members = read_braces(read_escapes(text))) {
        extents_[i] = read_members(i, *members);
        continue;
      }
      std::optional<Extent> extent;
      if (dates != nullptr) extent = read_date_label(text, *dates, format);
      if (!extent) extent = read_extent(text, type_, format);
      if (!extent) refuse(column_, i, wanted());
      extents_[i] = {*extent};
    }
  }

  // Neighbours become one: {20|21|22} is 20..22.
  std::vector<Extent> read_members(std::size_t text, const std::vector<Written>& members) const {
    std::vector<Extent> told;
    for (const Written& member : members) {
      const auto value = parse_value(type_, member.text, column_.rule->type.format);
      if (!value) refuse(column_, text, wanted());
      told.push_back({value->number, value->number});
    }
    std::sort(told.begin(), told.end(),
              [](const Extent& a, const Extent& b) { return a.low < b.low; });
    const double step = type_ == Type::decimal ? 0 : 1;
    std::vector<Extent> joined;
    for (const Extent& extent : told) {
      if (!joined.empty() && extent.low <= joined.back().high + step) {
        joined.back().high = extent.high;
      } else {
        joined.push_back(extent);
      }
    }
    return joined;
  }

  std::string wanted() const {
    return fmt::format("{}, an interval such as {}, or *{}", expected(type_),
                       type_ == Type::date ? "first..last" : "20..29 or [20, 30[",
                       std::holds_alternative<std::monostate>(rule_.hierarchy)
                           ? ""
                           : ", or a label of its hierarchy");
  }

  // All ends that are told, and one beyond them where an end is not told.
  Dictionary told_values() {
    std::vector<double> numbers;
    if (rule_.domain) clip(numbers);
    bool below = false, above = false;
    for (std::size_t i = 0; i < column_.size(); ++i) {
      if (kinds_[i] != Kind::other) continue;
      for (const Extent& extent : extents_[i]) {
        for (const double end : {extent.low, extent.high}) {
          if (std::isfinite(end)) {
            numbers.push_back(end);
          } else {
            (end < 0 ? below : above) = true;
          }
        }
      }
    }
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    if (below) {
      const double first = numbers.front();
      numbers.insert(numbers.begin(), std::min(first - 1, std::nextafter(first, -kInfinity)));
    }
    if (above) {
      const double last = numbers.back();
      numbers.push_back(std::max(last + 1, std::nextafter(last, kInfinity)));
    }
    open_low_ = below;
    open_high_ = above;
    Dictionary values;
    values.type = type_;
    for (const double number : numbers)
      values.labels.push_back(spell_end(number, type_, column_.rule->type.format));
    values.numbers = std::move(numbers);
    return values;
  }

  // `domain: lowest..highest`: beyond it there is nothing.
  void clip(std::vector<double>& numbers) {
    const std::string& format = column_.rule->type.format;
    const auto low = parse_value(type_, rule_.domain->low, format);
    const auto high = parse_value(type_, rule_.domain->high, format);
    if (!low || !high) return;  // make_domain() says what is wrong
    numbers = {low->number, high->number};
    for (std::size_t i = 0; i < column_.size(); ++i) {
      if (kinds_[i] != Kind::other) continue;
      for (Extent& extent : extents_[i]) {
        if (extent.low > high->number || extent.high < low->number) {
          refuse(column_, i,
                 fmt::format("what meets the policy's domain {}..{}", rule_.domain->low,
                             rule_.domain->high));
        }
        extent = {std::max(extent.low, low->number), std::min(extent.high, high->number)};
      }
    }
  }

  // Intervals of decimals are labelled by the digits of the private table, which nobody knows here.
  // A date beyond all others may have no spelling of its own.
  bool may_have_tree() const {
    if (std::holds_alternative<DateRule>(rule_.hierarchy)) return !open_low_ && !open_high_;
    return type_ == Type::integer;
  }

  // The positions of the domain in the order of their numbers.
  void index() {
    const std::string label = missing_ ? column_.missing.values.front() : "";
    by_number_.clear();
    for (Code i = 0; i < domain_.size(); ++i) {
      const bool absent =
          domain_.tree ? missing_ && domain_.values.labels[i] == label : i == domain_.missing();
      if (!absent) by_number_.push_back(i);
    }
    const std::vector<double>& numbers = domain_.values.numbers;
    std::sort(by_number_.begin(), by_number_.end(),
              [&](Code a, Code b) { return numbers[a] < numbers[b]; });
  }

  // The positions that a text covers; nothing where they are not consecutive. Refuses a text that
  // covers none.
  std::optional<std::pair<Code, Code>> range_of(std::size_t text) const {
    if (nodes_[text]) return std::pair(first_[text], last_[text]);
    return range_of(text, extents_[text].front());
  }

  std::optional<std::pair<Code, Code>> range_of(std::size_t text, const Extent& extent) const {
    const std::vector<double>& numbers = domain_.values.numbers;
    const auto begin =
        std::lower_bound(by_number_.begin(), by_number_.end(), extent.low,
                         [&](Code position, double low) { return numbers[position] < low; });
    const auto end =
        std::upper_bound(begin, by_number_.end(), extent.high,
                         [&](double high, Code position) { return high < numbers[position]; });
    if (begin == end) refuse(column_, text, "what covers a value of the policy's domain");
    const auto [low, high] = std::minmax_element(begin, end);
    if (*high - *low != static_cast<Code>(end - begin - 1)) return std::nullopt;
    return std::pair(*low, *high);
  }

  // The node that covers just what the text says.
  std::optional<Hierarchy::Node> node_of(std::size_t text) const {
    if (nodes_[text]) return nodes_[text];
    const auto range = range_of(text);
    if (!range) return std::nullopt;
    if (range->first == range->second) return domain_.tree->leaf(range->first);
    const Hierarchy::Node node = domain_.tree->cover(range->first, range->second);
    const bool exact =
        domain_.tree->first(node) == range->first && domain_.tree->last(node) == range->second;
    return exact ? std::optional(node) : std::nullopt;
  }

  // From the tree to intervals of its leaves, because this text is none of its nodes.
  void flatten(std::size_t text) {
    const Hierarchy& tree = *domain_.tree;
    const auto last = static_cast<Code>(domain_.size() - 1);
    bool flat = std::is_sorted(by_number_.begin(), by_number_.end());
    if (missing_) {
      flat = flat && domain_.values.labels[last] == column_.missing.values.front() &&
             tree.parent(tree.leaf(last)) == tree.root();
    }
    if (!flat) refuse(column_, text, "a label of its hierarchy, or what one of its nodes covers");
    first_.assign(column_.size(), 0);
    last_.assign(column_.size(), 0);
    for (std::size_t i = 0; i < column_.size(); ++i) {
      if (!nodes_[i]) continue;
      first_[i] = tree.first(*nodes_[i]);
      last_[i] = tree.last(*nodes_[i]);
    }
    domain_.kind = Domain::Kind::interval;
    domain_.values.missing = missing_;
    if (missing_) domain_.values.numbers.back() = 0;
    domain_.tree.reset();
    domain_.low = domain_.values.numbers.front();
    domain_.high = domain_.values.numbers[domain_.values.present() - 1];
  }

  Region region_of(std::size_t text) const {
    if (kinds_[text] == Kind::everything) return everything_of(domain_);
    if (kinds_[text] == Kind::missing)
      return missing_region(domain_, column_.missing.values.front());
    if (domain_.tree) return region_of_node(domain_, *node_of(text));
    if (domain_.kind == Domain::Kind::set) {
      std::vector<Code> positions;
      const auto add = [&](const std::pair<Code, Code>& range) {
        for (Code i = range.first; i <= range.second; ++i) positions.push_back(i);
      };
      if (nodes_[text]) add(*range_of(text));
      for (const Extent& extent : extents_[text]) add(*range_of(text, extent));
      return region_of_set(domain_, std::move(positions));
    }
    const auto range = range_of(text);
    return region_of_range(domain_, range->first, range->second);
  }

  const Texts& column_;
  Type type_;
  const Generalization& rule_;
  std::vector<Kind> kinds_;
  bool missing_;                                       // whether any text is the missing value
  std::vector<std::vector<Extent>> extents_;           // by text; several of a set
  std::vector<std::optional<Hierarchy::Node>> nodes_;  // by text: of a tree that the policy gives
  std::vector<Code> first_, last_;                     // by text: its node's leaves, once flattened
  Domain domain_;
  std::vector<Code> by_number_;
  bool open_low_ = false, open_high_ = false;
};

}  // namespace

Shared read_numbers(const Texts& column, EmptyCell empty) {
  return NumberColumn(column, empty).read();
}

}  // namespace throng::foreign
