#include "audit/overlaps.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

namespace throng {
namespace {

constexpr std::size_t kFieldWidth = 63;      // values that a field can have; one bit is spare
constexpr std::uint32_t kLast = 0x7FFFFFFF;  // the last position that half a word can hold
constexpr std::size_t kLeaf = 8;             // boxes of a leaf, at most, where they can be parted
constexpr std::size_t kSample = 256;         // boxes that a cut is chosen by

std::uint64_t ones(unsigned count) { return count == 0 ? 0 : ~std::uint64_t{0} >> (64 - count); }

// What a region covers; of a `set`, the ends.
BoxCode::Range range_of(const Domain& domain, const Region& region) {
  if (region.everything) return {0, static_cast<std::uint32_t>(domain.size() - 1)};
  if (domain.kind == Domain::Kind::tree)
    return {domain.tree->first(region.node), domain.tree->last(region.node)};
  return {region.low, region.high};
}

}  // namespace

BoxCode::BoxCode(const Release& release) {
  for (const Release::Quasi& quasi : release.quasi) {
    Place place;
    place.domain = quasi.domain.size();
    if (place.domain > kLast) throw std::invalid_argument("a domain has too many values");
    if (place.domain <= kFieldWidth || quasi.domain.kind == Domain::Kind::set) {
      place.kind = place.domain <= kFieldWidth ? Place::Kind::field : Place::Kind::buckets;
      place.width = static_cast<unsigned>(std::min(place.domain, kFieldWidth));
      if (place.kind == Place::Kind::buckets) ++sets_;
      while (place.word < words_.size() && words_[place.word].used + place.width + 1 > 64)
        ++place.word;
      if (place.word == words_.size()) words_.emplace_back();
      Word& word = words_[place.word];
      place.shift = word.used;
      word.used += place.width + 1;
      word.fill |= ones(place.width) << place.shift;
      word.tops |= std::uint64_t{1} << (place.shift + place.width);
    } else {
      place.kind = Place::Kind::range;
    }
    places_.push_back(place);
  }
  ranges_begin_ = words_.size();
  for (Place& place : places_) {
    if (place.kind != Place::Kind::range) continue;
    place.word = words_.size();
    words_.emplace_back();
  }
  set_members_.push_back(nullptr);
}

std::uint64_t BoxCode::bits_of(const Place& place, const Domain& domain,
                               const Region& region) const {
  const Range range = range_of(domain, region);
  if (place.kind == Place::Kind::range)
    return std::uint64_t{range.high} << 32 | (kLast - range.low);
  const auto bucket = [&](Code position) {
    return place.kind == Place::Kind::field
               ? unsigned{position}
               : static_cast<unsigned>(position * kFieldWidth / place.domain);
  };
  std::uint64_t bits = 0;
  if (!region.everything && !region.members.empty()) {
    for (const Code member : region.members) bits |= std::uint64_t{1} << bucket(member);
  } else {
    bits = ones(bucket(range.high) + 1) & ~ones(bucket(range.low));
  }
  return bits << place.shift;
}

std::uint32_t BoxCode::number_of_set(const Region& region) {
  if (region.everything) return 0;
  const auto [entry, is_new] =
      numbers_.try_emplace(region.members.empty() ? std::vector<Code>{region.low} : region.members,
                           static_cast<std::uint32_t>(set_members_.size()));
  if (is_new) set_members_.push_back(&entry->first);
  return entry->second;
}

Boxes BoxCode::pack(const Release& release) {
  if (release.quasi.size() != places_.size())
    throw std::invalid_argument("releases have different quasi-identifiers");
  Boxes boxes;
  boxes.classes = release.classes;
  boxes.words.assign(release.classes * words(), 0);
  boxes.sets.assign(release.classes * sets_, 0);
  std::size_t set = 0;
  for (std::size_t column = 0; column < places_.size(); ++column) {
    const Release::Quasi& quasi = release.quasi[column];
    const Place& place = places_[column];
    if (quasi.domain.size() != place.domain)
      throw std::invalid_argument("releases have different domains of '" + quasi.domain.name + "'");
    const bool is_large = place.kind == Place::Kind::buckets;
    std::vector<std::uint64_t> bits;
    std::vector<std::uint32_t> numbers;
    for (const Region& region : quasi.regions) {
      bits.push_back(bits_of(place, quasi.domain, region));
      if (is_large) numbers.push_back(number_of_set(region));
    }
    for (std::size_t i = 0; i < release.classes; ++i) {
      boxes.words[i * words() + place.word] |= bits[quasi.of_class[i]];
      if (is_large) boxes.sets[i * sets_ + set] = numbers[quasi.of_class[i]];
    }
    if (is_large) ++set;
  }
  return boxes;
}

void BoxCode::make_query(const std::uint64_t* box, std::uint64_t* query) const {
  std::copy(box, box + ranges_begin_, query);
  for (std::size_t i = ranges_begin_; i < words(); ++i) {
    const std::uint64_t low = kLast - (box[i] & kLast), high = box[i] >> 32;
    query[i] = low << 32 | (kLast - high);
  }
}

bool BoxCode::sets_meet(const std::uint32_t* a, const std::uint32_t* b) const {
  for (std::size_t set = 0; set < sets_; ++set) {
    if (a[set] == 0 || b[set] == 0 || a[set] == b[set]) continue;
    const std::vector<Code>* fewer = set_members_[a[set]];
    const std::vector<Code>* more = set_members_[b[set]];
    if (fewer->size() > more->size()) std::swap(fewer, more);
    auto rest = more->begin();
    bool found = false;
    for (const Code member : *fewer) {
      rest = std::lower_bound(rest, more->end(), member);
      found = rest != more->end() && *rest == member;
      if (found || rest == more->end()) break;
    }
    if (!found) return false;
  }
  return true;
}

void BoxCode::cover(std::uint64_t* box, const std::uint64_t* other) const {
  for (std::size_t i = 0; i < ranges_begin_; ++i) box[i] |= other[i];
  for (std::size_t i = ranges_begin_; i < words(); ++i) {
    const std::uint64_t high = std::max(box[i] >> 32, other[i] >> 32);
    box[i] = high << 32 | std::max(box[i] & kLast, other[i] & kLast);
  }
}

BoxCode::Range BoxCode::range(const std::uint64_t* box, std::size_t column) const {
  const Place& place = places_[column];
  if (place.kind == Place::Kind::range) {
    return {static_cast<std::uint32_t>(kLast - (box[place.word] & kLast)),
            static_cast<std::uint32_t>(box[place.word] >> 32)};
  }
  const std::uint64_t bits = (box[place.word] >> place.shift) & ones(place.width);
  return {static_cast<std::uint32_t>(std::countr_zero(bits)),
          static_cast<std::uint32_t>(63 - std::countl_zero(bits))};
}

OverlapTree::OverlapTree(const BoxCode& code, const Boxes& boxes) : code_(code), boxes_(boxes) {
  order_.resize(boxes.classes);
  for (std::uint32_t i = 0; i < boxes.classes; ++i) order_[i] = i;
  if (!order_.empty()) build(order_);
  words_.reserve(boxes.words.size());
  for (const std::uint32_t number : order_)
    words_.insert(words_.end(), box(number), box(number) + code_.words());
}

void OverlapTree::build(std::span<std::uint32_t> order) {
  const std::size_t number = nodes_.size();
  nodes_.emplace_back();
  std::vector<std::uint64_t> covering(box(order[0]), box(order[0]) + code_.words());
  for (const std::uint32_t each : order) code_.cover(covering.data(), box(each));
  node_words_.insert(node_words_.end(), covering.begin(), covering.end());
  if (order.size() <= kLeaf) {
    nodes_[number].begin = static_cast<std::uint32_t>(order.data() - order_.data());
    nodes_[number].count = static_cast<std::uint32_t>(order.size());
  } else {
    std::size_t begin = 0;
    for (const std::size_t size : split(order)) {
      build(order.subspan(begin, size));
      begin += size;
    }
  }
  nodes_[number].after = static_cast<std::uint32_t>(nodes_.size());
}

std::vector<std::size_t> OverlapTree::split(std::span<std::uint32_t> order) {
  // The cut that parts most pairs of a sample: those that end before it from those that begin at
  // it or after.
  std::size_t best = 0, best_column = 0;
  std::uint32_t best_cut = 0;
  const std::size_t step = (order.size() + kSample - 1) / kSample;
  for (std::size_t column = 0; column < code_.columns(); ++column) {
    lows_.clear();
    highs_.clear();
    for (std::size_t i = 0; i < order.size(); i += step) {
      const BoxCode::Range range = code_.range(box(order[i]), column);
      lows_.push_back(range.low);
      highs_.push_back(range.high);
    }
    std::sort(lows_.begin(), lows_.end());
    std::sort(highs_.begin(), highs_.end());
    for (std::size_t before = 0, from = 0; from < lows_.size(); ++from) {
      while (before < highs_.size() && highs_[before] < lows_[from]) ++before;
      const std::size_t parted = before * (lows_.size() - from);
      if (parted <= best) continue;
      best = parted;
      best_column = column;
      best_cut = lows_[from];
    }
  }
  const std::size_t most = order.size() - order.size() / 8;
  if (best > 0) {
    const auto is_before = [&](std::uint32_t each) {
      return code_.range(box(each), best_column).high < best_cut;
    };
    const auto is_after = [&](std::uint32_t each) {
      return code_.range(box(each), best_column).low >= best_cut;
    };
    const auto after = std::stable_partition(order.begin(), order.end(), is_before);
    const auto between = std::stable_partition(after, order.end(), is_after);
    const auto first = static_cast<std::size_t>(after - order.begin()),
               second = static_cast<std::size_t>(between - after);
    const std::size_t third = order.size() - first - second;
    if (std::max({first, second, third}) <= most) {
      std::vector<std::size_t> sizes = {first, second};
      if (third > 0) sizes.push_back(third);
      return sizes;
    }
  }
  // No cut parts them well. Like boxes together at least.
  const std::size_t half = order.size() / 2;
  std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(half), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) {
                     const auto* end = box(a) + code_.words();
                     const auto differ = std::mismatch(box(a), end, box(b));
                     return differ.first != end ? *differ.first < *differ.second : a < b;
                   });
  return {half, order.size() - half};
}

std::uint64_t OverlapTree::find(const Boxes& of, std::uint32_t number,
                                std::vector<std::uint32_t>& found) const {
  found.clear();
  const std::size_t words = code_.words();
  std::vector<std::uint64_t> query(words);
  code_.make_query(of.words.data() + number * words, query.data());
  std::uint64_t compared = 0;
  for (std::uint32_t i = 0; i < nodes_.size();) {
    const Node& node = nodes_[i];
    ++compared;
    if (!code_.meet(query.data(), node_words_.data() + i * words)) {
      i = node.after;
      continue;
    }
    compared += node.count;
    for (std::uint32_t each = node.begin; each < node.begin + node.count; ++each) {
      if (code_.meet(query.data(), words_.data() + each * words) &&
          (code_.sets() == 0 || code_.sets_meet(of.sets.data() + number * code_.sets(),
                                                boxes_.sets.data() + order_[each] * code_.sets())))
        found.push_back(order_[each]);
    }
    ++i;
  }
  std::sort(found.begin(), found.end());
  return compared;
}

}  // namespace throng
