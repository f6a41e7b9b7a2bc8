#include "cli/evaluate_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "audit/risk.h"
#include "cli/common.h"
#include "metrics/distributions.h"

namespace throng::cli {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<double>& number) { return number ? Json(*number) : Json(nullptr); }

// ℓ as it was found, by the variant that is asked for.
double diversity_found(const Diversity& asked, const DiversityFigures& figures,
                       const Release& release) {
  switch (asked.variant) {
    case Diversity::Variant::distinct:
      return static_cast<double>(figures.distinct);
    case Diversity::Variant::frequency:
      return figures.frequency;
    case Diversity::Variant::entropy:
      return figures.entropy;
    case Diversity::Variant::recursive:
      return static_cast<double>(recursive_diversity(release, asked.column, asked.c));
  }
  return 0;
}

Json json_of(const Exposure& exposure) {
  return {{"highest", exposure.highest},
          {"average", exposure.average},
          {"alone", exposure.alone},
          {"guess_highest", or_null(exposure.guess_highest)},
          {"guess_average", or_null(exposure.guess_average)}};
}

Json json_of(const Distribution& distribution) {
  Json json = {{"kind", distribution.is_number ? "numbers" : "categories"},
               {"bins", Json::array()},
               {"others", nullptr}};
  for (const Distribution::Bin& bin : distribution.bins)
    json["bins"].push_back(
        {{"value", bin.label}, {"original", bin.original}, {"released", bin.released}});
  if (distribution.other_values > 0) {
    json["others"] = {{"values", distribution.other_values},
                      {"original", distribution.others.original},
                      {"released", distribution.others.released}};
  }
  return json;
}

// A column that is released as it is. A value that the original does not have stands behind those
// that it has.
Distribution compare_plain(const Column& original, const Release::Plain& released) {
  Dictionary values = original.values;
  const std::size_t missing = values.missing ? values.size() - 1 : ~std::size_t{0};
  std::vector<std::uint64_t> before = counts_of(values, original.codes);
  std::vector<double> after(values.size(), 0);
  std::map<std::string, std::size_t> place;
  for (std::size_t i = 0; i < values.size(); ++i) place[values.labels[i]] = i;
  const std::vector<std::uint64_t> counts = counts_of(released.values, released.codes);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto [at, is_new] = place.emplace(released.values.labels[i], values.size());
    if (is_new) {
      values.labels.push_back(released.values.labels[i]);
      if (values.numeric()) {
        const bool has_number = i < released.values.numbers.size();
        values.numbers.push_back(has_number ? released.values.numbers[i] : 0);
      }
      before.push_back(0);
      after.push_back(0);
    }
    after[at->second] += static_cast<double>(counts[i]);
  }
  return compare(values, missing, before, after);
}

Json column_json(const std::string& name, Role role, const Json& loss,
                 const Distribution& distribution) {
  return {{"column", name},
          {"role", name_of(role)},
          {"information_loss", loss},
          {"difference", distribution.difference},
          {"distribution", json_of(distribution)}};
}

}  // namespace

std::vector<std::uint64_t> counts_of(const Dictionary& values, const Codes& codes) {
  std::vector<std::uint64_t> counts(values.size(), 0);
  codes.visit([&](const auto& narrow) {
    for (const auto code : narrow) ++counts[code];
  });
  return counts;
}

