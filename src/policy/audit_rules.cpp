#include "policy/audit_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace throng {
namespace {

// The name of a column that is listed and may be published.
std::string column_name(const PolicyReader& reader, const YAML::Node& node, std::string_view of,
                        const Policy& policy) {
  std::string name = reader.text(node, fmt::format("a column of {}", of));
  const ColumnPolicy* column = policy.find(name);
  if (column == nullptr) {
    std::vector<std::string> names;
    for (const ColumnPolicy& known : policy.columns) names.push_back(known.name);
    throw reader.error(node, PolicyReader::unknown(fmt::format("column of {}", of), name, names));
  }
  if (column->role == Role::identifier) {
    throw reader.error(node, fmt::format("{} names column '{}', which is identifier and never "
                                         "released; expected a column that is",
                                         of, name));
  }
  return name;
}

std::vector<std::string> column_names(const PolicyReader& reader, const YAML::Node& node,
                                      std::string_view of, const Policy& policy) {
  std::vector<std::string> names;
  for (const auto& item : reader.list(node)) {
    const std::string name = column_name(reader, item, of, policy);
    if (std::find(names.begin(), names.end(), name) != names.end())
      throw reader.error(item, fmt::format("column '{}' stands twice in {}", name, of));
    names.push_back(name);
  }
  if (names.empty()) throw reader.error(node, fmt::format("{} has no columns", of));
  return names;
}

void check_apart(const PolicyReader& reader, const YAML::Node& node, const XyRequirement& asked,
                 const std::string& column) {
  if (std::find(asked.x.begin(), asked.x.end(), column) != asked.x.end()) {
    throw reader.error(
        node, fmt::format("column '{}' is in x and in y; expected it in one of them", column));
  }
}

void anonymity_y(const PolicyReader& reader, const YAML::Node& node, const Policy& policy,
                 XyRequirement& asked) {
  const std::string word = node.IsScalar() ? node.Scalar() : "";
  // A column may have one of the words for its name: as a list of one it is meant.
  if (word == "row" || word == "row-pairs") {
    asked.counted = word == "row" ? XyRequirement::Counted::rows : XyRequirement::Counted::pairs;
    return;
  }
  if (node.IsScalar() && policy.find(word) == nullptr) {
    throw reader.error(
        node, fmt::format("y is '{}'; expected row, row-pairs or a list of columns", word));
  }
  asked.counted = XyRequirement::Counted::values;
  asked.y = column_names(reader, node, "y", policy);
  const std::vector<YAML::Node> items = reader.list(node);
  for (std::size_t i = 0; i < items.size(); ++i) check_apart(reader, items[i], asked, asked.y[i]);
}

double share(const PolicyReader& reader, const YAML::Node& node) {
  const double max = reader.number(node, "max");
  if (!(max > 0 && max <= 1)) {
    throw reader.error(
        node, fmt::format("max is '{}'; expected a share above 0 and at most 1", node.Scalar()));
  }
  return max;
}

// `y: {test: [HIV, Flu]}`: values of a column; `y: test`: each of its values.
void linkability_y(const PolicyReader& reader, const YAML::Node& node, const Policy& policy,
                   XyRequirement& asked) {
  if (!node.IsMap()) {
    for (const auto& item : reader.list(node)) {
      const std::string column = column_name(reader, item, "y", policy);
      check_apart(reader, item, asked, column);
      for (const XyRequirement::Guarded& other : asked.guarded) {
        if (other.column == column)
          throw reader.error(item, fmt::format("column '{}' stands twice in y", column));
      }
      asked.guarded.push_back({column, std::nullopt, 1});
    }
    if (asked.guarded.empty()) throw reader.error(node, "y has no columns");
    return;
  }
  reader.check_map(node, "y", {});
  for (const auto& entry : node) {
    const std::string column = column_name(reader, entry.first, "y", policy);
    check_apart(reader, entry.first, asked, column);
    const std::vector<YAML::Node> values = reader.list(entry.second);
    if (values.empty() || entry.second.IsNull()) {
      throw reader.error(entry.first, fmt::format("y names no value of column '{}'; expected a "
                                                  "list, or `y: {}` for each of its values",
                                                  column, column));
    }
    for (const YAML::Node& item : values) {
      const std::string value = reader.text(item, "a value of y");
      for (const XyRequirement::Guarded& other : asked.guarded) {
        if (other.column == column && other.value == value)
          throw reader.error(item, fmt::format("'{}' stands twice in y", value));
      }
      asked.guarded.push_back({column, value, 1});
    }
  }
  if (asked.guarded.empty()) throw reader.error(node, "y has no columns");
}

void linkability_max(const PolicyReader& reader, const YAML::Node& node, XyRequirement& asked) {
  if (!node.IsMap()) {
    const double max = share(reader, node);
    for (XyRequirement::Guarded& guarded : asked.guarded) guarded.max = max;
    return;
  }
  reader.check_map(node, "max", {});
  std::vector<bool> given(asked.guarded.size());
  for (const auto& entry : node) {
    const std::string value = reader.text(entry.first, "a value of y");
    const double max = share(reader, entry.second);
    bool found = false;
    for (std::size_t i = 0; i < asked.guarded.size(); ++i) {
      if (asked.guarded[i].value != value) continue;
      asked.guarded[i].max = max;
      given[i] = found = true;
    }
    if (!found) {
      std::vector<std::string> known;
      for (const auto& guarded : asked.guarded) {
        if (guarded.value) known.push_back(*guarded.value);
      }
      throw reader.error(
          entry.first, known.empty() ? std::string("max value by value goes with values in y; "
                                                   "expected one number, or y: {column: [values]}")
                                     : PolicyReader::unknown("value of y in max", value, known));
    }
  }
  const auto missing = std::find(given.begin(), given.end(), false);
  if (missing != given.end()) {
    const auto& guarded = asked.guarded[static_cast<std::size_t>(missing - given.begin())];
    throw reader.error(
        node, fmt::format("max has nothing for {}; expected one number, or one for every value",
                          guarded.value ? fmt::format("'{}'", *guarded.value)
                                        : fmt::format("column '{}'", guarded.column)));
  }
}

// [{sex: Male}, {status: Pregnant}]
InconsistentPair::Side inconsistent_side(const PolicyReader& reader, const YAML::Node& node,
                                         const Policy& policy) {
  if (!node.IsMap() || node.size() != 1) {
    throw reader.error(node,
                       "a side of an inconsistent pair is one column with its value; "
                       "expected e.g. {sex: Male}");
  }
  return {column_name(reader, node.begin()->first, "inconsistent", policy),
          reader.text(node.begin()->second, "a value of inconsistent")};
}

void inconsistent_pairs(const PolicyReader& reader, const YAML::Node& node, Policy& policy) {
  const char* shape = "expected pairs: [[{sex: Male}, {status: Pregnant}]]";
  if (!node.IsSequence())
    throw reader.error(node, fmt::format("inconsistent is not a list; {}", shape));
  for (const auto& pair : node) {
    if (!pair.IsSequence() || pair.size() != 2) {
      throw reader.error(pair,
                         fmt::format("inconsistent has something that is no pair; {}", shape));
    }
    InconsistentPair values = {inconsistent_side(reader, pair[0], policy),
                               inconsistent_side(reader, pair[1], policy)};
    if (values.one.column == values.other.column) {
      throw reader.error(pair, fmt::format("a pair of inconsistent names column '{}' twice; "
                                           "expected two columns",
                                           values.one.column));
    }
    policy.inconsistent.push_back(std::move(values));
  }
}

constexpr Word<MiningRules::Membership> kMemberships[] = {
    {"crisp", MiningRules::Membership::crisp}, {"fuzzy", MiningRules::Membership::fuzzy}};
constexpr Word<MiningRules::Correction> kCorrections[] = {{"none", MiningRules::Correction::none},
                                                          {"holm", MiningRules::Correction::holm},
                                                          {"fdr", MiningRules::Correction::fdr}};

MiningRules mining_rules(const PolicyReader& reader, const YAML::Node& node, const Policy& policy) {
  MiningRules mine;
  if (node.IsNull()) return mine;  // `mine:` alone takes the defaults
  reader.check_map(node, "mine", {"min-expectation", "max-items", "membership", "correction"});
  if (const YAML::Node least = node["min-expectation"]) {
    mine.min_expectation = reader.number(least, "min-expectation");
    if (!(mine.min_expectation > 0 && mine.min_expectation < 1)) {
      throw reader.error(
          least, fmt::format("min-expectation is '{}'; expected a number above 0 and below 1",
                             least.Scalar()));
    }
  }
  if (const YAML::Node most = node["max-items"]) {
    mine.max_items = reader.count(most, "max-items", 1);
    const auto columns = static_cast<std::size_t>(std::count_if(
        policy.columns.begin(), policy.columns.end(),
        [](const ColumnPolicy& column) { return column.role == Role::quasi_identifier; }));
    if (mine.max_items > columns) {
      throw reader.error(most, fmt::format("max-items is '{}'; expected at most {}, the number of "
                                           "quasi-identifiers: a rule has each once",
                                           most.Scalar(), columns));
    }
  }
  if (const YAML::Node word = node["membership"])
    mine.membership = reader.word(word, "membership", kMemberships);
  if (const YAML::Node word = node["correction"])
    mine.correction = reader.word(word, "correction", kCorrections);
  return mine;
}

Knowledge knowledge_rule(const PolicyReader& reader, const YAML::Node& node,
                         const std::string& folder, const Policy& policy) {
  Knowledge knowledge;
  const auto path_of_rules = [&](const YAML::Node& name) {
    return (std::filesystem::path(folder) / reader.text(name, "rules")).string();
  };
  if (node.IsScalar() && !node.Scalar().empty()) {
    knowledge.rules = path_of_rules(node);
    return knowledge;
  }
  const char* shape = "expected {rules: FILE}, {mine: {…}} or both";
  if (!node.IsMap()) {
    throw reader.error(
        node, fmt::format("knowledge is neither a file of rules nor a mapping; {}", shape));
  }
  reader.check_map(node, "knowledge", {"rules", "mine"});
  if (!node["rules"] && !node["mine"])
    throw reader.error(node, fmt::format("knowledge has neither `rules:` nor `mine:`; {}", shape));
  if (node["rules"]) {
    if (reader.text(node["rules"], "rules").empty())
      throw reader.error(node["rules"], "rules is empty; expected the path of a file of rules");
    knowledge.rules = path_of_rules(node["rules"]);
  }
  if (node["mine"]) knowledge.mine = mining_rules(reader, node["mine"], policy);
  return knowledge;
}

}  // namespace

