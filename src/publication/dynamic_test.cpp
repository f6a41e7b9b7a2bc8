#include "publication/dynamic.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "audit/worlds.h"
#include "figure_6.h"
#include "private_tables.h"
#include "table/random.h"

namespace throng {
namespace {

using testing::channels_of;
using testing::Rows;
using testing::small_policy;
using testing::table_of;

// A folder that is gone after the test.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "throng-dynamic-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file() const { return path_ + "/ledger"; }

 private:
  std::string path_;
};

using Multiset = std::map<std::string, std::size_t>;

// A publication as its readers see it, and what it took to make it.
class Publication {
 public:
  // `reopens`: everything is opened anew for each release.
  explicit Publication(const Policy& policy, bool reopens = false)
      : policy_(policy), reopens_(reopens) {
    Database database(folder_.file(), Database::Mode::create);
    Dynamic::create(database);
  }

  const Change& release(const Rows& rows) {
    open();
    Transaction transaction(*database_);
    change_ = dynamic_->update(table_of(rows, policy_), ++releases_, next_, 7);
    transaction.commit();
    arrived_ += rows.size() - 1;
    for (const ClassId number : change_.ended) {
      EXPECT_EQ(classes.erase(number), 1U) << "a class ended that was not there";
    }
    const Release& added = change_.added;
    std::vector<Multiset> values(added.classes);
    const Release::Plain& plain = added.plain.at(0);
    for (std::size_t row = 0; row < added.rows(); ++row) {
      ++values[added.class_of_row[row]][plain.values.labels[plain.codes[row]]];
    }
    for (std::size_t i = 0; i < added.classes; ++i) {
      Class& made = classes[next_ + i];
      for (std::size_t column = 0; column < added.quasi.size(); ++column) {
        made.regions.push_back(write_region(added.quasi[column].domain, added.region(column, i)));
      }
      made.values = values[i];
    }
    next_ += added.classes;
    return change_;
  }

  Dynamic& dynamic() {
    if (!dynamic_) open();
    return *dynamic_;
  }
  std::size_t arrived() const { return arrived_; }

  struct Class {
    std::vector<std::string> regions;
    Multiset values;
    std::size_t size() const {
      std::size_t sum = 0;
      for (const auto& [value, count] : values) sum += count;
      return sum;
    }
    bool operator==(const Class&) const = default;
  };
  std::map<ClassId, Class> classes;

 private:
  void open() {
    if (dynamic_ && !reopens_) return;
    dynamic_.reset();
    database_.reset();
    database_.emplace(folder_.file(), Database::Mode::write);
    dynamic_.emplace(*database_, vault_, policy_);
  }

  Folder folder_;
  const Policy& policy_;
  bool reopens_;
  Vault vault_{std::string(32, 's')};
  std::optional<Database> database_;
  std::optional<Dynamic> dynamic_;
  Change change_;
  std::uint32_t releases_ = 0;
  ClassId next_ = 1;
  std::size_t arrived_ = 0;
};

// All that is promised of a publication with k and l.
void check(Publication& publication, std::size_t k, std::size_t l) {
  std::size_t published = 0;
  std::set<std::vector<std::string>> regions;
  for (const auto& [number, made] : publication.classes) {
    EXPECT_GE(made.size(), k);
    EXPECT_GE(made.values.size(), l);
    EXPECT_TRUE(regions.insert(made.regions).second) << "two classes have the same regions";
    published += made.size();
  }
  const Dynamic::Waiting waiting = publication.dynamic().waiting();
  EXPECT_EQ(published + waiting.records, publication.arrived());
  EXPECT_EQ(waiting.records == 0, waiting.oldest_release == 0);

  const History history = publication.dynamic().history(0);
  ASSERT_EQ(history.records(), publication.arrived());
  std::map<std::uint32_t, std::size_t> sizes;
  for (const std::uint32_t number : history.class_of.back()) {
    if (number != History::kAbsent) ++sizes[number];
  }
  ASSERT_EQ(sizes.size(), publication.classes.size());
  for (const auto& [number, made] : publication.classes) {
    EXPECT_EQ(sizes[static_cast<std::uint32_t>(number)], made.size());
  }
  EXPECT_EQ(channels_of(history, l), 0U);
}

Rows batch_of(std::size_t count, std::size_t spread, std::size_t values, Random& random) {
  Rows rows = {{"a", "b", "c", "s"}};
  for (std::size_t i = 0; i < count; ++i) {
    rows.push_back({random.below(30) == 0 ? "" : std::to_string(20 + random.below(spread)),
                    std::string(1, static_cast<char>('p' + random.below(1 + spread % 9))),
                    std::to_string(100 + random.below(spread == 1 ? 40 : spread) * 7),
                    "v" + std::to_string(random.below(values))});
  }
  return rows;
}

// Domains that grow with every release, and such that stay small, so that classes are inserted into
// and split again and again, and come near to having the same regions.
TEST(Dynamic, NeverOpensAChannelAndNeverLosesARecord) {
  std::size_t ended = 0, splits = 0;
  // The last four are ones in which an insertion would open a channel in a cousin.
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 159, 185, 509, 541}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const bool grows = seed % 4 == 0;
    const std::size_t l = 2 + random.below(2), k = 1 + random.below(3);
    const std::size_t values = 2 + l + random.below(10), spread = 1 + random.below(4);
    const Policy policy =
        small_policy("privacy:\n  - k-anonymity: " + std::to_string(k) +
                     "\n  - l-diversity: {column: s, l: " + std::to_string(l) + "}\n");
    Publication publication(policy);
    for (std::size_t release = 1; release <= 8; ++release) {
      const Rows rows = batch_of(random.below(40), grows ? 2 + release * random.below(6) : spread,
                                 values, random);
      const Change& change = publication.release(rows);
      ended += change.ended.size();
      splits += change.added.classes > change.ended.size() && !change.ended.empty() ? 1 : 0;
      ASSERT_NO_FATAL_FAILURE(check(publication, k, l));
    }
  }
  // The test would be worth little if nothing ever happened.
  EXPECT_GT(ended, 50U);
  EXPECT_GT(splits, 10U);
}

