#include "release/foreign_column.h"

#include <algorithm>

namespace throng::foreign {

bool contains(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

void refuse(const Texts& column, std::size_t text, std::string expected) {
  throw ForeignValue{column.file_of[text], column.name(), column.texts[text], std::move(expected)};
}

Region everything_of(const Domain& domain) {
  Region region = region_of_everything(domain);
  region.everything = true;
  if (domain.tree) region.node = domain.tree->root();
  return region;
}

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

bool is_closed(const Generalization& rule) {
  return std::holds_alternative<HierarchyFile>(rule.hierarchy) ||
         (rule.domain && !rule.domain->values.empty());
}

Domain unknown_domain(const Texts& column, const Dictionary& values) {
  Dictionary unknown = values;
  unknown.labels.insert(unknown.labels.begin(), std::string(kOther));
  if (unknown.numeric()) unknown.numbers.insert(unknown.numbers.begin(), 0);
  Generalization rule;
  rule.date_format = column.rule->type.format;
  return make_domain(column.name(), unknown, rule);
}

Region missing_region(const Domain& domain, const std::string& label) {
  return region_of_value(domain, domain.tree ? domain.tree->find_leaf(label).value()
                                             : static_cast<Code>(domain.missing()));
}

std::optional<Hierarchy::Node> find_node(const Hierarchy& tree, const Written& written,
                                         const std::string& text) {
  for (const std::string& label : {written.text, text}) {
    const auto node = tree.find(label);
    if (node && *node != tree.root()) return node;
  }
  return std::nullopt;
}

}  // namespace throng::foreign
