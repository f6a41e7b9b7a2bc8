// What Datafly and GreedyRelease share: a frequency list whose columns are generalized level by
// level along their hierarchies, and which shrinks as combinations become one.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/algorithm.h"

namespace throng {

// A level of a quasi-identifier: 0 is the value itself, the last one is `*`. A column without a
// hierarchy has just these two.
using Levels = std::vector<std::size_t>;

// The region of a position at a level.
Region region_at_level(const Domain& domain, Code position, std::size_t level);

class GeneralizedList {
 public:
  explicit GeneralizedList(const FrequencyList& list);

  const Levels& levels() const { return levels_; }

  // Entries with equal quasi-identifiers, as ranges of entries().
  struct Run {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  std::vector<Run> runs() const;
  const FrequencyList& entries() const {
    return work_;
  }  // positions are those of labels at levels()

  // The quasi-identifier with the most distinct labels that can still be generalized (the first of
  // equals), or none: its count of quasi-identifiers.
  std::size_t most_distinct() const;
  void generalize(std::size_t column);

  // Takes entries out for good, `gone[i]` telling which.
  void remove(const std::vector<char>& gone);

  // For each original entry the entry that it is now part of, or kSuppressed once removed.
  const std::vector<std::uint32_t>& entry_of() const { return entry_of_; }

 private:
  void regroup();

  const FrequencyList& list_;
  FrequencyList work_;
  Levels levels_;
  std::vector<std::uint32_t> entry_of_;
};

// One state of the table on the way, for those who want to watch (tests, explanations).
struct GeneralizationStep {
  Levels levels;
  std::vector<char> released;  // by original entry
};
using Trace = std::vector<GeneralizationStep>;

Partition datafly(const FrequencyList& list, const Requirements& requirements, const Policy& policy,
                  Trace* trace);
Partition greedy_release(const FrequencyList& list, const Requirements& requirements,
                         const Policy& policy, Trace* trace);

// Collects released classes: which original entries, at which levels.
class ClassCollector {
 public:
  ClassCollector(const FrequencyList& list, bool tighten);

  // `members` are original entries.
  void add(const std::vector<std::uint32_t>& members, const Levels& levels);
  Partition finish() &&;

 private:
  const FrequencyList& list_;
  bool tighten_;
  Partition partition_;
  std::vector<RegionPool> pools_;
};

}  // namespace throng
