#include "audit/bucket_attack.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>

#include "knowledge/impossible.h"

namespace throng {
namespace {

KnowledgeAttack joined(KnowledgeAttack one, const KnowledgeAttack& other) {
  one.records += other.records;
  one.by_matching += other.by_matching;
  one.by_count += other.by_count;
  one.groups += other.groups;
  one.contradictions += other.contradictions;
  one.least_valid = std::min(one.least_valid, other.least_valid);
  return one;
}

// The records of each group by what is impossible for them.
struct GroupedSets {
  std::vector<std::size_t> begin;   // by group
  std::vector<std::uint32_t> sets;  // of its records, ascending
};

GroupedSets grouped_sets(const Buckets& buckets, const std::vector<std::uint32_t>& set_of) {
  GroupedSets grouped;
  grouped.begin.assign(buckets.groups.size() + 1, 0);
  for (const std::uint32_t group : buckets.group_of_row) ++grouped.begin[group + 1];
  for (std::size_t group = 0; group < buckets.groups.size(); ++group)
    grouped.begin[group + 1] += grouped.begin[group];
  grouped.sets.resize(buckets.rows());
  std::vector<std::size_t> next(grouped.begin);
  for (std::size_t row = 0; row < buckets.rows(); ++row)
    grouped.sets[next[buckets.group_of_row[row]]++] = set_of[row];
  return grouped;
}

}  // namespace

void add_group(const MatchingGroup& group, std::size_t l, KnowledgeAttack& attack) {
  const Matching matching = match_values(group);
  ++attack.groups;
  if (matching.contradiction) ++attack.contradictions;
  for (std::size_t i = 0; i < group.types.size(); ++i) {
    const std::uint32_t count = group.types[i].count;
    const std::size_t valid = matching.contradiction ? 0 : matching.valid_values[i];
    attack.records += count;
    attack.least_valid = std::min(attack.least_valid, valid);
    if (valid < l) attack.by_matching += count;
    if (matching.allowed_values[i] < l) attack.by_count += count;
  }
}

KnowledgeAttack attack_buckets(const Buckets& buckets, std::span<const NegativeRule> rules,
                               std::size_t l) {
  FrequencyList rows;
  rows.domains = buckets.domains;
  rows.positions = buckets.positions;
  rows.weights.assign(buckets.rows(), 1);
  const Impossible impossible = impossible_values(rows, rules);
  const GroupedSets grouped = grouped_sets(buckets, impossible.set_of);
  return tbb::parallel_reduce(
      tbb::blocked_range<std::uint32_t>(0, static_cast<std::uint32_t>(buckets.groups.size()), 256),
      KnowledgeAttack{},
      [&](const tbb::blocked_range<std::uint32_t>& range, KnowledgeAttack attack) {
        std::vector<std::uint32_t> sets;
        for (std::uint32_t number = range.begin(); number < range.end(); ++number) {
          const auto first =
              grouped.sets.begin() + static_cast<std::ptrdiff_t>(grouped.begin[number]);
          const auto last =
              grouped.sets.begin() + static_cast<std::ptrdiff_t>(grouped.begin[number + 1]);
          sets.assign(first, last);
          std::sort(sets.begin(), sets.end());
          MatchingGroup group;
          for (const Buckets::Count& count : buckets.counts(number))
            group.value_counts.push_back(count.count);
          for (std::size_t i = 0; i < sets.size(); ++i) {
            if (i > 0 && sets[i] == sets[i - 1]) {
              ++group.types.back().count;
              continue;
            }
            const std::vector<Code>& struck = impossible.sets[sets[i]];
            MatchingGroup::Type type;
            for (const Buckets::Count& count : buckets.counts(number)) {
              type.allowed.push_back(
                  std::binary_search(struck.begin(), struck.end(), count.value) ? 0 : 1);
            }
            type.count = 1;
            group.types.push_back(std::move(type));
          }
          add_group(group, l, attack);
        }
        return attack;
      },
      [](const KnowledgeAttack& one, const KnowledgeAttack& other) { return joined(one, other); });
}

BucketSizes sizes_of(const Buckets& buckets, std::size_t l) {
  BucketSizes sizes;
  if (buckets.groups.empty()) return sizes;
  sizes.smallest = sizes.distinct = ~std::size_t{0};
  for (std::uint32_t group = 0; group < buckets.groups.size(); ++group) {
    std::size_t records = 0, most = 0;
    for (const Buckets::Count& count : buckets.counts(group)) {
      records += count.count;
      most = std::max<std::size_t>(most, count.count);
    }
    sizes.smallest = std::min(sizes.smallest, records);
    sizes.largest = std::max(sizes.largest, records);
    sizes.distinct = std::min(sizes.distinct, buckets.counts(group).size());
    sizes.largest_share =
        std::max(sizes.largest_share, static_cast<double>(most) / static_cast<double>(records));
    sizes.above_share += most * l > records ? 1 : 0;
  }
  return sizes;
}

}  // namespace throng
