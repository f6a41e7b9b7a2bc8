#include "release/bucketed.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "table/random.h"

namespace throng {
namespace {

// Random orders are independent of each other.
constexpr std::uint64_t kRows = 1, kValues = 2;

// By combination a rank of what is published beside the group: quasi-identifiers and insensitive
// columns. Equal ones have equal ranks.
std::vector<std::uint32_t> published_ranks(const FrequencyList& list,
                                           const std::vector<std::size_t>& others) {
  // Entries are sorted by quasi-identifiers.
  std::vector<std::uint32_t> quasi(list.size(), 0);
  for (std::size_t entry = 1; entry < list.size(); ++entry) {
    const bool same = std::all_of(
        list.positions.begin(), list.positions.end(),
        [&](const std::vector<Code>& column) { return column[entry] == column[entry - 1]; });
    quasi[entry] = quasi[entry - 1] + (same ? 0 : 1);
  }
  const auto compare = [&](std::uint32_t one, std::uint32_t other) {
    const std::uint32_t a = quasi[list.entry_of[one]], b = quasi[list.entry_of[other]];
    if (a != b) return a < b ? -1 : 1;
    for (const std::size_t column : others) {
      const Code x = list.plain[column].codes[one], y = list.plain[column].codes[other];
      if (x != y) return x < y ? -1 : 1;
    }
    return 0;
  };
  std::vector<std::uint32_t> order(list.entry_of.size());
  std::iota(order.begin(), order.end(), 0U);
  if (!others.empty()) {
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t one, std::uint32_t other) { return compare(one, other) < 0; });
  }
  std::vector<std::uint32_t> ranks(order.size(), 0);
  for (std::size_t i = 1; i < order.size(); ++i)
    ranks[order[i]] = ranks[order[i - 1]] + (compare(order[i - 1], order[i]) == 0 ? 0 : 1);
  return ranks;
}

// Buckets as they are published, one after the other: the ranks of their records and their values,
// each ascending.
struct Contents {
  std::vector<std::size_t> begin;  // of the bucket after the last one too
  std::vector<std::uint32_t> ranks;
  std::vector<Code> values;

  template <typename Item>
  std::span<const Item> of(const std::vector<Item>& items, std::uint32_t bucket) const {
    return {items.data() + begin[bucket], items.data() + begin[bucket + 1]};
  }
  // By what they say; buckets that say the same are the same to everyone.
  bool less(std::uint32_t one, std::uint32_t other) const {
    const auto compare = [](const auto& a, const auto& b) {
      return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
    };
    const auto a = of(ranks, one), b = of(ranks, other);
    if (!std::equal(a.begin(), a.end(), b.begin(), b.end())) return compare(a, b);
    return compare(of(values, one), of(values, other));
  }
};

Contents contents_of(const FrequencyList& list, std::size_t sensitive,
                     const std::vector<PlacedRecord>& records, std::size_t buckets,
                     const std::vector<std::uint32_t>& ranks) {
  Contents contents;
  contents.begin.assign(buckets + 1, 0);
  for (const PlacedRecord& record : records) ++contents.begin[record.bucket + 1];
  for (std::size_t bucket = 0; bucket < buckets; ++bucket)
    contents.begin[bucket + 1] += contents.begin[bucket];
  contents.ranks.resize(records.size());
  contents.values.resize(records.size());
  std::vector<std::size_t> next(contents.begin);
  for (const PlacedRecord& record : records) {
    const std::size_t at = next[record.bucket]++;
    contents.ranks[at] = ranks[record.combination];
    contents.values[at] = list.values[sensitive][list.entry_of[record.combination]];
  }
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    const auto first = static_cast<std::ptrdiff_t>(contents.begin[bucket]),
               last = static_cast<std::ptrdiff_t>(contents.begin[bucket + 1]);
    std::sort(contents.ranks.begin() + first, contents.ranks.begin() + last);
    std::sort(contents.values.begin() + first, contents.values.begin() + last);
  }
  return contents;
}

}  // namespace

