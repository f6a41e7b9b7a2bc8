// throng verify DIR, throng verify --manifest FILE
#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "cli/publication.h"
#include "publication/manifest.h"
#include "publication/verify.h"
#include "throng/error.h"

namespace throng::cli {
namespace {

constexpr int kHolds = 0, kBroken = 3;

struct Arguments {
  PublicationArguments publication;
  std::string manifest;
};

int report(const Verification& found, const std::string& what, const Common& common) {
  if (common.json) {
    nlohmann::ordered_json object = {{"verified", what},
                                     {"holds", found.broken.empty()},
                                     {"checks", found.checks},
                                     {"broken", found.broken}};
    object["exposed_by_all_releases"] = nullptr;
    if (found.exposed) object["exposed_by_all_releases"] = *found.exposed;
    print_json(object);
  }
  for (const std::string& text : found.checks) say(common, "  holds: " + text);
  for (const std::string& text : found.broken) complain(text);
  if (found.exposed.value_or(0) > 0) {
    warn(
        fmt::format("an attacker who uses all releases at once leaves at least {} records with "
                    "fewer than l possible values: dynamic guards against two at a time; append "
                    "against all",
                    *found.exposed));
  }
  say(common, fmt::format("{}: {}", what,
                          found.broken.empty() ? "everything holds" : "NOT everything holds"));
  return found.broken.empty() ? kHolds : kBroken;
}

int run(const Arguments& arguments, const Common& common) {
  io::Session session(common.threads);
  if (!arguments.manifest.empty() && arguments.publication.folder.empty()) {
    Verification found;
    found.broken = check_manifest(arguments.manifest, session);
    if (found.broken.empty()) {
      found.checks.emplace_back(
          "the output is the one that the manifest describes, with its rows, "
          "classes, k and l");
    }
    return report(found, arguments.manifest, common);
  }
  if (!arguments.manifest.empty() || arguments.publication.folder.empty()) {
    throw InputError(
        "verify takes a publication's folder, or --manifest FILE; expected one of them");
  }
  // Nothing may change while it is checked; where nothing can, no lock is needed.
  const bool writable = ::access(arguments.publication.folder.c_str(), W_OK) == 0;
  Publication publication = arguments.publication.open(
      writable ? Ledger::Access::write : Ledger::Access::read, "verify", session);
  publication.ledger().vault();
  for (const std::string& note : publication.notes()) warn(note);
  return report(verify(publication, session), arguments.publication.folder, common);
}

}  // namespace

void add_verify(Program& program) {
  auto arguments = std::make_shared<Arguments>();
  Verb verb = program.verb("verify", "check everything a publication promises, from its ledger");
  verb.optional_argument("DIR", arguments->publication.folder, "the publication's folder");
  verb.optional("--key-file", arguments->publication.key_file,
                "the key of an encrypted publication (default: $THRONG_KEY_FILE)");
  verb.seconds("--wait", arguments->publication.wait,
               "how long to wait for a writer (default: 30)");
  verb.optional("--manifest", arguments->manifest, "check one output against its manifest instead");
  verb.runs([arguments](const Common& common) { return run(*arguments, common); });
}

}  // namespace throng::cli
