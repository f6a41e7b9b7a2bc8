// Mondrian: strict multidimensional partitioning, with ℓ-diversity.
//
// Claim: every class meets the requirements (k, each ℓ-diversity, and matching ℓ-diversity against
// an attacker who knows everyone's exact quasi-identifiers), nothing is suppressed, and no
// two classes overlap, except where a hierarchy has no node for a group of siblings but their
// parent. Source: LeFevre et al., Mondrian; Byun et al. 2006, section 4.1 (ℓ-diverse variant).
// Cost: O(n · d · depth) for `cut: median`, O(n · d² · depth) for `cut: best`, n distinct entries;
// where cuts are refused, each dimension is swept once more, at the cost of judging each of its
// cuts. Departures: identical records stay together and carry their weight. A dimension whose
// median may not be cut does not end a partition: its other cuts and the other dimensions are
// tried. `best` weighs every cut of every dimension by the information loss of the two sides, each
// shrunk to what it holds (a large part over more than 4,096 values at 4,096 places), and of
// categories also cuts that take one value, or the most frequent ones, out of the rest. Regions
// shrink to the records of their class.
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "algorithms/algorithm.h"
#include "algorithms/boxes.h"
#include "algorithms/units.h"

namespace throng {
namespace {

// Entries below which a partition is not worth a task of its own, and above which even the
// dimensions of one partition are looked at side by side.
constexpr std::size_t kTaskEntries = 1024;
constexpr std::size_t kLargeEntries = 1U << 16;

// A way to cut a partition in two along one dimension, between its units.
struct Candidate {
  enum class Side {
    before,   // units before `index`, in their order
    single,   // unit `index` alone
    frequent  // the `index` most frequent units
  };
  double cost = 0;  // what is preferred is small
  std::uint32_t dimension = 0;
  Side side = Side::before;
  std::uint32_t index = 0;

  auto order() const { return std::tuple(cost, dimension, side, index); }
};

// Which cuts of one kind along one dimension are allowed, by the index of their candidates.
struct Judgement {
  bool made = false;
  std::vector<char> allowed;
};

struct Scratch {
  Scratch(const FrequencyList& list, const Requirements& requirements)
      : tally(requirements.tally(list)), right_tally(requirements.tally(list)) {}
  Units units;
  std::vector<std::uint32_t> occurring;  // units with a box that holds something, in order
  BoxArray boxes, forward, backward, one, rest;
  std::vector<Code> positions;        // of the entries, in the dimension that is looked at
  std::vector<std::uint32_t> box_of;  // the unit of each of them
  std::vector<std::uint32_t> by_weight, right;
  std::vector<char> on_left;
  std::vector<Candidate> candidates;
  std::vector<Judgement> judgements;
  Tally tally, right_tally;
};

class Mondrian {
 public:
  Mondrian(const FrequencyList& list, const Requirements& requirements, Cut cut,
           std::size_t part_entries = 0)
      : list_(list),
        requirements_(requirements),
        cut_(cut),
        part_entries_(part_entries),
        space_(list, requirements),
        surely_allowed_(cut == Cut::best && space_.settles_everything()),
        order_(list.size()),
        class_starts_(list.size(), 0),
        part_starts_(list.size(), 0),
        scratch_([&list, &requirements] { return Scratch(list, requirements); }) {
    std::iota(order_.begin(), order_.end(), 0);
  }

  Partition run() {
    split_all();
    return collect();
  }

  NestedParts run_nested() {
    split_all();
    NestedParts nested;
    for (std::uint32_t i = 0; i < order_.size(); ++i) {
      if (part_starts_[i]) nested.part_starts.push_back(i);
      if (class_starts_[i]) nested.class_starts.push_back(i);
    }
    nested.order = std::move(order_);
    return nested;
  }

 private:
  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::size_t size() const { return end - begin; }
  };

  void split_all() {
    if (list_.size() == 0) return;
    if (list_.size() <= part_entries_) part_starts_[0] = 1;
    split_large();
    tbb::task_group tasks;
    for (const Range range : ranges_) tasks.run([=, this, &tasks] { split(range, tasks); });
    tasks.wait();
  }

