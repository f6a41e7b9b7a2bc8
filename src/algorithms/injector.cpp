// Injector: buckets that keep ℓ values possible for everyone, whatever rules the attacker knows.
//
// Claim: in every bucket each record has at least ℓ valid values (matching ℓ-diversity,
// privacy/matching.h); with `max-share` no value has more than 1/ℓ of a bucket. Records for which
// even one bucket of all others does not do are left out, as few as possible; wherever the rest can
// be published at all, it is. Source: Li and Li, "Injector", ICDE 2008, section V-C, figure 2.
//
// `random` is the paper's algorithm on types of records and their counts: a bucket begins with a
// record of the type that is incompatible with the most others and takes compatible ones until it
// has ℓ; who finds no bucket joins one later, and buckets are merged until everyone has ℓ valid
// values. Departures: the next record is the compatible one that is itself incompatible with the
// most others, not the one that leaves the fewest incompatible with the bucket; the latter spends
// rare values first and leaves thousands of records to the last phase, the former hardly any. One
// choice of types makes several buckets while there are many records of each (kBatch), and numbers
// of incompatible records are counted anew only now and then (kStale). Cost: O(n + choices ·
// types), where choices are at most n/ℓ, and grow as types and the logarithm of n where records are
// many.
//
// `near` chooses buckets by where records stand (nearness.h, near_buckets.h), then exchanges
// records of one value between near buckets until everything holds, and merges buckets where that
// does not help. Then counts are fitted. Cost: O(n · log n).
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "algorithms/bucket_set.h"
#include "algorithms/near_buckets.h"
#include "algorithms/nearness.h"
#include "table/random.h"
#include "throng/error.h"

namespace throng {
namespace {

// One choice of types makes 1/kBatch of the buckets that it could.
constexpr std::uint64_t kBatch = 16;
// The order of types is made anew when 1/kStale of the records have gone.
constexpr std::uint64_t kStale = 64;

// Figure 2 on counts. Gives the types of each bucket, and how many buckets are so.
class TypeGroups {
 public:
  TypeGroups(const RecordTypes& types, std::vector<std::uint64_t> counts, std::size_t l)
      : types_(types),
        l_(l),
        counts_(std::move(counts)),
        left_(std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0})) {}

  struct Choice {
    std::vector<std::uint32_t> types;
    std::uint64_t buckets = 0;
  };
  // Who is in none of them found no bucket.
  std::vector<Choice> run() {
    std::vector<Choice> choices;
    std::vector<char> given_up(counts_.size(), 0);
    // The order is made anew when it has become stale.
    std::uint64_t stale_at = left_;
    const std::size_t words = types_.sets.words();
    std::vector<std::uint64_t> present(words), banned(words);
    for (std::size_t first = 0;;) {
      if (left_ <= stale_at) {
        order_by_incompatible();
        stale_at = left_ - (left_ + kStale - 1) / kStale;
        first = 0;
      }
      while (first < order_.size() && (given_up[order_[first]] || counts_[order_[first]] == 0))
        ++first;
      if (first == order_.size()) return choices;
      std::fill(present.begin(), present.end(), std::uint64_t{0});
      std::fill(banned.begin(), banned.end(), std::uint64_t{0});
      Choice choice{{}, ~std::uint64_t{0}};
      for (std::size_t i = first; i < order_.size() && choice.types.size() < l_; ++i) {
        const std::uint32_t type = order_[i];
        if (counts_[type] == 0 || !compatible(type, present, banned)) continue;
        const Code value = types_.types[type].value;
        const std::uint64_t* set = types_.sets.set(types_.types[type].set);
        present[value / 64] |= std::uint64_t{1} << (value % 64);
        for (std::size_t word = 0; word < words; ++word) banned[word] |= set[word];
        choice.types.push_back(type);
        choice.buckets = std::min(choice.buckets, counts_[type]);
      }
      if (choice.types.size() < l_) {
        given_up[order_[first]] = 1;
        continue;
      }
      choice.buckets = (choice.buckets + kBatch - 1) / kBatch;
      for (const std::uint32_t type : choice.types) counts_[type] -= choice.buckets;
      left_ -= choice.buckets * l_;
      choices.push_back(std::move(choice));
    }
  }

