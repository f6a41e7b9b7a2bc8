// A family: the records of a class that was once added, and of all that became of it. Records never
// leave their family, so whatever two releases say together about one of them concerns this one
// only.
//
// Its classes form a tree in time. A class that takes records in, or is split, ends, and its
// successors begin as its children. A record stands in the class it is in now; the classes before
// are the ancestors of that one since the record entered. So no multiset of an earlier release
// needs to be kept: records, with the release in which they entered, tell them all.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "publication/change.h"
#include "publication/values.h"

namespace throng {

struct Family {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // A class. Parents stand before their children.
  struct State {
    std::uint32_t parent = kNone;
    std::uint32_t born = 0;   // the first release it is in
    std::uint32_t ended = 0;  // the first release it is no longer in; 0: it is current
    std::uint64_t id = 0;     // in the index
    ClassId number = 0;       // in the publication
  };
  struct Member {
    std::uint32_t state = 0;    // the class that it is in now
    std::uint32_t entered = 0;  // the first release it is in
    std::uint32_t count = 1;    // records
  };

  std::uint64_t id = 0;
  std::vector<State> states;
  std::vector<Member> members;
  std::vector<Code> values;  // by member, by column

  std::span<const Code> record(std::size_t member, std::size_t columns) const {
    return std::span(values).subspan(member * columns, columns);
  }
  // The members that are in a class.
  std::vector<std::uint32_t> in(std::uint32_t state) const;
  // Ends a class of an earlier release and begins its successor, with all that it had. A class that
  // began in `release` is its own successor.
  std::uint32_t succeed(std::uint32_t state, std::uint32_t release);
  void add(const Member& member, std::span<const Code> record);
  std::uint64_t records(std::span<const std::uint32_t> of) const;
  // Makes one of members that are alike, in an order of their own.
  void compact(std::size_t columns);
};

// The waiting lists of a family's classes. They are kept apart: most records come to wait, and then
// the family itself need not be read.
struct WaitingList {
  struct Waiter {
    std::uint64_t id = 0;       // of the class that it waits for, in the index
    std::uint32_t arrived = 0;  // the release it came with
    std::uint32_t count = 1;    // records
  };

  std::vector<Waiter> waiters;
  std::vector<Code> values;  // by waiter, by column

  std::span<const Code> record(std::size_t waiter, std::size_t columns) const {
    return std::span(values).subspan(waiter * columns, columns);
  }
  std::vector<std::uint32_t> at(std::uint64_t id) const;
  void add(const Waiter& waiter, std::span<const Code> record);
  // Takes those out that at(id) gave.
  void remove(std::uint64_t id, std::size_t columns);
};

// Columns whose values have lasting numbers are written as such; of the others, the values.
struct FamilyColumns {
  std::vector<Values*> values;  // by column
  std::size_t lasting = 0;      // so many come first
};
std::string write_family(const Family& family, const FamilyColumns& columns);
Family read_family(std::uint64_t id, std::string_view bytes, const FamilyColumns& columns);
std::string write_list(const WaitingList& list, const FamilyColumns& columns);
WaitingList read_list(std::string_view bytes, const FamilyColumns& columns);

// A sensitive column and how many distinct values every inferred set needs.
struct Guard {
  std::size_t column = 0;
  std::size_t needed = 1;
};

// Whether the releases up to `release`, in which the family is as it stands, have an inference
// channel: Figure 6 of Byun et al., between `release` and each earlier state of the class `state`.
// That is complete where `state` (or its brothers of the same split) is all that changed: classes
// elsewhere in the family are parts of those states too, and other states have the parts they had.
bool has_channel(const Family& family, std::uint32_t state, std::uint32_t release,
                 std::span<const Guard> guards, std::size_t columns);

}  // namespace throng
