#include "table/sorted_keys.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <bit>
#include <span>

namespace throng {
namespace {

using Key = std::uint64_t;
constexpr unsigned kKeyBits = 64;
constexpr std::size_t kBlock = 1U << 14;  // rows packed at a time: their keys stay in the cache

unsigned bits_for(std::size_t domain) {
  return domain < 2 ? 0U : static_cast<unsigned>(std::bit_width(domain - 1));
}

Key low_bits(unsigned count) { return count >= kKeyBits ? ~Key{0} : (Key{1} << count) - 1; }

// Sorts a piece that fits the cache: least significant digit first, skipping digits that all share.
void sort_piece(std::span<Key> keys, std::vector<Key>& spare) {
  constexpr unsigned kDigit = 8;
  if (keys.size() < 256) {
    std::sort(keys.begin(), keys.end());
    return;
  }
  Key differing = 0;
  for (const Key key : keys) differing |= key ^ keys[0];
  spare.resize(keys.size());
  Key* from = keys.data();
  Key* to = spare.data();
  for (unsigned shift = 0; shift < kKeyBits; shift += kDigit) {
    if (((differing >> shift) & 0xFFU) == 0) continue;
    std::array<std::uint32_t, 1U << kDigit> begin{};
    for (std::size_t i = 0; i < keys.size(); ++i) ++begin[(from[i] >> shift) & 0xFFU];
    std::uint32_t sum = 0;
    for (auto& count : begin) {
      const auto next = sum + count;
      count = sum;
      sum = next;
    }
    for (std::size_t i = 0; i < keys.size(); ++i) to[begin[(from[i] >> shift) & 0xFFU]++] = from[i];
    std::swap(from, to);
  }
  if (from != keys.data()) std::copy(from, from + keys.size(), keys.data());
}

std::vector<std::uint32_t> unique_counts(std::vector<Key>& keys) {
  std::vector<std::uint32_t> counts;
  std::size_t distinct = 0;
  for (std::size_t i = 0; i < keys.size();) {
    std::size_t end = i + 1;
    while (end < keys.size() && keys[end] == keys[i]) ++end;
    keys[distinct++] = keys[i];
    counts.push_back(static_cast<std::uint32_t>(end - i));
    i = end;
  }
  keys.resize(distinct);
  keys.shrink_to_fit();
  return counts;
}

void add_column(std::vector<Key>& keys, const KeyColumn& column, unsigned shift) {
  column.codes->visit([&](const auto& codes) {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, keys.size(), kBlock),
                      [&](const auto& range) {
                        if (column.mapping.empty()) {
                          for (std::size_t row = range.begin(); row < range.end(); ++row)
                            keys[row] |= Key{codes[row]} << shift;
                        } else {
                          const Code* mapping = column.mapping.data();
                          for (std::size_t row = range.begin(); row < range.end(); ++row) {
                            keys[row] |= Key{mapping[codes[row]]} << shift;
                          }
                        }
                      });
  });
}

}  // namespace

void sort_keys(std::vector<Key>& keys) {
  // One pass deals the keys out by their leading bits, on all threads; then each pile is sorted by
  // itself. Piles are taken from the bits that differ, so that no bit of the dealing is wasted.
  constexpr unsigned kPileBits = 10;
  constexpr std::size_t kPiles = 1U << kPileBits;
  constexpr std::size_t kChunks = 16;
  const std::size_t count = keys.size();
  if (count < 1U << 15) {
    std::vector<Key> spare;
    sort_piece(keys, spare);
    return;
  }
  Key differing = 0;
  for (const Key key : keys) differing |= key ^ keys[0];
  const unsigned top = static_cast<unsigned>(std::bit_width(differing));
  const unsigned shift = top > kPileBits ? top - kPileBits : 0;
  const auto pile_of = [&](Key key) { return (key >> shift) & (kPiles - 1); };

  std::vector<std::array<std::uint32_t, kPiles>> begins(kChunks);
  const auto chunk = [&](std::size_t index) { return count * index / kChunks; };
  tbb::parallel_for(std::size_t{0}, kChunks, [&](std::size_t index) {
    begins[index].fill(0);
    for (std::size_t i = chunk(index); i < chunk(index + 1); ++i) ++begins[index][pile_of(keys[i])];
  });
  std::uint32_t sum = 0;
  std::vector<std::size_t> pile_begin(kPiles + 1, count);
  for (std::size_t pile = 0; pile < kPiles; ++pile) {
    pile_begin[pile] = sum;
    for (auto& begin : begins) {
      const auto next = sum + begin[pile];
      begin[pile] = sum;
      sum = next;
    }
  }
  std::vector<Key> dealt(count);
  tbb::parallel_for(std::size_t{0}, kChunks, [&](std::size_t index) {
    auto& begin = begins[index];
    for (std::size_t i = chunk(index); i < chunk(index + 1); ++i)
      dealt[begin[pile_of(keys[i])]++] = keys[i];
  });
  keys.swap(dealt);
  if (shift == 0) return;
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, kPiles, 1), [&](const auto& range) {
    std::vector<Key> spare;
    for (std::size_t pile = range.begin(); pile < range.end(); ++pile) {
      sort_piece(std::span(keys).subspan(pile_begin[pile], pile_begin[pile + 1] - pile_begin[pile]),
                 spare);
    }
  });
}

