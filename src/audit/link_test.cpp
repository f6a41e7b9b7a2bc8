#include "audit/link.h"

#include <gtest/gtest.h>

#include "algorithms/algorithm.h"
#include "audit/covering.h"
#include "private_tables.h"

namespace throng {
namespace {

using testing::random_rows;
using testing::small_policy;
using testing::table_of;

struct Made {
  FrequencyList list;
  Release release;
};
Made release_of(std::uint64_t seed, std::size_t rows) {
  const Policy policy = small_policy("privacy:\n  - k-anonymity: 2\n");
  Made made;
  made.list = make_frequency_list(table_of(random_rows(rows, seed), policy), policy);
  const Requirements requirements(policy, made.list);
  made.release = make_release(made.list, mondrian(made.list, requirements, policy), seed);
  return made;
}

TEST(Covering, EqualsComparingAllWithAll) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Made made = release_of(seed, 20 + seed * 40);
    const Release& release = made.release;
    const auto found = covering_classes(release, made.list.positions);
    for (std::size_t entry = 0; entry < made.list.size(); ++entry) {
      std::vector<std::uint32_t> expected;
      for (std::uint32_t number = 0; number < release.classes; ++number) {
        bool covered = true;
        for (std::size_t column = 0; column < release.quasi.size(); ++column) {
          covered = covered && covers(release.quasi[column].domain, release.region(column, number),
                                      made.list.positions[column][entry]);
        }
        if (covered) expected.push_back(number);
      }
      EXPECT_EQ(found[entry], expected) << "seed " << seed;
      EXPECT_FALSE(expected.empty());
    }
  }
}

// Every record is found in a class that may hold it; classes that cannot be told apart count as
// one, so that sizes agree.
TEST(Link, FindsEveryRecord) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Made made = release_of(seed, 30 + seed * 10);
    PrivateRecords records;
    records.positions.resize(made.list.domains.size());
    const auto plain = made.release.plain[0];
    for (std::size_t i = 0; i < made.list.entry_of.size(); ++i) {
      for (std::uint32_t n = 0; n < made.list.plain_weights[i]; ++n) {
        for (std::size_t column = 0; column < records.positions.size(); ++column) {
          records.positions[column].push_back(made.list.positions[column][made.list.entry_of[i]]);
        }
        records.values.push_back(made.list.plain[0].codes[i]);
      }
    }
    records.is_in = {std::vector<char>(records.values.size(), 1)};
    const Linked linked = link_records(records, {made.release}, 0);
    EXPECT_EQ(linked.astray[0], 0U);
    EXPECT_EQ(linked.disagreeing, 0U);
    for (const std::uint32_t number : linked.history.class_of[0])
      EXPECT_NE(number, History::kAbsent);
    records.is_in[0].assign(records.values.size(), 0);
    const Linked absent = link_records(records, {made.release}, 0);
    EXPECT_GT(absent.disagreeing, 0U);
  }
}

}  // namespace
}  // namespace throng
