// What a release cost: the figures of throng.h, computed from the release alone.
#pragma once

#include "audit/check.h"
#include "release/release.h"
#include "throng/throng.h"

namespace throng {

// `verdict` is check_release()'s, which has counted the classes already.
Figures measure(const Release& release, const Verdict& verdict);

}  // namespace throng
