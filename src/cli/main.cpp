// The program: picks the verb, and is the one place where errors end.
#include <tbb/global_control.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>

#include "cli/common.h"
#include "policy/policy.h"
#include "throng/error.h"

namespace {

using throng::cli::complain;

constexpr int kInternal = 1, kBadInput = 2, kNotPrivate = 3;

int guarded(const throng::cli::Chosen& run) {
  try {
    return run();
  } catch (const throng::InputError& error) {
    complain(error.what());
    return kBadInput;
  } catch (const throng::PrivacyError& error) {
    complain(error.what());
    return kNotPrivate;
  } catch (const std::bad_alloc&) {
    complain("out of memory; nothing was written");
    return kInternal;
  } catch (const std::exception& error) {
    complain(std::string("internal error, please report it: ") + error.what());
    return kInternal;
  }
}

// A verb that there is none of gets the nearest one.
bool is_unknown_verb(const CLI::App& app, const std::string& word) {
  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands({})) verbs.push_back(verb->get_name());
  if (word.starts_with("-") || std::find(verbs.begin(), verbs.end(), word) != verbs.end())
    return false;
  const auto meant = throng::nearest(word, verbs);
  complain("unknown verb '" + word + "'; " + (meant ? "did you mean '" + *meant + "'? " : "") +
           "`throng --help` lists them");
  return true;
}

int run(int argc, char** argv) {
  CLI::App app{"Throng anonymizes tables of people that are published more than once."};
  app.name("throng");
  app.set_version_flag("--version", std::string("throng ") + THRONG_VERSION);
  app.require_subcommand(1);
  throng::cli::Common common;
  throng::cli::Chosen chosen;
  throng::cli::add_draft(app, common, chosen);
  throng::cli::add_anonymize(app, common, chosen);
  throng::cli::add_evaluate(app, common, chosen);
  throng::cli::add_generate(app, common, chosen);
  if (argc > 1 && is_unknown_verb(app, argv[1])) return kBadInput;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool asked = error.get_exit_code() == 0;  // --help, --version
    if (asked) return app.exit(error);
    complain(std::string(error.what()) + "; `throng --help` and `throng VERB --help` tell more");
    return kBadInput;
  }
  std::unique_ptr<tbb::global_control> limit;
  if (common.threads > 0) {
    limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                  common.threads);
  }
  const int status = chosen();
  if (std::fflush(stdout) != 0) {
    complain("standard output cannot be written; what was asked for is done, but not reported");
    return kInternal;
  }
  return status;
}

}  // namespace

// What guarded() lets through is memory that is not there to complain with.
int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape)
  return guarded([&] { return run(argc, argv); });
}
