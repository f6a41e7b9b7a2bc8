// Tries to break what the algorithms rely on: the variants against their definitions, and that the
// union of two groups that are safe is safe.
#include "privacy/requirements.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "private_tables.h"
#include "throng/error.h"

namespace throng {
namespace {

using Counts = std::vector<std::uint32_t>;

Diversity asked(Diversity::Variant variant, double l, double c = 1) { return {"s", l, variant, c}; }

TEST(Diversity, ByDefinition) {
  EXPECT_TRUE(is_diverse(asked(Diversity::Variant::distinct, 3), {5, 1, 1}));
  EXPECT_FALSE(is_diverse(asked(Diversity::Variant::distinct, 4), {5, 1, 1}));
  EXPECT_TRUE(is_diverse(asked(Diversity::Variant::frequency, 2), {3, 2, 1}));
  EXPECT_FALSE(is_diverse(asked(Diversity::Variant::frequency, 2), {4, 2, 1}));
  EXPECT_TRUE(is_diverse(asked(Diversity::Variant::entropy, 3), {7, 7, 7}));
  EXPECT_FALSE(is_diverse(asked(Diversity::Variant::entropy, 3), {7, 7, 6}));
  // r_1 < c (r_2 + r_3 + …) for l = 2.
  EXPECT_TRUE(is_diverse(asked(Diversity::Variant::recursive, 2, 1.5), {4, 2, 1}));
  EXPECT_FALSE(is_diverse(asked(Diversity::Variant::recursive, 2, 1), {4, 2, 1}));
  EXPECT_FALSE(is_diverse(asked(Diversity::Variant::recursive, 3, 4), {4, 2, 1}));
  EXPECT_TRUE(is_diverse(asked(Diversity::Variant::recursive, 3, 4.1), {1, 4, 2}));
  for (const auto variant : {Diversity::Variant::distinct, Diversity::Variant::frequency,
                             Diversity::Variant::entropy, Diversity::Variant::recursive}) {
    EXPECT_FALSE(is_diverse(asked(variant, 1), {}));
  }
}

TEST(Diversity, TheReachedLIsTheLargestThatHolds) {
  Random random(7);
  for (int i = 0; i < 500; ++i) {
    Counts counts(1 + random.below(6));
    for (auto& count : counts) count = static_cast<std::uint32_t>(1 + random.below(9));
    for (const auto variant : {Diversity::Variant::distinct, Diversity::Variant::frequency,
                               Diversity::Variant::entropy, Diversity::Variant::recursive}) {
      const double reached = diversity_of(variant, 2, counts);
      if (reached >= 1) {
        EXPECT_TRUE(is_diverse(asked(variant, reached, 2), counts));
      }
      const double more =
          variant == Diversity::Variant::frequency || variant == Diversity::Variant::entropy
              ? reached * 1.0001
              : reached + 1;
      EXPECT_FALSE(is_diverse(asked(variant, more, 2), counts));
    }
  }
}

// The claim of requirements.h, for random groups over the same values.
RC_GTEST_PROP(Diversity, UnionsOfDiverseGroupsAreDiverse, ()) {
  const auto values = *rc::gen::inRange<std::size_t>(1, 7);
  const auto group = rc::gen::container<Counts>(values, rc::gen::inRange<std::uint32_t>(0, 12));
  const Counts a = *group, b = *group;
  Counts both(values);
  for (std::size_t i = 0; i < values; ++i) both[i] = a[i] + b[i];
  const auto present = [](Counts counts) {
    counts.erase(std::remove(counts.begin(), counts.end(), 0U), counts.end());
    return counts;
  };
  const double l = *rc::gen::inRange(1, 5);
  const double c = *rc::gen::inRange(1, 40) / 8.0;
  for (const auto variant : {Diversity::Variant::distinct, Diversity::Variant::frequency,
                             Diversity::Variant::entropy, Diversity::Variant::recursive}) {
    const Diversity rule = asked(variant, l, c);
    if (is_diverse(rule, present(a)) && is_diverse(rule, present(b)))
      RC_ASSERT(is_diverse(rule, present(both)));
  }
}

TEST(Requirements, SayWhatCannotBeReached) {
  using testing::small_policy;
  using testing::table_of;
  const testing::Rows rows = {{"a", "b", "c", "s"},
                              {"1", "x", "10", "flu"},
                              {"2", "x", "11", "flu"},
                              {"3", "y", "10", "flu"}};
  const auto check = [&](const std::string& rest) {
    const Policy policy = small_policy(rest);
    const FrequencyList list = make_frequency_list(table_of(rows, policy), policy);
    Requirements(policy, list).check_reachable(list);
  };
  EXPECT_NO_THROW(check("privacy:\n  - k-anonymity: 3\n"));
  EXPECT_THROW(check("privacy:\n  - k-anonymity: 4\n"), InputError);
  EXPECT_THROW(check("privacy:\n  - l-diversity: {column: s, l: 2}\n"), PrivacyError);
}

}  // namespace
}  // namespace throng
