#include "publication/space.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace throng {
namespace {

constexpr std::uint64_t kMissingBit = std::uint64_t{1} << 63;
constexpr std::uint32_t kMostWords = 4;

double measure_of(const Domain& domain, Domain::Kind kind) {
  if (kind == Domain::Kind::interval) return domain.high - domain.low;
  return domain.size() < 2 ? 0 : static_cast<double>(domain.size() - 1);
}

}  // namespace

Space::Layout Space::choose(const std::vector<Domain>& domains,
                            const std::vector<Domain::Kind>& kinds) {
  Layout layout;
  for (std::size_t i = 0; i < domains.size(); ++i) {
    Layout::Axis axis{kinds[i], 1, measure_of(domains[i], kinds[i])};
    if (axis.kind == Domain::Kind::set && domains[i].size() > 64) axis.words = kMostWords;
    layout.axes.push_back(axis);
  }
  return layout;
}

Space::Space(const Layout& layout, const std::vector<Domain>& domains,
             const std::vector<const Values*>& values) {
  for (std::size_t i = 0; i < domains.size(); ++i) {
    Axis axis;
    axis.kind = layout.axes[i].kind;
    axis.offset = static_cast<std::uint32_t>(words_);
    axis.words = layout.axes[i].words;
    axis.capacity = 64 * axis.words;
    words_ += axis.words;
    axis.base = layout.axes[i].measure;
    axis.measure = measure_of(domains[i], axis.kind);
    axis.unit = axis.measure > 0 ? 1 / axis.measure : 0;
    if (axis.base > 0 && axis.measure > axis.base) {
      shrinkage_ = std::min(shrinkage_, axis.base / axis.measure);
    }
    axis.domain = &domains[i];
    axis.numbers = values[i]->numbers().data();
    axis.missing = values[i]->missing();
    const Values::Sorted& sorted = values[i]->sorted();
    const std::vector<Code> by_code = positions_in(domains[i], sorted.dictionary);
    axis.positions.resize(by_code.size());
    for (std::size_t code = 0; code < by_code.size(); ++code) {
      axis.positions[sorted.value_of[code]] = by_code[code];
    }
    if (axis.kind == Domain::Kind::tree) ++trees_;
    if (axis.kind == Domain::Kind::tree && domains[i].tree) {
      const Hierarchy& tree = *domains[i].tree;
      for (Hierarchy::Node node = 0; node < tree.nodes(); ++node) {
        axis.nodes.push_back(
            {tree.first(node), tree.last(node), tree.parent(node), tree.loss(node)});
      }
      for (const Code position : axis.positions) axis.leaves.push_back(tree.leaf(position));
    }
    axes_.push_back(std::move(axis));
  }
}

Space::Range Space::range_of(std::uint64_t word) {
  return {static_cast<Code>((word & ~kMissingBit) >> 32), static_cast<Code>(word),
          (word & kMissingBit) != 0};
}

std::uint64_t Space::word_of(const Range& range) {
  return (range.missing ? kMissingBit : 0) | std::uint64_t{range.low} << 32 | range.high;
}

std::span<const Code> Space::list_of(BoxView box, std::size_t axis) {
  for (std::size_t i = 0; i < box.lists.size(); i += 2 + box.lists[i + 1]) {
    if (box.lists[i] == axis) return box.lists.subspan(i + 2, box.lists[i + 1]);
  }
  return {};
}

Box Space::empty() const {
  Box box;
  box.words.assign(words_, 0);
  for (const Axis& axis : axes_) {
    if (axis.kind != Domain::Kind::set) box.words[axis.offset] = word_of({});
  }
  return box;
}

Hierarchy::Node Space::node_of(const Axis& axis, const Range& range) const {
  Hierarchy::Node node = axis.leaves[range.low];
  const Code other = axis.positions[range.high];
  while (!axis.nodes[node].holds(other)) node = axis.nodes[node].parent;
  return node;
}

