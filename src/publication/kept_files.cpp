#include "publication/kept_files.h"

#include <fmt/format.h>

#include "publication/segments.h"
#include "publication/sequential.h"
#include "throng/error.h"

namespace throng {
std::string title_of(const ReleaseRecord& record) {
  return record.name.empty() ? fmt::format("release {}", record.number)
                             : fmt::format("release {} ({})", record.number, record.name);
}

ForeignFile published_file(Ledger& ledger, const ReleaseRecord& record, io::Session& session) {
  return file_of(rows_of_release(ledger, record.number, false, session), title_of(record),
                 ledger.policy());
}

std::vector<std::string> columns_of(const std::vector<ReleaseRecord>& releases) {
  std::vector<std::string> names;
  for (const ReleaseRecord& record : releases)
    names.insert(names.end(), record.columns.begin(), record.columns.end());
  return names;
}

DuePolicy due_at(const Ledger& ledger, const std::vector<ReleaseRecord>& releases) {
  const ReleaseRecord& last = releases.back();
  return due_policy(ledger.policy_numbered(last.policy), last.columns, columns_of(releases));
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