// No promise is broken here: `dynamic` guards against two releases at a time. The test says how far
// that is from safe against who uses all of them; docs/safety.md has the figures.
TEST(Dynamic, IsNotSafeFromWhoUsesAllReleases) {
  const Policy policy = small_policy("privacy:\n  - l-diversity: {column: s, l: 2}\n");
  std::size_t published = 0, exposed = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Random random(seed);
    Publication publication(policy);
    for (int i = 0; i < 5; ++i) {
      Rows rows = {{"a", "b", "c", "s"}};
      for (std::uint64_t n = 4 + random.below(5); n > 0; --n) {
        rows.push_back({std::to_string(20 + random.below(6)), "p", "100",
                        "v" + std::to_string(random.below(3))});
      }
      publication.release(rows);
    }
    const History history = publication.dynamic().history(0);
    EXPECT_EQ(channels_of(history, 2), 0U) << "seed " << seed;
    for (const auto& values : possible_values(history)) {
      published += values.empty() ? 0 : 1;
      exposed += values.size() == 1 ? 1 : 0;
    }
  }
  std::printf("%zu of %zu published records have one possible value\n", exposed, published);
  EXPECT_GT(exposed, 0U) << "then docs/safety.md is out of date";
}

TEST(Dynamic, IsTheSameOpenedAnewInAnyOrderOfRowsOnAnyThreads) {
  const Policy policy =
      small_policy("privacy:\n  - k-anonymity: 3\n  - l-diversity: {column: s, l: 2}\n");
  Publication one(policy), other(policy, /*reopens=*/true);
  Random random(5);
  for (std::size_t release = 1; release <= 6; ++release) {
    Rows rows = batch_of(release == 1 ? 60 : 25, 2 + 3 * release, 5, random);
    const Change& change = one.release(rows);
    std::reverse(rows.begin() + 1, rows.end());
    const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
    const Change& again = other.release(rows);
    EXPECT_EQ(change.ended, again.ended);
    EXPECT_EQ(change.added.class_of_row, again.added.class_of_row);
    ASSERT_EQ(one.classes, other.classes);
    EXPECT_EQ(one.dynamic().waiting().records, other.dynamic().waiting().records);
    EXPECT_EQ(one.dynamic().waiting().oldest_release, other.dynamic().waiting().oldest_release);
  }
  ASSERT_EQ(one.dynamic().domains().size(), 3U);
  other.release({{"a", "b", "c", "s"}});
  EXPECT_EQ(one.dynamic().domains()[2].values.labels, other.dynamic().domains()[2].values.labels);
}

// Figures 1 to 4 of Byun et al.: Alice must not be published alone, nor Bob's class cut.
TEST(Dynamic, DoesNotPublishFigure4) {
  const Policy policy = parse_policy(
      "columns:\n"
      "  age: {role: quasi-identifier, type: integer}\n"
      "  gender: {role: quasi-identifier}\n"
      "  diagnosis: {role: sensitive}\n"
      "privacy:\n  - l-diversity: {column: diagnosis, l: 2}\n",
      "policy", "");
  Publication publication(policy);
  publication.release({{"age", "gender", "diagnosis"},
                       {"21", "Male", "Asthma"},
                       {"23", "Male", "Flu"},
                       {"52", "Male", "Alzheimer"},
                       {"57", "Female", "Diabetes"}});
  ASSERT_EQ(publication.classes.size(), 2U);
  EXPECT_EQ(publication.classes.at(1).regions, (std::vector<std::string>{"21..23", "Male"}));
  EXPECT_EQ(publication.classes.at(2).regions, (std::vector<std::string>{"52..57", "*"}));
  publication.release({{"age", "gender", "diagnosis"},
                       {"27", "Female", "Cancer"},
                       {"53", "Male", "Heart Disease"},
                       {"59", "Female", "Flu"}});
  check(publication, 1, 2);
  for (const auto& [number, made] : publication.classes) {
    EXPECT_NE(made.values, (Multiset{{"Asthma", 1}, {"Flu", 1}, {"Cancer", 1}}));
    EXPECT_NE(made.values, (Multiset{{"Alzheimer", 1}, {"Heart Disease", 1}}));
  }
  publication.release({{"age", "gender", "diagnosis"}, {"28", "Female", "Flu"}});
  check(publication, 1, 2);
}

