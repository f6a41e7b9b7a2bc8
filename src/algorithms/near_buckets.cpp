#include "algorithms/near_buckets.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "table/random.h"

namespace throng {
namespace {

// Records by which the spread of a set is judged.
constexpr std::size_t kSample = 512;
// Axes that are tried, those of the largest spread.
constexpr std::size_t kTries = 3;
// Sets of more records are cut along the first of them at once.
constexpr std::size_t kLarge = 1U << 16;
// Sets of more are sorted by counting, along an axis of so many steps.
constexpr std::size_t kCounted = 1024;
constexpr std::size_t kSteps = 2048;
// Records below which a set is not worth a task of its own.
constexpr std::size_t kTaskRecords = 4096;

// Buckets whose counts are fitted together, how far away an exchange goes, and how often everyone
// is offered one.
constexpr std::size_t kRegion = 16384;
constexpr std::size_t kReach = 1024;
constexpr int kOffers = 8;
// In tables of more records than that, half as often.
constexpr std::size_t kManyRecords = 250000;
// Values of a quasi-identifier, and sensitive values, that are told apart; neighbours count as one.
constexpr std::size_t kMostBundles = 1024;
constexpr std::size_t kMostSlots = 64;

struct Scratch {
  std::vector<std::uint32_t> order, counts, taken, least, most;
  std::vector<Code> seen;
  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> steps, starts;
  std::vector<float> along;
  std::vector<char> left, best;
  std::vector<std::uint32_t> moved;
  std::vector<double> sum, squares, left_sum;
  std::vector<std::uint32_t> axes;
};

class Cutter {
 public:
  Cutter(const Records& records, std::size_t values, const Places& places,
         std::vector<std::uint32_t> chosen, std::size_t l)
      : records_(records),
        places_(places),
        l_(l),
        order_(std::move(chosen)),
        buckets_(order_.size() / l),
        scratch_([values] {
          Scratch scratch;
          for (auto* each : {&scratch.counts, &scratch.taken, &scratch.least, &scratch.most})
            each->assign(values, 0);
          return scratch;
        }) {
    std::vector<std::size_t> counts(values, 0);
    for (const std::uint32_t record : order_) {
      if (++counts[records.value[record]] > buckets_.size())
        throw std::invalid_argument("a value has more than one record in l");
    }
  }

  std::vector<BucketSet::Members> run() {
    if (buckets_.empty()) return {};
    tbb::task_group tasks;
    tasks.run([&] { cut({0, order_.size()}, {0, buckets_.size()}, tasks); });
    tasks.wait();
    return std::move(buckets_);
  }

 private:
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t size() const { return end - begin; }
  };

  void cut(Range range, Range buckets, tbb::task_group& tasks) {
    while (buckets.size() > 1) {
      const std::size_t left_buckets = buckets.size() / 2;
      const std::size_t middle = range.begin + part(range, left_buckets, buckets.size());
      const Range left{range.begin, middle}, left_of{buckets.begin, buckets.begin + left_buckets};
      if (left.size() > kTaskRecords) {
        tasks.run([=, this, &tasks] { cut(left, left_of, tasks); });
      } else {
        cut(left, left_of, tasks);
      }
      range.begin = middle;
      buckets.begin += left_buckets;
    }
    buckets_[buckets.begin].assign(order_.begin() + static_cast<std::ptrdiff_t>(range.begin),
                                   order_.begin() + static_cast<std::ptrdiff_t>(range.end));
  }

  const float* at(std::uint32_t record) const { return places_.of(records_.entry[record]); }

