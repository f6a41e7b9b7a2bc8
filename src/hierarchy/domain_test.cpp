#include "hierarchy/domain.h"

#include <gtest/gtest.h>

#include "throng/error.h"

namespace throng {
namespace {

Dictionary numbers(std::vector<double> values, bool missing = false) {
  Dictionary dictionary;
  dictionary.type = Type::integer;
  for (const double value : values)
    dictionary.labels.push_back(std::to_string(static_cast<int>(value)));
  dictionary.numbers = std::move(values);
  if (missing) {
    dictionary.labels.emplace_back("?");
    dictionary.numbers.push_back(0);
    dictionary.missing = true;
  }
  return dictionary;
}

Dictionary texts(std::vector<std::string> labels) {
  Dictionary dictionary;
  dictionary.labels = std::move(labels);
  return dictionary;
}

TEST(Domain, IntervalsLoseTheirShareOfTheRange) {
  const Domain domain = make_domain("age", numbers({20, 25, 40, 60}), {});
  EXPECT_EQ(domain.kind, Domain::Kind::interval);
  EXPECT_DOUBLE_EQ(domain.range_loss(0, 1), 5.0 / 40);
  EXPECT_DOUBLE_EQ(domain.range_loss(2, 2), 0);
  EXPECT_DOUBLE_EQ(domain.range_loss(0, 3), 1);
}

TEST(Domain, ANumberWithAMissingOneLosesAll) {
  const Domain domain = make_domain("age", numbers({20, 25, 40}, true), {});
  EXPECT_DOUBLE_EQ(domain.range_loss(2, 3), 1);
  EXPECT_DOUBLE_EQ(domain.range_loss(3, 3), 0);
  EXPECT_EQ(domain.find("?"), Code{3});
}

TEST(Domain, SetsLoseByDistinctValues) {
  const Domain domain = make_domain("job", texts({"a", "b", "c", "d", "e"}), {});
  EXPECT_EQ(domain.kind, Domain::Kind::set);
  EXPECT_DOUBLE_EQ(domain.set_loss(3), 0.5);
  EXPECT_EQ(domain.find("c"), Code{2});
  EXPECT_FALSE(domain.find("x"));
}

TEST(Domain, TheDeclaredDomainCounts) {
  Generalization rule;
  rule.domain = DomainRule{{"e", "a", "b", "c", "d"}, "", ""};
  EXPECT_DOUBLE_EQ(make_domain("job", texts({"a", "e"}), rule).set_loss(2), 0.25);
  rule.domain = DomainRule{{}, "0", "100"};
  EXPECT_DOUBLE_EQ(make_domain("age", numbers({20, 40}), rule).range_loss(0, 1), 0.2);
  rule.domain = DomainRule{{}, "0", "30"};
  EXPECT_THROW(make_domain("age", numbers({20, 40}), rule), InputError);
  rule.domain = DomainRule{{"a"}, "", ""};
  EXPECT_THROW(make_domain("job", texts({"a", "e"}), rule), InputError);
}

TEST(Domain, ATreeTakesTheMissingValueUnderItsRoot) {
  Generalization rule;
  rule.hierarchy = IntervalRule{{10}, 0, {}};
  const Domain domain = make_domain("age", numbers({20, 25, 40}, true), rule);
  ASSERT_TRUE(domain.tree);
  const auto leaf = domain.tree->find_leaf("?");
  ASSERT_TRUE(leaf);
  EXPECT_EQ(domain.tree->parent(domain.tree->leaf(*leaf)), domain.tree->root());
  EXPECT_EQ(positions_in(domain, numbers({20, 25, 40}, true)).back(), *leaf);
}

}  // namespace
}  // namespace throng
