// Blocks of a pool, each as tight as can be; what would cost too much waits.
//
// Claim: every block meets the requirements. A block goes out when its loss per record is at most
// `max_loss`, or when one of its records is due. No paper: an attacker who keeps every release sees
// down to blocks anyway (docs/safety.md), so they need not tile the space as Mondrian's classes do:
// their boxes may overlap, and that lets them be as small as the requirements allow.
//
// What is minimized is Σ over blocks of records · loss, plus a price of max_loss (or somewhat more)
// for each record that waits. Mondrian cuts the pool into parts; in each part a block grows from
// each entry that still has none, those with the rarest sensitive values first, because rare values
// are what blocks are short of: it takes the nearest entry that brings it closer to the
// requirements until it meets them. What is left joins the block where it costs least, and entries
// move to where they cost less. A record of a common value never waits for a rare one: it joins any
// block whose box it fits. Where Mondrian's own classes of a part cost less, those are taken. Cost:
// O(n · p) with p entries a part; p shrinks as n grows, from kMostPart to kLeastPart.
#include "algorithms/blocks.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "algorithms/boxes.h"
#include "algorithms/protectable.h"

namespace throng {
namespace {

constexpr std::size_t kMostPart = 600;
constexpr std::size_t kLeastPart = 100;
// Entries that are looked at in parts of the largest size.
constexpr std::size_t kSmallPool = 20000;
// Blocks that are merged at most to make room for one more record.
constexpr std::size_t kMostMerged = 4;
// How often every entry is offered another block.
constexpr int kRounds = 2;
// What a record that waits counts, in terms of max_loss. Above 1, because waiting costs twice: the
// record is not seen, and at the end of its patience it goes out at any loss.
constexpr double kPatiencePrice = 1.5;
// A due record outweighs every loss.
constexpr double kDuePrice = 1e6;
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

struct Solution {
  double cost = 0;
  std::vector<std::vector<std::uint32_t>> blocks;  // entries of the list; those that go out
};

// The blocks of one part.
class Part {
 public:
  Part(const FrequencyList& list, const Requirements& requirements, const BoxSpace& space,
       double max_loss, const std::vector<char>& due, std::span<const std::uint32_t> entries,
       Tally& tally)
      : list_(list),
        requirements_(requirements),
        space_(space),
        max_loss_(max_loss),
        due_(due),
        entries_(entries.begin(), entries.end()),
        tally_(tally) {
    std::sort(entries_.begin(), entries_.end());
    own_.reset(space, entries_.size());
    for (std::size_t i = 0; i < entries_.size(); ++i) own_.add(i, entries_[i]);
    joined_.reset(space, 1);
  }

  Solution grow() {
    grow_blocks();
    for (int round = 0; round < kRounds; ++round) {
      join_loose();
      if (!move_entries()) break;
    }
    join_loose();
    return settle();
  }

  // What a given partition into groups of entries is worth.
  Solution take(const std::vector<std::vector<std::uint32_t>>& groups) {
    for (const auto& group : groups) {
      std::vector<std::uint32_t> members;
      members.reserve(group.size());
      for (const std::uint32_t entry : group) {
        members.push_back(static_cast<std::uint32_t>(
            std::lower_bound(entries_.begin(), entries_.end(), entry) - entries_.begin()));
      }
      if (meets(members, kNone)) {
        add_block(std::move(members));
      } else {
        loose_.insert(loose_.end(), members.begin(), members.end());
      }
    }
    return settle();
  }

 private:
  struct Block {
    std::vector<std::uint32_t> members;  // places in entries_
    BoxArray box;
    double cost() const { return box.weight(0) * box.loss(0); }
  };

  bool is_due(std::uint32_t member) const { return due_[entries_[member]] != 0; }
  double weight(std::uint32_t member) const { return list_.weights[entries_[member]]; }
  // What it costs that an entry waits.
  double price(std::uint32_t member) const {
    // No block can be looser than that: everything may go out.
    const bool any_loss = max_loss_ >= static_cast<double>(list_.domains.size());
    return weight(member) * (any_loss || is_due(member) ? kDuePrice : kPatiencePrice * max_loss_);
  }

