// Datafly (Sweeney; as told in Brown's "Data Anonymization Techniques").
//
// Claim: every class meets the requirements; the records left out are together too few, or too much
// alike, to form a class even as one; one level a column holds for the whole table.
// Cost: one pass over the frequency list a step, and at most the sum of the hierarchies' heights
// steps. Departures: step 2 asks "do the failing groups together meet the requirements" (for
// k-anonymity: are they at least k records), which extends it to ℓ-diversity. Step 4: suppressed
// rows would be a group of `*` of fewer than k; they are left out of the release altogether.
#include "algorithms/generalize.h"

namespace throng {

Partition datafly(const FrequencyList& list, const Requirements& requirements, const Policy& policy,
                  Trace* trace) {
  GeneralizedList table(list);
  Tally tally = requirements.tally(list), failing = requirements.tally(list);
  std::vector<GeneralizedList::Run> runs;
  std::vector<char> met;
  while (true) {
    const FrequencyList& entries = table.entries();
    tally = requirements.tally(entries);
    failing = requirements.tally(entries);
    runs = table.runs();
    met.assign(runs.size(), 0);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      tally.clear();
      for (std::uint32_t entry = runs[i].begin; entry < runs[i].end; ++entry) tally.add(entry);
      met[i] = requirements.met(tally) ? 1 : 0;
      for (std::uint32_t entry = runs[i].begin; entry < runs[i].end && !met[i]; ++entry)
        failing.add(entry);
    }
    if (trace != nullptr) trace->push_back({table.levels(), std::vector<char>(list.size(), 0)});
    if (!requirements.met(failing)) break;
    const std::size_t column = table.most_distinct();
    if (column == list.domains.size()) break;
    table.generalize(column);
  }
  // Original entries by the run that they are in now.
  std::vector<std::uint32_t> run_of(table.entries().size());
  for (std::uint32_t i = 0; i < runs.size(); ++i) {
    for (std::uint32_t entry = runs[i].begin; entry < runs[i].end; ++entry) run_of[entry] = i;
  }
  std::vector<std::vector<std::uint32_t>> members(runs.size());
  for (std::uint32_t entry = 0; entry < list.size(); ++entry) {
    members[run_of[table.entry_of()[entry]]].push_back(entry);
  }
  ClassCollector collector(list, policy.tighten);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (met[i]) collector.add(members[i], table.levels());
  }
  return std::move(collector).finish();
}

Partition datafly(const FrequencyList& list, const Requirements& requirements,
                  const Policy& policy) {
  return datafly(list, requirements, policy, nullptr);
}

}  // namespace throng
