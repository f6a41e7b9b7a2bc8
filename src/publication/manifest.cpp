#include "publication/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "audit/check.h"
#include "hierarchy/file.h"
#include "io/reader.h"
#include "io/source.h"
#include "table/sorted_keys.h"
#include "throng/error.h"

namespace throng {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr const char* kEnding = ".manifest.json";
constexpr const char* kAnonymity = "xy-anonymity";
constexpr const char* kLinkability = "xy-linkability";

const char* guarantee_of(Strategy strategy) {
  switch (strategy) {
    case Strategy::append:
    case Strategy::static_batch:
      return "Every block (records first published together and in one class ever since) meets the "
             "privacy that was asked for when it was published. From all releases together, an "
             "attacker who knows everybody's "
             "quasi-identifiers and who is in which release learns no more than each block's "
             "values.";
    case Strategy::dynamic:
      return "Every class meets the privacy asked for, and no two releases open an inference "
             "channel (Byun et al. 2006, figure 6). An attacker who uses more than two releases at "
             "once may learn more.";
    case Strategy::static_full:
      return "UNSAFE together with earlier releases: every class of this release meets the privacy "
             "asked for by itself, but differences between releases may give records away.";
    case Strategy::sequential:
      return "On the join that an attacker can make of this release with all before it, by the "
             "values of their common columns and by what is inconsistent (Wang and Fung 2006), "
             "every value on x comes with at least as many records or values as asked for, and "
             "with no guarded value in a larger share than asked for. Columns that are not out yet "
             "are not part of it.";
  }
  return "";
}

const char* check_of(Strategy strategy) {
  if (strategy == Strategy::sequential) {
    return "The rows as they are written were joined with those of all earlier releases and "
           "counted "
           "again, by other code than made them, before they were written.";
  }
  return strategy == Strategy::dynamic
             ? "The classes that began or changed were counted again before they were written; "
               "each "
               "change was tried against every earlier state of its classes."
             : "The classes that began were counted again, by other code than made them, before "
               "they were written.";
}

Json privacy_of(const Policy& policy) {
  Json list = Json::array();
  if (policy.k > 1) list.push_back({{"k-anonymity", policy.k}});
  for (const Diversity& diversity : policy.diversities) {
    Json rule = {
        {"column", diversity.column}, {"l", diversity.l}, {"variant", name_of(diversity.variant)}};
    if (diversity.variant == Diversity::Variant::recursive) rule["c"] = diversity.c;
    list.push_back({{"l-diversity", rule}});
  }
  if (policy.matching) {
    list.push_back({{"matching-l-diversity",
                     {{"column", policy.matching->column}, {"l", policy.matching->l}}}});
  }
  return list;
}

Json columns_of(const Policy& policy, const ReleaseRecord& record) {
  Json columns = Json::object();
  for (const std::string& name : record.columns) columns[name] = name_of(policy.find(name)->role);
  if (!record.columns.empty()) return columns;
  for (const ColumnPolicy& column : policy.columns) {
    if (column.role != Role::identifier) columns[column.name] = name_of(column.role);
  }
  return columns;
}

Json y_of(const XyRequirement& asked) {
  if (!asked.guarded.empty()) return asked.guarded[0].column;  // a requirement a column
  switch (asked.counted) {
    case XyRequirement::Counted::rows:
      return "row";
    case XyRequirement::Counted::pairs:
      return "row-pairs";
    case XyRequirement::Counted::values:
      break;
  }
  return asked.y;
}

// The bound of a requirement; null where values have different ones.
Json bound_of(const XyRequirement& asked) {
  if (asked.kind == XyRequirement::Kind::anonymity) return asked.k;
  const double max = asked.guarded[0].max;
  const bool same =
      std::all_of(asked.guarded.begin(), asked.guarded.end(),
                  [&](const XyRequirement::Guarded& guarded) { return guarded.max == max; });
  return same ? Json(max) : Json(nullptr);
}

// Which group and which value reach it is nobody's affair.
Json join_of(const Joined& joined) {
  Json json = {{"columns", joined.join.join_columns},
               {"releases_before", joined.dangling_previous.size()},
               {"dangling", joined.dangling},
               {"dangling_before", joined.dangling_previous},
               {"requirements", Json::array()}};
  for (std::size_t i = 0; i < joined.join.findings.size(); ++i) {
    const XyRequirement& asked = joined.policy.xy[i];
    const XyFinding& finding = joined.join.findings[i];
    const bool counts = asked.kind == XyRequirement::Kind::anonymity;
    Json one = {{"kind", counts ? kAnonymity : kLinkability},
                {"x", asked.x},
                {"y", y_of(asked)},
                {"asked", bound_of(asked)}};
    one["reached"] = counts ? Json(finding.anonymity) : Json(finding.linkability);
    one["groups"] = finding.groups;
    json["requirements"].push_back(std::move(one));
  }
  return json;
}

[[noreturn]] void fail_damaged(const std::string& source) {
  throw InputError(source +
                   " is damaged: it holds a manifest that is none; restore it from a backup");
}

}  // namespace

