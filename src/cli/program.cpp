#include "cli/program.h"

#include <tbb/global_control.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "policy/policy.h"
#include "throng/error.h"
#include "throng/throng.h"

namespace throng::cli {
namespace {

// A verb that there is none of gets the nearest one.
void refuse_unknown_verb(const CLI::App& app, const std::string& word) {
  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands({})) verbs.push_back(verb->get_name());
  const bool known = std::find(verbs.begin(), verbs.end(), word) != verbs.end();
  if (known || word.starts_with("-")) return;
  const auto meant = nearest(word, verbs);
  throw InputError("unknown verb '" + word + "'; " +
                   (meant ? "did you mean '" + *meant + "'? " : "") + "`throng --help` lists them");
}

std::string not_negative(const std::string& text) {
  return text.starts_with("-") ? "is '" + text + "'; expected a whole number of at least 0" : "";
}

}  // namespace

void Verb::argument(const std::string& name, std::string& value, const std::string& help,
                    const std::vector<std::string>& words) {
  CLI::Option* option = app_.add_option(name, value, help)->required();
  if (!words.empty()) option->check(CLI::IsMember(words));
}

void Verb::option(const std::string& flags, std::string& value, const std::string& help) {
  app_.add_option(flags, value, help)->required();
}

void Verb::optional_argument(const std::string& name, std::string& value, const std::string& help) {
  app_.add_option(name, value, help);
}

void Verb::repeated(const std::string& flags, std::vector<std::string>& values,
                    const std::string& help) {
  app_.add_option(flags, values, help)->allow_extra_args(false);
}

void Verb::optional(const std::string& flags, std::string& value, const std::string& help) {
  app_.add_option(flags, value, help);
}

void Verb::seconds(const std::string& flags, double& value, const std::string& help) {
  app_.add_option(flags, value, help)->check(CLI::Range(0.0, 1e9));
}

void Verb::count(const std::string& flags, std::size_t& value, std::size_t most,
                 const std::string& help) {
  app_.add_option(flags, value, help)->required()->check(CLI::Range(std::size_t{1}, most));
}

void Verb::arguments(const std::string& name, std::vector<std::string>& values,
                     const std::string& help) {
  app_.add_option(name, values, help);
}

void Verb::number(const std::string& flags, double& value, double least, double most,
                  const std::string& help) {
  app_.add_option(flags, value, help)->check(CLI::Range(least, most));
}

void Verb::optional_count(const std::string& flags, std::size_t& value, std::size_t most,
                          const std::string& help) {
  app_.add_option(flags, value, help)->check(CLI::Range(std::size_t{0}, most));
}

void Verb::flag(const std::string& flags, bool& value, const std::string& help) {
  app_.add_flag(flags, value, help);
}

void Verb::runs(std::function<int(const Common&)> work) {
  app_.callback(
      [this_program = &program_, work = std::move(work)] { this_program->chosen_ = work; });
}

Program::Program()
    : app_(std::make_unique<CLI::App>(
          "Throng anonymizes tables of people that are published more than once.")) {
  app_->name("throng");
  app_->set_version_flag("--version", "throng " + std::string(version()));
  app_->require_subcommand(1);
}

Program::~Program() = default;

Verb Program::verb(const std::string& name, const std::string& help) {
  CLI::App* verb = app_->add_subcommand(name, help);
  verb->add_flag("--json", common_.json, "print one JSON object and nothing else");
  verb->add_option("--threads", common_.threads, "threads to use (default: all cores)")
      ->check(CLI::Range(1, 4096));
  verb->add_option("--seed", common_.seed, "seed of everything random (default: 0)")
      ->check(not_negative);
  verb->add_flag("--quiet", common_.quiet, "print nothing but warnings and errors");
  return {*verb, *this};
}

int Program::run(int argc, char** argv) {
  if (argc > 1) refuse_unknown_verb(*app_, argv[1]);
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app_->exit(error);  // --help, --version
    throw InputError(std::string(error.what()) +
                     "; `throng --help` and `throng VERB --help` tell more");
  }
  std::unique_ptr<tbb::global_control> limit;
  if (common_.threads > 0) {
    limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                  common_.threads);
  }
  return chosen_(common_);
}

}  // namespace throng::cli
