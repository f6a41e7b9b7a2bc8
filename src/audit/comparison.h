// The step that all searches for channels share: a class of an earlier release, the classes of a
// later one that its records may be in, and what their multisets of values give away. channels.h
// says by which sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "audit/channels.h"
#include "audit/classes.h"

namespace throng {

class Comparison {
 public:
  // A set that is neither empty nor has l distinct values. All values are below `values`.
  struct Finding {
    std::uint32_t part = 0;
    Channel::Kind kind = Channel::Kind::difference;
    std::uint32_t begin = 0, end = 0;  // in entries()
    std::size_t vulnerable = 0;        // records of the part that have one of the values
  };

  Comparison(std::size_t values, std::size_t l)
      : l_(l), in_earlier_(values, 0), in_later_(values, 0) {}

  // In the order of the parts, the difference before the intersection. Holds until the next call.
  // Time: for each part the distinct values of it or of the earlier class, whichever has fewer.
  std::span<const Finding> compare(const Classes& earlier, std::uint32_t number,
                                   const Classes& later, std::span<const std::uint32_t> parts);

  // The values that are left, ascending: places in the later release's count_list.
  std::span<const std::uint32_t> entries(const Finding& finding) const {
    return {entries_.data() + finding.begin, entries_.data() + finding.end};
  }

 private:
  using Count = Classes::Count;
  using Counts = std::span<const Count>;

  template <typename Use>
  void for_each_common(Counts whole, Counts part, const Use& use) const;
  // Whether e_i has all that the parts have of a value of theirs.
  bool is_used_up(Code value) const {
    return in_earlier_[value] > 0 && in_later_[value] <= in_earlier_[value];
  }
  void end_finding(std::uint32_t part, Channel::Kind kind, std::size_t begin, const Classes& later);

  std::size_t l_;
  std::vector<std::uint32_t> in_earlier_;  // by value: how often in the earlier class
  std::vector<std::uint32_t> in_later_;    // and of those values: how often in all its parts, or
                                           // more often than in the earlier class
  std::vector<Finding> findings_;
  std::vector<std::uint32_t> entries_;
};

}  // namespace throng
