// Anatomy: buckets of ℓ distinct values.
//
// Claim: every bucket has at least ℓ distinct values, each of them once; so who knows no more than
// the quasi-identifiers guesses a value with a probability of at most 1/ℓ. An attacker with
// knowledge may do better: that is what Injector is for. Source: Xiao and Tao, Anatomy, VLDB 2006,
// as Li and Li ("Injector", section II) have it for their baseline. Cost: O(n · log values).
//
// As long as ℓ values have records left, a bucket takes one at random of each of the ℓ most
// frequent ones (of equally frequent ones, any). That leaves at most one record a value, and fewer
// than ℓ of them, if no value had more than 1/ℓ of the table; each joins a random bucket that lacks
// its value.
#include <algorithm>
#include <queue>
#include <tuple>

#include "algorithms/bucket_set.h"
#include "table/random.h"

namespace throng {

Bucketing anatomy(const FrequencyList& list, const BucketOptions& options) {
  const std::size_t column = options.column, l = std::max<std::size_t>(1, options.l);
  const std::size_t values = list.sensitive_sizes[column];
  const std::vector<std::uint32_t> no_rules(list.size(), 0);
  const RecordTypes types =
      make_record_types(ImpossibleSets(values), list.values[column], no_rules);
  const Records records =
      make_records(list, column, types, std::vector<char>(types.types.size(), 0));
  std::vector<std::uint64_t> counts(values, 0);
  for (const Code value : records.value) ++counts[value];
  check_distinct(list, column, counts, l);
  check_largest_share(list, column, counts, l);

  // The records of each value in random order.
  Random random(options.seed);
  std::vector<std::vector<std::uint32_t>> of_value(values);
  for (std::uint32_t record = 0; record < records.size(); ++record)
    of_value[records.value[record]].push_back(record);
  for (auto& members : of_value) shuffle(members, random());

  const Places nowhere;
  BucketSet set(records, types, nowhere, l, /*max_share=*/true);
  using Rank = std::tuple<std::size_t, std::uint64_t, Code>;  // how many are left, luck, the value
  std::priority_queue<Rank> ranks;
  for (Code value = 0; value < values; ++value) {
    if (counts[value] > 0) ranks.emplace(counts[value], random(), value);
  }
  std::vector<Code> taken;
  while (ranks.size() >= l) {
    taken.clear();
    BucketSet::Members& bucket = set.buckets.emplace_back();
    for (std::size_t i = 0; i < l; ++i) {
      const Code value = std::get<2>(ranks.top());
      ranks.pop();
      bucket.push_back(of_value[value].back());
      of_value[value].pop_back();
      taken.push_back(value);
    }
    for (const Code value : taken) {
      if (!of_value[value].empty()) ranks.emplace(of_value[value].size(), random(), value);
    }
  }
  while (!ranks.empty()) {
    const Code value = std::get<2>(ranks.top());
    ranks.pop();
    for (const std::uint32_t record : of_value[value]) {
      const auto lacks = [&](const BucketSet::Members& bucket) {
        return std::none_of(bucket.begin(), bucket.end(),
                            [&](std::uint32_t member) { return records.value[member] == value; });
      };
      std::size_t bucket = random.below(set.buckets.size());
      while (!lacks(set.buckets[bucket])) bucket = (bucket + 1) % set.buckets.size();
      set.buckets[bucket].push_back(record);
    }
  }
  return std::move(set).finish();
}

}  // namespace throng
