// Does a release keep its policy's promise? Counted again from what is published, by code that the
// algorithms do not share.
#pragma once

#include <string>
#include <vector>

#include "policy/policy.h"
#include "release/release.h"
#include "throng/throng.h"

namespace throng {

struct Verdict {
  std::size_t k = 0;                        // records in the smallest class; 0 of an empty release
  std::vector<DiversityFigures> diversity;  // every sensitive column
  std::vector<std::string> broken;          // promises that do not hold, in plain words
};

Verdict check_release(const Release& release, const Policy& policy);

}  // namespace throng
