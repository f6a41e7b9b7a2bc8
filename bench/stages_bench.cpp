// The stages of one release by themselves, on a census table in memory: which one to look at when
// bench/run says that something became slower.
#include <benchmark/benchmark.h>

#include "algorithms/algorithm.h"
#include "audit/check.h"
#include "generate/generate.h"
#include "table/encode.h"

namespace throng {
namespace {

constexpr std::size_t kRows = 1000000;

Policy policy_for(const char* algorithm) {
  std::string yaml = "columns:\n  education: {role: sensitive}\n";
  for (const char* name : {"sex", "race", "marital-status", "native-country", "workclass",
                           "occupation", "salary-class"}) {
    yaml += std::string("  ") + name + ": {role: quasi-identifier}\n";
  }
  yaml += "  age: {role: quasi-identifier, type: integer, hierarchy: {interval: [5, 10, 20]}}\n";
  yaml += "privacy:\n  - k-anonymity: 10\n  - l-diversity: {column: education, l: 3}\n";
  return parse_policy(yaml + algorithm, "bench", "");
}

const Table& census() {
  static const Table table = [] {
    const Policy policy = policy_for("");
    Table made;
    made.rows = kRows;
    for (GeneratedColumn& column : generate_census(kRows, 1)) {
      made.columns.push_back(
          encode({column.name, std::move(column.labels), std::move(column.codes)},
                 policy.find(column.name)->type, {}));
    }
    return made;
  }();
  return table;
}

void frequency_list(benchmark::State& state) {
  const Policy policy = policy_for("");
  for (auto _ : state) benchmark::DoNotOptimize(make_frequency_list(census(), policy));
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kRows));
}
BENCHMARK(frequency_list)->Unit(benchmark::kMillisecond)->UseRealTime();

void algorithm(benchmark::State& state, const char* yaml) {
  const Policy policy = policy_for(yaml);
  const FrequencyList list = make_frequency_list(census(), policy);
  const Requirements requirements(policy, list);
  for (auto _ : state) benchmark::DoNotOptimize(run_algorithm(list, requirements, policy));
  state.counters["entries"] = static_cast<double>(list.size());
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kRows));
}
BENCHMARK_CAPTURE(algorithm, mondrian_best, "algorithm: mondrian\ncut: best\n")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(algorithm, mondrian_median, "algorithm: mondrian\ncut: median\n")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(algorithm, datafly, "algorithm: datafly\n")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(algorithm, greedy_release, "algorithm: greedy-release\n")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(algorithm, greedy_release_by_loss, "algorithm: greedy-release\nchoose: loss\n")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void release_and_check(benchmark::State& state) {
  const Policy policy = policy_for("");
  const FrequencyList list = make_frequency_list(census(), policy);
  const Requirements requirements(policy, list);
  const Partition partition = run_algorithm(list, requirements, policy);
  for (auto _ : state) {
    const Release release = make_release(list, partition, 0);
    benchmark::DoNotOptimize(check_release(release, policy));
  }
}
BENCHMARK(release_and_check)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace throng

BENCHMARK_MAIN();
