// The promise of `append`, tried by the strongest attacker: whatever he combines, everybody has at
// least ℓ possible values.
#include "publication/strategy.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "audit/channels.h"
#include "audit/worlds.h"
#include "private_tables.h"

namespace throng {
namespace {

using testing::Rows;
using testing::small_policy;
using testing::table_of;

const std::vector<std::string> kNames = {"a", "b", "c", "s"};

// A publication in memory, and what its attacker knows.
class Published {
 public:
  Published(Strategy strategy, const Policy& policy) : strategy_(strategy), policy_(policy) {}

  void release(const Rows& rows) {
    ++number_;
    came_ += rows.size() - 1;
    std::vector<RawRecords> pool = waiting_;
    if (rows.size() > 1) pool.push_back(raw_records(table_of(rows, policy_), number_));
    if (!pool.empty()) {
      Decision decision = decide(strategy_, pool, known_, policy_, kNames, number_, number_);
      for (const auto& [name, values] : decision.additions) {
        auto& known = known_[name];
        known.insert(known.end(), values.begin(), values.end());
      }
      waiting_ = decision.waiting;
      added_.push_back(std::move(decision.added));
    } else {
      added_.emplace_back();
    }
  }

  // Rows are records: what went out stays as it is.
  History history() const {
    History history;
    history.class_of.resize(added_.size());
    std::uint32_t first = 0;
    for (std::size_t i = 0; i < added_.size(); ++i) {
      const Release& added = added_[i];
      for (std::size_t row = 0; row < added.rows(); ++row) {
        const std::string& value = added.plain[0].values.labels[added.plain[0].codes[row]];
        history.values.push_back(static_cast<Code>(std::stoul(value.substr(1))));
        for (std::size_t j = 0; j < added_.size(); ++j) {
          history.class_of[j].push_back(j < i ? History::kAbsent : first + added.class_of_row[row]);
        }
      }
      first += static_cast<std::uint32_t>(added.classes);
    }
    return history;
  }

  std::size_t waiting() const {
    std::size_t records = 0;
    for (const RawRecords& part : waiting_) records += part.rows;
    return records;
  }
  std::size_t came() const { return came_; }
  std::uint32_t number() const { return number_; }
  const std::vector<RawRecords>& pool() const { return waiting_; }
  const std::vector<Release>& added() const { return added_; }

 private:
  const Strategy strategy_;
  const Policy policy_;
  std::uint32_t number_ = 0;
  std::size_t came_ = 0;
  std::vector<RawRecords> waiting_;
  KnownValues known_;
  std::vector<Release> added_;
};

Rows random_batch(Random& random) {
  Rows rows = {{"a", "b", "c", "s"}};
  const std::uint64_t count = random.below(7);
  for (std::uint64_t i = 0; i < count; ++i) {
    rows.push_back({std::to_string(20 + random.below(12)),
                    std::string(1, static_cast<char>('p' + random.below(3))),
                    std::to_string(100 + random.below(4) * 7),
                    "v" + std::to_string(random.below(1 + random.below(4)))});
  }
  return rows;
}

void nobody_is_exposed(Strategy strategy) {
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const std::size_t l = 2 + seed % 2;
    Published published(
        strategy, small_policy("privacy:\n  - l-diversity: {column: s, l: " + std::to_string(l) +
                               "}\npublication: {max-loss: " + std::to_string(seed % 4) +
                               ", patience: " + std::to_string(seed % 3) + "}\n"));
    for (int i = 0; i < 4; ++i) published.release(random_batch(random));
    const History history = published.history();
    ASSERT_EQ(history.records() + published.waiting(), published.came());
    for (const auto& values : possible_values(history)) EXPECT_GE(values.size(), l);
    EXPECT_TRUE(find_channels(history, l).empty());
  }
}

TEST(Append, NobodyEverHasFewerThanLPossibleValues) { nobody_is_exposed(Strategy::append); }
TEST(StaticBatch, NobodyEverHasFewerThanLPossibleValues) {
  nobody_is_exposed(Strategy::static_batch);
}

// Whoever was passed over `patience` times goes out with the next release that can have a block.
TEST(Append, PatienceEnds) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Published published(Strategy::append,
                        small_policy("privacy:\n  - l-diversity: {column: s, l: 2}\n"
                                     "publication: {max-loss: 0, patience: 2}\n"));
    for (int i = 0; i < 8; ++i) {
      published.release(random_batch(random));
      std::vector<std::string> values;
      for (const RawRecords& part : published.pool()) {
        const RawColumn& column = part.columns[3];
        for (std::size_t row = 0; row < part.rows; ++row)
          values.push_back(column.texts[column.codes[row]]);
      }
      std::sort(values.begin(), values.end());
      const auto distinct = std::unique(values.begin(), values.end()) - values.begin();
      for (const RawRecords& part : published.pool()) {
        if (published.number() - part.batch < 2) continue;
        EXPECT_LT(distinct, 2);
      }
    }
  }
}

// The domain is that of all records so far: a loss is measured against values that went out long
// ago, though the ledger keeps no record of them.
TEST(Append, DomainsAreOfAllRecordsSoFar) {
  Published published(Strategy::append,
                      small_policy("privacy:\n  - l-diversity: {column: s, l: 2}\n"
                                   "publication: {max-loss: 9, patience: 0}\n"));
  published.release({{"a", "b", "c", "s"}, {"0", "p", "100", "v0"}, {"100", "q", "900", "v1"}});
  published.release({{"a", "b", "c", "s"}, {"10", "r", "107", "v0"}, {"20", "r", "108", "v1"}});
  const Release& second = published.added()[1];
  ASSERT_EQ(second.classes, 1U);
  EXPECT_DOUBLE_EQ(loss_of(second.quasi[0].domain, second.region(0, 0)), 0.1);
  EXPECT_EQ(second.quasi[1].domain.size(), 3U);
  EXPECT_EQ(write_region(second.quasi[2].domain, second.region(2, 0)), "10*");
  EXPECT_DOUBLE_EQ(loss_of(second.quasi[2].domain, second.region(2, 0)), 2.0 / 3);
  const Release& first = published.added()[0];
  EXPECT_EQ(write_region(first.quasi[0].domain, first.region(0, 0)), "*");
}

TEST(Pool, PacksAndUnpacks) {
  const Policy policy = small_policy("privacy:\n  - k-anonymity: 2\n");
  const RawRecords records = raw_records(
      table_of({{"a", "b", "c", "s"}, {"1", "p", "", "x"}, {"2", "", "5", "x"}}, policy), 7);
  const RawRecords again = unpack(pack(records), kNames, 7);
  ASSERT_EQ(again.rows, 2U);
  for (std::size_t column = 0; column < 4; ++column) {
    for (std::size_t row = 0; row < 2; ++row) {
      EXPECT_EQ(again.columns[column].texts[again.columns[column].codes[row]],
                records.columns[column].texts[records.columns[column].codes[row]]);
    }
  }
}

}  // namespace
}  // namespace throng