  void is_class(Range range) {
    class_starts_[range.begin] = 1;
    if (range.size() > part_entries_) part_starts_[range.begin] = 1;
  }
  void is_cut(Range range, std::uint32_t middle) {
    if (range.size() <= part_entries_) return;
    if (middle - range.begin <= part_entries_) part_starts_[range.begin] = 1;
    if (range.end - middle <= part_entries_) part_starts_[middle] = 1;
  }

  // The few partitions that are large, one after another; their dimensions run side by side.
  void split_large() {
    std::vector<Range> large = {{0, static_cast<std::uint32_t>(list_.size())}};
    while (!large.empty()) {
      const Range range = large.back();
      large.pop_back();
      if (range.size() < kLargeEntries) {
        ranges_.push_back(range);
        continue;
      }
      if (const std::uint32_t middle = cut_at(range)) {
        is_cut(range, middle);
        large.push_back({range.begin, middle});
        large.push_back({middle, range.end});
      } else {
        is_class(range);
      }
    }
  }

  void split(Range range, tbb::task_group& tasks) {
    std::vector<Range> pending = {range};
    while (!pending.empty()) {
      const Range next = pending.back();
      pending.pop_back();
      const std::uint32_t middle = cut_at(next);
      if (middle == 0) {
        is_class(next);
        continue;
      }
      is_cut(next, middle);
      for (const Range half : {Range{next.begin, middle}, Range{middle, next.end}}) {
        if (half.size() > kTaskEntries) {
          tasks.run([=, this, &tasks] { split(half, tasks); });
        } else {
          pending.push_back(half);
        }
      }
    }
  }

  // Cuts a partition if it can and reorders its entries; where the second half begins, or 0.
  std::uint32_t cut_at(Range range) {
    Scratch& scratch = scratch_.local();
    const auto entries = std::span(order_).subspan(range.begin, range.size());
    scratch.one.reset(space_, 1);
    scratch.one.add(entries, {});
    if (scratch.one.weight(0) < 2 * static_cast<double>(requirements_.k()) || range.size() < 2)
      return 0;

    const bool bundled = find_candidates(entries, scratch, /*exact=*/false);
    std::uint32_t left = try_candidates(entries, scratch, /*exact=*/false);
    if (left == 0 && bundled) {  // what bundles hide may be allowed
      find_candidates(entries, scratch, /*exact=*/true);
      left = try_candidates(entries, scratch, /*exact=*/true);
    }
    return left == 0 ? 0 : range.begin + left;
  }

  // Takes the best candidate that is allowed; how many entries went left, or 0.
  std::uint32_t try_candidates(std::span<std::uint32_t> entries, Scratch& scratch,
                               bool exact) const {
    std::vector<Candidate>& candidates = scratch.candidates;
    // Best first; most often the first one will do.
    const auto worse = [](const Candidate& a, const Candidate& b) { return a.order() > b.order(); };
    std::make_heap(candidates.begin(), candidates.end(), worse);
    scratch.judgements.resize(list_.domains.size() * 3);
    for (Judgement& judgement : scratch.judgements) judgement.made = false;
    while (!candidates.empty()) {
      std::pop_heap(candidates.begin(), candidates.end(), worse);
      const Candidate candidate = candidates.back();
      candidates.pop_back();
      Judgement& judgement = scratch.judgements[std::size_t{candidate.dimension} * 3 +
                                                static_cast<std::size_t>(candidate.side)];
      if (judgement.made && !judgement.allowed[candidate.index]) continue;
      mark_sides(candidate, entries, scratch, exact);
      if (!surely_allowed_ && !judgement.made && !allowed(entries, scratch)) {
        // Where one cut is refused, many may be: all of its kind are judged in one sweep.
        judge(candidate, entries, scratch, judgement);
        continue;
      }
      return part(entries, scratch);
    }
    return 0;
  }