TEST(Dynamic, KeepsAllWaitingWhileNoClassCanBeMade) {
  const Policy policy =
      small_policy("privacy:\n  - k-anonymity: 3\n  - l-diversity: {column: s, l: 2}\n");
  Publication publication(policy, /*reopens=*/true);
  EXPECT_EQ(publication.release({{"a", "b", "c", "s"}}).added.classes, 0U);
  publication.release({{"a", "b", "c", "s"}, {"1", "p", "100", "v"}, {"2", "p", "101", "v"}});
  publication.release({{"a", "b", "c", "s"}, {"3", "q", "102", "v"}});
  EXPECT_EQ(publication.dynamic().waiting().records, 3U);
  EXPECT_EQ(publication.dynamic().waiting().oldest_release, 2U);
  EXPECT_TRUE(publication.classes.empty());
  publication.release({{"a", "b", "c", "s"}, {"3", "q", "102", "w"}});
  EXPECT_EQ(publication.dynamic().waiting().records, 0U);
  EXPECT_EQ(publication.dynamic().waiting().oldest_release, 0U);
  check(publication, 3, 2);
}

TEST(Dynamic, GuardsEverySensitiveColumn) {
  const Policy policy = parse_policy(
      "columns:\n"
      "  a: {role: quasi-identifier, type: integer}\n"
      "  s: {role: sensitive}\n"
      "  t: {role: sensitive}\n"
      "privacy:\n"
      "  - l-diversity: {column: t, l: 2.5, variant: entropy}\n"
      "  - l-diversity: {column: s, l: 2, variant: frequency}\n",
      "policy", "");
  Publication publication(policy);
  EXPECT_EQ(publication.dynamic().history(0).records(), 0U);
  Random random(3);
  for (std::size_t release = 1; release <= 8; ++release) {
    Rows rows = {{"a", "s", "t"}};
    for (std::size_t i = 0; i < 30; ++i) {
      rows.push_back({std::to_string(random.below(20)), "s" + std::to_string(random.below(9)),
                      "t" + std::to_string(random.below(9))});
    }
    publication.release(rows);
    check(publication, 2, 2);
    EXPECT_EQ(channels_of(publication.dynamic().history(1), 3), 0U);
  }
  EXPECT_GT(publication.classes.size(), 10U);
}

TEST(Dynamic, KeepsInsensitiveValuesAndOrder) {
  const Policy policy = parse_policy(
      "columns:\n"
      "  id: {role: insensitive, type: integer}\n"
      "  s: {role: sensitive}\n"
      "  age: {role: quasi-identifier, type: integer}\n"
      "privacy:\n  - l-diversity: {column: s, l: 2}\n",
      "policy", "");
  Folder folder;
  const Vault vault{std::string(32, 's')};
  std::multiset<std::string> released;
  ClassId next = 1;
  {
    Database database(folder.file(), Database::Mode::create);
    Dynamic::create(database);
  }
  for (std::uint32_t release = 1; release <= 3; ++release) {
    Rows rows = {{"id", "s", "age"}};
    for (std::uint32_t i = 0; i < 8; ++i) {
      rows.push_back({std::to_string(100 * release + i), i % 2 == 0 ? "x" : "y",
                      std::to_string(20 + (i * 7 + release) % 11)});
    }
    Database database(folder.file(), Database::Mode::write);
    Dynamic dynamic(database, vault, policy);
    Transaction transaction(database);
    const Change change = dynamic.update(table_of(rows, policy), release, next, 1);
    transaction.commit();
    next += change.added.classes;
    ASSERT_EQ(change.added.layout.size(), 3U);
    EXPECT_FALSE(change.added.layout[0].quasi);
    EXPECT_TRUE(change.added.layout[2].quasi);
    const Release::Plain& id = change.added.plain[0];
    EXPECT_TRUE(std::is_sorted(id.values.numbers.begin(), id.values.numbers.end()));
    for (std::size_t row = 0; row < change.added.rows(); ++row) {
      released.insert(id.values.labels[id.codes[row]]);
    }
  }
  for (std::uint32_t i = 0; i < 8; ++i) EXPECT_GE(released.count(std::to_string(100 + i)), 1U);
}

}  // namespace
}  // namespace throng
