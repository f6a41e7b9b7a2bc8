#include "policy/policy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "hierarchy/file.h"
#include "policy/audit_rules.h"
#include "policy/bucket_rules.h"
#include "policy/reader.h"
#include "table/utf8.h"
#include "table/value.h"

namespace throng {
namespace {

constexpr Word<Role> kRoles[] = {{"identifier", Role::identifier},
                                 {"quasi-identifier", Role::quasi_identifier},
                                 {"sensitive", Role::sensitive},
                                 {"insensitive", Role::insensitive}};
constexpr Word<Type> kTypes[] = {{"text", Type::text},
                                 {"integer", Type::integer},
                                 {"decimal", Type::decimal},
                                 {"date", Type::date}};
constexpr Word<MissingRule::As> kMissing[] = {{"value", MissingRule::As::value},
                                              {"drop", MissingRule::As::drop},
                                              {"error", MissingRule::As::error}};
constexpr Word<Diversity::Variant> kVariants[] = {{"distinct", Diversity::Variant::distinct},
                                                  {"frequency", Diversity::Variant::frequency},
                                                  {"entropy", Diversity::Variant::entropy},
                                                  {"recursive", Diversity::Variant::recursive}};
constexpr Word<Algorithm> kAlgorithms[] = {
    {"datafly", Algorithm::datafly},   {"greedy-release", Algorithm::greedy_release},
    {"mondrian", Algorithm::mondrian}, {"tds", Algorithm::tds},
    {"anatomy", Algorithm::anatomy},   {"injector", Algorithm::injector}};
constexpr Word<Cut> kCuts[] = {{"median", Cut::median}, {"best", Cut::best}};
constexpr Word<Choose> kChoices[] = {{"distinct", Choose::distinct}, {"loss", Choose::loss}};
constexpr Word<DateLevel> kDateLevels[] = {{"day", DateLevel::day},
                                           {"month", DateLevel::month},
                                           {"quarter", DateLevel::quarter},
                                           {"year", DateLevel::year},
                                           {"decade", DateLevel::decade}};
constexpr Word<bool> kSides[] = {{"right", true}, {"left", false}};
constexpr Word<Goal> kGoals[] = {{"distortion", Goal::distortion},
                                 {"discernibility", Goal::discernibility},
                                 {"classification", Goal::classification}};
constexpr Word<SearchRule::Kind> kSearches[] = {{"greedy", SearchRule::Kind::greedy},
                                                {"beam", SearchRule::Kind::beam},
                                                {"optimal", SearchRule::Kind::optimal}};
constexpr Word<Dangling> kDangling[] = {
    {"error", Dangling::error}, {"drop", Dangling::drop}, {"keep", Dangling::keep}};

template <typename Meaning, std::size_t count>
std::string_view word_of(Meaning meaning, const Word<Meaning> (&words)[count]) {
  for (const auto& word : words) {
    if (word.meaning == meaning) return word.word;
  }
  return "";
}

IntervalRule interval_rule(const PolicyReader& reader, const YAML::Node& node) {
  IntervalRule rule;
  YAML::Node widths = node;
  if (node.IsMap()) {
    reader.check_map(node, "interval", {"width", "origin", "bounds"});
    if (node["bounds"] && (node["width"] || node["origin"])) {
      throw reader.error(node, "interval has bounds and a width; expected one of them");
    }
    if (node["origin"]) rule.origin = reader.number(node["origin"], "origin");
    if (node["bounds"]) {
      for (const auto& bound : reader.list(node["bounds"])) {
        const double value = reader.number(bound, "a bound");
        if (!rule.bounds.empty() && value <= rule.bounds.back()) {
          throw reader.error(bound, "bounds do not rise; expected each above the one before");
        }
        rule.bounds.push_back(value);
      }
      if (rule.bounds.empty()) throw reader.error(node, "interval has no bounds");
      return rule;
    }
    if (!node["width"]) throw reader.error(node, "interval has neither width nor bounds");
    widths.reset(node["width"]);
  }
  for (const auto& item : reader.list(widths)) {
    const double width = reader.number(item, "the width of an interval");
    if (width <= 0) throw reader.error(item, "the width of an interval is not above 0");
    if (!rule.widths.empty()) {
      const double times = width / rule.widths.back();
      if (times < 2 || std::abs(times - std::round(times)) > 1e-9) {
        throw reader.error(item,
                           fmt::format("the width {} is no multiple of the width {} before it",
                                       spell_number(width), spell_number(rule.widths.back())));
      }
    }
    rule.widths.push_back(width);
  }
  if (rule.widths.empty()) throw reader.error(node, "interval has no width");
  return rule;
}

HierarchyRule hierarchy_rule(const PolicyReader& reader, const YAML::Node& node, Type type) {
  if (node.IsScalar()) return HierarchyFile{node.Scalar(), {}};
  reader.check_map(node, "hierarchy", {"mask", "character", "interval", "date"});
  if ((node["mask"] ? 1 : 0) + (node["interval"] ? 1 : 0) + (node["date"] ? 1 : 0) != 1) {
    throw reader.error(node, "hierarchy needs just one of mask, interval, date, or a file");
  }
  if (node["character"] && !node["mask"])
    throw reader.error(node["character"], "character goes with mask");
  if (node["mask"]) {
    if (type != Type::text) {
      throw reader.error(node, fmt::format("a mask hides characters of text, but the column is {}; "
                                           "leave its type out",
                                           expected(type)));
    }
    MaskRule rule;
    rule.right = reader.word(node["mask"], "side of a mask", kSides);
    if (node["character"]) rule.character = reader.text(node["character"], "character");
    if (rule.character.empty()) throw reader.error(node, "the character of a mask is empty");
    return rule;
  }
  if (node["interval"]) {
    if (type != Type::integer && type != Type::decimal) {
      throw reader.error(node, fmt::format("intervals are of numbers, but the column is {}; "
                                           "give it `type: integer` or `type: decimal`",
                                           expected(type)));
    }
    return interval_rule(reader, node["interval"]);
  }
  if (type != Type::date) {
    throw reader.error(node, fmt::format("a date hierarchy is of dates, but the column is {}; "
                                         "give it `type: date`",
                                         expected(type)));
  }
  DateRule rule;
  for (const auto& level : reader.list(node["date"])) {
    rule.levels.push_back(reader.word(level, "level of dates", kDateLevels));
    if (rule.levels.size() > 1 && rule.levels.back() <= rule.levels[rule.levels.size() - 2]) {
      throw reader.error(level, "date levels do not rise; expected them from day to decade");
    }
  }
  if (rule.levels.empty()) throw reader.error(node, "date has no levels");
  return rule;
}

DomainRule domain_rule(const PolicyReader& reader, const YAML::Node& node, Type type) {
  DomainRule rule;
  if (node.IsSequence()) {
    for (const auto& value : node)
      rule.values.push_back(reader.text(value, "a value of the domain"));
    if (rule.values.empty()) throw reader.error(node, "the domain is empty");
    return rule;
  }
  const std::string text = reader.text(node, "domain");
  const auto dots = text.find("..");
  if (type == Type::text || dots == std::string::npos) {
    throw reader.error(
        node, "domain is neither a list of values nor, for numbers and dates, lowest..highest");
  }
  rule.low = text.substr(0, dots);
  rule.high = text.substr(dots + 2);
  return rule;
}

ColumnPolicy column_policy(const PolicyReader& reader, const std::string& name,
                           const YAML::Node& node, const std::string& folder) {
  ColumnPolicy column;
  column.name = name;
  reader.check_map(node, fmt::format("column '{}'", name),
                   {"role", "type", "format", "hierarchy", "domain"});
  if (!node["role"]) {
    throw reader.error(
        node, fmt::format("column '{}' has no role; expected identifier, quasi-identifier, "
                          "sensitive or insensitive",
                          name));
  }
  column.role = reader.word(node["role"], "role", kRoles);
  if (node["type"]) column.type.type = reader.word(node["type"], "type", kTypes);
  if (node["format"]) {
    if (column.type.type != Type::date)
      throw reader.error(node["format"], "format goes with `type: date`");
    column.type.format = reader.text(node["format"], "format");
  }
  for (const char* key : {"hierarchy", "domain"}) {
    if (node[key] && column.role != Role::quasi_identifier) {
      throw reader.error(
          node[key], fmt::format("{} goes with a quasi-identifier; column '{}' is {}", key, name,
                                 name_of(column.role)));
    }
  }
  if (node["hierarchy"]) {
    column.generalization.hierarchy = hierarchy_rule(reader, node["hierarchy"], column.type.type);
    if (node["domain"] && node["hierarchy"].IsScalar()) {
      throw reader.error(node["domain"], "the leaves of a hierarchy file are the domain already");
    }
  }
  if (node["domain"])
    column.generalization.domain = domain_rule(reader, node["domain"], column.type.type);
  if (column.generalization.domain && column.generalization.domain->values.empty() &&
      node["hierarchy"]) {
    throw reader.error(node["domain"],
                       "lowest..highest goes with no hierarchy; give the values as a list");
  }
  if (column.role == Role::insensitive) column.type = {};  // released as it is, whatever it is
  column.generalization.date_format = column.type.format;
  column.generalization.folder = folder;
  return column;
}

void note_special(const YAML::Node& key, Policy& policy) {
  const YAML::Mark mark = key.Mark();
  policy.special.push_back(
      {key.Scalar(), fmt::format("{}:{}:{}", policy.source, mark.line + 1, mark.column + 1)});
}

void privacy_rule(const PolicyReader& reader, const YAML::Node& node, Policy& policy) {
  static const std::vector<std::string> kKnown = {"k-anonymity", "l-diversity", "xy-anonymity",
                                                  "xy-linkability", "matching-l-diversity"};
  if (!node.IsMap() || node.size() != 1) {
    throw reader.error(node,
                       fmt::format("a requirement is one key with its value; expected one of: {}",
                                   fmt::join(kKnown, ", ")));
  }
  const YAML::Node key = node.begin()->first, value = node.begin()->second;
  const std::string name = reader.text(key, "a requirement");
  if (name == "k-anonymity") {
    policy.k = std::max(policy.k, reader.count(value, "k", 1));
  } else if (name == "l-diversity") {
    reader.check_map(value, "l-diversity", {"column", "l", "variant", "c"});
    Diversity diversity;
    if (!value["column"] || !value["l"])
      throw reader.error(value, "l-diversity needs a column and an l");
    diversity.column = reader.text(value["column"], "column");
    if (value["variant"]) diversity.variant = reader.word(value["variant"], "variant", kVariants);
    diversity.l = reader.number(value["l"], "l");
    const bool counts = diversity.variant == Diversity::Variant::distinct ||
                        diversity.variant == Diversity::Variant::recursive;
    if (diversity.l < 1 || diversity.l > 1e9 ||
        (counts && diversity.l != std::floor(diversity.l))) {
      throw reader.error(value["l"],
                         fmt::format("l is '{}'; expected a {} of at least 1", value["l"].Scalar(),
                                     counts ? "whole number" : "number"));
    }
    const bool recursive = diversity.variant == Diversity::Variant::recursive;
    if (recursive != static_cast<bool>(value["c"])) {
      throw reader.error(value, recursive ? "recursive l-diversity needs a c"
                                          : "c goes with `variant: recursive`");
    }
    if (recursive) diversity.c = reader.number(value["c"], "c");
    if (diversity.c <= 0) throw reader.error(value["c"], "c is not above 0");
    policy.diversities.push_back(diversity);
  } else if (audit_requirement(reader, name, value, policy)) {
    note_special(key, policy);
  } else {
    throw reader.error(key, PolicyReader::unknown("requirement", name, kKnown));
  }
}

// What only the whole can tell.
void check_whole(const PolicyReader& reader, const YAML::Node& root, const Policy& policy) {
  const bool any =
      std::any_of(policy.columns.begin(), policy.columns.end(),
                  [](const ColumnPolicy& column) { return column.role == Role::quasi_identifier; });
  if (!any) {
    throw reader.error(root["columns"],
                       "no column is a quasi-identifier; give at least one that role, or "
                       "there is nothing to anonymize");
  }
  for (const Diversity& diversity : policy.diversities) {
    const ColumnPolicy* column = policy.find(diversity.column);
    if (column == nullptr) {
      std::vector<std::string> names;
      for (const auto& known : policy.columns) names.push_back(known.name);
      throw reader.error(root["privacy"],
                         PolicyReader::unknown("column of l-diversity", diversity.column, names));
    }
    if (column->role != Role::sensitive) {
      throw reader.error(
          root["privacy"],
          fmt::format("l-diversity is asked of column '{}', which is {}; expected one whose "
                      "role is sensitive",
                      column->name, name_of(column->role)));
    }
  }
  const bool diverse = std::any_of(policy.diversities.begin(), policy.diversities.end(),
                                   [](const Diversity& diversity) { return diversity.l > 1; });
  const bool audited = !policy.xy.empty() || (policy.matching && policy.matching->l > 1);
  if (policy.k < 2 && !diverse && !audited) {
    throw reader.error(
        root,
        "no privacy is asked for; expected `privacy:` with k-anonymity of at least 2 "
        "or an l-diversity of more than 1");
  }
  if (policy.key) {
    const ColumnPolicy* column = policy.find(*policy.key);
    if (column == nullptr || column->role != Role::identifier) {
      throw reader.error(
          root["key"],
          fmt::format("the key '{}' is no column with the role identifier", *policy.key));
    }
  }
}

// `greedy`, `beam`, `optimal`, or {beam: 32}, {optimal: 1000000}.
SearchRule search_rule(const PolicyReader& reader, const YAML::Node& node) {
  SearchRule rule;
  if (!node.IsMap()) {
    rule.kind = reader.word(node, "search", kSearches);
    return rule;
  }
  reader.check_map(node, "search", {"beam", "optimal"});
  if (node.size() != 1)
    throw reader.error(node, "search has several ways; expected one, e.g. {beam: 32}");
  if (node["beam"]) {
    rule.kind = SearchRule::Kind::beam;
    rule.width = reader.count(node["beam"], "the width of beam", 1);
  } else {
    rule.kind = SearchRule::Kind::optimal;
    rule.states = reader.count(node["optimal"], "the number of tables of optimal", 1);
  }
  return rule;
}

// What the others are to tell: a column that is released as it is.
std::string class_column(const PolicyReader& reader, const YAML::Node& node, const Policy& policy) {
  std::string name = reader.text(node, "class");
  const ColumnPolicy* column = policy.find(name);
  if (column == nullptr) {
    std::vector<std::string> names;
    for (const auto& known : policy.columns) names.push_back(known.name);
    throw reader.error(node, PolicyReader::unknown("column of class", name, names));
  }
  if (column->role != Role::sensitive && column->role != Role::insensitive) {
    throw reader.error(node, fmt::format("the class '{}' is {}; expected a column that is released "
                                         "as it is: sensitive or insensitive",
                                         name, name_of(column->role)));
  }
  return name;
}

void algorithm_rules(const PolicyReader& reader, const YAML::Node& root, Policy& policy) {
  if (root["algorithm"])
    policy.algorithm = reader.word(root["algorithm"], "algorithm", kAlgorithms);
  bucket_rules(reader, root, policy);
  const auto goes_with = [&](const char* key, bool fits, const char* algorithms) {
    if (root[key] && !fits)
      throw reader.error(root[key], fmt::format("{} goes with {}", key, algorithms));
  };
  goes_with("cut", policy.algorithm == Algorithm::mondrian, "`algorithm: mondrian`");
  goes_with("choose", policy.algorithm == Algorithm::greedy_release, "`algorithm: greedy-release`");
  const bool levels =
      policy.algorithm == Algorithm::datafly || policy.algorithm == Algorithm::greedy_release;
  goes_with("tighten", levels,
            "datafly and greedy-release; mondrian always tightens, and tds never does");
  goes_with("search", policy.algorithm == Algorithm::tds, "`algorithm: tds`");
  goes_with("dangling", policy.algorithm == Algorithm::tds, "`algorithm: tds`");
  if (root["search"]) policy.search = search_rule(reader, root["search"]);
  if (root["dangling"])
    policy.dangling = reader.word(root["dangling"], "way with dangling records", kDangling);
  if (root["cut"]) policy.cut = reader.word(root["cut"], "cut", kCuts);
  if (root["choose"]) policy.choose = reader.word(root["choose"], "choose", kChoices);
  policy.tighten = policy.choose == Choose::loss;
  if (root["tighten"]) policy.tighten = reader.truth(root["tighten"], "tighten");
  if (const YAML::Node node = root["suppression"]) {
    reader.check_map(node, "suppression", {"max"});
    if (node["max"]) policy.max_suppression = reader.number(node["max"], "max");
    if (policy.max_suppression < 0 || policy.max_suppression > 1) {
      throw reader.error(node, "suppression's max is a share of the records; expected 0 to 1");
    }
  }
  if (const YAML::Node node = root["utility"]) {
    reader.check_map(node, "utility", {"goal", "class"});
    if (node["goal"]) policy.goal = reader.word(node["goal"], "goal", kGoals);
    if (policy.goal != Goal::distortion && policy.algorithm != Algorithm::tds) {
      throw reader.error(node["goal"], fmt::format("the goal {} goes with `algorithm: tds`",
                                                   word_of(policy.goal, kGoals)));
    }
    if ((policy.goal == Goal::classification) != static_cast<bool>(node["class"])) {
      throw reader.error(node, node["class"]
                                   ? "class goes with `goal: classification`"
                                   : "the goal classification needs a class: the column that is "
                                     "to be told from the others");
    }
    if (node["class"]) policy.class_column = class_column(reader, node["class"], policy);
  }
}

Policy parse_root(const PolicyReader& reader, const YAML::Node& root, const std::string& source,
                  const std::string& folder) {
  reader.check_map(root, "the policy",
                   {"columns", "missing", "privacy", "algorithm", "cut", "choose", "tighten",
                    "suppression", "utility", "key", "publication", "inconsistent", "knowledge",
                    "search", "dangling", "grouping", "max-share", "layout"});
  Policy policy;
  policy.source = source;
  if (!root["columns"]) throw reader.error(root, "the policy has no `columns:`");
  reader.check_map(root["columns"], "columns", {});
  for (const auto& entry : root["columns"]) {
    policy.columns.push_back(column_policy(reader, entry.first.Scalar(), entry.second, folder));
  }
  if (const YAML::Node node = root["missing"]) {
    reader.check_map(node, "missing", {"values", "as"});
    if (node["values"]) {
      policy.missing.values.clear();
      for (const auto& value : reader.list(node["values"])) {
        policy.missing.values.push_back(reader.text(value, "a missing value"));
      }
    }
    if (node["as"])
      policy.missing.as = reader.word(node["as"], "way with missing values", kMissing);
  }
  if (const YAML::Node node = root["privacy"]) {
    for (const auto& rule : reader.list(node)) privacy_rule(reader, rule, policy);
  }
  audit_rules(reader, root, folder, policy);
  for (const auto& entry : root) {
    const std::string& key = entry.first.Scalar();
    if (key == "inconsistent" || key == "knowledge") note_special(entry.first, policy);
  }
  algorithm_rules(reader, root, policy);
  if (root["key"]) policy.key = reader.text(root["key"], "key");
  if (const YAML::Node node = root["publication"]) {
    reader.check_map(node, "publication", {"max-loss", "patience"});
    if (node["max-loss"]) policy.publication.max_loss = reader.number(node["max-loss"], "max-loss");
    if (policy.publication.max_loss < 0) {
      throw reader.error(node["max-loss"],
                         "max-loss is an information loss per record; expected at least 0");
    }
    if (node["patience"])
      policy.publication.patience = reader.count(node["patience"], "patience", 0);
  }
  check_whole(reader, root, policy);
  check_buckets(reader, root, policy);
  return policy;
}

}  // namespace

const ColumnPolicy* Policy::find(std::string_view column) const {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const ColumnPolicy& known) { return known.name == column; });
  return found == columns.end() ? nullptr : &*found;
}

