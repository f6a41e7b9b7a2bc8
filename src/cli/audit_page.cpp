#include "cli/audit_page.h"

#include <algorithm>
#include <map>

#include "cli/asked.h"

namespace throng::cli {
namespace {

using Histogram = std::map<std::size_t, std::uint64_t>;

Json json_of(const Histogram& records_of) {
  Json json = Json::array();
  for (const auto& [values, records] : records_of)
    json.push_back({{"values", values}, {"records", records}});
  return json;
}

}  // namespace

Json possible_values_of(const Strongest& found) {
  Histogram records_of;
  for (const std::vector<Code>& values : found.possible) {
    if (!values.empty()) ++records_of[values.size()];  // none: it is in no release
  }
  return json_of(records_of);
}

Json possible_values_of(const Release& release) {
  std::vector<std::uint64_t> size_of(release.classes, 0);
  for (const std::uint32_t number : release.class_of_row) ++size_of[number];
  Json json = Json::array();
  for (const Release::Plain& column : release.plain) {
    if (column.role != Role::sensitive) continue;
    std::vector<std::uint64_t> pairs;
    pairs.reserve(release.rows());
    for (std::size_t row = 0; row < release.rows(); ++row)
      pairs.push_back((std::uint64_t{release.class_of_row[row]} << 32) | column.codes[row]);
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    std::vector<std::size_t> distinct(release.classes, 0);
    for (const std::uint64_t pair : pairs) ++distinct[pair >> 32];
    Histogram records_of;
    for (std::size_t i = 0; i < release.classes; ++i) {
      if (size_of[i] > 0) records_of[distinct[i]] += size_of[i];
    }
    json.push_back({{"column", column.name}, {"counts", json_of(records_of)}});
  }
  return json;
}

Json possible_values_of(const Buckets& buckets) {
  Histogram records_of;
  for (std::uint32_t group = 0; group < buckets.groups.size(); ++group) {
    for (const Buckets::Count& count : buckets.counts(group))
      records_of[buckets.counts(group).size()] += count.count;
  }
  return {{{"column", buckets.sensitive}, {"counts", json_of(records_of)}}};
}

void add_given(const AuditArguments& arguments, const Audited& audited,
               const std::vector<GuardedColumn>& guarded, AuditReport& report) {
  const auto or_null = [](const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
  };
  Json given = {{"policy", arguments.words.empty() ? Json(nullptr) : Json(arguments.words[0])},
                {"publication", or_null(arguments.publication.folder)},
                {"private", or_null(arguments.private_table)},
                {"membership", or_null(arguments.membership)},
                {"population", or_null(arguments.population)},
                {"records_known", audited.records_known},
                {"explain", arguments.explain},
                {"asked", asked_by(audited.policy)},
                {"guarded", Json::array()}};
  for (const GuardedColumn& column : guarded)
    given["guarded"].push_back({{"column", column.name}, {"l", column.l}});
  report.json["given"] = std::move(given);
}

std::vector<std::string> audit_inputs(const AuditArguments& arguments) {
  std::vector<std::string> inputs = arguments.words;
  for (const std::string& table :
       {arguments.private_table, arguments.population, arguments.report}) {
    if (!table.empty()) inputs.push_back(table);
  }
  return inputs;
}

}  // namespace throng::cli