  // Which cuts of the candidate's kind are allowed. scratch.units are those of its dimension.
  void judge(const Candidate& candidate, std::span<const std::uint32_t> entries, Scratch& scratch,
             Judgement& judgement) const {
    fill_boxes(entries, /*weights_only=*/true, scratch);
    if (candidate.side == Candidate::Side::frequent) {
      by_weight(scratch.occurring, scratch.boxes, scratch.by_weight);
    } else {
      scratch.by_weight = scratch.occurring;
    }
    // Entries unit by unit.
    const std::uint32_t units = scratch.units.size();
    std::vector<std::uint32_t> begin(units + 1, 0), members(entries.size());
    for (const std::uint32_t unit : scratch.box_of) ++begin[unit + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
    for (std::size_t i = 0; i < entries.size(); ++i)
      members[next[scratch.box_of[i]]++] = entries[i];

    Tally &left = scratch.tally, &right = scratch.right_tally;
    left.clear();
    right.clear();
    for (const std::uint32_t entry : entries) right.add(entry);
    const auto move = [&](std::uint32_t unit, Tally& from, Tally& to) {
      for (std::uint32_t i = begin[unit]; i < begin[unit + 1]; ++i) {
        from.remove(members[i]);
        to.add(members[i]);
      }
    };
    const auto both_met = [&] { return requirements_.met(left) && requirements_.met(right); };
    judgement.made = true;
    judgement.allowed.assign(units + 1, 0);
    for (std::uint32_t i = 0; i < scratch.by_weight.size(); ++i) {
      const std::uint32_t unit = scratch.by_weight[i];
      switch (candidate.side) {
        case Candidate::Side::before:
          judgement.allowed[unit] = both_met() ? 1 : 0;
          move(unit, right, left);
          break;
        case Candidate::Side::frequent:
          judgement.allowed[i] = both_met() ? 1 : 0;
          move(unit, right, left);
          break;
        case Candidate::Side::single:
          move(unit, right, left);
          judgement.allowed[unit] = both_met() ? 1 : 0;
          move(unit, left, right);
          break;
      }
    }
  }

  // Fills scratch.candidates; scratch.one holds the box of the whole. Whether some cuts were passed
  // over.
  bool find_candidates(std::span<const std::uint32_t> entries, Scratch& scratch, bool exact) {
    const std::size_t dimensions = list_.domains.size();
    const double whole = scratch.one.weight(0) * scratch.one.loss(0);
    std::vector<Candidate>& candidates = scratch.candidates;
    candidates.clear();
    bool bundled = false;
    if (entries.size() < kLargeEntries) {
      for (std::uint32_t dimension = 0; dimension < dimensions; ++dimension) {
        bundled |= add_candidates(dimension, entries, scratch.one, exact, scratch, candidates);
      }
    } else {
      // No task of a smaller partition runs now, so the threads' scratch is free; scratch.one is
      // only read.
      std::vector<std::vector<Candidate>> found(dimensions);
      std::vector<char> passed_over(dimensions, 0);
      tbb::parallel_for(
          std::uint32_t{0}, static_cast<std::uint32_t>(dimensions), [&](std::uint32_t dimension) {
            passed_over[dimension] = add_candidates(dimension, entries, scratch.one, exact,
                                                    scratch_.local(), found[dimension]);
          });
      for (const auto& more : found) candidates.insert(candidates.end(), more.begin(), more.end());
      bundled = std::find(passed_over.begin(), passed_over.end(), 1) != passed_over.end();
    }
    // A cut that leaves as much loss as there was gains nothing, but only `best` asks for gain.
    if (cut_ == Cut::best) {
      std::erase_if(candidates,
                    [&](const Candidate& candidate) { return candidate.cost >= whole; });
    }
    return bundled;
  }

  // The units of a dimension, and that of each entry.
  void make_units(std::uint32_t dimension, std::span<const std::uint32_t> entries,
                  const BoxArray& whole, bool exact, Scratch& scratch) const {
    space_.positions(entries, dimension, scratch.positions);
    scratch.units.make(list_.domains[dimension], whole.low(0, dimension), whole.high(0, dimension),
                       scratch.positions, exact);
    scratch.units.of(scratch.positions, scratch.box_of);
  }

  // A box for each unit, and which units occur.
  void fill_boxes(std::span<const std::uint32_t> entries, bool weights_only,
                  Scratch& scratch) const {
    const Units& units = scratch.units;
    scratch.boxes.reset(space_, units.size(), weights_only);
    scratch.boxes.add(entries, scratch.box_of);
    scratch.occurring.clear();
    for (std::uint32_t unit = 0; unit < units.size(); ++unit) {
      if (scratch.boxes.weight(unit) > 0) scratch.occurring.push_back(unit);
    }
  }

  // Whether some cuts were passed over.
  bool add_candidates(std::uint32_t dimension, std::span<const std::uint32_t> entries,
                      const BoxArray& whole, bool exact, Scratch& scratch,
                      std::vector<Candidate>& candidates) const {
    if (whole.low(0, dimension) == whole.high(0, dimension)) return false;
    make_units(dimension, entries, whole, exact, scratch);
    fill_boxes(entries, /*weights_only=*/cut_ == Cut::median, scratch);
    if (cut_ == Cut::median) {
      add_medians(dimension, whole, scratch, candidates);
    } else {
      add_best(dimension, scratch, candidates);
    }
    return scratch.units.bundled();
  }

  // The paper's choice: the widest dimension first, in it the cut nearest to the median.
  void add_medians(std::uint32_t dimension, const BoxArray& whole, const Scratch& scratch,
                   std::vector<Candidate>& candidates) const {
    const BoxArray& boxes = scratch.boxes;
    const std::vector<std::uint32_t>& units = scratch.occurring;
    const double width = whole.loss(0, dimension);
    const double total = whole.weight(0);
    double left = 0;
    for (std::uint32_t i = 1; i < units.size(); ++i) {
      left += boxes.weight(units[i - 1]);
      if (left < static_cast<double>(requirements_.k()) ||
          total - left < static_cast<double>(requirements_.k())) {
        continue;
      }
      // Widths are below 1: the dimension decides first, then the distance to the median.
      const double off = std::abs(2 * left - total) / total;
      candidates.push_back(
          {(1 - width) * 2 + off / 1e6, dimension, Candidate::Side::before, units[i]});
    }
  }

  void add_best(std::uint32_t dimension, Scratch& scratch,
                std::vector<Candidate>& candidates) const {
    const BoxArray& boxes = scratch.boxes;
    const std::vector<std::uint32_t>& units = scratch.occurring;
    const std::size_t count = units.size();
    const auto consider = [&](const BoxArray& left, std::size_t l, const BoxArray& right,
                              std::size_t r, Candidate::Side side, std::uint32_t index) {
      if (!left.may_meet(l) || !right.may_meet(r)) return;
      const double cost = left.weight(l) * left.loss(l) + right.weight(r) * right.loss(r);
      candidates.push_back({cost, dimension, side, index});
    };
    // forward[i]: units before i; backward[i]: units from i on.
    const auto sweep = [&](std::span<const std::uint32_t> order) {
      scratch.forward.reset(space_, count + 1);
      scratch.backward.reset(space_, count + 1);
      for (std::size_t i = 0; i < count; ++i) {
        scratch.forward.join(i + 1, scratch.forward, i, boxes, order[i]);
        scratch.backward.join(count - 1 - i, scratch.backward, count - i, boxes,
                              order[count - 1 - i]);
      }
    };
    sweep(units);
    for (std::uint32_t i = 1; i < count; ++i) {
      consider(scratch.forward, i, scratch.backward, i, Candidate::Side::before, units[i]);
    }
    if (list_.domains[dimension].kind == Domain::Kind::interval || count < 3) return;
    scratch.rest.reset(space_, 1);
    for (std::uint32_t i = 1; i + 1 < count; ++i) {  // the first and the last were cuts already
      scratch.rest.join(0, scratch.forward, i, scratch.backward, i + 1);
      consider(boxes, units[i], scratch.rest, 0, Candidate::Side::single, units[i]);
    }
    if (count < 4) return;
    by_weight(units, boxes, scratch.by_weight);
    sweep(scratch.by_weight);
    for (std::uint32_t i = 2; i + 1 < count; ++i) {
      consider(scratch.forward, i, scratch.backward, i, Candidate::Side::frequent, i);
    }
  }

  static void by_weight(const std::vector<std::uint32_t>& units, const BoxArray& boxes,
                        std::vector<std::uint32_t>& order) {
    order = units;
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return boxes.weight(a) != boxes.weight(b) ? boxes.weight(a) > boxes.weight(b) : a < b;
    });
  }

