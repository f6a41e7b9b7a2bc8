// The program: its verbs, and the one place where errors end.
#include <cstdio>
#include <exception>
#include <new>

#include "cli/common.h"
#include "throng/error.h"

namespace {

using throng::cli::complain;

constexpr int kInternal = 1, kBadInput = 2, kNotPrivate = 3;

int run(int argc, char** argv) {
  throng::cli::Program program;
  throng::cli::add_draft(program);
  throng::cli::add_anonymize(program);
  throng::cli::add_init(program);
  throng::cli::add_release(program);
  throng::cli::add_status(program);
  throng::cli::add_log(program);
  throng::cli::add_verify(program);
  throng::cli::add_export(program);
  throng::cli::add_apply(program);
  throng::cli::add_audit(program);
  throng::cli::add_mine(program);
  throng::cli::add_evaluate(program);
  throng::cli::add_generate(program);
  const int status = program.run(argc, argv);
  if (std::fflush(stdout) != 0) {
    complain("standard output cannot be written; what was asked for is done, but not reported");
    return kInternal;
  }
  return status;
}

}  // namespace

// What is let through is memory that is not there to complain with.
int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape)
  try {
    return run(argc, argv);
  } catch (const throng::InputError& error) {
    complain(error.what());
    return kBadInput;
  } catch (const throng::PrivacyError& error) {
    complain(error.what());
    return kNotPrivate;
  } catch (const std::bad_alloc&) {
    complain("out of memory; nothing was written");
  } catch (const std::exception& error) {
    complain(std::string("internal error, please report it: ") + error.what());
  }
  return kInternal;
}