  void rebuild(Block& block) const {
    block.box.reset(space_, 1);
    for (const std::uint32_t member : block.members) block.box.add(0, entries_[member]);
  }
  void add_block(std::vector<std::uint32_t> members) {
    Block& block = blocks_.emplace_back();
    block.members = std::move(members);
    rebuild(block);
  }
  // The loss of a block with one more entry.
  double loss_with(const Block& block, std::uint32_t member) {
    joined_.join(0, block.box, 0, own_, member);
    return joined_.loss(0);
  }
  // Whether these meet the requirements without `left_out`, or with `added`.
  bool meets(const std::vector<std::uint32_t>& members, std::size_t left_out,
             std::size_t added = kNone) {
    tally_.clear();
    for (const std::uint32_t member : members) {
      if (member != left_out) tally_.add(entries_[member]);
    }
    if (added != kNone) tally_.add(entries_[added]);
    return requirements_.met(tally_);
  }

  // Entries with rare values first.
  std::vector<std::uint32_t> seeds() const {
    std::vector<std::uint64_t> rarity(entries_.size(), 0);
    for (const auto& values : list_.values) {
      std::vector<std::pair<Code, std::uint32_t>> by_value;
      for (std::uint32_t i = 0; i < entries_.size(); ++i)
        by_value.emplace_back(values[entries_[i]], i);
      std::sort(by_value.begin(), by_value.end());
      for (std::size_t begin = 0, end = 0; begin < by_value.size(); begin = end) {
        std::uint64_t records = 0;
        for (; end < by_value.size() && by_value[end].first == by_value[begin].first; ++end) {
          records += list_.weights[entries_[by_value[end].second]];
        }
        for (std::size_t i = begin; i < end; ++i) {
          std::uint64_t& least = rarity[by_value[i].second];
          least = least == 0 ? records : std::min(least, records);
        }
      }
    }
    std::vector<std::uint32_t> order(entries_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return rarity[a] < rarity[b]; });
    return order;
  }

  void grow_blocks() {
    std::vector<char> taken(entries_.size(), 0);
    std::vector<std::uint32_t> free(entries_.size());
    std::iota(free.begin(), free.end(), 0);
    set_hopeless_aside(free, taken);
    for (const std::uint32_t seed : seeds()) {
      bool grown = false;
      while (!taken[seed] && !grown) {
        grown = grow_block(seed, free, taken);
        if (!grown && !set_hopeless_aside(free, taken)) break;
      }
      if (!taken[seed]) break;
      if (grown) std::erase_if(free, [&](std::uint32_t member) { return taken[member] != 0; });
    }
    loose_.insert(loose_.end(), free.begin(), free.end());
  }

  // Entries that nobody free can protect become loose, and count as taken. Whether there were any.
  bool set_hopeless_aside(std::vector<std::uint32_t>& free, std::vector<char>& taken) {
    if (!requirements_.has_knowledge()) return false;
    std::vector<std::uint32_t> entries;
    for (const std::uint32_t member : free) entries.push_back(entries_[member]);
    const std::vector<char> hopeless = requirements_.hopeless(tally_, entries);
    if (hopeless.empty()) return false;
    std::vector<std::uint32_t> others;
    for (std::size_t i = 0; i < free.size(); ++i) {
      (hopeless[i] ? loose_ : others).push_back(free[i]);
      if (hopeless[i]) taken[free[i]] = 1;
    }
    free = std::move(others);
    return true;
  }

  // A block around `seed` of the nearest entries that help. False where the free entries cannot
  // make one: then no other seed can either, because every one of them was asked; unless someone
  // in the block is hopeless, whom the others are better without.
  bool grow_block(std::uint32_t seed, const std::vector<std::uint32_t>& free,
                  std::vector<char>& taken) {
    Block block;
    block.members = {seed};
    rebuild(block);
    taken[seed] = 1;
    tally_.clear();
    tally_.add(entries_[seed]);
    while (!requirements_.met(tally_)) {
      double least = std::numeric_limits<double>::max();
      std::size_t nearest = kNone;
      for (const std::uint32_t member : free) {
        if (taken[member]) continue;
        if (!requirements_.helped_by(tally_, entries_[member])) continue;
        const double loss = loss_with(block, member);
        if (loss < least) {
          least = loss;
          nearest = member;
        }
      }
      if (nearest == kNone) {
        for (const std::uint32_t member : block.members) taken[member] = 0;
        return false;
      }
      const auto member = static_cast<std::uint32_t>(nearest);
      taken[member] = 1;
      block.members.push_back(member);
      block.box.add(0, entries_[member]);
      tally_.add(entries_[member]);
    }
    blocks_.push_back(std::move(block));
    return true;
  }