bool makes_buckets(const Policy& policy) {
  return policy.algorithm == Algorithm::anatomy || policy.algorithm == Algorithm::injector;
}

void refuse_unkept(const Policy& policy, std::string_view verb) {
  if (makes_buckets(policy) && verb != "anonymize") {
    throw InputError(
        fmt::format("{}: `algorithm: {}` makes one release of one table, by `throng anonymize`; "
                    "`{}` does not take it",
                    policy.source, name_of(policy.algorithm), verb));
  }
  for (const Policy::Special& key : policy.special) {
    const bool join = key.name.starts_with("xy-") || key.name == "inconsistent";
    // A policy that asks for matching l-diversity is kept by all that make classes, and by
    // injector.
    const bool kept = join ? policy.algorithm == Algorithm::tds && verb != "init"
                           : policy.matching && policy.algorithm != Algorithm::tds &&
                                 policy.algorithm != Algorithm::anatomy;
    if (kept) continue;
    const char* why = join              ? "`algorithm: tds` keeps it, "
                      : policy.matching ? "`algorithm: mondrian` keeps it in classes and "
                                          "`injector` in buckets, "
                                        : "it serves `matching-l-diversity`, "
                                          "which `privacy:` does not ask for; ";
    throw InputError(
        fmt::format("{}: '{}' is not kept by `{}` with `algorithm: {}`; {}`throng audit` checks it",
                    key.place, key.name, verb, name_of(policy.algorithm), why));
  }
}

