#include "algorithms/attribute_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "hierarchy/file.h"
#include "table/random.h"

namespace throng {
namespace {

using Node = AttributeTree::Node;

Domain numbers(const std::vector<double>& values, bool missing = false) {
  Domain domain;
  domain.name = "n";
  domain.kind = Domain::Kind::interval;
  domain.values.type = Type::decimal;
  for (const double value : values) {
    domain.values.labels.push_back(std::to_string(value));
    domain.values.numbers.push_back(value);
  }
  domain.low = values.front();
  domain.high = values.back();
  if (missing) {
    domain.values.labels.push_back("?");
    domain.values.numbers.push_back(0);
    domain.values.missing = true;
  }
  return domain;
}

Domain tree(const std::string& lines) {
  Domain domain;
  domain.name = "t";
  domain.kind = Domain::Kind::tree;
  domain.tree = parse_hierarchy(lines, Type::text, "", "t");
  domain.values = domain.tree->leaves();
  return domain;
}

Marginals marginals(std::vector<std::uint64_t> records) {
  Marginals result;
  result.records = std::move(records);
  return result;
}

std::vector<Node> children(AttributeTree& tree, Node node) {
  return {tree.children(node).begin(), tree.children(node).end()};
}

TEST(AttributeTree, LeavesOutWhatNobodyHas) {
  const Domain domain = tree("a;A;*\nb;A;*\nc;B;*\nd;C;*\n");
  std::vector<std::uint64_t> records(4, 0);
  records[domain.tree->find_leaf("a").value()] = 2;
  records[domain.tree->find_leaf("d").value()] = 3;
  AttributeTree attribute(domain, Goal::distortion, marginals(records));
  attribute.grow();
  EXPECT_EQ(attribute.nodes(), 5U);  // *, A, C, a, d
  const std::vector<Node> below = children(attribute, AttributeTree::kRoot);
  ASSERT_EQ(below.size(), 2U);
  EXPECT_EQ(write_region(domain, attribute.region(AttributeTree::kRoot)), "*");
  EXPECT_EQ(write_region(domain, attribute.region(below[0])), "A");
  EXPECT_EQ(write_region(domain, attribute.region(below[1])), "C");
  EXPECT_EQ(attribute.records(below[1]), 3U);
  EXPECT_EQ(attribute.parent(below[1]), AttributeTree::kRoot);
  // Every record one node nearer to its value: 5, then 2 and 3.
  EXPECT_EQ(attribute.gain(AttributeTree::kRoot), 5);
  EXPECT_EQ(attribute.gain(below[0]), 2);
  EXPECT_EQ(attribute.benefit_below(AttributeTree::kRoot), 10);
  EXPECT_EQ(attribute.cuts(), 5);  // *; A or a, with C or d
}

// A node with one leaf below it is a node all the same; a category without a hierarchy has two
// levels, unless it has one value.
TEST(AttributeTree, ChainsAndFlatColumns) {
  const Domain chain = tree("a;A;AA;*\n");
  AttributeTree attribute(chain, Goal::distortion, marginals({4}));
  attribute.grow();
  EXPECT_EQ(attribute.nodes(), 4U);
  EXPECT_EQ(attribute.cuts(), 4);
  Domain flat;
  flat.values.labels = {"x", "y", "z"};
  AttributeTree three(flat, Goal::distortion, marginals({1, 0, 2}));
  EXPECT_EQ(children(three, AttributeTree::kRoot).size(), 2U);
  EXPECT_EQ(three.cuts(), 2);
  flat.values.labels = {"x"};
  AttributeTree one(flat, Goal::distortion, marginals({1}));
  EXPECT_TRUE(children(one, AttributeTree::kRoot).empty());
}

// The missing value is no number: it leaves first.
TEST(AttributeTree, MissingValuesStandApart) {
  const Domain domain = numbers({1, 2, 8}, true);
  AttributeTree attribute(domain, Goal::distortion, marginals({1, 1, 1, 2}));
  const std::vector<Node> below = children(attribute, AttributeTree::kRoot);
  ASSERT_EQ(below.size(), 2U);
  EXPECT_EQ(attribute.high(below[0]), 2U);
  EXPECT_EQ(attribute.low(below[1]), 3U);
  EXPECT_EQ(write_region(domain, attribute.region(below[1])), "?");
  EXPECT_TRUE(children(attribute, below[1]).empty());
  // 5 at `*`, 3 at 1..8, which is all of the range.
  EXPECT_EQ(attribute.gain(AttributeTree::kRoot), 2);
  const std::vector<Node> halves = children(attribute, below[0]);
  ASSERT_EQ(halves.size(), 2U);
  EXPECT_EQ(attribute.high(halves[0]), 1U);
  EXPECT_DOUBLE_EQ(attribute.gain(below[0]), 3 - 2.0 / 7);
}

// What a split keeps, by the definitions (2) and (3) of the paper: the entropy of the class, the
// length that records keep, or the records that look alike.
double cost_of(const Domain& domain, Goal goal, const Marginals& given, Code low, Code last,
               Code high) {
  double cost = 0;
  for (const auto& [from, to] : {std::pair{low, last}, std::pair{last + 1, high}}) {
    double records = 0, least = std::numeric_limits<double>::infinity(), most = -least;
    std::vector<double> classes(given.class_count, 0);
    for (Code at = from; at <= to; ++at) {
      if (given.records[at] == 0) continue;
      records += static_cast<double>(given.records[at]);
      least = std::min(least, domain.values.numbers[at]);
      most = std::max(most, domain.values.numbers[at]);
      for (std::size_t c = 0; c < classes.size(); ++c)
        classes[c] += static_cast<double>(given.classes[at * given.class_count + c]);
    }
    if (goal == Goal::classification) {
      for (const double count : classes) {
        if (count > 0) cost -= count * std::log2(count / records);
      }
    } else {
      cost += goal == Goal::distortion ? records * (most - least) : records * records;
    }
  }
  return cost;
}

TEST(AttributeTree, HalvesWhereTheGainIsLargestOnRandomColumns) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::size_t size = 2 + random.below(9);
    std::vector<double> values;
    double value = 0;
    for (std::size_t i = 0; i < size; ++i)
      values.push_back(value += 1 + static_cast<double>(random.below(5)));
    const Domain domain = numbers(values);
    const auto goal = static_cast<Goal>(random.below(3));
    Marginals given;
    given.class_count = goal == Goal::classification ? 2 : 0;
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < size; ++i) {
      given.records.push_back(random.below(4));
      for (std::size_t c = 0; c < given.class_count; ++c) {
        const std::uint64_t rest = given.records[i] - (c == 0 ? 0 : given.classes.back());
        given.classes.push_back(c + 1 == given.class_count ? rest : random.below(rest + 1));
      }
      all += given.records[i];
    }
    if (all == 0) continue;
    AttributeTree attribute(domain, goal, given);
    EXPECT_EQ(attribute.cuts(), std::numeric_limits<double>::infinity());
    double benefit = 0;
    std::vector<Node> open = {AttributeTree::kRoot};
    while (!open.empty()) {
      const Node node = open.back();
      open.pop_back();
      const Code low = attribute.low(node), high = attribute.high(node);
      ASSERT_GT(given.records[low], 0U);
      ASSERT_GT(given.records[high], 0U);
      benefit += attribute.benefit(node);
      const std::vector<Node> halves = children(attribute, node);
      if (low == high) {
        ASSERT_TRUE(halves.empty());
        continue;
      }
      ASSERT_EQ(halves.size(), 2U);
      ASSERT_EQ(attribute.low(halves[0]), low);
      ASSERT_EQ(attribute.high(halves[1]), high);
      ASSERT_EQ(attribute.records(node),
                attribute.records(halves[0]) + attribute.records(halves[1]));
      const double found = cost_of(domain, goal, given, low, attribute.high(halves[0]), high);
      const std::uint64_t smaller =
          std::min(attribute.records(halves[0]), attribute.records(halves[1]));
      std::uint64_t left = 0;
      for (Code last = low; last < high; ++last) {
        left += given.records[last];
        if (given.records[last] == 0) continue;
        const double cost = cost_of(domain, goal, given, low, last, high);
        ASSERT_GE(cost, found - 1e-9) << last;
        // Of equals the halves most alike.
        if (std::abs(cost - found) < 1e-12) {
          ASSERT_LE(std::min(left, attribute.records(node) - left), smaller);
        }
      }
      open.insert(open.end(), halves.begin(), halves.end());
    }
    // All the way down, step by step or at once.
    EXPECT_NEAR(attribute.benefit_below(AttributeTree::kRoot), benefit, 1e-9);
  }
}

}  // namespace
}  // namespace throng
