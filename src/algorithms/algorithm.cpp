#include "algorithms/algorithm.h"

#include <fmt/format.h>

#include "algorithms/protectable.h"
#include "throng/error.h"

namespace throng {
namespace {

struct Registered {
  Algorithm name;
  Partition (*run)(const FrequencyList&, const Requirements&, const Policy&);
};

// A new algorithm is one file and one line here.
constexpr Registered kAlgorithms[] = {
    {Algorithm::datafly, datafly},
    {Algorithm::greedy_release, greedy_release},
    {Algorithm::mondrian, mondrian},
    {Algorithm::tds, tds},
};

// How many of those left out no class can protect.
std::string why_hopeless(const FrequencyList& list, const Requirements& requirements,
                         const Policy& policy) {
  const std::vector<char> hopeless = requirements.hopeless(list);
  std::uint64_t records = 0;
  for (std::size_t entry = 0; entry < hopeless.size(); ++entry)
    records += hopeless[entry] ? list.weights[entry] : 0;
  if (records == 0) return "";
  return fmt::format(
      ", {} of them because they have fewer than {} valid values of '{}' even in one class of all",
      records, policy.matching->l, policy.matching->column);
}

}  // namespace

Partition run_algorithm(const FrequencyList& list, const Requirements& requirements,
                        const Policy& policy) {
  requirements.check_reachable(list);
  const Partition partition = partition_protectable(
      list, requirements, [&](const FrequencyList& entries, const std::vector<std::uint32_t>&) {
        for (const Registered& algorithm : kAlgorithms) {
          if (algorithm.name == policy.algorithm)
            return algorithm.run(entries, requirements, policy);
        }
        return Partition();
      });
  std::uint64_t suppressed = 0;
  for (std::size_t entry = 0; entry < list.size(); ++entry) {
    if (partition.class_of[entry] == kSuppressed) suppressed += list.weights[entry];
  }
  const double share = static_cast<double>(suppressed) / static_cast<double>(list.records);
  if (share > policy.max_suppression) {
    throw PrivacyError(fmt::format(
        "{} would leave out {} of {} records ({:.4g}){}; the policy allows {:.4g} (suppression: "
        "max)",
        name_of(policy.algorithm), suppressed, list.records, share,
        why_hopeless(list, requirements, policy), policy.max_suppression));
  }
  return partition;
}

}  // namespace throng