std::vector<const ColumnPolicy*> released_columns(const Policy& policy,
                                                  const std::vector<std::string>& names,
                                                  const std::string& source) {
  std::vector<const ColumnPolicy*> released;
  std::vector<std::string> known;
  for (const ColumnPolicy& column : policy.columns) known.push_back(column.name);
  for (const std::string& name : names) {
    const ColumnPolicy* column = policy.find(name);
    if (column == nullptr) {
      const auto meant = nearest(name, known);
      throw InputError(
          fmt::format("{}: column '{}' is not in the policy {}; give it a role there{}", source,
                      name, policy.source, meant ? fmt::format(" (it lists '{}')", *meant) : ""));
    }
    if (column->role != Role::identifier) released.push_back(column);
  }
  for (const ColumnPolicy& column : policy.columns) {
    if (column.role == Role::identifier) continue;
    if (std::find(names.begin(), names.end(), column.name) == names.end()) {
      throw InputError(
          fmt::format("{}: has no column '{}', which the policy {} lists; its columns are: {}",
                      source, column.name, policy.source, fmt::join(names, ", ")));
    }
  }
  return released;
}

MissingRule missing_rule(const Policy& policy, const ColumnPolicy& column) {
  if (column.role == Role::insensitive) return {.values = {}, .as = MissingRule::As::value};
  return policy.missing;
}

