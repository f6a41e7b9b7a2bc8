#include "algorithms/bucket_set.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>

namespace throng {
namespace {

// How far away exchanges and mergers are looked for, in buckets on each side, nearest first.
constexpr std::size_t kReaches[] = {8, 64, 512};
// Mergers that are compared with each other.
constexpr std::size_t kMergers = 24;
constexpr std::size_t kNone = ~std::size_t{0};

}  // namespace

Records make_records(const FrequencyList& list, std::size_t column, const RecordTypes& types,
                     const std::vector<char>& left_out) {
  Records records;
  records.entry.reserve(list.records);
  records.type.reserve(list.records);
  records.value.reserve(list.records);
  for (std::uint32_t entry = 0; entry < list.size(); ++entry) {
    const std::uint32_t type = types.type_of[entry];
    if (left_out[type]) continue;
    records.entry.insert(records.entry.end(), list.weights[entry], entry);
    records.type.insert(records.type.end(), list.weights[entry], type);
    records.value.insert(records.value.end(), list.weights[entry], list.values[column][entry]);
  }
  return records;
}

BucketSet::BucketSet(const Records& records, const RecordTypes& types, const Places& places,
                     std::size_t l, bool max_share)
    : records_(records),
      types_(types),
      places_(places),
      l_(l),
      max_share_(max_share),
      tally_(types) {
  impossible_.reserve(records.size());
  for (const std::uint32_t type : records.type)
    impossible_.push_back(types.sets.set(types.types[type].set));
}

bool BucketSet::holds(std::span<const std::uint32_t> members) {
  if (members.size() < l_) return false;
  if (types_.sets.words() > 1) return holds_slowly(members);
  // Most buckets have each value once, and no value that is impossible for someone.
  std::uint64_t present = 0, impossible = 0;
  for (const std::uint32_t member : members) {
    present |= std::uint64_t{1} << records_.value[member];
    impossible |= *impossible_[member];
  }
  const auto distinct = static_cast<std::size_t>(std::popcount(present));
  if (distinct < l_) return false;
  if ((present & impossible) == 0 && (!max_share_ || distinct == members.size())) return true;
  // Each of l values must do for everyone.
  if (distinct == l_ && (present & impossible) != 0) return false;
  return holds_slowly(members);
}

bool BucketSet::holds_slowly(std::span<const std::uint32_t> members) {
  tally_.clear();
  for (const std::uint32_t member : members) tally_.add(records_.type[member]);
  return (!max_share_ || tally_.most() * l_ <= tally_.records()) && tally_.met(l_);
}

void BucketSet::attach(std::uint32_t record, std::size_t start) {
  // Both ways from `start`, the near ones first.
  const std::size_t count = buckets.size();
  for (std::size_t step = 0; step < 2 * count; ++step) {
    const std::size_t away = (step + 1) / 2;
    if (step % 2 == 1 ? away > start : start + away >= count) continue;
    Members& bucket = buckets[step % 2 == 1 ? start - away : start + away];
    bucket.push_back(record);
    if (holds(bucket)) return;
    bucket.pop_back();
    if (step > 2 * kReaches[1]) break;
  }
  buckets.push_back({record});
}

// How far the members of two buckets are from their common mean, less how far from their own.
double BucketSet::spread(std::span<const std::uint32_t> one, std::span<const std::uint32_t> other) {
  double distance = 0;
  for (std::size_t axis = 0; axis < places_.axes; ++axis) {
    double a = 0, b = 0;
    for (const std::uint32_t member : one) a += places_.of(records_.entry[member])[axis];
    for (const std::uint32_t member : other) b += places_.of(records_.entry[member])[axis];
    const double off = a / static_cast<double>(one.size()) - b / static_cast<double>(other.size());
    distance += off * off;
  }
  const auto n = static_cast<double>(one.size()), m = static_cast<double>(other.size());
  return distance * n * m / (n + m);
}

double BucketSet::distance(std::uint32_t one, std::uint32_t other) const {
  const float* from = places_.of(records_.entry[one]);
  const float* to = places_.of(records_.entry[other]);
  double sum = 0;
  for (std::size_t axis = 0; axis < places_.axes; ++axis) {
    const double off = from[axis] - to[axis];
    sum += off * off;
  }
  return sum;
}

void BucketSet::note_values() {
  const std::size_t words = types_.sets.words();
  present_.assign(buckets.size() * words, 0);
  slots_.assign(types_.sets.values(), {});
  for (std::uint32_t bucket = 0; bucket < buckets.size(); ++bucket) {
    for (std::uint32_t i = 0; i < buckets[bucket].size(); ++i) {
      const std::uint32_t record = buckets[bucket][i];
      const Code value = records_.value[record];
      present_[bucket * words + value / 64] |= std::uint64_t{1} << (value % 64);
      slots_[value].push_back({bucket, i, record});
    }
  }
}

inline std::size_t BucketSet::conflicts(std::uint32_t record, std::size_t bucket) const {
  const std::size_t words = types_.sets.words();
  const std::uint64_t* set = impossible_[record];
  if (words == 1) return static_cast<std::size_t>(std::popcount(*set & present_[bucket]));
  std::size_t count = 0;
  for (std::size_t word = 0; word < words; ++word)
    count += static_cast<std::size_t>(std::popcount(set[word] & present_[bucket * words + word]));
  return count;
}

// Exchanges records of one value until none in the bucket has a conflict, or no exchange lowers
// their number; values stay where they are. Whether none has.
bool BucketSet::calm(std::size_t bucket) {
  bool is_calm = true;
  for (std::size_t i = 0; i < buckets[bucket].size(); ++i) {
    while (true) {
      const std::uint32_t mine = buckets[bucket][i];
      const std::size_t here = conflicts(mine, bucket);
      if (here == 0) break;
      std::vector<Slot>& slots = slots_[records_.value[mine]];
      const auto from = [&](std::size_t first) {
        return std::lower_bound(slots.begin(), slots.end(), first,
                                [](const Slot& slot, std::size_t at) { return slot.bucket < at; });
      };
      auto best = slots.end();
      std::ptrdiff_t best_gain = 0;
      double least = std::numeric_limits<double>::max();
      for (const std::size_t reach : kReaches) {
        const auto last = from(bucket + reach + 1);
        for (auto slot = from(bucket - std::min(bucket, reach)); slot != last; ++slot) {
          const std::size_t mine_there = conflicts(mine, slot->bucket);
          if (slot->bucket == bucket || mine_there > here) continue;
          const auto gain =
              static_cast<std::ptrdiff_t>(here + conflicts(slot->record, slot->bucket)) -
              static_cast<std::ptrdiff_t>(mine_there + conflicts(slot->record, bucket));
          if (gain <= 0 || gain < best_gain) continue;
          const double off = distance(mine, slot->record);
          if (gain == best_gain && off >= least) continue;
          best_gain = gain;
          least = off;
          best = slot;
        }
        if (best != slots.end()) break;
      }
      if (best == slots.end()) {
        is_calm = false;
        break;
      }
      auto own = from(bucket);
      while (own->member != i) ++own;
      std::swap(own->record, best->record);
      std::swap(buckets[bucket][i], buckets[best->bucket][best->member]);
    }
  }
  return is_calm;
}

// The record of a bucket with the fewest valid values, and the values that it could have and that
// are not valid for it.
std::uint32_t BucketSet::find_poorest(std::span<const std::uint32_t> members,
                                      std::vector<std::uint64_t>& wanted) {
  tally_.clear();
  for (const std::uint32_t member : members) tally_.add(records_.type[member]);
  const MatchingTally::Result result = tally_.result();
  const auto poorest =
      std::min_element(result.types.begin(), result.types.end(),
                       [](const auto& a, const auto& b) { return a.valid < b.valid; });
  wanted = tally_.valid_values(poorest->type);
  const std::uint64_t* set = types_.sets.set(types_.types[poorest->type].set);
  for (std::size_t word = 0; word < wanted.size(); ++word)
    wanted[word] = ~(wanted[word] | set[word]);
  return poorest->type;
}

// How many values are valid for a type in a bucket and what comes to it, once more.
std::uint32_t BucketSet::valid_values(std::span<const std::uint32_t> members, std::uint32_t type) {
  tally_.clear();
  for (const std::uint32_t member : members) tally_.add(records_.type[member]);
  const MatchingTally::Result result = tally_.result();
  for (const MatchingTally::Found& found : result.types)
    if (found.type == type) return found.valid;
  return 0;
}

void BucketSet::mend_by_merging(std::size_t bucket) {
  const std::size_t words = types_.sets.words();
  std::vector<std::uint64_t> wanted;
  while (!holds(buckets[bucket])) {
    // Too large a share is cured by anyone; else someone lacks values that others have.
    const std::uint32_t type = find_poorest(buckets[bucket], wanted);
    double least = std::numeric_limits<double>::max();
    std::uint32_t most = 0;
    std::size_t best = kNone, nearest = kNone, tried = 0;
    bool best_holds = false;
    const std::uint32_t now = valid_values(buckets[bucket], type);
    // Those that are near; where none of them helps, some further away, where others live.
    for (std::size_t away = 1, step = 1; away < buckets.size(); away += step) {
      if (tried >= kMergers && (best_holds || most > now)) break;
      if (tried >= kMergers || (tried > 0 && away > kReaches[2])) step = 1 + away / 16;
      for (const std::size_t other : {bucket - away, bucket + away}) {
        if (other >= buckets.size() || buckets[other].empty()) continue;  // below 0 wraps around
        if (nearest == kNone) nearest = other;
        bool has_wanted = false;
        for (std::size_t word = 0; word < words; ++word)
          has_wanted = has_wanted || (present_[other * words + word] & wanted[word]) != 0;
        if (!has_wanted) continue;
        ++tried;
        joined_ = buckets[bucket];
        joined_.insert(joined_.end(), buckets[other].begin(), buckets[other].end());
        const bool joined_holds = holds(joined_);
        if (best_holds && !joined_holds) continue;
        const std::uint32_t valid = joined_holds ? 0 : valid_values(joined_, type);
        const double cost = spread(buckets[bucket], buckets[other]);
        if (joined_holds == best_holds && (valid < most || (valid == most && cost >= least)))
          continue;
        best_holds = joined_holds;
        most = valid;
        least = cost;
        best = other;
      }
    }
    std::size_t other = best == kNone ? nearest : best;
    for (std::size_t i = 0; other == kNone && i < buckets.size(); ++i)
      if (i != bucket && !buckets[i].empty()) other = i;
    if (other == kNone) throw std::logic_error("a bucket of all records does not hold");
    buckets[bucket].insert(buckets[bucket].end(), buckets[other].begin(), buckets[other].end());
    buckets[other].clear();
    for (std::size_t word = 0; word < words; ++word) {
      present_[bucket * words + word] |= present_[other * words + word];
      present_[other * words + word] = 0;
    }
  }
}

void BucketSet::mend() {
  note_values();
  // An exchange may leave a conflict in a bucket that had been looked at: a second round.
  for (int round = 0; round < 2; ++round) {
    bool is_calm = true;
    for (std::size_t bucket = 0; bucket < buckets.size(); ++bucket)
      is_calm = calm(bucket) && is_calm;
    if (is_calm) break;
  }
  for (std::size_t bucket = 0; bucket < buckets.size(); ++bucket) {
    if (!buckets[bucket].empty()) mend_by_merging(bucket);
  }
  std::erase_if(buckets, [](const Members& members) { return members.empty(); });
}

Bucketing BucketSet::finish() && {
  Bucketing bucketing;
  std::size_t seen = 0;
  for (Members& members : buckets) {
    // A fresh look: whatever was done before, nothing goes out that does not hold.
    if (!holds_slowly(members)) throw std::logic_error("a bucket does not hold");
    seen += members.size();
    for (std::uint32_t& member : members) member = records_.entry[member];
    std::sort(members.begin(), members.end());
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (i > 0 && members[i] == members[i - 1]) {
        ++bucketing.parts.back().count;
      } else {
        bucketing.parts.push_back({members[i], static_cast<std::uint32_t>(bucketing.buckets), 1});
      }
    }
    ++bucketing.buckets;
  }
  if (seen != records_.size()) throw std::logic_error("a record is in no bucket, or in two");
  return bucketing;
}

}  // namespace throng
