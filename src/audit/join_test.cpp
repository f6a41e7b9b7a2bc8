#include "audit/join.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "hierarchy/file.h"
#include "table/random.h"
#include "throng/error.h"

namespace throng {
namespace {

using Row = std::vector<std::string>;

Domain tree_domain(const std::string& name, const std::string& lines) {
  Domain domain;
  domain.name = name;
  domain.kind = Domain::Kind::tree;
  domain.tree = parse_hierarchy(lines, Type::text, "", name);
  domain.values = domain.tree->leaves();
  return domain;
}

Dictionary dictionary(const std::vector<std::string>& labels) {
  Dictionary values;
  values.labels = labels;
  return values;
}

Domain set_domain(const std::string& name, const std::vector<std::string>& labels) {
  Domain domain;
  domain.name = name;
  domain.values = dictionary(labels);
  return domain;
}

Domain number_domain(const std::string& name, int last) {
  Domain domain;
  domain.name = name;
  domain.kind = Domain::Kind::interval;
  domain.values.type = Type::integer;
  for (int number = 1; number <= last; ++number) {
    domain.values.labels.push_back(std::to_string(number));
    domain.values.numbers.push_back(number);
  }
  domain.low = 1;
  domain.high = last;
  return domain;
}

// The columns that releases may have: domains of quasi-identifiers, values of plain columns.
struct World {
  std::vector<Domain> domains;
  std::map<std::string, std::vector<std::string>> plain;
  // What was read before: of a column and a text.
  mutable std::map<std::pair<std::string, std::string>, Region> regions = {};
  mutable std::map<std::pair<std::string, std::string>, std::uint32_t> masks = {};

