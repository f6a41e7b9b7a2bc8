#include "algorithms/boxes.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>

namespace throng {
namespace {

constexpr std::size_t kMostBits = 256;
constexpr unsigned kWordBits = 64;
constexpr std::size_t kAny = ~std::size_t{0};

}  // namespace

BoxSpace::BoxSpace(const FrequencyList& list, const Requirements& requirements)
    : list_(&list), k_(requirements.k()) {
  unsigned used = kWordBits;  // of the last word
  const auto take_bits = [&](std::size_t size, std::uint32_t& word, unsigned& shift) {
    if (used + size > kWordBits) {
      words_ += static_cast<std::uint32_t>((size + kWordBits - 1) / kWordBits);
      word = words_ - static_cast<std::uint32_t>((size + kWordBits - 1) / kWordBits);
      shift = 0;
      used = size > kWordBits ? kWordBits : static_cast<unsigned>(size);
    } else {
      word = words_ - 1;
      shift = used;
      used += static_cast<unsigned>(size);
    }
  };
  for (std::uint32_t i = 0; i < list.domains.size(); ++i) {
    const Domain& domain = list.domains[i];
    Dimension dimension;
    dimension.bits = domain.kind == Domain::Kind::set && domain.size() <= kMostBits;
    if (dimension.bits) {
      take_bits(domain.size(), dimension.word, dimension.shift);
      dimension.words = static_cast<std::uint32_t>((domain.size() + kWordBits - 1) / kWordBits);
      dimension.mask = domain.size() >= kWordBits
                           ? ~std::uint64_t{0}
                           : ((std::uint64_t{1} << domain.size()) - 1) << dimension.shift;
    } else {
      dimension.slot = static_cast<std::uint32_t>(range_dimensions_.size());
      range_dimensions_.push_back(i);
    }
    dimension.unit = domain.size() < 2 ? 0 : 1.0 / static_cast<double>(domain.size() - 1);
    dimensions_.push_back(dimension);
  }
  std::vector<std::size_t> guarded;  // the column of each of sensitive_
  for (std::size_t column = 0; column < list.values.size(); ++column) {
    if (list.sensitive_sizes[column] > kWordBits) {
      settles_everything_ = false;
      continue;
    }
    // A word of its own: the count of its bits needs no mask.
    Sensitive sensitive{words_++, static_cast<std::uint32_t>(requirements.distinct_needed(column))};
    sensitive_.push_back(sensitive);
    guarded.push_back(column);
  }
  settles_everything_ = settles_everything_ && requirements.only_distinct();
  const std::size_t ranges = range_dimensions_.size();
  stride_ = words_ + (ranges + 2) / 2;
  records_.resize(list.size() * stride_);
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, list.size(), 1U << 13), [&](const auto& part) {
        for (std::size_t entry = part.begin(); entry < part.end(); ++entry) {
          std::uint64_t* words = records_.data() + entry * stride_;
          const auto set_half = [&](std::size_t index, std::uint64_t value) {
            words[words_ + index / 2] |= value << (32 * (index % 2));
          };
          for (std::size_t i = 0; i < dimensions_.size(); ++i) {
            const Dimension& dimension = dimensions_[i];
            const Code position = list.positions[i][entry];
            if (dimension.bits) {
              const unsigned bit = dimension.shift + position;
              words[dimension.word + bit / kWordBits] |= std::uint64_t{1} << (bit % kWordBits);
            } else {
              set_half(dimension.slot, position);
            }
          }
          for (std::size_t i = 0; i < guarded.size(); ++i) {
            words[sensitive_[i].word] |= std::uint64_t{1} << list.values[guarded[i]][entry];
          }
          set_half(ranges, list.weights[entry]);
        }
      });
}

