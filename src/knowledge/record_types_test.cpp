#include "knowledge/record_types.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "private_tables.h"

namespace throng {
namespace {

using testing::small_policy;
using testing::table_of;

TEST(ImpossibleValues, AreThoseOfTheRules) {
  const Policy policy = small_policy("privacy:\n  - l-diversity: {column: s, l: 2}\n");
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const FrequencyList list =
        make_frequency_list(table_of(testing::random_rows(80, seed), policy), policy);
    Random random(seed);
    std::string json = "[";
    for (std::size_t i = 0; i < 1 + random.below(150); ++i) {
      const auto age = 20 + random.below(10), last = age + random.below(10);
      json += i == 0 ? "" : ", ";
      json += "{\"if\": {";
      const std::uint64_t form = random.below(3);
      if (form != 0) json += fmt::format("\"a\": \"{}..{}\"", age, last + 1);
      if (form == 1) json += ", ";
      if (form != 2) json += fmt::format("\"b\": \"{}\"", static_cast<char>('p' + random.below(7)));
      json += fmt::format("}}, \"not\": \"v{}\"}}", random.below(7));
    }
    json += "]";
    const auto rules =
        parse_rules(json, "rules", list.domains, list.plain[0].values, /*lenient=*/true);
    const RecordTypes types = record_types(list, 0, rules);
    for (std::size_t entry = 0; entry < list.size(); ++entry) {
      std::vector<Code> positions;
      for (const auto& column : list.positions) positions.push_back(column[entry]);
      std::set<Code> impossible;
      std::vector<std::size_t> applying;
      for (std::size_t rule = 0; rule < rules.size(); ++rule) {
        if (!satisfies(rules[rule], list.domains, positions) || !rules[rule].code) continue;
        impossible.insert(*rules[rule].code);
        applying.push_back(rule);
      }
      const RecordTypes::Type& type = types.types[types.type_of[entry]];
      for (Code value = 0; value < types.sets.values(); ++value)
        ASSERT_EQ(types.sets.has(type.set, value), impossible.count(value) > 0);
      ASSERT_EQ(type.value, list.values[0][entry]);
      ASSERT_EQ(rules_of(list, entry, rules), applying);
    }
  }
}

}  // namespace
}  // namespace throng
