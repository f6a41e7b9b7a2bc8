#include "throng/throng.h"

#include <fmt/format.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <unordered_map>

#include "algorithms/anonymize.h"
#include "api/checked.h"
#include "audit/check_matching.h"
#include "metrics/figures.h"
#include "publication/sequential.h"

namespace throng {
namespace {

RawColumn raw_column(const TextColumn& column) {
  RawColumn raw;
  raw.name = column.name;
  std::unordered_map<std::string_view, Code> code_of;
  std::vector<Code> codes;
  for (const std::string& value : column.values) {
    const auto [found, is_new] = code_of.try_emplace(value, static_cast<Code>(raw.texts.size()));
    if (is_new) raw.texts.push_back(value);
    codes.push_back(found->second);
  }
  raw.codes = Codes(codes, raw.texts.size());
  return raw;
}

// Throws InputError where the columns are not those of a table.
std::vector<std::string> names_of(const std::vector<TextColumn>& input) {
  std::vector<std::string> names;
  for (const TextColumn& column : input) {
    if (std::find(names.begin(), names.end(), column.name) != names.end()) {
      throw InputError(fmt::format("column '{}' stands twice in the input", column.name));
    }
    names.push_back(column.name);
    if (column.values.size() != input[0].values.size()) {
      throw InputError(fmt::format("column '{}' has {} values where '{}' has {}; expected as many",
                                   column.name, column.values.size(), input[0].name,
                                   input[0].values.size()));
    }
  }
  return names;
}

Table table_of(const std::vector<TextColumn>& input, const Policy& policy) {
  const std::vector<std::string> names = names_of(input);
  Table table;
  table.rows = input.empty() ? 0 : input[0].values.size();
  if (table.rows == 0) throw InputError("the input has no records");
  for (const ColumnPolicy* rule : released_columns(policy, names, "input")) {
    const auto column = std::find_if(input.begin(), input.end(), [&](const TextColumn& given) {
      return given.name == rule->name;
    });
    try {
      table.columns.push_back(encode(raw_column(*column), rule->type, missing_rule(policy, *rule)));
    } catch (const BadValue& bad) {
      throw InputError(
          fmt::format("column '{}' has '{}'; expected {}", bad.column, bad.text, bad.expected));
    }
  }
  if (policy.missing.as == MissingRule::As::drop) drop_missing(table);
  return table;
}

std::vector<ForeignFile> files_of(const std::vector<std::vector<TextColumn>>& previous) {
  std::vector<ForeignFile> files;
  for (const std::vector<TextColumn>& columns : previous) {
    ForeignFile& file = files.emplace_back();
    file.source = fmt::format("previous release {}", files.size());
    names_of(columns);
    for (const TextColumn& column : columns) file.columns.push_back(raw_column(column));
    file.rows = columns.empty() ? 0 : columns[0].values.size();
    if (file.rows == 0) throw InputError(file.source + " has no records");
  }
  return files;
}

// Columns that only previous releases have are not asked of the table.
Policy policy_of_table(Policy policy, const std::vector<TextColumn>& input,
                       const std::vector<ForeignFile>& previous) {
  std::vector<std::string> names;
  for (const TextColumn& column : input) names.push_back(column.name);
  return without_columns_of(std::move(policy), names, previous);
}

std::vector<TextColumn> columns_of(const Release& release) {
  std::vector<TextColumn> columns;
  for (const auto& slot : release.layout) {
    TextColumn& column = columns.emplace_back();
    if (slot.quasi) {
      const Release::Quasi& quasi = release.quasi[slot.index];
      column.name = quasi.domain.name;
      for (const std::uint32_t number : release.class_of_row) {
        column.values.push_back(write_region(quasi.domain, release.region(slot.index, number)));
      }
    } else {
      const Release::Plain& plain = release.plain[slot.index];
      column.name = plain.name;
      for (std::size_t row = 0; row < release.rows(); ++row) {
        column.values.push_back(plain.values.labels[plain.codes[row]]);
      }
    }
  }
  return columns;
}

}  // namespace

CheckedRelease anonymize_checked(Table table, const Policy& policy, std::uint64_t seed) {
  CheckedRelease checked;
  checked.warnings = warnings_about(table, policy);
  const std::size_t dropped = table.dropped;
  std::optional<KnownRecords> known;
  checked.release = anonymize_table(std::move(table), policy, seed, &known);
  Verdict verdict = check_release(checked.release, policy);
  std::size_t valid = 0;
  if (known) {
    const MatchingVerdict matching = check_matching(checked.release, *known, policy.matching->l);
    valid = matching.valid;
    verdict.broken.insert(verdict.broken.end(), matching.broken.begin(), matching.broken.end());
  }
  // Our defect, not the user's: nothing goes out.
  if (!verdict.broken.empty())
    throw std::logic_error("the release breaks its policy: " + verdict.broken[0]);
  checked.figures = measure(checked.release, verdict);
  checked.figures.dropped = dropped;
  if (!known) return checked;
  checked.figures.matching = {known->column, known->rules, known->stated, valid};
  if (known->hopeless > 0) {
    checked.warnings.push_back(fmt::format(
        "{} records have fewer than {} valid values of '{}' even in one class of all, for an "
        "attacker who knows the rules; they are left out",
        known->hopeless, policy.matching->l, known->column));
  }
  return checked;
}

Result anonymize(std::string_view policy_yaml, const std::vector<TextColumn>& input,
                 const std::vector<std::vector<TextColumn>>& previous, const Options& options) {
  std::unique_ptr<tbb::global_control> limit;
  if (options.threads > 0) {
    limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                  options.threads);
  }
  const Policy policy = parse_policy(std::string(policy_yaml), "policy", "");
  refuse_unkept(policy, "anonymize");
  if (makes_buckets(policy)) {
    throw InputError(
        "policy: buckets (anatomy, injector) are made by `throng anonymize`, not yet by the "
        "library");
  }
  if (policy.algorithm != Algorithm::tds) {
    if (!previous.empty()) throw InputError("previous releases go with `algorithm: tds`");
    CheckedRelease checked = anonymize_checked(table_of(input, policy), policy, options.seed);
    return {columns_of(checked.release), checked.figures, checked.warnings};
  }
  std::vector<ForeignFile> files = files_of(previous);
  Table table = table_of(input, policy_of_table(policy, input, files));
  std::vector<std::string> warnings = warnings_about(table, policy);
  const std::size_t dropped = table.dropped;
  try {
    SequentialRelease made =
        release_after(std::move(table), std::move(files), policy, options.seed);
    Figures figures = measure(made.release, made.verdict);
    figures.dropped = dropped;
    warnings.insert(warnings.end(), made.warnings.begin(), made.warnings.end());
    return {columns_of(made.release), figures, warnings};
  } catch (const ForeignValue& bad) {
    throw InputError(fmt::format("previous release {}: column '{}' has '{}'; expected {}",
                                 bad.file + 1, bad.column, bad.text, bad.expected));
  }
}

Result anonymize(std::string_view policy_yaml, const std::vector<TextColumn>& input,
                 const Options& options) {
  return anonymize(policy_yaml, input, {}, options);
}

std::string_view version() { return THRONG_VERSION; }

}  // namespace throng