std::string manifest_path(const std::string& output) { return output + kEnding; }

std::string write_manifest(const ReleaseRecord& record, const Figures& figures,
                           const StoredPolicy& stored, Strategy strategy, const Joined* joined) {
  const Policy& policy = stored.policy;
  Json manifest;
  manifest["throng"] = version();
  manifest["release"] = record.number;
  if (joined != nullptr) manifest["name"] = record.name;
  manifest["date"] = record.date;
  manifest["strategy"] = name_of(strategy);
  Json parameters;
  parameters["privacy"] = privacy_of(joined != nullptr ? joined->policy : policy);
  if (strategy == Strategy::append) {
    parameters["publication"] = {{"max-loss", policy.publication.max_loss},
                                 {"patience", policy.publication.patience}};
  } else if (strategy != Strategy::dynamic) {
    parameters["algorithm"] = name_of(policy.algorithm);
  }
  parameters["seed"] = record.seed;
  parameters["policy"] = record.policy;
  if (joined != nullptr) parameters["policy_sha256"] = sha256_of(stored.yaml);
  manifest["parameters"] = parameters;
  if (joined != nullptr) {
    manifest["records"] = {{"published", record.published},
                           {"left_out", joined->left_out},
                           {"dropped", record.dropped}};
  } else {
    manifest["records"] = {{"published", record.published},
                           {"new", record.new_records},
                           {"waiting", record.waiting},
                           {"dropped", record.dropped}};
  }
  manifest["classes"] = figures.classes;
  if (joined == nullptr) manifest["new_classes"] = record.new_classes;
  manifest["k"] = figures.k;
  manifest["diversity"] = Json::array();
  for (const DiversityFigures& diversity : figures.diversity) {
    manifest["diversity"].push_back({{"column", diversity.column},
                                     {"distinct", diversity.distinct},
                                     {"frequency", diversity.frequency},
                                     {"entropy", diversity.entropy}});
  }
  if (figures.matching) {
    manifest["matching"] = {{"column", figures.matching->column},
                            {"rules", figures.matching->rules},
                            {"stated", figures.matching->stated},
                            {"new_rules", record.new_rules},
                            {"valid", figures.matching->valid}};
  }
  if (record.exposed > 0) {
    manifest["accepted_exposure"] = {{"records", record.exposed},
                                     {"classes", record.exposed_classes},
                                     {"new_rules", record.new_rules}};
  }
  manifest["information_loss"] = figures.information_loss;
  manifest["gcp"] = figures.gcp;
  if (joined != nullptr) manifest["join"] = join_of(*joined);
  manifest["guarantee"] = guarantee_of(strategy);
  manifest["check"] = check_of(strategy);
  manifest["columns"] = columns_of(policy, record);
  manifest["output"] = {{"file", fs::path(record.output).filename().string()},
                        {"content", record.delta ? "delta" : "full"},
                        {"rows", record.output_rows},
                        {"bytes", record.output_bytes},
                        {"sha256", record.output_sha256}};
  return manifest.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Figures figures_in(const std::string& text, const std::string& source) try {
  const Json manifest = Json::parse(text);
  Figures figures;
  figures.rows_out = manifest.at("records").at("published");
  figures.classes = manifest.at("classes");
  figures.k = manifest.at("k");
  for (const Json& diversity : manifest.at("diversity")) {
    figures.diversity.push_back({diversity.at("column"), diversity.at("distinct"),
                                 diversity.at("frequency"), diversity.at("entropy")});
  }
  if (manifest.contains("matching")) {
    const Json& matching = manifest.at("matching");
    figures.matching = {matching.at("column"), matching.at("rules"), matching.at("stated"),
                        matching.at("valid")};
  }
  figures.information_loss = manifest.at("information_loss");
  figures.gcp = manifest.at("gcp");
  if (figures.classes > 0) {
    figures.average_class_size =
        static_cast<double>(figures.rows_out) / static_cast<double>(figures.classes);
  }
  return figures;
} catch (const Json::exception&) {
  fail_damaged(source);
}

std::string Reached::words() const {
  std::string text = fmt::format("{} of {}: ", kind, fmt::join(x, ", "));
  if (kind == kAnonymity) {
    text += fmt::format("at least {}", reached);
    if (asked) text += fmt::format("; {} is asked", *asked);
  } else {
    text += fmt::format("at most {:.4g}", reached);
    if (asked) text += fmt::format("; {:.4g} is allowed", *asked);
  }
  return text;
}

std::vector<Reached> reached_in(const std::string& text, const std::string& source) try {
  std::vector<Reached> result;
  const Json manifest = Json::parse(text);
  for (const Json& one : manifest.at("join").at("requirements")) {
    Reached& reached = result.emplace_back();
    reached.kind = one.at("kind");
    reached.x = one.at("x").get<std::vector<std::string>>();
    reached.reached = one.at("reached");
    if (!one.at("asked").is_null()) reached.asked = one.at("asked").get<double>();
  }
  return result;
} catch (const Json::exception&) {
  fail_damaged(source);
}

std::vector<std::string> check_manifest(const std::string& path, io::Session& session) {
  if (!io::ends_in(path, kEnding)) {
    throw InputError(fmt::format("{}: expected a name that ends in {}", path, kEnding));
  }
  Json manifest;
  std::vector<std::string> quasi, sensitive, names;
  std::string hash;
  std::int64_t rows = 0, k = 0;
  bool full = true;
  try {
    manifest = Json::parse(read_file(path, "a manifest"));
    for (const auto& [name, role] : manifest.at("columns").items()) {
      if (role == name_of(Role::quasi_identifier)) quasi.push_back(name);
      if (role == name_of(Role::sensitive)) sensitive.push_back(name);
      names = {name};
    }
    hash = manifest.at("output").at("sha256");
    rows = manifest.at("output").at("rows");
    full = manifest.at("output").at("content") == "full";
    k = manifest.at("k");
    for (const Json& diversity : manifest.at("diversity")) {
      diversity.at("column").get<std::string>();
      diversity.at("distinct").get<std::size_t>();
    }
  } catch (const Json::exception& failure) {
    throw InputError(fmt::format("{}: is no manifest of a release: {}", path, failure.what()));
  }
  const std::string output = path.substr(0, path.size() - std::string_view(kEnding).size());
  std::vector<std::string> broken;
  if (sha256_of_file(output) != hash) {
    broken.push_back(
        fmt::format("{}: its SHA-256 is not that of the manifest: the file was "
                    "changed, or is another release's",
                    output));
    return broken;
  }
  // A table of insensitive columns alone has rows too.
  if (!quasi.empty() || !sensitive.empty()) names = quasi;
  names.insert(names.end(), sensitive.begin(), sensitive.end());
  if (rows == 0) return broken;
  const io::RawTable table = io::read_raw(output, names, session);
  if (static_cast<std::int64_t>(table.rows) != rows) {
    broken.push_back(
        fmt::format("{}: has {} rows; the manifest says {}", output, table.rows, rows));
  }
  if (!full) return broken;  // k and ℓ are figures of the whole release
  // Classes by what is written, and nothing else.
  std::vector<KeyColumn> keys;
  for (std::size_t i = 0; i < quasi.size(); ++i) {
    keys.push_back({&table.columns[i].codes, {}, table.columns[i].texts.size()});
  }
  const SortedKeys classes(keys, table.rows);
  const std::uint32_t smallest =
      *std::min_element(classes.counts().begin(), classes.counts().end());
  if (smallest != k) {
    broken.push_back(fmt::format("{}: its smallest class has {} records; the manifest says {}",
                                 output, smallest, k));
  }
  if (const std::size_t count = manifest["classes"]; classes.size() != count) {
    broken.push_back(
        fmt::format("{}: has {} classes; the manifest says {}", output, classes.size(), count));
  }
  for (std::size_t i = 0; i < sensitive.size(); ++i) {
    std::vector<KeyColumn> with_value = keys;
    const RawColumn& column = table.columns[quasi.size() + i];
    with_value.push_back({&column.codes, {}, column.texts.size()});
    const SortedKeys pairs(with_value, table.rows);
    std::vector<std::vector<Code>> regions;
    for (std::size_t j = 0; j < quasi.size(); ++j) regions.push_back(pairs.column(j));
    std::size_t least = ~std::size_t{0}, distinct = 0;
    for (std::size_t at = 0; at < pairs.size(); ++at) {
      ++distinct;
      const bool last = at + 1 == pairs.size() ||
                        std::any_of(regions.begin(), regions.end(),
                                    [&](const auto& codes) { return codes[at] != codes[at + 1]; });
      if (!last) continue;
      least = std::min(least, distinct);
      distinct = 0;
    }
    for (const Json& diversity : manifest["diversity"]) {
      if (diversity["column"] != sensitive[i] || least >= diversity["distinct"]) continue;
      broken.push_back(
          fmt::format("{}: column '{}' has a class of {} distinct values; the manifest promises {}",
                      output, sensitive[i], least, diversity["distinct"].get<std::size_t>()));
    }
  }
  return broken;
}

}  // namespace throng