SortedKeys::SortedKeys(const std::vector<KeyColumn>& columns, std::size_t rows,
                       const std::vector<std::uint32_t>& weights)
    : fields_(columns.size()) {
  std::vector<std::uint32_t> rank_of_row;  // in the stage before
  std::size_t next = 0;
  do {
    // As many columns as fit behind the rank of the stage before.
    Stage stage;
    const unsigned rank_bits = stages_.empty() ? 0 : bits_for(stages_.back().keys.size());
    unsigned used = rank_bits;
    std::size_t end = next;
    while (end < columns.size() && used + bits_for(columns[end].domain) <= kKeyBits) {
      used += bits_for(columns[end++].domain);
    }
    unsigned shift = used - rank_bits;
    std::vector<Key> keys(rows, 0);
    if (rank_bits > 0) {
      stage.rank = {stages_.size() - 1, shift, low_bits(rank_bits)};
      for (std::size_t row = 0; row < rows; ++row) keys[row] = Key{rank_of_row[row]} << shift;
    }
    for (std::size_t column = next; column < end; ++column) {
      const unsigned bits = bits_for(columns[column].domain);
      shift -= bits;
      fields_[column] = {stages_.size(), shift, low_bits(bits)};
      if (bits > 0) add_column(keys, columns[column], shift);
    }
    next = end;
    const bool ranks = next < columns.size() || !weights.empty();
    if (ranks) {
      stage.keys = keys;
    } else {
      stage.keys.swap(keys);
    }
    sort_keys(stage.keys);
    counts_ = unique_counts(stage.keys);
    if (ranks) {
      rank_of_row.resize(rows);
      tbb::parallel_for(tbb::blocked_range<std::size_t>(0, rows, kBlock), [&](const auto& range) {
        for (std::size_t row = range.begin(); row < range.end(); ++row) {
          const auto found = std::lower_bound(stage.keys.begin(), stage.keys.end(), keys[row]);
          rank_of_row[row] = static_cast<std::uint32_t>(found - stage.keys.begin());
        }
      });
    }
    stages_.push_back(std::move(stage));
  } while (next < columns.size());
  if (weights.empty()) return;
  std::fill(counts_.begin(), counts_.end(), 0);
  for (std::size_t row = 0; row < rows; ++row) counts_[rank_of_row[row]] += weights[row];
  combination_of_ = std::move(rank_of_row);
}

SortedKeys sort_columns(const std::vector<CodeColumn>& columns,
                        const std::vector<std::uint32_t>& weights) {
  std::vector<Codes> narrow;
  narrow.reserve(columns.size());
  std::vector<KeyColumn> keys;
  for (const CodeColumn& column : columns) {
    const std::size_t domain = std::max<std::size_t>(1, column.domain);
    narrow.emplace_back(column.codes, domain);
    keys.push_back({&narrow.back(), {}, domain});
  }
  return {keys, weights.size(), weights};
}

std::vector<Code> SortedKeys::column(std::size_t index) const {
  const Field& field = fields_[index];
  std::vector<Code> codes(size());
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, size(), kBlock), [&](const auto& range) {
    for (std::size_t i = range.begin(); i < range.end(); ++i) {
      // From the last stage down to the one that holds the column, by the ranks between.
      Key key = stages_.back().keys[i];
      for (std::size_t stage = stages_.size() - 1; stage > field.stage; --stage) {
        const Field& rank = stages_[stage].rank;
        key = stages_[stage - 1].keys[rank.mask == 0 ? 0 : (key >> rank.shift) & rank.mask];
      }
      codes[i] = static_cast<Code>(field.shift >= kKeyBits ? 0 : (key >> field.shift) & field.mask);
    }
  });
  return codes;
}

}  // namespace throng