  struct Place {
    std::size_t block = kNone;
    double cost = 0;
  };
  // Where an entry costs less than `limit`, and least.
  Place cheapest(std::uint32_t member, double limit, std::size_t but) {
    Place place{kNone, limit};
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const Block& block = blocks_[i];
      if (i == but) continue;
      const double cost =
          (block.box.weight(0) + weight(member)) * loss_with(block, member) - block.cost();
      if (cost >= place.cost) continue;
      if (!requirements_.only_distinct() && !meets(block.members, kNone, member)) continue;
      place = {i, cost};
    }
    return place;
  }

  void put(std::uint32_t member, std::size_t block) {
    blocks_[block].members.push_back(member);
    blocks_[block].box.add(0, entries_[member]);
  }

  void join_loose() {
    std::erase_if(loose_, [&](std::uint32_t member) {
      const Place place = cheapest(member, price(member), kNone);
      if (place.block == kNone) return !requirements_.only_distinct() && join_by_merging(member);
      put(member, place.block);
      return true;
    });
  }

  // Where values are weighed, a block that just meets the requirements has no room for one more
  // record of a common value, but two or three such blocks together may have.
  bool join_by_merging(std::uint32_t member) {
    Block merged;
    merged.members = {member};
    rebuild(merged);
    std::vector<std::size_t> parts;
    double cost_of_parts = 0;
    while (parts.size() < kMostMerged && parts.size() < blocks_.size()) {
      std::size_t nearest = kNone;
      double least = std::numeric_limits<double>::max();
      for (std::size_t i = 0; i < blocks_.size(); ++i) {
        if (std::find(parts.begin(), parts.end(), i) != parts.end()) continue;
        joined_.join(0, merged.box, 0, blocks_[i].box, 0);
        if (joined_.loss(0) < least) {
          least = joined_.loss(0);
          nearest = i;
        }
      }
      parts.push_back(nearest);
      cost_of_parts += blocks_[nearest].cost();
      merged.members.insert(merged.members.end(), blocks_[nearest].members.begin(),
                            blocks_[nearest].members.end());
      rebuild(merged);
      if (merged.cost() - cost_of_parts >= price(member)) return false;
      if (!is_due(member) && merged.box.loss(0) > max_loss_) return false;
      if (!meets(merged.members, kNone)) continue;
      blocks_[parts.front()] = std::move(merged);
      std::sort(parts.begin() + 1, parts.end(), std::greater<>());
      for (std::size_t i = 1; i < parts.size(); ++i) {
        blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(parts[i]));
      }
      return true;
    }
    return false;
  }

  // Moves entries to another block, or out, where that costs less. Whether any moved.
  bool move_entries() {
    bool moved = false;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      for (std::size_t place = 0; place < blocks_[i].members.size();) {
        const std::uint32_t member = blocks_[i].members[place];
        if (!move_entry(i, member)) {
          ++place;
          continue;
        }
        moved = true;
      }
    }
    return moved;
  }

  bool move_entry(std::size_t from, std::uint32_t member) {
    Block& block = blocks_[from];
    if (block.members.size() < 2) return false;
    without_.reset(space_, 1);
    for (const std::uint32_t other : block.members) {
      if (other != member) without_.add(0, entries_[other]);
    }
    const double gain = block.cost() - without_.weight(0) * without_.loss(0);
    if (gain <= kLeastGain || !meets(block.members, member)) return false;
    const Place place = cheapest(member, std::min(gain - kLeastGain, price(member)), from);
    if (place.block == kNone && gain - kLeastGain <= price(member)) return false;
    std::erase(block.members, member);
    rebuild(block);
    if (place.block == kNone) {
      loose_.push_back(member);
    } else {
      put(member, place.block);
    }
    return true;
  }

  Solution settle() const {
    Solution solution;
    for (const std::uint32_t member : loose_) solution.cost += price(member);
    for (const Block& block : blocks_) {
      const bool goes = block.box.loss(0) <= max_loss_ ||
                        std::any_of(block.members.begin(), block.members.end(),
                                    [&](std::uint32_t member) { return is_due(member); });
      if (!goes) {
        solution.cost += block.box.weight(0) * kPatiencePrice * max_loss_;
        continue;
      }
      solution.cost += block.cost();
      auto& out = solution.blocks.emplace_back();
      for (const std::uint32_t member : block.members) out.push_back(entries_[member]);
    }
    return solution;
  }

  static constexpr double kLeastGain = 1e-9;

  const FrequencyList& list_;
  const Requirements& requirements_;
  const BoxSpace& space_;
  const double max_loss_;
  const std::vector<char>& due_;
  std::vector<std::uint32_t> entries_;
  Tally& tally_;
  BoxArray own_;  // the box of each entry
  BoxArray joined_, without_;
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> loose_;  // places in entries_ without a block
};

