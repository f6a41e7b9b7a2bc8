#include "hierarchy/hierarchy.h"

#include <gtest/gtest.h>

#include <set>

#include "hierarchy/file.h"
#include "throng/error.h"

namespace throng {
namespace {

Hierarchy parse(const std::string& content, Type type = Type::text,
                const std::string& source = "h.csv") {
  return parse_hierarchy(content, type, "", source);
}

std::string failure(const std::string& content, Type type = Type::text,
                    const std::string& source = "h.csv") {
  try {
    parse(content, type, source);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Hierarchy, LeavesBelowANodeAreConsecutive) {
  const Hierarchy tree = parse("b;x;*\na;y;*\nc;x;*\nd;y;*\n");
  EXPECT_EQ(tree.leaves().labels, (std::vector<std::string>{"a", "d", "b", "c"}));
  EXPECT_EQ(tree.height(), 3U);
  for (Hierarchy::Node node = 0; node < tree.nodes(); ++node) {
    for (Code leaf = tree.first(node); leaf <= tree.last(node); ++leaf) {
      Hierarchy::Node up = tree.leaf(leaf);
      while (up != node && up != tree.root()) up = tree.parent(up);
      EXPECT_EQ(up, node);
    }
  }
  EXPECT_EQ(tree.label(tree.cover(0, 1)), "y");
  EXPECT_EQ(tree.label(tree.cover(1, 2)), "*");
  EXPECT_EQ(tree.label(tree.cover(3, 3)), "c");
  EXPECT_DOUBLE_EQ(tree.loss(*tree.find("y")), 1.0 / 3);
  EXPECT_DOUBLE_EQ(tree.loss(tree.root()), 1);
}

TEST(Hierarchy, ARepeatedLabelIsOneNode) {
  const Hierarchy tree =
      parse("Preschool;Preschool;Preschool;Without;*\n9th;Junior;Secondary;Without;*\n");
  EXPECT_EQ(tree.nodes(), 6U);
  const Code preschool = *tree.find_leaf("Preschool");
  EXPECT_EQ(tree.at_level(preschool, 2), tree.leaf(preschool));
  EXPECT_EQ(tree.label(tree.at_level(preschool, 3)), "Without");
  EXPECT_EQ(tree.label(tree.parent(tree.leaf(preschool))), "Without");
}

TEST(Hierarchy, UnevenPaddingStaysATree) {
  const Hierarchy tree = parse("a;N;M;M;*\nb;N;N;M;*\nc;P;M;M;*\nd;Q;R;R;*\n");
  for (std::size_t level = 0; level < tree.height(); ++level) {
    for (Code a = 0; a < 4; ++a) {
      EXPECT_LE(tree.first(tree.at_level(a, level)), a);
      EXPECT_GE(tree.last(tree.at_level(a, level)), a);
      for (Code b = 0; b < 4 && level + 1 < tree.height(); ++b) {
        if (tree.at_level(a, level) == tree.at_level(b, level)) {
          EXPECT_EQ(tree.at_level(a, level + 1), tree.at_level(b, level + 1));
        }
      }
    }
  }
}

TEST(Hierarchy, NumbersAreOrderedAsNumbers) {
  const Hierarchy tree = parse("10;10-19;*\n9;0-9;*\n007;0-9;*\n", Type::integer);
  EXPECT_EQ(tree.leaves().labels, (std::vector<std::string>{"7", "9", "10"}));
  EXPECT_EQ(tree.leaves().numbers, (std::vector<double>{7, 9, 10}));
}

TEST(Hierarchy, ReadsCommasQuotesAndWindowsLines) {
  const Hierarchy tree = parse("\"a, b\",g,*\r\n\"c \"\"d\"\"\",g,*\r\n\r\n");
  EXPECT_TRUE(tree.find_leaf("a, b"));
  EXPECT_TRUE(tree.find_leaf("c \"d\""));
}

TEST(Hierarchy, ReadsListsOfTerms) {
  const Hierarchy plain = parse(R"([["M", "*"], ["F", "*"]])", Type::text, "h.json");
  EXPECT_EQ(plain.leaves().labels, (std::vector<std::string>{"F", "M"}));
  const Hierarchy keyed =
      parse(R"({"terms": [[1, "low", "*"], [2, "low", "*"]]})", Type::integer, "h.json");
  EXPECT_EQ(keyed.leaves().labels, (std::vector<std::string>{"1", "2"}));
}

TEST(Hierarchy, ErrorsHelp) {
  EXPECT_EQ(failure(""), "h.csv: the hierarchy is empty; expected one line a leaf");
  EXPECT_EQ(failure("a;x;*\nb;*\n"),
            "h.csv:2: the line of 'b' has 2 levels where the first line has 3; expected lines of "
            "one length");
  EXPECT_EQ(failure("a;x;*\n\nb;x;y\n"),
            "h.csv:3: the line of 'b' ends in 'y'; expected the root '*' as its last level");
  EXPECT_EQ(failure("a;x;p;*\nb;x;q;*\n"),
            "h.csv:2: 'x' is under two parents, 'p' and 'q'; expected a tree");
  EXPECT_EQ(failure("a;x;*\na;x;*\n"), "h.csv:2: the leaf 'a' stands twice");
  EXPECT_EQ(failure("a;x;*\nx;y;*\n"),
            "h.csv:2: 'x' is under two parents, '*' and 'y'; expected a tree");
  EXPECT_EQ(failure("a;x;x;*\nx;x;x;*\n"),
            "h.csv: 'x' is a leaf and also above 'a'; expected a tree");
  EXPECT_EQ(failure("a;*;x;*\n"),
            "h.csv: '*' has the parent 'x'; expected the root '*' only at the end");
  EXPECT_EQ(failure("a;*\n", Type::integer),
            "h.csv:1: the leaf 'a' is not an integer, which the policy says the column is");
  EXPECT_NE(failure("[[", Type::text, "h.json").find("not valid JSON"), std::string::npos);
  EXPECT_NE(failure("[[{}]]", Type::text, "h.json").find("expected lists of terms"),
            std::string::npos);
}

}  // namespace
}  // namespace throng
