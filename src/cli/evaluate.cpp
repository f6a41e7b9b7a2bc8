// throng evaluate POLICY ORIGINAL RELEASE
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "audit/check.h"
#include "cli/common.h"
#include "cli/evaluate_figures.h"
#include "cli/foreign_input.h"
#include "cli/page.h"
#include "cli/utility.h"
#include "io/reader.h"
#include "metrics/figures.h"
#include "release/read.h"
#include "throng/error.h"

namespace throng::cli {
namespace {

struct Arguments {
  std::string policy, original, release, page;
  UtilityArguments utility;
};

// The release may have no more records than the original has,
void check_records(std::size_t rows, const Table& original, const Arguments& arguments) {
  if (rows <= original.rows) return;
  throw InputError(
      fmt::format("{}: has {} records, more than the {} of {}; is it a release of that table?",
                  arguments.release, rows, original.rows, arguments.original));
}

// nor any exact value more often.
void check_values(const std::string& name, const Dictionary& values,
                  const std::vector<std::uint64_t>& used, const Table& original,
                  const Arguments& arguments) {
  const Column& known = *original.find(name);
  std::map<std::string, std::uint64_t> available;
  const std::vector<std::uint64_t> counts = counts_of(known.values, known.codes);
  for (std::size_t i = 0; i < counts.size(); ++i) available[known.values.labels[i]] = counts[i];
  for (std::size_t i = 0; i < used.size(); ++i) {
    const std::string& label = values.labels[i];
    if (used[i] == 0 || used[i] <= available[label]) continue;
    throw InputError(
        fmt::format("{}: column '{}' has '{}' more often than {}; is it a release of that table?",
                    arguments.release, name, label, arguments.original));
  }
}

void check_suppression(std::size_t suppressed, const Table& original, const Policy& policy,
                       std::vector<std::string>& broken) {
  const double share = static_cast<double>(suppressed) / static_cast<double>(original.rows);
  if (share <= policy.max_suppression) return;
  broken.push_back(
      fmt::format("suppression: {} of {} records are left out ({:.4g}); the policy allows {:.4g}",
                  suppressed, original.rows, share, policy.max_suppression));
}

void refuse_identifiers(const std::vector<std::string>& names, const Policy& policy,
                        const std::string& source) {
  for (const std::string& name : names) {
    const ColumnPolicy* column = policy.find(name);
    if (column != nullptr && column->role == Role::identifier)
      throw PrivacyError(fmt::format("{}: publishes the identifier '{}'", source, name));
  }
}

// What was found out: for programs, for people, and the promises that do not hold.
struct Evaluation {  // NOLINT(bugprone-exception-escape): of the JSON library, in a move
  nlohmann::ordered_json json;
  std::string table;
  std::vector<std::string> broken;
};

Evaluation evaluate_release(const Arguments& arguments, const Policy& policy, const Table& original,
                            std::vector<Domain> domains, io::Session& session, Progress& progress,
                            const Common& common) {
  const std::vector<std::string> names = io::read_names(arguments.release, session);
  std::vector<std::string> released;
  for (const ColumnPolicy* column : released_columns(policy, names, arguments.release))
    released.push_back(column->name);
  refuse_identifiers(names, policy, arguments.release);
  io::RawTable raw = io::read_raw(arguments.release, released, session);
  progress.next();
  Release release =
      read_release(std::move(raw.columns), raw.rows, policy, domains, arguments.release);
  check_records(release.rows(), original, arguments);
  for (const Release::Plain& column : release.plain) {
    if (column.role != Role::sensitive) continue;
    check_values(column.name, column.values, counts_of(column.values, column.codes), original,
                 arguments);
  }
  release.suppressed = original.rows - release.rows();

  const Verdict verdict = check_release(release, policy);
  Figures figures = measure(release, verdict);
  figures.dropped = original.dropped;
  const Schema schema =
      make_schema(original, std::move(domains), sensitive_column(arguments.utility, policy));
  const Published before = publish(original, schema), after = publish(release, schema);
  Utility utility = measure_utility(before, after, schema, arguments.utility, common);
  utility.distortion = distortion_of(release, schema);
  Evaluation evaluation;
  evaluation.broken = verdict.broken;
  check_suppression(release.suppressed, original, policy, evaluation.broken);
  add_figures(evaluation.json, figures);
  add_utility(evaluation.json, utility, arguments.utility);
  add_requirements(evaluation.json, policy, verdict, release, release.suppressed, original.rows);
  add_profile(evaluation.json, original, release, schema, before, after);
  evaluation.table =
      figures_table(figures, policy) + utility_table(utility) + profile_table(evaluation.json);
  return evaluation;
}

// Buckets as a release of classes whose regions do not matter: what check_release() asks of
// classes, the policy asks of buckets.
Release classes_of(const Buckets& buckets) {
  Release release;
  release.classes = buckets.groups.size();
  std::vector<Code> values;
  for (std::uint32_t group = 0; group < buckets.groups.size(); ++group) {
    for (const Buckets::Count& count : buckets.counts(group)) {
      release.class_of_row.insert(release.class_of_row.end(), count.count, group);
      values.insert(values.end(), count.count, count.value);
    }
  }
  release.plain.push_back({buckets.sensitive, Role::sensitive, buckets.values,
                           Codes(values, std::max<std::size_t>(1, buckets.values.size()))});
  return release;
}

void check_origin(const Buckets& buckets, const Release& classes, const Table& original,
                  const Arguments& arguments) {
  check_records(buckets.rows(), original, arguments);
  const Release::Plain& sensitive = classes.plain[0];
  check_values(sensitive.name, sensitive.values, counts_of(sensitive.values, sensitive.codes),
               original, arguments);
  for (std::size_t i = 0; i < buckets.domains.size(); ++i) {
    const Domain& domain = buckets.domains[i];
    std::vector<std::size_t> used(domain.size(), 0);
    for (const Code position : buckets.positions[i]) ++used[position];
    check_values(domain.name, domain.values, used, original, arguments);
  }
}

std::string buckets_table(const nlohmann::ordered_json& found, const Verdict& verdict,
                          const Policy& policy) {
  std::string text;
  const auto line = [&](const std::string& name, const std::string& value,
                        const std::string& meaning) {
    text += fmt::format("{}  {:<22} {:>12}   {}", text.empty() ? "" : "\n", name, value, meaning);
  };
  const auto count = [&](const char* name) { return with_commas(found[name].get<std::size_t>()); };
  line("records in", count("rows_in"),
       found["dropped"] == 0 ? "" : count("dropped") + " more dropped for a missing value");
  line("records out", count("rows_out"),
       found["suppressed"] == 0 ? "none left out" : count("suppressed") + " left out");
  line("buckets", count("buckets"),
       fmt::format("of {} to {} records", count("smallest_bucket"), count("largest_bucket")));
  for (const DiversityFigures& column : verdict.diversity) {
    line("l of " + column.column, std::to_string(column.distinct),
         fmt::format("distinct values in the least diverse bucket{}", asked_of(policy, column)));
  }
  line("largest share", fmt::format("{:.4f}", found["largest_share"].get<double>()),
       "of one value in a bucket");
  return text;
}

Evaluation evaluate_buckets(const BucketFiles& files, const Arguments& arguments,
                            const Policy& policy, const Table& original,
                            std::vector<Domain> domains, io::Session& session, Progress& progress,
                            const Common& common) {
  refuse_identifiers(io::read_names(files.qit, session), policy, files.qit);
  refuse_identifiers(io::read_names(files.st, session), policy, files.st);
  const Buckets buckets = read_bucket_files(files, policy, session);
  progress.next();
  if (buckets.rows() == 0)
    throw InputError(files.qit + ": has no records; expected at least one below the header");
  for (const Domain& domain : domains) {
    const bool is_there =
        std::any_of(buckets.domains.begin(), buckets.domains.end(),
                    [&](const Domain& known) { return known.name == domain.name; });
    if (!is_there) {
      throw InputError(fmt::format("{}: has no column '{}', which the policy {} lists", files.qit,
                                   domain.name, policy.source));
    }
  }
  UtilityArguments asked = arguments.utility;
  if (asked.sensitive.empty()) asked.sensitive = buckets.sensitive;
  const std::string sensitive = sensitive_column(asked, policy);
  if (sensitive != buckets.sensitive) {
    throw InputError(
        fmt::format("--sensitive: {} has '{}', not '{}'", files.st, buckets.sensitive, sensitive));
  }
  const Release classes = classes_of(buckets);
  check_origin(buckets, classes, original, arguments);
  const Verdict verdict = check_release(classes, policy);
  std::size_t largest = 0;
  double frequency = 1;
  for (std::uint32_t group = 0; group < buckets.groups.size(); ++group) {
    std::size_t records = 0;
    for (const Buckets::Count& count : buckets.counts(group)) records += count.count;
    largest = std::max(largest, records);
  }
  for (const DiversityFigures& column : verdict.diversity) frequency = column.frequency;

  const Schema schema = make_schema(original, std::move(domains), sensitive);
  const Published before = publish(original, schema), after = publish(buckets, schema, files.qit);
  const Utility utility = measure_utility(before, after, schema, arguments.utility, common);
  Evaluation evaluation;
  evaluation.broken = verdict.broken;
  const std::size_t suppressed = original.rows - buckets.rows();
  check_suppression(suppressed, original, policy, evaluation.broken);
  nlohmann::ordered_json& json = evaluation.json;
  json["rows_in"] = original.rows;
  json["rows_out"] = buckets.rows();
  json["suppressed"] = suppressed;
  json["dropped"] = original.dropped;
  json["buckets"] = buckets.groups.size();
  json["smallest_bucket"] = verdict.k;
  json["largest_bucket"] = largest;
  json["average_bucket_size"] =
      static_cast<double>(buckets.rows()) / static_cast<double>(buckets.groups.size());
  json["largest_share"] = 1 / frequency;
  add_diversity(json, verdict.diversity);
  // Quasi-identifiers are exact.
  json["information_loss"] = 0;
  json["gcp"] = static_cast<double>(suppressed) / static_cast<double>(original.rows);
  json["discernibility"] = class_sizes_of(after.sizes).squares +
                           static_cast<double>(suppressed) * static_cast<double>(original.rows);
  add_utility(json, utility, arguments.utility);
  add_requirements(json, policy, verdict, classes, suppressed, original.rows);
  add_profile(json, original, classes, schema, before, after);
  evaluation.table =
      buckets_table(json, verdict, policy) + utility_table(utility) + profile_table(json);
  return evaluation;
}

int run(const Arguments& arguments, const Common& common) {
  Policy policy = read_policy(arguments.policy);
  std::vector<std::string> inputs = hierarchy_files(policy);
  inputs.insert(inputs.end(), {arguments.policy, arguments.original, arguments.release});
  check_page(arguments.page, inputs);
  Progress progress(common, {"reading", "evaluating"});
  io::Session session(common.threads);
  if (!policy.xy.empty()) {
    // Such a policy is for several projections of the same people; this is one of them.
    const std::vector<std::string> names = io::read_names(arguments.original, session);
    std::erase_if(policy.columns, [&](const ColumnPolicy& column) {
      return std::find(names.begin(), names.end(), column.name) == names.end();
    });
    warn("(X,Y)-requirements are about the join with other releases: `throng audit` checks them");
  }
  sensitive_column(arguments.utility, policy);  // bad options before long work
  const Table original = read_released(arguments.original, policy, session);
  std::vector<Domain> domains;
  for (const Column& column : original.columns) {
    const ColumnPolicy& rule = *policy.find(column.name);
    if (rule.role == Role::quasi_identifier) {
      domains.push_back(make_domain(column.name, column.values, rule.generalization));
    }
  }
  const std::optional<BucketFiles> files = find_buckets(arguments.release, policy, session);
  Evaluation found = files ? evaluate_buckets(*files, arguments, policy, original,
                                              std::move(domains), session, progress, common)
                           : evaluate_release(arguments, policy, original, std::move(domains),
                                              session, progress, common);
  progress.done();
  found.json["safe"] = found.broken.empty();
  found.json["broken"] = found.broken;
  if (!arguments.page.empty()) {
    nlohmann::ordered_json report = {{"policy", arguments.policy},
                                     {"original", arguments.original},
                                     {"release", arguments.release},
                                     {"seed", common.seed}};
    report.update(found.json);
    write_page(arguments.page, "evaluate", std::move(report));
  }
  if (common.json) {
    found.json["peak_memory_bytes"] = peak_memory_bytes();
    print_json(found.json);
  } else {
    say(common, fmt::format("{} as a release of {}", arguments.release, arguments.original));
    say(common, found.table);
    say(common, found.broken.empty() ? "  the release is what the policy asks for"
                                     : "  THE RELEASE IS NOT WHAT THE POLICY ASKS FOR");
  }
  for (const std::string& promise : found.broken) complain(arguments.release + ": " + promise);
  return found.broken.empty() ? 0 : 3;
}

}  // namespace

void add_evaluate(Program& program) {
  auto arguments = std::make_shared<Arguments>();
  Verb verb =
      program.verb("evaluate", "check a release against its policy, and measure what it cost");
  verb.argument("POLICY", arguments->policy, "the policy, a YAML file");
  verb.argument("ORIGINAL", arguments->original, "the table that was released");
  verb.argument("RELEASE", arguments->release,
                "the release; NAME.csv for the buckets NAME.qit.csv and NAME.st.csv too");
  add_utility_options(verb, arguments->utility);
  add_page_option(verb, arguments->page);
  verb.runs([arguments](const Common& common) { return run(*arguments, common); });
}

}  // namespace throng::cli