  // Puts those for the first `left_buckets` of `buckets` first; how many records they are.
  std::size_t part(Range range, std::size_t left_buckets, std::size_t buckets) {
    Scratch& scratch = scratch_.local();
    const auto set = std::span(order_).subspan(range.begin, range.size());
    const std::size_t right_buckets = buckets - left_buckets;
    const std::size_t left_records = std::clamp(set.size() * left_buckets / buckets,
                                                l_ * left_buckets, set.size() - l_ * right_buckets);
    count_values(set, left_buckets, right_buckets, scratch);
    rank_axes(set, scratch);
    double most = -1;
    for (const std::uint32_t axis : scratch.axes) {
      choose_left(set, axis, left_records, scratch);
      const double gain = gain_of(set, scratch);
      if (gain <= most) continue;
      most = gain;
      scratch.best.swap(scratch.left);
    }
    if (most < 0) {  // nowhere to tell them apart by
      choose_left(set, kNoAxis, left_records, scratch);
      scratch.best.swap(scratch.left);
    }
    for (const Code value : scratch.seen) scratch.counts[value] = 0;

    scratch.moved.clear();
    std::size_t next = 0;
    for (std::size_t i = 0; i < set.size(); ++i) {
      if (scratch.best[i]) {
        set[next++] = set[i];
      } else {
        scratch.moved.push_back(set[i]);
      }
    }
    std::copy(scratch.moved.begin(), scratch.moved.end(),
              set.begin() + static_cast<std::ptrdiff_t>(next));
    return next;
  }

  // How many of each value the left side must and may take.
  void count_values(std::span<const std::uint32_t> set, std::size_t left_buckets,
                    std::size_t right_buckets, Scratch& scratch) const {
    scratch.seen.clear();
    for (const std::uint32_t record : set) {
      const Code value = records_.value[record];
      if (scratch.counts[value]++ == 0) scratch.seen.push_back(value);
    }
    for (const Code value : scratch.seen) {
      const std::size_t count = scratch.counts[value];
      scratch.least[value] =
          static_cast<std::uint32_t>(count > right_buckets ? count - right_buckets : 0);
      scratch.most[value] = static_cast<std::uint32_t>(std::min(count, left_buckets));
    }
  }

  // The few axes on which a sample is spread most.
  void rank_axes(std::span<const std::uint32_t> set, Scratch& scratch) const {
    const std::size_t axes = places_.axes, step = (set.size() + kSample - 1) / kSample;
    scratch.sum.assign(axes, 0);
    scratch.squares.assign(axes, 0);
    double count = 0;
    for (std::size_t i = 0; i < set.size(); i += step, ++count) {
      const float* place = at(set[i]);
      for (std::size_t axis = 0; axis < axes; ++axis) {
        scratch.sum[axis] += place[axis];
        scratch.squares[axis] += static_cast<double>(place[axis]) * place[axis];
      }
    }
    for (std::size_t axis = 0; axis < axes; ++axis)
      scratch.squares[axis] -= scratch.sum[axis] * scratch.sum[axis] / count;
    scratch.axes.resize(axes);
    std::iota(scratch.axes.begin(), scratch.axes.end(), 0);
    const std::size_t tries = std::min(set.size() > kLarge ? 1 : kTries, axes);
    std::partial_sort(
        scratch.axes.begin(), scratch.axes.begin() + static_cast<std::ptrdiff_t>(tries),
        scratch.axes.end(), [&](std::uint32_t a, std::uint32_t b) {
          return scratch.squares[a] != scratch.squares[b] ? scratch.squares[a] > scratch.squares[b]
                                                          : a < b;
        });
    scratch.axes.resize(tries);
  }

  // Marks in scratch.left who goes left by an axis.
  void choose_left(std::span<const std::uint32_t> set, std::uint32_t axis, std::size_t left_records,
                   Scratch& scratch) const {
    sort_along(set, axis, scratch);
    scratch.left.assign(set.size(), 0);
    for (const Code value : scratch.seen) scratch.taken[value] = 0;
    std::size_t taken = 0;
    for (const std::uint32_t i : scratch.order) {
      const Code value = records_.value[set[i]];
      if (scratch.taken[value] >= scratch.least[value]) continue;
      ++scratch.taken[value];
      scratch.left[i] = 1;
      ++taken;
    }
    for (const std::uint32_t i : scratch.order) {
      if (taken == left_records) break;
      const Code value = records_.value[set[i]];
      if (scratch.left[i] || scratch.taken[value] >= scratch.most[value]) continue;
      ++scratch.taken[value];
      scratch.left[i] = 1;
      ++taken;
    }
  }

