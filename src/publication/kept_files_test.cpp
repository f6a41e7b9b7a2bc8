// A sequential publication against an attacker who joins all its files, row by row, as the
// definitions say: written here a second time, for masks and small tables.
#include "publication/kept_files.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "private_tables.h"
#include "publication/manifest.h"
#include "publication/verify.h"
#include "throng/error.h"

namespace throng {
namespace {

namespace fs = std::filesystem;
using testing::Rows;
using testing::table_of;
using Row = std::map<std::string, std::string>;

// Texts with masks at their right, all of one length but `*`.
bool masks_meet(const std::string& one, const std::string& other) {
  for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i) {
    if (one[i] == '*' || other[i] == '*') return true;
    if (one[i] != other[i]) return false;
  }
  return true;
}

bool rows_meet(const Row& one, const Row& other, const Policy& policy) {
  return std::all_of(one.begin(), one.end(), [&](const auto& cell) {
    const auto found = other.find(cell.first);
    if (found == other.end()) return true;
    return policy.find(cell.first)->role == Role::quasi_identifier
               ? masks_meet(cell.second, found->second)
               : cell.second == found->second;
  });
}

class Attacker {
 public:
  explicit Attacker(const Policy& policy) : policy_(policy) {}

  void keep(const ForeignFile& file) {
    std::vector<Row>& rows = files_.emplace_back(file.rows);
    for (const RawColumn& column : file.columns) {
      for (std::size_t row = 0; row < file.rows; ++row)
        rows[row][column.name] = column.texts[column.codes[row]];
    }
  }

  // A_Y(X) with y: row, or L_Y(X) of each value of a column.
  double reached(const XyRequirement& asked) {
    groups_.clear();
    std::vector<std::size_t> chosen;
    join(asked, chosen);
    double result = asked.kind == XyRequirement::Kind::anonymity ? 1e9 : 0;
    for (const auto& [x, group] : groups_) {
      if (asked.kind == XyRequirement::Kind::anonymity) {
        result = std::min(result, static_cast<double>(group.current.size()));
      }
      for (const auto& [value, count] : group.values)
        result = std::max(result, static_cast<double>(count) / static_cast<double>(group.rows));
    }
    return result;
  }

 private:
  struct Group {
    std::set<std::size_t> current;  // records of the last file
    std::map<std::string, std::size_t> values;
    std::size_t rows = 0;
  };

  void join(const XyRequirement& asked, std::vector<std::size_t>& chosen) {
    const std::size_t at = chosen.size();
    if (at == files_.size()) return count(asked, chosen);
    for (std::size_t row = 0; row < files_[at].size(); ++row) {
      bool meets = true;
      for (std::size_t i = 0; i < at && meets; ++i)
        meets = rows_meet(files_[i][chosen[i]], files_[at][row], policy_);
      if (!meets) continue;
      chosen.push_back(row);
      join(asked, chosen);
      chosen.pop_back();
    }
  }

  void count(const XyRequirement& asked, const std::vector<std::size_t>& chosen) {
    std::vector<std::string> x;
    std::string value;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const Row& row = files_[i][chosen[i]];
      for (const std::string& name : asked.x) {
        const auto found = row.find(name);
        if (found != row.end()) x.push_back(found->second);
      }
      if (asked.guarded.empty()) continue;
      const auto found = row.find(asked.guarded[0].column);
      if (found != row.end()) value = found->second;
    }
    Group& group = groups_[x];
    ++group.rows;
    group.current.insert(chosen.back());
    if (!asked.guarded.empty()) ++group.values[value];
  }

  const Policy& policy_;
  std::vector<std::vector<Row>> files_;
  std::map<std::vector<std::string>, Group> groups_;
};

class SequentialPublicationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "throng_sequential_XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  void init(const std::string& rest) {
    fs::remove_all(path("pub"));
    std::ofstream(path("policy.yaml")) << kColumns + rest;
    Ledger::create(path("pub"), path("policy.yaml"), std::nullopt, "");
    policy_ = read_policy(path("policy.yaml"));
  }

  Publication open(Ledger::Access access = Ledger::Access::write) {
    return {path("pub"), access, "test", "", 0, session_};
  }

  Released release(const Rows& rows, const std::string& name) {
    Publication publication = open();
    std::string mark;  // of tables that are the same here
    for (const std::string& column : rows[0]) mark += column;
    return publication.release({table_of(rows, policy_), {}, mark},
                               {path(name + ".csv"), false, false, 7, name});
  }

  static constexpr const char* kColumns =
      "columns:\n"
      "  zip: {role: quasi-identifier, hierarchy: {mask: right}}\n"
      "  job: {role: quasi-identifier, hierarchy: {mask: right}}\n"
      "  ward: {role: insensitive}\n"
      "  test: {role: sensitive}\n"
      "algorithm: tds\n";
  io::Session session_{1};
  std::string folder_;
  Policy policy_;
};

