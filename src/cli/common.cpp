#include "cli/common.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "io/reader.h"

namespace throng::cli {

void say(const Common& common, const std::string& text) {
  if (!common.json && !common.quiet) fmt::print("{}\n", text);
}

void print_json(const nlohmann::ordered_json& object) {
  // Values may hold bytes that are no UTF-8 (a path, say): those are replaced, never thrown about.
  fmt::print("{}\n", object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

namespace {

// Never throws: where standard error is gone, there is nobody to tell.
void print_error(const char* kind, const std::string& text) {
  std::string line = kind;
  for (const char character : text) {
    const auto code = static_cast<unsigned char>(character);
    if (character == '\n') {
      line += "\\n";
    } else if (code < 0x20 || code == 0x7F) {
      line += ' ';  // nor may a value from a file move the cursor of a terminal
    } else {
      line += character;
    }
  }
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace

void warn(const std::string& text) { print_error("warning: ", text); }
void complain(const std::string& text) { print_error("throng: ", text); }

struct Progress::Shared {
  std::vector<std::string> steps;
  std::atomic<std::size_t> step{0};
  std::mutex mutex;
  std::condition_variable stopped;
  bool stop = false;
  bool shown = false;
  std::thread thread;

  void run() {
    using namespace std::chrono_literals;
    constexpr int kWidth = 24;
    const auto start = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex);
    auto pause = 1000ms;
    while (!stopped.wait_for(lock, pause, [this] { return stop; })) {
      pause = 100ms;
      shown = true;
      const std::size_t now = std::min(step.load(), steps.size() - 1);
      const int done = static_cast<int>(kWidth * now / steps.size());
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
      fmt::print(stderr, "\r[{:=>{}}{:<{}}] {:<12} {:.1f} s ", ">", done + 1, "", kWidth - done,
                 steps[now], passed.count());
      std::fflush(stderr);
    }
    if (shown) fmt::print(stderr, "\r\033[K");
  }
};

Progress::Progress(const Common& common, std::vector<std::string> steps) {
  if (common.quiet || common.json || isatty(STDERR_FILENO) == 0) return;
  shared_ = std::make_unique<Shared>();
  shared_->steps = std::move(steps);
  shared_->thread = std::thread([this] { shared_->run(); });
}

Progress::~Progress() { done(); }

void Progress::done() {
  if (!shared_) return;
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->stop = true;
  }
  shared_->stopped.notify_all();
  shared_->thread.join();
  shared_.reset();
}

void Progress::next() {
  if (shared_) ++shared_->step;
}

std::vector<std::string> hierarchy_files(const Policy& policy) {
  std::vector<std::string> files;
  for (const ColumnPolicy& column : policy.columns) {
    if (const auto* file = std::get_if<HierarchyFile>(&column.generalization.hierarchy)) {
      files.push_back(path_of(column.generalization, *file));
    }
  }
  return files;
}

Table read_released(const std::string& source, const Policy& policy, io::Session& session) {
  std::vector<io::Wanted> wanted;
  for (const ColumnPolicy* column :
       released_columns(policy, io::read_names(source, session), source)) {
    wanted.push_back({column->name, column->type, missing_rule(policy, *column)});
  }
  return io::read_table(source, wanted, session);
}

std::string key_file_or_default(const std::string& given) {
  if (!given.empty()) return given;
  const char* file = std::getenv("THRONG_KEY_FILE");  // NOLINT(concurrency-mt-unsafe)
  return file == nullptr ? "" : file;
}

std::uint64_t peak_memory_bytes() {
  // Linux counts what the parent had when it forked into ru_maxrss; this is ours alone.
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) * 1024;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

void add_diversity(nlohmann::ordered_json& object, const std::vector<DiversityFigures>& diversity) {
  object["l"] = nlohmann::ordered_json::object();
  object["diversity"] = nlohmann::ordered_json::object();
  for (const DiversityFigures& column : diversity) {
    object["l"][column.column] = column.distinct;
    object["diversity"][column.column] = {{"distinct", column.distinct},
                                          {"frequency", column.frequency},
                                          {"entropy", column.entropy}};
  }
}

void add_figures(nlohmann::ordered_json& object, const Figures& figures) {
  object["rows_in"] = figures.rows_in;
  object["rows_out"] = figures.rows_out;
  object["suppressed"] = figures.suppressed;
  object["dropped"] = figures.dropped;
  object["classes"] = figures.classes;
  object["k"] = figures.k;
  add_diversity(object, figures.diversity);
  if (figures.matching) {
    object["matching"] = {{"column", figures.matching->column},
                          {"rules", figures.matching->rules},
                          {"stated", figures.matching->stated},
                          {"valid", figures.matching->valid}};
  }
  object["average_class_size"] = figures.average_class_size;
  object["information_loss"] = figures.information_loss;
  object["gcp"] = figures.gcp;
  object["discernibility"] = figures.discernibility;
}

std::string with_commas(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string asked_of(const Policy& policy, const DiversityFigures& column) {
  std::string asked;
  for (const Diversity& diversity : policy.diversities) {
    if (diversity.column != column.column) continue;
    asked +=
        fmt::format("; the policy asks for {} l = {}", name_of(diversity.variant), diversity.l);
  }
  return asked;
}

std::string figures_table(const Figures& figures, const Policy& policy) {
  std::string text;
  const auto line = [&](const std::string& name, const std::string& value,
                        const std::string& meaning) {
    text +=
        fmt::format("  {:<22} {:>12}{}{}\n", name, value, meaning.empty() ? "" : "   ", meaning);
  };
  line("records in", with_commas(figures.rows_in),
       figures.dropped == 0 ? ""
                            : with_commas(figures.dropped) + " more dropped for a missing value");
  line("records out", with_commas(figures.rows_out),
       figures.suppressed == 0 ? "none left out" : with_commas(figures.suppressed) + " left out");
  line("classes", with_commas(figures.classes),
       fmt::format("{:.1f} records each on average", figures.average_class_size));
  line("k", with_commas(figures.k),
       fmt::format("records in the smallest class; the policy asks for {}", policy.k));
  for (const DiversityFigures& column : figures.diversity) {
    line("l of " + column.column, std::to_string(column.distinct),
         fmt::format("distinct values in the least diverse class{}", asked_of(policy, column)));
  }
  if (figures.matching && policy.matching) {
    line("valid values", std::to_string(figures.matching->valid),
         fmt::format("of {} at least, for an attacker who knows {} rule{}; the policy asks for {}",
                     figures.matching->column, with_commas(figures.matching->rules),
                     figures.matching->rules == 1 ? "" : "s", policy.matching->l));
  }
  line("information loss", fmt::format("{:.4f}", figures.information_loss),
       fmt::format("a record; {:.2f}% of each cell on average", 100 * figures.gcp));
  text.pop_back();
  return text;
}

}  // namespace throng::cli
