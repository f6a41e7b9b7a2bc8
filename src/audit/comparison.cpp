#include "audit/comparison.h"

namespace throng {

// Calls `use` with the counts of `part` of the values that the earlier class has too, until it
// says no; at the cost of the fewer.
template <typename Use>
void Comparison::for_each_common(Counts whole, Counts part, const Use& use) const {
  if (part.size() / 8 <= whole.size()) {
    for (const Count& count : part) {
      if (in_earlier_[count.value] > 0 && !use(count)) return;
    }
  } else {
    for (const Count& count : whole) {
      const Count* found = find_count(part, count.value);
      if (found != nullptr && !use(*found)) return;
    }
  }
}

std::span<const Comparison::Finding> Comparison::compare(const Classes& earlier,
                                                         std::uint32_t number, const Classes& later,
                                                         std::span<const std::uint32_t> parts) {
  findings_.clear();
  entries_.clear();
  const Counts whole = earlier.counts(number);
  for (const Count& count : whole) in_earlier_[count.value] = count.count;
  // Once the parts have more of every value, nothing can be used up any more.
  std::size_t open = whole.size();
  for (const std::uint32_t part : parts) {
    if (open == 0) break;
    for_each_common(whole, later.counts(part), [&](const Count& count) {
      std::uint32_t& so_far = in_later_[count.value];
      const std::uint32_t limit = in_earlier_[count.value];
      if (so_far > limit) return true;
      so_far += count.count;
      if (so_far > limit) --open;
      return open > 0;
    });
  }
  const auto place = [&](const Count& count) {
    return static_cast<std::uint32_t>(&count - later.count_list.data());
  };
  for (const std::uint32_t part : parts) {
    const Counts counts = later.counts(part);
    std::size_t left = counts.size();
    if (open > 0 && left < l_ + whole.size()) {
      for_each_common(whole, counts, [&](const Count& count) {
        left -= is_used_up(count.value) ? 1 : 0;
        return true;
      });
    }
    // A value is used up only if it is in the earlier class too. So a difference of fewer than l
    // values is never much larger to list than the earlier class.
    if (left > 0 && left < l_) {
      const std::size_t begin = entries_.size();
      for (const Count& count : counts) {
        if (!is_used_up(count.value)) entries_.push_back(place(count));
      }
      end_finding(part, Channel::Kind::difference, begin, later);
    }
    if (parts.size() < 2) continue;
    std::size_t common = 0;
    const std::size_t begin = entries_.size();
    for_each_common(whole, counts, [&](const Count& count) {
      entries_.push_back(place(count));
      return ++common < l_;
    });
    if (common > 0 && common < l_) {
      end_finding(part, Channel::Kind::intersection, begin, later);
    } else {
      entries_.resize(begin);
    }
  }
  for (const Count& count : whole) in_earlier_[count.value] = in_later_[count.value] = 0;
  return findings_;
}

void Comparison::end_finding(std::uint32_t part, Channel::Kind kind, std::size_t begin,
                             const Classes& later) {
  Finding finding{part, kind, static_cast<std::uint32_t>(begin),
                  static_cast<std::uint32_t>(entries_.size()), 0};
  for (const std::uint32_t entry : entries(finding))
    finding.vulnerable += later.count_list[entry].count;
  findings_.push_back(finding);
}

}  // namespace throng