BucketedRelease make_bucketed(const FrequencyList& list, std::size_t sensitive,
                              const std::vector<PlacedRecord>& records, std::size_t buckets,
                              std::uint64_t seed) {
  BucketedRelease release;
  std::vector<std::size_t> others;  // of list.plain
  for (const FrequencyList::Slot& slot : list.layout) {
    using Kind = BucketedRelease::Slot::Kind;
    if (slot.quasi) {
      release.layout.push_back({Kind::quasi, slot.index});
    } else if (list.plain[slot.index].name == list.sensitive[sensitive]) {
      release.layout.push_back({Kind::sensitive, 0});
      release.buckets.sensitive = list.plain[slot.index].name;
      release.buckets.values = list.plain[slot.index].values;
    } else {
      release.layout.push_back({Kind::other, others.size()});
      others.push_back(slot.index);
    }
  }
  const std::vector<std::uint32_t> ranks = published_ranks(list, others);

  // Buckets in the order of what they say, then at random.
  const Contents contents = contents_of(list, sensitive, records, buckets, ranks);
  std::vector<std::uint32_t> order(buckets);
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t one, std::uint32_t other) { return contents.less(one, other); });
  shuffle(order, seed);

  // A combination that stands for each rank; then one slot a record, in random order.
  std::vector<std::uint32_t> stands_for(ranks.size());
  for (std::uint32_t i = 0; i < ranks.size(); ++i) stands_for[ranks[i]] = i;
  std::vector<PlacedRecord> rows;
  rows.reserve(records.size());
  Buckets& published = release.buckets;
  published.count_begin.assign(1, 0);
  for (std::uint32_t group = 0; group < order.size(); ++group) {
    published.groups.push_back(std::to_string(group + 1));
    for (const std::uint32_t rank : contents.of(contents.ranks, order[group]))
      rows.push_back({group, stands_for[rank]});
    for (const Code value : contents.of(contents.values, order[group])) {
      if (published.count_list.size() > published.count_begin.back() &&
          published.count_list.back().value == value) {
        ++published.count_list.back().count;
      } else {
        published.count_list.push_back({value, 1});
      }
    }
    published.count_begin.push_back(published.count_list.size());
  }
  shuffle(rows, Random(seed ^ kRows)());

  release.suppressed = list.records - rows.size();
  published.domains = list.domains;
  published.group_of_row.reserve(rows.size());
  for (const PlacedRecord& row : rows) published.group_of_row.push_back(row.bucket);
  for (const std::vector<Code>& column : list.positions) {
    std::vector<Code>& positions = published.positions.emplace_back();
    positions.reserve(rows.size());
    for (const PlacedRecord& row : rows)
      positions.push_back(column[list.entry_of[row.combination]]);
  }
  for (const std::size_t index : others) {
    const FrequencyList::Plain& plain = list.plain[index];
    Release::Plain& other = release.others.emplace_back(Release::Plain{
        plain.name, plain.role, plain.values, Codes(rows.size(), plain.values.size())});
    for (std::size_t row = 0; row < rows.size(); ++row)
      other.codes.set(row, plain.codes[rows[row].combination]);
  }
  return release;
}

std::vector<Code> permuted_values(const Buckets& buckets, std::uint64_t seed) {
  Random random(seed ^ kValues);
  std::vector<std::vector<Code>> values(buckets.groups.size());
  for (std::uint32_t group = 0; group < values.size(); ++group) {
    for (const Buckets::Count& count : buckets.counts(group))
      values[group].insert(values[group].end(), count.count, count.value);
    shuffle(values[group], random());
  }
  std::vector<Code> of_row(buckets.rows());
  for (std::size_t row = 0; row < of_row.size(); ++row) {
    std::vector<Code>& left = values[buckets.group_of_row[row]];
    of_row[row] = left.back();
    left.pop_back();
  }
  return of_row;
}

}  // namespace throng