std::string_view name_of(Role role) { return word_of(role, kRoles); }
std::string_view name_of(Algorithm algorithm) { return word_of(algorithm, kAlgorithms); }
std::string_view name_of(Diversity::Variant variant) { return word_of(variant, kVariants); }

Policy parse_policy(const std::string& yaml, const std::string& source, const std::string& folder) {
  const PolicyReader reader(source);
  if (!is_utf8(yaml)) throw InputError(source + ": is not valid UTF-8; expected the file in UTF-8");
  YAML::Node root;
  try {
    root = YAML::Load(yaml);
  } catch (const YAML::Exception& failure) {
    throw InputError(fmt::format("{}:{}:{}: not valid YAML: {}", source, failure.mark.line + 1,
                                 failure.mark.column + 1, failure.msg));
  }
  if (!root || root.IsNull())
    throw InputError(source + ": the policy is empty; `throng draft` writes a first one");
  try {
    return parse_root(reader, root, source, folder);
  } catch (const YAML::Exception& failure) {
    // A shape that no check foresaw (an alias to nowhere, a key that is a list) is bad input too.
    throw InputError(fmt::format("{}:{}:{}: {}", source, failure.mark.line + 1,
                                 failure.mark.column + 1, failure.msg));
  }
}

Policy read_policy(const std::string& path) {
  return parse_policy(read_file(path, "a policy"), path,
                      std::filesystem::path(path).parent_path().string());
}

}  // namespace throng
