// Whatever region there is, reading what was written gives it back.
#include "release/region.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "private_tables.h"
#include "throng/error.h"

namespace throng {
namespace {

Domain set_domain(const std::set<std::string>& values) {
  Dictionary dictionary;
  dictionary.labels.assign(values.begin(), values.end());
  return make_domain("c", dictionary, {});
}

Domain number_domain(int count, bool missing = false) {
  Dictionary dictionary;
  dictionary.type = Type::integer;
  for (int i = 0; i < count; ++i) {
    dictionary.labels.push_back(std::to_string(i * 3 - 6));
    dictionary.numbers.push_back(i * 3 - 6);
  }
  if (missing) {
    dictionary.missing = true;
    dictionary.labels.emplace_back("?");
    dictionary.numbers.push_back(0);
  }
  return make_domain("n", dictionary, {});
}

TEST(Region, IsWrittenAsDesignSays) {
  const Domain numbers = number_domain(5);
  EXPECT_EQ(write_region(numbers, region_of_range(numbers, 1, 1)), "-3");
  EXPECT_EQ(write_region(numbers, region_of_range(numbers, 1, 3)), "-3..3");
  EXPECT_EQ(write_region(numbers, region_of_range(numbers, 0, 4)), "*");
  const Domain countries = set_domain({"Canada", "Mexico", "USA"});
  EXPECT_EQ(write_region(countries, region_of_set(countries, {0, 2})), "{Canada|USA}");
  EXPECT_EQ(write_region(countries, region_of_set(countries, {1})), "Mexico");
  EXPECT_EQ(write_region(countries, region_of_set(countries, {0, 1, 2})), "*");
}

TEST(Region, ANumberAndAMissingOneAreEverything) {
  const Domain domain = number_domain(5, true);
  EXPECT_EQ(write_region(domain, region_of_range(domain, 4, 5)), "*");
  EXPECT_EQ(write_region(domain, region_of_range(domain, 5, 5)), "?");
  EXPECT_EQ(write_region(domain, region_of_range(domain, 0, 4)), "-6..6");
}

TEST(Region, EscapesWhatMisleads) {
  EXPECT_EQ(escape_value("*"), "\\*");
  EXPECT_EQ(escape_value("a|b"), "a\\|b");
  EXPECT_EQ(escape_value("{a}"), "\\{a\\}");
  EXPECT_EQ(escape_value("1..2"), "1\\..2");
  EXPECT_EQ(escape_value("a\\b"), "a\\\\b");
  EXPECT_EQ(escape_value("3.5"), "3.5");
  EXPECT_EQ(escape_value("0214*"), "0214*");
}

TEST(Region, IntervalsOfDatesThatEndInADotReadBack) {
  Dictionary dates;
  dates.type = Type::date;
  dates.labels = {"2020.01.01.", "2020.01.02.", "2020.01.03."};
  dates.numbers = {18262, 18263, 18264};
  Generalization rule;
  rule.date_format = "%Y.%m.%d.";
  const Domain domain = make_domain("d", dates, rule);
  const Region region = region_of_range(domain, 0, 1);
  EXPECT_EQ(read_region(domain, write_region(domain, region)), region);
}

TEST(Region, RefusesWhatItCannotRead) {
  const Domain numbers = number_domain(5);
  for (const char* text : {"7", "-3..", "..3", "3..-3", "", "{0|3}", "-3...3"}) {
    EXPECT_THROW(read_region(numbers, text), InputError) << text;
  }
  const Domain countries = set_domain({"Canada", "Mexico", "USA"});
  for (const char* text :
       {"Peru", "{Canada|Peru}", "{}", "{Canada|Canada}", "{Canada", "Canada|USA"}) {
    EXPECT_THROW(read_region(countries, text), InputError) << text;
  }
}

RC_GTEST_PROP(Region, SetsReadBack, (std::set<std::string> words, std::uint64_t bits)) {
  words.insert({"*", "a|b", "{x}", "..", "...", "\\", "\\*", "{", "}", "|", "{a|b}", "a..b", ""});
  const Domain domain = set_domain(words);
  std::vector<Code> members;
  for (Code i = 0; i < domain.size(); ++i) {
    if ((bits >> (i % 64)) & 1U) members.push_back(i);
  }
  if (members.empty()) members.push_back(static_cast<Code>(bits % domain.size()));
  const Region region = region_of_set(domain, members);
  RC_ASSERT(read_region(domain, write_region(domain, region)) == region);
}

RC_GTEST_PROP(Region, IntervalsReadBack, (bool missing)) {
  const Domain domain = number_domain(*rc::gen::inRange(1, 20), missing);
  const auto low = *rc::gen::inRange<Code>(0, static_cast<Code>(domain.size()));
  const auto high = *rc::gen::inRange<Code>(low, static_cast<Code>(domain.size()));
  const Region region = region_of_range(domain, low, high);
  RC_ASSERT(read_region(domain, write_region(domain, region)) == region);
  for (Code i = low; i <= high; ++i) RC_ASSERT(covers(domain, region, i));
}

TEST(Region, NodesReadBack) {
  const Policy policy = testing::small_policy("privacy:\n  - k-anonymity: 2\n");
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    const Table table = testing::table_of(testing::random_rows(40, seed), policy);
    const Domain domain =
        make_domain("c", table.find("c")->values, policy.find("c")->generalization);
    for (Hierarchy::Node node = 0; node < domain.tree->nodes(); ++node) {
      const Region region = region_of_node(domain, node);
      EXPECT_EQ(read_region(domain, write_region(domain, region)), region) << "seed " << seed;
      for (Code i = 0; i < domain.size(); ++i) {
        EXPECT_EQ(covers(domain, region, i),
                  i >= domain.tree->first(node) && i <= domain.tree->last(node));
      }
    }
  }
}

}  // namespace
}  // namespace throng