  const Domain* find(const std::string& name) const {
    for (const Domain& domain : domains) {
      if (domain.name == name) return &domain;
    }
    return nullptr;
  }
  const Region& region(const Domain& domain, const std::string& text) const {
    const auto found = regions.find({domain.name, text});
    if (found != regions.end()) return found->second;
    return regions[{domain.name, text}] = read_region(domain, text);
  }
};

// A release from the texts of its rows.
Release release_of(const World& world, const Row& header, const std::vector<Row>& rows) {
  Release release;
  std::map<Row, std::uint32_t> classes;
  std::vector<Row> keys(rows.size());
  for (std::size_t column = 0; column < header.size(); ++column) {
    if (world.find(header[column]) == nullptr) continue;
    for (std::size_t row = 0; row < rows.size(); ++row) keys[row].push_back(rows[row][column]);
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    release.class_of_row.push_back(
        classes.emplace(keys[row], static_cast<std::uint32_t>(classes.size())).first->second);
  }
  release.classes = classes.size();
  std::size_t quasi = 0;
  for (std::size_t column = 0; column < header.size(); ++column) {
    if (const Domain* domain = world.find(header[column])) {
      Release::Quasi added{*domain, {}, std::vector<std::uint32_t>(classes.size())};
      for (const auto& entry : classes) {  // a region a class: equal ones may stand there twice
        added.of_class[entry.second] = static_cast<std::uint32_t>(added.regions.size());
        added.regions.push_back(world.region(*domain, entry.first[quasi]));
      }
      ++quasi;
      release.quasi.push_back(std::move(added));
    } else {
      const std::vector<std::string>& labels = world.plain.at(header[column]);
      std::vector<Code> codes;
      for (const Row& row : rows) {
        codes.push_back(static_cast<Code>(std::find(labels.begin(), labels.end(), row[column]) -
                                          labels.begin()));
      }
      release.plain.push_back(
          {header[column], Role::sensitive, dictionary(labels), Codes(codes, labels.size())});
    }
  }
  return release;
}

XyRequirement anonymity(std::vector<std::string> x, XyRequirement::Counted counted,
                        std::vector<std::string> y = {}, std::size_t k = 2) {
  XyRequirement asked;
  asked.x = std::move(x);
  asked.counted = counted;
  asked.y = std::move(y);
  asked.k = k;
  return asked;
}

XyRequirement linkability(std::vector<std::string> x, std::vector<XyRequirement::Guarded> guarded) {
  XyRequirement asked;
  asked.kind = XyRequirement::Kind::linkability;
  asked.x = std::move(x);
  asked.guarded = std::move(guarded);
  return asked;
}

JoinAudit audit(const std::vector<Release>& releases, std::vector<XyRequirement> asked,
                std::vector<InconsistentPair> inconsistent = {},
                std::size_t table_cells = std::size_t{1} << 20) {
  Policy policy;
  policy.source = "p.yaml";
  policy.xy = std::move(asked);
  policy.inconsistent = std::move(inconsistent);
  return audit_join(releases, policy, table_cells);
}

constexpr auto kRows = XyRequirement::Counted::rows;
constexpr auto kPairs = XyRequirement::Counted::pairs;
constexpr auto kValues = XyRequirement::Counted::values;

// ---- The paper's tables

World table_1() {
  return {{set_domain("name", {"Alice", "Bob", "Cathy"}),
           set_domain("job", {"Banker", "Clerk", "Driver", "Engineer"})},
          {{"class", {"c1", "c2", "c3", "c4"}}, {"disease", {"Cancer", "HIV"}}}};
}

std::vector<Release> releases_of_table_1() {
  const World world = table_1();
  return {release_of(world, {"job", "disease"},
                     {{"Banker", "Cancer"},
                      {"Banker", "Cancer"},
                      {"Clerk", "HIV"},
                      {"Driver", "Cancer"},
                      {"Engineer", "HIV"}}),
          release_of(world, {"name", "job", "class"},
                     {{"Alice", "Banker", "c1"},
                      {"Alice", "Banker", "c1"},
                      {"Bob", "Clerk", "c2"},
                      {"Bob", "Driver", "c3"},
                      {"Cathy", "Engineer", "c4"}})};
}

// Example 1: {Bob, HIV} has size 1, {Alice, Cancer} size 4, and Alice has Cancer for certain.
TEST(Join, TableOneOfTheSequentialPaper) {
  const std::vector<Release> releases = releases_of_table_1();
  const JoinAudit found = audit(
      releases, {anonymity({"name", "disease"}, kPairs), anonymity({"name", "disease"}, kRows),
                 linkability({"name"}, {{"disease", "Cancer", 0.9}, {"disease", "HIV", 1}}),
                 anonymity({"name"}, kValues, {"disease"})});
  EXPECT_EQ(found.join_columns, (std::vector<std::string>{"job"}));
  EXPECT_EQ(found.dangling, (std::vector<std::uint64_t>{0, 0}));
  EXPECT_EQ(found.matches, 4U);
  EXPECT_EQ(found.findings[0].anonymity, 1U);
  EXPECT_EQ(found.findings[0].group.words(), "name=Bob, disease=HIV");
  EXPECT_EQ(found.findings[0].groups, 4U);
  EXPECT_FALSE(found.findings[0].holds);
  EXPECT_EQ(found.findings[1].anonymity, 1U);
  EXPECT_EQ(found.findings[2].linkability, 1);
  EXPECT_EQ(found.findings[2].group.words(), "name=Alice");
  EXPECT_FALSE(found.findings[2].links[0].holds);
  EXPECT_TRUE(found.findings[2].links[1].holds);
  EXPECT_EQ(found.findings[2].links[1].group.words(), "name=Cathy");
  EXPECT_EQ(found.findings[3].anonymity, 1U);
  EXPECT_FALSE(found.holds());

  // Only one group at a time: what it counts is the size of that group.
  const auto size_of = [&](const std::string& name, const std::string& disease) {
    const World world = table_1();
    const std::vector<Row> all = {{"Banker", "Cancer"},
                                  {"Banker", "Cancer"},
                                  {"Clerk", "HIV"},
                                  {"Driver", "Cancer"},
                                  {"Engineer", "HIV"}};
    std::vector<Row> rows;
    for (const Row& row : all) {
      if (row[1] == disease) rows.push_back(row);
    }
    const std::vector<Row> names = {{"Alice", "Banker", "c1"},
                                    {"Alice", "Banker", "c1"},
                                    {"Bob", "Clerk", "c2"},
                                    {"Bob", "Driver", "c3"},
                                    {"Cathy", "Engineer", "c4"}};
    std::vector<Row> kept;
    for (const Row& row : names) {
      if (row[0] == name) kept.push_back(row);
    }
    return audit({release_of(world, {"job", "disease"}, rows),
                  release_of(world, {"name", "job", "class"}, kept)},
                 {anonymity({"name", "disease"}, kPairs)})
        .findings[0]
        .anonymity;
  };
  EXPECT_EQ(size_of("Bob", "HIV"), 1U);
  EXPECT_EQ(size_of("Alice", "Cancer"), 4U);
}

// Example 2: three tests a patient, so k records are fewer patients.
TEST(Join, OneReleaseIsAJoinOfOne) {
  const World world = {{set_domain("job", {"Clerk", "Cook"})},
                       {{"pid", {"1", "2"}}, {"test", {"a", "b", "c"}}}};
  const std::vector<Release> one = {release_of(world, {"job", "pid", "test"},
                                               {{"Cook", "1", "a"},
                                                {"Cook", "1", "b"},
                                                {"Cook", "1", "c"},
                                                {"Cook", "2", "a"},
                                                {"Cook", "2", "b"},
                                                {"Cook", "2", "c"}})};
  const JoinAudit found =
      audit(one, {anonymity({"job"}, kRows), anonymity({"job"}, kPairs),
                  anonymity({"job"}, kValues, {"pid"}), anonymity({"job"}, kValues, {"test"}),
                  anonymity({"job"}, kValues, {"pid", "test"})});
  const std::uint64_t expected[] = {6, 6, 2, 3, 6};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(found.findings[i].anonymity, expected[i]) << i;
  EXPECT_TRUE(found.join_columns.empty());
}

// Example 3: HIV in 9 of 10 records, and thresholds value by value.
TEST(Join, ConfidenceOfNinetyPercent) {
  const World world = {{set_domain("job", {"Cook"})}, {{"test", {"Diabetes", "HIV"}}}};
  std::vector<Row> rows(9, Row{"Cook", "HIV"});
  rows.push_back({"Cook", "Diabetes"});
  const std::vector<Release> one = {release_of(world, {"job", "test"}, rows)};
  const JoinAudit found =
      audit(one, {linkability({"job"}, {{"test", "HIV", 0.9}}),
                  linkability({"job"}, {{"test", "HIV", 0.89}, {"test", "Diabetes", 0.1}}),
                  linkability({"job"}, {{"test", std::nullopt, 0.95}}),
                  linkability({"job"}, {{"test", "Gout", 0.1}})});
  EXPECT_DOUBLE_EQ(found.findings[0].linkability, 0.9);
  EXPECT_TRUE(found.findings[0].holds);
  EXPECT_FALSE(found.findings[1].holds);
  EXPECT_FALSE(found.findings[1].links[0].holds);
  EXPECT_TRUE(found.findings[1].links[1].holds);
  EXPECT_TRUE(found.findings[2].holds);
  EXPECT_EQ(found.findings[2].links[0].value, "HIV");
  EXPECT_EQ(found.findings[3].linkability, 0);
}

// Section 4: where a record becomes dangling, A_Y(X) grows with a specialization.
TEST(Join, NotAntiMonotoneWhereRecordsDangle) {
  const World world = {
      {set_domain("c", {"c1", "c2"}), tree_domain("d", "d1;d;*\nd2;d;*\nd3;d3;*\n")},
      {{"y", {"y1", "y2", "y3"}}}};
  const Release previous =
      release_of(world, {"d", "y"}, {{"d3", "y3"}, {"d3", "y2"}, {"d1", "y1"}});
  const XyRequirement asked = anonymity({"c", "d"}, kValues, {"y"});
  const JoinAudit before =
      audit({previous, release_of(world, {"c", "d"}, {{"c1", "d3"}, {"c2", "d"}})}, {asked});
  EXPECT_EQ(before.findings[0].anonymity, 1U);
  EXPECT_EQ(before.findings[0].group.words(), "c=c2, d=d1 (release 1), d=d (release 2)");
  EXPECT_EQ(before.dangling, (std::vector<std::uint64_t>{0, 0}));
  const JoinAudit after =
      audit({previous, release_of(world, {"c", "d"}, {{"c1", "d3"}, {"c2", "d2"}})}, {asked});
  EXPECT_EQ(after.findings[0].anonymity, 2U);
  EXPECT_EQ(after.findings[0].group.words(), "c=c1, d=d3");
  EXPECT_EQ(after.dangling, (std::vector<std::uint64_t>{1, 1}));
}

// Section 3.3: Male matches Single_Male; Male and Pregnant are inconsistent, and so are
// Married_Male and 6_Month_Pregnant; what is more general than either is not.
TEST(Join, InconsistentValuesAreInherited) {
  const World world = {
      {tree_domain("sex", "Single_Male;Male;*\nMarried_Male;Male;*\nFemale;Female;*\n"),
       tree_domain("status", "3_Month;Pregnant;*\n6_Month;Pregnant;*\nHealthy;Healthy;*\n")},
      {{"y", {"a", "b"}}}};
  const std::vector<InconsistentPair> pairs = {{{"sex", "Male"}, {"status", "Pregnant"}}};
  const auto rows = [&](const std::string& sex, const std::string& status, bool swapped) {
    std::vector<Release> releases = {release_of(world, {"status"}, {{status}}),
                                     release_of(world, {"sex", "y"}, {{sex, "a"}})};
    if (swapped) std::swap(releases[0], releases[1]);
    const JoinAudit found = audit(releases, {anonymity({"sex", "status"}, kPairs)}, pairs);
    EXPECT_EQ(found.empty, found.findings[0].groups == 0);
    EXPECT_EQ(found.join_columns, (std::vector<std::string>{"sex", "status"}));
    return found.findings[0].anonymity;
  };
  for (const bool swapped : {false, true}) {
    EXPECT_EQ(rows("Male", "Pregnant", swapped), 0U);
    EXPECT_EQ(rows("Married_Male", "6_Month", swapped), 0U);
    EXPECT_EQ(rows("Female", "6_Month", swapped), 1U);
    EXPECT_EQ(rows("*", "6_Month", swapped), 1U);
    EXPECT_EQ(rows("Male", "*", swapped), 1U);
    EXPECT_EQ(rows("Single_Male", "Healthy", swapped), 1U);
  }
  const auto matches = [&](const std::string& one, const std::string& other) {
    return !audit({release_of(world, {"sex"}, {{one}}), release_of(world, {"sex"}, {{other}})}, {})
                .empty;
  };
  EXPECT_TRUE(matches("Male", "Single_Male"));
  EXPECT_TRUE(matches("Single_Male", "*"));
  EXPECT_FALSE(matches("Single_Male", "Married_Male"));
  EXPECT_FALSE(matches("Male", "Female"));
}

TEST(Join, SaysWhatIsWrong) {
  const std::vector<Release> releases = releases_of_table_1();
  const auto failure = [&](std::vector<XyRequirement> asked,
                           std::vector<InconsistentPair> pairs) -> std::string {
    try {
      audit(releases, std::move(asked), std::move(pairs));
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(failure({anonymity({"zip"}, kRows)}, {}),
            "p.yaml:0: no release has the column 'zip' of this requirement; their columns are: "
            "class, disease, job, name");
  EXPECT_EQ(failure({}, {{{"job", "Nobody"}, {"disease", "Nothing"}}}), "no error");
  const World world = {{tree_domain("d", "d1;d;*\nd2;d;*\n")}, {{"y", {"y1"}}}};
  Policy policy;
  policy.source = "p.yaml";
  policy.inconsistent = {{{"d", "dd"}, {"y", "y1"}}};
  const std::vector<Release> two = {release_of(world, {"d"}, {{"d1"}}),
                                    release_of(world, {"y"}, {{"y1"}})};
  EXPECT_THROW(audit_join(two, policy), InputError);
  EXPECT_TRUE(audit({release_of(world, {"d"}, {}), two[1]}, {}).empty);
  EXPECT_THROW(audit_join({}, policy), std::invalid_argument);
}

// ---- Brute force: the join is made, on texts and sets of leaves.

const Row kColumns = {"a", "b", "c", "d", "e"};

World random_world() {
  return {{tree_domain("a", "p;pq;pqr;*\nq;pq;pqr;*\nr;r1;pqr;*\ns;st;st;*\nt;st;st;*\nu;u;u;*\n"),
           set_domain("b", {"k", "l", "m", "n"}), number_domain("c", 5)},
          {{"d", {"v", "w", "x"}}, {"e", {"y", "z"}}}};
}

std::string random_text(const World& world, const std::string& name, Random& random) {
  const Domain* domain = world.find(name);
  if (domain == nullptr) {
    const auto& labels = world.plain.at(name);
    return labels[random.below(labels.size())];
  }
  const auto position = [&] { return static_cast<Code>(random.below(domain->size())); };
  if (domain->kind == Domain::Kind::tree) {
    return write_region(
        *domain, region_of_node(*domain, domain->tree->at_level(position(), random.below(4))));
  }
  if (random.below(8) == 0) return "*";
  if (domain->kind == Domain::Kind::interval) {
    const Code one = position(), other = position();
    return write_region(*domain,
                        region_of_range(*domain, std::min(one, other), std::max(one, other)));
  }
  std::set<Code> members = {position()};
  while (random.below(2) == 0) members.insert(position());
  return write_region(*domain, region_of_set(*domain, {members.begin(), members.end()}));
}

class BruteForce {
 public:
  // `tables`: headers and rows, in the order of publication.
  BruteForce(const World& world, const std::vector<Row>& headers,
             const std::vector<std::vector<Row>>& tables,
             const std::vector<InconsistentPair>& inconsistent)
      : world_(world), headers_(headers), tables_(tables) {
    for (std::size_t t = 0; t < tables.size(); ++t) {
      masks_.emplace_back();
      for (const Row& row : tables[t]) {
        masks_[t].emplace_back(kColumns.size(), ~0U);
        for (std::size_t i = 0; i < headers[t].size(); ++i)
          masks_[t].back()[number_of(headers[t][i])] = mask_of(headers[t][i], row[i]);
      }
    }
    for (const InconsistentPair& pair : inconsistent) {
      listed_.push_back({number_of(pair.one.column), number_of(pair.other.column),
                         mask_of(pair.one.column, pair.one.value),
                         mask_of(pair.other.column, pair.other.value)});
    }
    dangling_.resize(tables.size());
    std::vector<std::set<std::size_t>> used(tables.size());
    std::vector<std::size_t> rows;
    extend(rows, used);
    for (std::size_t i = 0; i < tables.size(); ++i)
      dangling_[i] = tables[i].size() - used[i].size();
  }

  const std::vector<std::uint64_t>& dangling() const { return dangling_; }

  void check(const XyRequirement& asked, const XyFinding& found) const {
    std::map<Row, std::set<Row>> counted;
    std::map<Row, double> size;
    std::vector<std::map<Row, std::map<std::string, double>>> linked(asked.guarded.size());
    for (const auto& rows : join_) {
      const Row x = values(rows, asked.x);
      ++size[x];
      Row y;
      if (asked.counted == kValues) y = values(rows, asked.y);
      if (asked.counted == kRows) y = {std::to_string(rows.back())};
      if (asked.counted == kPairs) {
        for (const std::size_t row : rows) y.push_back(std::to_string(row));
      }
      counted[x].insert(y);
      for (std::size_t i = 0; i < asked.guarded.size(); ++i) {
        const auto& guarded = asked.guarded[i];
        std::set<std::string> wanted;
        if (guarded.value) wanted.insert(*guarded.value);
        for (std::size_t t = 0; t < tables_.size() && !guarded.value; ++t) {
          for (std::size_t column = 0; column < headers_[t].size(); ++column) {
            for (const Row& row : tables_[t]) {
              if (headers_[t][column] == guarded.column) wanted.insert(row[column]);
            }
          }
        }
        std::uint32_t common = ~0U;
        for (std::size_t t = 0; t < tables_.size(); ++t) common &= mask(t, rows[t], guarded.column);
        for (const std::string& value : wanted) {
          if ((common & ~mask_of(guarded.column, value)) == 0) ++linked[i][x][value];
        }
      }
    }
    EXPECT_EQ(found.groups, size.size());
    if (asked.kind == XyRequirement::Kind::anonymity) {
      std::size_t least = ~std::size_t{0};
      for (const auto& entry : counted) least = std::min(least, entry.second.size());
      ASSERT_EQ(found.anonymity, counted.empty() ? 0 : least);
      EXPECT_EQ(found.holds, counted.empty() || least >= asked.k);
      if (!counted.empty()) {
        EXPECT_EQ(counted.at(x_of(found.group, asked.x)).size(), least);
      }
      return;
    }
    double largest = 0;
    bool holds = true;
    for (std::size_t i = 0; i < asked.guarded.size(); ++i) {
      double share = 0;
      for (const auto& group : linked[i]) {
        for (const auto& value : group.second)
          share = std::max(share, value.second / size.at(group.first));
      }
      EXPECT_DOUBLE_EQ(found.links[i].share, share);
      if (share > 0) {
        const Row x = x_of(found.links[i].group, asked.x);
        EXPECT_DOUBLE_EQ(linked[i].at(x).at(found.links[i].value) / size.at(x), share);
      }
      largest = std::max(largest, share);
      holds = holds && share <= asked.guarded[i].max;
    }
    EXPECT_DOUBLE_EQ(found.linkability, largest);
    EXPECT_EQ(found.holds, holds);
  }

 private:
  // The values that a text covers.
  std::uint32_t mask_of(const std::string& name, const std::string& text) const {
    const auto found = world_.masks.find({name, text});
    if (found != world_.masks.end()) return found->second;
    std::uint32_t mask = 0;
    if (const Domain* domain = world_.find(name)) {
      const Region region = read_region(*domain, text);
      for (Code code = 0; code < domain->size(); ++code) {
        if (covers(*domain, region, code)) mask |= 1U << code;
      }
    } else {
      const auto& labels = world_.plain.at(name);
      mask = 1U << (std::find(labels.begin(), labels.end(), text) - labels.begin());
    }
    return world_.masks[{name, text}] = mask;
  }

  static std::size_t number_of(const std::string& name) {
    return static_cast<std::size_t>(std::find(kColumns.begin(), kColumns.end(), name) -
                                    kColumns.begin());
  }
  // All ones where the table does not have the column.
  std::uint32_t mask(std::size_t table, std::size_t row, const std::string& name) const {
    return masks_[table][row][number_of(name)];
  }

  bool matches(const std::vector<std::size_t>& rows) const {
    for (std::size_t column = 0; column < kColumns.size(); ++column) {
      std::uint32_t common = ~0U;
      for (std::size_t t = 0; t < rows.size(); ++t) common &= masks_[t][rows[t]][column];
      if (common == 0) return false;
    }
    for (const Listed& pair : listed_) {
      for (std::size_t one = 0; one < rows.size(); ++one) {
        for (std::size_t other = 0; other < rows.size(); ++other) {
          if (one != other && (masks_[one][rows[one]][pair.one] & ~pair.one_mask) == 0 &&
              (masks_[other][rows[other]][pair.other] & ~pair.other_mask) == 0) {
            return false;
          }
        }
      }
    }
    return true;
  }

  void extend(std::vector<std::size_t>& rows, std::vector<std::set<std::size_t>>& used) {
    if (rows.size() == tables_.size()) {
      if (!matches(rows)) return;
      join_.push_back(rows);
      for (std::size_t i = 0; i < rows.size(); ++i) used[i].insert(rows[i]);
      return;
    }
    for (std::size_t row = 0; row < tables_[rows.size()].size(); ++row) {
      rows.push_back(row);
      extend(rows, used);
      rows.pop_back();
    }
  }

  Row values(const std::vector<std::size_t>& rows, const std::vector<std::string>& names) const {
    Row result;
    for (const std::string& name : names) {
      for (std::size_t t = 0; t < rows.size(); ++t) {
        for (std::size_t column = 0; column < headers_[t].size(); ++column) {
          if (headers_[t][column] == name) result.push_back(tables_[t][rows[t]][column]);
        }
      }
    }
    return result;
  }

  static Row x_of(const XyGroup& group, const std::vector<std::string>&) {
    Row x;
    for (const auto& value : group.values) x.push_back(value.text);
    return x;
  }

  const World& world_;
  const std::vector<Row>& headers_;
  const std::vector<std::vector<Row>>& tables_;
  struct Listed {
    std::size_t one = 0, other = 0;  // columns
    std::uint32_t one_mask = 0, other_mask = 0;
  };
  std::vector<Listed> listed_;
  std::vector<std::vector<std::vector<std::uint32_t>>> masks_;  // by table, row and column
  std::vector<std::vector<std::size_t>> join_;
  std::vector<std::uint64_t> dangling_;
};

XyRequirement random_requirement(const World& world, const Row& columns, Random& random) {
  Row order = columns;
  shuffle(order, random());
  const std::size_t cut = 1 + random.below(order.size() - 1);
  const Row x(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(cut));
  const Row rest(order.begin() + static_cast<std::ptrdiff_t>(cut), order.end());
  const Row y(rest.begin(),
              rest.begin() + 1 + static_cast<std::ptrdiff_t>(random.below(rest.size())));
  switch (random.below(5)) {
    case 0:
      return anonymity(x, kRows, {}, 1 + random.below(4));
    case 1:
      return anonymity(x, kPairs, {}, 1 + random.below(4));
    case 2:
      return anonymity(x, kValues, y, 1 + random.below(4));
    default: {
      std::vector<XyRequirement::Guarded> guarded;
      for (const std::string& name : y) {
        if (random.below(3) == 0) {
          guarded.push_back({name, std::nullopt, 0.7});
        } else {
          std::set<std::string> values;
          for (std::uint64_t i = 0; i <= random.below(3); ++i)
            values.insert(random_text(world, name, random));
          for (const std::string& value : values) guarded.push_back({name, value, 0.3});
        }
      }
      return linkability(x, guarded);
    }
  }
}

void check_random(std::size_t tables, std::size_t runs, std::size_t most, std::uint64_t first) {
  const World world = random_world();
  std::size_t empty = 0, direct = 0;
  for (std::uint64_t seed = first; seed < first + runs; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::vector<Row> headers(tables);
    std::vector<std::vector<Row>> rows(tables);
    std::vector<Release> releases;
    std::set<std::string> present;
    for (std::size_t t = 0; t < tables; ++t) {
      for (const std::string& name : kColumns) {
        if (random.below(2) == 0) headers[t].push_back(name);
      }
      if (headers[t].empty()) headers[t].push_back(kColumns[random.below(kColumns.size())]);
      if (t == 0 && headers[t].size() == 1) headers[t] = {"a", "d"};
      present.insert(headers[t].begin(), headers[t].end());
      const std::size_t count = 1 + random.below(most);
      for (std::size_t i = 0; i < count; ++i) {
        Row row;
        for (const std::string& name : headers[t]) row.push_back(random_text(world, name, random));
        rows[t].push_back(row);
        if (random.below(4) == 0) rows[t].push_back(row);  // somebody just like them
      }
      releases.push_back(release_of(world, headers[t], rows[t]));
    }
    std::vector<InconsistentPair> inconsistent;
    while (random.below(2) == 0) {
      const std::size_t one = random.below(5), other = (one + 1 + random.below(4)) % 5;
      inconsistent.push_back({{kColumns[one], random_text(world, kColumns[one], random)},
                              {kColumns[other], random_text(world, kColumns[other], random)}});
    }
    std::vector<XyRequirement> asked;
    for (int i = 0; i < 3; ++i)
      asked.push_back(random_requirement(world, {present.begin(), present.end()}, random));
    const JoinAudit found = audit(releases, asked, inconsistent, seed % 2 == 0 ? 0 : 1 << 20);
    const BruteForce brute(world, headers, rows, inconsistent);
    ASSERT_EQ(found.dangling, brute.dangling());
    empty += found.empty ? 1 : 0;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      SCOPED_TRACE(i);
      brute.check(asked[i], found.findings[i]);
      direct += std::all_of(found.join_columns.begin(), found.join_columns.end(),
                            [&](const std::string& name) {
                              return std::find(asked[i].x.begin(), asked[i].x.end(), name) !=
                                     asked[i].x.end();
                            })
                    ? 1
                    : 0;
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_LT(empty, runs - runs / 5);  // or it tests nothing
  if (tables == 1) return;            // no join columns
  EXPECT_GT(direct, runs / 10);
  EXPECT_LT(direct, 3 * runs - runs / 10);
}

// Thousands in the plain build; slow instruments see fewer.
#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t kShare = 8;
#else
constexpr std::size_t kShare = 1;
#endif

TEST(Join, AgreesWithTheMaterializedJoinOfTwo) { check_random(2, 3200 / kShare, 7, 1); }
TEST(Join, AgreesWithTheMaterializedJoinOfThree) { check_random(3, 1600 / kShare, 5, 100000); }
TEST(Join, AgreesWithTheMaterializedJoinOfOneAndOfFour) {
  check_random(1, 240 / kShare, 8, 200000);
  check_random(4, 400 / kShare, 3, 300000);
}

// The order of rows and classes says nothing.
TEST(Join, DoesNotDependOnTheOrderOfRows) {
  const World world = random_world();
  Random random(7);
  for (int run = 0; run < 30; ++run) {
    std::vector<Row> one, other;
    for (int i = 0; i < 12; ++i) {
      one.push_back({random_text(world, "a", random), random_text(world, "d", random)});
      other.push_back({random_text(world, "a", random), random_text(world, "b", random)});
    }
    const std::vector<XyRequirement> asked = {anonymity({"a", "b"}, kRows),
                                              anonymity({"b"}, kValues, {"d"}),
                                              linkability({"b"}, {{"d", std::nullopt, 0.5}})};
    std::vector<std::string> words;
    for (int turn = 0; turn < 3; ++turn) {
      const JoinAudit found =
          audit({release_of(world, {"a", "d"}, one), release_of(world, {"a", "b"}, other)}, asked);
      std::vector<std::string> now;
      for (const XyFinding& finding : found.findings) now.push_back(finding.group.words());
      if (turn > 0) {
        EXPECT_EQ(now, words);
      }
      words = now;
      shuffle(one, random());
      shuffle(other, random());
    }
  }
}

// Many blocks on both sides: the index must not compare each with each.
TEST(Join, TouchesLittleMoreThanItFinds) {
  std::string lines;
  for (int i = 0; i < 4096; ++i) {
    lines += fmt::format("v{};t{};h{};*\n", i, i / 8, i / 256);
  }
  const World world = {{tree_domain("a", lines)}, {{"d", {"v", "w"}}}};
  std::vector<Row> one, other;
  for (int i = 0; i < 4096; ++i) {
    one.push_back({fmt::format("v{}", i), i % 2 == 0 ? "v" : "w"});
    other.push_back({i % 3 == 0 ? fmt::format("t{}", i / 8) : fmt::format("v{}", i)});
  }
  const JoinAudit found =
      audit({release_of(world, {"a", "d"}, one), release_of(world, {"a"}, other)},
            {anonymity({"a", "d"}, kRows)});
  EXPECT_GT(found.matches, 4096U);
  EXPECT_LE(found.touched, 2 * found.matches);
}

}  // namespace
}  // namespace throng
