#include "audit/strongest.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "audit/bounds.h"
#include "audit/shifts.h"

namespace throng {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};
// Limits of the work. The releases of some ten thousand records are mostly far below them.
constexpr std::size_t kReductionSteps = 20'000'000;
constexpr std::size_t kExchangeSteps = 100'000;  // of two values
constexpr std::size_t kExchangeCells = 20'000'000;
constexpr std::size_t kRelaxedMembers = 2'500'000;  // of all sums
constexpr std::size_t kPartitionsAllPaired = 5;     // beyond: releases with the next one only
constexpr std::size_t kSearchedCells = 2000;        // of a component

// Worlds of one component by search with a limit; the true one is known.
class LimitedSearch {
 public:
  LimitedSearch(const Bounds& bounds, std::vector<std::uint32_t> truth)
      : bounds_(bounds), truth_(std::move(truth)) {}

  // Whether there is a world in which the cell is not 0; `world` is then one. Open: the limit is
  // reached.
  Rise find(std::uint32_t cell, std::size_t& work, Bounds::Counts& world) {
    if (bounds_.counts().high[cell] == 0) return Rise::never;
    world = bounds_.counts();
    world.low[cell] = std::max(world.low[cell], 1U);
    std::size_t left = std::min(work, most_a_cell());
    work -= left;
    const bool found = spend(left) && bounds_.propagate(world, cell) && complete(world, left);
    const bool ended = left == 0;
    work += left;
    return found ? Rise::can : ended ? Rise::open : Rise::never;
  }

 private:
  std::size_t most_a_cell() const { return bounds_.cells() * 400; }
  bool spend(std::size_t& left) const {
    left -= std::min(left, bounds_.cells());
    return left > 0;
  }

  bool complete(Bounds::Counts& counts, std::size_t& left) {
    std::uint32_t narrowest = kNone;
    for (std::uint32_t cell = 0; cell < bounds_.cells(); ++cell) {
      const std::uint32_t width = counts.high[cell] - counts.low[cell];
      if (width > 0 &&
          (narrowest == kNone || width < counts.high[narrowest] - counts.low[narrowest]))
        narrowest = cell;
    }
    if (narrowest == kNone) return true;
    // What is nearest to the true world comes first: most cells need not differ from it.
    std::vector<std::uint32_t> tries;
    for (std::uint32_t count = counts.low[narrowest]; count <= counts.high[narrowest]; ++count)
      tries.push_back(count);
    const std::uint32_t true_count = truth_[narrowest];
    const auto distance = [true_count](std::uint32_t count) {
      return count > true_count ? count - true_count : true_count - count;
    };
    std::stable_sort(tries.begin(), tries.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return distance(a) < distance(b); });
    for (const std::uint32_t count : tries) {
      if (!spend(left)) return false;
      Bounds::Counts tried = counts;
      tried.low[narrowest] = tried.high[narrowest] = count;
      if (bounds_.propagate(tried, narrowest) && complete(tried, left)) {
        counts = std::move(tried);
        return true;
      }
    }
    return false;
  }

  const Bounds& bounds_;
  std::vector<std::uint32_t> truth_;  // by cell
};

class Attack {
 public:
  Attack(const History& history, std::size_t most_work)
      : history_(history), bounds_(history), work_(most_work) {
    bounds_.tighten();
    count_truth();
    verdict_.assign(bounds_.cells(), Rise::open);
    for (std::uint32_t cell = 0; cell < bounds_.cells(); ++cell) {
      if (truth_[cell] > 0) verdict_[cell] = Rise::can;
      if (high(cell) == 0) verdict_[cell] = Rise::never;
    }
  }

  Strongest run() {
    Strongest result;
    result.groups = bounds_.groups();
    if (!bounds_.is_too_large()) {
      list_open_cells();
      make_sums();
      make_components(result);
      settle_all(result);
    }
    report(result);
    return result;
  }

 private:
  std::uint32_t low(std::uint32_t cell) const { return bounds_.counts().low[cell]; }
  std::uint32_t high(std::uint32_t cell) const { return bounds_.counts().high[cell]; }

  static std::uint32_t find_cell(const Bounds& bounds, std::uint32_t group, Code value) {
    std::uint32_t first = bounds.first_cell(group), last = bounds.first_cell(group + 1);
    const std::uint32_t end = last;
    while (first < last) {
      const std::uint32_t middle = first + (last - first) / 2;
      if (bounds.value(middle) < value) {
        first = middle + 1;
      } else {
        last = middle;
      }
    }
    return first < end && bounds.value(first) == value ? first : kNone;
  }

