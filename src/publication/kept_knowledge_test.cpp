// Publications against an attacker who knows rules: everyone in every class that was ever published
// is held against the paper's own check (figure 1), with all rules that the ledger knows.
#include "publication/kept_knowledge.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "figure_1.h"
#include "private_tables.h"
#include "publication/publication.h"
#include "publication/verify.h"
#include "throng/error.h"

namespace throng {
namespace {

namespace fs = std::filesystem;
using testing::Group;
using testing::Rows;
using testing::table_of;

const char* kColumns =
    "columns:\n"
    "  a: {role: quasi-identifier}\n"
    "  b: {role: quasi-identifier}\n"
    "  s: {role: sensitive}\n";

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "throng-knowledge-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

Rows random_batch(Random& random) {
  Rows rows = {{"a", "b", "s"}};
  const std::uint64_t count = 3 + random.below(9);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t a = random.below(3);
    // Some values go with some people.
    std::uint64_t s = random.below(4);
    if (s == 3 && a == 0 && random.below(10) < 9) s = random.below(3);
    if (s == 2 && a == 1) s = random.below(2);
    rows.push_back(
        {"a" + std::to_string(a), "b" + std::to_string(random.below(4)), "s" + std::to_string(s)});
  }
  return rows;
}

// What each rule says, read by hand: all values of the test are plain words.
bool rules_out(const nlohmann::json& rule, const std::map<std::string, std::string>& person,
               const std::string& value) {
  if (rule.at("not") != value) return false;
  for (const auto& item : rule.at("if").items()) {
    if (item.value() != person.at(item.key())) return false;
  }
  return true;
}

struct Judged {
  std::size_t records = 0, exposed = 0, classes = 0;
};

Judged judge(Ledger& ledger, std::size_t l) {
  KeptKnowledge knowledge(ledger);
  const nlohmann::json rules = nlohmann::json::parse(knowledge.rules());
  std::map<std::string, std::vector<std::map<std::string, std::string>>> classes;
  for (const RawRecords& part : knowledge.people()) {
    for (std::size_t row = 0; row < part.rows; ++row) {
      std::map<std::string, std::string> person;
      for (const RawColumn& column : part.columns)
        person[column.name] = column.texts[column.codes[row]];
      classes[person.at(kClassColumn)].push_back(person);
    }
  }
  Judged judged;
  judged.classes = classes.size();
  for (const auto& [name, people] : classes) {
    Group group;
    for (const auto& person : people) {
      testing::Record record{static_cast<Code>(std::stoul(person.at("s").substr(1))), {}};
      for (Code value = 0; value < 4; ++value) {
        for (const nlohmann::json& rule : rules) {
          if (value != record.value && rules_out(rule, person, "s" + std::to_string(value)))
            record.impossible.insert(value);
        }
      }
      group.push_back(record);
    }
    for (std::size_t i = 0; i < group.size(); ++i)
      judged.exposed += testing::valid_by_figure(group, i).size() < l ? 1 : 0;
    judged.records += group.size();
  }
  return judged;
}

TEST(KeptKnowledge, EveryBlockPassesFigure1UnlessItsExposureWasAccepted) {
  io::Session session(1);
  std::size_t refused = 0, accepted = 0, with_rules = 0, clean = 0, changed = 0;
  for (std::uint64_t seed = 1; seed <= 32; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Folder folder;
    const std::size_t l = 2 + seed % 2;
    std::ofstream(folder / "policy.yaml")
        << kColumns << "privacy:\n  - matching-l-diversity: {column: s, l: " << l << "}\n"
        << "knowledge: {mine: {min-expectation: 0.8, max-items: " << 1 + seed % 2 << "}}\n"
        << "publication: {max-loss: 9, patience: 0}\n";
    const Strategy strategy = seed % 4 == 0   ? Strategy::static_batch
                              : seed % 4 == 1 ? Strategy::dynamic
                                              : Strategy::append;
    Ledger::create(folder / "pub", folder / "policy.yaml", strategy, "");
    Random random(seed);
    bool any = false;
    for (int release = 1; release <= 4; ++release) {
      const Rows rows = random_batch(random);
      const std::string output = folder / (std::to_string(release) + ".csv");
      Publication publication(folder / "pub", Ledger::Access::write, "release", "", 0, session);
      const auto make = [&](bool accept) {
        ReleaseOptions options;
        options.output = output;
        options.accept_exposed = accept;
        return publication.release({table_of(rows, publication.policy()), {}, ""}, options);
      };
      const Judged before = judge(publication.ledger(), l);
      const std::int64_t known = KeptKnowledge(publication.ledger()).totals().exposed;
      EXPECT_EQ(before.exposed, static_cast<std::size_t>(known));
      try {
        const Released released = make(false);
        EXPECT_EQ(released.record.exposed, 0);
      } catch (const PrivacyError& error) {
        ++refused;
        any = true;
        EXPECT_NE(std::string(error.what()).find("--accept-exposed"), std::string::npos);
        // Nothing has changed.
        EXPECT_EQ(judge(publication.ledger(), l).exposed, before.exposed);
        const Released released = make(true);
        EXPECT_GT(released.record.exposed, 0);
        accepted += static_cast<std::size_t>(released.record.exposed);
      }
      const Judged after = judge(publication.ledger(), l);
      EXPECT_EQ(after.exposed,
                static_cast<std::size_t>(KeptKnowledge(publication.ledger()).totals().exposed));
      const auto published = static_cast<std::size_t>(publication.status().published);
      if (strategy == Strategy::dynamic) {  // in every class that they were ever in
        EXPECT_GE(after.records, published);
        changed += after.records > published ? 1 : 0;
      } else {
        EXPECT_EQ(after.records, published);
      }
      if (release == 4) {
        EXPECT_EQ(verify(publication, session).broken, std::vector<std::string>());
      }
      with_rules += KeptKnowledge(publication.ledger()).totals().rules > 0 ? 1 : 0;
    }
    clean += any ? 0 : 1;
  }
  // The cases are worth the trouble.
  EXPECT_GT(refused, 5U);
  EXPECT_GT(accepted, 10U);
  EXPECT_GT(with_rules, 40U);
  EXPECT_GT(clean, 3U);
  EXPECT_GT(changed, 5U);
}

TEST(KeptKnowledge, AnotherFileOfRulesIsTriedOnWhatIsOut) {
  io::Session session(1);
  const Folder folder;
  const auto policy = [&](const std::string& name, const std::string& knowledge) {
    std::ofstream(folder / name) << kColumns
                                 << "privacy:\n  - matching-l-diversity: {column: s, l: 2}\n"
                                 << knowledge << "publication: {max-loss: 9, patience: 0}\n";
    return folder / name;
  };
  std::ofstream(folder / "one.json") << R"([{"if": {"a": "{a0|later}"}, "not": "s3"}])";
  std::ofstream(folder / "two.json") << R"([{"if": {"a": "a1"}, "not": "s0"}])";
  Ledger::create(folder / "pub", policy("first.yaml", "knowledge: one.json\n"), Strategy::append,
                 "");
  Publication publication(folder / "pub", Ledger::Access::write, "release", "", 0, session);
  const auto release = [&](const Rows& rows, const std::string& output, bool accept) {
    ReleaseOptions options;
    options.output = folder / output;
    options.accept_exposed = accept;
    return publication.release({table_of(rows, publication.policy()), {}, ""}, options);
  };
  const Rows first = {{"a", "b", "s"}, {"a0", "b0", "s0"}, {"a1", "b0", "s1"}};
  EXPECT_EQ(release(first, "1.csv", false).record.published, 2);
  publication.ledger().adopt(policy("second.yaml", "knowledge: two.json\n"));
  const Rows second = {{"a", "b", "s"}, {"later", "b1", "s0"}, {"a2", "b1", "s3"}};
  EXPECT_THROW(release(second, "2.csv", false), PrivacyError);
  // The first file's rule is known for good, of values too that came later: these two wait.
  const Released released = release(second, "2.csv", true);
  EXPECT_EQ(released.record.exposed, 2);
  EXPECT_EQ(released.record.published, 2);
  EXPECT_EQ(released.record.waiting, 2);
  EXPECT_EQ(KeptKnowledge(publication.ledger()).totals().rules, 2);
  // What mines can be added, not taken away; nor can the requirement.
  publication.ledger().adopt(policy("third.yaml", "knowledge: {mine: {max-items: 1}}\n"));
  EXPECT_THROW(publication.ledger().adopt(policy("fourth.yaml", "knowledge: two.json\n")),
               InputError);
  std::ofstream(folder / "weaker.yaml") << kColumns << "privacy:\n  - k-anonymity: 2\n"
                                        << "publication: {max-loss: 9, patience: 0}\n";
  EXPECT_THROW(publication.ledger().adopt(folder / "weaker.yaml"), InputError);
}

}  // namespace
}  // namespace throng