void Space::resolve(const std::uint64_t* box, Hierarchy::Node* resolved) const {
  for (const Axis& axis : axes_) {
    if (axis.kind != Domain::Kind::tree) continue;
    *resolved++ = axis.is_tree() ? node_of(axis, range_of(box[axis.offset])) : 0;
  }
}

Space::Range Space::join_tree(const Axis& axis, const Range& a, const Range& b) const {
  if (a.empty()) return b;
  if (b.empty() || !axis.is_tree()) return a;
  const Hierarchy::Node of_a = node_of(axis, a), of_b = node_of(axis, b);
  if (axis.nodes[of_a].first <= axis.nodes[of_b].first &&
      axis.nodes[of_a].last >= axis.nodes[of_b].last) {
    return a;
  }
  if (axis.nodes[of_b].first <= axis.nodes[of_a].first &&
      axis.nodes[of_b].last >= axis.nodes[of_a].last) {
    return b;
  }
  return {a.low, b.low, false};  // of nodes that are apart, any two leaves tell what is above both
}

void Space::add(Box& box, std::span<const Code> record) const {
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const Axis& axis = axes_[i];
    const Code value = record[i];
    std::uint64_t& word = box.words[axis.offset];
    if (axis.kind == Domain::Kind::set) {
      const auto list = list_of(box, i);
      if (value >= axis.capacity || !list.empty()) {
        // Rare, and lists are short: the list is made again.
        std::vector<Code> values = members(box, i);
        const auto at = std::lower_bound(values.begin(), values.end(), value);
        if (at == values.end() || *at != value) values.insert(at, value);
        if (!list.empty()) {
          const auto begin = box.lists.begin() + (list.data() - box.lists.data()) - 2;
          box.lists.erase(begin, begin + 2 + static_cast<std::ptrdiff_t>(list.size()));
        }
        box.lists.push_back(static_cast<Code>(i));
        box.lists.push_back(static_cast<Code>(values.size()));
        box.lists.insert(box.lists.end(), values.begin(), values.end());
      }
      const Code bit = value % axis.capacity;
      box.words[axis.offset + bit / 64] |= std::uint64_t{1} << (bit % 64);
      continue;
    }
    Range range = range_of(word);
    if (axis.kind == Domain::Kind::tree) {
      range = join_tree(axis, range, {value, value, false});
    } else if (value == axis.missing) {
      range.missing = true;
    } else {
      if (range.empty() || axis.numbers[value] < axis.numbers[range.low]) range.low = value;
      if (range.high == Values::kNone || axis.numbers[value] > axis.numbers[range.high]) {
        range.high = value;
      }
    }
    word = word_of(range);
  }
}

void Space::mark(Box& box) const {
  box.words[0] = 0;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (region(box, i).everything) box.words[0] |= std::uint64_t{1} << (i % 64);
  }
}

void Space::join(std::uint64_t* into, const std::uint64_t* other) const {
  into[0] |= other[0];
  for (const Axis& axis : axes_) {
    if (axis.kind == Domain::Kind::set) {
      for (std::size_t i = axis.offset; i < axis.offset + axis.words; ++i) into[i] |= other[i];
      continue;
    }
    Range range = range_of(into[axis.offset]);
    const Range more = range_of(other[axis.offset]);
    if (axis.kind == Domain::Kind::tree) {
      range = join_tree(axis, range, more);
    } else {
      range.missing |= more.missing;
      if (range.empty()) {
        range.low = more.low;
        range.high = more.high;
      } else if (!more.empty()) {
        if (axis.numbers[more.low] < axis.numbers[range.low]) range.low = more.low;
        if (axis.numbers[more.high] > axis.numbers[range.high]) range.high = more.high;
      }
    }
    into[axis.offset] = word_of(range);
  }
}

std::size_t Space::count(BoxView box, std::size_t axis) const {
  if (!box.lists.empty()) {
    if (const auto list = list_of(box, axis); !list.empty()) return list.size();
  }
  std::size_t result = 0;
  const std::uint64_t* bits = box.words + axes_[axis].offset;
  for (std::uint32_t i = 0; i < axes_[axis].words; ++i) {
    result += static_cast<std::size_t>(std::popcount(bits[i]));
  }
  return result;
}

