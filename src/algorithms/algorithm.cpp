#include "algorithms/algorithm.h"

#include <fmt/format.h>

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

}  // namespace

Partition run_algorithm(const FrequencyList& list, const Requirements& requirements,
                        const Policy& policy) {
  requirements.check_reachable(list);
  Partition partition;
  for (const Registered& algorithm : kAlgorithms) {
    if (algorithm.name == policy.algorithm) partition = algorithm.run(list, requirements, policy);
  }
  std::uint64_t suppressed = 0;
  for (std::size_t entry = 0; entry < list.size(); ++entry) {
    if (partition.class_of[entry] == kSuppressed) suppressed += list.weights[entry];
  }
  const double share = static_cast<double>(suppressed) / static_cast<double>(list.records);
  if (share > policy.max_suppression) {
    throw PrivacyError(fmt::format(
        "{} would leave out {} of {} records ({:.4g}); the policy allows {:.4g} (suppression: max)",
        name_of(policy.algorithm), suppressed, list.records, share, policy.max_suppression));
  }
  return partition;
}

}  // namespace throng
