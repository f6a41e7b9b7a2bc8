#include "policy/bucket_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace throng {
namespace {

constexpr Word<BucketRules::Grouping> kGroupings[] = {{"near", BucketRules::Grouping::near},
                                                      {"random", BucketRules::Grouping::random}};
constexpr Word<BucketRules::Layout> kLayouts[] = {{"tables", BucketRules::Layout::tables},
                                                  {"permuted", BucketRules::Layout::permuted}};

// The one sensitive column. Another one would stand beside exact quasi-identifiers.
void check_columns(const PolicyReader& reader, const YAML::Node& root, const Policy& policy) {
  std::string column;
  for (const ColumnPolicy& each : policy.columns) {
    if (each.role != Role::sensitive) continue;
    if (!column.empty()) {
      throw reader.error(
          root["columns"][each.name],
          fmt::format("column '{}' is sensitive, as '{}' is; {} unlinks one column, and another "
                      "beside exact quasi-identifiers would link them again: make it an "
                      "identifier, which is left out",
                      each.name, column, name_of(policy.algorithm)));
    }
    column = each.name;
  }
  if (column.empty()) {
    throw reader.error(
        root["columns"],
        fmt::format("no column is sensitive; {} needs one to unlink", name_of(policy.algorithm)));
  }
  // What the release adds must not be taken for a column of the table.
  for (const ColumnPolicy& each : policy.columns) {
    if (each.role == Role::identifier) continue;
    std::string name = each.name;
    std::transform(name.begin(), name.end(), name.begin(), [](char letter) {
      return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    });
    if (name != "group" && !(name == "count" && each.role == Role::sensitive)) continue;
    throw reader.error(root["columns"][each.name],
                       fmt::format("column '{}' is called as a column that buckets add; expected "
                                   "another name in the table",
                                   each.name));
  }
}

void check_diversity(const PolicyReader& reader, const YAML::Node& rule, const Policy& policy) {
  const std::string variant = rule["variant"] ? rule["variant"].Scalar() : "distinct";
  const double l = reader.number(rule["l"], "l");
  const bool injector = policy.algorithm == Algorithm::injector;
  const bool is_kept =
      variant == "distinct" || (variant == "frequency" && policy.buckets.max_share);
  if (!is_kept) {
    throw reader.error(rule, fmt::format("{} l-diversity is not kept by `algorithm: {}`{}; "
                                         "expected distinct",
                                         variant, name_of(policy.algorithm),
                                         variant == "frequency" ? " with `max-share: false`" : ""));
  }
  if (injector && policy.matching && l > static_cast<double>(policy.matching->l)) {
    throw reader.error(rule["l"],
                       fmt::format("l-diversity asks for l = {}, but injector keeps the l = {} of "
                                   "matching-l-diversity; expected at most that",
                                   rule["l"].Scalar(), policy.matching->l));
  }
}

}  // namespace

void bucket_rules(const PolicyReader& reader, const YAML::Node& root, Policy& policy) {
  const bool injector = policy.algorithm == Algorithm::injector;
  if (root["layout"] && !makes_buckets(policy))
    throw reader.error(root["layout"], "layout goes with `algorithm: anatomy` or `injector`");
  for (const auto& [key, why] :
       {std::pair{"grouping", "; anatomy's buckets are random, other algorithms have none"},
        std::pair{"max-share", "; anatomy always keeps it"}}) {
    if (root[key] && !injector)
      throw reader.error(root[key], fmt::format("{} goes with `algorithm: injector`{}", key, why));
  }
  if (root["layout"]) policy.buckets.layout = reader.word(root["layout"], "layout", kLayouts);
  if (root["grouping"])
    policy.buckets.grouping = reader.word(root["grouping"], "grouping", kGroupings);
  if (root["max-share"]) policy.buckets.max_share = reader.truth(root["max-share"], "max-share");
}

void check_buckets(const PolicyReader& reader, const YAML::Node& root, const Policy& policy) {
  if (!makes_buckets(policy)) return;
  check_columns(reader, root, policy);
  if (policy.algorithm == Algorithm::injector && !policy.matching) {
    throw reader.error(root["algorithm"],
                       "injector needs `matching-l-diversity: {column: …, l: …}` in `privacy:`");
  }
  for (const auto& rule : reader.list(root["privacy"])) {
    const YAML::Node key = rule.begin()->first, value = rule.begin()->second;
    if (key.Scalar() == "k-anonymity" && policy.k > 1) {
      throw reader.error(key, fmt::format("k-anonymity is not kept by `algorithm: {}`: buckets "
                                          "leave quasi-identifiers exact; expected l-diversity",
                                          name_of(policy.algorithm)));
    }
    if (key.Scalar() == "l-diversity") check_diversity(reader, value, policy);
  }
  if (policy.algorithm == Algorithm::anatomy && policy.diversities.empty() && !policy.matching) {
    throw reader.error(root["algorithm"],
                       "anatomy needs `l-diversity: {column: …, l: …}` in `privacy:`");
  }
}

}  // namespace throng
