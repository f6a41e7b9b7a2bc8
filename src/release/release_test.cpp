#include "release/release.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "algorithms/anonymize.h"
#include "private_tables.h"
#include "release/read.h"

namespace throng {
namespace {

using testing::random_rows;
using testing::Rows;
using testing::small_policy;
using testing::table_of;

// The rows as they would be written.
Rows published(const Release& release) {
  Rows rows(release.rows());
  for (const auto& slot : release.layout) {
    for (std::size_t row = 0; row < release.rows(); ++row) {
      rows[row].push_back(
          slot.quasi
              ? write_region(release.quasi[slot.index].domain,
                             release.region(slot.index, release.class_of_row[row]))
              : release.plain[slot.index].values.labels[release.plain[slot.index].codes[row]]);
    }
  }
  return rows;
}

const Policy& policy() {
  static const Policy policy = small_policy("privacy:\n  - k-anonymity: 3\n");
  return policy;
}

TEST(Release, OrderDoesNotDependOnTheOrderOfTheInput) {
  for (std::uint64_t seed = 1; seed < 10; ++seed) {
    Rows rows = random_rows(60, seed);
    const Rows first = published(anonymize_table(table_of(rows, policy()), policy(), 5));
    std::vector<std::vector<std::string>> records(rows.begin() + 1, rows.end());
    shuffle(records, seed);
    std::copy(records.begin(), records.end(), rows.begin() + 1);
    EXPECT_EQ(published(anonymize_table(table_of(rows, policy()), policy(), 5)), first);
  }
}

TEST(Release, SeedsShuffle) {
  const Rows rows = random_rows(60, 1);
  Rows first = published(anonymize_table(table_of(rows, policy()), policy(), 1));
  Rows second = published(anonymize_table(table_of(rows, policy()), policy(), 2));
  EXPECT_NE(first, second);
  std::sort(first.begin(), first.end());
  std::sort(second.begin(), second.end());
  EXPECT_EQ(first, second);
}

// Two private tables whose releases hold the same rows must be published byte for byte alike: else
// the order, which the seed lets anyone undo, would tell who in a class is the younger one.
TEST(Release, OrderDoesNotDependOnPrivateValues) {
  const Rows rows = {{"a", "b", "c", "s"},       {"20", "p", "100", "flu"},
                     {"25", "p", "100", "gout"}, {"30", "p", "100", "flu"},
                     {"20", "q", "100", "flu"},  {"30", "q", "100", "gout"},
                     {"30", "q", "100", "acne"}};
  Rows other = rows;
  std::swap(other[1][3], other[2][3]);  // inside the class of p
  std::swap(other[4][3], other[6][3]);  // inside the class of q
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Rows first = published(anonymize_table(table_of(rows, policy()), policy(), seed));
    EXPECT_EQ(published(anonymize_table(table_of(other, policy()), policy(), seed)), first);
    EXPECT_EQ(first.size(), 6U);
  }
}

// The leaves of a mask from the left are ordered by private values; the order of its nodes must not
// be.
TEST(Release, OrderDoesNotDependOnPrivateValuesInATree) {
  const Policy left = parse_policy(
      "columns:\n  c: {role: quasi-identifier, hierarchy: {mask: left}}\n  s: {role: sensitive}\n"
      "privacy:\n  - k-anonymity: 2\n",
      "policy", "");
  const Rows one = {{"c", "s"}, {"01", "a"}, {"11", "b"}, {"12", "a"}, {"22", "b"}};
  const Rows two = {{"c", "s"}, {"11", "a"}, {"21", "b"}, {"02", "a"}, {"12", "b"}};
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    EXPECT_EQ(published(anonymize_table(table_of(one, left), left, seed)),
              published(anonymize_table(table_of(two, left), left, seed)));
  }
}

TEST(Release, ClassesWithEqualRegionsAreOne) {
  for (std::uint64_t seed = 1; seed < 40; ++seed) {
    const Release release = anonymize_table(table_of(random_rows(80, seed), policy()), policy(), 0);
    std::map<std::vector<std::string>, std::uint32_t> seen;
    for (std::uint32_t number = 0; number < release.classes; ++number) {
      std::vector<std::string> regions;
      for (std::size_t column = 0; column < release.quasi.size(); ++column) {
        regions.push_back(
            write_region(release.quasi[column].domain, release.region(column, number)));
      }
      EXPECT_TRUE(seen.emplace(regions, number).second) << "seed " << seed;
    }
  }
}

TEST(Release, KeepsEverySensitiveValue) {
  const Rows rows = random_rows(200, 4);
  const Rows out = published(anonymize_table(table_of(rows, policy()), policy(), 0));
  std::map<std::string, int> counts;
  for (std::size_t i = 1; i < rows.size(); ++i) ++counts[rows[i][3]];
  for (const auto& row : out) --counts[row[3]];
  for (const auto& [value, count] : counts) EXPECT_EQ(count, 0) << value;
}

TEST(Release, ReadsBackAsItWas) {
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    const Table table = table_of(random_rows(90, seed), policy());
    std::vector<Domain> domains;
    for (const char* name : {"a", "b", "c"}) {
      domains.push_back(
          make_domain(name, table.find(name)->values, policy().find(name)->generalization));
    }
    const Release release = anonymize_table(table, policy(), 0);
    const Rows rows = published(release);
    std::vector<RawColumn> columns;
    for (std::size_t i = 0; i < 4; ++i) {
      RawColumn raw{i == 3 ? "s" : std::string(1, static_cast<char>('a' + i)),
                    {},
                    Codes(rows.size(), 1U << 20)};
      std::map<std::string, Code> known;
      for (std::size_t row = 0; row < rows.size(); ++row) {
        const auto [found, is_new] =
            known.emplace(rows[row][i], static_cast<Code>(raw.texts.size()));
        if (is_new) raw.texts.push_back(rows[row][i]);
        raw.codes.set(row, found->second);
      }
      columns.push_back(std::move(raw));
    }
    const Release back = read_release(std::move(columns), rows.size(), policy(), domains, "r.csv");
    EXPECT_EQ(back.classes, release.classes);
    EXPECT_EQ(published(back), rows);
  }
}

}  // namespace
}  // namespace throng
