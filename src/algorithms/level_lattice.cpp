// GreedyRelease that walks all combinations of levels (the lattice of full-domain generalizations)
// from the cheapest to the dearest, and lets records go at the first combination at which their
// group meets the requirements.
//
// Claim: that of GreedyRelease (greedy_release.cpp). The paper's rule walks one path through the
// lattice; here every combination is tried, in the order of the loss it means on average, so a
// record is never generalized further than the cheapest combination that would have let it go.
// Cost: combinations × records still there, grouped. Most leave early; the long tail of
// combinations sees few. Lattices of more than kMostCombinations are thinned: tall columns skip
// levels, and if there are too many columns for that, some move in step.
#include "algorithms/level_lattice.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>

#include "algorithms/boxes.h"
#include "algorithms/generalize.h"
#include "table/random.h"

namespace throng {
namespace {

constexpr std::size_t kMostCombinations = 1U << 15;
// A group may cost this much more than its combination means on average; dearer ones wait for a
// combination that suits them better.
constexpr double kPatience = 1.05;
// Entries from which on more than one thread is worth the start.
constexpr std::size_t kParallelEntries = 1U << 15;

// One or more columns that are generalized in step: setting i gives each of them a level.
struct Dial {
  std::vector<std::size_t> columns;
  std::vector<Levels> settings;  // by setting, by column of the dial
};

std::vector<Dial> make_dials(const FrequencyList& list) {
  std::vector<Dial> dials;
  for (std::size_t column = 0; column < list.domains.size(); ++column) {
    Dial dial{{column}, {}};
    for (std::size_t level = 0; level < list.domains[column].levels(); ++level)
      dial.settings.push_back({level});
    dials.push_back(std::move(dial));
  }
  const auto combinations = [&] {
    double product = 1;
    for (const Dial& dial : dials) product *= static_cast<double>(dial.settings.size());
    return product;
  };
  while (combinations() > kMostCombinations) {
    const auto tallest = std::max_element(
        dials.begin(), dials.end(),
        [](const Dial& a, const Dial& b) { return a.settings.size() < b.settings.size(); });
    if (tallest->settings.size() > 2) {
      // Every other setting goes; the first and the last stay.
      std::vector<Levels> kept;
      for (std::size_t i = 0; i + 1 < tallest->settings.size(); i += 2)
        kept.push_back(tallest->settings[i]);
      kept.push_back(tallest->settings.back());
      tallest->settings = std::move(kept);
      continue;
    }
    // All have two settings: the last two move together from now on.
    Dial last = std::move(dials.back());
    dials.pop_back();
    Dial& into = dials.back();
    into.columns.insert(into.columns.end(), last.columns.begin(), last.columns.end());
    for (std::size_t i = 0; i < into.settings.size(); ++i) {
      const Levels& more = last.settings[std::min(i, last.settings.size() - 1)];
      into.settings[i].insert(into.settings[i].end(), more.begin(), more.end());
    }
  }
  return dials;
}

// For each column and level: the loss of each position's region, and its label as a dense code.
struct LevelTable {
  std::vector<std::vector<double>> loss;         // by level, by position
  std::vector<std::vector<std::uint32_t>> code;  // by level, by position
  std::vector<std::vector<std::uint64_t>>
      key;  // the same as random bits, to be summed over columns
  double mean(std::size_t level, const std::vector<Code>& positions,
              const FrequencyList& list) const {
    double sum = 0;
    for (std::size_t entry = 0; entry < list.size(); ++entry) {
      sum += loss[level][positions[entry]] * list.weights[entry];
    }
    return sum / static_cast<double>(list.records);
  }
};

LevelTable make_level_table(const Domain& domain, Random& random) {
  LevelTable table;
  for (std::size_t level = 0; level < domain.levels(); ++level) {
    RegionPool pool;
    auto& loss = table.loss.emplace_back();
    auto& code = table.code.emplace_back();
    auto& key = table.key.emplace_back();
    std::vector<std::uint64_t> key_of;  // by code
    for (Code position = 0; position < domain.size(); ++position) {
      const Region region = region_at_level(domain, position, level);
      loss.push_back(loss_of(domain, region));
      code.push_back(pool.add(region));
      if (code.back() == key_of.size()) key_of.push_back(random());
      key.push_back(key_of[code.back()]);
    }
  }
  return table;
}

struct Combination {
  double loss = 0;
  std::uint32_t number = 0;  // its settings, in mixed radix
};

class Walk {
 public:
  Walk(const FrequencyList& list, const Requirements& requirements, bool tighten)
      : list_(list),
        requirements_(requirements),
        dials_(make_dials(list)),
        collector_(list, tighten),
        tally_(requirements.tally(list)),
        tighten_(tighten),
        left_(list.size()),
        weights_(list.weights),
        positions_(list.positions) {
    Random random(1);
    for (const Domain& domain : list.domains) tables_.push_back(make_level_table(domain, random));
    std::iota(left_.begin(), left_.end(), 0);
  }