void BoxSpace::positions(std::span<const std::uint32_t> entries, std::size_t dimension,
                         std::vector<Code>& result) const {
  const Dimension& at = dimensions_[dimension];
  result.resize(entries.size());
  const auto fill = [&](const auto& position) {
    for (std::size_t i = 0; i < entries.size(); ++i) result[i] = position(record(entries[i]));
  };
  if (!at.bits) {
    fill([this, &at](const std::uint64_t* words) { return half(words + words_, at.slot); });
  } else if (at.words == 1) {
    fill([word = at.word, mask = at.mask, shift = at.shift](const std::uint64_t* words) {
      return static_cast<Code>(std::countr_zero(words[word] & mask)) - shift;
    });
  } else {
    fill([&at](const std::uint64_t* words) {
      std::uint32_t word = 0;
      while (words[at.word + word] == 0) ++word;
      return word * kWordBits + static_cast<Code>(std::countr_zero(words[at.word + word]));
    });
  }
}

void BoxArray::reset(const BoxSpace& space, std::size_t count, bool weights_only) {
  space_ = &space;
  weights_only_ = weights_only;
  weights_.assign(count, 0);
  if (weights_only) return;
  words_.assign(count * space.words_, 0);
  const std::size_t ranges = count * space.range_dimensions_.size();
  lows_.assign(ranges, std::numeric_limits<Code>::max());
  highs_.assign(ranges, 0);
}

// With the numbers of words and ranges known when it is compiled, the loops over them unroll; kAny
// leaves them to run time.
template <std::size_t fixed_words, std::size_t fixed_ranges>
void BoxArray::add_fixed(std::span<const std::uint32_t> entries,
                         std::span<const std::uint32_t> box_of, std::size_t box) {
  const std::size_t words = fixed_words == kAny ? space_->words_ : fixed_words;
  const std::size_t ranges = fixed_ranges == kAny ? space_->range_dimensions_.size() : fixed_ranges;
  for (std::size_t at = 0; at < entries.size(); ++at) {
    const std::uint64_t* record = space_->record(entries[at]);
    if (!box_of.empty()) box = box_of[at];
    weights_[box] += BoxSpace::half(record + words, ranges);
    if (weights_only_) continue;
    std::uint64_t* to = words_.data() + box * words;
    for (std::size_t i = 0; i < words; ++i) to[i] |= record[i];
    Code* low = lows_.data() + box * ranges;
    Code* high = highs_.data() + box * ranges;
    for (std::size_t i = 0; i < ranges; ++i) {
      const Code position = BoxSpace::half(record + words, i);
      low[i] = std::min(low[i], position);
      high[i] = std::max(high[i], position);
    }
  }
}

void BoxArray::add(std::span<const std::uint32_t> entries, std::span<const std::uint32_t> box_of,
                   std::size_t box) {
  const std::size_t words = space_->words_, ranges = space_->range_dimensions_.size();
  if (words == 2 && ranges == 1) return add_fixed<2, 1>(entries, box_of, box);
  if (words == 3 && ranges == 1) return add_fixed<3, 1>(entries, box_of, box);
  if (words == 2 && ranges == 2) return add_fixed<2, 2>(entries, box_of, box);
  if (words == 3 && ranges == 2) return add_fixed<3, 2>(entries, box_of, box);
  add_fixed<kAny, kAny>(entries, box_of, box);
}

double BoxArray::range_loss(std::size_t box, std::size_t range) const {
  const std::size_t at = box * space_->range_dimensions_.size() + range;
  const Domain& domain = space_->list_->domains[space_->range_dimensions_[range]];
  if (domain.kind == Domain::Kind::set) return domain.set_loss(highs_[at] - lows_[at] + 1);
  return domain.range_loss(lows_[at], highs_[at]);
}

double BoxArray::bits_loss(std::size_t box, const BoxSpace::Dimension& dimension) const {
  const std::uint64_t* words = words_.data() + box * space_->words_ + dimension.word;
  if (dimension.words == 1) return (std::popcount(words[0] & dimension.mask) - 1) * dimension.unit;
  int count = -1;
  for (std::uint32_t i = 0; i < dimension.words; ++i) count += std::popcount(words[i]);
  return count * dimension.unit;
}

