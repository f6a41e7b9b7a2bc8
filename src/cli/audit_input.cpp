#include "cli/audit_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "audit/covering.h"
#include "cli/audit_knowledge.h"
#include "cli/foreign_input.h"
#include "io/reader.h"
#include "io/source.h"
#include "publication/kept_files.h"
#include "publication/kept_knowledge.h"
#include "publication/pool.h"
#include "publication/segments.h"
#include "release/foreign.h"
#include "throng/error.h"

namespace throng::cli {
namespace {

namespace fs = std::filesystem;

// The columns of a release; identifiers in it are a broken promise.
std::vector<std::string> audited_names(const std::string& source, const Policy& policy,
                                       io::Session& session, AuditReport& report) {
  std::vector<std::string> identifiers;
  std::vector<std::string> names = published_names(source, policy, session, identifiers);
  for (const std::string& name : identifiers)
    report.broken.push_back(fmt::format("{}: publishes the identifier '{}'", source, name));
  return names;
}

// Values as they are, not regions: written so that they cannot be taken for any other.
void escape_values(ForeignFile& file, const Policy& policy) {
  for (RawColumn& column : file.columns) {
    if (policy.find(column.name)->role != Role::quasi_identifier) continue;
    for (std::string& text : column.texts) text = escape_value(text);
  }
}

// An exact table must have come out exact.
void check_exact(const Release& table, const std::string& source) {
  for (const Release::Quasi& column : table.quasi) {
    for (const Region& region : column.regions) {
      if (!region.everything && region.low == region.high && region.members.size() < 2) continue;
      throw InputError(fmt::format("{}: column '{}' has '{}', which does not read as one value",
                                   source, column.domain.name,
                                   write_region(column.domain, region)));
    }
  }
}

bool is_yes(const std::string& text, const std::string& column, const std::string& source) {
  const std::string word = io::lower(text);
  if (word == "1" || word == "true" || word == "yes" || word == "y") return true;
  if (word == "0" || word == "false" || word == "no" || word == "n" || word.empty()) return false;
  throw InputError(fmt::format("{}: column '{}' has '{}'; expected 1 or 0 (true, yes, false, no)",
                               source, column, text));
}

std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    names.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

// The private table's quasi-identifiers and sensitive columns, and who is in which release.
ForeignFile read_private(const AuditArguments& arguments, Audited& audited, io::Session& session) {
  std::vector<std::string> wanted, membership;
  for (const ColumnPolicy& column : audited.policy.columns) {
    if (column.role == Role::quasi_identifier || column.role == Role::sensitive)
      wanted.push_back(column.name);
  }
  const std::size_t values = wanted.size();
  const std::size_t releases = audited.sources.size();
  if (!arguments.membership.empty()) {
    membership = split_names(arguments.membership);
    if (membership.size() != releases) {
      throw InputError(
          fmt::format("--membership names {} columns for {} releases; expected one each",
                      membership.size(), releases));
    }
    wanted.insert(wanted.end(), membership.begin(), membership.end());
  }
  ForeignFile file = read_published(arguments.private_table, wanted, session);
  for (std::size_t i = 0; i < releases; ++i) {
    auto& is_in = audited.is_in.emplace_back(file.rows, 1);
    if (membership.empty()) continue;
    const RawColumn& column = file.columns[values + i];
    std::vector<char> yes;
    for (const std::string& text : column.texts)
      yes.push_back(is_yes(text, column.name, arguments.private_table) ? 1 : 0);
    for (std::size_t row = 0; row < file.rows; ++row) is_in[row] = yes[column.codes[row]];
  }
  file.columns.resize(values);
  escape_values(file, audited.policy);
  return file;
}

// All raw records that a publication holds, and in which releases each could be.
ForeignFile read_held(Publication& publication, Audited& audited) {
  Ledger& ledger = publication.ledger();
  const std::vector<std::string> names = released_names(ledger);
  ForeignFile file;
  file.source = "the raw records";
  std::vector<std::int64_t> batch_of;
  std::vector<std::vector<Code>> codes(names.size());
  for (const std::string& name : names) file.columns.push_back({name, {}, {}});
  for (const RawRecords& records : held_records(ledger)) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto first = static_cast<Code>(file.columns[i].texts.size());
      const RawColumn& from = records.columns[i];
      file.columns[i].texts.insert(file.columns[i].texts.end(), from.texts.begin(),
                                   from.texts.end());
      for (std::size_t row = 0; row < records.rows; ++row)
        codes[i].push_back(first + from.codes[row]);
    }
    batch_of.insert(batch_of.end(), records.rows, std::int64_t{records.batch});
  }
  file.rows = batch_of.size();
  for (std::size_t i = 0; i < names.size(); ++i) {
    file.columns[i].codes = Codes(codes[i], std::max<std::size_t>(1, file.columns[i].texts.size()));
  }
  std::int64_t number = 0;
  for (const ReleaseRecord& record : publication.releases()) {
    ++number;
    auto& is_in = audited.is_in.emplace_back(file.rows, 0);
    if (record.published == 0) continue;
    for (std::size_t row = 0; row < file.rows; ++row) is_in[row] = batch_of[row] <= number ? 1 : 0;
  }
  escape_values(file, audited.policy);
  return file;
}

