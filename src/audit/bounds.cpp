#include "audit/bounds.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "audit/classes.h"

namespace throng {
namespace {

// Sets of cells are known by the sum of these: what one set has beyond another is a difference.
std::uint64_t hash_of_cell(std::uint64_t cell) {
  std::uint64_t bits = (cell + 1) * 0x9E3779B97F4A7C15ULL;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9ULL;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBULL;
  return bits ^ (bits >> 31);
}

}  // namespace

// Fills group_of_ and group_size_; gives one record of each group.
std::vector<std::uint32_t> Bounds::make_groups(const History& history) {
  const std::size_t records = history.records();
  // Release by release, groups are divided by their classes.
  std::vector<std::uint32_t> group(records, 0);
  std::vector<std::pair<std::uint64_t, std::uint32_t>> keys(records);
  for (const auto& class_of : history.class_of) {
    for (std::uint32_t record = 0; record < records; ++record)
      keys[record] = {std::uint64_t{group[record]} << 32 | class_of[record], record};
    std::sort(keys.begin(), keys.end());
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < records; ++i) {
      if (i > 0 && keys[i].first != keys[i - 1].first) ++number;
      group[keys[i].second] = number;
    }
  }
  // Those that are in no release are no group; the others are numbered as they come.
  std::vector<std::uint32_t> renumbered(records, kNone), one;
  group_of_.assign(records, kNone);
  for (std::uint32_t record = 0; record < records; ++record) {
    const bool published = std::any_of(
        history.class_of.begin(), history.class_of.end(),
        [record](const auto& class_of) { return class_of[record] != History::kAbsent; });
    if (!published) continue;
    std::uint32_t& number = renumbered[group[record]];
    if (number == kNone) {
      number = static_cast<std::uint32_t>(one.size());
      one.push_back(record);
      group_size_.push_back(0);
    }
    group_of_[record] = number;
    ++group_size_[number];
  }
  return one;
}

Bounds::Bounds(const History& history) : releases_(history.releases()) {
  std::vector<Classes> classes;
  for (std::size_t release = 0; release < releases_; ++release)
    classes.push_back(make_classes(history, release));
  const std::vector<std::uint32_t> one = make_groups(history);

  // The cells: of the values of the group's smallest class, those that all its classes have.
  cell_begin_.push_back(0);
  for (std::uint32_t group = 0; group < one.size(); ++group) {
    std::vector<std::span<const Classes::Count>> of_class;
    for (const Classes& release : classes) {
      const std::uint32_t number = release.of_record[one[group]];
      if (number != History::kAbsent) of_class.push_back(release.counts(number));
    }
    std::sort(of_class.begin(), of_class.end(),
              [](const auto& a, const auto& b) { return a.size() < b.size(); });
    for (const Classes::Count& count : of_class[0]) {
      std::uint32_t high = group_size_[group];
      for (const auto& counts : of_class) {
        const Classes::Count* found = find_count(counts, count.value);
        high = found ? std::min(high, found->count) : 0;
        if (high == 0) break;
      }
      if (high == 0) continue;
      value_.push_back(count.value);
      group_of_cell_.push_back(group);
      counts_.low.push_back(0);
      counts_.high.push_back(high);
    }
    cell_begin_.push_back(static_cast<std::uint32_t>(cells()));
  }
  if (is_too_large()) return;

  // The sums, and how many cells each has.
  total_.assign(group_size_.begin(), group_size_.end());
  sum_of_.assign(cells() * releases_, kNone);
  for (std::size_t release = 0; release < releases_; ++release) {
    const auto first = static_cast<std::uint32_t>(total_.size());
    for (const Classes::Count& count : classes[release].count_list) total_.push_back(count.count);
    for (std::uint32_t cell = 0; cell < cells(); ++cell) {
      const std::uint32_t number = classes[release].of_record[one[group_of_cell_[cell]]];
      if (number == History::kAbsent) continue;
      const Classes::Count* found = find_count(classes[release].counts(number), value_[cell]);
      sum_of_[cell * releases_ + release] =
          first + static_cast<std::uint32_t>(found - classes[release].count_list.data());
    }
  }
  first_derived_ = total_.size();
  derived_of_.resize(cells());
  member_begin_.assign(total_.size() + 1, 0);
  for (std::uint32_t cell = 0; cell < cells(); ++cell)
    for_each_sum(cell, [&](std::uint32_t sum) { ++member_begin_[sum + 1]; });
  for (std::size_t sum = 0; sum < total_.size(); ++sum)
    member_begin_[sum + 1] += member_begin_[sum];
  member_.resize(member_begin_.back());
  std::vector<std::size_t> next(member_begin_.begin(), member_begin_.end() - 1);
  for (std::uint32_t cell = 0; cell < cells(); ++cell)
    for_each_sum(cell, [&](std::uint32_t sum) { member_[next[sum]++] = cell; });
}