  static constexpr std::uint32_t kNoAxis = ~std::uint32_t{0};

  // scratch.order: places in the set along an axis.
  void sort_along(std::span<const std::uint32_t> set, std::uint32_t axis, Scratch& scratch) const {
    const std::size_t count = set.size();
    scratch.order.resize(count);
    if (axis == kNoAxis) {
      std::iota(scratch.order.begin(), scratch.order.end(), 0);
      return;
    }
    scratch.along.resize(count);
    for (std::size_t i = 0; i < count; ++i) scratch.along[i] = at(set[i])[axis];
    if (count <= kCounted) {
      scratch.keys.resize(count);
      for (std::size_t i = 0; i < count; ++i) {
        // Floats in the order of their bits, the sign turned.
        const auto bits = std::bit_cast<std::uint32_t>(scratch.along[i]);
        const std::uint32_t key = (bits >> 31) != 0 ? ~bits : bits | 0x80000000U;
        scratch.keys[i] = (std::uint64_t{key} << 32) | i;
      }
      std::sort(scratch.keys.begin(), scratch.keys.end());
      for (std::size_t i = 0; i < count; ++i)
        scratch.order[i] = static_cast<std::uint32_t>(scratch.keys[i]);
      return;
    }
    const auto [low, high] = std::minmax_element(scratch.along.begin(), scratch.along.end());
    const float first = *low, range = *high - *low;
    const float scale = range > 0 ? static_cast<float>(kSteps - 1) / range : 0;
    scratch.steps.resize(count);
    scratch.starts.assign(kSteps + 1, 0);
    for (std::size_t i = 0; i < count; ++i) {
      const auto step = static_cast<std::uint32_t>((scratch.along[i] - first) * scale);
      scratch.steps[i] = std::min(step, static_cast<std::uint32_t>(kSteps - 1));
      ++scratch.starts[scratch.steps[i] + 1];
    }
    std::partial_sum(scratch.starts.begin(), scratch.starts.end(), scratch.starts.begin());
    for (std::size_t i = 0; i < count; ++i)
      scratch.order[scratch.starts[scratch.steps[i]]++] = static_cast<std::uint32_t>(i);
  }

  // How far apart the means of the two sides are, in a sample.
  double gain_of(std::span<const std::uint32_t> set, Scratch& scratch) const {
    const std::size_t axes = places_.axes, step = (set.size() + kSample - 1) / kSample;
    scratch.left_sum.assign(axes, 0);
    double left = 0, count = 0;
    for (std::size_t i = 0; i < set.size(); i += step, ++count) {
      if (!scratch.left[i]) continue;
      ++left;
      const float* place = at(set[i]);
      for (std::size_t axis = 0; axis < axes; ++axis) scratch.left_sum[axis] += place[axis];
    }
    if (left == 0 || left == count) return 0;
    double gain = 0;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const double off = scratch.left_sum[axis] / left -
                         (scratch.sum[axis] - scratch.left_sum[axis]) / (count - left);
      gain += off * off;
    }
    return gain * left * (count - left);
  }

  const Records& records_;
  const Places& places_;
  std::size_t l_;
  std::vector<std::uint32_t> order_;
  std::vector<BucketSet::Members> buckets_;
  tbb::enumerable_thread_specific<Scratch> scratch_;
};

// The cells of the counts that are fitted: of a quasi-identifier and a sensitive value each.
struct Cells {
  Cells(const FrequencyList& list, std::size_t domain_of_values)
      : columns(list.domains.size()),
        slots(std::min(domain_of_values, kMostSlots)),
        values(domain_of_values) {
    std::size_t rows = 0;
    first.reserve(columns);
    for (const Domain& domain : list.domains) {
      first.push_back(rows);
      rows += std::min(domain.size(), kMostBundles);
    }
    size = rows * slots;
    row_of.resize(list.size() * columns);
    for (std::size_t column = 0; column < columns; ++column) {
      const std::size_t domain = std::max<std::size_t>(1, list.domains[column].size());
      const std::size_t bundles = std::min(domain, kMostBundles);
      for (std::size_t entry = 0; entry < list.size(); ++entry) {
        const std::size_t bundle = list.positions[column][entry] * bundles / domain;
        row_of[entry * columns + column] =
            static_cast<std::uint32_t>((first[column] + bundle) * slots);
      }
    }
  }
  std::uint32_t slot(Code value) const {
    return static_cast<std::uint32_t>(std::size_t{value} * slots / values);
  }
  // Where the cells of each quasi-identifier of an entry begin.
  const std::uint32_t* rows(std::uint32_t entry) const { return row_of.data() + entry * columns; }