 private:
  bool compatible(std::uint32_t type, const std::vector<std::uint64_t>& present,
                  const std::vector<std::uint64_t>& banned) const {
    const Code value = types_.types[type].value;
    if ((((present[value / 64] | banned[value / 64]) >> (value % 64)) & 1) != 0) return false;
    const std::uint64_t* set = types_.sets.set(types_.types[type].set);
    for (std::size_t word = 0; word < present.size(); ++word) {
      if ((set[word] & present[word]) != 0) return false;
    }
    return true;
  }

  template <typename Use>
  void for_impossible(std::uint32_t type, const Use& use) const {
    const std::uint64_t* set = types_.sets.set(types_.types[type].set);
    for (std::size_t word = 0; word < types_.sets.words(); ++word) {
      for (std::uint64_t bits = set[word]; bits != 0; bits &= bits - 1)
        use(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
    }
  }

  // Types that have records left, those first that are incompatible with the most records: with
  // those of their value, of impossible values, and those for whom theirs is impossible (who are
  // both are counted twice).
  void order_by_incompatible() {
    std::vector<std::uint64_t> have(types_.sets.values(), 0), cannot(types_.sets.values(), 0);
    std::vector<std::uint64_t> number(counts_.size(), 0);
    order_.clear();
    for (std::uint32_t type = 0; type < counts_.size(); ++type) {
      if (counts_[type] == 0) continue;
      order_.push_back(type);
      have[types_.types[type].value] += counts_[type];
      for_impossible(type, [&](std::size_t value) { cannot[value] += counts_[type]; });
    }
    for (const std::uint32_t type : order_) {
      number[type] = have[types_.types[type].value] + cannot[types_.types[type].value];
      for_impossible(type, [&](std::size_t value) { number[type] += have[value]; });
    }
    std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return number[a] != number[b] ? number[a] > number[b] : a < b;
    });
  }

  const RecordTypes& types_;
  std::size_t l_;
  std::vector<std::uint64_t> counts_;
  std::uint64_t left_;
  std::vector<std::uint32_t> order_;
};

void group_at_random(const Records& records, const RecordTypes& types, std::size_t l,
                     std::uint64_t seed, BucketSet& set) {
  Random random(seed);
  std::vector<std::vector<std::uint32_t>> of_type(types.types.size());
  for (std::uint32_t record = 0; record < records.size(); ++record)
    of_type[records.type[record]].push_back(record);
  std::vector<std::uint64_t> counts;
  for (auto& members : of_type) {
    shuffle(members, random());
    counts.push_back(members.size());
  }
  for (const TypeGroups::Choice& choice : TypeGroups(types, std::move(counts), l).run()) {
    for (std::uint64_t bucket = 0; bucket < choice.buckets; ++bucket) {
      BucketSet::Members& members = set.buckets.emplace_back();
      for (const std::uint32_t type : choice.types) {
        members.push_back(of_type[type].back());
        of_type[type].pop_back();
      }
    }
  }
  // So that neighbours are no more alike than others.
  shuffle(set.buckets, random());
  for (const auto& members : of_type) {
    for (const std::uint32_t record : members)
      set.attach(record, set.buckets.empty() ? 0 : random.below(set.buckets.size()));
  }
}

