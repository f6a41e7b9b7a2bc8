// The program: picks the verb, and is the one place where errors end.
#include <fmt/format.h>
#include <tbb/global_control.h>

#include <exception>
#include <memory>
#include <new>

#include "cli/common.h"
#include "throng/error.h"

namespace {

constexpr int kInternal = 1, kBadInput = 2, kNotPrivate = 3;

int guarded(const throng::cli::Chosen& run) {
  try {
    return run();
  } catch (const throng::InputError& error) {
    fmt::print(stderr, "throng: {}\n", error.what());
    return kBadInput;
  } catch (const throng::PrivacyError& error) {
    fmt::print(stderr, "throng: {}\n", error.what());
    return kNotPrivate;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "throng: out of memory; nothing was written\n");
    return kInternal;
  } catch (const std::exception& error) {
    fmt::print(stderr, "throng: internal error, please report it: {}\n", error.what());
    return kInternal;
  }
}

}  // namespace

int main(int argc, char** argv) {
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
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool asked = error.get_exit_code() == 0;  // --help, --version
    if (asked) return app.exit(error);
    fmt::print(stderr, "throng: {}; `throng --help` and `throng VERB --help` tell more\n",
               error.what());
    return kBadInput;
  }
  std::unique_ptr<tbb::global_control> limit;
  if (common.threads > 0) {
    limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                  common.threads);
  }
  return guarded(chosen);
}
