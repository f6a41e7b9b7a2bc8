// throng init DIR --policy POLICY [--strategy STRATEGY] [--key-file FILE]
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/publication.h"
#include "publication/kept_files.h"
#include "publication/sequential.h"
#include "throng/error.h"

namespace throng::cli {
namespace {

struct Arguments {
  PublicationArguments publication;
  std::string policy, strategy;
};

// What `release` takes.
const char* words_of_batch(Strategy strategy) {
  return strategy == Strategy::sequential ? "TABLE --as NAME" : "BATCH";
}

// Of a sequential publication: what is out was asked less, and nothing can be taken back.
std::vector<std::string> unmet_so_far(Publication& publication, io::Session& session) {
  const std::vector<ReleaseRecord> releases = publication.releases();
  if (publication.ledger().strategy() != Strategy::sequential || releases.empty()) return {};
  const DuePolicy due =
      due_policy(publication.policy(), releases.back().columns, columns_of(releases));
  if (due.policy.xy.empty()) return {};
  std::vector<ForeignFile> files;
  files.reserve(releases.size());
  for (const ReleaseRecord& record : releases)
    files.push_back(published_file(publication.ledger(), record, session));
  const JoinAudit found = audit_files(std::move(files), due.policy);
  std::vector<std::string> unmet;
  for (std::size_t i = 0; i < found.findings.size(); ++i) {
    if (found.findings[i].holds) continue;
    unmet.push_back(fmt::format(
        "what is out already does not meet it: {}; later releases may be refused for that",
        words_of(due.policy.xy[i], found.findings[i])));
  }
  return unmet;
}

// A publication that is there takes a stricter policy.
int tighten(const Arguments& arguments, const Common& common) {
  io::Session session(common.threads);
  Publication publication = arguments.publication.open(Ledger::Access::write, "init", session);
  for (const std::string& note : publication.notes()) warn(note);
  if (!arguments.strategy.empty() &&
      strategy_named(arguments.strategy) != publication.ledger().strategy()) {
    throw InputError(fmt::format("{}: is a publication already, with the strategy {}",
                                 arguments.publication.folder,
                                 name_of(publication.ledger().strategy())));
  }
  const std::string what = publication.ledger().adopt(arguments.policy);
  if (what.empty()) {
    throw InputError(
        fmt::format("{}: is a publication already, with this policy; `throng release "
                    "{} {} -o OUTPUT` goes on with it",
                    arguments.publication.folder, arguments.publication.folder,
                    words_of_batch(publication.ledger().strategy())));
  }
  const std::vector<std::string> warnings = unmet_so_far(publication, session);
  for (const std::string& warning : warnings) warn(warning);
  if (common.json) {
    print_json(
        {{"publication", arguments.publication.folder}, {"policy", what}, {"warnings", warnings}});
    return 0;
  }
  say(common, fmt::format("{}: from the next release on by {}: {}", arguments.publication.folder,
                          arguments.policy, what));
  return 0;
}

int run(const Arguments& arguments, const Common& common) {
  const std::string& folder = arguments.publication.folder;
  std::error_code error;
  if (std::filesystem::exists(folder + "/ledger.db", error)) return tighten(arguments, common);
  std::optional<Strategy> given;
  if (!arguments.strategy.empty()) given = strategy_named(arguments.strategy);
  const std::string key_file = key_file_or_default(arguments.publication.key_file);
  const Strategy strategy = Ledger::create(folder, arguments.policy, given, key_file);
  if (strategy == Strategy::static_full) {
    warn(
        "static-full is unsafe: it anonymizes everything anew each time, and differences between "
        "releases give records away; it is there to compare with");
  }
  if (common.json) {
    print_json({{"publication", folder},
                {"strategy", name_of(strategy)},
                {"encrypted", !key_file.empty()}});
    return 0;
  }
  say(common, fmt::format("{}: a publication, strategy {}{}; next: throng release {} {} -o OUTPUT",
                          folder, name_of(strategy), key_file.empty() ? "" : ", encrypted", folder,
                          words_of_batch(strategy)));
  return 0;
}

}  // namespace

void add_init(Program& program) {
  auto arguments = std::make_shared<Arguments>();
  Verb verb = program.verb("init", "begin a publication, or give it a stricter policy");
  arguments->publication.add_to(verb);
  verb.option("--policy", arguments->policy, "the policy, a YAML file");
  verb.optional("--strategy", arguments->strategy,
                "append, dynamic, static-full, static-batch or sequential (default: sequential for "
                "xy-anonymity and xy-linkability, else append)");
  verb.runs([arguments](const Common& common) { return run(*arguments, common); });
}

}  // namespace throng::cli
