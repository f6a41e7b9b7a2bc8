#include "publication/follow.h"

#include <algorithm>
#include <cmath>

#include "publication/dynamic.h"
#include "publication/segments.h"

namespace throng {
namespace {

// Where classes never end, each row is a record, from its release on.
History history_of_segments(Publication& publication, const std::string& name,
                            io::Session& session) {
  const std::vector<ReleaseRecord> releases = publication.releases();
  std::vector<std::int64_t> numbers;
  for (const ReleaseRecord& record : releases) {
    if (record.segment_rows > 0) numbers.push_back(record.number);
  }
  const SegmentRows rows = read_segments(publication.ledger(), numbers, session);
  History history;
  for (const RawColumn& column : rows.columns) {
    if (column.name != name) continue;
    for (std::size_t row = 0; row < rows.rows(); ++row) history.values.push_back(column.codes[row]);
  }
  for (const ReleaseRecord& record : releases) {
    auto& class_of = history.class_of.emplace_back(rows.rows(), History::kAbsent);
    const auto end = static_cast<ClassId>(record.first_class + record.new_classes);
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      if (rows.class_of[row] < end) class_of[row] = static_cast<std::uint32_t>(rows.class_of[row]);
    }
  }
  return history;
}

}  // namespace

std::size_t distinct_needed(const Policy& policy, const std::string& column) {
  double l = 0;
  for (const Diversity& diversity : policy.diversities) {
    if (diversity.column == column) l = std::max(l, diversity.l);
  }
  if (policy.matching && policy.matching->column == column)
    l = std::max(l, static_cast<double>(policy.matching->l));
  return static_cast<std::size_t>(std::ceil(l - 1e-9));
}

std::vector<GuardedColumn> guarded_columns(const Ledger& ledger) {
  std::vector<GuardedColumn> result;
  for (const std::string& name : released_names(ledger)) {
    const std::size_t l = distinct_needed(ledger.policies().front().policy, name);
    if (l > 0) result.push_back({name, l});
  }
  return result;
}

std::optional<History> follow_records(Publication& publication, std::size_t guarded,
                                      io::Session& session) {
  Ledger& ledger = publication.ledger();
  switch (ledger.strategy()) {
    case Strategy::static_full:
    case Strategy::sequential:
      return std::nullopt;
    case Strategy::dynamic:
      return Dynamic(ledger.database(), ledger.vault(), ledger.policy()).history(guarded);
    case Strategy::append:
    case Strategy::static_batch:
      break;
  }
  return history_of_segments(publication, guarded_columns(ledger)[guarded].name, session);
}

}  // namespace throng