bool audit_requirement(const PolicyReader& reader, const std::string& name, const YAML::Node& value,
                       Policy& policy) {
  if (name == "matching-l-diversity") {
    reader.check_map(value, name, {"column", "l"});
    if (!value["column"] || !value["l"])
      throw reader.error(value, "matching-l-diversity needs a column and an l");
    if (policy.matching)
      throw reader.error(value, "matching-l-diversity stands twice in privacy; expected it once");
    MatchingDiversity matching;
    matching.column = column_name(reader, value["column"], name, policy);
    if (policy.find(matching.column)->role != Role::sensitive) {
      throw reader.error(
          value["column"],
          fmt::format("{} is asked of column '{}', which is {}; expected one whose "
                      "role is sensitive",
                      name, matching.column, name_of(policy.find(matching.column)->role)));
    }
    matching.l = reader.count(value["l"], "l", 1);
    policy.matching = matching;
    return true;
  }
  if (name != "xy-anonymity" && name != "xy-linkability") return false;
  XyRequirement asked;
  asked.line = static_cast<std::size_t>(value.Mark().line) + 1;
  const bool anonymity = name == "xy-anonymity";
  const char* bound = anonymity ? "k" : "max";
  reader.check_map(value, name, {"x", "y", bound});
  if (!value["x"] || !value["y"] || !value[bound])
    throw reader.error(value, fmt::format("{} needs x, y and {}", name, bound));
  asked.x = column_names(reader, value["x"], "x", policy);
  if (anonymity) {
    asked.kind = XyRequirement::Kind::anonymity;
    anonymity_y(reader, value["y"], policy, asked);
    asked.k = reader.count(value["k"], "k", 1);
  } else {
    asked.kind = XyRequirement::Kind::linkability;
    linkability_y(reader, value["y"], policy, asked);
    linkability_max(reader, value["max"], asked);
  }
  policy.xy.push_back(std::move(asked));
  return true;
}

void audit_rules(const PolicyReader& reader, const YAML::Node& root, const std::string& folder,
                 Policy& policy) {
  if (root["inconsistent"]) inconsistent_pairs(reader, root["inconsistent"], policy);
  if (root["knowledge"])
    policy.knowledge = knowledge_rule(reader, root["knowledge"], folder, policy);
}

std::string_view name_of(MiningRules::Membership membership) {
  for (const auto& word : kMemberships) {
    if (word.meaning == membership) return word.word;
  }
  return "";
}

std::string_view name_of(MiningRules::Correction correction) {
  for (const auto& word : kCorrections) {
    if (word.meaning == correction) return word.word;
  }
  return "";
}

}  // namespace throng