bool Space::has(BoxView box, std::size_t axis, Code value) const {
  if (!box.lists.empty()) {
    if (const auto list = list_of(box, axis); !list.empty()) {
      return std::binary_search(list.begin(), list.end(), value);
    }
  }
  return value < axes_[axis].capacity && has_bit(box.words + axes_[axis].offset, value);
}

std::vector<Code> Space::members(BoxView box, std::size_t axis) const {
  const auto list = list_of(box, axis);
  if (!list.empty()) return {list.begin(), list.end()};
  std::vector<Code> result;
  for (Code bit = 0; bit < axes_[axis].capacity; ++bit) {
    if (has_bit(box.words + axes_[axis].offset, bit)) result.push_back(bit);
  }
  return result;
}

double Space::loss(BoxView box, std::size_t index) const {
  const Axis& axis = axes_[index];
  if (axis.kind == Domain::Kind::set) {
    const std::size_t values = count(box, index);
    return values < 2 ? 0 : static_cast<double>(values - 1) * axis.unit;
  }
  const Range range = range_of(box.words[axis.offset]);
  if (range.empty()) return 0;
  if (axis.kind == Domain::Kind::tree) {
    return !axis.is_tree() ? 0 : axis.nodes[node_of(axis, range)].loss;
  }
  if (range.missing) return 1;
  return (axis.numbers[range.high] - axis.numbers[range.low]) * axis.unit;
}

double Space::loss(BoxView box) const {
  double sum = 0;
  for (std::size_t i = 0; i < axes_.size(); ++i) sum += loss(box, i);
  return sum;
}

double Space::base_loss(BoxView box) const {
  double sum = 0;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const Axis& axis = axes_[i];
    if (axis.base <= 0) continue;
    const double now = loss(box, i);
    const bool is_whole = axis.kind == Domain::Kind::interval && now == 1;
    sum += is_whole ? 1 : now * axis.measure / axis.base;
  }
  return sum;
}

Region Space::region(BoxView box, std::size_t index) const {
  const Axis& axis = axes_[index];
  const Domain& domain = *axis.domain;
  if (axis.kind == Domain::Kind::set) {
    std::vector<Code> positions = members(box, index);
    for (Code& value : positions) value = axis.positions[value];
    std::sort(positions.begin(), positions.end());
    return region_of_set(domain, std::move(positions));
  }
  const Range range = range_of(box.words[axis.offset]);
  if (range.empty()) return region_of_value(domain, axis.positions[axis.missing]);
  const Code a = axis.positions[range.low], b = axis.positions[range.high];
  if (range.missing) return region_of_range(domain, a, axis.positions[axis.missing]);
  if (axis.kind == Domain::Kind::tree && !axis.is_tree()) return region_of_value(domain, a);
  return region_of_range(domain, std::min(a, b), std::max(a, b));
}

bool Space::sets_meet(BoxView a, BoxView b, std::size_t axis) const {
  const std::uint32_t offset = axes_[axis].offset;
  bool bits = false;
  for (std::uint32_t i = 0; i < axes_[axis].words; ++i) {
    bits |= (a.words[offset + i] & b.words[offset + i]) != 0;
  }
  if (!bits || (a.lists.empty() && b.lists.empty())) return bits;
  const std::vector<Code> of_a = members(a, axis);
  return std::any_of(of_a.begin(), of_a.end(), [&](Code value) { return has(b, axis, value); });
}

bool Space::overlaps(BoxView a, BoxView b) const {
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const Axis& axis = axes_[i];
    if (published_everything(a, i) || published_everything(b, i)) continue;
    if (axis.kind == Domain::Kind::set) {
      if (!sets_meet(a, b, i)) return false;
      continue;
    }
    const Range of_a = range_of(a.words[axis.offset]), of_b = range_of(b.words[axis.offset]);
    if (axis.kind == Domain::Kind::tree) {
      if (!axis.is_tree()) continue;
      const auto node_a = node_of(axis, of_a), node_b = node_of(axis, of_b);
      if (axis.nodes[node_a].first > axis.nodes[node_b].last ||
          axis.nodes[node_b].first > axis.nodes[node_a].last) {
        return false;
      }
      continue;
    }
    // Only missing ones, or only numbers: both together are published as everything.
    if (of_a.empty() || of_b.empty()) {
      if (of_a.missing != of_b.missing) return false;
    } else if (axis.numbers[of_a.low] > axis.numbers[of_b.high] ||
               axis.numbers[of_b.low] > axis.numbers[of_a.high]) {
      return false;
    }
  }
  return true;
}