  // Makes the units of the candidate's dimension again (scratch.one is still the box of the whole)
  // and marks those on its left.
  void mark_sides(const Candidate& candidate, std::span<const std::uint32_t> entries,
                  Scratch& scratch, bool exact) const {
    make_units(candidate.dimension, entries, scratch.one, exact, scratch);
    scratch.on_left.assign(scratch.units.size(), 0);
    switch (candidate.side) {
      case Candidate::Side::before:
        std::fill_n(scratch.on_left.begin(), candidate.index, 1);
        break;
      case Candidate::Side::single:
        scratch.on_left[candidate.index] = 1;
        break;
      case Candidate::Side::frequent:
        fill_boxes(entries, /*weights_only=*/true, scratch);
        by_weight(scratch.occurring, scratch.boxes, scratch.by_weight);
        for (std::uint32_t i = 0; i < candidate.index; ++i) {
          scratch.on_left[scratch.by_weight[i]] = 1;
        }
        break;
    }
  }

  // Left entries first, each side in the order it had; how many are left.
  std::uint32_t part(std::span<std::uint32_t> entries, Scratch& scratch) const {
    scratch.right.resize(entries.size());
    std::uint32_t left = 0, right = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::uint32_t entry = entries[i];
      const bool is_left = scratch.on_left[scratch.box_of[i]] != 0;
      entries[left] = entry;  // overwritten by the next one where this one goes right
      scratch.right[right] = entry;
      left += is_left ? 1 : 0;
      right += is_left ? 0 : 1;
    }
    std::copy_n(scratch.right.begin(), right, entries.begin() + left);
    return left;
  }

  // Whether both sides meet the requirements, counted from the entries themselves.
  bool allowed(std::span<const std::uint32_t> entries, Scratch& scratch) const {
    scratch.tally.clear();
    scratch.right_tally.clear();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const bool is_left = scratch.on_left[scratch.box_of[i]] != 0;
      (is_left ? scratch.tally : scratch.right_tally).add(entries[i]);
    }
    return requirements_.met(scratch.tally) && requirements_.met(scratch.right_tally);
  }

  Partition collect() const {
    std::vector<std::uint32_t> starts;
    for (std::uint32_t i = 0; i < order_.size(); ++i) {
      if (class_starts_[i]) starts.push_back(i);
    }
    return tight_partition(list_, order_, starts);
  }

  const FrequencyList& list_;
  const Requirements& requirements_;
  const Cut cut_;
  const std::size_t part_entries_;
  const BoxSpace space_;
  const bool surely_allowed_;         // a candidate is one only where both sides meet everything
  std::vector<std::uint32_t> order_;  // entries; a partition is a range of it
  std::vector<char> class_starts_;    // by place in order_
  std::vector<char> part_starts_;     // the same, of parts of at most part_entries_ entries
  std::vector<Range> ranges_;
  tbb::enumerable_thread_specific<Scratch> scratch_;
};

}  // namespace

Partition mondrian(const FrequencyList& list, const Requirements& requirements,
                   const Policy& policy) {
  return Mondrian(list, requirements, policy.cut).run();
}

NestedParts mondrian_parts(const FrequencyList& list, const Requirements& requirements,
                           std::size_t part_entries) {
  return Mondrian(list, requirements, Cut::best, part_entries).run_nested();
}

}  // namespace throng