void add_requirements(Json& object, const Policy& policy, const Verdict& verdict,
                      const Release& release, std::size_t suppressed, std::size_t rows_in) {
  constexpr double kRounding = 1e-9;
  object["requirements"] = Json::array();
  const auto add = [&](Json requirement, const Json& asked, const Json& found, const Json& holds) {
    requirement["asked"] = asked;
    requirement["found"] = found;
    requirement["holds"] = holds;
    object["requirements"].push_back(std::move(requirement));
  };
  add({{"requirement", "k-anonymity"}}, policy.k, verdict.k, verdict.k >= policy.k);
  for (const Diversity& asked : policy.diversities) {
    const auto figures =
        std::find_if(verdict.diversity.begin(), verdict.diversity.end(),
                     [&](const DiversityFigures& column) { return column.column == asked.column; });
    Json requirement = {{"requirement", "l-diversity"},
                        {"column", asked.column},
                        {"variant", name_of(asked.variant)}};
    if (asked.variant == Diversity::Variant::recursive) requirement["c"] = asked.c;
    if (figures == verdict.diversity.end()) {  // buckets of another column, or no records
      add(std::move(requirement), asked.l, nullptr,
          release.rows() > 0 ? Json(nullptr) : Json(false));
      continue;
    }
    const double found = diversity_found(asked, *figures, release);
    add(std::move(requirement), asked.l, found, found >= asked.l * (1 - kRounding));
  }
  if (policy.matching) {
    // For `throng audit` to check.
    add({{"requirement", "matching-l-diversity"}, {"column", policy.matching->column}},
        policy.matching->l, nullptr, nullptr);
  }
  const double share =
      rows_in == 0 ? 0 : static_cast<double>(suppressed) / static_cast<double>(rows_in);
  add({{"requirement", "suppression"}}, policy.max_suppression, share,
      share <= policy.max_suppression);
}

void add_profile(Json& object, const Table& original, const Release& release, const Schema& schema,
                 const Published& before, const Published& after) {
  const ClassSizes sizes = class_sizes_of(after.sizes);
  Json& sizes_json = object["class_sizes"];
  sizes_json = {{"smallest", sizes.smallest},
                {"median", sizes.median},
                {"average", sizes.average},
                {"largest", sizes.largest},
                {"bins", Json::array()}};
  for (const ClassSizes::Bin& bin : sizes.bins) {
    sizes_json["bins"].push_back(
        {{"from", bin.from}, {"to", bin.to}, {"classes", bin.classes}, {"records", bin.records}});
  }
  const bool has_sensitive = !schema.sensitive.empty();
  const Exposure was = exposure_of(before, has_sensitive), is = exposure_of(after, has_sensitive);
  object["risk"] = {{"sensitive", has_sensitive ? Json(schema.sensitive) : Json(nullptr)},
                    {"before", json_of(was)},
                    {"after", json_of(is)},
                    {"bands", Json::array()}};
  for (const RiskBand& band : risk_bands(was, is)) {
    object["risk"]["bands"].push_back({{"from", band.from},
                                       {"to", band.to ? Json(*band.to) : Json(nullptr)},
                                       {"before", band.before},
                                       {"after", band.after}});
  }
  object["columns"] = Json::array();
  const std::vector<ColumnLoss> losses = losses_of(release);
  for (std::size_t i = 0; i < schema.quasi.size(); ++i) {
    const Schema::Quasi& quasi = schema.quasi[i];
    double loss = 0;  // of buckets
    for (const ColumnLoss& each : losses) {
      if (each.column == quasi.domain.name) loss = each.loss;
    }
    object["columns"].push_back(column_json(
        quasi.domain.name, Role::quasi_identifier, loss,
        compare(quasi.domain.values, quasi.missing, quasi.records, spread_of(after, schema, i))));
  }
  for (const Release::Plain& column : release.plain) {
    const Column* known = original.find(column.name);
    if (known == nullptr) continue;
    object["columns"].push_back(
        column_json(column.name, column.role, nullptr, compare_plain(*known, column)));
  }
}

std::string profile_table(const Json& object) {
  std::string text = fmt::format(
      "\n  {:<22} {:>12}   the sum of the squares of the sizes, and of what is left out",
      "discernibility",
      with_commas(static_cast<std::uint64_t>(object["discernibility"].get<double>())));
  if (object["information_loss"] == 0) return text;
  for (const Json& column : object["columns"]) {
    if (column["information_loss"].is_null()) continue;
    text += fmt::format(
        "\n  {:<22} {:>12.4f}   0: exact, 1: everything; shares of its values differ by {:.2f}%",
        "loss of " + column["column"].get<std::string>(), column["information_loss"].get<double>(),
        100 * column["difference"].get<double>());
  }
  return text;
}

}  // namespace throng::cli