// The most buckets of l distinct values that can be made of these counts.
std::size_t most_buckets(const std::vector<std::uint64_t>& counts, std::size_t l) {
  std::uint64_t low = 0, high = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}) / l;
  while (low < high) {
    const std::uint64_t middle = (low + high + 1) / 2;
    std::uint64_t usable = 0;
    for (const std::uint64_t count : counts) usable += std::min(count, middle);
    if (usable >= l * middle) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

void group_near(const FrequencyList& list, const Records& records, const RecordTypes& types,
                const Places& places, const std::vector<std::uint64_t>& counts, std::size_t l,
                BucketSet& set) {
  // Without max-share a value may have more records than there are buckets; whoever is too many
  // joins a bucket afterwards.
  const std::size_t most = most_buckets(counts, l);
  std::vector<std::uint64_t> seen(counts.size(), 0);
  std::vector<std::uint32_t> chosen, others;
  for (std::uint32_t record = 0; record < records.size(); ++record) {
    const Code value = records.value[record];
    // Evenly among the records of the value, which are sorted by quasi-identifiers.
    const std::uint64_t place = seen[value]++, count = counts[value];
    const bool is_chosen = count <= most || (place + 1) * most / count > place * most / count;
    (is_chosen ? chosen : others).push_back(record);
  }
  set.buckets = cut_into_buckets(records, types.sets.values(), places, std::move(chosen), l);
  if (others.empty()) return;
  // Those of the same entry, or the nearest before it, show where.
  std::vector<std::size_t> bucket_of(list.size(), ~std::size_t{0});
  for (std::size_t bucket = 0; bucket < set.buckets.size(); ++bucket) {
    for (const std::uint32_t member : set.buckets[bucket])
      bucket_of[records.entry[member]] = bucket;
  }
  std::size_t start = 0;
  for (std::size_t entry = 0; entry < bucket_of.size(); ++entry) {
    if (bucket_of[entry] == ~std::size_t{0}) {
      bucket_of[entry] = start;
    } else {
      start = bucket_of[entry];
    }
  }
  for (const std::uint32_t record : others) set.attach(record, bucket_of[records.entry[record]]);
}

void refuse_contradiction(const FrequencyList& list, const RecordTypes& types, std::size_t column) {
  std::uint64_t records = 0;
  std::uint32_t first = 0;
  for (std::uint32_t entry = 0; entry < list.size(); ++entry) {
    if (!types.contradicts(types.type_of[entry])) continue;
    if (records == 0) first = entry;
    records += list.weights[entry];
  }
  if (records == 0) return;
  throw InputError(fmt::format(
      "the knowledge contradicts the table: {} records have a value of column '{}' that a rule "
      "says they cannot have, '{}' among them; expected rules that are true of every record",
      records, list.sensitive[column], value_name(list, column, list.values[column][first])));
}

// A type of records in words: `'Sales', for whom 9 of 14 values are impossible`.
std::string describe(const FrequencyList& list, const RecordTypes& types, std::size_t column,
                     const Hopeless& hopeless) {
  const RecordTypes::Type& type = types.types[hopeless.type];
  std::size_t impossible = 0;
  for (std::size_t word = 0; word < types.sets.words(); ++word)
    impossible += static_cast<std::size_t>(std::popcount(types.sets.set(type.set)[word]));
  return fmt::format("{} records with '{}', for whom rules exclude {} of {} values",
                     hopeless.records, value_name(list, column, type.value), impossible,
                     types.sets.values());
}

}  // namespace

Bucketing injector(const FrequencyList& list, const RecordTypes& types,
                   const BucketOptions& options) {
  const std::size_t column = options.column, l = std::max<std::size_t>(1, options.l);
  refuse_contradiction(list, types, column);
  std::vector<std::uint64_t> counts(types.sets.values(), 0);
  for (std::size_t entry = 0; entry < list.size(); ++entry)
    counts[list.values[column][entry]] += list.weights[entry];
  check_distinct(list, column, counts, l);

  // Who cannot be published.
  const std::vector<Hopeless> hopeless = hopeless_types(types, list.weights, l);
  std::vector<char> left_out(types.types.size(), 0);
  std::uint64_t suppressed = 0;
  for (const Hopeless& type : hopeless) {
    left_out[type.type] = 1;
    suppressed += type.records;
    counts[types.types[type.type].value] -= type.records;
  }
  const double share = static_cast<double>(suppressed) / static_cast<double>(list.records);
  if (share > options.max_suppression || suppressed == list.records) {
    const auto largest = std::max_element(
        hopeless.begin(), hopeless.end(),
        [](const Hopeless& a, const Hopeless& b) { return a.records < b.records; });
    throw PrivacyError(fmt::format(
        "matching l-diversity of column '{}' cannot be met: {} of {} records ({:.4g}) have fewer "
        "than {} valid values even in one bucket of all, the most of one type being {}; the policy "
        "allows {:.4g} to be left out (suppression: max)",
        list.sensitive[column], suppressed, list.records, share, l,
        describe(list, types, column, *largest), options.max_suppression));
  }
  if (options.max_share) check_largest_share(list, column, counts, l);

  const Records records = make_records(list, column, types, left_out);
  const bool near = options.grouping == BucketOptions::Grouping::near;
  const Places places = near ? make_places(list, column) : Places{};
  BucketSet set(records, types, places, l, options.max_share);
  if (near) {
    group_near(list, records, types, places, counts, l, set);
  } else {
    group_at_random(records, types, l, options.seed, set);
  }
  set.mend();
  if (near) fit_counts(list, types, records, set.buckets, options.seed);
  Bucketing bucketing = std::move(set).finish();
  bucketing.suppressed = suppressed;
  for (const Hopeless& type : hopeless) bucketing.suppressed_types.push_back(type.type);
  return bucketing;
}

}  // namespace throng
