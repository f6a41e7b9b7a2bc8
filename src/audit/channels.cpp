#include "audit/channels.h"

#include <algorithm>
#include <tuple>

#include "audit/classes.h"

namespace throng {
namespace {

class Comparison {
 public:
  Comparison(const History& history, std::size_t l) : l_(l) {
    Code last = 0;
    for (const Code value : history.values) last = std::max(last, value);
    in_earlier_.assign(std::size_t{last} + 1, 0);
    in_later_.assign(std::size_t{last} + 1, 0);
  }

  // The numbers of the releases are only handed on.
  void compare(std::size_t earlier_release, const Classes& earlier, std::size_t later_release,
               const Classes& later, std::vector<Channel>& channels) {
    is_part_.assign(later.size(), 0);
    for (std::uint32_t number = 0; number < earlier.size(); ++number) {
      find_parts(earlier, number, later);
      const Counts whole = earlier.counts(number);
      for (const Count& count : whole) in_earlier_[count.value] = count.count;
      for (const std::uint32_t part : parts_) {
        for_each_common(whole, later.counts(part),
                        [&](const Count& count) { in_later_[count.value] += count.count; });
      }
      for (const std::uint32_t part : parts_) {
        const Counts counts = later.counts(part);
        std::size_t common = 0, used_up = 0;
        for_each_common(whole, counts, [&](const Count& count) {
          ++common;
          used_up += is_used_up(count.value) ? 1 : 0;
        });
        Channel channel{earlier_release,
                        later_release,
                        earlier.numbers[number],
                        later.numbers[part],
                        Channel::Kind::difference,
                        {},
                        0};
        const std::size_t left = counts.size() - used_up;
        // A value is used up only if it is in the earlier class too. So a difference of fewer than
        // l values is never much larger to list than the earlier class.
        if (left > 0 && left < l_) {
          for (const Count& count : counts) {
            if (!is_used_up(count.value)) add(channel, count);
          }
          channels.push_back(channel);
        }
        if (parts_.size() > 1 && common < l_) {
          channel.kind = Channel::Kind::intersection;
          channel.values.clear();
          channel.vulnerable = 0;
          for_each_common(whole, counts, [&](const Count& count) { add(channel, count); });
          channels.push_back(channel);
        }
      }
      for (const Count& count : whole) in_earlier_[count.value] = in_later_[count.value] = 0;
    }
  }

 private:
  using Count = Classes::Count;
  using Counts = std::span<const Count>;

  void find_parts(const Classes& earlier, std::uint32_t number, const Classes& later) {
    parts_.clear();
    for (const std::uint32_t record : earlier.records(number)) {
      const std::uint32_t part = later.of_record[record];
      if (part == History::kAbsent || is_part_[part] != 0) continue;
      is_part_[part] = 1;
      parts_.push_back(part);
    }
    for (const std::uint32_t part : parts_) is_part_[part] = 0;
    std::sort(parts_.begin(), parts_.end());
  }

  // The counts of `part` of the values that the earlier class has too; at the cost of the fewer.
  template <typename Use>
  void for_each_common(Counts whole, Counts part, const Use& use) const {
    if (part.size() / 8 <= whole.size()) {
      for (const Count& count : part) {
        if (in_earlier_[count.value] > 0) use(count);
      }
    } else {
      for (const Count& count : whole) {
        if (const Count* found = find_count(part, count.value)) use(*found);
      }
    }
  }

  // Whether e_i has all that the parts have of a value of theirs.
  bool is_used_up(Code value) const {
    return in_earlier_[value] > 0 && in_later_[value] <= in_earlier_[value];
  }

  static void add(Channel& channel, const Count& count) {
    channel.values.push_back(count.value);
    channel.vulnerable += count.count;
  }

  std::size_t l_;
  std::vector<std::uint32_t> in_earlier_;  // by value: how often in the earlier class
  std::vector<std::uint32_t> in_later_;    // and of those values: how often in all its parts
  std::vector<std::uint32_t> parts_;
  std::vector<char> is_part_;  // by later class; all 0 between calls
};

}  // namespace

std::vector<Channel> find_channels(const History& history, std::size_t l) {
  std::vector<Channel> channels;
  std::vector<Classes> classes;
  Comparison comparison(history, l);
  for (std::size_t later = 0; later < history.releases(); ++later) {
    classes.push_back(make_classes(history, later));
    for (std::size_t earlier = 0; earlier < later; ++earlier)
      comparison.compare(earlier, classes[earlier], later, classes[later], channels);
  }
  return channels;
}

std::vector<Channel> find_channels_of_last(const History& history, std::size_t l) {
  std::vector<Channel> channels;
  if (history.releases() < 2) return channels;
  Comparison comparison(history, l);
  const std::size_t last = history.releases() - 1;
  const Classes later = make_classes(history, last);
  for (std::size_t earlier = 0; earlier < last; ++earlier)
    comparison.compare(earlier, make_classes(history, earlier), last, later, channels);
  return channels;
}

std::vector<bool> vulnerable_records(const History& history, std::span<const Channel> channels) {
  using Place = std::tuple<std::size_t, std::uint32_t, Code>;  // release, class, value
  std::vector<Place> places;
  std::vector<char> is_later(history.releases(), 0);
  for (const Channel& channel : channels) {
    is_later[channel.later] = 1;
    for (const Code value : channel.values)
      places.emplace_back(channel.later, channel.later_class, value);
  }
  std::sort(places.begin(), places.end());
  std::vector<bool> vulnerable(history.records(), false);
  for (std::size_t release = 0; release < history.releases(); ++release) {
    if (is_later[release] == 0) continue;
    for (std::size_t record = 0; record < history.records(); ++record) {
      if (vulnerable[record]) continue;
      const Place place{release, history.class_of[release][record], history.values[record]};
      if (std::binary_search(places.begin(), places.end(), place)) vulnerable[record] = true;
    }
  }
  return vulnerable;
}

}  // namespace throng