void Bounds::add_sum(std::span<const std::uint32_t> cells, std::uint64_t total) {
  const auto sum = static_cast<std::uint32_t>(total_.size());
  total_.push_back(total);
  for (const std::uint32_t cell : cells) {
    member_.push_back(cell);
    derived_of_[cell].push_back(sum);
  }
  member_begin_.push_back(member_.size());
}

// Tightens the cells of one sum: none can have more than the others leave at the least, nor less
// than they leave at the most.
bool Bounds::visit(std::uint32_t sum, Counts& counts, std::vector<std::uint32_t>& changed) const {
  std::uint64_t low = 0, high = 0;
  for (const std::uint32_t cell : members(sum)) {
    low += counts.low[cell];
    high += counts.high[cell];
  }
  if (low > total_[sum] || high < total_[sum]) return false;
  const std::uint64_t need = total_[sum] - low, excess = high - total_[sum];
  for (const std::uint32_t cell : members(sum)) {
    const std::uint32_t lowest = counts.low[cell], slack = counts.high[cell] - lowest;
    if (slack <= need && slack <= excess) continue;
    if (slack > need) counts.high[cell] = lowest + static_cast<std::uint32_t>(need);
    if (slack > excess) counts.low[cell] = lowest + (slack - static_cast<std::uint32_t>(excess));
    changed.push_back(cell);
  }
  return true;
}

// Sums that wait to be visited, each once.
class Bounds::Queue {
 public:
  explicit Queue(std::size_t sums) : is_waiting_(sums, 0) {}

  void add(std::uint32_t sum) {
    if (is_waiting_[sum] != 0) return;
    is_waiting_[sum] = 1;
    waiting_.push_back(sum);
  }
  // All that wait, in their order; each may be added again from the moment it is begun.
  std::vector<std::uint32_t> take() { return std::exchange(waiting_, {}); }
  void begin(std::uint32_t sum) { is_waiting_[sum] = 0; }

 private:
  std::vector<char> is_waiting_;  // by sum
  std::vector<std::uint32_t> waiting_;
};

bool Bounds::settle(Counts& counts, Queue& queue) const {
  std::vector<std::uint32_t> changed;
  for (auto sums = queue.take(); !sums.empty(); sums = queue.take()) {
    for (const std::uint32_t sum : sums) {
      queue.begin(sum);
      changed.clear();
      if (!visit(sum, counts, changed)) return false;
      for (const std::uint32_t cell : changed)
        for_each_sum(cell, [&](std::uint32_t other) { queue.add(other); });
    }
  }
  return true;
}

bool Bounds::propagate(Counts& counts, std::uint32_t changed) const {
  Queue queue(total_.size());
  for_each_sum(changed, [&](std::uint32_t sum) { queue.add(sum); });
  return settle(counts, queue);
}

// One round of sums that follow from others. Only what is open counts: cells whose bounds differ,
// and what of a sum is left for them above their lowest counts.
//
// A sum S is laid beside each release: its cells lie in the sums P_1 … P_m of one value there.
//
//   left    Those P that lie inside S are taken from it. The rest of S is a sum too, and is kept.
//   beyond  If all of S lies in the P, then what they have beyond S is a sum too. There are too
//           many of these to keep all, but where nothing is left for it, or all that it can hold,
//           its cells are fixed.
class Bounds::Derivation {
 public:
  explicit Derivation(Bounds& bounds)
      : bounds_(bounds),
        sums_(bounds.total_.size()),
        most_members_(4 * bounds.member_begin_[bounds.first_derived_] + 1024),
        open_(sums_),
        shared_(sums_, 0),
        is_in_sum_(bounds.cells(), 0),
        is_fixed_(bounds.cells(), 0) {
    const Counts& counts = bounds.counts_;
    for (std::size_t sum = bounds.groups(); sum < sums_; ++sum) {
      Open& open = open_[sum];
      open.need = bounds.total_[sum];
      for (const std::uint32_t cell : bounds.members(sum)) {
        open.need -= counts.low[cell];
        if (is_open(cell))
          open.add({hash_of_cell(cell), 0, counts.high[cell] - counts.low[cell], 1});
      }
      known_.insert(open.hash);
    }
  }

  // Adds the sums that are kept, fixes the cells that can be, and gives those.
  std::vector<std::uint32_t> run() {
    for (auto sum = static_cast<std::uint32_t>(bounds_.groups()); sum < sums_; ++sum) {
      if (open_[sum].cells < 2) continue;
      cells_.clear();
      for (const std::uint32_t cell : bounds_.members(sum)) {
        if (!is_open(cell)) continue;
        cells_.push_back(cell);
        is_in_sum_[cell] = 1;
      }
      for (std::size_t release = 0; release < bounds_.releases_; ++release)
        lay_beside(sum, release);
      for (const std::uint32_t cell : cells_) is_in_sum_[cell] = 0;
    }
    std::vector<std::uint32_t> changed;
    for (const auto& [cell, count] : fixed_) {
      bounds_.counts_.low[cell] = bounds_.counts_.high[cell] = count;
      changed.push_back(cell);
    }
    return changed;
  }

