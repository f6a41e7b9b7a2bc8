#include "cli/utility.h"

#include <fmt/format.h>

#include "cli/common.h"
#include "throng/error.h"

namespace throng::cli {

void add_utility_options(Verb& verb, UtilityArguments& arguments) {
  QueryOptions& queries = arguments.queries;
  RuleOptions& rules = arguments.rules;
  verb.optional_count("--queries", queries.number, 10000000,
                      "counting queries to ask (default: 1000; 0: none)");
  verb.optional_count("--dimension", queries.dimension, 1000,
                      "quasi-identifiers in a query (default: 3)");
  verb.number("--selectivity", queries.selectivity, 1e-6, 1,
              "share of the records that a query would give (default: 0.1)");
  verb.optional_count("--max-items", rules.max_items, 8,
                      "quasi-identifiers in an association rule (default: 2; 0: no rules)");
  verb.number("--min-support", rules.min_support, 1e-6, 1,
              "share of the records in which a rule holds (default: 0.02)");
  verb.number("--min-conviction", rules.min_conviction, 1, 1e9,
              "conviction that makes a rule (default: 1)");
  verb.optional("--sensitive", arguments.sensitive,
                "the sensitive column of queries and rules (default: the first that the policy "
                "guards)");
}

std::string sensitive_column(const UtilityArguments& arguments, const Policy& policy) {
  if (arguments.queries.dimension == 0) throw InputError("--dimension is 0; expected 1 or more");
  if (!arguments.sensitive.empty()) {
    const ColumnPolicy* column = policy.find(arguments.sensitive);
    if (column != nullptr && column->role == Role::sensitive) return arguments.sensitive;
    throw InputError(fmt::format("--sensitive: '{}' is no sensitive column of the policy {}",
                                 arguments.sensitive, policy.source));
  }
  if (!policy.diversities.empty()) return policy.diversities.front().column;
  for (const ColumnPolicy& column : policy.columns) {
    if (column.role == Role::sensitive) return column.name;
  }
  return "";
}

Utility measure_utility(const Published& original, const Published& published, const Schema& schema,
                        UtilityArguments arguments, const Common& common) {
  Utility utility;
  utility.sensitive = schema.sensitive;
  arguments.queries.seed = common.seed;
  if (!schema.quasi.empty())
    utility.queries = measure_queries(original, published, schema, arguments.queries);
  if (!schema.sensitive.empty() && arguments.rules.max_items > 0)
    utility.rules = measure_associations(original, published, schema, arguments.rules);
  return utility;
}

void add_utility(nlohmann::ordered_json& object, const Utility& utility,
                 const UtilityArguments& arguments) {
  using Json = nlohmann::ordered_json;
  const auto or_null = [](const std::optional<double>& number) {
    return number ? Json(*number) : Json(nullptr);
  };
  object["distortion"] = {{"categorical", utility.distortion.categorical},
                          {"continuous", utility.distortion.continuous}};
  const QueryErrors& queries = utility.queries;
  const Json column = utility.sensitive.empty() ? Json(nullptr) : Json(utility.sensitive);
  object["queries"] = nullptr;
  if (queries.number > 0) {
    object["queries"] = {
        {"number", queries.number},           {"dimension", queries.dimension},
        {"selectivity", queries.selectivity}, {"sensitive", column},
        {"redrawn", queries.redrawn},         {"given_up", queries.given_up},
        {"mean_count", queries.mean_count},   {"mean_error", queries.mean},
        {"median_error", queries.median},     {"percentile_95_error", queries.percentile_95}};
  }
  object["rules"] = nullptr;
  if (utility.rules) {
    object["rules"] = {{"max_items", arguments.rules.max_items},
                       {"min_support", arguments.rules.min_support},
                       {"min_conviction", arguments.rules.min_conviction},
                       {"sensitive", column},
                       {"original", utility.rules->original},
                       {"published", utility.rules->published},
                       {"both", utility.rules->both},
                       {"confidence_error", or_null(utility.rules->confidence_error)},
                       {"false_positives", or_null(utility.rules->false_positives)},
                       {"false_negatives", or_null(utility.rules->false_negatives)}};
  }
}

std::string utility_table(const Utility& utility) {
  std::string text;
  const auto line = [&](const char* name, const std::string& value, const std::string& meaning) {
    text += fmt::format("\n  {:<22} {:>12}   {}", name, value, meaning);
  };
  const auto percent = [](double share) { return fmt::format("{:.2f}%", 100 * share); };
  line("distortion", fmt::format("{:.4f}", utility.distortion.categorical),
       fmt::format("steps up hierarchies a record; numbers {:.4f} of their ranges",
                   utility.distortion.continuous));
  if (utility.queries.number > 0) {
    line("query error", percent(utility.queries.mean),
         fmt::format("on average, median {}: {} counts of {:.1f} records on average, {} columns",
                     percent(utility.queries.median), with_commas(utility.queries.number),
                     utility.queries.mean_count, utility.queries.dimension));
  }
  if (utility.rules && utility.rules->original > 0) {
    line("rule error", percent(*utility.rules->confidence_error),
         fmt::format("of confidence; of {} rules {} are lost, and {} are new",
                     with_commas(utility.rules->original),
                     with_commas(utility.rules->original - utility.rules->both),
                     with_commas(utility.rules->published - utility.rules->both)));
  } else if (utility.rules) {
    line("rule error", "-", "no rule is strong enough in the original");
  }
  return text;
}

}  // namespace throng::cli
