// The paper's tables, and the definition again, word by word and slowly, on random releases.
#include "audit/file_channels.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <bitset>
#include <stdexcept>

#include "audit/channels_by_definition.h"
#include "table/random.h"

namespace throng {
namespace {

using testing::Multiset;
using Kind = Channel::Kind;

Dictionary texts(std::vector<std::string> labels) {
  Dictionary values;
  values.labels = std::move(labels);
  return values;
}
Dictionary numbers(std::size_t from, std::size_t to) {
  Dictionary values;
  values.type = Type::integer;
  for (std::size_t i = from; i <= to; ++i) {
    values.labels.push_back(std::to_string(i));
    values.numbers.push_back(static_cast<double>(i));
  }
  return values;
}

// A published file: by record its regions, and its value of the sensitive column `s`.
struct Record {
  std::vector<Region> regions;
  Code value = 0;
};
Release release_of(const std::vector<Domain>& domains, const Dictionary& values,
                   const std::vector<Record>& records) {
  Release release;
  for (const Domain& domain : domains) release.quasi.push_back({domain, {}, {}});
  release.plain.push_back({"s", Role::sensitive, values, Codes(records.size(), values.size())});
  std::map<std::vector<Region>, std::uint32_t> classes;
  for (std::size_t row = 0; row < records.size(); ++row) {
    const auto next = static_cast<std::uint32_t>(classes.size());
    const auto entry = classes.try_emplace(records[row].regions, next);
    release.class_of_row.push_back(entry.first->second);
    release.plain[0].codes.set(row, records[row].value);
    for (std::size_t column = 0; entry.second && column < domains.size(); ++column) {
      release.quasi[column].regions.push_back(records[row].regions[column]);
      release.quasi[column].of_class.push_back(next);
    }
  }
  release.classes = classes.size();
  return release;
}

using Lines = std::vector<std::vector<std::string>>;
Release release_of(const std::vector<Domain>& domains, const Dictionary& values,
                   const Lines& lines) {
  std::vector<Record> records;
  for (const std::vector<std::string>& line : lines) {
    Record record;
    for (std::size_t column = 0; column < domains.size(); ++column)
      record.regions.push_back(read_region(domains[column], line[column]));
    record.value = static_cast<Code>(
        std::find(values.labels.begin(), values.labels.end(), line.back()) - values.labels.begin());
    records.push_back(std::move(record));
  }
  return release_of(domains, values, records);
}

// Figures 2 and 4 of Byun et al. 2006.
enum Diagnosis : Code { alzheimer, asthma, cancer, diabetes, flu, heart_disease };
std::vector<Release> hospital() {
  const std::vector<Domain> domains = {make_domain("AGE", numbers(20, 60), {}),
                                       make_domain("Gender", texts({"Female", "Male"}), {})};
  const Dictionary values =
      texts({"Alzheimer", "Asthma", "Cancer", "Diabetes", "Flu", "Heart Disease"});
  return {release_of(domains, values,
                     Lines{{"21..25", "Male", "Asthma"},
                           {"21..25", "Male", "Flu"},
                           {"50..60", "*", "Alzheimer"},
                           {"50..60", "*", "Diabetes"}}),
          release_of(domains, values,
                     Lines{{"21..30", "*", "Asthma"},
                           {"21..30", "*", "Flu"},
                           {"21..30", "*", "Cancer"},
                           {"51..55", "Male", "Alzheimer"},
                           {"51..55", "Male", "Heart Disease"},
                           {"56..60", "Female", "Flu"},
                           {"56..60", "Female", "Diabetes"}})};
}

TEST(FileChannels, OfThePapersHospital) {
  const std::vector<Release> releases = hospital();
  const FileChannels found = find_file_channels(releases, "s", 2);
  // Alice has cancer (Example 1), Bob has alzheimer (Example 2), and "three other records in the
  // new dataset are also vulnerable to similar inferences".
  const std::vector<Channel> expected = {{0, 1, 0, 0, Kind::difference, {cancer}, 1},
                                         {0, 1, 1, 1, Kind::difference, {heart_disease}, 1},
                                         {0, 1, 1, 1, Kind::intersection, {alzheimer}, 1},
                                         {0, 1, 1, 2, Kind::difference, {flu}, 1},
                                         {0, 1, 1, 2, Kind::intersection, {diabetes}, 1}};
  EXPECT_EQ(found.channels, expected);
  EXPECT_EQ(found.pairs, std::vector<FileChannels::Pair>({{0, 1, 3, 2, 5, 0, 3}}));
  EXPECT_EQ(found.vulnerable_by_release, std::vector<std::size_t>({0, 5}));
  EXPECT_EQ(found.vulnerable, 5U);
  EXPECT_EQ(found.pairs_of_classes, 6U);
  EXPECT_EQ(found.count(), 5U);

  EXPECT_EQ(explain(found.channels[0], releases, "s"),
            "whoever is 21..30 and entered after release 1 has Cancer");
  EXPECT_EQ(explain(found.channels[1], releases, "s"),
            "whoever is 51..55, Male, and entered after release 1 has Heart Disease");
  EXPECT_EQ(explain(found.channels[2], releases, "s"),
            "whoever is 51..55, Male, and is in releases 1 and 2 has Alzheimer");
  EXPECT_EQ(explain(found.channels[4], releases, "s"),
            "whoever is 56..60, Female, and is in releases 1 and 2 has Diabetes");
  EXPECT_TRUE(find_file_channels(releases, "s", 1).channels.empty());
}

TEST(FileChannels, TellWhereClassesMeet) {
  const std::vector<Domain> domains = {
      make_domain("n", numbers(1, 9), {}), make_domain("set", texts({"p", "q", "r", "s"}), {}),
      make_domain("zip", texts({"100", "101", "110", "200"}), {MaskRule{}, {}, {}, {}})};
  const Dictionary values = texts({"a", "b", "c"});
  const std::vector<Release> releases = {
      release_of(domains, values, Lines{{"2..7", "{p|q|r}", "1**", "a"}, {"*", "*", "*", "b"}}),
      release_of(domains, values, Lines{{"5..9", "{q|r|s}", "10*", "a"}, {"*", "*", "*", "c"}})};
  const auto told = [&](std::uint32_t earlier, std::uint32_t later, Kind kind,
                        std::vector<Code> left) {
    return explain({0, 1, earlier, later, kind, std::move(left), 1}, releases, "s");
  };
  EXPECT_EQ(told(0, 0, Kind::intersection, {0}),
            "whoever is 5..7, {q|r}, 10*, and is in releases 1 and 2 has a");
  EXPECT_EQ(told(0, 0, Kind::difference, {0, 1}),
            "whoever is 5..9, {q|r|s}, 10*, and entered after release 1 has a or b");
  EXPECT_EQ(told(0, 1, Kind::intersection, {0, 1, 2}),
            "whoever is 2..7, {p|q|r}, 1**, and is in releases 1 and 2 has a or b or c");
  EXPECT_EQ(told(1, 0, Kind::intersection, {2}),
            "whoever is 5..9, {q|r|s}, 10*, and is in releases 1 and 2 has c");
  EXPECT_EQ(told(1, 1, Kind::intersection, {2}), "whoever is in releases 1 and 2 has c");
  EXPECT_EQ(told(0, 1, Kind::difference, {2}), "whoever entered after release 1 has c");
}

TEST(FileChannels, SetUnchangedClassesAside) {
  const std::vector<Domain> domains = {make_domain("n", numbers(1, 9), {})};
  const Dictionary values = texts({"a", "b", "c", "d", "e"});
  const Lines stays = {{"1..5", "a"}, {"1..5", "b"}};
  Lines before = stays, after = stays;
  before.insert(before.end(), {{"4..9", "a"}, {"4..9", "c"}});
  after.insert(after.end(), {{"4..9", "a"}, {"4..9", "c"}, {"4..9", "d"}, {"4..9", "e"}});
  std::vector<Release> releases = {release_of(domains, values, before),
                                   release_of(domains, values, after)};
  FileChannels found = find_file_channels(releases, "s", 2);
  EXPECT_TRUE(found.channels.empty());
  EXPECT_EQ(found.pairs[0].unchanged, 1U);

  // One more record in the other class, and it is no longer the same: a, where both meet.
  after.push_back({"1..5", "b"});
  releases[1] = release_of(domains, values, after);
  found = find_file_channels(releases, "s", 2);
  EXPECT_EQ(found.pairs[0].unchanged, 0U);
  EXPECT_EQ(found.pairs[0].intersections, 2U);

  // The same file again.
  releases[1] = releases[0];
  found = find_file_channels(releases, "s", 2);
  EXPECT_TRUE(found.channels.empty());
  EXPECT_EQ(found.pairs, std::vector<FileChannels::Pair>({{0, 1, 0, 0, 0, 2, 0}}));
  EXPECT_EQ(found.pairs_touched, 0U);
}

TEST(FileChannels, OfLittleAreFew) {
  EXPECT_EQ(find_file_channels({}, "s", 2).count(), 0U);
  std::vector<Release> releases = hospital();
  EXPECT_EQ(find_file_channels(std::span(releases).first(1), "s", 2).vulnerable_by_release,
            std::vector<std::size_t>({0}));
  // An empty release in between says nothing.
  std::vector<Domain> domains;
  for (const Release::Quasi& quasi : releases[0].quasi) domains.push_back(quasi.domain);
  releases.insert(releases.begin() + 1,
                  release_of(domains, releases[0].plain[0].values, std::vector<Record>()));
  const FileChannels found = find_file_channels(releases, "s", 2);
  EXPECT_EQ(found.pairs.size(), 3U);
  EXPECT_EQ(found.vulnerable_by_release, std::vector<std::size_t>({0, 0, 5}));

  EXPECT_THROW(find_file_channels(releases, "t", 2), std::invalid_argument);
  releases[1].quasi[0].domain = make_domain("AGE", numbers(20, 61), {});
  EXPECT_THROW(find_file_channels(releases, "s", 2), std::invalid_argument);
  releases[1].quasi.pop_back();
  EXPECT_THROW(find_file_channels(releases, "s", 2), std::invalid_argument);
}

// --- The definition, on random releases ----------------------------------------------------------

struct Shape {
  std::vector<Domain> domains;
  Dictionary values;
  std::uint64_t classes = 0;  // of a release, at most
  std::uint64_t width = 0;    // of a region, at most; 0: any
};

Domain random_domain(Random& random, bool is_large) {
  const std::size_t size = is_large ? 64 + random.below(60) : 1 + random.below(9);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < size; ++i) labels.push_back(std::to_string(100 + i));
  switch (random.below(3)) {
    case 0:
      return make_domain("interval", numbers(100, 99 + size), {});
    case 1:
      return make_domain("set", texts(labels), {});
    default:
      return make_domain("tree", texts(labels), {MaskRule{}, {}, {}, {}});
  }
}

Region random_region(Random& random, const Domain& domain, std::uint64_t width) {
  const auto size = static_cast<Code>(domain.size());
  if (random.below(8) == 0) return region_of_everything(domain);
  const auto low = static_cast<Code>(random.below(size));
  const std::uint64_t most = width == 0 ? size : std::min<std::uint64_t>(width, size);
  const Code high = std::min(size - 1, low + static_cast<Code>(random.below(most)));
  if (domain.kind != Domain::Kind::set) return region_of_range(domain, low, high);
  std::vector<Code> members = {low};
  for (Code value = low + 1; value <= high; ++value) {
    if (random.below(2) == 0) members.push_back(value);
  }
  return region_of_set(domain, std::move(members));
}

// Classes of the release before stay, change their values or their regions, or go.
std::vector<Release> random_releases(Random& random, const Shape& shape, std::size_t count) {
  std::vector<Release> releases;
  std::vector<std::vector<Record>> classes;
  const std::uint64_t stay = random.below(100);
  const auto random_value = [&] {
    return static_cast<Code>(random.below(1 + random.below(shape.values.size())));
  };
  for (std::size_t i = 0; i < count; ++i) {
    for (std::vector<Record>& each : classes) {
      if (random.below(100) < stay) continue;
      switch (random.below(3)) {
        case 0:
          each.push_back({each[0].regions, random_value()});
          break;
        case 1: {
          const std::size_t column = random.below(shape.domains.size());
          const Region region = random_region(random, shape.domains[column], shape.width);
          for (Record& record : each) record.regions[column] = region;
          break;
        }
        default:
          std::swap(each, classes.back());
          classes.back().resize(1);
      }
    }
    const std::uint64_t more = random.below(shape.classes + 1);
    while (classes.size() < more) {
      std::vector<Region> regions;
      for (const Domain& domain : shape.domains)
        regions.push_back(random_region(random, domain, shape.width));
      std::vector<Record> records;
      for (std::uint64_t left = 1 + random.below(6); left > 0; --left)
        records.push_back({regions, random_value()});
      classes.push_back(std::move(records));
    }
    shuffle(classes, random());
    std::vector<Record> all;
    for (const std::vector<Record>& each : classes) all.insert(all.end(), each.begin(), each.end());
    releases.push_back(release_of(shape.domains, shape.values, all));
  }
  return releases;
}

// A class as the definition sees it.
struct Class {
  std::vector<std::bitset<128>> covered;  // by quasi-identifier: positions
  Multiset values;
  bool operator==(const Class&) const = default;
};
std::vector<Class> classes_of(const Release& release) {
  std::vector<Class> classes(release.classes);
  for (std::size_t number = 0; number < release.classes; ++number) {
    for (std::size_t column = 0; column < release.quasi.size(); ++column) {
      const Domain& domain = release.quasi[column].domain;
      std::bitset<128> covered;
      for (Code position = 0; position < domain.size(); ++position)
        covered[position] = covers(domain, release.region(column, number), position);
      classes[number].covered.push_back(covered);
    }
  }
  for (std::size_t row = 0; row < release.rows(); ++row)
    classes[release.class_of_row[row]].values.insert(release.plain[0].codes[row]);
  return classes;
}
bool do_meet(const Class& a, const Class& b) {
  for (std::size_t column = 0; column < a.covered.size(); ++column) {
    if ((a.covered[column] & b.covered[column]).none()) return false;
  }
  return true;
}

FileChannels by_definition(const std::vector<Release>& releases, std::size_t l) {
  FileChannels result;
  std::vector<std::vector<Class>> classes;
  for (const Release& release : releases) classes.push_back(classes_of(release));
  const auto count_vulnerable = [&](std::size_t j, const auto& chosen) {
    std::set<std::pair<std::uint32_t, Code>> exposed;
    for (const Channel& channel : result.channels) {
      if (channel.later != j || !chosen(channel)) continue;
      for (const Code value : channel.values) exposed.emplace(channel.later_class, value);
    }
    std::size_t records = 0;
    for (std::size_t row = 0; row < releases[j].rows(); ++row)
      records += exposed.count({releases[j].class_of_row[row], releases[j].plain[0].codes[row]});
    return records;
  };
  for (std::size_t j = 0; j < releases.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      FileChannels::Pair pair{i, j, 0, 0, 0, 0, 0};
      const auto stands_in = [&](const Class& each, std::size_t release) {
        return std::find(classes[release].begin(), classes[release].end(), each) !=
               classes[release].end();
      };
      std::map<std::uint32_t, const Class*> others;
      for (std::uint32_t number = 0; number < classes[j].size(); ++number) {
        if (!stands_in(classes[j][number], i)) others[number] = &classes[j][number];
      }
      std::vector<Channel> channels;
      for (std::uint32_t number = 0; number < classes[i].size(); ++number) {
        const Class& e_i = classes[i][number];
        if (stands_in(e_i, j)) {
          ++pair.unchanged;
          continue;
        }
        std::map<std::uint32_t, Multiset> parts;
        for (const auto& other : others) {
          if (do_meet(e_i, *other.second)) parts[other.first] = other.second->values;
        }
        pair.meetings += parts.size();
        testing::add_channels_by_definition({i, j, number, 0, Kind::difference, {}, 0}, e_i.values,
                                            parts, l, channels);
      }
      for (const Channel& channel : channels)
        ++(channel.kind == Kind::difference ? pair.differences : pair.intersections);
      result.channels.insert(result.channels.end(), channels.begin(), channels.end());
      pair.vulnerable =
          count_vulnerable(j, [i](const Channel& channel) { return channel.earlier == i; });
      result.pairs.push_back(pair);
      result.pairs_of_classes += classes[i].size() * classes[j].size();
    }
    result.vulnerable_by_release.push_back(
        count_vulnerable(j, [](const Channel&) { return true; }));
    result.vulnerable += result.vulnerable_by_release.back();
  }
  std::sort(result.channels.begin(), result.channels.end(), is_worse);
  return result;
}

