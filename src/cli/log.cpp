// throng log DIR
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/publication.h"

namespace throng::cli {
namespace {

int run(const PublicationArguments& arguments, const Common& common) {
  io::Session session(common.threads);
  Publication publication = arguments.open(Ledger::Access::read, "log", session);
  nlohmann::ordered_json object;
  object["log"] = nlohmann::ordered_json::array();
  if (!common.json) {
    for (const std::string& note : publication.notes()) warn(note);
  }
  for (const auto& [date, text] : publication.log()) {
    object["log"].push_back({{"date", date}, {"text", text}});
    say(common, fmt::format("{}  {}", date, text));
  }
  if (common.json) print_json(object);
  return 0;
}

}  // namespace

void add_log(Program& program) {
  auto arguments = std::make_shared<PublicationArguments>();
  Verb verb = program.verb("log", "what happened to a publication, line by line");
  arguments->add_to(verb);
  verb.runs([arguments](const Common& common) { return run(*arguments, common); });
}

}  // namespace throng::cli