  Partition run() {
    const std::vector<Combination> combinations = in_order_of_loss();
    for (std::size_t i = 0; i < combinations.size() && !left_.empty(); ++i) {
      const bool last = i + 1 == combinations.size();
      visit(levels_of(combinations[i]), last ? 1e300 : combinations[i].loss * kPatience + 1e-9);
    }
    return std::move(collector_).finish();
  }

 private:
  std::vector<Combination> in_order_of_loss() const {
    std::vector<Combination> combinations = {{}};
    std::uint32_t radix = 1;
    for (const Dial& dial : dials_) {
      std::vector<Combination> longer;
      for (std::uint32_t setting = 0; setting < dial.settings.size(); ++setting) {
        double loss = 0;
        for (std::size_t i = 0; i < dial.columns.size(); ++i) {
          const std::size_t column = dial.columns[i];
          loss += tables_[column].mean(dial.settings[setting][i], list_.positions[column], list_);
        }
        for (const Combination& shorter : combinations) {
          longer.push_back({shorter.loss + loss, shorter.number + setting * radix});
        }
      }
      radix *= static_cast<std::uint32_t>(dial.settings.size());
      combinations = std::move(longer);
    }
    std::sort(combinations.begin(), combinations.end(),
              [](const Combination& a, const Combination& b) {
                return a.loss != b.loss ? a.loss < b.loss : a.number < b.number;
              });
    // The most general one comes last whatever rounding says: there everything that can go, goes.
    const auto top =
        std::find_if(combinations.begin(), combinations.end(),
                     [&](const Combination& each) { return each.number + 1 == radix; });
    std::rotate(top, top + 1, combinations.end());
    return combinations;
  }

  Levels levels_of(const Combination& combination) const {
    Levels levels(list_.domains.size());
    std::uint32_t rest = combination.number;
    for (const Dial& dial : dials_) {
      const auto& setting = dial.settings[rest % dial.settings.size()];
      rest /= static_cast<std::uint32_t>(dial.settings.size());
      for (std::size_t i = 0; i < dial.columns.size(); ++i) levels[dial.columns[i]] = setting[i];
    }
    return levels;
  }

  // Releases every group at these levels that meets the requirements and costs at most `most` a
  // record.
  void visit(const Levels& levels, double most) {
    make_keys(levels);
    find_candidates();
    if (candidates_.empty()) return;
    // Entries of one group side by side: keys first, then labels, since keys need not be unique.
    std::sort(candidates_.begin(), candidates_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return keys_[a] != keys_[b] ? keys_[a] < keys_[b] : compare_labels(a, b, levels) < 0;
    });
    bool any = false;
    for (std::size_t begin = 0; begin < candidates_.size();) {
      std::size_t end = begin + 1;
      while (end < candidates_.size() && keys_[candidates_[begin]] == keys_[candidates_[end]] &&
             compare_labels(candidates_[begin], candidates_[end], levels) == 0) {
        ++end;
      }
      any = try_release(std::span(candidates_).subspan(begin, end - begin), levels, most) || any;
      begin = end;
    }
    if (any) forget_released();
  }