  std::size_t columns, slots, values, size = 0;
  std::vector<std::size_t> first;
  std::vector<std::uint32_t> row_of;
};

// A region of buckets, one after the other. An exchange puts one record of a value into the place
// of another: the values at the places stay.
class Fitter {
 public:
  Fitter(const Cells& cells, const RecordTypes& types, const Records& records,
         std::span<BucketSet::Members> buckets, std::uint64_t seed)
      : cells_(cells),
        types_(types),
        records_(records),
        buckets_(buckets),
        words_(types.sets.words()),
        random_(seed),
        excess_(cells.size, 0),
        present_(buckets.size() * words_, 0),
        clean_(buckets.size(), 1),
        shift_(cells.slots, 0),
        is_touched_(cells.slots, 0) {
    begin_.reserve(buckets.size() + 1);
    begin_.push_back(0);
    for (std::size_t bucket = 0; bucket < buckets.size(); ++bucket) {
      for (const std::uint32_t member : buckets[bucket]) {
        const Code value = records.value[member];
        members_.push_back(member);
        values_.push_back(value);
        slots_.push_back(cells.slot(value));
        present_[bucket * words_ + value / 64] |= std::uint64_t{1} << (value % 64);
      }
      begin_.push_back(members_.size());
      add_shares(bucket, 1);
      for (std::size_t i = begin_[bucket]; i < begin_[bucket + 1]; ++i) {
        if (!fits(members_[i], bucket)) clean_[bucket] = 0;
        const std::uint32_t* rows = cells.rows(records.entry[members_[i]]);
        for (std::size_t column = 0; column < cells.columns; ++column) {
          excess_[rows[column] + slots_[i]] -= 1;
          for (const std::uint32_t slot : touched_) excess_[rows[column] + slot] += shift_[slot];
        }
      }
      for (const std::uint32_t slot : touched_) {
        shift_[slot] = 0;
        is_touched_[slot] = 0;
      }
      touched_.clear();
    }
  }