bool Space::equal(BoxView a, BoxView b) const {
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const Axis& axis = axes_[i];
    if (published_everything(a, i) && published_everything(b, i)) continue;
    if (axis.kind == Domain::Kind::set) {
      if (members(a, i) != members(b, i)) return false;
      continue;
    }
    const Range of_a = range_of(a.words[axis.offset]), of_b = range_of(b.words[axis.offset]);
    if (axis.kind == Domain::Kind::tree) {
      if (axis.is_tree() && node_of(axis, of_a) != node_of(axis, of_b)) return false;
    } else if (of_a.low != of_b.low || of_a.high != of_b.high || of_a.missing != of_b.missing) {
      return false;
    }
  }
  return true;
}

bool Space::may_overlap(const std::uint64_t* node, BoxView box) const {
  const BoxView bound(node, {});
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const Axis& axis = axes_[i];
    if (published_everything(bound, i) || published_everything(box, i)) continue;
    if (axis.kind == Domain::Kind::set) {
      bool bits = false;
      for (std::uint32_t word = axis.offset; word < axis.offset + axis.words; ++word) {
        bits |= (node[word] & box.words[word]) != 0;
      }
      if (!bits) return false;
      continue;
    }
    const Range of_node = range_of(node[axis.offset]), of_box = range_of(box.words[axis.offset]);
    if (axis.kind == Domain::Kind::tree) {
      if (!axis.is_tree()) continue;
      const auto node_a = node_of(axis, of_node), node_b = node_of(axis, of_box);
      if (axis.nodes[node_a].first > axis.nodes[node_b].last ||
          axis.nodes[node_b].first > axis.nodes[node_a].last) {
        return false;
      }
      continue;
    }
    if (of_node.missing && of_box.missing) continue;
    if (of_node.empty() || of_box.empty()) return false;
    if (axis.numbers[of_node.low] > axis.numbers[of_box.high] ||
        axis.numbers[of_box.low] > axis.numbers[of_node.high]) {
      return false;
    }
  }
  return true;
}

bool Space::holds(const std::uint64_t* node, BoxView box, const Axis& axis) const {
  if (axis.kind == Domain::Kind::set) {
    for (std::uint32_t word = axis.offset; word < axis.offset + axis.words; ++word) {
      if ((box.words[word] & ~node[word]) != 0) return false;
    }
    return true;
  }
  const Range of_node = range_of(node[axis.offset]), of_box = range_of(box.words[axis.offset]);
  if (axis.kind == Domain::Kind::tree) {
    if (!axis.is_tree()) return true;
    const auto node_a = node_of(axis, of_node), node_b = node_of(axis, of_box);
    return axis.nodes[node_a].first <= axis.nodes[node_b].first &&
           axis.nodes[node_a].last >= axis.nodes[node_b].last;
  }
  if (of_box.missing && !of_node.missing) return false;
  if (of_box.empty()) return true;
  return !of_node.empty() && axis.numbers[of_node.low] <= axis.numbers[of_box.low] &&
         axis.numbers[of_node.high] >= axis.numbers[of_box.high];
}

bool Space::may_hold(const std::uint64_t* node, BoxView box) const {
  return std::all_of(axes_.begin(), axes_.end(),
                     [&](const Axis& axis) { return holds(node, box, axis); });
}

bool Space::may_equal(const std::uint64_t* node, BoxView box) const {
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (published_everything({node, {}}, i) && published_everything(box, i)) continue;
    if (!holds(node, box, axes_[i])) return false;
  }
  return true;
}

