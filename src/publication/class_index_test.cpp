#include "publication/class_index.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "table/random.h"

namespace throng {
namespace {

// Three quasi-identifiers, one of each kind, whose values come as they are asked for.
class Growing {
 public:
  Growing() {
    for (const Type type : {Type::integer, Type::text, Type::text}) values.emplace_back(type);
    kinds = {Domain::Kind::interval, Domain::Kind::set, Domain::Kind::tree};
    rules.resize(3);
    rules[2].hierarchy = MaskRule{};
  }

  std::vector<Code> record(std::size_t spread, Random& random) {
    const std::uint64_t age = random.below(spread);
    const std::string job = "j" + std::to_string(random.below(spread * 3));
    const std::string zip = std::to_string(1000 + random.below(spread * 20));
    return {random.below(20) == 0
                ? values[0].add("", 0, true)
                : values[0].add(std::to_string(age), static_cast<double>(age), false),
            values[1].add(job, 0, false), values[2].add(zip, 0, false)};
  }

  // After values came.
  void refresh() {
    domains.clear();
    pointers.clear();
    for (std::size_t i = 0; i < 3; ++i) {
      domains.push_back(make_domain("q", values[i].sorted().dictionary, rules[i]));
      pointers.push_back(&values[i]);
    }
    if (layout.axes.empty()) layout = Space::choose(domains, kinds);
    space.emplace(layout, domains, pointers);
  }

  Box box_of(const std::vector<std::vector<Code>>& records) const {
    Box box = space->empty();
    for (const auto& record : records) space->add(box, record);
    space->mark(box);
    return box;
  }

  std::vector<Values> values;
  std::vector<Domain::Kind> kinds;
  std::vector<Generalization> rules;
  std::vector<Domain> domains;
  std::vector<const Values*> pointers;
  Space::Layout layout;
  std::optional<Space> space;
};

struct Class {
  std::vector<std::vector<Code>> records;
  Box box;
};

double loss_by_regions(const Growing& growing, const std::vector<std::vector<Code>>& records) {
  double sum = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Box box = growing.box_of(records);
    const Region region = growing.space->region(box, axis);
    for (const auto& record : records) {
      EXPECT_TRUE(
          covers(growing.domains[axis], region, growing.space->position(axis, record[axis])));
    }
    sum += loss_of(growing.domains[axis], region);
  }
  return sum;
}

// Everything the index says, against a look at all classes, while it and the domains grow.
TEST(ClassIndex, IsALookAtAllClasses) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    std::string name = (std::filesystem::temp_directory_path() / "throng-index-XXXXXX").string();
    const std::string folder = mkdtemp(name.data());
    {
      Database database(folder + "/ledger", Database::Mode::create);
      ClassIndex::create(database);
      const Vault vault{std::string(32, 's')};
      Growing growing;
      std::map<std::uint64_t, Class> classes;
      std::uint64_t next = 1;
      for (std::size_t round = 1; round <= 4; ++round) {
        const std::size_t spread = 2 + round * (1 + random.below(10));
        std::vector<Class> fresh(round == 1 ? 90 + random.below(30) : random.below(40));
        for (Class& made : fresh) {
          const std::size_t size = 1 + random.below(4);
          for (std::size_t i = 0; i < size; ++i) {
            made.records.push_back(growing.record(spread, random));
          }
        }
        std::vector<std::vector<Code>> queries;
        for (std::size_t i = 0; i < 20; ++i) queries.push_back(growing.record(spread, random));
        growing.refresh();

        ClassIndex index(database, vault);  // opened anew
        index.use(&*growing.space);
        EXPECT_EQ(index.empty(), classes.empty());
        std::vector<ClassIndex::Entry> entries;
        for (Class& made : fresh) {
          made.box = growing.box_of(made.records);
          entries.push_back({next, next * 10, made.records.size(), made.box});
          classes[next++] = made;
        }
        if (round == 1) {
          index.fill(entries);
        } else {
          for (const auto& entry : entries) index.insert(entry);
        }
        for (auto at = classes.begin(); round > 1 && at != classes.end();) {
          if (random.below(5) != 0) {
            ++at;
            continue;
          }
          index.erase(at->first, growing.box_of(at->second.records));
          at = classes.erase(at);
        }

        for (const auto& query : queries) {
          const auto found = index.nearest(query);
          ASSERT_EQ(found.has_value(), !classes.empty());
          if (!found) continue;
          const Space::Query resolved = growing.space->query(query);
          std::uint64_t nearest = 0;
          double least = 1e300;
          for (const auto& [id, made] : classes) {
            const double increase =
                growing.space->increase(made.box, made.records.size(), resolved);
            if (random.below(10) == 0) {
              auto with = made.records;
              const double before = loss_by_regions(growing, with);
              with.push_back(query);
              const auto size = static_cast<double>(made.records.size());
              EXPECT_NEAR(increase, (size + 1) * loss_by_regions(growing, with) - size * before,
                          1e-9);
            }
            if (increase < least) {
              least = increase;
              nearest = id;
            }
          }
          EXPECT_EQ(found->id, nearest);
          EXPECT_EQ(found->family, nearest * 10);
          EXPECT_EQ(found->increase, least);
        }
        for (std::size_t i = 0; i + 1 < queries.size(); ++i) {
          const Box box = growing.box_of({queries[i], queries[i + 1]});
          bool overlaps = false;
          for (const auto& [id, made] : classes) {
            overlaps |= growing.space->overlaps(made.box, box);
            EXPECT_TRUE(growing.space->equal(made.box, made.box));
          }
          EXPECT_EQ(index.overlaps(box), overlaps);
        }
        for (const auto& one : classes) {
          const Box& box = one.second.box;
          const bool equal = std::any_of(classes.begin(), classes.end(), [&](const auto& other) {
            return other.first != one.first && growing.space->equal(other.second.box, box);
          });
          EXPECT_EQ(index.has_equal(box, one.first), equal);
          EXPECT_TRUE(index.has_equal(box, 0));
        }
        index.save(growing.layout);
      }
    }
    std::filesystem::remove_all(folder);
  }
}

}  // namespace
}  // namespace throng
