// throng export DIR --release N -o OUTPUT [--delta]
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/publication.h"
#include "io/writer.h"

namespace throng::cli {
namespace {

struct Arguments {
  PublicationArguments publication;
  std::size_t release = 0;
  std::string output;
  bool delta = false;
};

int run(const Arguments& arguments, const Common& common) {
  io::Session session(common.threads);
  Publication publication = arguments.publication.open(Ledger::Access::read, "export", session);
  for (const std::string& note : publication.notes()) warn(note);
  io::check_output(arguments.output, {".csv", ".parquet"},
                   {arguments.publication.folder + "/ledger.db"});
  publication.export_release(static_cast<std::int64_t>(arguments.release), arguments.output,
                             arguments.delta);
  if (common.json) {
    print_json({{"release", arguments.release}, {"output", arguments.output}});
    return 0;
  }
  say(common, fmt::format("{}: release {} -> {}", arguments.publication.folder, arguments.release,
                          arguments.output));
  return 0;
}

}  // namespace

void add_export(Program& program) {
  auto arguments = std::make_shared<Arguments>();
  Verb verb = program.verb("export", "write any earlier release again");
  arguments->publication.add_to(verb);
  constexpr std::size_t kMostReleases = 1000000000;
  verb.count("--release", arguments->release, kMostReleases, "its number");
  verb.option("-o,--output", arguments->output, "the release, CSV or Parquet");
  verb.flag("--delta", arguments->delta, "only what was new in it");
  verb.runs([arguments](const Common& common) { return run(*arguments, common); });
}

}  // namespace throng::cli
