// throng export DIR --release N|NAME -o OUTPUT [--delta]
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/publication.h"
#include "io/writer.h"
#include "publication/kept_files.h"

namespace throng::cli {
namespace {

struct Arguments {
  PublicationArguments publication;
  std::string release, output;
  bool delta = false;
};

int run(const Arguments& arguments, const Common& common) {
  io::Session session(common.threads);
  Publication publication = arguments.publication.open(Ledger::Access::read, "export", session);
  for (const std::string& note : publication.notes()) warn(note);
  io::check_output(arguments.output, {".csv", ".parquet"},
                   {arguments.publication.folder + "/ledger.db"});
  const ReleaseRecord record = publication.release_called(arguments.release);
  publication.export_release(record.number, arguments.output, arguments.delta);
  if (common.json) {
    nlohmann::ordered_json object = {{"release", record.number}, {"output", arguments.output}};
    if (!record.name.empty()) object["name"] = record.name;
    print_json(object);
    return 0;
  }
  say(common, fmt::format("{}: {} -> {}", arguments.publication.folder, title_of(record),
                          arguments.output));
  return 0;
}

}  // namespace

void add_export(Program& program) {
  auto arguments = std::make_shared<Arguments>();
  Verb verb = program.verb("export", "write any earlier release again");
  arguments->publication.add_to(verb);
  verb.option("--release", arguments->release, "its number, or its name");
  verb.option("-o,--output", arguments->output, "the release, CSV or Parquet");
  verb.flag("--delta", arguments->delta, "only what was new in it");
  verb.runs([arguments](const Common& common) { return run(*arguments, common); });
}

}  // namespace throng::cli
