#include "api/bucketed.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "algorithms/anonymize.h"
#include "algorithms/bucketize.h"
#include "knowledge/gather.h"
#include "knowledge/record_types.h"
#include "table/random.h"
#include "throng/error.h"

namespace throng {
namespace {

using Clock = std::chrono::steady_clock;

double lap(Clock::time_point& last) {
  const auto now = Clock::now();
  const std::chrono::duration<double> passed = now - last;
  last = now;
  return passed.count();
}

// The seed of what is chosen by chance among private records. Who knows the command's seed and the
// algorithm could run it himself: of the records of a value, that stand in the order of their
// quasi-identifiers, the seed would tell him which went into which bucket. So it hangs on the
// private table, too.
std::uint64_t private_seed(const FrequencyList& list, std::uint64_t seed) {
  std::uint64_t state = Random(seed)();
  const auto mix = [&](std::uint64_t bits) { state = Random(state ^ bits)(); };
  for (std::size_t entry = 0; entry < list.size(); ++entry) {
    for (const auto& column : list.positions) mix(column[entry]);
    for (const auto& column : list.values) mix(column[entry]);
    mix(list.weights[entry]);
  }
  return state;
}

std::size_t l_of(const Policy& policy) {
  double l = policy.algorithm == Algorithm::injector ? static_cast<double>(policy.matching->l) : 1;
  for (const Diversity& diversity : policy.diversities) l = std::max(l, std::ceil(diversity.l));
  return static_cast<std::size_t>(l);
}

// The rules that leave records too few values: `3 records by sex = M => not Flu; …`.
std::string rules_behind(const FrequencyList& list, const RecordTypes& types,
                         const std::vector<Hopeless>& hopeless,
                         const std::vector<NegativeRule>& rules) {
  constexpr std::size_t kMost = 5;
  std::vector<char> is_hopeless(types.types.size(), 0);
  for (const Hopeless& type : hopeless) is_hopeless[type.type] = 1;
  std::vector<std::uint64_t> records(rules.size(), 0);
  for (std::size_t entry = 0; entry < list.size(); ++entry) {
    if (is_hopeless[types.type_of[entry]] == 0) continue;
    for (const std::size_t rule : rules_of(list, entry, rules))
      records[rule] += list.weights[entry];
  }
  std::vector<std::size_t> order;
  for (std::size_t rule = 0; rule < rules.size(); ++rule)
    if (records[rule] > 0) order.push_back(rule);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return records[a] > records[b]; });
  std::string text;
  for (std::size_t i = 0; i < std::min(order.size(), kMost); ++i) {
    text += fmt::format("{}{} ({} of them)", text.empty() ? "" : "; ",
                        words_of(rules[order[i]], list.domains), records[order[i]]);
  }
  if (order.size() > kMost) text += fmt::format("; and {} more", order.size() - kMost);
  return text.empty() ? "others need their values" : "by the rules " + text;
}

// Records that the rules leave fewer than l values: an error beyond what the policy lets be left
// out, else a warning.
void weigh_hopeless(const FrequencyList& list, const RecordTypes& types,
                    const std::vector<NegativeRule>& rules, std::size_t l, const Policy& policy,
                    std::vector<std::string>& warnings) {
  std::vector<std::uint64_t> counts(types.sets.values(), 0);
  for (std::size_t entry = 0; entry < list.size(); ++entry)
    counts[list.values[0][entry]] += list.weights[entry];
  check_distinct(list, 0, counts, l);
  const std::vector<Hopeless> hopeless = hopeless_types(types, list.weights, l);
  if (hopeless.empty()) return;
  std::uint64_t records = 0;
  for (const Hopeless& type : hopeless) records += type.records;
  const double share = static_cast<double>(records) / static_cast<double>(list.records);
  const std::string behind = rules_behind(list, types, hopeless, rules);
  if (share > policy.max_suppression || records == list.records) {
    throw PrivacyError(fmt::format(
        "matching l-diversity of column '{}' cannot be met: {} of {} records ({:.4g}) have fewer "
        "than {} valid values even in one bucket of all, {}; the policy allows {:.4g} to be left "
        "out (suppression: max)",
        list.sensitive[0], records, list.records, share, l, behind, policy.max_suppression));
  }
  warnings.push_back(fmt::format(
      "{} of {} records are left out: they have fewer than {} valid values even in one bucket of "
      "all, {}; who knows that someone is in the table and misses him in the release learns this",
      records, list.records, l, behind));
}

