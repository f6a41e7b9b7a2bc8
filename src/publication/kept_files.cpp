#include "publication/kept_files.h"

#include <fmt/format.h>

#include "publication/segments.h"
#include "throng/error.h"

namespace throng {
namespace {

void escape_stars(RawColumn& column) {
  for (std::string& text : column.texts) {
    if (text == "*" || text.find('\\') != std::string::npos) continue;
    for (std::size_t at = text.find('*'); at != std::string::npos; at = text.find('*', at + 2))
      text.insert(at, 1, '\\');
  }
}

}  // namespace

std::string title_of(const ReleaseRecord& record) {
  return record.name.empty() ? fmt::format("release {}", record.number)
                             : fmt::format("release {} ({})", record.number, record.name);
}

ForeignFile published_file(Ledger& ledger, const ReleaseRecord& record, io::Session& session) {
  ForeignFile file;
  file.source = title_of(record);
  for (io::LabelColumn& column : rows_of_release(ledger, record.number, false, session)) {
    file.rows = column.codes.size();
    file.columns.push_back(
        {std::move(column.name), std::move(column.labels), std::move(column.codes)});
  }
  for (RawColumn& column : file.columns) {
    const ColumnPolicy& rule = *ledger.policy().find(column.name);
    if (rule.role == Role::quasi_identifier && rule.type.type == Type::text &&
        std::holds_alternative<std::monostate>(rule.generalization.hierarchy)) {
      escape_stars(column);
    }
  }
  return file;
}

std::vector<std::string> columns_of(const std::vector<ReleaseRecord>& releases) {
  std::vector<std::string> names;
  for (const ReleaseRecord& record : releases)
    names.insert(names.end(), record.columns.begin(), record.columns.end());
  return names;
}

const Policy& policy_numbered(const Ledger& ledger, std::int64_t number) {
  for (const StoredPolicy& stored : ledger.policies()) {
    if (stored.number == number) return stored.policy;
  }
  ledger.fail_damaged(fmt::format("policy {} is missing", number));
}

DuePolicy due_at(const Ledger& ledger, const std::vector<ReleaseRecord>& releases) {
  const ReleaseRecord& last = releases.back();
  return due_policy(policy_numbered(ledger, last.policy), last.columns, columns_of(releases));
}

JoinAudit audit_files(std::vector<ForeignFile> files, const Policy& policy) {
  std::vector<std::string> sources;
  sources.reserve(files.size());
  for (const ForeignFile& file : files) sources.push_back(file.source);
  try {
    const std::vector<Release> releases = read_foreign(std::move(files), policy);
    return audit_join(releases, policy);
  } catch (const ForeignValue& bad) {
    throw InputError(fmt::format("{}: column '{}' has '{}'; expected {}", sources[bad.file],
                                 bad.column, bad.text, bad.expected));
  }
}

}  // namespace throng
