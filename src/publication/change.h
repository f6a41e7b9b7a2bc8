// What a strategy decides: how the public release changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "release/release.h"

namespace throng {

// Classes are numbered through the whole life of a publication and never change: a class whose
// records or regions change ends, and another one begins.
using ClassId = std::uint64_t;

struct Change {
  // The classes that begin, with all their rows. Class c of it gets the number `first_class + c`.
  Release added;
  std::vector<ClassId> ended;  // classes of the release before that are not in this one
};

}  // namespace throng
