#include "audit/file_channels.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <stdexcept>
#include <tuple>

#include "audit/comparison.h"
#include "audit/overlaps.h"

namespace throng {
namespace {

constexpr std::size_t kGrain = 64;  // classes that a thread takes at once

const Release::Plain& column_of(const Release& release, std::string_view name) {
  for (const Release::Plain& plain : release.plain) {
    if (plain.name == name) return plain;
  }
  throw std::invalid_argument(fmt::format("a release has no column '{}'", name));
}

// A release as the search sees it.
struct Indexed {
  Classes classes;  // without their records
  Boxes boxes;
  // By class: classes that stand unchanged in several releases have the same, others different
  // ones.
  std::vector<std::uint32_t> identity;
};

Classes count_classes(const Release& release, const Release::Plain& column) {
  History history;
  history.values.resize(release.rows());
  column.codes.visit(
      [&](const auto& codes) { std::copy(codes.begin(), codes.end(), history.values.begin()); });
  history.class_of.push_back(release.class_of_row);
  Classes classes = make_classes(history, 0);
  if (classes.size() != release.classes)
    throw std::invalid_argument("a class of a release has no records");
  classes.of_record = {};
  classes.record_begin = {};
  classes.record_list = {};
  return classes;
}

bool is_same(const Classes::Count& a, const Classes::Count& b) {
  return a.value == b.value && a.count == b.count;
}

// What makes a class the same class.
class Identities {
 public:
  Identities(const BoxCode& code, std::vector<Indexed>& releases)
      : words_(code.words()), sets_(code.sets()), releases_(releases) {}

  void assign() {
    std::vector<Member> members;
    for (std::uint32_t release = 0; release < releases_.size(); ++release) {
      releases_[release].identity.resize(releases_[release].classes.size());
      for (std::uint32_t number = 0; number < releases_[release].classes.size(); ++number)
        members.push_back({hash(release, number), release, number});
    }
    std::sort(members.begin(), members.end());
    std::uint32_t next = 0;
    std::vector<Member> distinct;  // of one hash: nearly always one
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (i == 0 || members[i].hash != members[i - 1].hash) distinct.clear();
      const auto same = std::find_if(distinct.begin(), distinct.end(), [&](const Member& other) {
        return is_equal(members[i], other);
      });
      if (same == distinct.end()) {
        distinct.push_back(members[i]);
        identity(members[i]) = next++;
      } else {
        identity(members[i]) = identity(*same);
      }
    }
  }

 private:
  struct Member {
    std::uint64_t hash = 0;
    std::uint32_t release = 0, number = 0;
    bool operator<(const Member& other) const {
      return std::tie(hash, release, number) < std::tie(other.hash, other.release, other.number);
    }
  };

  std::uint32_t& identity(const Member& member) {
    return releases_[member.release].identity[member.number];
  }
  std::span<const std::uint64_t> words(std::uint32_t release, std::uint32_t number) const {
    return {releases_[release].boxes.words.data() + number * words_, words_};
  }
  std::span<const std::uint32_t> sets(std::uint32_t release, std::uint32_t number) const {
    return {releases_[release].boxes.sets.data() + number * sets_, sets_};
  }

  std::uint64_t hash(std::uint32_t release, std::uint32_t number) const {
    std::uint64_t sum = 0;
    const auto add = [&sum](std::uint64_t word) {
      sum = (sum ^ word) * 0x9E3779B97F4A7C15ULL;
      sum ^= sum >> 32;
    };
    for (const std::uint64_t word : words(release, number)) add(word);
    for (const std::uint32_t set : sets(release, number)) add(set);
    for (const Classes::Count& count : releases_[release].classes.counts(number))
      add(std::uint64_t{count.value} << 32 | count.count);
    return sum;
  }

  bool is_equal(const Member& a, const Member& b) const {
    const auto words_a = words(a.release, a.number), words_b = words(b.release, b.number);
    const auto sets_a = sets(a.release, a.number), sets_b = sets(b.release, b.number);
    const auto counts_a = releases_[a.release].classes.counts(a.number),
               counts_b = releases_[b.release].classes.counts(b.number);
    return std::equal(words_a.begin(), words_a.end(), words_b.begin()) &&
           std::equal(sets_a.begin(), sets_a.end(), sets_b.begin()) &&
           std::equal(counts_a.begin(), counts_a.end(), counts_b.begin(), counts_b.end(), is_same);
  }

  std::size_t words_, sets_;
  std::vector<Indexed>& releases_;
};

// The worst channels so far.
class Worst {
 public:
  explicit Worst(std::size_t keep) : keep_(keep) {}