std::vector<ForeignFile> read_publication(Publication& publication, Audited& audited,
                                          io::Session& session) {
  std::vector<ForeignFile> files;
  for (const ReleaseRecord& record : publication.releases()) {
    files.push_back(published_file(publication.ledger(), record, session));
    audited.sources.push_back(files.back().source);
  }
  if (files.empty()) throw InputError("the publication has no release yet");
  return files;
}

// What the last release of a sequential publication was asked, joined with all before it; of each
// one by itself what the first policy asks.
void read_due(Publication& publication, Audited& audited, AuditReport& report) {
  const Policy first = std::move(audited.policy);
  DuePolicy due = due_at(publication.ledger(), publication.releases());
  audited.policy = std::move(due.policy);
  audited.policy.k = first.k;
  audited.policy.diversities = first.diversities;
  report.json["waits"] = due.waits;
  for (const std::string& text : due.waits) report.lines.push_back("waits: " + text);
}

void warn_of_order(const Audited& audited, AuditReport& report) {
  std::error_code error;
  for (std::size_t i = 0; i < audited.bucket_sources.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (audited.bucket_sources[i] == audited.bucket_sources[j])
        report.warnings.push_back(audited.bucket_sources[i] + " is given twice");
    }
  }
  for (std::size_t i = 0; i < audited.sources.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (fs::equivalent(audited.sources[i], audited.sources[j], error)) {
        report.warnings.push_back(fmt::format("{} is given twice, as releases {} and {}",
                                              audited.sources[i], j + 1, i + 1));
      }
    }
    if (i > 0 && !audited.sequential &&
        columns_of(audited.releases[i]) == columns_of(audited.releases[i - 1]) &&
        audited.releases[i].rows() < audited.releases[i - 1].rows()) {
      report.warnings.push_back(fmt::format(
          "{} has fewer records than {} before it; are the releases in the order of their "
          "publication?",
          audited.sources[i], audited.sources[i - 1]));
    }
  }
}

void check_columns(const Audited& audited) {
  for (std::size_t i = 1; i < audited.releases.size(); ++i) {
    const auto first = columns_of(audited.releases[0]), other = columns_of(audited.releases[i]);
    if (first == other) continue;
    if (audited.records) {
      throw InputError(
          fmt::format("{} and {} have different columns; --private needs releases with "
                      "the same ones",
                      audited.sources[0], audited.sources[i]));
    }
    if (!audited.policy.xy.empty() || audited.sequential) continue;
    throw InputError(fmt::format(
        "{} and {} have different columns ({}; {}); releases of different columns are compared by "
        "the policy's xy-anonymity and xy-linkability, and it has none",
        audited.sources[0], audited.sources[i], fmt::join(first, ", "), fmt::join(other, ", ")));
  }
}

}  // namespace

