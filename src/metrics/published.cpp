#include "metrics/published.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "table/sorted_keys.h"
#include "throng/error.h"

namespace throng {
namespace {

const Release::Quasi& quasi_of(const Release& release, const std::string& name) {
  return *std::find_if(release.quasi.begin(), release.quasi.end(),
                       [&](const Release::Quasi& column) { return column.domain.name == name; });
}

// For each code of `from` that is used, the code of the same label in `to`.
std::vector<Code> codes_in(const Dictionary& to, const Dictionary& from,
                           const std::vector<char>& is_used, const std::string& column,
                           const std::string& source) {
  std::vector<std::pair<std::string_view, Code>> known;
  for (Code code = 0; code < to.size(); ++code) known.emplace_back(to.labels[code], code);
  std::sort(known.begin(), known.end());
  std::vector<Code> result(from.size(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (is_used[i] == 0) continue;
    const std::string_view label = from.labels[i];
    const auto found =
        std::lower_bound(known.begin(), known.end(), std::pair<std::string_view, Code>(label, 0));
    if (found == known.end() || found->first != label) {
      throw InputError(
          fmt::format("{}: column '{}' has '{}', which the original does not have; is it a release "
                      "of that table?",
                      source, column, label));
    }
    result[i] = found->second;
  }
  return result;
}

// Every position as a region of its own.
std::vector<Region> exact_regions(const Domain& domain) {
  std::vector<Region> regions;
  for (Code position = 0; position < domain.size(); ++position)
    regions.push_back(region_of_value(domain, position));
  return regions;
}

// Entries that are their own groups, from the sorted combinations of `columns` quasi-identifiers
// and, where the schema has it, the sensitive column.
void add_own_groups(const SortedKeys& sorted, std::size_t columns, bool sensitive,
                    std::vector<std::vector<Code>>& entries, Published& published) {
  std::vector<std::vector<Code>> all;
  for (std::size_t i = 0; i < columns; ++i) all.push_back(sorted.column(i));
  const std::vector<Code> values =
      sensitive ? sorted.column(columns) : std::vector<Code>(sorted.size(), 0);
  entries.resize(columns);
  for (std::size_t at = 0; at < sorted.size(); ++at) {
    bool is_new = at == 0;
    for (std::size_t i = 0; !is_new && i < columns; ++i) is_new = all[i][at] != all[i][at - 1];
    if (is_new) {
      for (std::size_t i = 0; i < columns; ++i) entries[i].push_back(all[i][at]);
      published.group_of.push_back(static_cast<std::uint32_t>(published.weights.size()));
      published.weights.push_back(0);
      published.count_begin.push_back(published.count_list.size());
    }
    published.weights.back() += sorted.counts()[at];
    published.count_list.push_back({values[at], sorted.counts()[at]});
    published.records += sorted.counts()[at];
  }
  published.count_begin.push_back(published.count_list.size());
  published.sizes = published.weights;
}

}  // namespace

Schema make_schema(const Table& original, std::vector<Domain> domains,
                   const std::string& sensitive) {
  Schema schema;
  for (Domain& domain : domains) {
    const Column& column = *original.find(domain.name);
    const std::vector<Code> positions = positions_in(domain, column.values);
    std::vector<std::uint64_t> records(domain.size(), 0);
    column.codes.visit([&](const auto& codes) {
      for (const auto code : codes) ++records[positions[code]];
    });
    const std::size_t missing = column.values.missing ? positions.back() : domain.size();
    schema.quasi.push_back({std::move(domain), std::move(records), missing});
  }
  schema.sensitive = sensitive;
  if (sensitive.empty()) {
    schema.values.labels = {""};
  } else {
    schema.values = original.find(sensitive)->values;
  }
  return schema;
}

Published publish(const Table& original, const Schema& schema) {
  Published published;
  std::vector<KeyColumn> keys;
  for (const Schema::Quasi& quasi : schema.quasi) {
    const Column& column = *original.find(quasi.domain.name);
    keys.push_back({&column.codes, positions_in(quasi.domain, column.values), quasi.domain.size()});
  }
  if (!schema.sensitive.empty()) {
    const Column& column = *original.find(schema.sensitive);
    keys.push_back({&column.codes, {}, column.values.size()});
  }
  const SortedKeys sorted(keys, original.rows);
  std::vector<std::vector<Code>> entries;
  add_own_groups(sorted, schema.quasi.size(), !schema.sensitive.empty(), entries, published);
  for (std::size_t i = 0; i < schema.quasi.size(); ++i) {
    published.quasi.push_back({exact_regions(schema.quasi[i].domain), std::move(entries[i])});
  }
  return published;
}

Published publish(const Release& release, const Schema& schema) {
  Published published;
  // Classes in the order of their regions; two spellings of one region are one.
  std::vector<Codes> ranks;
  for (const Schema::Quasi& quasi : schema.quasi) {
    const Release::Quasi& column = quasi_of(release, quasi.domain.name);
    std::vector<Region> regions = column.regions;
    std::sort(regions.begin(), regions.end());
    regions.erase(std::unique(regions.begin(), regions.end()), regions.end());
    std::vector<Code> rank_of, rank_of_class;
    for (const Region& region : column.regions) {
      rank_of.push_back(static_cast<Code>(std::lower_bound(regions.begin(), regions.end(), region) -
                                          regions.begin()));
    }
    for (const std::uint32_t region : column.of_class) rank_of_class.push_back(rank_of[region]);
    ranks.emplace_back(rank_of_class, regions.size());
    published.quasi.push_back({std::move(regions), {}});
  }
  std::vector<KeyColumn> class_keys;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    class_keys.push_back({&ranks[i], {}, published.quasi[i].regions.size()});
  const SortedKeys classes(class_keys, release.classes,
                           std::vector<std::uint32_t>(release.classes, 1));

  const Codes class_codes(release.class_of_row, std::max<std::size_t>(1, release.classes));
  std::vector<KeyColumn> keys = {{&class_codes, classes.combination_of(), classes.size()}};
  if (!schema.sensitive.empty()) {
    const auto plain =
        std::find_if(release.plain.begin(), release.plain.end(),
                     [&](const Release::Plain& column) { return column.name == schema.sensitive; });
    keys.push_back(
        {&plain->codes,
         codes_in(schema.values, plain->values, std::vector<char>(plain->values.size(), 1),
                  plain->name, "the release"),
         schema.values.size()});
  }
  const SortedKeys sorted(keys, release.rows());
  std::vector<std::vector<Code>> entries;
  add_own_groups(sorted, 1, !schema.sensitive.empty(), entries, published);
  for (std::size_t i = 0; i < published.quasi.size(); ++i) {
    const std::vector<Code> of_class = classes.column(i);
    for (const Code number : entries[0]) published.quasi[i].of_entry.push_back(of_class[number]);
  }
  return published;
}

Published publish(const Buckets& buckets, const Schema& schema, const std::string& source) {
  Published published;
  std::vector<Codes> codes;
  codes.reserve(schema.quasi.size() + 1);
  codes.emplace_back(buckets.group_of_row, std::max<std::size_t>(1, buckets.groups.size()));
  std::vector<KeyColumn> keys = {{&codes.back(), {}, buckets.groups.size()}};
  for (const Schema::Quasi& quasi : schema.quasi) {
    const auto domain =
        std::find_if(buckets.domains.begin(), buckets.domains.end(),
                     [&](const Domain& known) { return known.name == quasi.domain.name; });
    const auto index = static_cast<std::size_t>(domain - buckets.domains.begin());
    std::vector<char> is_used(domain->size(), 0);
    for (const Code position : buckets.positions[index]) is_used[position] = 1;
    std::vector<Code> position_of =
        codes_in(quasi.domain.values, domain->values, is_used, domain->name, source);
    codes.emplace_back(buckets.positions[index], std::max<std::size_t>(1, domain->size()));
    keys.push_back({&codes.back(), std::move(position_of), quasi.domain.size()});
    published.quasi.push_back({exact_regions(quasi.domain), {}});
  }
  const SortedKeys sorted(keys, buckets.rows());
  for (std::size_t i = 0; i < schema.quasi.size(); ++i)
    published.quasi[i].of_entry = sorted.column(i + 1);
  published.weights = sorted.counts();
  published.group_of = sorted.column(0);
  published.records = buckets.rows();

  const std::vector<Code> value_of =
      codes_in(schema.values, buckets.values, std::vector<char>(buckets.values.size(), 1),
               buckets.sensitive, source);
  for (std::uint32_t group = 0; group < buckets.groups.size(); ++group) {
    published.count_begin.push_back(published.count_list.size());
    published.sizes.push_back(0);
    for (const Buckets::Count& count : buckets.counts(group)) {
      published.count_list.push_back({value_of[count.value], count.count});
      published.sizes.back() += count.count;
    }
  }
  published.count_begin.push_back(published.count_list.size());
  return published;
}

std::size_t covered(const Region& region) {
  return region.members.empty() ? region.high - region.low + std::size_t{1} : region.members.size();
}

}  // namespace throng