// Which records of an entry go into which of its buckets is left to chance: they differ by
// insensitive values.
std::vector<PlacedRecord> place_records(const FrequencyList& list, const Bucketing& bucketing,
                                        std::uint64_t seed) {
  std::vector<std::size_t> first(list.size() + 1, 0);  // combination of an entry
  for (const std::uint32_t entry : list.entry_of) ++first[entry + 1];
  for (std::size_t entry = 0; entry < list.size(); ++entry) first[entry + 1] += first[entry];
  std::vector<std::size_t> next(list.size() + 1, 0);  // the parts of an entry, in their order
  for (const Bucketing::Part& part : bucketing.parts) ++next[part.entry + 1];
  for (std::size_t entry = 0; entry < list.size(); ++entry) next[entry + 1] += next[entry];
  std::vector<std::size_t> by_entry(bucketing.parts.size());
  for (std::size_t i = 0; i < bucketing.parts.size(); ++i)
    by_entry[next[bucketing.parts[i].entry]++] = i;
  Random random(seed);
  std::vector<PlacedRecord> records;
  std::vector<std::uint32_t> combinations;
  for (std::size_t i = 0; i < by_entry.size(); ++i) {
    const Bucketing::Part& part = bucketing.parts[by_entry[i]];
    if (i == 0 || bucketing.parts[by_entry[i - 1]].entry != part.entry) {
      combinations.clear();
      for (std::size_t at = first[part.entry]; at < first[part.entry + 1]; ++at)
        combinations.insert(combinations.end(), list.plain_weights[at],
                            static_cast<std::uint32_t>(at));
      if (first[part.entry + 1] - first[part.entry] > 1) shuffle(combinations, random());
    }
    if (combinations.size() < part.count)
      throw std::logic_error("the buckets have more records than the table");
    for (std::uint32_t taken = 0; taken < part.count; ++taken) {
      records.push_back({part.bucket, combinations.back()});
      combinations.pop_back();
    }
  }
  return records;
}

// What goes out must have come in: no value more often than in the table, and no record lost but
// those that are said to be left out.
void check_records(const BucketedRelease& release, const FrequencyList& list,
                   std::uint64_t suppressed) {
  const Buckets& buckets = release.buckets;
  const auto fail = [](const char* what) {
    throw std::logic_error(std::string("the buckets are not those of the table: ") + what);
  };
  if (buckets.rows() + suppressed != list.records || release.suppressed != suppressed)
    fail("records are missing");
  std::vector<std::uint64_t> size(buckets.groups.size(), 0);
  for (const std::uint32_t group : buckets.group_of_row) ++size[group];
  std::vector<std::uint64_t> left(buckets.values.size(), 0);
  for (std::size_t entry = 0; entry < list.size(); ++entry)
    left[list.values[0][entry]] += list.weights[entry];
  for (std::uint32_t group = 0; group < size.size(); ++group) {
    for (const Buckets::Count& count : buckets.counts(group)) {
      if (count.count > size[group] || count.count > left[count.value]) fail("values");
      size[group] -= count.count;
      left[count.value] -= count.count;
    }
    if (size[group] != 0) fail("a bucket has fewer values than records");
  }
  for (std::size_t i = 0; i < list.positions.size(); ++i) {
    left.assign(list.domains[i].size(), 0);
    for (std::size_t entry = 0; entry < list.size(); ++entry)
      left[list.positions[i][entry]] += list.weights[entry];
    for (const Code position : buckets.positions[i]) {
      if (left[position]-- == 0) fail("quasi-identifiers");
    }
  }
}

}  // namespace

CheckedBuckets bucketize_checked(Table table, const Policy& policy, std::uint64_t seed) {
  CheckedBuckets checked;
  auto clock = Clock::now();
  checked.warnings = warnings_about(table, policy);
  checked.dropped = table.dropped;
  checked.l = l_of(policy);
  const FrequencyList list = make_frequency_list(table, policy);
  table = {};
  const bool injected = policy.algorithm == Algorithm::injector;
  const double listed = lap(clock);
  GatheredRules known;
  if (injected) known = gather_rules(policy.knowledge, list, 0);
  checked.stated = known.stated;
  checked.mined = known.mined();
  if (injected && !policy.knowledge) {
    checked.warnings.emplace_back(
        "the policy names no `knowledge:`; without rules matching-l-diversity is distinct "
        "l-diversity");
  }
  checked.seconds.mine = lap(clock);

  BucketOptions options;
  options.l = checked.l;
  options.grouping = policy.buckets.grouping == BucketRules::Grouping::near
                         ? BucketOptions::Grouping::near
                         : BucketOptions::Grouping::random;
  options.max_share = policy.buckets.max_share;
  options.max_suppression = policy.max_suppression;
  options.seed = private_seed(list, seed);
  Bucketing bucketing;
  if (injected) {
    const RecordTypes types = record_types(list, 0, known.rules);
    weigh_hopeless(list, types, known.rules, checked.l, policy, checked.warnings);
    bucketing = injector(list, types, options);
  } else {
    bucketing = anatomy(list, options);
  }
  checked.release = make_bucketed(list, 0, place_records(list, bucketing, Random(options.seed)()),
                                  bucketing.buckets, seed);
  checked.seconds.bucketize = listed + lap(clock);

  // By code that did not make them. What fails here is our defect: nothing goes out.
  check_records(checked.release, list, bucketing.suppressed);
  const Buckets& buckets = checked.release.buckets;
  checked.attack = attack_buckets(buckets, known.rules, checked.l);
  checked.sizes = sizes_of(buckets, checked.l);
  if (checked.attack.by_matching > 0 || checked.attack.contradictions > 0)
    throw std::logic_error("buckets leave records fewer valid values than the policy asks for");
  if (checked.sizes.distinct < checked.l ||
      (policy.buckets.max_share && checked.sizes.above_share > 0)) {
    throw std::logic_error("buckets are less diverse than the policy asks for");
  }
  const double share =
      static_cast<double>(checked.release.suppressed) / static_cast<double>(list.records);
  if (share > policy.max_suppression)
    throw std::logic_error("more records are left out than the policy allows");
  checked.seconds.check = lap(clock);
  return checked;
}

}  // namespace throng