// Projections of the same people.
Rows project(const Rows& people, const std::vector<std::string>& names) {
  Rows rows;
  for (const auto& person : people) {
    auto& row = rows.emplace_back();
    for (const std::string& name : names) {
      const auto at = std::find(people[0].begin(), people[0].end(), name);
      row.push_back(person[static_cast<std::size_t>(at - people[0].begin())]);
    }
  }
  return rows;
}

Rows random_people(Random& random) {
  Rows people = {{"zip", "job", "ward", "test"}};
  const std::size_t count = 4 + random.below(7);
  for (std::size_t i = 0; i < count; ++i) {
    people.push_back({std::to_string(10 + random.below(2) * 10 + random.below(3)),
                      std::string(1, static_cast<char>('a' + random.below(2))) +
                          std::string(1, static_cast<char>('p' + random.below(2))),
                      "w" + std::to_string(random.below(2)),
                      "t" + std::to_string(random.below(3))});
  }
  return people;
}

TEST_F(SequentialPublicationTest, NoJoinOfItsFilesTellsMoreThanAsked) {
  const std::vector<std::vector<std::string>> views = {
      {"job", "test"}, {"zip", "job"}, {"zip", "ward"}, {"ward", "test"}, {"zip", "job", "ward"}};
  std::size_t made = 0, refused = 0, generalized = 0, asked = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    init(
        "privacy:\n"
        "  - xy-linkability: {x: [zip, job], y: test, max: 0.8}\n"
        "  - xy-anonymity: {x: [zip, test], y: row, k: 2}\n");
    const Rows people = random_people(random);
    Attacker attacker(policy_);
    std::vector<std::vector<std::string>> order = views;
    shuffle(order, seed);
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string name = "T" + std::to_string(i);
      const std::size_t before = open().releases().size();
      Released released;
      try {
        released = release(project(people, order[i]), name);
      } catch (const PrivacyError&) {
        ++refused;
        EXPECT_EQ(open().releases().size(), before);
        EXPECT_FALSE(fs::exists(path(name + ".csv")));
        continue;
      }
      ++made;
      Publication publication = open();
      const auto releases = publication.releases();
      ASSERT_EQ(releases.size(), before + 1);
      EXPECT_EQ(releases.back().name, name);
      EXPECT_EQ(releases.back().columns, order[i]);
      const ForeignFile file = published_file(publication.ledger(), releases.back(), session_);
      EXPECT_EQ(file.rows, people.size() - 1);
      generalized += std::any_of(file.columns.begin(), file.columns.end(),
                                 [](const RawColumn& column) {
                                   return std::any_of(column.texts.begin(), column.texts.end(),
                                                      [](const std::string& text) {
                                                        return text.find('*') != std::string::npos;
                                                      });
                                 })
                         ? 1
                         : 0;
      attacker.keep(file);
      const DuePolicy due = due_at(publication.ledger(), releases);
      const std::vector<Reached> told = reached_in(releases.back().manifest, "");
      ASSERT_EQ(told.size(), due.policy.xy.size());
      for (std::size_t n = 0; n < told.size(); ++n) {
        const XyRequirement& requirement = due.policy.xy[n];
        const double reached = attacker.reached(requirement);
        EXPECT_DOUBLE_EQ(reached, told[n].reached);
        if (requirement.kind == XyRequirement::Kind::anonymity) {
          EXPECT_GE(reached, 2);
        } else {
          EXPECT_LE(reached, 0.8 + 1e-9);
        }
        ++asked;
      }
    }
    {
      Publication publication = open();
      const Verification found = verify(publication, session_);
      EXPECT_TRUE(found.broken.empty()) << found.broken[0];
    }
    for (std::size_t i = 0; i < 3; ++i) fs::remove(path("T" + std::to_string(i) + ".csv"));
  }
  // The test is about something.
  EXPECT_GT(made, 40U);
  EXPECT_GT(refused, 5U);
  EXPECT_GT(generalized, 10U);
  EXPECT_GT(asked, 40U);
}

const Rows kPeople = {{"zip", "job", "ward", "test"}, {"11", "ab", "w0", "HIV"},
                      {"12", "ab", "w0", "Flu"},      {"21", "ac", "w1", "Flu"},
                      {"22", "ac", "w1", "HIV"},      {"11", "ab", "w0", "Flu"}};
const char* kPrivacy = "privacy:\n  - xy-linkability: {x: [zip, job], y: test, max: 0.7}\n";