std::size_t part_entries(std::size_t entries) {
  if (entries <= kSmallPool) return kMostPart;
  return std::max(kLeastPart, kMostPart * kSmallPool / entries);
}

// What Mondrian cannot cut, because the whole does not meet the requirements, is cut all the same:
// entries stand in the order of their quasi-identifiers, and some may form blocks.
void cut_large_parts(NestedParts& parts, std::size_t most) {
  std::vector<std::uint32_t> starts;
  for (std::size_t i = 0; i < parts.part_starts.size(); ++i) {
    const std::size_t begin = parts.part_starts[i];
    const std::size_t end =
        i + 1 < parts.part_starts.size() ? parts.part_starts[i + 1] : parts.order.size();
    const std::size_t pieces = end - begin <= 2 * most ? 1 : (end - begin + most - 1) / most;
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      starts.push_back(static_cast<std::uint32_t>(begin + (end - begin) * piece / pieces));
    }
  }
  parts.part_starts = std::move(starts);
}

Partition blocks_of(const FrequencyList& list, const Requirements& requirements, double max_loss,
                    const std::vector<char>& due) {
  const std::size_t most = part_entries(list.size());
  NestedParts parts = mondrian_parts(list, requirements, most);
  cut_large_parts(parts, most);
  const BoxSpace space(list, requirements);
  const auto end_of = [&](const std::vector<std::uint32_t>& starts, std::size_t i) {
    return i + 1 < starts.size() ? starts[i + 1] : static_cast<std::uint32_t>(list.size());
  };
  std::vector<Solution> solutions(parts.part_starts.size());
  tbb::enumerable_thread_specific<Tally> tallies([&] { return requirements.tally(list); });
  tbb::parallel_for(std::size_t{0}, solutions.size(), [&](std::size_t i) {
    const std::uint32_t begin = parts.part_starts[i], end = end_of(parts.part_starts, i);
    const auto entries = std::span(parts.order).subspan(begin, end - begin);
    const auto part = [&] {
      return Part(list, requirements, space, max_loss, due, entries, tallies.local());
    };
    std::vector<std::vector<std::uint32_t>> classes;
    auto next = std::lower_bound(parts.class_starts.begin(), parts.class_starts.end(), begin);
    const bool whole = next != parts.class_starts.end() && *next == begin;
    for (; whole && next != parts.class_starts.end() && *next < end; ++next) {
      const std::uint32_t class_end =
          end_of(parts.class_starts, static_cast<std::size_t>(next - parts.class_starts.begin()));
      if (class_end > end) break;  // a class that was too large for one part
      classes.emplace_back(parts.order.begin() + *next, parts.order.begin() + class_end);
    }
    solutions[i] = part().grow();
    if (classes.empty()) return;
    Solution cut = part().take(classes);
    if (cut.cost < solutions[i].cost) solutions[i] = std::move(cut);
  });
  std::vector<std::uint32_t> order, starts;
  for (const Solution& solution : solutions) {
    for (const auto& block : solution.blocks) {
      starts.push_back(static_cast<std::uint32_t>(order.size()));
      order.insert(order.end(), block.begin(), block.end());
    }
  }
  return tight_partition(list, order, std::move(starts));
}

}  // namespace

Partition make_blocks(const FrequencyList& list, const Requirements& requirements, double max_loss,
                      const std::vector<char>& due) {
  return partition_protectable(
      list, requirements,
      [&](const FrequencyList& some, const std::vector<std::uint32_t>& entries) {
        std::vector<char> some_due;
        for (const std::uint32_t entry : entries) some_due.push_back(due[entry]);
        return blocks_of(some, requirements, max_loss, some_due);
      });
}

}  // namespace throng
