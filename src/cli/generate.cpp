// throng generate patients|census --rows N [--seed N] -o FILE
#include "generate/generate.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/common.h"
#include "io/writer.h"

namespace throng::cli {
namespace {

struct Arguments {
  std::string kind, output;
  std::uint64_t rows = 0;
};

int run(const Arguments& arguments, const Common& common) {
  io::check_output(arguments.output, {".csv", ".parquet"}, {});

  Progress progress(common, {"generating", "writing"});
  Stopwatch watch;
  std::vector<GeneratedColumn> generated = arguments.kind == "census"
                                               ? generate_census(arguments.rows, common.seed)
                                               : generate_patients(arguments.rows, common.seed);
  std::vector<io::LabelColumn> columns;
  std::vector<std::string> names;
  for (GeneratedColumn& column : generated) {
    names.push_back(column.name);
    columns.push_back({std::move(column.name), std::move(column.labels), std::move(column.codes)});
  }
  const double generate = watch.lap();
  progress.next();
  io::Session session(common.threads);
  io::write_columns(columns, arguments.output, session);
  const double write = watch.lap();
  progress.done();

  if (common.json) {
    nlohmann::ordered_json object;
    object["kind"] = arguments.kind;
    object["rows"] = arguments.rows;
    object["seed"] = common.seed;
    object["columns"] = names;
    object["file"] = arguments.output;
    object["seconds"] = {{"generate", generate}, {"write", write}};
    object["peak_memory_bytes"] = peak_memory_bytes();
    print_json(object);
    return 0;
  }
  say(common, fmt::format("{} {} -> {}  ({:.2f} s: generate {:.2f}, write {:.2f})",
                          with_commas(arguments.rows),
                          arguments.kind == "census" ? "answers to a census" : "patients",
                          arguments.output, generate + write, generate, write));
  return 0;
}

}  // namespace

void add_generate(Program& program) {
  auto arguments = std::make_shared<Arguments>();
  Verb verb = program.verb("generate", "make up a table of people who never lived");
  verb.argument("KIND", arguments->kind, "patients or census", {"patients", "census"});
  verb.count("--rows", arguments->rows, 1000000000, "how many");
  verb.option("-o,--output", arguments->output, "the table, CSV or Parquet");
  verb.runs([arguments](const Common& common) { return run(*arguments, common); });
}

}  // namespace throng::cli
