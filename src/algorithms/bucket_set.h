// Buckets while they are made: records by number, what holds of each bucket, and the means to put
// right those of which it does not hold.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/bucketize.h"

namespace throng {

// Records one by one, in the order of their entries.
struct Records {
  std::vector<std::uint32_t> entry, type;
  std::vector<Code> value;
  std::size_t size() const { return entry.size(); }
};
// Those of the types that are not left out (`left_out`, by type).
Records make_records(const FrequencyList& list, std::size_t column, const RecordTypes& types,
                     const std::vector<char>& left_out);

// Where each entry stands, for buckets to be near; none: nobody is nearer than another.
struct Places {
  std::size_t axes = 0;
  std::vector<float> at;  // by entry, by axis
  const float* of(std::uint32_t entry) const { return at.data() + std::size_t{entry} * axes; }
};

class BucketSet {
 public:
  using Members = std::vector<std::uint32_t>;  // places in Records

  BucketSet(const Records& records, const RecordTypes& types, const Places& places, std::size_t l,
            bool max_share);

  std::vector<Members> buckets;

  // Whether each record has l valid values, and no value too large a share.
  bool holds(std::span<const std::uint32_t> members);
  // Adds a record to a bucket near `start` in which everything holds with it, or else as a bucket
  // of its own, for mend().
  void attach(std::uint32_t record, std::size_t start);

  // Makes everything hold everywhere. Where it does not, a record that finds a value in its bucket
  // that is impossible for it changes places with one of its own value near by, so that fewer such
  // values are left in both buckets; what no exchange helps is merged. It ends, because the union
  // of all records holds (the caller has seen to that).
  void mend();

  // What came out, verified once more from the beginning.
  Bucketing finish() &&;

 private:
  bool holds_slowly(std::span<const std::uint32_t> members);
  // How many values of a bucket are impossible for a record.
  std::size_t conflicts(std::uint32_t record, std::size_t bucket) const;
  void note_values();
  bool calm(std::size_t bucket);
  void mend_by_merging(std::size_t bucket);
  std::uint32_t find_poorest(std::span<const std::uint32_t> members,
                             std::vector<std::uint64_t>& wanted);
  std::uint32_t valid_values(std::span<const std::uint32_t> members, std::uint32_t type);
  double distance(std::uint32_t one, std::uint32_t other) const;
  double spread(std::span<const std::uint32_t> one, std::span<const std::uint32_t> other);

  const Records& records_;
  const RecordTypes& types_;
  const Places& places_;
  std::size_t l_;
  bool max_share_;
  MatchingTally tally_;
  std::vector<const std::uint64_t*> impossible_;  // by record, words of values
  std::vector<std::uint64_t> present_;            // by bucket, words of values; of calm()
  // By value, who has it and where, in the order of the buckets; of calm(), which moves nobody but
  // to a slot of his value.
  struct Slot {
    std::uint32_t bucket = 0, member = 0, record = 0;
  };
  std::vector<std::vector<Slot>> slots_;
  Members joined_;
};

}  // namespace throng