void expect_same(const FileChannels& found, const FileChannels& expected) {
  ASSERT_EQ(found.channels, expected.channels);
  ASSERT_EQ(found.pairs, expected.pairs);
  ASSERT_EQ(found.vulnerable_by_release, expected.vulnerable_by_release);
  ASSERT_EQ(found.vulnerable, expected.vulnerable);
  ASSERT_EQ(found.pairs_of_classes, expected.pairs_of_classes);
}

TEST(FileChannels, AreThoseOfTheDefinition) {
  std::uint64_t differences = 0, intersections = 0, unchanged = 0, meetings = 0, pairs = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    Shape shape;
    for (std::uint64_t left = 1 + random.below(4); left > 0; --left)
      shape.domains.push_back(random_domain(random, random.below(6) == 0));
    shape.values = texts(std::vector<std::string>(2 + random.below(6), "value"));
    shape.classes = 1 + random.below(random.below(12) == 0 ? 24 : 6);
    const std::vector<Release> releases = random_releases(random, shape, 2 + random.below(2));
    const std::size_t l = 2 + random.below(3);
    const FileChannels expected = by_definition(releases, l);
    expect_same(find_file_channels(releases, "s", l, kKeepAll), expected);
    if (HasFatalFailure()) return;

    for (const FileChannels::Pair& pair : expected.pairs) {
      differences += pair.differences;
      intersections += pair.intersections;
      unchanged += pair.unchanged;
      meetings += pair.meetings;
    }
    pairs += expected.pairs_of_classes;

    // Fewer are the first of all.
    if (seed % 4 != 0) continue;
    FileChannels few = expected;
    const std::size_t keep = random.below(4);
    if (few.channels.size() > keep) few.channels.resize(keep);
    expect_same(find_file_channels(releases, "s", l, keep), few);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(differences, 500U);
  EXPECT_GT(intersections, 500U);
  EXPECT_GT(unchanged, 500U);
  EXPECT_GT(pairs, 2 * meetings);
}

// Enough classes for a deep tree of boxes; and it is used.
TEST(FileChannels, AreThoseOfTheDefinitionInLargeReleases) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    Shape shape;
    for (std::size_t column = 0; column < 4; ++column)
      shape.domains.push_back(random_domain(random, column < 2));
    shape.values = texts(std::vector<std::string>(6, "value"));
    shape.classes = 150;
    shape.width = 6;
    const std::vector<Release> releases = random_releases(random, shape, 2);
    const FileChannels expected = by_definition(releases, 3);
    FileChannels found = find_file_channels(releases, "s", 3, kKeepAll);
    expect_same(found, expected);
    if (HasFatalFailure()) return;
    EXPECT_LT(found.pairs_touched, found.pairs_of_classes);

    const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
    const FileChannels again = find_file_channels(releases, "s", 3, 20);
    found.channels.resize(std::min<std::size_t>(found.channels.size(), 20));
    expect_same(again, found);
    EXPECT_EQ(again.pairs_touched, found.pairs_touched);
  }
}

}  // namespace
}  // namespace throng
