#include "io/bucket_writer.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "io/writer.h"

namespace throng::io {
namespace {

LabelColumn quasi_column(const Buckets& buckets, std::size_t index) {
  const Domain& domain = buckets.domains[index];
  LabelColumn column{domain.name, {}, Codes(buckets.positions[index], domain.size())};
  for (Code position = 0; position < domain.size(); ++position)
    column.labels.push_back(write_region(domain, region_of_value(domain, position)));
  return column;
}

LabelColumn group_column(const Buckets& buckets) {
  return {"group", buckets.groups, Codes(buckets.group_of_row, buckets.groups.size())};
}

// Every column but the sensitive one, for which `values` are codes by row; none: it is left out.
std::vector<LabelColumn> rows_of(const BucketedRelease& release, const std::vector<Code>* values) {
  const Buckets& buckets = release.buckets;
  std::vector<LabelColumn> columns;
  for (const BucketedRelease::Slot& slot : release.layout) {
    switch (slot.kind) {
      case BucketedRelease::Slot::Kind::quasi:
        columns.push_back(quasi_column(buckets, slot.index));
        break;
      case BucketedRelease::Slot::Kind::other: {
        const Release::Plain& other = release.others[slot.index];
        columns.push_back({other.name, other.values.labels, other.codes});
        break;
      }
      case BucketedRelease::Slot::Kind::sensitive:
        if (values == nullptr) break;
        columns.push_back({buckets.sensitive, buckets.values.labels,
                           Codes(*values, std::max<std::size_t>(1, buckets.values.size()))});
        break;
    }
  }
  columns.push_back(group_column(buckets));
  return columns;
}

std::vector<LabelColumn> counts_of(const Buckets& buckets) {
  std::uint32_t most = 0;
  for (const Buckets::Count& count : buckets.count_list) most = std::max(most, count.count);
  std::vector<Code> groups, values, counts;
  for (std::uint32_t group = 0; group < buckets.groups.size(); ++group) {
    for (const Buckets::Count& count : buckets.counts(group)) {
      groups.push_back(group);
      values.push_back(count.value);
      counts.push_back(count.count);
    }
  }
  std::vector<LabelColumn> columns;
  columns.push_back({"group", buckets.groups, Codes(groups, buckets.groups.size())});
  columns.push_back({buckets.sensitive, buckets.values.labels,
                     Codes(values, std::max<std::size_t>(1, buckets.values.size()))});
  LabelColumn column{"count", {}, Codes(counts, std::size_t{most} + 1)};
  for (std::uint32_t count = 0; count <= most; ++count)
    column.labels.push_back(std::to_string(count));
  columns.push_back(std::move(column));
  return columns;
}

}  // namespace

void write_bucket_tables(const BucketedRelease& release, const std::string& qit,
                         const std::string& st, Session& session) {
  const auto records = prepare_columns(rows_of(release, nullptr), qit, session);
  const auto counts = prepare_columns(counts_of(release.buckets), st, session);
  std::error_code error;
  const bool is_new = !std::filesystem::exists(st, error);
  counts->finish();
  try {
    records->finish();
  } catch (...) {
    // The one without the other is no release.
    if (is_new) ::unlink(st.c_str());
    throw;
  }
}

void write_permuted(const BucketedRelease& release, std::uint64_t seed, const std::string& path,
                    Session& session) {
  const std::vector<Code> values = permuted_values(release.buckets, seed);
  write_columns(rows_of(release, &values), path, session);
}

}  // namespace throng::io
