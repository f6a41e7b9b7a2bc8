// throng release DIR BATCH -o OUTPUT [--delta] [--again] [--accept-exposed] [--wait SECONDS]
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/publication.h"
#include "io/reader.h"
#include "io/source.h"
#include "io/writer.h"
#include "publication/manifest.h"
#include "throng/error.h"

namespace throng::cli {
namespace {

struct Arguments {
  PublicationArguments publication;
  std::string batch, output;
  bool delta = false, again = false, accept_exposed = false;
};

Batch read_batch(const std::string& source, const Policy& policy, io::Session& session) {
  const std::vector<std::string> names = io::read_names(source, session);
  std::vector<io::Wanted> wanted;
  for (const ColumnPolicy* column : released_columns(policy, names, source)) {
    wanted.push_back({column->name, column->type, missing_rule(policy, *column)});
  }
  if (policy.key) {
    if (std::find(names.begin(), names.end(), *policy.key) == names.end()) {
      throw InputError(fmt::format("{}: has no column '{}', which the policy names as the key",
                                   source, *policy.key));
    }
    wanted.push_back({*policy.key, {}, {.values = {""}, .as = MissingRule::As::error}});
  }
  Batch batch;
  batch.table = io::read_table(source, wanted, session, /*may_be_empty=*/true);
  if (policy.key) {
    const Column& keys = batch.table.columns.back();
    batch.keys.reserve(batch.table.rows);
    for (std::size_t row = 0; row < batch.table.rows; ++row) {
      batch.keys.push_back(keys.values.labels[keys.codes[row]]);
    }
    batch.table.columns.pop_back();
  }
  const io::Source parsed = io::parse_source(source);
  if (parsed.kind != io::Source::Kind::database) batch.mark = sha256_of_file(parsed.path);
  return batch;
}

std::string sentence(const Released& released) {
  const ReleaseRecord& record = released.record;
  return fmt::format("release {}: {} newly published, {} in all, {} wait", record.number,
                     with_commas(static_cast<std::uint64_t>(record.new_records)),
                     with_commas(static_cast<std::uint64_t>(record.published)),
                     with_commas(static_cast<std::uint64_t>(record.waiting)));
}

int run(const Arguments& arguments, const Common& common) {
  io::Session session(common.threads);
  Publication publication = arguments.publication.open(Ledger::Access::write, "release", session);
  for (const std::string& note : publication.notes()) warn(note);
  io::check_output(arguments.output, {".csv", ".parquet"}, {arguments.batch});
  io::check_output(manifest_path(arguments.output), {".json"}, {arguments.batch});
  publication.ledger().vault();  // a missing key is said before the batch is read

  Progress progress(common, {"reading", "releasing"});
  Stopwatch watch;
  Batch batch = read_batch(arguments.batch, publication.policy(), session);
  const std::size_t came = batch.table.rows;
  const double read = watch.lap();
  progress.next();
  const Released released = publication.release(
      std::move(batch),
      {arguments.output, arguments.delta, arguments.again, common.seed, arguments.accept_exposed});
  progress.done();

  const ReleaseRecord& record = released.record;
  const Strategy strategy = publication.ledger().strategy();
  std::vector<std::string> warnings;
  if (strategy == Strategy::static_full) {
    warnings.emplace_back(
        "static-full is unsafe: this release and the earlier ones together may give records away");
  }
  if (released.twin > 0) {
    warnings.push_back(fmt::format(
        "{} has the very bytes of the batch of release {}: if these are the same records, they are "
        "now published twice; name a `key:` in the policy to rule that out",
        arguments.batch, released.twin));
  }
  if (record.exposed > 0) {
    warnings.push_back(fmt::format(
        "rules that were not known before expose {} record{} in {} class{} published earlier; that "
        "was accepted, and is recorded",
        with_commas(static_cast<std::uint64_t>(record.exposed)), record.exposed == 1 ? "" : "s",
        with_commas(static_cast<std::uint64_t>(record.exposed_classes)),
        record.exposed_classes == 1 ? "" : "es"));
  }
  for (const std::string& warning : warnings) warn(warning);
  if (common.json) {
    nlohmann::ordered_json object = nlohmann::ordered_json::parse(record.manifest);
    object["batch"] = arguments.batch;
    object["output_path"] = arguments.output;
    object["repeated"] = released.repeated;
    object["notes"] = publication.notes();
    object["warnings"] = warnings;
    object["seconds"] = {
        {"read", read}, {"update", released.update_seconds}, {"write", released.write_seconds}};
    object["peak_memory_bytes"] = peak_memory_bytes();
    print_json(object);
    return 0;
  }
  if (released.repeated) {
    say(common, fmt::format("{} was already taken by release {}, and {} is its output; it is not "
                            "taken a second time (--again if it should be)",
                            arguments.batch, record.number, arguments.output));
    return 0;
  }
  say(common, fmt::format("{} -> {} by {}", arguments.batch, arguments.output, name_of(strategy)));
  say(common, "  " + sentence(released));
  if (came == 0) {
    say(common, "  the batch has no records: nothing new came");
  } else if (record.new_records == 0) {
    say(common, "  nothing could be published safely yet: all new records wait for company");
  }
  if (record.dropped > 0)
    say(common, fmt::format("  {} records dropped for a missing value", record.dropped));
  Figures figures = released.figures;
  figures.suppressed = static_cast<std::size_t>(record.waiting);
  say(common, figures_table(figures, publication.policy()));
  say(common,
      fmt::format("  {:.2f} s: read {:.2f}, update {:.2f}, write {:.2f}; {} MiB at most",
                  read + released.update_seconds + released.write_seconds, read,
                  released.update_seconds, released.write_seconds, peak_memory_bytes() >> 20));
  return 0;
}

}  // namespace

void add_release(Program& program) {
  auto arguments = std::make_shared<Arguments>();
  Verb verb = program.verb("release", "publish a new batch, safely together with all before it");
  arguments->publication.add_to(verb);
  verb.argument("BATCH", arguments->batch,
                "the new records: CSV, Parquet or JSON lines, or FILE.duckdb:TABLE");
  verb.option("-o,--output", arguments->output, "the release, CSV or Parquet");
  verb.flag("--delta", arguments->delta, "write only what is new in this release");
  verb.flag("--again", arguments->again,
            "take the batch even if the last release took the very same file to the same output");
  verb.flag("--accept-exposed", arguments->accept_exposed,
            "let it out though rules that became known expose people published before");
  verb.seconds("--wait", arguments->publication.wait,
               "how long to wait for another writer (default: 30)");
  verb.runs([arguments](const Common& common) { return run(*arguments, common); });
}

}  // namespace throng::cli
