#include "metrics/queries.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace throng {
namespace {

using Word = std::uint64_t;
constexpr std::size_t kLanes = 64;  // queries in a word
constexpr std::size_t kAttempts = 100;
constexpr double kRounding = 1e-9;

// One quasi-identifier as up to 64 queries see its regions.
class Lanes {
 public:
  Lanes(const Published::Quasi& quasi, Word all)
      : quasi_(quasi), some_(quasi.regions.size(), all), part_(quasi.regions.size(), 0) {}

  void add(std::size_t lane, const std::vector<char>& chosen) {
    if (wide_of_.empty()) number_wide();
    if (wide_ > 0) {
      before_.assign(1, 0);
      for (const char each : chosen)
        before_.push_back(before_.back() + static_cast<std::uint32_t>(each));
    }
    const Word bit = Word{1} << lane;
    for (std::size_t i = 0; i < quasi_.regions.size(); ++i) {
      const Region& region = quasi_.regions[i];
      if (region.low == region.high) {
        if (chosen[region.low] == 0) some_[i] &= ~bit;
        continue;
      }
      std::uint32_t hits = 0;
      if (region.members.empty()) {
        hits = before_[region.high + std::size_t{1}] - before_[region.low];
      } else {
        for (const Code member : region.members) hits += static_cast<std::uint32_t>(chosen[member]);
      }
      hits_[wide_of_[i] * kLanes + lane] = hits;
      if (hits == 0) some_[i] &= ~bit;
      if (hits > 0 && hits < covered(region)) part_[i] |= bit;
    }
  }

  // The queries that ask for some value of the entry's region, and those for not all of them.
  Word some(std::size_t entry) const { return some_[quasi_.of_entry[entry]]; }
  Word part(std::size_t entry) const { return part_[quasi_.of_entry[entry]]; }
  // The share of the region that a query asks for, where it asks for some value of it.
  double share(std::size_t entry, std::size_t lane) const {
    const std::uint32_t number = quasi_.of_entry[entry];
    const Region& region = quasi_.regions[number];
    if (region.low == region.high) return 1;
    return static_cast<double>(hits_[wide_of_[number] * kLanes + lane]) /
           static_cast<double>(covered(region));
  }

 private:
  // Exact columns need no room for shares.
  void number_wide() {
    for (const Region& region : quasi_.regions) {
      wide_of_.push_back(wide_);
      wide_ += region.low < region.high ? 1 : 0;
    }
    hits_.resize(wide_ * kLanes);
  }

  const Published::Quasi& quasi_;
  std::vector<Word> some_, part_;     // by region
  std::vector<std::size_t> wide_of_;  // by region: its number among those of several values
  std::size_t wide_ = 0;
  std::vector<std::uint32_t> hits_;    // by region of several values, by lane: values asked for
  std::vector<std::uint32_t> before_;  // of one query, by position: values asked for before it
};

template <typename Use>
void for_each_lane(Word lanes, Use&& use) {
  for (; lanes != 0; lanes &= lanes - 1) use(static_cast<std::size_t>(std::countr_zero(lanes)));
}

// For each lane a number below 256, lane after lane.
using Bytes = std::array<std::uint8_t, kLanes>;
static_assert(std::endian::native == std::endian::little, "add_lanes() lays bytes out by shifts");

// By a byte of lanes: 1 in the byte of each lane that is in it.
constexpr std::array<Word, 256> kSpread = [] {
  std::array<Word, 256> spread{};
  for (std::size_t lanes = 0; lanes < spread.size(); ++lanes) {
    for (unsigned lane = 0; lane < 8; ++lane)
      spread[lanes] |= Word{(lanes >> lane) & 1U} << (8 * lane);
  }
  return spread;
}();

// Adds `count` to each of the lanes; no lane may pass 255.
void add_lanes(Word lanes, std::uint32_t count, std::array<Word, 8>& to) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += kSpread[(lanes >> (8 * i)) & 0xFFU] * count;
}

// Up to 64 queries at once over all entries.
class Counting {
 public:
  Counting(const Published& published, const Schema& schema, std::span<const Query> queries)
      : published_(published),
        queries_(queries),
        all_(queries.size() == kLanes ? ~Word{0} : (Word{1} << queries.size()) - 1),
        asks_(schema.values.size(), all_) {
    std::vector<char> is_used(schema.quasi.size(), 0);
    for (std::size_t i = 0; i < schema.quasi.size(); ++i)
      columns_.emplace_back(published.quasi[i], all_);
    for (std::size_t lane = 0; lane < queries.size(); ++lane) {
      for (const Query::Predicate& predicate : queries[lane].quasi) {
        columns_[predicate.column].add(lane, predicate.chosen);
        is_used[predicate.column] = 1;
      }
      for (std::size_t value = 0; value < queries[lane].sensitive.size(); ++value) {
        if (queries[lane].sensitive[value] == 0) asks_[value] &= ~(Word{1} << lane);
      }
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (is_used[i] != 0) used_.push_back(&columns_[i]);
    }
  }
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;

