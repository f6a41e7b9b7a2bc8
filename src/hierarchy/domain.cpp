#include "hierarchy/domain.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "hierarchy/file.h"
#include "table/value.h"
#include "throng/error.h"

namespace throng {
namespace {

// "'a', 'b' and 7 more": what users need to find what is wrong, and how much of it there is.
[[noreturn]] void fail_without(const std::string& name, const std::vector<std::string>& values,
                               const std::string& what) {
  constexpr std::size_t kShown = 5;
  std::string list;
  for (std::size_t i = 0; i < std::min(kShown, values.size()); ++i) {
    list += fmt::format("{}'{}'", i == 0 ? "" : ", ", values[i]);
  }
  if (values.size() > kShown) list += fmt::format(" and {} more", values.size() - kShown);
  throw InputError(fmt::format("column '{}': {} value{} {}: {}", name, values.size(),
                               values.size() == 1 ? " is" : "s are", what, list));
}

std::optional<Hierarchy> make_tree(const std::string& name, const Dictionary& values,
                                   const Generalization& rule) {
  if (const auto* file = std::get_if<HierarchyFile>(&rule.hierarchy)) {
    std::optional<std::string> missing;
    if (values.missing) missing = values.labels.back();
    const std::string path = path_of(rule, *file);
    return file->content
               ? parse_hierarchy(*file->content, values.type, rule.date_format, path, missing)
               : read_hierarchy(path, values.type, rule.date_format, missing);
  }
  if (const auto* mask = std::get_if<MaskRule>(&rule.hierarchy))
    return build_mask(values, *mask, name);
  if (const auto* intervals = std::get_if<IntervalRule>(&rule.hierarchy)) {
    return build_intervals(values, *intervals, rule.date_format, name);
  }
  if (const auto* dates = std::get_if<DateRule>(&rule.hierarchy)) {
    return build_dates(values, *dates, rule.date_format, name);
  }
  return std::nullopt;
}

// A hierarchy need not say where the missing value goes: directly under the root.
Hierarchy with_leaf(const Hierarchy& tree, const std::string& label, const std::string& date_format,
                    const std::string& source) {
  std::vector<std::vector<std::string>> lines;
  for (Code leaf = 0; leaf < tree.leaves().size(); ++leaf) {
    auto& line = lines.emplace_back();
    for (std::size_t level = 0; level < tree.height(); ++level) {
      line.push_back(tree.label(tree.at_level(leaf, level)));
    }
  }
  auto& line = lines.emplace_back(tree.height(), label);
  line.back() = "*";
  return {lines, tree.leaves().type, date_format, source, {}, label};
}

// The dictionary that `domain:` gives, with the table's missing value; checks the table's values.
Dictionary declared_values(const std::string& name, const Dictionary& values,
                           const DomainRule& rule, const std::string& date_format) {
  Dictionary declared;
  declared.type = values.type;
  std::vector<Value> parsed;
  for (const std::string& text : rule.values) {
    if (values.missing && text == values.labels.back()) continue;  // it has its own place, last
    auto value = parse_value(values.type, text, date_format);
    if (!value) {
      throw InputError(fmt::format("column '{}': '{}' in its domain is not {}", name, text,
                                   expected(values.type)));
    }
    parsed.push_back(*std::move(value));
  }
  std::sort(parsed.begin(), parsed.end(), [&](const Value& a, const Value& b) {
    return declared.numeric() ? a.number < b.number : a.label < b.label;
  });
  for (Value& value : parsed) {
    if (!declared.labels.empty() && declared.labels.back() == value.label) continue;
    declared.labels.push_back(std::move(value.label));
    if (declared.numeric()) declared.numbers.push_back(value.number);
  }
  const std::set<std::string> known(declared.labels.begin(), declared.labels.end());
  std::vector<std::string> outside;
  for (std::size_t i = 0; i < values.present(); ++i) {
    if (!known.contains(values.labels[i])) outside.push_back(values.labels[i]);
  }
  if (!outside.empty()) fail_without(name, outside, "not in the policy's domain");
  if (values.missing) {
    declared.missing = true;
    declared.labels.push_back(values.labels.back());
    if (declared.numeric()) declared.numbers.push_back(0);
  }
  return declared;
}

void declare_ends(Domain& domain, const DomainRule& rule) {
  const auto low = parse_value(domain.values.type, rule.low, domain.date_format);
  const auto high = parse_value(domain.values.type, rule.high, domain.date_format);
  if (!low || !high || low->number > high->number) {
    throw InputError(fmt::format("column '{}': its domain '{}..{}' is no range of its type",
                                 domain.name, rule.low, rule.high));
  }
  std::vector<std::string> outside;
  for (std::size_t i = 0; i < domain.values.present(); ++i) {
    const double number = domain.values.numbers[i];
    if (number < low->number || number > high->number) outside.push_back(domain.values.labels[i]);
  }
  if (!outside.empty()) fail_without(domain.name, outside, "outside the policy's domain");
  domain.low = low->number;
  domain.high = high->number;
}

}  // namespace

std::string path_of(const Generalization& rule, const HierarchyFile& file) {
  return (std::filesystem::path(rule.folder) / file.path).string();
}

double Domain::range_loss(Code lowest, Code highest) const {
  if (lowest == highest) return 0;
  if (kind == Kind::tree) return tree->loss(tree->cover(lowest, highest));
  if (highest == missing()) return 1;  // a number together with a missing one: only `*` says that
  return high > low ? (values.numbers[highest] - values.numbers[lowest]) / (high - low) : 0;
}

std::optional<Code> Domain::find(std::string_view text) const {
  if (tree) {  // a missing value is a leaf too, of no type
    if (const auto leaf = tree->find_leaf(text)) return leaf;
    const auto value = parse_value(values.type, text, date_format);
    return value ? tree->find_leaf(value->label) : std::nullopt;
  }
  if (values.missing && text == values.labels.back()) return static_cast<Code>(values.size() - 1);
  const auto value = parse_value(values.type, text, date_format);
  if (!value) return std::nullopt;
  const auto begin = values.labels.begin(),
             end = begin + static_cast<std::ptrdiff_t>(values.present());
  if (values.numeric()) {
    const auto first = values.numbers.begin(),
               last = first + static_cast<std::ptrdiff_t>(values.present());
    const auto found = std::lower_bound(first, last, value->number);
    if (found == last || *found != value->number) return std::nullopt;
    return static_cast<Code>(found - first);
  }
  const auto found = std::lower_bound(begin, end, value->label);
  if (found == end || *found != value->label) return std::nullopt;
  return static_cast<Code>(found - begin);
}

Domain make_domain(const std::string& name, const Dictionary& values, const Generalization& rule) {
  Domain domain;
  domain.name = name;
  domain.date_format = rule.date_format;
  const bool range = rule.domain && rule.domain->values.empty();
  domain.values = rule.domain && !range
                      ? declared_values(name, values, *rule.domain, rule.date_format)
                      : values;
  const bool built = !std::holds_alternative<HierarchyFile>(rule.hierarchy);
  // Nothing can be built over no values at all; one that is missing everywhere is the domain.
  if (domain.values.present() > 0 || !built) domain.tree = make_tree(name, domain.values, rule);
  if (domain.tree) {
    domain.kind = Domain::Kind::tree;
    const std::string missing = values.missing ? values.labels.back() : "";
    std::vector<std::string> without;
    for (std::size_t i = 0; i < values.present(); ++i) {
      if (!domain.tree->find_leaf(values.labels[i])) without.push_back(values.labels[i]);
    }
    if (!without.empty()) {
      const auto* file = std::get_if<HierarchyFile>(&rule.hierarchy);
      fail_without(name, without,
                   "without a leaf in the hierarchy" + (file ? " " + file->path : std::string()));
    }
    if (values.missing && !domain.tree->find_leaf(missing)) {
      domain.tree = with_leaf(*domain.tree, missing, rule.date_format,
                              fmt::format("hierarchy of column '{}'", name));
    }
    domain.values = domain.tree->leaves();
    return domain;
  }
  domain.kind = domain.values.numeric() ? Domain::Kind::interval : Domain::Kind::set;
  if (domain.kind == Domain::Kind::interval && domain.values.present() > 0) {
    domain.low = domain.values.numbers.front();
    domain.high = domain.values.numbers[domain.values.present() - 1];
    if (range) declare_ends(domain, *rule.domain);
  }
  return domain;
}

std::vector<Code> positions_in(const Domain& domain, const Dictionary& values) {
  std::vector<Code> positions(values.size());
  for (std::size_t code = 0; code < values.size(); ++code) {
    // make_domain() has seen that each value has its place; the missing one keeps its own spelling.
    const bool missing = values.missing && code + 1 == values.size();
    positions[code] = domain.tree ? domain.tree->find_leaf(values.labels[code]).value()
                      : missing   ? static_cast<Code>(domain.size() - 1)
                                  : domain.find(values.labels[code]).value();
  }
  return positions;
}

}  // namespace throng
