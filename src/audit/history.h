// Who stood in which class of which release, and what each record's sensitive value is: all that an
// attacker can be asked about who knows everybody's quasi-identifiers and membership.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "table/codes.h"

namespace throng {

struct History {
  static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};

  std::vector<Code> values;                          // by record: of one sensitive column
  std::vector<std::vector<std::uint32_t>> class_of;  // by release, by record; kAbsent: not in it

  std::size_t records() const { return values.size(); }
  std::size_t releases() const { return class_of.size(); }
};

}  // namespace throng
