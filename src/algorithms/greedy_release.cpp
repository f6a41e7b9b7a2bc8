// GreedyRelease (Brown, "Data Anonymization Techniques").
//
// Claim: every class meets the requirements; the records left out are together too few, or too much
// alike, to form a class even as one. Records leave the table as soon as their group meets the
// requirements, so each keeps the levels of that moment.
// Cost: one pass over what is left of the frequency list a step.
// Departures: as in Datafly, "at least k rows" reads "meet the requirements"; groups that meet them
// when the loop ends are released too (the pseudocode forgets them, its result table does not).
// `choose: loss` (level_lattice.cpp) replaces the paper's rule for the next column.
#include "algorithms/generalize.h"
#include "algorithms/level_lattice.h"

namespace throng {

Partition greedy_release(const FrequencyList& list, const Requirements& requirements,
                         const Policy& policy, Trace* trace) {
  GeneralizedList table(list);
  ClassCollector collector(list, policy.tighten);
  std::vector<char> released(list.size(), 0);
  while (true) {
    const FrequencyList& entries = table.entries();
    Tally tally = requirements.tally(entries), failing = requirements.tally(entries);
    const auto runs = table.runs();
    std::vector<std::uint32_t> run_of(entries.size(), kSuppressed);  // only of those that leave
    std::vector<char> gone(entries.size(), 0);
    std::uint32_t leaving = 0;
    for (const auto& run : runs) {
      tally.clear();
      for (std::uint32_t entry = run.begin; entry < run.end; ++entry) tally.add(entry);
      const bool met = requirements.met(tally);
      for (std::uint32_t entry = run.begin; entry < run.end; ++entry) {
        gone[entry] = met ? 1 : 0;
        if (met)
          run_of[entry] = leaving;
        else
          failing.add(entry);
      }
      leaving += met ? 1 : 0;
    }
    const bool more = requirements.met(failing);
    if (leaving > 0) {
      std::vector<std::vector<std::uint32_t>> members(leaving);
      for (std::uint32_t entry = 0; entry < list.size(); ++entry) {
        const std::uint32_t now = table.entry_of()[entry];
        if (now == kSuppressed || run_of[now] == kSuppressed) continue;
        members[run_of[now]].push_back(entry);
        released[entry] = 1;
      }
      for (const auto& group : members) collector.add(group, table.levels());
    }
    if (trace != nullptr) trace->push_back({table.levels(), released});
    if (!more) break;
    if (leaving > 0) table.remove(gone);
    const std::size_t column = table.most_distinct();
    if (column == list.domains.size()) break;
    table.generalize(column);
  }
  return std::move(collector).finish();
}

Partition greedy_release(const FrequencyList& list, const Requirements& requirements,
                         const Policy& policy) {
  if (policy.choose == Choose::loss) return release_by_loss(list, requirements, policy.tighten);
  return greedy_release(list, requirements, policy, nullptr);
}

}  // namespace throng
