// throng release DIR BATCH -o OUTPUT [--as NAME] [--delta] [--again] [--accept-exposed] [--wait
// SECONDS]
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/audit_joins.h"
#include "cli/publication.h"
#include "io/reader.h"
#include "io/source.h"
#include "io/writer.h"
#include "publication/kept_files.h"
#include "publication/manifest.h"
#include "throng/error.h"

namespace throng::cli {
namespace {

struct Arguments {
  PublicationArguments publication;
  std::string batch, output, name;
  bool delta = false, again = false, accept_exposed = false;
};

// The policy as far as it is about a table of a sequential publication: one that has some of the
// columns.
Policy policy_of_table(Policy policy, const std::vector<std::string>& names,
                       const std::string& source) {
  std::erase_if(policy.columns, [&](const ColumnPolicy& column) {
    return std::find(names.begin(), names.end(), column.name) == names.end();
  });
  // A column that is not listed anywhere is the reader's to refuse.
  const bool all_known = policy.columns.size() == names.size();
  if (all_known &&
      std::all_of(policy.columns.begin(), policy.columns.end(),
                  [](const ColumnPolicy& column) { return column.role == Role::identifier; })) {
    throw InputError(source + ": has no column that the policy releases; expected at least one");
  }
  return policy;
}

Batch read_batch(const std::string& source, Policy policy, Strategy strategy,
                 io::Session& session) {
  const std::vector<std::string> names = io::read_names(source, session);
  const bool sequential = strategy == Strategy::sequential;
  if (sequential) policy = policy_of_table(std::move(policy), names, source);
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
  batch.table = io::read_table(source, wanted, session, /*may_be_empty=*/!sequential);
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

// What stands in place of a batch's news where the table is one of many.
void say_joined(const Released& released, const Common& common) {
  const ReleaseRecord& record = released.record;
  const Joined& joined = *released.joined;
  say(common, fmt::format("  {}: {} records of {}", title_of(record),
                          with_commas(static_cast<std::uint64_t>(record.published)),
                          fmt::join(record.columns, ", ")));
  if (record.dropped > 0)
    say(common, fmt::format("  {} records dropped for a missing value", record.dropped));
  say(common, figures_table(released.figures, joined.policy));
  if (!joined.policy.xy.empty()) {
    for (const std::string& line : words_of_join(joined.join, joined.policy, false).lines)
      say(common, "  " + line);
  }
  for (const std::string& text : joined.waits) say(common, "  waits: " + text);
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
  Batch batch =
      read_batch(arguments.batch, publication.policy(), publication.ledger().strategy(), session);
  const std::size_t came = batch.table.rows;
  const double read = watch.lap();
  progress.next();
  const Released released = publication.release(
      std::move(batch), {arguments.output, arguments.delta, arguments.again, common.seed,
                         arguments.name, arguments.accept_exposed});
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
  if (released.joined) {
    warnings.insert(warnings.end(), released.joined->warnings.begin(),
                    released.joined->warnings.end());
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
    if (released.joined) object["waits"] = released.joined->waits;
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
  if (released.joined) {
    say_joined(released, common);
  } else {
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
  }
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
  verb.optional("--as", arguments->name, "what this release of a sequential publication is called");
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