Audited read_audited(const AuditArguments& arguments, io::Session& session,
                     std::optional<Publication>& publication, AuditReport& report) {
  Audited audited;
  audited.explain = arguments.explain;
  std::vector<ForeignFile> files;
  if (!arguments.publication.folder.empty()) {
    if (!arguments.words.empty() || !arguments.private_table.empty() ||
        !arguments.membership.empty()) {
      throw InputError(
          "--publication has its own policy, releases and records; leave the others out");
    }
    publication.emplace(arguments.publication.folder, Ledger::Access::read, "audit",
                        key_file_or_default(arguments.publication.key_file),
                        arguments.publication.wait, session);
    for (const std::string& note : publication->notes()) report.warnings.push_back(note);
    const Ledger& ledger = publication->ledger();
    // Later policies are stricter; what holds for every class is the first one.
    audited.policy = ledger.policies().front().policy;
    audited.sequential = ledger.strategy() == Strategy::sequential;
    files = read_publication(*publication, audited, session);
    audited.records_known = !audited.sequential;
    if (audited.sequential) read_due(*publication, audited, report);
    if (audited.policy.matching) {
      KeptKnowledge knowledge(publication->ledger());
      audited.rules = knowledge.rules();
      for (const std::string& found : knowledge.check(session)) report.broken.push_back(found);
    }
    if (publication->ledger().strategy() == Strategy::static_full)
      files.push_back(read_held(*publication, audited));
  } else {
    if (arguments.words.size() < 2) {
      throw InputError(
          "audit takes a policy and at least one release, or --publication DIR; "
          "`throng audit --help` tells more");
    }
    audited.policy = read_policy(arguments.words[0]);
    for (std::size_t i = 1; i < arguments.words.size(); ++i) {
      const std::string& word = arguments.words[i];
      if (const auto buckets = find_buckets(word, audited.policy, session)) {
        for (const std::string& name : io::read_names(buckets->qit, session)) {
          const ColumnPolicy* column = audited.policy.find(name);
          if (column == nullptr || column->role != Role::identifier) continue;
          report.broken.push_back(
              fmt::format("{}: publishes the identifier '{}'", buckets->qit, name));
        }
        audited.buckets.push_back(read_bucket_files(*buckets, audited.policy, session));
        audited.bucket_sources.push_back(word);
        continue;
      }
      audited.sources.push_back(word);
      files.push_back(
          read_published(word, audited_names(word, audited.policy, session, report), session));
    }
    if (!arguments.private_table.empty()) {
      files.push_back(read_private(arguments, audited, session));
      audited.records_known = true;
      if (audited.policy.knowledge && audited.policy.knowledge->mine)
        audited.mined = mine_private(arguments.private_table, audited.policy, session);
    }
  }
  const bool has_records = files.size() > audited.sources.size();
  if (!arguments.population.empty()) {
    std::vector<std::string> quasi;
    for (const ColumnPolicy& column : audited.policy.columns) {
      if (column.role == Role::quasi_identifier) quasi.push_back(column.name);
    }
    files.push_back(read_published(arguments.population, quasi, session));
    escape_values(files.back(), audited.policy);
  }
  // An empty cell of somebody else's file is a value that was taken out, unless the policy says
  // that it is the missing one, or an exact table has it as a value.
  const auto has_empty = [](const ForeignFile& file) {
    return std::any_of(file.columns.begin(), file.columns.end(), [](const RawColumn& column) {
      return std::find(column.texts.begin(), column.texts.end(), "") != column.texts.end();
    });
  };
  const bool exact_empty = std::any_of(
      files.begin() + static_cast<std::ptrdiff_t>(audited.sources.size()), files.end(), has_empty);
  const EmptyCell empty =
      !publication && !exact_empty && audited.policy.missing.values == std::vector<std::string>{""}
          ? EmptyCell::everything
          : EmptyCell::as_listed;
  std::vector<std::string> sources;
  sources.reserve(files.size());
  for (const ForeignFile& file : files) sources.push_back(file.source);
  try {
    audited.releases = read_foreign(std::move(files), audited.policy, empty);
  } catch (const ForeignValue& bad) {
    const bool is_file = publication == std::nullopt;
    if (is_file && bad.file >= audited.sources.size()) {  // an exact table, whose values we escaped
      std::string text = bad.text;
      std::erase(text, '\\');
      throw InputError(fmt::format("{}: column '{}' has '{}'; expected one value of its type",
                                   io::place_of(sources[bad.file], bad.column, text), bad.column,
                                   text));
    }
    throw InputError(fmt::format(
        "{}: column '{}' has '{}'; expected {}",
        is_file ? io::place_of(sources[bad.file], bad.column, bad.text) : sources[bad.file],
        bad.column, bad.text, bad.expected));
  }
  if (!arguments.population.empty()) {
    check_exact(audited.releases.back(), arguments.population);
    audited.population = std::move(audited.releases.back());
    audited.releases.pop_back();
  }
  if (has_records) {
    check_exact(audited.releases.back(), sources[audited.sources.size()]);
    audited.records = std::move(audited.releases.back());
    audited.releases.pop_back();
  }
  check_columns(audited);
  warn_of_order(audited, report);
  return audited;
}