  // Whether one with so few values and so many records may be among them.
  bool wants(std::size_t values, std::size_t vulnerable) const {
    if (kept_.size() < keep_) return true;
    if (keep_ == 0) return false;
    const Channel& mildest = kept_.front();
    return values != mildest.values.size() ? values < mildest.values.size()
                                           : vulnerable >= mildest.vulnerable;
  }
  void add(Channel channel) {
    if (keep_ == 0) return;
    if (kept_.size() == keep_) {
      if (!is_worse(channel, kept_.front())) return;
      std::pop_heap(kept_.begin(), kept_.end(), is_worse);
      kept_.pop_back();
    }
    kept_.push_back(std::move(channel));
    if (keep_ != kKeepAll) std::push_heap(kept_.begin(), kept_.end(), is_worse);
  }
  std::vector<Channel> take() { return std::move(kept_); }

 private:
  std::size_t keep_;
  std::vector<Channel> kept_;  // a heap with the mildest in front; in no order where all are kept
};

class Search {
 public:
  Search(std::span<const Release> releases, std::string_view sensitive, std::size_t l,
         std::size_t keep)
      : code_(releases[0]),
        values_(column_of(releases[0], sensitive).values.size()),
        workers_([this, l, keep] { return Worker(values_, l, keep); }) {
    for (const Release& release : releases) {
      const Release::Plain& column = column_of(release, sensitive);
      if (column.values.size() != values_)
        throw std::invalid_argument("releases have different dictionaries");
      releases_.push_back({count_classes(release, column), code_.pack(release), {}});
    }
    Identities(code_, releases_).assign();
  }

  FileChannels run() {
    FileChannels result;
    result.vulnerable_by_release.assign(releases_.size(), 0);
    for (std::size_t later = 1; later < releases_.size(); ++later) {
      const Indexed& release = releases_[later];
      const OverlapTree tree(code_, release.boxes);
      std::vector<char> vulnerable(release.classes.count_list.size(), 0);
      for (std::size_t earlier = 0; earlier < later; ++earlier) {
        result.pairs.push_back(compare(earlier, later, tree, vulnerable));
        result.pairs_of_classes +=
            static_cast<std::uint64_t>(releases_[earlier].classes.size()) * release.classes.size();
      }
      result.vulnerable_by_release[later] = records(release.classes, vulnerable);
      result.vulnerable += result.vulnerable_by_release[later];
    }
    for (Worker& worker : workers_) {
      std::vector<Channel> kept = worker.worst.take();
      std::move(kept.begin(), kept.end(), std::back_inserter(result.channels));
      result.pairs_touched += worker.touched;
    }
    std::sort(result.channels.begin(), result.channels.end(), is_worse);
    return result;
  }

 private:
  struct Worker {
    Worker(std::size_t values, std::size_t l, std::size_t keep)
        : comparison(values, l), worst(keep) {}

    Comparison comparison;
    Worst worst;
    std::vector<std::uint32_t> parts;
    std::uint64_t touched = 0;
    FileChannels::Pair pair;  // its share of the pair of releases at hand
  };

  // Also marks the values of the later classes that are vulnerable, as counts of count_list.
  FileChannels::Pair compare(std::size_t earlier, std::size_t later, const OverlapTree& tree,
                             std::vector<char>& vulnerable) {
    const Indexed& before = releases_[earlier];
    const Indexed& after = releases_[later];
    const std::vector<char> set_aside_before = find_unchanged(before, after),
                            set_aside_after = find_unchanged(after, before);
    std::vector<char> here(vulnerable.size(), 0);
    for (Worker& worker : workers_) worker.pair = {};
    const auto compare_one = [&](Worker& worker, std::uint32_t number) {
      worker.touched += tree.find(before.boxes, number, worker.parts);
      std::erase_if(worker.parts, [&](std::uint32_t part) { return set_aside_after[part] != 0; });
      worker.pair.meetings += worker.parts.size();
      for (const Comparison::Finding& finding :
           worker.comparison.compare(before.classes, number, after.classes, worker.parts)) {
        ++(finding.kind == Channel::Kind::difference ? worker.pair.differences
                                                     : worker.pair.intersections);
        const auto entries = worker.comparison.entries(finding);
        // Threads may mark the same one; none reads before all are done.
        for (const std::uint32_t entry : entries)
          std::atomic_ref<char>(here[entry]).store(1, std::memory_order_relaxed);
        if (!worker.worst.wants(entries.size(), finding.vulnerable)) continue;
        Channel channel{earlier, later, number, finding.part, finding.kind, {}, finding.vulnerable};
        for (const std::uint32_t entry : entries)
          channel.values.push_back(after.classes.count_list[entry].value);
        worker.worst.add(std::move(channel));
      }
    };
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, before.classes.size(), kGrain),
                      [&](const tbb::blocked_range<std::size_t>& range) {
                        Worker& worker = workers_.local();
                        for (std::size_t i = range.begin(); i < range.end(); ++i) {
                          if (set_aside_before[i] == 0)
                            compare_one(worker, static_cast<std::uint32_t>(i));
                        }
                      });
    FileChannels::Pair pair;
    pair.earlier = earlier;
    pair.later = later;
    for (const Worker& worker : workers_) {
      pair.differences += worker.pair.differences;
      pair.intersections += worker.pair.intersections;
      pair.meetings += worker.pair.meetings;
    }
    pair.unchanged = static_cast<std::size_t>(
        std::count(set_aside_before.begin(), set_aside_before.end(), char{1}));
    pair.vulnerable = records(after.classes, here);
    for (std::size_t i = 0; i < here.size(); ++i) vulnerable[i] |= here[i];
    return pair;
  }

  // By class of `release`: whether it stands in `other` too.
  static std::vector<char> find_unchanged(const Indexed& release, const Indexed& other) {
    std::vector<std::uint32_t> there = other.identity;
    std::sort(there.begin(), there.end());
    std::vector<char> unchanged;
    for (const std::uint32_t identity : release.identity)
      unchanged.push_back(std::binary_search(there.begin(), there.end(), identity) ? 1 : 0);
    return unchanged;
  }

  static std::size_t records(const Classes& classes, const std::vector<char>& marked) {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < marked.size(); ++i)
      sum += marked[i] != 0 ? classes.count_list[i].count : 0;
    return sum;
  }

  BoxCode code_;
  std::size_t values_;
  std::vector<Indexed> releases_;
  tbb::enumerable_thread_specific<Worker> workers_;
};