  void count_truth() {
    truth_.assign(bounds_.cells(), 0);
    record_of_.assign(bounds_.groups(), kNone);
    for (std::uint32_t record = 0; record < history_.records(); ++record) {
      const std::uint32_t group = bounds_.group_of(record);
      if (group == Bounds::kNone) continue;
      if (record_of_[group] == kNone) record_of_[group] = record;
      ++truth_[find_cell(bounds_, group, history_.values[record])];
    }
  }

  // Open cells are numbered in the order of their values: so they stand together in a class's sums.
  void list_open_cells() {
    group_of_cell_.resize(bounds_.cells());
    for (std::uint32_t group = 0; group < bounds_.groups(); ++group) {
      for (std::uint32_t cell = bounds_.first_cell(group); cell < bounds_.first_cell(group + 1);
           ++cell) {
        group_of_cell_[cell] = group;
        if (low(cell) < high(cell)) open_.push_back(cell);
      }
    }
    std::stable_sort(open_.begin(), open_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return bounds_.value(a) < bounds_.value(b);
    });
  }

  // The sums of open cells, each set of cells once. What a sum adds up to is not asked.
  void make_sums() {
    const auto count = static_cast<std::uint32_t>(open_.size());
    std::vector<std::pair<std::uint32_t, std::uint32_t>> keys(count);  // class or group, open cell
    std::vector<std::pair<std::uint64_t, std::uint32_t>> hashes;       // and the sum
    Shifts all;
    std::vector<std::uint32_t> partition_begin = {0};
    const auto add_sums = [&] {
      std::sort(keys.begin(), keys.end());
      for (std::size_t begin = 0, end = 0; begin < keys.size(); begin = end) {
        const Code value = bounds_.value(open_[keys[begin].second]);
        std::uint64_t hash = 0;
        for (end = begin; end < keys.size() && keys[end].first == keys[begin].first; ++end) {
          const std::uint32_t cell = keys[end].second;
          if (by_value_ && bounds_.value(open_[cell]) != value) break;
          all.members.push_back(cell);
          hash = (hash ^ cell) * 0x9E3779B97F4A7C15ULL;
          hash ^= hash >> 29;
        }
        hashes.emplace_back(hash, static_cast<std::uint32_t>(all.sums()));
        all.end_sum();
      }
      partition_begin.push_back(static_cast<std::uint32_t>(all.sums()));
    };
    by_value_ = false;
    for (std::uint32_t cell = 0; cell < count; ++cell)
      keys[cell] = {group_of_cell_[open_[cell]], cell};
    add_sums();
    by_value_ = true;
    for (const auto& class_of : history_.class_of) {
      keys.clear();
      for (std::uint32_t cell = 0; cell < count; ++cell) {
        const std::uint32_t number = class_of[record_of_[group_of_cell_[open_[cell]]]];
        if (number != History::kAbsent) keys.emplace_back(number, cell);
      }
      add_sums();
    }
    // Those that stand there already are left out.
    std::sort(hashes.begin(), hashes.end());
    const auto begin_of = [&](std::uint32_t sum) {
      return all.members.begin() + all.sum_begin[sum];
    };
    std::vector<std::uint32_t> kept, kept_as(all.sums());
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      const std::uint32_t sum = hashes[i].second;
      if (i > 0 && hashes[i].first == hashes[i - 1].first) {
        const std::uint32_t before = kept.back();
        if (std::equal(begin_of(sum), begin_of(sum + 1), begin_of(before), begin_of(before + 1))) {
          kept_as[sum] = before;
          continue;
        }
      }
      kept_as[sum] = sum;
      kept.push_back(sum);
    }
    std::sort(kept.begin(), kept.end());
    for (std::size_t partition = 0; partition + 1 < partition_begin.size(); ++partition) {
      partitions_.emplace_back();
      for (std::uint32_t sum = partition_begin[partition]; sum < partition_begin[partition + 1];
           ++sum)
        partitions_.back().push_back(static_cast<std::uint32_t>(
            std::lower_bound(kept.begin(), kept.end(), kept_as[sum]) - kept.begin()));
    }
    for (const std::uint32_t sum : kept) {
      sums_.members.insert(sums_.members.end(), begin_of(sum), begin_of(sum + 1));
      sums_.end_sum();
    }
    for (const std::uint32_t cell : open_) {
      sums_.can_rise.push_back(truth_[cell] < high(cell) ? 1 : 0);
      sums_.can_fall.push_back(truth_[cell] > low(cell) ? 1 : 0);
    }
    sum_of_begin_.assign(open_.size() + 1, 0);
    for (const std::uint32_t cell : sums_.members) ++sum_of_begin_[cell + 1];
    std::partial_sum(sum_of_begin_.begin(), sum_of_begin_.end(), sum_of_begin_.begin());
    sum_of_.resize(sums_.members.size());
    std::vector<std::size_t> next(sum_of_begin_.begin(), sum_of_begin_.end() - 1);
    for (std::uint32_t sum = 0; sum < sums_.sums(); ++sum)
      for (std::uint32_t i = sums_.sum_begin[sum]; i < sums_.sum_begin[sum + 1]; ++i)
        sum_of_[next[sums_.members[i]]++] = sum;
  }

  void make_components(Strongest& result) {
    component_of_.assign(open_.size(), kNone);
    std::vector<char> seen(sums_.sums(), 0);
    std::vector<std::uint32_t> cells;
    for (std::uint32_t first = 0; first < open_.size(); ++first) {
      if (component_of_[first] != kNone) continue;
      const auto number = static_cast<std::uint32_t>(result.components++);
      cells = {first};
      component_of_[first] = number;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        for (std::size_t at = sum_of_begin_[cells[i]]; at < sum_of_begin_[cells[i] + 1]; ++at) {
          const std::uint32_t sum = sum_of_[at];
          if (seen[sum] != 0) continue;
          seen[sum] = 1;
          for (std::uint32_t j = sums_.sum_begin[sum]; j < sums_.sum_begin[sum + 1]; ++j) {
            const std::uint32_t cell = sums_.members[j];
            if (component_of_[cell] != kNone) continue;
            component_of_[cell] = number;
            cells.push_back(cell);
          }
        }
      }
    }
  }

  // Components that have cells of which nothing is known but bounds.
  std::vector<char> unsettled(std::size_t components) const {
    std::vector<char> is_unsettled(components, 0);
    for (std::uint32_t i = 0; i < open_.size(); ++i)
      if (verdict_[open_[i]] == Rise::open) is_unsettled[component_of_[i]] = 1;
    return is_unsettled;
  }

  void settle_all(Strongest& result) {
    std::size_t left = result.components;
    const auto count_settled = [&](const std::vector<char>& is_unsettled) {
      const auto still =
          static_cast<std::size_t>(std::count(is_unsettled.begin(), is_unsettled.end(), 1));
      return std::exchange(left, still) - still;
    };
    std::size_t members_left = kRelaxedMembers;
    std::vector<char> is_unsettled;
    do {
      note(settle_shifts(sums_, kReductionSteps));
      is_unsettled = unsettled(result.components);
    } while (relax(is_unsettled, members_left));
    result.by_flow = count_settled(is_unsettled);
    if (left > 0) {
      exchange(is_unsettled);
      is_unsettled = unsettled(result.components);
      result.by_exchange = count_settled(is_unsettled);
    }
    if (left > 0 && work_ > 0) {
      search(is_unsettled);
      is_unsettled = unsettled(result.components);
      result.by_search = count_settled(is_unsettled);
    }
    result.by_bounds = left;
  }

  // What was found of open cells. Those that never rise are held from now on.
  bool note(const std::vector<Rise>& rises) {
    bool is_new = false;
    for (std::uint32_t i = 0; i < open_.size(); ++i) {
      if (rises[i] == Rise::open || sums_.can_rise[i] == 0) continue;
      if (rises[i] == Rise::never) sums_.can_rise[i] = 0;
      if (verdict_[open_[i]] != Rise::open) continue;
      verdict_[open_[i]] = rises[i];
      is_new = true;
    }
    return is_new;
  }

  // Releases with the next one first: they told most where it was measured.
  std::vector<std::pair<std::size_t, std::size_t>> pairs_of_partitions() const {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t next = 2; next < partitions_.size(); ++next)
      pairs.emplace_back(next - 1, next);
    for (std::size_t release = 1; release < partitions_.size(); ++release)
      pairs.emplace_back(0, release);
    if (partitions_.size() > kPartitionsAllPaired) return pairs;
    for (std::size_t first = 1; first < partitions_.size(); ++first)
      for (std::size_t second = first + 2; second < partitions_.size(); ++second)
        pairs.emplace_back(first, second);
    return pairs;
  }

  // With the sums of groups and one release, or of two releases, and no others, there is always a
  // network. What never rises there never does. True: something was found.
  bool relax(const std::vector<char>& is_unsettled, std::size_t& members_left) {
    std::vector<std::uint32_t> place(open_.size(), kNone);
    bool is_new = false;
    for (const auto& pair : pairs_of_partitions()) {
      Shifts relaxed;
      for (std::uint32_t i = 0; i < open_.size(); ++i) {
        const bool moves = sums_.can_rise[i] != 0 || sums_.can_fall[i] != 0;
        place[i] = kNone;
        if (!moves || is_unsettled[component_of_[i]] == 0) continue;
        place[i] = static_cast<std::uint32_t>(relaxed.cells());
        relaxed.can_rise.push_back(sums_.can_rise[i]);
        relaxed.can_fall.push_back(sums_.can_fall[i]);
      }
      for (const std::size_t partition : {pair.first, pair.second}) {
        for (const std::uint32_t sum : partitions_[partition]) {
          for (std::uint32_t i = sums_.sum_begin[sum]; i < sums_.sum_begin[sum + 1]; ++i)
            if (place[sums_.members[i]] != kNone)
              relaxed.members.push_back(place[sums_.members[i]]);
          relaxed.end_sum();
        }
      }
      if (relaxed.members.empty() || relaxed.members.size() > members_left) return is_new;
      members_left -= relaxed.members.size();
      const std::vector<Rise> found = settle_shifts(relaxed, 0);
      std::vector<Rise> rises(open_.size(), Rise::open);
      for (std::uint32_t i = 0; i < open_.size(); ++i)
        if (place[i] != kNone && found[place[i]] == Rise::never) rises[i] = Rise::never;
      is_new = note(rises) || is_new;
    }
    return is_new;
  }

  // For each two values the shifts in which only they change places.
  void exchange(const std::vector<char>& is_unsettled) {
    struct Pair {
      Code first, second;
      std::uint32_t cell, other;  // open cells of one group
    };
    std::vector<std::uint32_t> by_group(open_.size());
    std::iota(by_group.begin(), by_group.end(), 0U);
    std::stable_sort(by_group.begin(), by_group.end(), [&](std::uint32_t a, std::uint32_t b) {
      return group_of_cell_[open_[a]] < group_of_cell_[open_[b]];
    });
    std::vector<Pair> pairs;
    const auto group_at = [&](std::size_t i) { return group_of_cell_[open_[by_group[i]]]; };
    for (std::size_t i = 0; i < by_group.size() && pairs.size() < kExchangeCells; ++i) {
      const std::uint32_t cell = by_group[i];
      if (is_unsettled[component_of_[cell]] == 0) continue;
      for (std::size_t j = i + 1; j < by_group.size() && group_at(j) == group_at(i); ++j) {
        const std::uint32_t other = by_group[j];
        if (sums_.can_fall[cell] == 0 && sums_.can_fall[other] == 0) continue;
        pairs.push_back({bounds_.value(open_[cell]), bounds_.value(open_[other]), cell, other});
      }
    }
    std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
      return a.first != b.first ? a.first < b.first : a.second < b.second;
    });
    std::vector<std::uint32_t> cells;
    for (std::size_t begin = 0, end = 0; begin < pairs.size(); begin = end) {
      cells.clear();
      bool is_wanted = false;
      for (end = begin; end < pairs.size() && pairs[end].first == pairs[begin].first &&
                        pairs[end].second == pairs[begin].second;
           ++end) {
        for (const std::uint32_t cell : {pairs[end].cell, pairs[end].other}) {
          cells.push_back(cell);
          is_wanted = is_wanted || verdict_[open_[cell]] == Rise::open;
        }
      }
      if (is_wanted) exchange_among(cells);
    }
  }

  void exchange_among(const std::vector<std::uint32_t>& cells) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> members;  // a sum, and a place in `cells`
    Shifts shifts;
    for (std::uint32_t i = 0; i < cells.size(); ++i) {
      shifts.can_rise.push_back(sums_.can_rise[cells[i]]);
      shifts.can_fall.push_back(sums_.can_fall[cells[i]]);
      for (std::size_t at = sum_of_begin_[cells[i]]; at < sum_of_begin_[cells[i] + 1]; ++at)
        members.emplace_back(sum_of_[at], i);
    }
    std::sort(members.begin(), members.end());
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (i > 0 && members[i].first != members[i - 1].first) shifts.end_sum();
      shifts.members.push_back(members[i].second);
    }
    shifts.end_sum();
    const std::vector<Rise> rises = settle_shifts(shifts, kExchangeSteps);
    for (std::uint32_t i = 0; i < cells.size(); ++i) {
      Rise& verdict = verdict_[open_[cells[i]]];
      if (verdict == Rise::open && rises[i] == Rise::can) verdict = Rise::can;
    }
  }

  void search(const std::vector<char>& is_unsettled) {
    std::vector<std::vector<std::uint32_t>> cells(is_unsettled.size());  // open ones, by component
    for (std::uint32_t i = 0; i < open_.size(); ++i)
      if (is_unsettled[component_of_[i]] != 0) cells[component_of_[i]].push_back(open_[i]);
    for (const auto& of_component : cells)
      if (!of_component.empty() && of_component.size() <= kSearchedCells) search_in(of_component);
  }

  // What is known to be there is taken away. What is left of this component is a history by itself.
  void search_in(const std::vector<std::uint32_t>& cells) {
    History part;
    part.class_of.resize(history_.releases());
    std::vector<std::uint32_t> record_in_part(bounds_.groups(), kNone);
    for (const std::uint32_t cell : cells) {
      const std::uint32_t group = group_of_cell_[cell];
      for (std::uint32_t count = low(cell); count < truth_[cell]; ++count) {
        record_in_part[group] = static_cast<std::uint32_t>(part.records());
        part.values.push_back(bounds_.value(cell));
        for (std::size_t release = 0; release < history_.releases(); ++release)
          part.class_of[release].push_back(history_.class_of[release][record_of_[group]]);
      }
    }
    Bounds bounds(part);
    bounds.tighten();
    std::vector<std::uint32_t> truth(bounds.cells(), 0);
    for (std::uint32_t record = 0; record < part.records(); ++record)
      ++truth[find_cell(bounds, bounds.group_of(record), part.values[record])];
    std::vector<std::uint32_t> cell_in_part;
    for (const std::uint32_t cell : cells) {
      const std::uint32_t record = record_in_part[group_of_cell_[cell]];
      cell_in_part.push_back(find_cell(bounds, bounds.group_of(record), bounds_.value(cell)));
    }
    LimitedSearch worlds(bounds, std::move(truth));
    Bounds::Counts world;
    for (std::size_t i = 0; i < cells.size() && work_ > 0; ++i) {
      if (verdict_[cells[i]] != Rise::open) continue;
      verdict_[cells[i]] =
          cell_in_part[i] == kNone ? Rise::never : worlds.find(cell_in_part[i], work_, world);
      if (verdict_[cells[i]] != Rise::can) continue;
      for (std::size_t j = i + 1; j < cells.size(); ++j)
        if (cell_in_part[j] != kNone && world.low[cell_in_part[j]] > 0)
          verdict_[cells[j]] = Rise::can;
    }
  }

  void report(Strongest& result) const {
    result.possible.resize(history_.records());
    result.exact.assign(history_.records(), true);
    for (std::uint32_t record = 0; record < history_.records(); ++record) {
      const std::uint32_t group = bounds_.group_of(record);
      if (group == Bounds::kNone) continue;
      for (std::uint32_t cell = bounds_.first_cell(group); cell < bounds_.first_cell(group + 1);
           ++cell) {
        if (verdict_[cell] != Rise::never) result.possible[record].push_back(bounds_.value(cell));
        if (verdict_[cell] == Rise::open) result.exact[record] = false;
      }
    }
  }

  const History& history_;
  Bounds bounds_;
  std::size_t work_;
  std::vector<std::uint32_t> truth_;      // by cell
  std::vector<Rise> verdict_;             // by cell: whether it is above 0 in some world
  std::vector<std::uint32_t> record_of_;  // by group: one
  std::vector<std::uint32_t> group_of_cell_;
  std::vector<std::uint32_t> open_;  // cells whose bounds differ
  bool by_value_ = false;
  Shifts sums_;                                         // of open cells
  std::vector<std::vector<std::uint32_t>> partitions_;  // sums: of groups, of each release
  std::vector<std::size_t> sum_of_begin_;               // by open cell
  std::vector<std::uint32_t> sum_of_;
  std::vector<std::uint32_t> component_of_;  // by open cell
};

}  // namespace

std::size_t Strongest::fewer_than(std::size_t l) const {
  return static_cast<std::size_t>(std::count_if(
      possible.begin(), possible.end(),
      [l](const std::vector<Code>& values) { return !values.empty() && values.size() < l; }));
}

std::size_t Strongest::not_settled() const {
  return static_cast<std::size_t>(std::count(exact.begin(), exact.end(), false));
}

Strongest strongest_attack(const History& history, std::size_t most_work) {
  return Attack(history, most_work).run();
}

}  // namespace throng