TEST_F(SequentialPublicationTest, NamesAreUnique) {
  init(kPrivacy);
  release(project(kPeople, {"job", "test"}), "T2");
  EXPECT_THROW(release(project(kPeople, {"zip", "job"}), "T2"), InputError);
  EXPECT_EQ(open().releases().size(), 1U);
  // The very same again is the same.
  EXPECT_TRUE(release(project(kPeople, {"job", "test"}), "T2").repeated);
  for (const std::string& bad : {std::string(), std::string("12"), std::string("a\nb"),
                                 std::string(" a"), std::string(101, 'a')}) {
    EXPECT_THROW(release(project(kPeople, {"zip", "job"}), bad), InputError) << bad;
  }
  EXPECT_EQ(open().release_called("T2").number, 1);
  EXPECT_EQ(open().release_called("1").name, "T2");
  EXPECT_THROW(open().release_called("T1"), InputError);
}

TEST_F(SequentialPublicationTest, HoldsNothingThatIsNotOut) {
  init(kPrivacy);
  release(project(kPeople, {"job", "test"}), "T2");
  const Released released = release(project(kPeople, {"zip", "job"}), "T1");
  EXPECT_TRUE(released.joined->waits.empty());
  Publication publication = open();
  for (const char* table : {"raw", "known", "record_key", "pending"}) {
    EXPECT_EQ(publication.ledger().database().number(std::string("SELECT count(*) FROM ") + table),
              0)
        << table;
  }
}

// A name or a column that is changed in the ledger is found.
TEST_F(SequentialPublicationTest, FindsChangedNamesAndColumns) {
  for (const std::string& change :
       {std::string("UPDATE projection SET name = 'T3' WHERE release = 2"),
        std::string("UPDATE projection SET columns = (SELECT columns FROM projection WHERE release "
                    "= 1) WHERE release = 2")}) {
    init(kPrivacy);
    release(project(kPeople, {"job", "test"}), "T2");
    release(project(kPeople, {"zip", "job"}), "T1");
    Publication publication = open();
    EXPECT_TRUE(verify(publication, session_).broken.empty());
    publication.ledger().database().execute(change);
    EXPECT_FALSE(verify(publication, session_).broken.empty());
  }
}

TEST_F(SequentialPublicationTest, TakesPoliciesThatAddAndRefusesOthers) {
  init(kPrivacy);
  release(project(kPeople, {"job", "test"}), "T2");
  const auto adopt = [&](const std::string& yaml) {
    std::ofstream(path("policy.yaml")) << yaml;
    Publication publication = open();
    return publication.ledger().adopt(path("policy.yaml"));
  };
  std::string more = kColumns;
  more.insert(more.find("algorithm"), "  drug: {role: sensitive}\n");
  EXPECT_EQ(adopt(more + kPrivacy), "the column drug");
  EXPECT_THROW(adopt(std::string(kColumns) + kPrivacy), InputError);  // drug is gone
  EXPECT_THROW(adopt(more + "privacy:\n  - xy-linkability: {x: [zip], y: test, max: 0.7}\n"),
               InputError);
  EXPECT_THROW(adopt(more + "privacy:\n  - xy-linkability: {x: [zip, job], y: test, max: 0.8}\n"),
               InputError);
  EXPECT_THROW(adopt(more + "privacy:\n  - xy-linkability: {x: [zip, job], y: drug, max: 0.7}\n"),
               InputError);
  EXPECT_EQ(
      adopt(more + "privacy:\n  - xy-linkability: {x: [zip, job, ward], y: [test, drug], max: "
                   "0.7}\n"),
      "xy-linkability of zip, job, ward");
  Publication publication = open();
  EXPECT_TRUE(verify(publication, session_).broken.empty());
}

TEST_F(SequentialPublicationTest, GoesWithItsRequirements) {
  std::ofstream(path("policy.yaml")) << std::string(kColumns) + kPrivacy;
  std::ofstream(path("plain.yaml")) << std::string(kColumns) + "privacy: [{k-anonymity: 2}]\n";
  for (const Strategy strategy :
       {Strategy::append, Strategy::dynamic, Strategy::static_full, Strategy::static_batch}) {
    EXPECT_THROW(Ledger::create(path("a"), path("policy.yaml"), strategy, ""), InputError);
  }
  EXPECT_THROW(Ledger::create(path("a"), path("plain.yaml"), Strategy::sequential, ""), InputError);
  EXPECT_FALSE(fs::exists(path("a")));
  EXPECT_EQ(Ledger::create(path("a"), path("policy.yaml"), std::nullopt, ""), Strategy::sequential);
}

}  // namespace
}  // namespace throng