  // keys_ by place in left_: equal labels at these levels give equal keys.
  void make_keys(const Levels& levels) {
    keys_.resize(left_.size());
    const auto fill = [&](std::size_t begin, std::size_t end) {
      std::fill(keys_.begin() + static_cast<std::ptrdiff_t>(begin),
                keys_.begin() + static_cast<std::ptrdiff_t>(end), 0);
      for (std::size_t column = 0; column < levels.size(); ++column) {
        if (levels[column] + 1 == list_.domains[column].levels())
          continue;  // all have the one label
        const std::uint64_t* key = tables_[column].key[levels[column]].data();
        const Code* position = positions_[column].data();
        for (std::size_t i = begin; i < end; ++i) keys_[i] += key[position[i]];
      }
    };
    if (left_.size() < kParallelEntries) {
      fill(0, left_.size());
    } else {
      tbb::parallel_for(tbb::blocked_range<std::size_t>(0, left_.size(), kParallelEntries / 4),
                        [&](const auto& range) { fill(range.begin(), range.end()); });
    }
  }

  // Adds weights up by the low bits of the keys: whoever shares a sum below k is in no group of k.
  // Most combinations find nobody, and are done with after two quick passes.
  void find_candidates() {
    const std::size_t slots = std::bit_ceil(4 * left_.size());
    sums_.assign(slots, 0);
    for (std::size_t i = 0; i < left_.size(); ++i) sums_[keys_[i] & (slots - 1)] += weights_[i];
    candidates_.clear();
    for (std::uint32_t i = 0; i < left_.size(); ++i) {
      if (sums_[keys_[i] & (slots - 1)] >= requirements_.k()) candidates_.push_back(i);
    }
  }

  // `group` are places in left_.
  bool try_release(std::span<const std::uint32_t> group, const Levels& levels, double most) {
    tally_.clear();
    members_.clear();
    for (const std::uint32_t place : group) {
      tally_.add(left_[place]);
      members_.push_back(left_[place]);
    }
    if (!requirements_.met(tally_) || loss_at(group, levels) > most) return false;
    collector_.add(members_, levels);
    for (const std::uint32_t place : group) weights_[place] = 0;
    return true;
  }

  // What the group costs a record: at its levels or, where classes are tightened, as it will be.
  double loss_at(std::span<const std::uint32_t> group, const Levels& levels) {
    double sum = 0;
    for (std::size_t column = 0; column < levels.size(); ++column) {
      if (levels[column] == 0) continue;
      if (!tighten_) {
        sum += tables_[column].loss[levels[column]][positions_[column][group[0]]];
        continue;
      }
      tight_.clear();
      for (const std::uint32_t place : group) tight_.push_back(positions_[column][place]);
      sum += loss_of(list_.domains[column], tight_region(list_.domains[column], tight_));
    }
    return sum;
  }

  // Entries that were released have no weight left.
  void forget_released() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < left_.size(); ++i) {
      if (weights_[i] == 0) continue;
      left_[kept] = left_[i];
      weights_[kept] = weights_[i];
      for (auto& positions : positions_) positions[kept] = positions[i];
      ++kept;
    }
    left_.resize(kept);
    weights_.resize(kept);
    for (auto& positions : positions_) positions.resize(kept);
  }

  // By place in left_: below 0, 0 or above 0, as the labels of a come before, are or come after
  // b's.
  int compare_labels(std::uint32_t a, std::uint32_t b, const Levels& levels) const {
    for (std::size_t column = 0; column < levels.size(); ++column) {
      const auto& codes = tables_[column].code[levels[column]];
      const Code of_a = codes[positions_[column][a]], of_b = codes[positions_[column][b]];
      if (of_a != of_b) return of_a < of_b ? -1 : 1;
    }
    return 0;
  }

  const FrequencyList& list_;
  const Requirements& requirements_;
  std::vector<Dial> dials_;
  std::vector<LevelTable> tables_;
  ClassCollector collector_;
  Tally tally_;
  const bool tighten_;

  // The entries still there, each with its weight and its positions side by side.
  std::vector<std::uint32_t> left_;
  std::vector<std::uint32_t> weights_;
  std::vector<std::vector<Code>> positions_;  // by quasi-identifier

  std::vector<std::uint64_t> keys_;
  std::vector<std::uint64_t> sums_;
  std::vector<std::uint32_t> candidates_, members_;
  std::vector<Code> tight_;
};

}  // namespace

Partition release_by_loss(const FrequencyList& list, const Requirements& requirements,
                          bool tighten) {
  return Walk(list, requirements, tighten).run();
}

}  // namespace throng