// Where two regions that meet do.
Region meeting(const Domain& domain, const Region& a, const Region& b) {
  if (a.everything) return b;
  if (b.everything) return a;
  switch (domain.kind) {
    case Domain::Kind::interval:
      return region_of_range(domain, std::max(a.low, b.low), std::min(a.high, b.high));
    case Domain::Kind::tree: {  // one lies below the other
      const Hierarchy& tree = *domain.tree;
      return tree.last(a.node) - tree.first(a.node) <= tree.last(b.node) - tree.first(b.node) ? a
                                                                                              : b;
    }
    case Domain::Kind::set:
      break;
  }
  if (a.members.empty()) return a;
  if (b.members.empty()) return b;
  std::vector<Code> members;
  std::set_intersection(a.members.begin(), a.members.end(), b.members.begin(), b.members.end(),
                        std::back_inserter(members));
  return region_of_set(domain, std::move(members));
}

}  // namespace

std::uint64_t FileChannels::count() const {
  std::uint64_t sum = 0;
  for (const Pair& pair : pairs) sum += pair.differences + pair.intersections;
  return sum;
}

FileChannels find_file_channels(std::span<const Release> releases, std::string_view sensitive,
                                std::size_t l, std::size_t keep) {
  if (releases.empty()) return {};
  FileChannels result = Search(releases, sensitive, l, keep).run();
  if (result.channels.size() > keep) result.channels.resize(keep);
  return result;
}

bool is_worse(const Channel& a, const Channel& b) {
  if (a.values.size() != b.values.size()) return a.values.size() < b.values.size();
  if (a.vulnerable != b.vulnerable) return a.vulnerable > b.vulnerable;
  return std::tie(a.later, a.earlier, a.earlier_class, a.later_class, a.kind) <
         std::tie(b.later, b.earlier, b.earlier_class, b.later_class, b.kind);
}

std::string explain(const Channel& channel, std::span<const Release> releases,
                    std::string_view sensitive) {
  const Release& earlier = releases[channel.earlier];
  const Release& later = releases[channel.later];
  const bool entered = channel.kind == Channel::Kind::difference;
  std::vector<std::string> regions;
  for (std::size_t column = 0; column < later.quasi.size(); ++column) {
    const Domain& domain = later.quasi[column].domain;
    const Region& region = later.region(column, channel.later_class);
    const Region told =
        entered ? region : meeting(domain, earlier.region(column, channel.earlier_class), region);
    if (!told.everything) regions.push_back(write_region(domain, told));
  }
  std::vector<std::string_view> values;
  const Dictionary& labels = column_of(later, sensitive).values;
  for (const Code value : channel.values) values.push_back(labels.labels[value]);
  const std::string presence =
      entered ? fmt::format("entered after release {}", channel.earlier + 1)
              : fmt::format("is in releases {} and {}", channel.earlier + 1, channel.later + 1);
  std::string who;
  if (!regions.empty())
    who = fmt::format("is {}{} and ", fmt::join(regions, ", "), regions.size() > 1 ? "," : "");
  return fmt::format("whoever {}{} has {}", who, presence, fmt::join(values, " or "));
}

}  // namespace throng
