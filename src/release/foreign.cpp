#include "release/foreign.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "release/foreign_text.h"
#include "table/sorted_keys.h"
#include "table/value.h"
#include "throng/error.h"

namespace throng {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::string_view kOther = "\u2026";  // … : a character of a value that nobody has told

// One column in all files that have it: each distinct text once.
struct Texts {
  const ColumnPolicy* rule = nullptr;
  MissingRule missing;
  std::vector<std::string> texts;
  std::vector<std::size_t> file_of;      // by text: the first file that has it
  std::vector<std::vector<Code>> id_of;  // by file, by its code: the text

  std::size_t size() const { return texts.size(); }
  const std::string& name() const { return rule->name; }
};

// What a quasi-identifier's texts mean.
struct Shared {
  Domain domain;
  std::vector<Region> regions;  // by text
};

bool contains(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

[[noreturn]] void refuse(const Texts& column, std::size_t text, std::string expected) {
  throw ForeignValue{column.file_of[text], column.name(), column.texts[text], std::move(expected)};
}

// Everything, also where the domain knows of one value only: others may have others.
Region everything_of(const Domain& domain) {
  Region region = region_of_everything(domain);
  region.everything = true;
  if (domain.tree) region.node = domain.tree->root();
  return region;
}

// What can be told of a text before its column's domain is known.
enum class Kind { everything, missing, other };

std::vector<Kind> kinds_of(const Texts& column, EmptyCell empty) {
  std::vector<Kind> kinds(column.size(), Kind::other);
  for (std::size_t i = 0; i < column.size(); ++i) {
    const std::string& text = column.texts[i];
    const bool missing = contains(column.missing.values, text);
    if (text == "*") {
      kinds[i] = Kind::everything;
    } else if (text.empty()) {
      const bool listed = missing && column.missing.as == MissingRule::As::value;
      kinds[i] = listed && empty == EmptyCell::as_listed ? Kind::missing : Kind::everything;
    } else if (missing) {
      if (column.missing.as == MissingRule::As::error) refuse(column, i, "a value");
      kinds[i] = Kind::missing;
    }
  }
  return kinds;
}

bool any_missing(const std::vector<Kind>& kinds) {
  return std::find(kinds.begin(), kinds.end(), Kind::missing) != kinds.end();
}

void add_missing(Dictionary& values, const MissingRule& rule) {
  values.missing = true;
  values.labels.push_back(rule.values.front());
  if (values.numeric()) values.numbers.push_back(0);
}

// Whether the policy says all values that there are.
bool is_closed(const Generalization& rule) {
  return std::holds_alternative<HierarchyFile>(rule.hierarchy) ||
         (rule.domain && !rule.domain->values.empty());
}

Generalization without_hierarchy(Generalization rule) {
  rule.hierarchy = std::monostate{};
  return rule;
}

// Where everybody is `*` there is no value; a domain has one at least.
Domain unknown_domain(const Texts& column, const Dictionary& values) {
  Dictionary unknown = values;
  unknown.labels.insert(unknown.labels.begin(), std::string(kOther));
  if (unknown.numeric()) unknown.numbers.insert(unknown.numbers.begin(), 0);
  Generalization rule;
  rule.date_format = column.rule->type.format;
  return make_domain(column.name(), unknown, rule);
}

// The missing value's own region.
Region missing_region(const Domain& domain, const std::string& label) {
  return region_of_value(domain, domain.tree ? domain.tree->find_leaf(label).value()
                                             : static_cast<Code>(domain.missing()));
}

// The node that is written so; `*` is never asked for.
std::optional<Hierarchy::Node> find_node(const Hierarchy& tree, const Written& written,
                                         const std::string& text) {
  for (const std::string& label : {written.text, text}) {
    const auto node = tree.find(label);
    if (node && *node != tree.root()) return node;
  }
  return std::nullopt;
}

// --- Numbers and dates ---------------------------------------------------------------------------

class NumberColumn {
 public:
  NumberColumn(const Texts& column, EmptyCell empty)
      : column_(column),
        type_(column.rule->type.type),
        rule_(column.rule->generalization),
        kinds_(kinds_of(column, empty)),
        extents_(column.size()),
        nodes_(column.size()) {}

  Shared read() {
    const bool closed = is_closed(rule_);
    Dictionary known;
    known.type = type_;
    if (closed) {
      if (any_missing(kinds_)) add_missing(known, column_.missing);
      domain_ = make_domain(column_.name(), known, rule_);
    }
    read_extents();
    if (!closed) {
      known = told_values();
      if (any_missing(kinds_)) add_missing(known, column_.missing);
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
    const std::string missing = any_missing(kinds_) ? column_.missing.values.front() : "";
    by_number_.clear();
    for (Code i = 0; i < domain_.size(); ++i) {
      const bool absent = domain_.tree ? any_missing(kinds_) && domain_.values.labels[i] == missing
                                       : i == domain_.missing();
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
    const bool missing = any_missing(kinds_);
    const auto last = static_cast<Code>(domain_.size() - 1);
    bool flat = std::is_sorted(by_number_.begin(), by_number_.end());
    if (missing) {
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
    domain_.values.missing = missing;
    if (missing) domain_.values.numbers.back() = 0;
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
  std::vector<std::vector<Extent>> extents_;           // by text; several of a set
  std::vector<std::optional<Hierarchy::Node>> nodes_;  // by text: of a tree that the policy gives
  std::vector<Code> first_, last_;                     // by text: its node's leaves, once flattened
  Domain domain_;
  std::vector<Code> by_number_;
  bool open_low_ = false, open_high_ = false;
};

// --- Text ----------------------------------------------------------------------------------------

class TextColumn {
 public:
  TextColumn(const Texts& column, EmptyCell empty)
      : column_(column),
        rule_(column.rule->generalization),
        mask_(std::get_if<MaskRule>(&rule_.hierarchy)),
        kinds_(kinds_of(column, empty)) {
    written_.reserve(column.size());
    for (std::size_t i = 0; i < column.size(); ++i) {
      written_.push_back(read_escapes(column.texts[i]));
      if (kinds_[i] != Kind::other) continue;
      if (column.texts[i] == "{}") refuse(column, i, wanted());
      const auto mask = mask_of(written_[i]);
      if (mask && mask->shown.empty()) kinds_[i] = Kind::everything;
    }
  }

  Shared read() {
    Dictionary known;
    note_missing();
    if (!is_closed(rule_)) known = told_values();
    if (any_missing_told()) add_missing(known, column_.missing);
    if (!is_closed(rule_) && known.present() == 0) {
      domain_ = unknown_domain(column_, known);
    } else {
      domain_ = make_domain(column_.name(), known, rule_);
    }
    index();
    Shared shared;
    std::vector<Covered> covered(column_.size());
    bool nodes = domain_.kind == Domain::Kind::tree;
    for (std::size_t i = 0; i < column_.size(); ++i) {
      if (kinds_[i] != Kind::other) continue;
      covered[i] = covered_by(i);
      nodes = nodes && covered[i].node.has_value();
    }
    if (domain_.tree && !nodes) flatten(covered);
    for (std::size_t i = 0; i < column_.size(); ++i) {
      if (kinds_[i] == Kind::everything) {
        shared.regions.push_back(everything_of(domain_));
      } else if (kinds_[i] == Kind::missing) {
        shared.regions.push_back(missing_region(domain_, column_.missing.values.front()));
      } else if (domain_.tree) {
        shared.regions.push_back(region_of_node(domain_, *covered[i].node));
      } else {
        shared.regions.push_back(region_of_set(domain_, std::move(covered[i].positions)));
      }
    }
    shared.domain = std::move(domain_);
    return shared;
  }

 private:
  // Positions, ascending; in a tree also the node that has just these leaves, if there is one.
  struct Covered {
    std::vector<Code> positions;
    std::optional<Hierarchy::Node> node;
  };
  using Positions = std::vector<Code>;

  std::string wanted() const {
    return is_closed(rule_)
               ? "a value of the policy's domain, a label of its hierarchy, a set or a "
                 "mask of them, or *"
               : "a value, a set such as {a|b}, a mask of values in the files, or *";
  }

  bool any_missing_told() const { return missing_in_sets_ || any_missing(kinds_); }
  bool is_missing(const std::string& text) const { return contains(column_.missing.values, text); }

  void note_missing() {
    for (std::size_t i = 0; i < column_.size() && !missing_in_sets_; ++i) {
      if (kinds_[i] != Kind::other) continue;
      const auto members = read_braces(written_[i]);
      missing_in_sets_ =
          members && std::any_of(members->begin(), members->end(), [&](const Written& member) {
            return is_missing(member.text) || is_missing(trim(member).text);
          });
    }
  }

  std::optional<Mask> mask_of(const Written& written) const {
    if (mask_ != nullptr && mask_->character != "*") {
      if (auto mask = read_mask(written, mask_->character)) return mask;
    }
    return read_mask(written, "*");
  }

  // --- The values of a column of which the policy lists none ---

  // A text with separators but no braces: a set, or a value that looks like one.
  struct Doubtful {
    std::size_t text = 0;
    char separator = ',';
    std::vector<std::string> parts;
  };
  struct Member {
    std::string text, trimmed;
  };

  Dictionary told_values() {
    std::vector<Doubtful> doubtful;
    std::vector<Member> blank;  // members with blanks around them
    for (std::size_t i = 0; i < column_.size(); ++i) {
      if (kinds_[i] != Kind::other) continue;
      if (const auto members = read_braces(written_[i])) {
        for (const Written& member : *members) note_member(i, member, blank);
      } else if (!note_mask(i, written_[i]) && !note_doubtful(i, doubtful)) {
        certain_.insert(written_[i].text);
      }
    }
    for (const Member& member : blank) {
      if (!certain_.contains(member.text) && !certain_.contains(member.trimmed))
        certain_.insert(member.text);
    }
    settle(doubtful);
    if (mask_ != nullptr) add_masked();
    Dictionary values;
    values.labels.assign(certain_.begin(), certain_.end());
    std::sort(values.labels.begin(), values.labels.end());
    return values;
  }

  void note_member(std::size_t text, const Written& member, std::vector<Member>& blank) {
    const Written trimmed = trim(member);
    if (is_missing(member.text) || is_missing(trimmed.text)) return;
    if (note_mask(text, trimmed)) return;
    // At commas blanks are usual; at bars they may belong to the value.
    if (trimmed.text == member.text || is_comma_set(text)) {
      certain_.insert(trimmed.text);
    } else {
      blank.push_back({member.text, trimmed.text});
    }
  }

  bool is_comma_set(std::size_t text) const { return split(written_[text], '|').size() == 1; }

  bool note_mask(std::size_t text, const Written& written) {
    const auto mask = mask_of(written);
    if (!mask) {
      for (std::size_t i = 0; i < written.text.size(); ++i) {
        if (written.text[i] == '*' && written.plain[i] != 0)
          refuse(column_, text, "a mask that hides one end of a value");
      }
      return false;
    }
    if (mask->shown.empty()) refuse(column_, text, wanted());  // everything and more
    if (mask_ == nullptr) return true;                         // stands for values of others
    if (mask->right != mask_->right) {
      refuse(
          column_, text,
          fmt::format("a mask from the {}, as the policy says", mask_->right ? "right" : "left"));
    }
    masks_.push_back({text, written.text, *mask});
    return true;
  }

  bool note_doubtful(std::size_t text, std::vector<Doubtful>& doubtful) const {
    for (const char separator : {',', '|'}) {
      const std::vector<Written> parts = split(written_[text], separator);
      if (parts.size() < 2) continue;
      Doubtful& entry = doubtful.emplace_back(Doubtful{text, separator, {}});
      for (const Written& part : parts) entry.parts.push_back(trim(part).text);
      return true;
    }
    return false;
  }

  // Sets of values that stand elsewhere are sets. A text none of whose parts stands elsewhere is
  // taken for a value: as a set it would meet the same texts.
  void settle(const std::vector<Doubtful>& doubtful) {
    std::unordered_map<std::string, std::size_t> texts_with;
    for (const Doubtful& entry : doubtful) {
      const std::unordered_set<std::string> parts(entry.parts.begin(), entry.parts.end());
      for (const std::string& part : parts) ++texts_with[part];
    }
    std::vector<std::string> values;
    for (const Doubtful& entry : doubtful) {
      if (certain_.contains(written_[entry.text].text)) continue;  // a member of a set in braces
      const auto known = static_cast<std::size_t>(
          std::count_if(entry.parts.begin(), entry.parts.end(),
                        [&](const std::string& part) { return certain_.contains(part); }));
      if (known == entry.parts.size() && entry.separator == ',') continue;
      const bool shared = known > 0 || std::any_of(entry.parts.begin(), entry.parts.end(),
                                                   [&](const std::string& part) {
                                                     return !part.empty() && texts_with[part] > 1;
                                                   });
      if (shared) {
        refuse(column_, entry.text,
               "a set in braces, or its values in the policy's `domain:`; it could be one value or "
               "several");
      }
      values.push_back(written_[entry.text].text);
    }
    certain_.insert(values.begin(), values.end());
  }

  // A mask as the rule would write it, and a value below it where it has fewer than two: one that
  // stands for those that nobody has told.
  void add_masked() {
    std::unordered_set<std::size_t> lengths;
    for (const std::string& value : certain_) lengths.insert(length_of(value));
    std::size_t longest = 0;
    for (const Noted& noted : masks_) {
      const std::size_t length = length_of(noted.mask.shown) + noted.mask.hidden;
      longest = std::max(longest, length);
      if (noted.mask.hidden > 1) lengths.insert(length);
    }
    const std::vector<char> counted = counts_characters();
    for (const Noted& noted : masks_) {
      if (counted[noted.text] != 0) lengths.insert(length_of(noted.mask.shown) + noted.mask.hidden);
    }
    if (lengths.empty()) lengths.insert(longest);
    std::unordered_map<std::string, std::size_t> below;  // by label
    for (Noted& noted : masks_) {
      const std::size_t shown = length_of(noted.mask.shown);
      std::size_t length = shown + noted.mask.hidden;
      if (noted.mask.hidden == 1 && !lengths.contains(length)) {
        if (lengths.size() > 1 || *lengths.begin() < length) {
          refuse(column_, noted.text,
                 "as many hidden characters as the value has, since values differ in length");
        }
        length = *lengths.begin();
      }
      noted.mask.hidden = length - shown;
      const std::string label = label_of(noted.mask, mask_->character);
      label_of_mask_[noted.written] = label;
      below.try_emplace(label, 0);
    }
    for (const std::string& value : certain_) count_masks(value, below);
    for (const Noted& noted : masks_) {
      if (below[label_of(noted.mask, mask_->character)] < 2)
        certain_.insert(label_of(noted.mask, kOther));
    }
  }

  // By text: whether all files that have it hide characters one by one, as several stars in a row
  // show.
  std::vector<char> counts_characters() const {
    std::vector<char> several(column_.size(), 0), counted(column_.size(), 1);
    for (const Noted& noted : masks_) {
      if (noted.mask.hidden > 1) several[noted.text] = 1;
    }
    for (const std::vector<Code>& ids : column_.id_of) {
      if (std::any_of(ids.begin(), ids.end(), [&](Code id) { return several[id] != 0; })) continue;
      for (const Code id : ids) counted[id] = 0;
    }
    return counted;
  }

  static std::string label_of(const Mask& mask, std::string_view character) {
    std::string hidden;
    for (std::size_t i = 0; i < mask.hidden; ++i) hidden += character;
    return mask.right ? mask.shown + hidden : hidden + mask.shown;
  }

  // Counts the value under each mask that it has.
  void count_masks(const std::string& value,
                   std::unordered_map<std::string, std::size_t>& below) const {
    if (below.empty()) return;
    Mask mask{mask_->right, value, 0};
    while (length_of(mask.shown) > 1) {
      ++mask.hidden;
      if (mask.right) {
        while ((static_cast<unsigned char>(mask.shown.back()) & 0xC0U) == 0x80U)
          mask.shown.pop_back();
        mask.shown.pop_back();
      } else {
        mask.shown.erase(0, 1);
        while (!mask.shown.empty() &&
               (static_cast<unsigned char>(mask.shown.front()) & 0xC0U) == 0x80U)
          mask.shown.erase(0, 1);
      }
      const auto found = below.find(label_of(mask, mask_->character));
      if (found != below.end()) ++found->second;
    }
  }

  // --- What a text covers in the domain ---

  // Positions by value, and by value read from its end.
  void index() {
    const auto by_text = [](const auto& a, const auto& b) { return a.first < b.first; };
    forwards_.clear();
    backwards_.clear();
    for (Code i = 0; i < domain_.size(); ++i) {
      const std::string& label = domain_.values.labels[i];
      if (any_missing_told() && label == column_.missing.values.front()) continue;
      forwards_.emplace_back(label, i);
      backwards_.emplace_back(std::string(label.rbegin(), label.rend()), i);
    }
    std::sort(forwards_.begin(), forwards_.end(), by_text);
    std::sort(backwards_.begin(), backwards_.end(), by_text);
  }

  Covered node_covered(Hierarchy::Node node) const {
    Covered covered;
    covered.positions.resize(domain_.tree->last(node) - domain_.tree->first(node) + 1);
    std::iota(covered.positions.begin(), covered.positions.end(), domain_.tree->first(node));
    covered.node = node;
    return covered;
  }

  // One value or label.
  std::optional<Covered> exact(const Written& written, const std::string& text) const {
    if (domain_.tree) {
      if (const auto label = label_of_mask_.find(written.text); label != label_of_mask_.end()) {
        if (const auto node = domain_.tree->find(label->second)) return node_covered(*node);
      }
      if (const auto node = find_node(*domain_.tree, written, text)) return node_covered(*node);
      return std::nullopt;
    }
    for (const std::string& value : {written.text, text}) {
      const auto found = std::lower_bound(
          forwards_.begin(), forwards_.end(), value,
          [](const auto& known, const std::string& sought) { return known.first < sought; });
      if (found != forwards_.end() && found->first == value) return Covered{{found->second}, {}};
    }
    return std::nullopt;
  }

  Positions matching(const Mask& mask) const {
    Positions positions;
    const auto& sorted = mask.right ? forwards_ : backwards_;
    const std::string begin =
        mask.right ? mask.shown : std::string(mask.shown.rbegin(), mask.shown.rend());
    for (auto at = std::lower_bound(
             sorted.begin(), sorted.end(), begin,
             [](const auto&known, const std::string&sought) { return known.first < sought; });
         at != sorted.end() && at->first.starts_with(begin); ++at) {
      positions.push_back(at->second);
    }
    return positions;
  }

  // One member of a set. Adds its positions; false where there are none.
  bool add_member(const Written& member, Positions& positions) const {
    const Written trimmed = trim(member);
    if (is_missing(member.text) || is_missing(trimmed.text)) {
      if (!any_missing_told()) return false;
      positions.push_back(missing_region(domain_, column_.missing.values.front()).low);
      return true;
    }
    for (const Written* way : {&member, &trimmed}) {
      if (const auto covered = exact(*way, way->text)) {
        positions.insert(positions.end(), covered->positions.begin(), covered->positions.end());
        return true;
      }
    }
    const auto mask = mask_of(trimmed);
    if (!mask) return false;
    const Positions matches = matching(*mask);
    positions.insert(positions.end(), matches.begin(), matches.end());
    return !matches.empty();
  }

  std::optional<Covered> set_of(const std::vector<Written>& members) const {
    Covered covered;
    for (const Written& member : members) {
      if (!add_member(member, covered.positions)) return std::nullopt;
    }
    return tidy(std::move(covered));
  }

  Covered tidy(Covered covered) const {
    Positions& positions = covered.positions;
    std::sort(positions.begin(), positions.end());
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
    if (domain_.tree) {
      const Hierarchy::Node node = domain_.tree->cover(positions.front(), positions.back());
      const std::size_t leaves = domain_.tree->last(node) - domain_.tree->first(node) + 1;
      if (leaves == positions.size()) covered.node = node;
    }
    return covered;
  }

  Covered covered_by(std::size_t text) const {
    const Written& written = written_[text];
    const auto members = read_braces(written);
    if (members && !domain_.tree) {
      if (auto set = set_of(*members)) return *std::move(set);
    }
    if (auto value = exact(written, column_.texts[text])) return *std::move(value);
    if (members && domain_.tree) {
      if (auto set = set_of(*members)) return *std::move(set);
    }
    if (const auto mask = mask_of(written)) {
      Positions positions = matching(*mask);
      if (positions.empty()) {
        refuse(column_, text,
               "a mask that covers a value of the column; where values are only masked, the policy "
               "has to say `hierarchy: {mask: …}`");
      }
      return tidy({std::move(positions), {}});
    }
    const std::vector<Written> parts = split(written, ',');
    if (!members && parts.size() > 1) {
      if (auto set = set_of(parts)) return *std::move(set);
    }
    refuse(column_, text, wanted());
  }

  // From the tree to sets of its leaves, because some text is none of its nodes.
  void flatten(std::vector<Covered>& covered) {
    Dictionary values;
    std::vector<Code> position_of(domain_.size());
    for (const auto& known : forwards_) {
      position_of[known.second] = static_cast<Code>(values.size());
      values.labels.push_back(known.first);
    }
    if (any_missing_told()) {
      const std::string& label = column_.missing.values.front();
      position_of[domain_.tree->find_leaf(label).value()] = static_cast<Code>(values.size());
      add_missing(values, column_.missing);
    }
    for (Covered& entry : covered) {
      for (Code& position : entry.positions) position = position_of[position];
      std::sort(entry.positions.begin(), entry.positions.end());
    }
    domain_.kind = Domain::Kind::set;
    domain_.tree.reset();
    domain_.values = std::move(values);
  }

  struct Noted {
    std::size_t text = 0;
    std::string written;
    Mask mask;
  };

  const Texts& column_;
  const Generalization& rule_;
  const MaskRule* mask_;
  std::vector<Kind> kinds_;
  std::vector<Written> written_;             // by text
  std::unordered_set<std::string> certain_;  // values that are told as such
  bool missing_in_sets_ = false;
  std::vector<Noted> masks_;                                    // of a mask rule
  std::unordered_map<std::string, std::string> label_of_mask_;  // by what is written
  Domain domain_;
  std::vector<std::pair<std::string, Code>> forwards_, backwards_;
};

// --- Columns -------------------------------------------------------------------------------------

Texts gather(const std::vector<ForeignFile>& files, const ColumnPolicy& rule,
             const Policy& policy) {
  Texts column;
  column.rule = &rule;
  column.missing = missing_rule(policy, rule);
  column.id_of.resize(files.size());
  std::vector<const RawColumn*> parts(files.size(), nullptr);
  for (std::size_t file = 0; file < files.size(); ++file) {
    for (const RawColumn& raw : files[file].columns) {
      if (raw.name == rule.name) parts[file] = &raw;
    }
  }
  std::unordered_map<std::string_view, Code> known;
  std::vector<const std::string*> texts;
  const bool alone = std::count(parts.begin(), parts.end(), nullptr) + 1 ==
                     static_cast<std::ptrdiff_t>(parts.size());
  for (std::size_t file = 0; file < files.size(); ++file) {
    if (parts[file] == nullptr) continue;
    for (const std::string& text : parts[file]->texts) {
      auto id = static_cast<Code>(texts.size());
      bool is_new = true;
      if (!alone) {
        const auto place = known.try_emplace(text, id);
        id = place.first->second;
        is_new = place.second;
      }
      if (is_new) {
        texts.push_back(&text);
        column.file_of.push_back(file);
      }
      column.id_of[file].push_back(id);
    }
  }
  column.texts.reserve(texts.size());
  for (const std::string* text : texts) column.texts.push_back(*text);
  return column;
}

// A column that is released as it is: the one dictionary, and the code of each text.
struct SharedPlain {
  Dictionary values;
  std::vector<Code> code_of;
};

SharedPlain read_plain(const Texts& column) {
  std::vector<Code> own(column.size());
  std::iota(own.begin(), own.end(), 0);
  RawColumn raw{column.name(), column.texts, Codes(own, own.size())};
  try {
    Column encoded = encode(std::move(raw), column.rule->type, column.missing);
    SharedPlain shared{std::move(encoded.values), std::vector<Code>(column.size())};
    for (std::size_t i = 0; i < column.size(); ++i) shared.code_of[i] = encoded.codes[i];
    return shared;
  } catch (const BadValue& bad) {
    const auto at = std::find(column.texts.begin(), column.texts.end(), bad.text);
    refuse(column, static_cast<std::size_t>(at - column.texts.begin()), bad.expected);
  }
}

// What one column means in all files.
struct Meaning {
  const ColumnPolicy* rule = nullptr;
  std::vector<std::vector<Code>> id_of;  // as in Texts
  Shared quasi;
  SharedPlain plain;
};

Meaning read_column(const std::vector<ForeignFile>& files, const ColumnPolicy& rule,
                    const Policy& policy, EmptyCell empty) {
  Texts column = gather(files, rule, policy);
  Meaning meaning;
  meaning.rule = &rule;
  if (rule.role != Role::quasi_identifier) {
    meaning.plain = read_plain(column);
  } else if (rule.type.type == Type::text) {
    meaning.quasi = TextColumn(column, empty).read();
  } else {
    meaning.quasi = NumberColumn(column, empty).read();
  }
  meaning.id_of = std::move(column.id_of);
  return meaning;
}

Codes recode(const Codes& from, const std::vector<Code>& to, std::size_t domain) {
  Codes result(from.size(), domain);
  from.visit([&](const auto& source) {
    result.visit([&](auto& target) {
      using Narrow = typename std::decay_t<decltype(target)>::value_type;
      for (std::size_t row = 0; row < source.size(); ++row)
        target[row] = static_cast<Narrow>(to[source[row]]);
    });
  });
  return result;
}

Release make_foreign(const ForeignFile& file, std::size_t number,
                     const std::vector<const Meaning*>& meanings) {
  Release release;
  std::vector<KeyColumn> keys;
  for (std::size_t i = 0; i < file.columns.size(); ++i) {
    const RawColumn& raw = file.columns[i];
    const Meaning& meaning = *meanings[i];
    const std::vector<Code>& ids = meaning.id_of[number];
    std::vector<Code> codes(ids.size());
    if (meaning.rule->role == Role::quasi_identifier) {
      RegionPool pool;
      for (std::size_t code = 0; code < ids.size(); ++code)
        codes[code] = pool.add(meaning.quasi.regions[ids[code]]);
      release.layout.push_back({true, release.quasi.size()});
      release.quasi.push_back({meaning.quasi.domain, std::move(pool).take(), {}});
      keys.push_back({&raw.codes, std::move(codes), release.quasi.back().regions.size()});
    } else {
      for (std::size_t code = 0; code < ids.size(); ++code)
        codes[code] = meaning.plain.code_of[ids[code]];
      release.layout.push_back({false, release.plain.size()});
      release.plain.push_back({raw.name, meaning.rule->role, meaning.plain.values,
                               recode(raw.codes, codes, meaning.plain.values.size())});
    }
  }
  if (file.rows == 0) return release;
  if (keys.empty()) {  // nothing tells the records apart: one class
    release.class_of_row.assign(file.rows, 0);
    release.classes = 1;
    return release;
  }
  const SortedKeys classes(keys, file.rows, std::vector<std::uint32_t>(file.rows, 1));
  release.classes = classes.size();
  release.class_of_row = classes.combination_of();
  for (std::size_t i = 0; i < release.quasi.size(); ++i)
    release.quasi[i].of_class = classes.column(i);
  return release;
}

}  // namespace

std::vector<Release> read_foreign(std::vector<ForeignFile> files, const Policy& policy,
                                  EmptyCell empty) {
  std::vector<const ColumnPolicy*> used;
  for (const ForeignFile& file : files) {
    for (const RawColumn& raw : file.columns) {
      const ColumnPolicy* rule = policy.find(raw.name);
      if (rule == nullptr || rule->role == Role::identifier) {
        throw InputError(fmt::format("{}: column '{}' is none that the policy {} releases",
                                     file.source, raw.name, policy.source));
      }
      if (std::find(used.begin(), used.end(), rule) == used.end()) used.push_back(rule);
    }
  }
  // Of several faults the first column's is told, whichever thread finds one first.
  std::vector<Meaning> meanings(used.size());
  std::vector<std::exception_ptr> faults(used.size());
  tbb::parallel_for(std::size_t{0}, used.size(), [&](std::size_t i) {
    try {
      meanings[i] = read_column(files, *used[i], policy, empty);
    } catch (...) {
      faults[i] = std::current_exception();
    }
  });
  for (const std::exception_ptr& fault : faults) {
    if (fault) std::rethrow_exception(fault);
  }
  std::vector<Release> releases;
  for (std::size_t number = 0; number < files.size(); ++number) {
    std::vector<const Meaning*> of_column;
    for (const RawColumn& raw : files[number].columns) {
      const auto at = std::find(used.begin(), used.end(), policy.find(raw.name)) - used.begin();
      of_column.push_back(&meanings[static_cast<std::size_t>(at)]);
    }
    releases.push_back(make_foreign(files[number], number, of_column));
    files[number].columns.clear();  // read: its memory is the next one's
  }
  return releases;
}

}  // namespace throng
