// throng audit POLICY RELEASE… [--private TABLE] [--population TABLE], throng audit --publication
// DIR
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "audit/channels.h"
#include "audit/check.h"
#include "audit/covering.h"
#include "audit/file_channels.h"
#include "audit/link.h"
#include "audit/risk.h"
#include "audit/strongest.h"
#include "cli/audit_input.h"
#include "cli/audit_joins.h"
#include "cli/audit_knowledge.h"
#include "cli/audit_page.h"
#include "cli/page.h"
#include "io/writer.h"
#include "publication/follow.h"
#include "throng/error.h"

namespace throng::cli {
namespace {

constexpr int kHolds = 0, kBroken = 3;

double percent(double share) { return 100 * share; }

// --- One release by itself -----------------------------------------------------------------------

void report_release(const Audited& audited, std::size_t index, double threshold,
                    AuditReport& report) {
  const Release& release = audited.releases[index];
  const std::string& source = audited.sources[index];
  Json json = {{"release", index + 1},
               {"source", source},
               {"rows", release.rows()},
               {"classes", release.classes}};
  if (release.rows() == 0) {
    report.warnings.push_back(source + ": has no records");
    report.json["releases"].push_back(json);
    report.lines.push_back(fmt::format("release {}: {}: no records", index + 1, source));
    return;
  }
  const Verdict verdict = check_release(release, audited.policy);
  const Risk risk = risk_of(release, threshold);
  json["k"] = verdict.k;
  json["diversity"] = Json::array();
  for (const DiversityFigures& figures : verdict.diversity) {
    json["diversity"].push_back({{"column", figures.column},
                                 {"distinct", figures.distinct},
                                 {"frequency", figures.frequency},
                                 {"entropy", figures.entropy},
                                 {"recursive", recursive_diversity(release, figures.column, 1)}});
  }
  json["possible_values"] = possible_values_of(release);
  json["closeness"] = Json::array();
  for (const Closeness& closeness : closeness_of(release)) {
    json["closeness"].push_back(
        {{"column", closeness.column}, {"equal", closeness.equal}, {"ordered", closeness.ordered}});
  }
  json["risk"] = {{"prosecutor_highest", risk.prosecutor_highest},
                  {"prosecutor_average", risk.prosecutor_average},
                  {"threshold", threshold},
                  {"share_above_threshold", risk.above_threshold},
                  {"alone", risk.alone}};
  report.lines.push_back(fmt::format("release {}: {}: {} records in {} classes, k = {}", index + 1,
                                     source, with_commas(release.rows()),
                                     with_commas(release.classes), verdict.k));
  for (const DiversityFigures& figures : verdict.diversity) {
    report.lines.push_back(
        fmt::format("  l of {}: {} distinct, {:.2f} by frequency, {:.2f} by entropy",
                    figures.column, figures.distinct, figures.frequency, figures.entropy));
  }
  report.lines.push_back(
      fmt::format("  found again: at most {:.1f}%, on average {:.2f}%; {:.1f}% of the records "
                  "above {:.0f}%; {} "
                  "alone",
                  percent(risk.prosecutor_highest), percent(risk.prosecutor_average),
                  percent(risk.above_threshold), percent(threshold), with_commas(risk.alone)));
  if (audited.population) {
    const PopulationRisk population =
        population_risk_of(release, population_of_classes(release, *audited.population), threshold);
    json["population_risk"] = {
        {"journalist_highest", population.journalist_highest},
        {"journalist_share_above_threshold", population.journalist_above_threshold},
        {"marketer", population.marketer},
        {"classes_not_in_population", population.uncovered}};
    report.lines.push_back(
        fmt::format("  in the population: at most {:.1f}% (journalist), {:.2f}% of all guesses "
                    "right (marketer)",
                    percent(population.journalist_highest), percent(population.marketer)));
    if (population.uncovered > 0) {
      report.warnings.push_back(fmt::format(
          "{}: {} classes have more records than the population; is it the one they come from?",
          source, population.uncovered));
    }
  }
  json["broken"] = verdict.broken;
  for (const std::string& promise : verdict.broken) {
    report.broken.push_back(fmt::format("{}: {}", source, promise));
    report.lines.push_back("  NOT WHAT THE POLICY ASKS FOR: " + promise);
  }
  report.json["releases"].push_back(json);
}

// --- Releases together, from the files alone ----------------------------------------------------

void report_channels(const Audited& audited, const std::vector<std::size_t>& together,
                     const GuardedColumn& guarded, bool decided, AuditReport& report) {
  std::vector<Release> releases;
  releases.reserve(together.size());
  for (const std::size_t index : together) releases.push_back(audited.releases[index]);
  const FileChannels found = find_file_channels(releases, guarded.name, guarded.l);
  Json json = {{"column", guarded.name},
               {"l", guarded.l},
               {"channels", found.count()},
               {"vulnerable", found.vulnerable},
               {"vulnerable_by_release", found.vulnerable_by_release},
               {"pairs_of_classes", found.pairs_of_classes},
               {"pairs_touched", found.pairs_touched}};
  json["pairs"] = Json::array();
  std::uint64_t differences = 0, intersections = 0;
  for (const FileChannels::Pair& pair : found.pairs) {
    json["pairs"].push_back({{"earlier", together[pair.earlier] + 1},
                             {"later", together[pair.later] + 1},
                             {"difference", pair.differences},
                             {"intersection", pair.intersections},
                             {"vulnerable", pair.vulnerable},
                             {"unchanged_classes", pair.unchanged}});
    differences += pair.differences;
    intersections += pair.intersections;
  }
  report.lines.push_back(fmt::format(
      "from the files alone: {} channels to {} ({} for who entered later, {} for who was always "
      "there), {} vulnerable records in all releases",
      with_commas(found.count()), guarded.name, with_commas(differences),
      with_commas(intersections), with_commas(found.vulnerable)));
  for (const FileChannels::Pair& pair : found.pairs) {
    if (pair.differences + pair.intersections == 0) continue;
    report.lines.push_back(fmt::format(
        "  releases {} and {}: {} by difference, {} by intersection; {} vulnerable records",
        together[pair.earlier] + 1, together[pair.later] + 1, with_commas(pair.differences),
        with_commas(pair.intersections), with_commas(pair.vulnerable)));
  }
  if (audited.explain > 0) {
    json["worst"] = Json::array();
    for (std::size_t i = 0; i < std::min(audited.explain, found.channels.size()); ++i) {
      const std::string text = explain(found.channels[i], releases, guarded.name);
      json["worst"].push_back(text);
      report.lines.push_back("  " + text);
    }
  }
  if (found.count() > 0) {
    const std::string text = fmt::format("{}: {} channels between releases, {} vulnerable records",
                                         guarded.name, found.count(), found.vulnerable);
    (decided ? report.warnings : report.broken).push_back(text);
  }
  report.json["channels"].push_back(json);
}

// --- Releases together, where the records are known ---------------------------------------------

void report_strongest(const History& history, const GuardedColumn& guarded, bool promises_all,
                      bool told_apart, AuditReport& report) {
  const std::vector<Channel> channels = find_channels(history, guarded.l);
  const std::vector<bool> vulnerable = vulnerable_records(history, channels);
  const auto vulnerable_count =
      static_cast<std::size_t>(std::count(vulnerable.begin(), vulnerable.end(), true));
  const Strongest found = strongest_attack(history);
  const std::size_t exposed = found.fewer_than(guarded.l);
  const auto published = static_cast<std::size_t>(
      std::count_if(found.possible.begin(), found.possible.end(),
                    [](const std::vector<Code>& values) { return !values.empty(); }));
  report.json["strongest"].push_back({{"column", guarded.name},
                                      {"l", guarded.l},
                                      {"records", published},
                                      {"channels", channels.size()},
                                      {"vulnerable_by_channels", vulnerable_count},
                                      {"exposed", exposed},
                                      {"certain", found.certain()},
                                      {"groups", found.groups},
                                      {"components", found.components},
                                      {"settled",
                                       {{"flow", found.by_flow},
                                        {"exchange", found.by_exchange},
                                        {"search", found.by_search},
                                        {"bounds", found.by_bounds}}},
                                      {"records_not_settled", found.not_settled()},
                                      {"possible_values", possible_values_of(found)},
                                      {"told_apart", told_apart}});
  report.lines.push_back(
      fmt::format("where the records are known: {} channels to {}, {} vulnerable records",
                  channels.size(), guarded.name, with_commas(vulnerable_count)));
  report.lines.push_back(fmt::format(
      "the strongest attacker, with all releases at once: {} of {} records have fewer than {} "
      "possible values, {} are certain{}",
      with_commas(exposed), with_commas(published), guarded.l, with_commas(found.certain()),
      !told_apart ? std::string(" (at least: some classes could not be told apart)")
      : found.not_settled() == 0
          ? std::string(" (exactly)")
          : fmt::format(" (at least: {} records are settled by bounds alone)",
                        with_commas(found.not_settled()))));
  if (!channels.empty()) {
    report.broken.push_back(
        fmt::format("{}: {} channels where the records are known, {} vulnerable", guarded.name,
                    channels.size(), vulnerable_count));
  }
  if (exposed > 0) {
    const std::string text =
        fmt::format("{}: all releases together leave {} records fewer than {} possible values",
                    guarded.name, exposed, guarded.l);
    (promises_all ? report.broken : report.warnings).push_back(text);
  }
}

// Where no ledger follows the records: they are found again by their values.
struct Found {
  History history;
  bool told_apart = true;  // every record is in one class that fits
};
Found find_records(const Audited& audited, const std::string& column, AuditReport& report) {
  const Linked linked = link_to_releases(audited, column);
  Found found{linked.history, linked.joined == 0};
  for (std::size_t i = 0; i < linked.astray.size(); ++i) {
    if (linked.astray[i] == 0) continue;
    found.told_apart = false;
    report.warnings.push_back(
        fmt::format("{}: {} records that are said to be in it fit none of its classes",
                    audited.sources[i], linked.astray[i]));
  }
  if (linked.joined > 0) {
    report.warnings.push_back(fmt::format(
        "{} classes cannot be told from another by their records, and count as one with it",
        linked.joined));
  }
  if (linked.disagreeing > 0) {
    found.told_apart = false;
    report.warnings.push_back(fmt::format(
        "{} classes have another number of records in the private table than in the release",
        linked.disagreeing));
  }
  return found;
}

// Releases with the same columns, in their order.
std::vector<std::vector<std::size_t>> same_columns(const Audited& audited) {
  std::map<std::vector<std::string>, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < audited.releases.size(); ++i) {
    groups[columns_of(audited.releases[i])].push_back(i);
  }
  std::vector<std::vector<std::size_t>> result;
  for (const auto& [columns, together] : groups) {
    if (together.size() > 1) result.push_back(together);
  }
  return result;
}

void audit(Audited& audited, const AuditArguments& arguments, io::Session& session,
           std::optional<Publication>& publication, AuditReport& report) {
  report.json["releases"] = Json::array();
  for (std::size_t i = 0; i < audited.releases.size(); ++i) {
    report_release(audited, i, arguments.threshold, report);
  }
  const std::vector<GuardedColumn> guarded = publication && !audited.sequential
                                                 ? guarded_columns(publication->ledger())
                                                 : guarded_of(audited);
  add_given(arguments, audited, guarded, report);
  // What a sequential publication promises is about the join.
  bool decided = audited.sequential || (audited.records_known && !guarded.empty());
  if (audited.records_known) {
    report.json["strongest"] = Json::array();
    const bool is_dynamic = publication && publication->ledger().strategy() == Strategy::dynamic;
    for (std::size_t i = 0; i < guarded.size(); ++i) {
      std::optional<History> history;
      bool told_apart = true;
      if (publication) history = follow_records(*publication, i, session);
      if (!history) {
        Found found = find_records(audited, guarded[i].name, report);
        history = std::move(found.history);
        told_apart = found.told_apart;
      }
      decided = decided && told_apart;
      report_strongest(*history, guarded[i], !is_dynamic, told_apart, report);
    }
  }
  // Where every record is known, its own history decides: the files alone may take for a channel
  // what is none.
  for (const std::vector<std::size_t>& together : same_columns(audited)) {
    for (const GuardedColumn& column : guarded) {
      const auto& plain = audited.releases[together[0]].plain;
      if (std::none_of(plain.begin(), plain.end(),
                       [&](const Release::Plain& known) { return known.name == column.name; })) {
        continue;
      }
      if (!report.json.contains("channels")) report.json["channels"] = Json::array();
      report_channels(audited, together, column, decided, report);
    }
  }
  report_joins(audited, report);
  report_knowledge(audited, report);
}

int run(const AuditArguments& arguments, const Common& common) {
  if (!arguments.report.empty()) {
    std::vector<std::string> inputs = arguments.words;
    for (const std::string& table : {arguments.private_table, arguments.population}) {
      if (!table.empty()) inputs.push_back(table);
    }
    io::check_output(arguments.report, {".json"}, inputs);
  }
  check_page(arguments.page, audit_inputs(arguments), arguments.publication.folder);
  if (!arguments.membership.empty() && arguments.private_table.empty())
    throw InputError("--membership goes with --private");
  if (!arguments.publication.key_file.empty() && arguments.publication.folder.empty())
    throw InputError("--key-file goes with --publication");
  if (std::isnan(arguments.threshold))
    throw InputError("--threshold is no number; expected 0 to 1");
  io::Session session(common.threads);
  Progress progress(common, {"reading", "auditing"});
  Stopwatch watch;
  AuditReport report;
  std::optional<Publication> publication;
  Audited audited = read_audited(arguments, session, publication, report);
  const double read = watch.lap();
  progress.next();
  audit(audited, arguments, session, publication, report);
  progress.done();

  const bool holds = report.broken.empty();
  report.json["holds"] = holds;
  report.json["broken"] = report.broken;
  report.json["warnings"] = report.warnings;
  report.json["seconds"] = {{"read", read}, {"audit", watch.lap()}};
  report.json["peak_memory_bytes"] = peak_memory_bytes();
  if (!arguments.report.empty()) {
    io::write_text(report.json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n",
                   arguments.report);
  }
  write_page(arguments.page, "audit", report.json);
  for (const std::string& warning : report.warnings) warn(warning);
  if (common.json) print_json(report.json);
  for (const std::string& line : report.lines) say(common, line);
  say(common, holds ? "SAFE: what the policy promises holds"
                    : "NOT SAFE: what the policy promises does not hold");
  for (const std::string& promise : report.broken) complain(promise);
  return holds ? kHolds : kBroken;
}

}  // namespace

