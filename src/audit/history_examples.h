// Histories for the tests of this room: the paper's, and random ones by a seed.
#pragma once

#include "audit/history.h"
#include "table/random.h"

namespace throng::testing {

// Figures 1 to 4 of Byun et al. 2006. Tom, Sam, Bob and Eve are published in two classes; then
// Alice, Carl and Dora join them, and there are three.
enum Patient : std::uint32_t { tom, sam, bob, eve, alice, carl, dora };
enum Diagnosis : Code { asthma, flu, alzheimer, diabetes, cancer, heart_disease };

inline History patients() {
  constexpr auto none = History::kAbsent;
  return {{asthma, flu, alzheimer, diabetes, cancer, heart_disease, flu},
          {{0, 0, 1, 1, none, none, none}, {0, 0, 1, 2, 0, 1, 2}}};
}

struct RandomHistory {
  std::uint64_t records = 0;   // at most
  std::uint64_t releases = 0;  // at most
  std::uint64_t values = 0;    // at most
};

// Histories of all kinds: classes that stay, grow, split, are made anew, and end; records that join
// late, and that leave.
inline History random_history(const RandomHistory& most, std::uint64_t seed) {
  Random random(seed);
  History history;
  const std::uint64_t values = 1 + random.below(most.values);
  for (std::uint64_t count = 1 + random.below(most.records); count > 0; --count)
    history.values.push_back(static_cast<Code>(random.below(values)));
  const std::uint64_t releases = 1 + random.below(most.releases);
  const std::uint64_t stay = random.below(101), join = 20 + random.below(81),
                      leave = random.below(4) == 0 ? 10 : 0,
                      classes = 1 + random.below(1 + random.below(history.records() / 2 + 1));
  for (std::uint64_t release = 0; release < releases; ++release) {
    std::vector<std::uint32_t> class_of(history.records(), History::kAbsent);
    for (std::size_t record = 0; record < history.records(); ++record) {
      const bool was_in = release > 0 && history.class_of.back()[record] != History::kAbsent;
      if (was_in ? random.below(100) < leave : random.below(100) >= join) continue;
      class_of[record] = was_in && random.below(100) < stay
                             ? history.class_of.back()[record]
                             : static_cast<std::uint32_t>(7 * random.below(classes));
    }
    history.class_of.push_back(std::move(class_of));
  }
  return history;
}

}  // namespace throng::testing
