// throng anonymize POLICY INPUT -o OUTPUT
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "api/checked.h"
#include "cli/common.h"
#include "io/reader.h"
#include "io/writer.h"

namespace throng::cli {
namespace {

struct Arguments {
  std::string policy, input, output;
};

int run(const Arguments& arguments, const Common& common) {
  const Policy policy = read_policy(arguments.policy);
  refuse_audit_only(policy, "anonymize");
  std::vector<std::string> inputs = hierarchy_files(policy);
  inputs.insert(inputs.end(), {arguments.input, arguments.policy});
  io::check_output(arguments.output, {".csv", ".parquet"}, inputs);

  Progress progress(common, {"reading", "anonymizing", "writing"});
  Stopwatch watch;
  io::Session session(common.threads);
  Table table = read_released(arguments.input, policy, session);
  const double read = watch.lap();
  progress.next();
  CheckedRelease checked = anonymize_checked(std::move(table), policy, common.seed);
  const double anonymize = watch.lap();
  progress.next();
  io::write_release(checked.release, arguments.output, session);
  const double write = watch.lap();
  progress.done();

  for (const std::string& warning : checked.warnings) warn(warning);
  if (common.json) {
    nlohmann::ordered_json object;
    add_figures(object, checked.figures);
    object["algorithm"] = name_of(policy.algorithm);
    object["output"] = arguments.output;
    object["warnings"] = checked.warnings;
    object["seconds"] = {{"read", read}, {"anonymize", anonymize}, {"write", write}};
    object["peak_memory_bytes"] = peak_memory_bytes();
    print_json(object);
    return 0;
  }
  say(common,
      fmt::format("{} -> {} by {}", arguments.input, arguments.output, name_of(policy.algorithm)));
  say(common, figures_table(checked.figures, policy));
  say(common,
      fmt::format("  {:.2f} s: read {:.2f}, anonymize {:.2f}, write {:.2f}; {} MiB at most",
                  read + anonymize + write, read, anonymize, write, peak_memory_bytes() >> 20));
  return 0;
}

}  // namespace

void add_anonymize(Program& program) {
  auto arguments = std::make_shared<Arguments>();
  Verb verb = program.verb("anonymize", "make one safe release of a table");
  verb.argument("POLICY", arguments->policy, "the policy, a YAML file");
  verb.argument("INPUT", arguments->input, "CSV, Parquet or JSON lines, or FILE.duckdb:TABLE");
  verb.option("-o,--output", arguments->output, "the release, CSV or Parquet");
  verb.runs([arguments](const Common& common) { return run(*arguments, common); });
}

}  // namespace throng::cli