void add_audit(Program& program) {
  auto arguments = std::make_shared<AuditArguments>();
  Verb verb = program.verb("audit", "what do these releases give away together?");
  verb.arguments("POLICY RELEASE", arguments->words,
                 "the policy, and the releases in the order of their publication");
  verb.optional("--publication", arguments->publication.folder,
                "audit the releases of a publication, by its own policy and ledger");
  verb.optional("--key-file", arguments->publication.key_file,
                "the key of an encrypted publication (default: $THRONG_KEY_FILE)");
  verb.optional(
      "--private", arguments->private_table,
      "the private table: tries the attacker who knows everybody but the sensitive values");
  verb.optional("--membership", arguments->membership,
                "with --private: its columns, one a release and separated by commas, that say "
                "whether a record is in it (default: every record is in every release)");
  verb.optional("--population", arguments->population,
                "the table of the population, for the risks of journalist and marketer");
  verb.number("--threshold", arguments->threshold, 0, 1,
              "the risk above which records are counted (default: 0.2)");
  verb.optional_count("--explain", arguments->explain, 1000,
                      "tell the worst cases in plain words; this is itself a disclosure");
  verb.optional("--report", arguments->report, "write the JSON report to a file, too");
  add_page_option(verb, arguments->page);
  verb.runs([arguments](const Common& common) { return run(*arguments, common); });
}

}  // namespace throng::cli
