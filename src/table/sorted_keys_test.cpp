// Against a map of tuples, on random tables: narrow ones, and ones too wide for one 64-bit key.
#include "table/sorted_keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "table/random.h"

namespace throng {
namespace {

struct Case {
  std::size_t rows;
  std::vector<std::size_t> domains;
};

void compare(const Case& test, std::uint64_t seed) {
  SCOPED_TRACE(testing::Message() << "seed " << seed << " rows " << test.rows);
  Random random(seed);
  std::vector<Codes> columns;
  for (const std::size_t domain : test.domains) {
    Codes codes(test.rows, domain);
    // A few values take most rows, so that combinations repeat.
    for (std::size_t row = 0; row < test.rows; ++row) {
      codes.set(row, static_cast<Code>(random.below(
                         random.below(4) == 0 ? domain : std::min<std::size_t>(domain, 3))));
    }
    columns.push_back(std::move(codes));
  }
  std::vector<KeyColumn> keys;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::vector<Code> mapping;
    if (i % 2 == 1) {  // the other way round
      for (std::size_t code = 0; code < test.domains[i]; ++code)
        mapping.push_back(static_cast<Code>(test.domains[i] - 1 - code));
    }
    keys.push_back({&columns[i], mapping, test.domains[i]});
  }
  std::vector<std::uint32_t> weights(test.rows);
  for (auto& weight : weights) weight = static_cast<std::uint32_t>(1 + random.below(5));

  std::map<std::vector<Code>, std::pair<std::uint32_t, std::uint32_t>> expected;  // rows, weight
  std::vector<std::vector<Code>> of_row(test.rows);
  for (std::size_t row = 0; row < test.rows; ++row) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const Code code = columns[i][row];
      of_row[row].push_back(keys[i].mapping.empty() ? code : keys[i].mapping[code]);
    }
    ++expected[of_row[row]].first;
    expected[of_row[row]].second += weights[row];
  }
  const SortedKeys plain(keys, test.rows), weighted(keys, test.rows, weights);
  ASSERT_EQ(plain.size(), expected.size());
  ASSERT_EQ(weighted.size(), expected.size());
  std::vector<std::vector<Code>> found;
  for (std::size_t i = 0; i < columns.size(); ++i) found.push_back(plain.column(i));
  std::size_t at = 0;
  for (const auto& [combination, counts] : expected) {
    for (std::size_t i = 0; i < columns.size(); ++i) ASSERT_EQ(found[i][at], combination[i]);
    ASSERT_EQ(plain.counts()[at], counts.first);
    ASSERT_EQ(weighted.counts()[at], counts.second);
    ++at;
  }
  for (std::size_t row = 0; row < test.rows; ++row) {
    const std::uint32_t combination = weighted.combination_of()[row];
    for (std::size_t i = 0; i < columns.size(); ++i)
      ASSERT_EQ(found[i][combination], of_row[row][i]);
  }
}

TEST(SortedKeys, AgreesWithAMap) {
  const Case cases[] = {{1, {1}},
                        {7, {1, 1, 1}},
                        {100, {2, 3, 300}},
                        {5000, {2, 70, 5, 7, 16, 41, 7, 14, 2}},
                        {34000, {3, 100000, 2}},
                        {3000, {70000, 70000, 70000, 70000, 70000}},
                        {2000, std::vector<std::size_t>(40, 9)},
                        {50, std::vector<std::size_t>(70, 1U << 20)}};
  for (const Case& test : cases) {
    for (std::uint64_t seed = 1; seed <= 1; ++seed) compare(test, seed);
  }
}

TEST(SortedKeys, SortsManyKeys) {
  Random random(5);
  for (const std::size_t count :
       {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{70000}}) {
    for (const std::uint64_t mask :
         {~std::uint64_t{0}, std::uint64_t{0xFF}, std::uint64_t{0xFF00FF0000}, std::uint64_t{0}}) {
      std::vector<std::uint64_t> keys(count);
      for (auto& key : keys) key = random() & mask;
      auto expected = keys;
      std::sort(expected.begin(), expected.end());
      sort_keys(keys);
      EXPECT_EQ(keys, expected) << count << " " << mask;
    }
  }
}

}  // namespace
}  // namespace throng
