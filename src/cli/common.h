// What all verbs share: their common options, how they speak, and how they read a table.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/program.h"
#include "io/session.h"
#include "policy/policy.h"
#include "table/table.h"
#include "throng/throng.h"

namespace throng::cli {

// The verbs, one file each.
void add_anonymize(Program& program);
void add_apply(Program& program);
void add_audit(Program& program);
void add_draft(Program& program);
void add_evaluate(Program& program);
void add_export(Program& program);
void add_generate(Program& program);
void add_init(Program& program);
void add_log(Program& program);
void add_mine(Program& program);
void add_release(Program& program);
void add_status(Program& program);
void add_verify(Program& program);

// Standard output, for people (not with --json or --quiet) and for programs.
void say(const Common& common, const std::string& text);
void print_json(const nlohmann::ordered_json& object);
// Standard error, one line: "warning: …", "throng: …". Line ends in the text are shown as \n.
void warn(const std::string& text);
void complain(const std::string& text);

class Stopwatch {
 public:
  // Seconds since it was made, or since the last lap.
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> passed = now - last_;
    last_ = now;
    return passed.count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// On a terminal, after a second of work: the step that is under way and how long it has taken.
class Progress {
 public:
  Progress(const Common& common, std::vector<std::string> steps);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // The next step begins.
  void next();
  // Work is over: the bar goes, what is printed next has the line for itself.
  void done();

 private:
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

// The files that a policy's hierarchies are in.
std::vector<std::string> hierarchy_files(const Policy& policy);

// The released columns of a table as the policy types them.
Table read_released(const std::string& source, const Policy& policy, io::Session& session);

// The key file of a publication: as given, or $THRONG_KEY_FILE, or "".
std::string key_file_or_default(const std::string& given);

std::uint64_t peak_memory_bytes();

// The figures as members of an object, in the order of DESIGN.
// `l` and `diversity` of the sensitive columns.
void add_diversity(nlohmann::ordered_json& object, const std::vector<DiversityFigures>& diversity);
void add_figures(nlohmann::ordered_json& object, const Figures& figures);
// The same as a short table for people.
// "; the policy asks for distinct l = 3", or nothing.
std::string asked_of(const Policy& policy, const DiversityFigures& column);
std::string figures_table(const Figures& figures, const Policy& policy);

// 1234567 as 1,234,567.
std::string with_commas(std::uint64_t number);

}  // namespace throng::cli
