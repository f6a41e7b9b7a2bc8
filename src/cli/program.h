// The command line: verbs with their arguments. Only program.cpp knows CLI11, which is slow to
// compile.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): theirs
class App;
}

namespace throng::cli {

// What every verb takes.
struct Common {
  bool json = false;
  bool quiet = false;
  unsigned threads = 0;
  std::uint64_t seed = 0;
};

class Program;

// A verb in the making. What it is given to fill must live as long as what it runs.
class Verb {
 public:
  // A word by its place; where there are `words`, one of them.
  void argument(const std::string& name, std::string& value, const std::string& help,
                const std::vector<std::string>& words = {});
  // A word that may be left out.
  void optional_argument(const std::string& name, std::string& value, const std::string& help);
  // Words, as many as there are.
  void arguments(const std::string& name, std::vector<std::string>& values,
                 const std::string& help);
  // An option that must be given.
  void option(const std::string& flags, std::string& value, const std::string& help);
  // One that may be given any number of times.
  void repeated(const std::string& flags, std::vector<std::string>& values,
                const std::string& help);
  // One that may be left out.
  void optional(const std::string& flags, std::string& value, const std::string& help);
  // A number of seconds, at least 0, that may be left out.
  void seconds(const std::string& flags, double& value, const std::string& help);
  // A whole number from 1 to `most` that must be given.
  void count(const std::string& flags, std::size_t& value, std::size_t most,
             const std::string& help);
  // A number between two others that may be left out.
  void number(const std::string& flags, double& value, double least, double most,
              const std::string& help);
  // A whole number that may be left out.
  void optional_count(const std::string& flags, std::size_t& value, std::size_t most,
                      const std::string& help);
  void flag(const std::string& flags, bool& value, const std::string& help);
  // What it does; the exit status is returned.
  void runs(std::function<int(const Common&)> work);

 private:
  friend class Program;
  Verb(CLI::App& app, Program& program) : app_(app), program_(program) {}

  CLI::App& app_;
  Program& program_;
};

class Program {
 public:
  Program();
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // A verb with --json, --threads, --seed and --quiet.
  Verb verb(const std::string& name, const std::string& help);

  // Runs the verb that was asked for, on as many threads as asked for. Bad usage is an InputError.
  int run(int argc, char** argv);

 private:
  friend class Verb;
  std::unique_ptr<CLI::App> app_;
  Common common_;
  std::function<int(const Common&)> chosen_;
};

}  // namespace throng::cli