std::vector<std::string> columns_of(const Release& release) {
  std::vector<std::string> result;
  for (const Release::Quasi& column : release.quasi) result.push_back(column.domain.name);
  for (const Release::Plain& column : release.plain) result.push_back(column.name);
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<GuardedColumn> guarded_of(const Audited& audited) {
  std::vector<GuardedColumn> result;
  if (audited.releases.empty()) return result;
  for (const Release::Plain& column : audited.releases[0].plain) {
    const std::size_t l = distinct_needed(audited.policy, column.name);
    if (l > 0) result.push_back({column.name, l});
  }
  return result;
}

std::vector<std::uint64_t> population_of_classes(const Release& release,
                                                 const Release& population) {
  std::vector<std::vector<Code>> points(release.quasi.size());
  for (std::size_t i = 0; i < release.quasi.size(); ++i) {
    const auto column = std::find_if(population.quasi.begin(), population.quasi.end(),
                                     [&](const Release::Quasi& other) {
                                       return other.domain.name == release.quasi[i].domain.name;
                                     });
    for (const std::uint32_t region : column->of_class)
      points[i].push_back(column->regions[region].low);
  }
  std::vector<std::uint64_t> weight(population.classes, 0), result(release.classes, 0);
  for (const std::uint32_t number : population.class_of_row) ++weight[number];
  const auto covering = covering_classes(release, points);
  for (std::size_t point = 0; point < covering.size(); ++point) {
    for (const std::uint32_t number : covering[point]) result[number] += weight[point];
  }
  return result;
}

Linked link_to_releases(const Audited& audited, const std::string& column) {
  const Release& table = *audited.records;
  PrivateRecords records;
  records.is_in = audited.is_in;
  for (const Release::Quasi& quasi : audited.releases[0].quasi) {
    const auto found = std::find_if(
        table.quasi.begin(), table.quasi.end(),
        [&](const Release::Quasi& other) { return other.domain.name == quasi.domain.name; });
    auto& positions = records.positions.emplace_back(table.rows());
    for (std::size_t row = 0; row < table.rows(); ++row) {
      positions[row] = found->regions[found->of_class[table.class_of_row[row]]].low;
    }
  }
  for (const Release::Plain& plain : table.plain) {
    if (plain.name != column) continue;
    for (std::size_t row = 0; row < table.rows(); ++row) records.values.push_back(plain.codes[row]);
  }
  std::size_t index = 0;
  while (audited.releases[0].plain[index].name != column) ++index;
  return link_records(records, audited.releases, index);
}

}  // namespace throng::cli
