// What a release is still good for, as `throng evaluate` asks and tells it: errors of counting
// queries and of association rules, and distortion.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/program.h"
#include "metrics/associations.h"
#include "metrics/distortion.h"
#include "metrics/queries.h"
#include "policy/policy.h"

namespace throng::cli {

struct UtilityArguments {
  QueryOptions queries;
  RuleOptions rules;
  std::string sensitive;
};

void add_utility_options(Verb& verb, UtilityArguments& arguments);

struct Utility {
  std::string sensitive;  // "": there is none
  Distortion distortion;
  QueryErrors queries;
  std::optional<RuleErrors> rules;
};

// The sensitive column that is asked for: as given, or the first one that the policy guards, or its
// first one, or "". Throws InputError: the policy has no such sensitive column.
std::string sensitive_column(const UtilityArguments& arguments, const Policy& policy);

// The two errors; the seed of everything random is that of the command line.
Utility measure_utility(const Published& original, const Published& published, const Schema& schema,
                        UtilityArguments arguments, const Common& common);

void add_utility(nlohmann::ordered_json& object, const Utility& utility,
                 const UtilityArguments& arguments);
// The same as lines of the table for people.
std::string utility_table(const Utility& utility);

}  // namespace throng::cli