double BoxArray::loss(std::size_t box) const {
  double sum = 0;
  for (std::size_t range = 0; range < space_->range_dimensions_.size(); ++range)
    sum += range_loss(box, range);
  for (const BoxSpace::Dimension& dimension : space_->dimensions_) {
    if (dimension.bits) sum += bits_loss(box, dimension);
  }
  return sum;
}

double BoxArray::loss(std::size_t box, std::size_t dimension) const {
  const BoxSpace::Dimension& at = space_->dimensions_[dimension];
  return at.bits ? bits_loss(box, at) : range_loss(box, at.slot);
}

Code BoxArray::low(std::size_t box, std::size_t dimension) const {
  const BoxSpace::Dimension& at = space_->dimensions_[dimension];
  if (!at.bits) return lows_[box * space_->range_dimensions_.size() + at.slot];
  const std::uint64_t* words = words_.data() + box * space_->words_ + at.word;
  if (at.words == 1) return static_cast<Code>(std::countr_zero(words[0] & at.mask)) - at.shift;
  for (Code word = 0;; ++word) {
    if (words[word] != 0)
      return word * kWordBits + static_cast<Code>(std::countr_zero(words[word]));
  }
}

Code BoxArray::high(std::size_t box, std::size_t dimension) const {
  const BoxSpace::Dimension& at = space_->dimensions_[dimension];
  if (!at.bits) return highs_[box * space_->range_dimensions_.size() + at.slot];
  const std::uint64_t* words = words_.data() + box * space_->words_ + at.word;
  if (at.words == 1)
    return kWordBits - 1 - static_cast<Code>(std::countl_zero(words[0] & at.mask)) - at.shift;
  for (Code word = at.words - 1;; --word) {
    if (words[word] != 0) {
      return word * kWordBits + kWordBits - 1 - static_cast<Code>(std::countl_zero(words[word]));
    }
  }
}

bool BoxArray::may_meet(std::size_t box) const {
  if (weights_[box] < space_->k_) return false;
  for (const BoxSpace::Sensitive& sensitive : space_->sensitive_) {
    const auto distinct =
        static_cast<std::uint32_t>(std::popcount(words_[box * space_->words_ + sensitive.word]));
    if (distinct < sensitive.needed) return false;
  }
  return true;
}

Region tight_region(const Domain& domain, std::vector<Code>& positions) {
  if (domain.kind != Domain::Kind::set) {
    const auto [low, high] = std::minmax_element(positions.begin(), positions.end());
    return region_of_range(domain, *low, *high);
  }
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  return region_of_set(domain, positions);
}

Partition tight_partition(const FrequencyList& list, const std::vector<std::uint32_t>& order,
                          std::vector<std::uint32_t> starts) {
  Partition partition;
  partition.classes = starts.size();
  partition.class_of.assign(list.size(), kSuppressed);
  starts.push_back(static_cast<std::uint32_t>(order.size()));
  for (std::uint32_t number = 0; number < partition.classes; ++number) {
    for (std::uint32_t i = starts[number]; i < starts[number + 1]; ++i)
      partition.class_of[order[i]] = number;
  }
  const std::size_t dimensions = list.domains.size();
  partition.regions.resize(dimensions);
  partition.region_of.resize(dimensions);
  tbb::parallel_for(std::size_t{0}, dimensions, [&](std::size_t dimension) {
    RegionPool pool;
    std::vector<Code> members;
    for (std::uint32_t number = 0; number < partition.classes; ++number) {
      members.clear();
      for (std::uint32_t i = starts[number]; i < starts[number + 1]; ++i) {
        members.push_back(list.positions[dimension][order[i]]);
      }
      partition.region_of[dimension].push_back(
          pool.add(tight_region(list.domains[dimension], members)));
    }
    partition.regions[dimension] = std::move(pool).take();
  });
  return partition;
}

}  // namespace throng
