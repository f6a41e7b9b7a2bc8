// throng draft INPUT -o POLICY
#include "draft/draft.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/common.h"
#include "io/reader.h"
#include "io/writer.h"
#include "throng/error.h"

namespace throng::cli {
namespace {

struct Arguments {
  std::string input, output;
  bool force = false;
};

// A policy is edited by hand after it is drafted; a second draft must not undo that by mistake.
void check_new(const Arguments& arguments) {
  std::error_code error;
  if (!arguments.force && std::filesystem::exists(arguments.output, error)) {
    throw InputError(fmt::format("{}: exists already; --force overwrites it", arguments.output));
  }
}

nlohmann::ordered_json as_json(const Draft& draft, std::size_t rows, const Arguments& arguments) {
  nlohmann::ordered_json object;
  object["rows"] = rows;
  object["columns"] = nlohmann::ordered_json::array();
  object["warnings"] = nlohmann::ordered_json::array();
  for (const DraftColumn& column : draft.columns) {
    object["columns"].push_back({{"name", column.name},
                                 {"role", name_of(column.role)},
                                 {"type", name_of(column.type)},
                                 {"distinct", column.distinct}});
    if (!column.warning.empty())
      object["warnings"].push_back(fmt::format("column '{}' {}", column.name, column.warning));
  }
  object["unique"] = nlohmann::ordered_json::array();
  for (const DraftUnique& unique : draft.unique) {
    object["unique"].push_back({{"columns", unique.columns}, {"records", unique.records}});
  }
  object["file"] = arguments.output;
  return object;
}

std::string as_table(const Draft& draft) {
  std::size_t width = 6;
  for (const DraftColumn& column : draft.columns)
    width = std::max(width, std::min<std::size_t>(32, column.name.size()));
  std::string text =
      fmt::format("  {:<{}}  {:<16}  {:<7}  {:>10}", "column", width, "role", "type", "distinct");
  for (const DraftColumn& column : draft.columns) {
    text += fmt::format("\n  {:<{}}  {:<16}  {:<7}  {:>10}", column.name, width,
                        name_of(column.role), name_of(column.type), with_commas(column.distinct));
    if (!column.note.empty()) text += "   " + column.note;
  }
  return text;
}

int run(const Arguments& arguments, const Common& common) {
  io::check_output(arguments.output, {".yaml", ".yml"}, {arguments.input});
  check_new(arguments);

  io::Session session(common.threads);
  Progress progress(common, {"reading", "drafting"});
  Stopwatch watch;
  const io::RawTable table =
      io::read_raw(arguments.input, io::read_names(arguments.input, session), session);
  const double read = watch.lap();
  progress.next();
  const Draft draft = draft_policy(table.columns, table.rows, arguments.input);
  io::write_text(draft.policy, arguments.output);
  const double drafting = watch.lap();
  progress.done();

  for (const DraftColumn& column : draft.columns) {
    if (!column.warning.empty()) warn(fmt::format("column '{}' {}", column.name, column.warning));
  }
  if (common.json) {
    nlohmann::ordered_json object = as_json(draft, table.rows, arguments);
    object["seconds"] = {{"read", read}, {"draft", drafting}};
    object["peak_memory_bytes"] = peak_memory_bytes();
    print_json(object);
    return 0;
  }
  say(common, fmt::format("{} -> {}: a first policy for {} records", arguments.input,
                          arguments.output, with_commas(table.rows)));
  say(common, as_table(draft));
  say(common, "  a guess: read it and correct it before you use it");
  return 0;
}

}  // namespace

void add_draft(Program& program) {
  auto arguments = std::make_shared<Arguments>();
  Verb verb = program.verb("draft", "look at a table and write a first policy for it");
  verb.argument("INPUT", arguments->input, "CSV, Parquet or JSON lines, or FILE.duckdb:TABLE");
  verb.option("-o,--output", arguments->output, "the policy, a YAML file");
  verb.flag("--force", arguments->force, "overwrite a policy that exists");
  verb.runs([arguments](const Common& common) { return run(*arguments, common); });
}

}  // namespace throng::cli
