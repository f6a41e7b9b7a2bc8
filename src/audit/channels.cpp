#include "audit/channels.h"

#include <algorithm>
#include <tuple>

#include "audit/comparison.h"

namespace throng {
namespace {

class Search {
 public:
  Search(const History& history, std::size_t l) : comparison_(values_of(history), l) {}

  // The numbers of the releases are only handed on.
  void compare(std::size_t earlier_release, const Classes& earlier, std::size_t later_release,
               const Classes& later, std::vector<Channel>& channels) {
    is_part_.assign(later.size(), 0);
    for (std::uint32_t number = 0; number < earlier.size(); ++number) {
      find_parts(earlier, number, later);
      for (const Comparison::Finding& finding :
           comparison_.compare(earlier, number, later, parts_)) {
        Channel channel{earlier_release,
                        later_release,
                        earlier.numbers[number],
                        later.numbers[finding.part],
                        finding.kind,
                        {},
                        finding.vulnerable};
        for (const std::uint32_t entry : comparison_.entries(finding))
          channel.values.push_back(later.count_list[entry].value);
        channels.push_back(std::move(channel));
      }
    }
  }

 private:
  static std::size_t values_of(const History& history) {
    Code last = 0;
    for (const Code value : history.values) last = std::max(last, value);
    return std::size_t{last} + 1;
  }

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

  Comparison comparison_;
  std::vector<std::uint32_t> parts_;
  std::vector<char> is_part_;  // by later class; all 0 between calls
};

}  // namespace

std::vector<Channel> find_channels(const History& history, std::size_t l) {
  std::vector<Channel> channels;
  std::vector<Classes> classes;
  Search search(history, l);
  for (std::size_t later = 0; later < history.releases(); ++later) {
    classes.push_back(make_classes(history, later));
    for (std::size_t earlier = 0; earlier < later; ++earlier)
      search.compare(earlier, classes[earlier], later, classes[later], channels);
  }
  return channels;
}

std::vector<Channel> find_channels_of_last(const History& history, std::size_t l) {
  std::vector<Channel> channels;
  if (history.releases() < 2) return channels;
  Search search(history, l);
  const std::size_t last = history.releases() - 1;
  const Classes later = make_classes(history, last);
  for (std::size_t earlier = 0; earlier < last; ++earlier)
    search.compare(earlier, make_classes(history, earlier), last, later, channels);
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
