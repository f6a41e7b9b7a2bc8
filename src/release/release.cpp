#include "release/release.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "table/random.h"
#include "table/sorted_keys.h"

namespace throng {
namespace {

std::size_t hash_of(const Region& region) {
  std::uint64_t hash = region.low * 0x9E3779B97F4A7C15ULL + region.high * 0xC2B2AE3D27D4EB4FULL +
                       region.node + (region.everything ? 1U << 20 : 0U);
  for (const Code member : region.members) hash = (hash ^ member) * 0x100000001B3ULL;
  return hash ^ (hash >> 29);
}

// The rank of each region among the distinct ones, by what is written: positions in a hierarchy may
// depend on private values, and so would an order by them.
std::vector<Code> ranks_of(const Domain& domain, const std::vector<Region>& regions) {
  std::vector<std::string> texts(regions.size());
  std::transform(regions.begin(), regions.end(), texts.begin(),
                 [&](const Region& region) { return write_region(domain, region); });
  std::vector<Code> order(regions.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](Code a, Code b) { return texts[a] < texts[b]; });
  std::vector<Code> ranks(regions.size());
  for (Code rank = 0; rank < order.size(); ++rank) ranks[order[rank]] = rank;
  return ranks;
}

// A region that does not cover a record would be a lie; our defect, and never published.
void check_coverage(const FrequencyList& list, const Partition& partition) {
  tbb::parallel_for(std::size_t{0}, list.domains.size(), [&](std::size_t column) {
    for (std::size_t entry = 0; entry < list.size(); ++entry) {
      const std::uint32_t number = partition.class_of[entry];
      if (number == kSuppressed) continue;
      const Region& region = partition.regions[column][partition.region_of[column][number]];
      if (!covers(list.domains[column], region, list.positions[column][entry])) {
        throw std::logic_error("a region of column '" + list.domains[column].name +
                               "' does not cover a record of its class");
      }
    }
  });
}

// New numbers for the classes in the order of their regions; classes with equal regions share one.
std::vector<std::uint32_t> number_classes(const Partition& partition, Release& release) {
  std::vector<KeyColumn> keys;
  std::vector<Codes> columns(partition.regions.size());
  for (std::size_t i = 0; i < partition.regions.size(); ++i) {
    columns[i] = Codes(partition.region_of[i], partition.regions[i].size());
    keys.push_back({&columns[i], ranks_of(release.quasi[i].domain, partition.regions[i]),
                    partition.regions[i].size()});
  }
  // The rank of a class is found by sorting the keys with the class behind them.
  std::vector<std::uint32_t> own(partition.classes);
  std::iota(own.begin(), own.end(), 0);
  const Codes own_codes(own, partition.classes);
  keys.push_back({&own_codes, {}, partition.classes});
  const SortedKeys sorted(keys, partition.classes);
  const std::vector<Code> class_at = sorted.column(keys.size() - 1);

  std::vector<std::uint32_t> number(partition.classes);
  const std::size_t quasi = partition.regions.size();
  for (std::size_t i = 0; i < class_at.size(); ++i) {
    bool is_new = i == 0;
    for (std::size_t column = 0; !is_new && column < quasi; ++column) {
      is_new =
          partition.region_of[column][class_at[i]] != partition.region_of[column][class_at[i - 1]];
    }
    if (is_new) {
      for (std::size_t column = 0; column < quasi; ++column) {
        release.quasi[column].of_class.push_back(partition.region_of[column][class_at[i]]);
      }
      ++release.classes;
    }
    number[class_at[i]] = static_cast<std::uint32_t>(release.classes - 1);
  }
  return number;
}

}  // namespace

std::uint32_t RegionPool::add(const Region& region) {
  if (slots_.size() < 2 * (regions_.size() + 1)) {
    slots_.assign(std::max<std::size_t>(64, 4 * slots_.size()), kSuppressed);
    for (std::uint32_t i = 0; i < regions_.size(); ++i) {
      std::size_t slot = hash_of(regions_[i]) & (slots_.size() - 1);
      while (slots_[slot] != kSuppressed) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = i;
    }
  }
  std::size_t slot = hash_of(region) & (slots_.size() - 1);
  for (; slots_[slot] != kSuppressed; slot = (slot + 1) & (slots_.size() - 1)) {
    if (regions_[slots_[slot]] == region) return slots_[slot];
  }
  slots_[slot] = static_cast<std::uint32_t>(regions_.size());
  regions_.push_back(region);
  return slots_[slot];
}

Release make_release(FrequencyList list, const Partition& partition, std::uint64_t seed,
                     std::vector<std::uint32_t>* numbers) {
  check_coverage(list, partition);
  Release release;
  release.layout = list.layout;
  for (std::size_t i = 0; i < list.domains.size(); ++i) {
    release.quasi.push_back({std::move(list.domains[i]), partition.regions[i], {}});
  }
  const std::vector<std::uint32_t> number = number_classes(partition, release);
  if (numbers != nullptr) *numbers = number;

  // What is published, combination by combination: (class, plain values) with the records that have
  // it. Sorting by that alone forgets the private order of the entries.
  std::vector<std::uint32_t> published;
  for (std::size_t i = 0; i < list.entry_of.size(); ++i) {
    if (partition.class_of[list.entry_of[i]] != kSuppressed)
      published.push_back(static_cast<std::uint32_t>(i));
  }
  std::vector<std::uint32_t> classes(published.size());
  for (std::size_t i = 0; i < published.size(); ++i) {
    classes[i] = number[partition.class_of[list.entry_of[published[i]]]];
  }
  std::vector<Codes> columns = {Codes(classes, release.classes)};
  for (FrequencyList::Plain& plain : list.plain) {
    std::vector<Code> codes(published.size());
    for (std::size_t i = 0; i < published.size(); ++i) codes[i] = plain.codes[published[i]];
    columns.push_back(Codes(codes, plain.values.size()));
    release.plain.push_back({plain.name, plain.role, std::move(plain.values), {}});
    plain.codes = {};
  }
  std::vector<KeyColumn> keys = {{&columns[0], {}, release.classes}};
  for (std::size_t i = 0; i < release.plain.size(); ++i) {
    keys.push_back({&columns[i + 1], {}, release.plain[i].values.size()});
  }
  std::vector<std::uint32_t> weights(published.size());
  for (std::size_t i = 0; i < published.size(); ++i) weights[i] = list.plain_weights[published[i]];
  const SortedKeys sorted(keys, published.size(), weights);

  // One slot a record, in random order, each naming its combination.
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < sorted.size(); ++i) rows.insert(rows.end(), sorted.counts()[i], i);
  shuffle(rows, seed);
  release.suppressed = list.records - rows.size();
  const auto by_row = [&](const std::vector<Code>& codes, auto& target) {
    using Narrow = typename std::decay_t<decltype(target)>::value_type;
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, rows.size(), 1U << 14),
                      [&](const auto& range) {
                        for (std::size_t row = range.begin(); row < range.end(); ++row) {
                          target[row] = static_cast<Narrow>(codes[rows[row]]);
                        }
                      });
  };
  release.class_of_row.resize(rows.size());
  by_row(sorted.column(0), release.class_of_row);
  for (std::size_t i = 0; i < release.plain.size(); ++i) {
    release.plain[i].codes = Codes(rows.size(), release.plain[i].values.size());
    release.plain[i].codes.visit([&](auto& target) { by_row(sorted.column(i + 1), target); });
  }
  return release;
}

}  // namespace throng