  void count(std::span<double> counts) {
    for (std::size_t begin = 0, end = 0; begin < published_.entries(); begin = end) {
      const std::uint32_t group = published_.group_of[begin];
      for (end = begin + 1; end < published_.entries() && published_.group_of[end] == group;) ++end;
      if (end - begin == 1 || published_.sizes[group] > kMostOfBytes ||
          !add_bucket(group, begin, end)) {
        for (std::size_t entry = begin; entry < end; ++entry) add_entry(group, entry);
      }
    }
    for (std::size_t size = 0; size < products_.size(); ++size) settle(size);
    std::copy_n(sums_.begin(), queries_.size(), counts.begin());
  }

 private:
  static constexpr std::size_t kMostOfBytes = 255;
  static constexpr std::size_t kMostProducts = 60000;  // of 255 · 255 at most, in 32 bits

  Word lanes_of(std::size_t entry) const {
    Word lanes = all_;
    for (const Lanes* column : used_) lanes &= column->some(entry);
    return lanes;
  }
  Word part_of(std::size_t entry) const {
    Word part = 0;
    for (const Lanes* column : used_) part |= column->part(entry);
    return part;
  }

  void add_entry(std::uint32_t group, std::size_t entry) {
    const Word lanes = lanes_of(entry);
    if (lanes == 0) return;
    const Word part = part_of(entry) & lanes;
    for_each_lane(part, [&](std::size_t lane) {
      factors_[lane] = 1;
      for (const Query::Predicate& predicate : queries_[lane].quasi)
        factors_[lane] *= columns_[predicate.column].share(entry, lane);
    });
    const double weight = published_.weights[entry], size = published_.sizes[group];
    for (const Published::Count& count : published_.counts(group)) {
      // In this order an entry that is its whole group gives whole numbers.
      const double records = weight * count.count / size;
      const Word asked = lanes & asks_[count.value];
      for_each_lane(asked & ~part, [&](std::size_t lane) { sums_[lane] += records; });
      for_each_lane(asked & part,
                    [&](std::size_t lane) { sums_[lane] += records * factors_[lane]; });
    }
  }

  // Of several exact entries: how many records of the bucket each query matches, times how many of
  // its values each query asks for. Few enough to be counted in bytes, all lanes at once. False: an
  // entry is not exact.
  bool add_bucket(std::uint32_t group, std::size_t begin, std::size_t end) {
    std::array<Word, 8> matched{}, asked{};
    Word some = 0;
    for (std::size_t entry = begin; entry < end; ++entry) {
      const Word lanes = lanes_of(entry);
      if (lanes == 0) continue;
      if ((part_of(entry) & lanes) != 0) return false;
      some |= lanes;
      add_lanes(lanes, published_.weights[entry], matched);
    }
    if (some == 0) return true;
    for (const Published::Count& count : published_.counts(group))
      add_lanes(asks_[count.value], count.count, asked);
    const auto records = std::bit_cast<Bytes>(matched), values = std::bit_cast<Bytes>(asked);
    const std::size_t size = published_.sizes[group];
    if (size >= products_.size()) products_.resize(size + 1);
    Products& products = products_[size];
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      products.sums[lane] += std::uint32_t{records[lane]} * values[lane];
    if (++products.number == kMostProducts) settle(size);
    return true;
  }

  void settle(std::size_t size) {
    Products& products = products_[size];
    if (products.number == 0) return;
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      sums_[lane] += products.sums[lane] / static_cast<double>(size);
    products = {};
  }

  struct Products {
    std::array<std::uint32_t, kLanes> sums{};
    std::size_t number = 0;
  };

  const Published& published_;
  std::span<const Query> queries_;
  Word all_;
  std::vector<Lanes> columns_;
  std::vector<const Lanes*> used_;
  std::vector<Word> asks_;  // by sensitive value: the queries that ask for it
  std::array<double, kLanes> sums_{}, factors_{};
  std::vector<Products> products_;  // of buckets, by their size
};

double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

// Calls `count` with the words of 64 numbers below `number`, on all threads.
template <typename Count>
void for_each_word(std::size_t number, const Count& count) {
  tbb::parallel_for(std::size_t{0}, (number + kLanes - 1) / kLanes, [&](std::size_t word) {
    const std::size_t begin = word * kLanes;
    count(begin, std::min(kLanes, number - begin));
  });
}

// The answers to the queries that these seeds draw; no more than a word of them is held at a time.
std::vector<double> count_drawn(const Published& published, const Schema& schema,
                                const RandomQueries& random,
                                const std::vector<std::uint64_t>& seeds) {
  std::vector<double> counts(seeds.size());
  for_each_word(seeds.size(), [&](std::size_t begin, std::size_t size) {
    std::vector<Query> queries;
    for (std::size_t i = begin; i < begin + size; ++i) queries.push_back(random.draw(seeds[i]));
    Counting(published, schema, queries).count(std::span(counts).subspan(begin, size));
  });
  return counts;
}

}  // namespace

