#include "release/buckets.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "table/value.h"
#include "throng/error.h"

namespace throng {
namespace {

constexpr const char* kGroup = "group";
constexpr const char* kCount = "count";

const RawColumn& column_of(const ForeignFile& file, const std::string& name) {
  for (const RawColumn& column : file.columns) {
    if (column.name == name) return column;
  }
  throw InputError(
      fmt::format("{}: has no column '{}'; expected the groups of buckets", file.source, name));
}

// The name of a group by its text. Names are ordered as numbers where they all are such.
std::vector<std::string> order_groups(std::vector<std::string> names) {
  std::vector<std::pair<double, std::string>> numbered;
  for (const std::string& name : names) {
    const auto value = parse_value(Type::integer, name);
    if (value) numbered.emplace_back(value->number, name);
  }
  if (numbered.size() < names.size()) {
    std::sort(names.begin(), names.end());
    return names;
  }
  std::sort(numbered.begin(), numbered.end());
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = std::move(numbered[i].second);
  return names;
}

// How many rows have each text.
std::vector<std::uint64_t> rows_with(const RawColumn& column) {
  std::vector<std::uint64_t> rows(column.texts.size(), 0);
  column.codes.visit([&](const auto& codes) {
    for (const auto code : codes) ++rows[code];
  });
  return rows;
}

// Values are exact, so a star inside one is one, and not what hides its end.
void show_stars(std::vector<std::string>& texts) {
  for (std::string& text : texts) {
    if (text == "*" || text.find('\\') != std::string::npos) continue;
    for (std::size_t at = text.find('*'); at != std::string::npos; at = text.find('*', at + 2))
      text.insert(at, 1, '\\');
  }
}

void read_quasi(const ForeignFile& qit, const Policy& policy, Buckets& buckets) {
  ForeignFile quasi{qit.source, {}, qit.rows};
  for (const RawColumn& column : qit.columns) {
    if (column.name == kGroup) continue;
    const ColumnPolicy* rule = policy.find(column.name);
    if (rule != nullptr && (rule->role == Role::insensitive || rule->role == Role::identifier))
      continue;
    if (rule == nullptr || rule->role != Role::quasi_identifier) {
      throw InputError(fmt::format("{}: column '{}' is no quasi-identifier of the policy {}",
                                   qit.source, column.name, policy.source));
    }
    quasi.columns.push_back(column);
    if (rule->type.type == Type::text &&
        std::holds_alternative<std::monostate>(rule->generalization.hierarchy))
      show_stars(quasi.columns.back().texts);
  }
  if (quasi.columns.empty()) {
    throw InputError(
        fmt::format("{}: has no quasi-identifier of the policy {}; expected at least one",
                    qit.source, policy.source));
  }
  std::vector<RawColumn> columns = quasi.columns;
  std::vector<ForeignFile> files;
  files.push_back(std::move(quasi));
  Release release = std::move(read_foreign(std::move(files), policy)[0]);
  for (std::size_t i = 0; i < release.quasi.size(); ++i) {
    Release::Quasi& column = release.quasi[i];
    const auto is_exact = [&](const Region& region) {
      return region.low == region.high && !region.everything &&
             (!column.domain.tree || column.domain.tree->is_leaf(region.node));
    };
    std::vector<Code>& positions = buckets.positions.emplace_back(qit.rows);
    for (std::size_t row = 0; row < qit.rows; ++row) {
      const Region& region = release.region(i, release.class_of_row[row]);
      if (!is_exact(region)) {
        throw ForeignValue{0, columns[i].name, columns[i].texts[columns[i].codes[row]],
                           "an exact value, as buckets have them"};
      }
      positions[row] = region.low;
    }
    buckets.domains.push_back(std::move(column.domain));
  }
}

std::uint32_t read_count(const std::string& text) {
  const auto value = parse_value(Type::integer, text);
  if (!value || value->number < 1 || value->number > std::numeric_limits<std::uint32_t>::max())
    throw ForeignValue{1, kCount, text, "how often the value occurs, 1 or more"};
  return static_cast<std::uint32_t>(value->number);
}

}  // namespace

Buckets read_buckets(const ForeignFile& qit, const ForeignFile& st, const Policy& policy) {
  Buckets buckets;
  const RawColumn& row_groups = column_of(qit, kGroup);
  const RawColumn& count_groups = column_of(st, kGroup);
  const RawColumn& counts = column_of(st, kCount);
  const RawColumn* sensitive = nullptr;
  for (const RawColumn& column : st.columns) {
    if (&column == &count_groups || &column == &counts) continue;
    const ColumnPolicy* rule = policy.find(column.name);
    if (rule == nullptr || rule->role != Role::sensitive || sensitive != nullptr) {
      throw InputError(
          fmt::format("{}: has the column '{}'; expected `group`, one sensitive column and `count`",
                      st.source, column.name));
    }
    sensitive = &column;
  }
  if (sensitive == nullptr)
    throw InputError(st.source + ": has no sensitive column of the policy " + policy.source);
  read_quasi(qit, policy, buckets);

  // Groups, and the records of each.
  buckets.groups = order_groups(row_groups.texts);
  std::unordered_map<std::string, std::uint32_t> number_of;
  for (std::uint32_t i = 0; i < buckets.groups.size(); ++i) number_of[buckets.groups[i]] = i;
  std::vector<std::uint32_t> row_number, count_number;
  for (const std::string& text : row_groups.texts) row_number.push_back(number_of.at(text));
  for (const std::string& text : count_groups.texts) {
    const auto found = number_of.find(text);
    if (found == number_of.end()) {
      throw InputError(fmt::format("{}: has the group '{}', of which {} has no record", st.source,
                                   text, qit.source));
    }
    count_number.push_back(found->second);
  }
  buckets.group_of_row.resize(qit.rows);
  row_groups.codes.visit([&](const auto& codes) {
    for (std::size_t row = 0; row < codes.size(); ++row)
      buckets.group_of_row[row] = row_number[codes[row]];
  });

  // The sensitive values, through the same reading as anyone's.
  std::vector<ForeignFile> files;
  files.push_back({st.source, {*sensitive}, st.rows});
  Release::Plain plain;
  try {
    plain = std::move(read_foreign(std::move(files), policy)[0].plain[0]);
  } catch (ForeignValue& value) {
    value.file = 1;
    throw;
  }
  buckets.sensitive = plain.name;
  buckets.values = std::move(plain.values);

  std::vector<std::uint32_t> count_of;
  for (const std::string& text : counts.texts) count_of.push_back(read_count(text));
  struct Entry {
    std::uint32_t group = 0;
    Code value = 0;
    std::uint32_t count = 0;
  };
  std::vector<Entry> entries(st.rows);
  std::vector<std::uint64_t> sums(buckets.groups.size(), 0);
  for (std::size_t row = 0; row < st.rows; ++row) {
    entries[row] = {count_number[count_groups.codes[row]], plain.codes[row],
                    count_of[counts.codes[row]]};
    sums[entries[row].group] += entries[row].count;
  }
  const std::vector<std::uint64_t> rows = rows_with(row_groups);
  for (std::size_t code = 0; code < rows.size(); ++code) {
    const std::uint64_t sum = sums[row_number[code]];
    if (sum == rows[code]) continue;
    throw InputError(fmt::format(
        "{}: the counts of group '{}' are {} in all; expected {}, the number of its records in {}",
        st.source, row_groups.texts[code], sum, rows[code], qit.source));
  }

  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.group != b.group ? a.group < b.group : a.value < b.value;
  });
  buckets.count_begin.assign(1, 0);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    const bool next = i > 0 && entries[i - 1].group != entry.group;
    if (next) buckets.count_begin.push_back(buckets.count_list.size());
    if (i > 0 && !next && entries[i - 1].value == entry.value) {
      buckets.count_list.back().count += entry.count;  // no more than the group has records
    } else {
      buckets.count_list.push_back({entry.value, entry.count});
    }
  }
  if (!entries.empty()) buckets.count_begin.push_back(buckets.count_list.size());
  return buckets;
}

Buckets read_permuted(const ForeignFile& file, const Policy& policy) {
  // Each record's value counts once.
  ForeignFile qit{file.source, {}, file.rows}, st{file.source, {}, file.rows};
  st.columns.push_back({kCount, {"1"}, Codes(file.rows, 1)});
  for (const RawColumn& column : file.columns) {
    const ColumnPolicy* rule = policy.find(column.name);
    const bool is_sensitive = rule != nullptr && rule->role == Role::sensitive;
    if (is_sensitive || column.name == kGroup) st.columns.push_back(column);
    if (!is_sensitive) qit.columns.push_back(column);
  }
  return read_buckets(qit, st, policy);
}

}  // namespace throng