double Space::middle(const std::uint64_t* box, std::size_t index) const {
  const Axis& axis = axes_[index];
  if (axis.kind == Domain::Kind::set) {
    double sum = 0, bits = 0;
    for (Code bit = 0; bit < axis.capacity; ++bit) {
      if (!has_bit(box + axis.offset, bit)) continue;
      sum += bit;
      ++bits;
    }
    return bits > 0 ? sum / bits : 0;
  }
  const Range range = range_of(box[axis.offset]);
  if (range.empty()) return std::numeric_limits<double>::max();
  if (axis.kind == Domain::Kind::interval) {
    return axis.numbers[range.low] + axis.numbers[range.high];
  }
  return static_cast<double>(axis.positions[range.low]) +
         static_cast<double>(axis.positions[range.high]);
}

Space::Query Space::query(std::span<const Code> record) const {
  Query query;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const Axis& axis = axes_[i];
    const bool is_number = axis.kind == Domain::Kind::interval;
    query.places.push_back({record[i], axis.positions[record[i]],
                            is_number ? axis.numbers[record[i]] : 0,
                            is_number && record[i] == axis.missing});
  }
  return query;
}

double Space::increase(BoxView box, std::uint64_t size, const Query& query) const {
  double before = 0, after = 0;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const Axis& axis = axes_[i];
    const Query::Place& place = query.places[i];
    if (axis.kind == Domain::Kind::set) {
      const auto others = static_cast<double>(count(box, i) - 1);
      before += others * axis.unit;
      after += (has(box, i, place.value) ? others : others + 1) * axis.unit;
      continue;
    }
    const Range range = range_of(box.words[axis.offset]);
    if (axis.kind == Domain::Kind::tree) {
      if (!axis.is_tree()) continue;
      Hierarchy::Node node = node_of(axis, range);
      before += axis.nodes[node].loss;
      while (axis.nodes[node].first > place.position || axis.nodes[node].last < place.position) {
        node = axis.nodes[node].parent;
      }
      after += axis.nodes[node].loss;
      continue;
    }
    if (range.empty()) {  // only missing ones
      after += place.missing ? 0 : 1;
    } else if (range.missing) {
      before += 1;
      after += 1;
    } else {
      const double low = axis.numbers[range.low], high = axis.numbers[range.high];
      before += (high - low) * axis.unit;
      after += place.missing
                   ? 1
                   : (std::max(high, place.number) - std::min(low, place.number)) * axis.unit;
    }
  }
  return static_cast<double>(size) * (after - before) + after;
}

double Space::least_growth(const std::uint64_t* node, const Hierarchy::Node* resolved,
                           const Query& query, double enough) const {
  double growth = 0;
  for (std::size_t i = 0; i < axes_.size() && growth <= enough; ++i) {
    const Axis& axis = axes_[i];
    const Query::Place& place = query.places[i];
    if (axis.kind == Domain::Kind::set) {
      if (!has_bit(node + axis.offset, place.value % axis.capacity)) growth += axis.unit;
      continue;
    }
    const Range range = range_of(node[axis.offset]);
    if (axis.kind == Domain::Kind::tree) {
      if (!axis.is_tree()) {
        if (resolved != nullptr) ++resolved;
        continue;
      }
      Hierarchy::Node at = resolved != nullptr ? *resolved++ : node_of(axis, range);
      const double before = axis.nodes[at].loss;
      while (!axis.nodes[at].holds(place.position)) at = axis.nodes[at].parent;
      growth += axis.nodes[at].loss - before;
      continue;
    }
    if (place.missing) {
      if (!range.missing) {
        growth +=
            std::max(0.0, 1 - (axis.numbers[range.high] - axis.numbers[range.low]) * axis.unit);
      }
    } else if (range.empty()) {
      growth += 1;
    } else if (!range.missing) {
      growth += std::max({0.0, (axis.numbers[range.low] - place.number) * axis.unit,
                          (place.number - axis.numbers[range.high]) * axis.unit});
    }
  }
  return growth;
}

}  // namespace throng
