#include "cli/anonymize_buckets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "api/bucketed.h"
#include "cli/foreign_input.h"
#include "io/bucket_writer.h"
#include "io/source.h"
#include "io/writer.h"
#include "throng/error.h"

namespace throng::cli {
namespace {

// The files that will be written. Throws InputError where they could not be.
std::vector<std::string> output_files(const Policy& policy, const std::string& input,
                                      const std::string& output) {
  std::vector<std::string> inputs = hierarchy_files(policy);
  inputs.insert(inputs.end(), {input, policy.source});
  if (policy.knowledge && policy.knowledge->rules) inputs.push_back(*policy.knowledge->rules);
  if (policy.buckets.layout == BucketRules::Layout::permuted) {
    io::check_output(output, {".csv", ".parquet"}, inputs);
    return {output};
  }
  if (io::lower(std::filesystem::path(output).extension().string()) == ".parquet") {
    throw InputError(output +
                     ": the two tables of buckets are written as CSV; expected .csv, or `layout: "
                     "permuted` in the policy");
  }
  io::check_output(output, {".csv"}, inputs);
  const BucketFiles files = bucket_files(output);
  io::check_output(files.qit, {".csv"}, inputs);
  io::check_output(files.st, {".csv"}, inputs);
  std::error_code error;
  if (std::filesystem::exists(output, error)) {
    throw InputError(fmt::format(
        "{}: is there already, and would be read in place of {} and {}; remove it, or give another "
        "name",
        output, files.qit, files.st));
  }
  return {files.qit, files.st};
}

std::string figures_of(const CheckedBuckets& checked, const Policy& policy) {
  std::string text;
  const auto line = [&](const std::string& name, const std::string& value,
                        const std::string& meaning) {
    text += fmt::format("{}  {:<22} {:>12}{}{}", text.empty() ? "" : "\n", name, value,
                        meaning.empty() ? "" : "   ", meaning);
  };
  const Buckets& buckets = checked.release.buckets;
  const std::size_t suppressed = checked.release.suppressed;
  line("records in", with_commas(buckets.rows() + suppressed),
       checked.dropped == 0 ? ""
                            : with_commas(checked.dropped) + " more dropped for a missing value");
  line("records out", with_commas(buckets.rows()),
       suppressed == 0 ? "none left out" : with_commas(suppressed) + " left out");
  line("buckets", with_commas(buckets.groups.size()),
       fmt::format("of {} to {} records", with_commas(checked.sizes.smallest),
                   with_commas(checked.sizes.largest)));
  const bool injected = policy.algorithm == Algorithm::injector;
  if (injected) {
    line("rules", with_commas(checked.stated + checked.mined),
         fmt::format("{} stated, {} mined that say more", with_commas(checked.stated),
                     with_commas(checked.mined)));
  }
  line("l of " + buckets.sensitive, with_commas(checked.attack.least_valid),
       fmt::format("{} values for the record that has the fewest; the policy asks for {}",
                   injected ? "valid" : "distinct", checked.l));
  line("largest share", fmt::format("{:.4f}", checked.sizes.largest_share),
       "of one value in a bucket");
  return text;
}

}  // namespace

int anonymize_to_buckets(const Policy& policy, const std::string& input, const std::string& output,
                         const Common& common) {
  const std::vector<std::string> files = output_files(policy, input, output);
  Progress progress(common, {"reading", "anonymizing", "writing"});
  Stopwatch watch;
  io::Session session(common.threads);
  Table table = read_released(input, policy, session);
  const double read = watch.lap();
  progress.next();
  const CheckedBuckets checked = bucketize_checked(std::move(table), policy, common.seed);
  const double anonymize = watch.lap();
  progress.next();
  if (files.size() == 1) {
    io::write_permuted(checked.release, common.seed, files[0], session);
  } else {
    io::write_bucket_tables(checked.release, files[0], files[1], session);
  }
  const double written = watch.lap();
  progress.done();

  for (const std::string& warning : checked.warnings) warn(warning);
  const Buckets& buckets = checked.release.buckets;
  if (common.json) {
    nlohmann::ordered_json object;
    object["rows_in"] = buckets.rows() + checked.release.suppressed;
    object["rows_out"] = buckets.rows();
    object["suppressed"] = checked.release.suppressed;
    object["dropped"] = checked.dropped;
    object["buckets"] = buckets.groups.size();
    object["smallest_bucket"] = checked.sizes.smallest;
    object["largest_bucket"] = checked.sizes.largest;
    object["largest_share"] = checked.sizes.largest_share;
    object["l"] = {{buckets.sensitive, checked.sizes.distinct}};
    object["valid_values"] = checked.attack.least_valid;
    object["rules"] = {{"stated", checked.stated}, {"mined", checked.mined}};
    object["algorithm"] = name_of(policy.algorithm);
    object["output"] = output;
    object["files"] = files;
    object["warnings"] = checked.warnings;
    object["seconds"] = {{"read", read},
                         {"anonymize", anonymize},
                         {"mine", checked.seconds.mine},
                         {"bucketize", checked.seconds.bucketize},
                         {"check", checked.seconds.check},
                         {"write", written}};
    object["peak_memory_bytes"] = peak_memory_bytes();
    print_json(object);
    return 0;
  }
  say(common,
      fmt::format("{} -> {} by {}", input, fmt::join(files, ", "), name_of(policy.algorithm)));
  say(common, figures_of(checked, policy));
  say(common,
      fmt::format("  {:.2f} s: read {:.2f}, mine {:.2f}, bucketize {:.2f}, check {:.2f}, write "
                  "{:.2f}; {} MiB at most",
                  read + anonymize + written, read, checked.seconds.mine, checked.seconds.bucketize,
                  checked.seconds.check, written, peak_memory_bytes() >> 20));
  return 0;
}

}  // namespace throng::cli
