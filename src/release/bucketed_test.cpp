#include "release/bucketed.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "private_tables.h"

namespace throng {
namespace {

using testing::Rows;
using testing::table_of;

// Numbers of groups and the order of rows come from what is published: tables that publish the same
// buckets give the same bytes, whoever has which value.
TEST(BucketedRelease, NumbersAndOrderSayNothing) {
  const Policy policy = parse_policy(
      "columns:\n"
      "  a: {role: quasi-identifier, type: integer}\n"
      "  b: {role: quasi-identifier}\n"
      "  n: {role: insensitive}\n"
      "  s: {role: sensitive}\n"
      "privacy:\n  - l-diversity: {column: s, l: 2}\n",
      "policy", "");
  Random random(5);
  std::size_t moved = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const std::size_t buckets = 1 + random.below(6);
    // Two records a bucket; in the second table they change values, and buckets their numbers.
    Rows one = {{"a", "b", "n", "s"}}, other = one;
    std::map<std::vector<std::string>, std::uint32_t> place_one, place_other;
    for (std::uint32_t bucket = 0; bucket < buckets; ++bucket) {
      const std::string first = std::to_string(100 + random.below(1000) * 20 + bucket);
      const std::string second = std::to_string(100 + random.below(1000) * 20 + bucket + 10);
      const std::string x = "v" + std::to_string(random.below(3)),
                        y = "w" + std::to_string(random.below(3));
      one.push_back({first, "M", "n", x});
      one.push_back({second, "F", "n", y});
      other.push_back({first, "M", "n", y});
      other.push_back({second, "F", "n", x});
      for (const std::string& age : {first, second}) {
        place_one[{age}] = bucket;
        place_other[{age}] = static_cast<std::uint32_t>(buckets) - 1 - bucket;
      }
    }
    const auto publish = [&](const Rows& rows, const auto& place) {
      const FrequencyList list = make_frequency_list(table_of(rows, policy), policy);
      std::vector<PlacedRecord> records;
      for (std::uint32_t i = 0; i < list.entry_of.size(); ++i) {
        const std::string& age = list.domains[0].values.labels[list.positions[0][list.entry_of[i]]];
        for (std::uint32_t j = 0; j < list.plain_weights[i]; ++j)
          records.push_back({place.at({age}), i});
      }
      return make_bucketed(list, 0, records, buckets, seed);
    };
    if (place_one.size() < 2 * buckets) continue;  // the same age twice
    const BucketedRelease a = publish(one, place_one), b = publish(other, place_other);
    ASSERT_EQ(a.buckets.group_of_row, b.buckets.group_of_row);
    ASSERT_EQ(a.buckets.positions, b.buckets.positions);
    ASSERT_EQ(a.buckets.count_begin, b.buckets.count_begin);
    ASSERT_EQ(a.buckets.count_list, b.buckets.count_list);
    ASSERT_EQ(permuted_values(a.buckets, seed), permuted_values(b.buckets, seed));
    ++moved;
  }
  EXPECT_GT(moved, 150U);
}

}  // namespace
}  // namespace throng