  void run(int offers) {
    const std::size_t reach = std::min(kReach, buckets_.size() - 1);
    for (int offer = 0; offer < offers; ++offer) {
      for (std::size_t one = 0; one < buckets_.size(); ++one) {
        const std::size_t low = one - std::min(one, reach);
        const std::size_t high = std::min(buckets_.size() - 1, one + reach);
        for (std::size_t i = begin_[one]; i < begin_[one + 1]; ++i) {
          const std::size_t other = low + random_.below(high - low + 1);
          if (other != one) offer_exchange(one, i, other);
        }
      }
    }
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
      std::copy(members_.begin() + static_cast<std::ptrdiff_t>(begin_[bucket]),
                members_.begin() + static_cast<std::ptrdiff_t>(begin_[bucket + 1]),
                buckets_[bucket].begin());
    }
  }

 private:
  // Whether none of a record's impossible values occurs in a bucket.
  bool fits(std::uint32_t record, std::size_t bucket) const {
    const std::uint64_t* set = types_.sets.set(types_.types[records_.type[record]].set);
    for (std::size_t word = 0; word < words_; ++word) {
      if ((set[word] & present_[bucket * words_ + word]) != 0) return false;
    }
    return true;
  }

  void offer_exchange(std::size_t one, std::size_t i, std::size_t other) {
    const Code value = values_[i];
    if (((present_[other * words_ + value / 64] >> (value % 64)) & 1) == 0) return;
    std::size_t j = begin_[other];
    while (values_[j] != value) ++j;
    const std::uint32_t mine = members_[i], theirs = members_[j];
    if (records_.entry[mine] == records_.entry[theirs]) return;
    if (records_.type[mine] != records_.type[theirs] &&
        (!clean_[one] || !clean_[other] || !fits(mine, other) || !fits(theirs, one))) {
      return;
    }
    // The shares of the values in one, less those in the other: what a record's counts lose that
    // goes from one to the other, and those of the record that comes win.
    touched_.clear();
    add_shares(one, 1);
    add_shares(other, -1);
    float square = 0;
    std::size_t kept = 0;
    for (const std::uint32_t slot : touched_) {
      is_touched_[slot] = 0;
      if (std::abs(shift_[slot]) < 1e-6F) {
        shift_[slot] = 0;
        continue;
      }
      square += shift_[slot] * shift_[slot];
      touched_[kept++] = slot;
    }
    touched_.resize(kept);
    const std::uint32_t* from = cells_.rows(records_.entry[mine]);
    const std::uint32_t* to = cells_.rows(records_.entry[theirs]);
    float change = 0;
    for (std::size_t column = 0; column < cells_.columns; ++column) {
      if (from[column] == to[column]) continue;
      for (const std::uint32_t slot : touched_)
        change += shift_[slot] * (excess_[to[column] + slot] - excess_[from[column] + slot]);
      change += square;
    }
    if (change < -1e-4F) {
      for (std::size_t column = 0; column < cells_.columns; ++column) {
        if (from[column] == to[column]) continue;
        for (const std::uint32_t slot : touched_) {
          excess_[to[column] + slot] += shift_[slot];
          excess_[from[column] + slot] -= shift_[slot];
        }
      }
      std::swap(members_[i], members_[j]);
    }
    for (const std::uint32_t slot : touched_) shift_[slot] = 0;
  }

  void add_shares(std::size_t bucket, float sign) {
    const float share = sign / static_cast<float>(begin_[bucket + 1] - begin_[bucket]);
    for (std::size_t i = begin_[bucket]; i < begin_[bucket + 1]; ++i) {
      const std::uint32_t slot = slots_[i];
      if (!is_touched_[slot]) touched_.push_back(slot);
      is_touched_[slot] = 1;
      shift_[slot] += share;
    }
  }

  const Cells& cells_;
  const RecordTypes& types_;
  const Records& records_;
  std::span<BucketSet::Members> buckets_;
  std::size_t words_;
  Random random_;
  std::vector<float> excess_;
  std::vector<std::size_t> begin_;      // by bucket: its first place
  std::vector<std::uint32_t> members_;  // by place
  std::vector<Code> values_;
  std::vector<std::uint32_t> slots_;
  std::vector<std::uint64_t> present_;  // by bucket
  std::vector<char> clean_;
  std::vector<float> shift_;  // by slot; 0 between uses
  std::vector<char> is_touched_;
  std::vector<std::uint32_t> touched_;
};

}  // namespace

void fit_counts(const FrequencyList& list, const RecordTypes& types, const Records& records,
                std::vector<BucketSet::Members>& buckets, std::uint64_t seed) {
  if (buckets.size() < 2) return;
  const Cells cells(list, types.sets.values());
  const int offers = records.size() > kManyRecords ? kOffers / 2 : kOffers;
  const std::size_t regions = (buckets.size() + kRegion - 1) / kRegion;
  tbb::parallel_for(std::size_t{0}, regions, [&](std::size_t region) {
    const std::size_t begin = region * kRegion;
    const auto part = std::span(buckets).subspan(begin, std::min(kRegion, buckets.size() - begin));
    Fitter(cells, types, records, part, seed + region).run(offers);
  });
}

std::vector<BucketSet::Members> cut_into_buckets(const Records& records, std::size_t values,
                                                 const Places& places,
                                                 std::vector<std::uint32_t> chosen, std::size_t l) {
  return Cutter(records, values, places, std::move(chosen), l).run();
}

}  // namespace throng
