// throng status DIR
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/asked.h"
#include "cli/page.h"
#include "cli/publication.h"
#include "publication/kept_files.h"
#include "publication/manifest.h"

namespace throng::cli {
namespace {

nlohmann::ordered_json json_of(const Reached& reached) {
  nlohmann::ordered_json json = {
      {"kind", reached.kind}, {"x", reached.x}, {"asked", nullptr}, {"reached", reached.reached}};
  if (reached.asked) json["asked"] = *reached.asked;
  return json;
}

struct Arguments {
  PublicationArguments publication;
  std::string page;
};

nlohmann::ordered_json json_of(const PublicationStatus& status, const std::string& folder,
                               Publication& publication) {
  const std::string database = publication.ledger().database().path();
  nlohmann::ordered_json object;
  object["publication"] = folder;
  object["strategy"] = name_of(status.strategy);
  object["encrypted"] = status.encrypted;
  object["records"] = status.records;
  object["published"] = status.published;
  object["waiting"] = status.waiting;
  object["oldest_wait"] = status.oldest_wait;
  object["classes"] = status.classes;
  object["raw_records_held"] = status.raw_held;
  if (status.has_knowledge) {
    object["knowledge"] = {{"rules", status.rules},
                           {"accepted_exposure", status.exposed},
                           {"people_held", status.people_held}};
  }
  object["asked"] = asked_by(publication.policy());
  object["releases"] = nlohmann::ordered_json::array();
  for (const ReleaseRecord& record : status.releases) {
    const Figures figures = figures_in(record.manifest, database);
    object["releases"].push_back({{"release", record.number},
                                  {"date", record.date},
                                  {"new", record.new_records},
                                  {"published", record.published},
                                  {"waiting", record.waiting},
                                  {"classes", figures.classes},
                                  {"k", figures.k},
                                  {"information_loss", figures.information_loss},
                                  {"output", record.output},
                                  {"rows", record.output_rows},
                                  {"bytes", record.output_bytes},
                                  {"sha256", record.output_sha256}});
    if (record.name.empty()) continue;
    nlohmann::ordered_json& json = object["releases"].back();
    json["name"] = record.name;
    json["columns"] = record.columns;
    json["requirements"] = nlohmann::ordered_json::array();
    for (const Reached& reached : reached_in(record.manifest, database))
      json["requirements"].push_back(json_of(reached));
  }
  if (status.strategy == Strategy::sequential) object["waits"] = status.waits;
  object["notes"] = publication.notes();
  return object;
}

// Of thousands of releases the page shows curves, and lists the last ones only: it need not hold
// the files and hashes of all.
nlohmann::ordered_json page_of(nlohmann::ordered_json object) {
  constexpr std::size_t kListed = 50;
  nlohmann::ordered_json& releases = object["releases"];
  for (std::size_t i = 0; i + kListed < releases.size(); ++i) {
    for (const char* member : {"output", "bytes", "sha256"}) releases[i].erase(member);
  }
  return object;
}

std::string count(std::int64_t number) { return with_commas(static_cast<std::uint64_t>(number)); }

// Tables of the same people, each with columns of its own.
void say_sequential(const PublicationStatus& status, const std::string& database,
                    const Common& common) {
  say(common, fmt::format("  {:<24}{}", "releases", status.releases.size()));
  say(common, fmt::format("  {:<24}{}", "raw records held", count(status.raw_held)));
  for (const std::string& text : status.waits) say(common, "  waits: " + text);
  if (status.releases.empty()) say(common, "  no release yet");
  for (const ReleaseRecord& record : status.releases) {
    const Figures figures = figures_in(record.manifest, database);
    say(common, fmt::format("  {}, {}: {} records of {}", title_of(record), record.date,
                            count(record.published), fmt::join(record.columns, ", ")));
    say(common, fmt::format("    {} classes, k = {}, information loss {:.3f}; {} bytes, sha256 {}",
                            with_commas(figures.classes), figures.k, figures.information_loss,
                            count(record.output_bytes), record.output_sha256));
    for (const Reached& reached : reached_in(record.manifest, database))
      say(common, "    " + reached.words());
  }
}

int run(const Arguments& given, const Common& common) {
  const PublicationArguments& arguments = given.publication;
  check_page(given.page, {}, arguments.folder);
  io::Session session(common.threads);
  Publication publication = arguments.open(Ledger::Access::read, "status", session);
  const PublicationStatus status = publication.status();
  const std::string database = publication.ledger().database().path();
  if (common.json || !given.page.empty()) {
    const nlohmann::ordered_json object = json_of(status, arguments.folder, publication);
    write_page(given.page, "status", page_of(object));
    if (common.json) {
      print_json(object);
      return 0;
    }
  }
  for (const std::string& note : publication.notes()) warn(note);
  say(common, fmt::format("{}: strategy {}{}", arguments.folder, name_of(status.strategy),
                          status.encrypted ? ", encrypted" : ""));
  if (status.strategy == Strategy::sequential) {
    say_sequential(status, database, common);
    return 0;
  }
  if (status.strategy == Strategy::static_full)
    say(common, "  UNSAFE: differences between the releases give records away");
  say(common, fmt::format("  {:<24}{}", "records published", count(status.published)));
  say(common, fmt::format("  {:<24}{}{}", "records waiting", count(status.waiting),
                          status.oldest_wait == 0
                              ? ""
                              : fmt::format(", the oldest for {} release{}", status.oldest_wait,
                                            status.oldest_wait == 1 ? "" : "s")));
  say(common, fmt::format("  {:<24}{}", "classes", count(status.classes)));
  say(common,
      fmt::format("  {:<24}{}{}", "raw records held", count(status.raw_held),
                  status.strategy == Strategy::dynamic || status.strategy == Strategy::static_full
                      ? fmt::format(" ({} needs them all)", name_of(status.strategy))
                      : ""));
  if (status.has_knowledge) {
    say(common, fmt::format("  {:<24}{}", "rules known", count(status.rules)));
    say(common, fmt::format("  {:<24}{} (published; held to try new rules on)", "people held",
                            count(status.people_held)));
    if (status.exposed > 0) {
      say(common, fmt::format("  {:<24}{} (by rules found later; accepted)", "records exposed",
                              count(status.exposed)));
    }
  }
  if (status.releases.empty()) {
    say(common, "  no release yet");
    return 0;
  }
  say(common, fmt::format("  {:>7}  {:<20}  {:>10}  {:>12}  {:>9}  {:>6}  {:>12}  {}", "release",
                          "date", "new", "published", "waiting", "loss", "bytes", "sha256"));
  for (const ReleaseRecord& record : status.releases) {
    say(common,
        fmt::format("  {:>7}  {:<20}  {:>10}  {:>12}  {:>9}  {:>6.3f}  {:>12}  {}", record.number,
                    record.date, count(record.new_records), count(record.published),
                    count(record.waiting), figures_in(record.manifest, database).information_loss,
                    count(record.output_bytes), record.output_sha256));
  }
  return 0;
}

}  // namespace

void add_status(Program& program) {
  auto arguments = std::make_shared<Arguments>();
  Verb verb = program.verb("status", "what a publication has published, and who waits");
  arguments->publication.add_to(verb);
  add_page_option(verb, arguments->page);
  verb.runs([arguments](const Common& common) { return run(*arguments, common); });
}

}  // namespace throng::cli
