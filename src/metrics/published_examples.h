// Small tables with all forms in which they can be published, and counting by its definition: row
// by row, world by world. For the tests of queries and rules.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "algorithms/anonymize.h"
#include "metrics/queries.h"
#include "private_tables.h"
#include "release/read.h"

namespace throng::testing {

struct Example {
  Policy policy;
  Table table;
  Schema schema;
};

inline Example example_of(const Rows& rows, Policy policy) {
  Example example{std::move(policy), {}, {}};
  example.table = table_of(rows, example.policy);
  std::vector<Domain> domains;
  std::string sensitive;
  for (const Column& column : example.table.columns) {
    const ColumnPolicy& rule = *example.policy.find(column.name);
    if (rule.role == Role::quasi_identifier) {
      domains.push_back(make_domain(column.name, column.values, rule.generalization));
    } else if (rule.role == Role::sensitive) {
      sensitive = column.name;
    }
  }
  example.schema = make_schema(example.table, std::move(domains), sensitive);
  return example;
}

// A release as it is read from a file with these rows.
inline Release release_of(const Rows& rows, const Example& example) {
  std::vector<RawColumn> columns;
  for (std::size_t i = 0; i < rows[0].size(); ++i) {
    RawColumn& raw = columns.emplace_back(RawColumn{rows[0][i], {}, Codes(rows.size() - 1, 1000)});
    for (std::size_t row = 1; row < rows.size(); ++row) {
      auto found = std::find(raw.texts.begin(), raw.texts.end(), rows[row][i]);
      if (found == raw.texts.end()) found = raw.texts.insert(found, rows[row][i]);
      raw.codes.set(row - 1, static_cast<Code>(found - raw.texts.begin()));
    }
  }
  std::vector<Domain> domains;
  for (const Schema::Quasi& quasi : example.schema.quasi) domains.push_back(quasi.domain);
  return read_release(std::move(columns), rows.size() - 1, example.policy, domains, "release");
}

// The table in buckets of 1 to 4 records; some records are left out.
inline Buckets random_buckets(const Example& example, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < example.table.rows; ++row) {
    if (row == 0 || random.below(10) > 0) rows.push_back(row);
  }
  shuffle(rows, seed);
  Buckets buckets;
  const Column& sensitive = *example.table.find(example.schema.sensitive);
  buckets.sensitive = sensitive.name;
  buckets.values = sensitive.values;
  buckets.count_begin = {0};
  for (const Schema::Quasi& quasi : example.schema.quasi) {
    const Column& column = *example.table.find(quasi.domain.name);
    const std::vector<Code> positions = positions_in(quasi.domain, column.values);
    auto& list = buckets.positions.emplace_back();
    for (const std::size_t row : rows) list.push_back(positions[column.codes[row]]);
    buckets.domains.push_back(quasi.domain);
  }
  for (std::size_t begin = 0; begin < rows.size();) {
    const std::size_t end = std::min(rows.size(), begin + 1 + random.below(4));
    const auto group = static_cast<std::uint32_t>(buckets.groups.size());
    std::vector<std::uint32_t> counts(sensitive.values.size(), 0);
    for (; begin < end; ++begin) {
      buckets.group_of_row.push_back(group);
      ++counts[sensitive.codes[rows[begin]]];
    }
    for (Code value = 0; value < counts.size(); ++value) {
      if (counts[value] > 0) buckets.count_list.push_back({value, counts[value]});
    }
    buckets.groups.push_back(std::to_string(group + 1));
    buckets.count_begin.push_back(buckets.count_list.size());
  }
  return buckets;
}

inline bool asks_for(const Query& query, Code value) {
  return query.sensitive.empty() || query.sensitive[value] != 0;
}

inline double count_by_definition(const Table& table, const Schema& schema, const Query& query) {
  double count = 0;
  for (std::size_t row = 0; row < table.rows; ++row) {
    bool is_asked = asks_for(query, table.find(schema.sensitive)->codes[row]);
    for (const Query::Predicate& predicate : query.quasi) {
      const Domain& domain = schema.quasi[predicate.column].domain;
      const Column& column = *table.find(domain.name);
      const Code position = positions_in(domain, column.values)[column.codes[row]];
      is_asked = is_asked && predicate.chosen[position] != 0;
    }
    count += is_asked ? 1 : 0;
  }
  return count;
}

// Every record takes every combination of values that its regions allow, each as likely.
inline double count_by_definition(const Release& release, const Schema& schema,
                                  const Query& query) {
  const auto plain = std::find_if(release.plain.begin(), release.plain.end(),
                                  [&](const auto& each) { return each.name == schema.sensitive; });
  double count = 0;
  for (std::size_t row = 0; row < release.rows(); ++row) {
    const std::string& label = plain->values.labels[plain->codes[row]];
    const auto value = std::find(schema.values.labels.begin(), schema.values.labels.end(), label);
    if (!asks_for(query, static_cast<Code>(value - schema.values.labels.begin()))) continue;
    // All worlds of the record, as tuples of positions of the columns asked for.
    std::size_t worlds = 1, asked = 1;
    for (const Query::Predicate& predicate : query.quasi) {
      const Domain& domain = schema.quasi[predicate.column].domain;
      std::size_t column = 0;
      while (release.quasi[column].domain.name != domain.name) ++column;
      const Region& region = release.region(column, release.class_of_row[row]);
      std::size_t possible = 0, hits = 0;
      for (Code position = 0; position < domain.size(); ++position) {
        if (!covers(domain, region, position)) continue;
        ++possible;
        hits += predicate.chosen[position] != 0 ? 1 : 0;
      }
      worlds *= possible;
      asked *= hits;
    }
    count += static_cast<double>(asked) / static_cast<double>(worlds);
  }
  return count;
}

// The mean over all orders in which the values of a bucket may belong to its records.
inline double count_by_definition(const Buckets& buckets, const Query& query) {
  double sum = 0;
  for (std::uint32_t group = 0; group < buckets.groups.size(); ++group) {
    std::vector<char> matches;  // by record: its quasi-identifiers are asked for
    for (std::size_t row = 0; row < buckets.rows(); ++row) {
      if (buckets.group_of_row[row] != group) continue;
      const bool match = std::all_of(
          query.quasi.begin(), query.quasi.end(), [&](const Query::Predicate& predicate) {
            return predicate.chosen[buckets.positions[predicate.column][row]] != 0;
          });
      matches.push_back(match ? 1 : 0);
    }
    std::vector<Code> values;
    for (const Buckets::Count& count : buckets.counts(group))
      values.insert(values.end(), count.count, count.value);
    std::size_t worlds = 0, asked = 0;
    do {
      ++worlds;
      for (std::size_t i = 0; i < values.size(); ++i)
        asked += matches[i] != 0 && asks_for(query, values[i]) ? 1 : 0;
    } while (std::next_permutation(values.begin(), values.end()));
    sum += static_cast<double>(asked) / static_cast<double>(worlds);
  }
  return sum;
}

}  // namespace throng::testing
