// Which classes of a release cover which points, without comparing every one with every other.
#pragma once

#include <cstdint>
#include <vector>

#include "release/release.h"

namespace throng {

// Points in the domains of the release's quasi-identifiers: `points[column][point]` is a position.
// By point, the classes whose regions cover it, ascending. Cost: points and classes are halved
// together along the quasi-identifier that parts them best, until few are left to compare.
std::vector<std::vector<std::uint32_t>> covering_classes(
    const Release& release, const std::vector<std::vector<Code>>& points);

}  // namespace throng