 private:
  // The open cells of a sum: their number, what is left for them, what they could hold, and which
  // they are.
  struct Open {
    std::uint64_t hash = 0, need = 0, slack = 0, cells = 0;

    void add(const Open& other) {
      hash += other.hash;
      need += other.need;
      slack += other.slack;
      cells += other.cells;
    }
    void remove(const Open& other) {
      hash -= other.hash;
      need -= other.need;
      slack -= other.slack;
      cells -= other.cells;
    }
  };

  bool is_open(std::uint32_t cell) const {
    return bounds_.counts_.low[cell] < bounds_.counts_.high[cell];
  }

  void lay_beside(std::uint32_t sum, std::size_t release) {
    const auto part_of = [&](std::uint32_t cell) {
      return bounds_.sum_of_[cell * bounds_.releases_ + release];
    };
    parts_.clear();
    std::size_t covered = 0;
    for (const std::uint32_t cell : cells_) {
      const std::uint32_t part = part_of(cell);
      if (part == kNone) continue;
      if (shared_[part]++ == 0) parts_.push_back(part);
      ++covered;
    }
    const auto is_inside = [&](std::uint32_t part) { return shared_[part] == open_[part].cells; };
    Open left = open_[sum], beyond;
    for (const std::uint32_t part : parts_) {
      beyond.add(open_[part]);
      if (is_inside(part)) left.remove(open_[part]);
    }
    if (left.cells > 0 && left.cells < cells_.size() && is_wanted(left)) {
      rest_.clear();
      for (const std::uint32_t cell : cells_) {
        if (part_of(cell) == kNone || !is_inside(part_of(cell))) rest_.push_back(cell);
      }
      keep(left);
    }
    if (covered == cells_.size() && beyond.cells > covered) {
      beyond.remove(open_[sum]);
      go_beyond(beyond, sum);
    }
    for (const std::uint32_t part : parts_) shared_[part] = 0;
  }

  void go_beyond(const Open& beyond, std::uint32_t sum) {
    const bool nothing = beyond.need == 0, all = beyond.need == beyond.slack;
    // Beyond a sum that is itself published, `left` of the larger one does it.
    const bool kept = parts_.size() == 1 && sum >= bounds_.first_derived_ && is_wanted(beyond);
    if (!nothing && !all && !kept) return;
    rest_.clear();
    for (const std::uint32_t part : parts_) {
      for (const std::uint32_t cell : bounds_.members(part)) {
        if (is_open(cell) && is_in_sum_[cell] == 0) rest_.push_back(cell);
      }
    }
    if (!nothing && !all) {
      keep(beyond);
      return;
    }
    for (const std::uint32_t cell : rest_) {
      if (is_fixed_[cell] != 0) continue;
      is_fixed_[cell] = 1;
      fixed_.emplace_back(cell, all ? bounds_.counts_.high[cell] : bounds_.counts_.low[cell]);
    }
  }

  // Two sets of cells with the same hash are taken for one: at worst a sum is not used.
  bool is_wanted(const Open& sum) const {
    return bounds_.member_.size() + sum.cells <= most_members_ && !known_.contains(sum.hash);
  }
  void keep(const Open& sum) {
    known_.insert(sum.hash);
    std::uint64_t total = sum.need;
    for (const std::uint32_t cell : rest_) total += bounds_.counts_.low[cell];
    bounds_.add_sum(rest_, total);
  }

  Bounds& bounds_;
  std::size_t sums_, most_members_;
  std::vector<Open> open_;  // by sum
  std::unordered_set<std::uint64_t> known_;
  std::vector<std::uint32_t> cells_;  // the open ones of the sum in hand
  std::vector<std::uint32_t> parts_, rest_;
  std::vector<std::uint32_t> shared_;       // by sum: open cells that it shares with that one
  std::vector<char> is_in_sum_, is_fixed_;  // by cell
  std::vector<std::pair<std::uint32_t, std::uint32_t>> fixed_;  // cells, and their counts
};

void Bounds::tighten() {
  if (is_too_large()) return;
  std::size_t settled = 0;  // sums that were there before
  std::vector<std::uint32_t> changed;
  for (int round = 0; round <= kRounds; ++round) {
    Queue queue(total_.size());
    for (; settled < total_.size(); ++settled) queue.add(static_cast<std::uint32_t>(settled));
    for (const std::uint32_t cell : changed)
      for_each_sum(cell, [&](std::uint32_t sum) { queue.add(sum); });
    settle(counts_, queue);
    if (round == kRounds) return;
    changed = Derivation(*this).run();
    if (changed.empty() && settled == total_.size()) return;
  }
}

}  // namespace throng
