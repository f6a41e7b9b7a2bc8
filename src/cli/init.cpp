// throng init DIR --policy POLICY [--strategy STRATEGY] [--key-file FILE]
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/publication.h"
#include "throng/error.h"

namespace throng::cli {
namespace {

struct Arguments {
  PublicationArguments publication;
  std::string policy, strategy;
};

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
                    "{} BATCH -o OUTPUT` goes on with it",
                    arguments.publication.folder, arguments.publication.folder));
  }
  if (common.json) {
    print_json({{"publication", arguments.publication.folder}, {"policy", what}});
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
  const Strategy strategy =
      arguments.strategy.empty() ? Strategy::append : strategy_named(arguments.strategy);
  const std::string key_file = key_file_or_default(arguments.publication.key_file);
  Ledger::create(folder, arguments.policy, strategy, key_file);
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
  say(common,
      fmt::format("{}: a publication, strategy {}{}; next: throng release {} BATCH -o OUTPUT",
                  folder, name_of(strategy), key_file.empty() ? "" : ", encrypted", folder));
  return 0;
}

}  // namespace

void add_init(Program& program) {
  auto arguments = std::make_shared<Arguments>();
  Verb verb = program.verb("init", "begin a publication, or give it a stricter policy");
  arguments->publication.add_to(verb);
  verb.option("--policy", arguments->policy, "the policy, a YAML file");
  verb.optional("--strategy", arguments->strategy,
                "append (default), dynamic, static-full or static-batch");
  verb.runs([arguments](const Common& common) { return run(*arguments, common); });
}

}  // namespace throng::cli
