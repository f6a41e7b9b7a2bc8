#include "publication/sequential.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <stdexcept>

#include "privacy/requirements.h"
#include "throng/error.h"

namespace throng {
namespace {

// The values of the table's quasi-identifiers that some previous release has too: read with the
// releases, they are part of the domains.
ForeignFile values_of(const Table& table, const std::vector<ForeignFile>& previous,
                      const Policy& policy) {
  ForeignFile file;
  file.source = "the table";
  for (const Column& column : table.columns) {
    const bool common =
        std::any_of(previous.begin(), previous.end(), [&](const ForeignFile& other) {
          return std::any_of(other.columns.begin(), other.columns.end(),
                             [&](const RawColumn& raw) { return raw.name == column.name; });
        });
    const bool quasi = policy.find(column.name)->role == Role::quasi_identifier;
    if (!common || !quasi) continue;
    RawColumn& raw = file.columns.emplace_back();
    raw.name = column.name;
    for (const std::string& label : column.values.labels) raw.texts.push_back(escape_value(label));
    file.rows = std::max(file.rows, raw.texts.size());
  }
  for (RawColumn& raw : file.columns) {
    raw.codes = Codes(file.rows, raw.texts.size());
    for (std::size_t row = 0; row < raw.texts.size(); ++row)
      raw.codes.set(row, static_cast<Code>(row));
  }
  return file;
}

bool is_file(const HierarchyRule& rule) { return std::holds_alternative<HierarchyFile>(rule); }

// Values of a previous release that its hierarchy does not have: nobody could tell what they match.
void check_hierarchies(const std::vector<Release>& releases, const std::vector<ForeignFile>& files,
                       const Policy& policy, const Table& table) {
  for (std::size_t i = 0; i < releases.size(); ++i) {
    for (const Release::Quasi& column : releases[i].quasi) {
      const ColumnPolicy& rule = *policy.find(column.domain.name);
      const bool ruled = !std::holds_alternative<std::monostate>(rule.generalization.hierarchy);
      if (!ruled || column.domain.tree) continue;
      const bool joins = table.find(rule.name) != nullptr;
      if (!joins && !is_file(rule.generalization.hierarchy)) continue;
      // The hierarchy by itself says which text it lacks.
      const Column* own = table.find(rule.name);
      Dictionary none;
      none.type = rule.type.type;
      const Domain domain =
          make_domain(rule.name, own != nullptr ? own->values : none, rule.generalization);
      const auto raw =
          std::find_if(files[i].columns.begin(), files[i].columns.end(),
                       [&](const RawColumn& given) { return given.name == rule.name; });
      for (const std::string& text : raw->texts) {
        if (text == "*" || text.empty() || domain.tree->find(text)) continue;
        if (!joins && text.find_first_of("{|,") != std::string::npos) continue;  // a set
        throw ForeignValue{i, rule.name, text, "a value of its hierarchy, at any level"};
      }
    }
  }
}

// A star inside a value of ours is one; in others' files it is a mask.
void escape_stars(std::vector<std::string>& texts) {
  for (std::string& text : texts) {
    if (text == "*" || text.find('\\') != std::string::npos) continue;
    for (std::size_t at = text.find('*'); at != std::string::npos; at = text.find('*', at + 2))
      text.insert(at, 1, '\\');
  }
}

void add_warnings(const Specialized& how, const Policy& policy, SequentialRelease& made) {
  for (std::size_t i = 0; i < how.cuts.size(); ++i) {
    if (how.cuts[i]) continue;
    made.warnings.push_back(fmt::format(
        "column '{}' is a quasi-identifier that no requirement has in x: it is released as it is",
        made.release.quasi[i].domain.name));
  }
  if (!how.monotone) {
    made.warnings.push_back(
        "the requirements are not monotone here (x lacks a join column, y is of several tables, or "
        "records dangle): every step was checked exactly, but a better table may exist");
  }
  const std::uint64_t others =
      std::accumulate(how.dangling_previous.begin(), how.dangling_previous.end(), std::uint64_t{0});
  if (how.dangling > 0 || others > 0) {
    made.warnings.push_back(fmt::format(
        "{} records of the table {} and {} of the previous releases match nothing in the other",
        how.dangling, policy.dangling == Dangling::drop ? "(left out)" : "(kept)",
        fmt::join(how.dangling_previous, ", ")));
  }
}

// What is asked and not met, by requirement.
[[noreturn]] void fail(const SequentialRelease& made, const Policy& policy) {
  std::string text = made.verdict.broken.empty() ? "" : made.verdict.broken[0];
  for (std::size_t i = 0; i < made.join.findings.size(); ++i) {
    const XyFinding& finding = made.join.findings[i];
    if (finding.holds) continue;
    text += fmt::format("{}{} (by {})", text.empty() ? "" : "; ", words_of(policy.xy[i], finding),
                        finding.group.words());
  }
  throw PrivacyError(fmt::format("the requirements cannot be met: {}: {}",
                                 made.how.certain ? "not even by the most general table"
                                                  : "no table was found that does, and "
                                                    "the nearest has",
                                 text));
}

}  // namespace

std::string words_of(const XyRequirement& asked, const XyFinding& finding) {
  if (asked.kind == XyRequirement::Kind::anonymity) {
    return fmt::format("xy-anonymity of {} reaches {} where {} is asked", fmt::join(asked.x, ", "),
                       finding.anonymity, asked.k);
  }
  std::string text;
  for (std::size_t i = 0; i < finding.links.size(); ++i) {
    if (finding.links[i].holds) continue;
    text += fmt::format("{}{} with {:.4g} where at most {:.4g} is asked", text.empty() ? "" : ", ",
                        finding.links[i].value, finding.links[i].share, asked.guarded[i].max);
  }
  if (text.empty()) text = fmt::format("at most {:.4g}", finding.linkability);
  return fmt::format("xy-linkability of {} reaches {}", fmt::join(asked.x, ", "), text);
}

Policy without_columns_of(Policy policy, const std::vector<std::string>& names,
                          const std::vector<ForeignFile>& previous) {
  std::erase_if(policy.columns, [&](const ColumnPolicy& column) {
    if (std::find(names.begin(), names.end(), column.name) != names.end()) return false;
    return std::any_of(previous.begin(), previous.end(), [&](const ForeignFile& file) {
      return std::any_of(file.columns.begin(), file.columns.end(),
                         [&](const RawColumn& raw) { return raw.name == column.name; });
    });
  });
  return policy;
}

ForeignFile file_of(std::vector<io::LabelColumn> columns, const std::string& source,
                    const Policy& policy) {
  ForeignFile file;
  file.source = source;
  for (io::LabelColumn& column : columns) {
    file.rows = column.codes.size();
    const ColumnPolicy& rule = *policy.find(column.name);
    if (rule.role == Role::quasi_identifier && rule.type.type == Type::text &&
        std::holds_alternative<std::monostate>(rule.generalization.hierarchy)) {
      escape_stars(column.labels);
    }
    file.columns.push_back(
        {std::move(column.name), std::move(column.labels), std::move(column.codes)});
  }
  return file;
}

SequentialRelease release_after(Table table, std::vector<ForeignFile> previous,
                                const Policy& policy, std::uint64_t seed) {
  for (const Diversity& diversity : policy.diversities) {
    if (table.find(diversity.column) != nullptr) continue;
    throw InputError(fmt::format(
        "{}: l-diversity is asked of column '{}', which the table does not have; it is a promise "
        "about the table that goes out",
        policy.source, diversity.column));
  }
  SequentialRelease made;
  std::vector<Release> releases;
  if (!previous.empty()) {
    std::vector<ForeignFile> files = previous;
    files.push_back(values_of(table, previous, policy));
    releases = read_foreign(std::move(files), policy);
    releases.pop_back();
    check_hierarchies(releases, previous, policy, table);
  }
  FrequencyList list = make_frequency_list(table, policy);
  table = {};
  // Without those who match nothing the table may reach what it does not with them.
  const bool drops = policy.dangling == Dangling::drop && !releases.empty();
  if (!drops) Requirements(policy, list).check_reachable(list);
  const std::uint64_t records = list.records;
  const auto start = std::chrono::steady_clock::now();
  made.how = specialize(std::move(list), releases, policy);
  made.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  releases.clear();
  made.dropped = records - made.how.list.records;
  made.release = make_release(std::move(made.how.list), made.how.partition, seed);
  made.release.suppressed += made.dropped;
  made.how.list = {};
  made.how.partition = {};

  made.verdict = check_release(made.release, policy);
  previous.push_back(file_of(io::columns_of(made.release), "the release", policy));
  if (!policy.xy.empty()) {
    const std::vector<Release> all = read_foreign(std::move(previous), policy);
    made.join = audit_join(all, policy);
  }
  const bool holds = made.verdict.broken.empty() && made.join.holds();
  if (!made.how.met && !holds) fail(made, policy);
  // Our defect, not the user's: nothing goes out.
  if (holds != made.how.met) {
    throw std::logic_error(holds ? "the release holds where the search says that it does not"
                                 : "the release breaks its policy: " +
                                       (made.verdict.broken.empty() ? std::string("(X,Y)-privacy")
                                                                    : made.verdict.broken[0]));
  }
  add_warnings(made.how, policy, made);
  return made;
}

}  // namespace throng
