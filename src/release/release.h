// A release: classes with their regions, and the records in them with what is released as it is.
// Every algorithm makes one; every metric and every audit reads one and nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "release/frequency_list.h"
#include "release/region.h"

namespace throng {

struct Release {
  // A quasi-identifier: its regions, and which one each class has.
  struct Quasi {
    Domain domain;
    std::vector<Region> regions;
    std::vector<std::uint32_t> of_class;
  };
  // A sensitive or insensitive column, by row.
  struct Plain {
    std::string name;
    Role role = Role::insensitive;
    Dictionary values;
    Codes codes;
  };

  std::vector<Quasi> quasi;
  std::vector<Plain> plain;
  std::vector<FrequencyList::Slot> layout;  // the columns in the order of the table
  std::vector<std::uint32_t> class_of_row;
  std::size_t classes = 0;
  std::size_t suppressed = 0;  // records left out

  std::size_t rows() const { return class_of_row.size(); }
  const Region& region(std::size_t column, std::size_t of) const {
    return quasi[column].regions[quasi[column].of_class[of]];
  }
};

// What an algorithm decides: the class of each entry of the frequency list, or kSuppressed, and the
// regions of each class by quasi-identifier.
inline constexpr std::uint32_t kSuppressed = ~std::uint32_t{0};
struct Partition {
  std::vector<std::uint32_t> class_of;                // by entry
  std::vector<std::vector<Region>> regions;           // by quasi-identifier: the distinct ones
  std::vector<std::vector<std::uint32_t>> region_of;  // by quasi-identifier, by class
  std::size_t classes = 0;
};

// Classes with equal regions become one; classes are numbered and rows laid out by what is
// published alone, then shuffled by `seed`: the order says nothing about the order of the input,
// nor about the private values, even to those who know the seed. `numbers`: where to put the number
// of each class of the partition.
Release make_release(FrequencyList list, const Partition& partition, std::uint64_t seed,
                     std::vector<std::uint32_t>* numbers = nullptr);

// Collects regions of one quasi-identifier, each distinct one once.
class RegionPool {
 public:
  std::uint32_t add(const Region& region);
  std::vector<Region> take() && { return std::move(regions_); }

 private:
  std::vector<Region> regions_;
  std::vector<std::uint32_t> slots_;  // open addressing over regions_; kSuppressed is free
};

}  // namespace throng