std::vector<double> count_queries(const Published& published, const Schema& schema,
                                  std::span<const Query> queries) {
  std::vector<double> counts(queries.size());
  for_each_word(queries.size(), [&](std::size_t begin, std::size_t size) {
    Counting(published, schema, queries.subspan(begin, size))
        .count(std::span(counts).subspan(begin, size));
  });
  return counts;
}

RandomQueries::Choice::Choice(const Dictionary& values, const std::vector<std::uint64_t>& records,
                              std::size_t missing)
    : size(records.size()) {
  for (Code i = 0; i < records.size(); ++i) {
    if (records[i] > 0 && !(values.numeric() && i == missing)) candidates.push_back(i);
  }
  if (candidates.empty() && missing < size)  // numbers that are all missing
    candidates.push_back(static_cast<Code>(missing));
  if (!values.numeric() || candidates.size() < 2) return;
  numbers = values.numbers;
  if (missing < size) numbers[missing] = std::numeric_limits<double>::infinity();
  std::sort(candidates.begin(), candidates.end(),
            [&](Code a, Code b) { return numbers[a] < numbers[b]; });
}

std::vector<char> RandomQueries::Choice::draw(double share, Random& random) const {
  std::vector<char> chosen(size, 0);
  if (candidates.empty()) return chosen;
  const auto wanted = static_cast<std::size_t>(
      std::ceil(static_cast<double>(candidates.size()) * share - kRounding));
  const std::size_t count = std::clamp<std::size_t>(wanted, 1, candidates.size());
  if (!numbers.empty()) {
    const std::size_t first = random.below(candidates.size() - count + 1);
    const double low = numbers[candidates[first]], high = numbers[candidates[first + count - 1]];
    for (std::size_t i = 0; i < size; ++i)
      chosen[i] = numbers[i] >= low && numbers[i] <= high ? 1 : 0;
    return chosen;
  }
  std::vector<Code> order = candidates;
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(order[i], order[i + random.below(order.size() - i)]);
    chosen[order[i]] = 1;
  }
  return chosen;
}

RandomQueries::RandomQueries(const Schema& schema, const QueryOptions& options)
    : dimension_(std::min(options.dimension, schema.quasi.size())) {
  for (const Schema::Quasi& column : schema.quasi)
    quasi_.emplace_back(column.domain.values, column.records, column.missing);
  if (!schema.sensitive.empty()) {
    const std::vector<std::uint64_t> records(schema.values.size(), 1);  // they all occur
    sensitive_.emplace(schema.values, records, schema.values.present());
  }
  const std::size_t predicates = dimension_ + (sensitive_ ? 1 : 0);
  share_ = std::pow(options.selectivity, 1 / static_cast<double>(predicates));
}

Query RandomQueries::draw(std::uint64_t seed) const {
  Random random(seed);
  Query query;
  std::vector<std::size_t> columns(quasi_.size());
  std::iota(columns.begin(), columns.end(), 0);
  for (std::size_t i = 0; i < dimension_; ++i) {
    std::swap(columns[i], columns[i + random.below(columns.size() - i)]);
    query.quasi.push_back({columns[i], quasi_[columns[i]].draw(share_, random)});
  }
  if (sensitive_) query.sensitive = sensitive_->draw(share_, random);
  return query;
}

QueryErrors measure_queries(const Published& original, const Published& published,
                            const Schema& schema, const QueryOptions& options) {
  QueryErrors errors;
  errors.dimension = std::min(options.dimension, schema.quasi.size());
  errors.selectivity = options.selectivity;
  const RandomQueries random(schema, options);
  std::vector<std::uint64_t> queries, drawn;  // by their seeds
  std::vector<double> truths;
  Random seeds(options.seed);
  std::size_t wanted = options.number;
  for (std::size_t attempt = 0; attempt < kAttempts && wanted > 0; ++attempt) {
    drawn.clear();
    for (std::size_t i = 0; i < wanted; ++i) drawn.push_back(seeds());
    const std::vector<double> counts = count_drawn(original, schema, random, drawn);
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      if (counts[i] <= 0) continue;
      queries.push_back(drawn[i]);
      truths.push_back(counts[i]);
      --wanted;
    }
    if (attempt + 1 < kAttempts) errors.redrawn += wanted;
  }
  errors.number = queries.size();
  errors.given_up = wanted;
  if (queries.empty()) return errors;
  const std::vector<double> estimates = count_drawn(published, schema, random, queries);
  std::vector<double> relative;
  for (std::size_t i = 0; i < queries.size(); ++i)
    relative.push_back(std::abs(estimates[i] - truths[i]) / truths[i]);
  const auto number = static_cast<double>(queries.size());
  errors.mean_count = std::accumulate(truths.begin(), truths.end(), 0.0) / number;
  errors.mean = std::accumulate(relative.begin(), relative.end(), 0.0) / number;
  std::sort(relative.begin(), relative.end());
  errors.median = quantile(relative, 0.5);
  errors.percentile_95 = quantile(relative, 0.95);
  return errors;
}

}  // namespace throng
