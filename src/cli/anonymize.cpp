// throng anonymize POLICY INPUT -o OUTPUT [--previous RELEASE]... [--cuts FILE]
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "algorithms/anonymize.h"
#include "api/checked.h"
#include "cli/anonymize_buckets.h"
#include "cli/audit_joins.h"
#include "cli/common.h"
#include "cli/foreign_input.h"
#include "io/reader.h"
#include "io/writer.h"
#include "metrics/figures.h"
#include "publication/sequential.h"
#include "release/cuts.h"
#include "throng/error.h"

namespace throng::cli {
namespace {

struct Arguments {
  std::string policy, input, output, cuts;
  std::vector<std::string> previous;
};

// What a run of any algorithm leaves.
struct Made {
  CheckedRelease checked;
  std::optional<SequentialRelease> sequential;  // of tds
  std::string cuts;                             // as JSON
};

std::vector<ForeignFile> read_previous(const Arguments& arguments, const Policy& policy,
                                       io::Session& session) {
  std::vector<ForeignFile> files;
  for (const std::string& source : arguments.previous) {
    if (find_buckets(source, policy, session)) {
      throw InputError(source +
                       ": is a release of buckets, which tds cannot join; expected generalized "
                       "records in one file");
    }
    std::vector<std::string> identifiers;
    const std::vector<std::string> names = published_names(source, policy, session, identifiers);
    if (!identifiers.empty()) {
      throw InputError(
          fmt::format("{}: publishes the identifier '{}'; whoever has that file needs "
                      "no join",
                      source, identifiers[0]));
    }
    files.push_back(read_published(source, names, session));
    if (files.back().rows == 0) throw InputError(source + ": has no records");
  }
  return files;
}

Made specialize_table(Table table, std::vector<ForeignFile> previous,
                      const std::vector<std::string>& names, const Arguments& arguments,
                      const Policy& policy, std::uint64_t seed) {
  Made made;
  made.checked.warnings = warnings_about(table, policy);
  const std::size_t dropped = table.dropped;
  try {
    made.sequential = release_after(std::move(table), std::move(previous), policy, seed);
  } catch (const ForeignValue& bad) {
    const bool own = bad.file >= arguments.previous.size();
    const std::string& file = own ? arguments.input : arguments.previous[bad.file];
    throw InputError(fmt::format("{}: column '{}' has '{}'; expected {}",
                                 io::place_of(file, bad.column, bad.text), bad.column, bad.text,
                                 bad.expected));
  }
  SequentialRelease& release = *made.sequential;
  made.checked.release = std::move(release.release);
  made.checked.figures = measure(made.checked.release, release.verdict);
  made.checked.figures.dropped = dropped;
  made.checked.warnings.insert(made.checked.warnings.end(), release.warnings.begin(),
                               release.warnings.end());
  std::vector<ColumnCut> cuts;
  for (std::size_t i = 0; i < release.how.cuts.size(); ++i) {
    if (release.how.cuts[i])
      cuts.push_back({&made.checked.release.quasi[i].domain, *release.how.cuts[i]});
  }
  made.cuts = write_cuts(cuts, policy, names);
  return made;
}

void write(const Made& made, const Arguments& arguments, io::Session& session) {
  if (arguments.cuts.empty()) {
    io::write_release(made.checked.release, arguments.output, session);
    return;
  }
  // Both or none: the names come last.
  const auto release =
      io::prepare_columns(io::columns_of(made.checked.release), arguments.output, session);
  io::NewFile cuts(arguments.cuts);
  cuts.write(made.cuts);
  cuts.finish();
  release->finish();
}

nlohmann::ordered_json search_json(const Specialized& how) {
  nlohmann::ordered_json json = {
      {"objective", how.objective}, {"states", how.states}, {"monotone", how.monotone}};
  if (how.bound) {
    json["bound"] = *how.bound;
    json["gap"] = *how.bound - how.objective;
  }
  return json;
}

std::string search_words(const Specialized& how, const Policy& policy) {
  const char* unit = policy.goal == Goal::distortion       ? "units of distortion taken away"
                     : policy.goal == Goal::classification ? "of the records told right"
                                                           : "(minus the records that look alike)";
  std::string text = fmt::format("  search: {:.4f} {} a record, {} tables seen", how.objective,
                                 unit, with_commas(how.states));
  if (how.bound) {
    text += how.complete ? "; no table has more"
                         : fmt::format("; no table has more than {:.4f}", *how.bound);
  }
  return text;
}

int run(const Arguments& arguments, const Common& common) {
  const Policy policy = read_policy(arguments.policy);
  refuse_unkept(policy, "anonymize");
  const bool tds = policy.algorithm == Algorithm::tds;
  for (const auto& [given, name] : {std::pair{!arguments.previous.empty(), "--previous"},
                                    std::pair{!arguments.cuts.empty(), "--cuts"}}) {
    if (given && !tds) {
      throw InputError(fmt::format("{} goes with `algorithm: tds`, but {} has {}", name,
                                   arguments.policy, name_of(policy.algorithm)));
    }
  }
  if (makes_buckets(policy))
    return anonymize_to_buckets(policy, arguments.input, arguments.output, common);
  std::vector<std::string> inputs = hierarchy_files(policy);
  inputs.insert(inputs.end(), {arguments.input, arguments.policy});
  if (policy.knowledge && policy.knowledge->rules) inputs.push_back(*policy.knowledge->rules);
  inputs.insert(inputs.end(), arguments.previous.begin(), arguments.previous.end());
  io::check_output(arguments.output, {".csv", ".parquet"}, inputs);
  if (!arguments.cuts.empty()) {
    inputs.push_back(arguments.output);
    io::check_output(arguments.cuts, {".json"}, inputs);
  }

  Progress progress(common, {"reading", "anonymizing", "writing"});
  Stopwatch watch;
  io::Session session(common.threads);
  std::vector<ForeignFile> previous = read_previous(arguments, policy, session);
  const std::vector<std::string> names = io::read_names(arguments.input, session);
  Table table =
      read_released(arguments.input, without_columns_of(policy, names, previous), session);
  const double read = watch.lap();
  progress.next();
  Made made;
  if (tds) {
    made = specialize_table(std::move(table), std::move(previous), names, arguments, policy,
                            common.seed);
  } else {
    made.checked = anonymize_checked(std::move(table), policy, common.seed);
  }
  const double anonymize = watch.lap();
  progress.next();
  write(made, arguments, session);
  const double written = watch.lap();
  progress.done();

  const CheckedRelease& checked = made.checked;
  std::optional<JoinWords> join;
  if (made.sequential && !policy.xy.empty())
    join = words_of_join(made.sequential->join, policy, false);
  for (const std::string& warning : checked.warnings) warn(warning);
  if (common.json) {
    nlohmann::ordered_json object;
    add_figures(object, checked.figures);
    object["algorithm"] = name_of(policy.algorithm);
    if (made.sequential) object["search"] = search_json(made.sequential->how);
    if (join) object["join"] = join->json;
    object["output"] = arguments.output;
    if (!arguments.cuts.empty()) object["cuts"] = arguments.cuts;
    object["warnings"] = checked.warnings;
    object["seconds"] = {{"read", read}, {"anonymize", anonymize}, {"write", written}};
    if (made.sequential) object["seconds"]["specialize"] = made.sequential->seconds;
    object["peak_memory_bytes"] = peak_memory_bytes();
    print_json(object);
    return 0;
  }
  say(common,
      fmt::format("{} -> {} by {}", arguments.input, arguments.output, name_of(policy.algorithm)));
  say(common, figures_table(checked.figures, policy));
  if (made.sequential) say(common, search_words(made.sequential->how, policy));
  if (join) {
    for (const std::string& line : join->lines) say(common, "  " + line);
  }
  say(common,
      fmt::format("  {:.2f} s: read {:.2f}, anonymize {:.2f}, write {:.2f}; {} MiB at most",
                  read + anonymize + written, read, anonymize, written, peak_memory_bytes() >> 20));
  return 0;
}

}  // namespace

void add_anonymize(Program& program) {
  auto arguments = std::make_shared<Arguments>();
  Verb verb = program.verb("anonymize", "make one safe release of a table");
  verb.argument("POLICY", arguments->policy, "the policy, a YAML file");
  verb.argument("INPUT", arguments->input, "CSV, Parquet or JSON lines, or FILE.duckdb:TABLE");
  verb.option("-o,--output", arguments->output,
              "the release, CSV or Parquet; of buckets NAME.qit.csv and NAME.st.csv");
  verb.repeated("--previous", arguments->previous,
                "a release of the same people that is out already (tds); once for each");
  verb.optional("--cuts", arguments->cuts,
                "where to write how each column was generalized (tds), JSON");
  verb.runs([arguments](const Common& common) { return run(*arguments, common); });
}

}  // namespace throng::cli
