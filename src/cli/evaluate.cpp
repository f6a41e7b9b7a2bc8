// throng evaluate POLICY ORIGINAL RELEASE
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "audit/check.h"
#include "cli/common.h"
#include "io/reader.h"
#include "metrics/figures.h"
#include "release/read.h"
#include "throng/error.h"

namespace throng::cli {
namespace {

struct Arguments {
  std::string policy, original, release;
};

// How often each value occurs.
std::vector<std::size_t> counts_of(const Dictionary& values, const Codes& codes) {
  std::vector<std::size_t> counts(values.size(), 0);
  codes.visit([&](const auto& narrow) {
    for (const auto code : narrow) ++counts[code];
  });
  return counts;
}

// The release may have no more records, nor any sensitive value more often, than the original has.
void check_origin(const Table& original, const Release& release, const Arguments& arguments) {
  if (release.rows() > original.rows) {
    throw InputError(
        fmt::format("{}: has {} records, more than the {} of {}; is it a release of that table?",
                    arguments.release, release.rows(), original.rows, arguments.original));
  }
  for (const Release::Plain& column : release.plain) {
    if (column.role != Role::sensitive) continue;
    const Column& known = *original.find(column.name);
    std::map<std::string, std::size_t> available;
    const std::vector<std::size_t> counts = counts_of(known.values, known.codes);
    for (std::size_t i = 0; i < counts.size(); ++i) available[known.values.labels[i]] = counts[i];
    const std::vector<std::size_t> used = counts_of(column.values, column.codes);
    for (std::size_t i = 0; i < used.size(); ++i) {
      const std::string& label = column.values.labels[i];
      if (used[i] <= available[label]) continue;
      throw InputError(
          fmt::format("{}: column '{}' has '{}' more often than {}; is it a release of that table?",
                      arguments.release, column.name, label, arguments.original));
    }
  }
}

int run(const Arguments& arguments, const Common& common) {
  const Policy policy = read_policy(arguments.policy);
  Progress progress(common, {"reading", "evaluating"});
  io::Session session(common.threads);
  const Table original = read_released(arguments.original, policy, session);
  std::vector<Domain> domains;
  for (const Column& column : original.columns) {
    const ColumnPolicy& rule = *policy.find(column.name);
    if (rule.role == Role::quasi_identifier) {
      domains.push_back(make_domain(column.name, column.values, rule.generalization));
    }
  }
  const std::vector<std::string> names = io::read_names(arguments.release, session);
  std::vector<std::string> released;
  for (const ColumnPolicy* column : released_columns(policy, names, arguments.release))
    released.push_back(column->name);
  for (const std::string& name : names) {
    if (policy.find(name)->role == Role::identifier) {
      throw PrivacyError(fmt::format("{}: publishes the identifier '{}'", arguments.release, name));
    }
  }
  io::RawTable raw = io::read_raw(arguments.release, released, session);
  progress.next();
  Release release =
      read_release(std::move(raw.columns), raw.rows, policy, domains, arguments.release);
  check_origin(original, release, arguments);
  release.suppressed = original.rows - release.rows();

  const Verdict verdict = check_release(release, policy);
  Figures figures = measure(release, verdict);
  figures.dropped = original.dropped;
  std::vector<std::string> broken = verdict.broken;
  const double share = static_cast<double>(release.suppressed) / static_cast<double>(original.rows);
  if (share > policy.max_suppression) {
    broken.push_back(
        fmt::format("suppression: {} of {} records are left out ({:.4g}); the policy allows {:.4g}",
                    release.suppressed, original.rows, share, policy.max_suppression));
  }
  progress.done();
  if (common.json) {
    nlohmann::ordered_json object;
    add_figures(object, figures);
    object["safe"] = broken.empty();
    object["broken"] = broken;
    object["peak_memory_bytes"] = peak_memory_bytes();
    print_json(object);
  } else {
    say(common, fmt::format("{} as a release of {}", arguments.release, arguments.original));
    say(common, figures_table(figures, policy));
    say(common, broken.empty() ? "  the release is what the policy asks for"
                               : "  THE RELEASE IS NOT WHAT THE POLICY ASKS FOR");
  }
  for (const std::string& promise : broken) complain(arguments.release + ": " + promise);
  return broken.empty() ? 0 : 3;
}

}  // namespace

void add_evaluate(Program& program) {
  auto arguments = std::make_shared<Arguments>();
  Verb verb =
      program.verb("evaluate", "check a release against its policy, and measure what it cost");
  verb.argument("POLICY", arguments->policy, "the policy, a YAML file");
  verb.argument("ORIGINAL", arguments->original, "the table that was released");
  verb.argument("RELEASE", arguments->release, "the release");
  verb.runs([arguments](const Common& common) { return run(*arguments, common); });
}

}  // namespace throng::cli
