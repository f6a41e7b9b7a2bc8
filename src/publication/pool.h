// The pool: the raw records that a release decides about, those that are new and those that wait,
// in the domains of the whole publication.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "policy/policy.h"
#include "release/frequency_list.h"
#include "release/release.h"
#include "table/encode.h"

namespace throng {

// Raw records that came in one batch, as the ledger keeps them.
struct RawRecords {
  std::uint32_t batch = 0;  // the release in which they came
  std::vector<RawColumn> columns;
  std::size_t rows = 0;
};
RawRecords raw_records(const Table& table, std::uint32_t batch);
std::string pack(const RawRecords& records);
RawRecords unpack(std::string_view bytes, const std::vector<std::string>& names,
                  std::uint32_t batch);

// What is known of the domains beside the pool's own values: the texts of values that were seen
// before, by column. Of numbers without a hierarchy only the ends; of columns whose hierarchy or
// domain the policy gives, none.
using KnownValues = std::map<std::string, std::vector<std::string>>;
std::string pack(const KnownValues& values);
void unpack_into(std::string_view bytes, KnownValues& values);

// What the sealed bytes of a batch, and of a release's known values, are called.
std::string raw_context(std::int64_t batch);
std::string known_context(std::int64_t release);

class Pool {
 public:
  // `names` are the released columns in the publication's order. Throws InputError: values outside
  // a hierarchy.
  Pool(const std::vector<RawRecords>& records, const KnownValues& known, const Policy& policy,
       const std::vector<std::string>& names);

  const FrequencyList& list() const { return list_; }
  FrequencyList& list() { return list_; }
  // The release in which the longest waiting record of each entry came.
  const std::vector<std::uint32_t>& oldest() const { return oldest_; }
  // Values that `known` lacks.
  KnownValues additions(const KnownValues& known) const;
  // The records that a partition leaves out, by batch.
  std::vector<RawRecords> left_out(const Partition& partition) const;
  // What goes out. The pool is used up. `numbers`: where to put the number of each class.
  Release release(const Partition& partition, std::uint64_t seed,
                  std::vector<std::uint32_t>* numbers = nullptr) &&;

 private:
  const Policy& policy_;
  FrequencyList list_;
  std::vector<std::uint32_t> batch_of_;  // by combination of plain values
  std::vector<std::uint32_t> oldest_;
};

}  // namespace throng
