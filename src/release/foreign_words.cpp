// Columns of text: a text is a value, a set of values, or a mask.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "release/foreign_column.h"

namespace throng::foreign {
namespace {

class TextColumn {
 public:
  TextColumn(const Texts& column, EmptyCell empty)
      : column_(column),
        rule_(column.rule->generalization),
        mask_(std::get_if<MaskRule>(&rule_.hierarchy)),
        kinds_(kinds_of(column, empty)),
        missing_(any_missing(kinds_)) {
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
    if (missing_) add_missing(known, column_.missing);
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

  bool is_missing(const std::string& text) const { return contains(column_.missing.values, text); }

  void note_missing() {
    for (std::size_t i = 0; i < column_.size() && !missing_; ++i) {
      if (kinds_[i] != Kind::other) continue;
      const auto members = read_braces(written_[i]);
      missing_ =
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
    std::size_t text = 0;
    std::string value, trimmed;
  };

  Dictionary told_values() {
    std::vector<Doubtful> doubtful;
    std::vector<Member> blank;  // members with blanks around them
    for (std::size_t i = 0; i < column_.size(); ++i) {
      if (kinds_[i] != Kind::other) continue;
      if (const auto members = read_braces(written_[i])) {
        for (const Written& member : *members) note_member(i, member, blank);
      } else if (!note_mask(i, written_[i]) && !note_doubtful(i, doubtful)) {
        note_value(i, written_[i].text);
      }
    }
    for (const Member& member : blank) {
      if (!certain_.contains(member.value) && !certain_.contains(member.trimmed))
        note_value(member.text, member.value);
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
      note_value(text, trimmed.text);
    } else {
      blank.push_back({text, member.text, trimmed.text});
    }
  }

  // A mask rule has no place for a value that would be a mask.
  void note_value(std::size_t text, const std::string& value) {
    const bool is_mask =
        mask_ != nullptr && (value == "*" || (mask_->right ? value.ends_with(mask_->character)
                                                           : value.starts_with(mask_->character)));
    if (is_mask) refuse(column_, text, "a value that is not written like a mask");
    certain_.insert(value);
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
    std::vector<std::size_t> values;
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
      values.push_back(entry.text);
    }
    for (const std::size_t text : values) note_value(text, written_[text].text);
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
      if (missing_ && label == column_.missing.values.front()) continue;
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
      if (!missing_) return false;
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
    if (missing_) {
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
  bool missing_;                             // whether it is told, alone or in a set
  std::vector<Noted> masks_;                 // of a mask rule
  std::unordered_map<std::string, std::string> label_of_mask_;  // by what is written
  Domain domain_;
  std::vector<std::pair<std::string, Code>> forwards_, backwards_;
};

}  // namespace

Shared read_words(const Texts& column, EmptyCell empty) { return TextColumn(column, empty).read(); }

}  // namespace throng::foreign
