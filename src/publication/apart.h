// Keeps new classes apart from those that stand already.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "release/release.h"

namespace throng {

// A hash of the regions of a class as they are written.
std::uint64_t hash_of_regions(const std::vector<std::string>& texts);

// Two classes with the same regions are one to a reader: the older one would seem to have changed,
// and what has been published would no longer stand as it was. So a class whose regions are taken
// gets wider ones, by the step (a neighbouring number, one more value, the parent node) that costs
// least and leads to regions that are free. Wider regions still cover, and say less. Where all
// steps lead to `*` and that is taken too, it stays as it is. How many classes were changed.
std::size_t keep_apart(Release& release, const std::function<bool(std::uint64_t)>& is_taken);

}  // namespace throng
