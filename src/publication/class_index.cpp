#include "publication/class_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "publication/packing.h"
#include "throng/error.h"

namespace throng {
namespace {

// A node has at most so many entries; one that is filled at once has room left.
constexpr std::size_t kFanout = 32;
constexpr std::size_t kFilled = 24;

// The words of an entry before its box.
enum Field : std::size_t { kId, kFamily, kSize, kLoss, kHead };

// Bounds are sums in another order than what they bound.
constexpr double kSlack = 1e-6;
double slackened(double bound) { return bound * (1 - 1e-9) - 1e-12; }

std::string context_of(std::uint64_t id) { return fmt::format("index node {}", id); }

}  // namespace

// Entries side by side: of classes in a leaf, else of nodes (their family is 0).
struct ClassIndex::Node {
  NodeId id = 0;
  bool leaf = true;
  bool dirty = false;
  std::size_t stride = 0;
  std::size_t count = 0;
  std::vector<std::uint64_t> words;
  std::vector<std::vector<Code>> lists;  // by entry; empty where no entry has any
  // By entry, by tree: where its box is in the trees of now. Empty in a node that was changed.
  std::vector<Hierarchy::Node> resolved;

  void changed() {
    dirty = true;
    resolved.clear();
  }

  const std::uint64_t* entry(std::size_t i) const { return words.data() + i * stride; }
  std::uint64_t* entry(std::size_t i) { return words.data() + i * stride; }
  BoxView box(std::size_t i) const {
    return {entry(i) + kHead, lists.empty() ? std::span<const Code>() : lists[i]};
  }
  void remove(std::size_t i) {
    const auto begin = words.begin() + static_cast<std::ptrdiff_t>(i * stride);
    words.erase(begin, begin + static_cast<std::ptrdiff_t>(stride));
    if (!lists.empty()) lists.erase(lists.begin() + static_cast<std::ptrdiff_t>(i));
    --count;
    changed();
  }
};

void ClassIndex::create(Database& database) {
  database.execute(
      "CREATE TABLE dynamic_index (id INTEGER PRIMARY KEY, root INTEGER NOT NULL, "
      "next INTEGER NOT NULL, layout BLOB NOT NULL);"
      "CREATE TABLE dynamic_node (id INTEGER PRIMARY KEY, sealed BLOB NOT NULL)");
}

ClassIndex::ClassIndex(Database& database, const Vault& vault)
    : database_(database), vault_(vault) {
  Statement query = database.prepare("SELECT root, next, layout FROM dynamic_index");
  if (query.step()) {
    root_ = static_cast<NodeId>(query.integer(0));
    next_ = static_cast<NodeId>(query.integer(1));
    const std::string bytes = vault.open(query.blob(2), "index layout");
    Unpacker reader(bytes);
    Space::Layout layout;
    for (std::uint64_t left = reader.number(); left > 0; --left) {
      Space::Layout::Axis axis;
      axis.kind = static_cast<Domain::Kind>(reader.number());
      axis.words = static_cast<std::uint32_t>(reader.number());
      axis.measure = std::bit_cast<double>(reader.number());
      layout.axes.push_back(axis);
    }
    layout_ = layout;
  }
  while (nodes_.size() < next_) nodes_.emplace_back(nullptr);
}

ClassIndex::~ClassIndex() {
  for (const auto& slot : nodes_) delete slot.load();
}

std::unique_ptr<ClassIndex::Node> ClassIndex::read(NodeId id) const {
  if (!query_) query_.emplace(database_.prepare("SELECT sealed FROM dynamic_node WHERE id = ?"));
  query_->bind(1, static_cast<std::int64_t>(id));
  if (!query_->step()) {
    throw InputError(database_.path() + " is damaged: " + context_of(id) +
                     " is not there; restore it from a backup");
  }
  const std::string context = context_of(id);
  const std::string bytes = vault_.open(query_->blob(0), context);
  while (query_->step()) {
  }
  // Leaf or not, entries, their words as they are, lists.
  auto result = std::make_unique<Node>();
  Node& read = *result;
  read.id = id;
  read.stride = kHead + space_->words();
  Unpacker reader(bytes);
  read.leaf = reader.number() != 0;
  read.count = reader.number();
  const std::string_view words = reader.text();
  if (words.size() != read.count * read.stride * sizeof(std::uint64_t))
    throw std::logic_error(context + " has boxes of another layout");
  read.words.resize(read.count * read.stride);
  std::memcpy(read.words.data(), words.data(), words.size());
  if (!reader.at_end()) {
    read.lists.resize(read.count);
    for (auto& list : read.lists) {
      list.resize(reader.number());
      for (Code& code : list) code = static_cast<Code>(reader.number());
    }
  }
  return result;
}

ClassIndex::Node& ClassIndex::node(NodeId id) const {
  std::atomic<Node*>& slot = nodes_[id];
  if (Node* known = slot.load(std::memory_order_acquire)) return *known;
  const std::lock_guard lock(reading_);
  if (Node* known = slot.load(std::memory_order_acquire)) return *known;
  std::unique_ptr<Node> found = read(id);
  resolve(*found);
  Node* made = found.release();
  slot.store(made, std::memory_order_release);
  return *made;
}

ClassIndex::Node& ClassIndex::make_node(bool leaf) {
  auto made = std::make_unique<Node>();
  made->id = next_++;
  made->leaf = leaf;
  made->dirty = true;
  made->stride = kHead + space_->words();
  while (nodes_.size() < next_) nodes_.emplace_back(nullptr);
  Node& result = *made;
  nodes_[result.id].store(made.release());
  return result;
}

void ClassIndex::use(const Space* space) {
  space_ = space;
  if (space == nullptr) return;
  for (const auto& slot : nodes_) {
    if (Node* known = slot.load()) resolve(*known);
  }
}

void ClassIndex::resolve(Node& node) const {
  const std::size_t trees = space_->trees();
  node.resolved.resize(node.count * trees);
  for (std::size_t i = 0; i < node.count; ++i) {
    space_->resolve(node.entry(i) + kHead, node.resolved.data() + i * trees);
  }
}

void ClassIndex::drop(NodeId id) {
  delete nodes_[id].exchange(nullptr);
  dropped_.push_back(id);
}

void ClassIndex::add(Node& node, const std::uint64_t* words, std::vector<Code> lists) const {
  node.words.insert(node.words.end(), words, words + node.stride);
  if (!lists.empty() && node.lists.empty()) node.lists.resize(node.count);
  ++node.count;
  if (!lists.empty() || !node.lists.empty()) node.lists.push_back(std::move(lists));
  node.changed();
}

std::vector<std::uint64_t> ClassIndex::words_of(const Entry& entry) const {
  std::vector<std::uint64_t> words = {entry.id, entry.family, entry.size,
                                      std::bit_cast<std::uint64_t>(space_->base_loss(entry.box))};
  words.insert(words.end(), entry.box.words.begin(), entry.box.words.end());
  return words;
}

// The entry that stands for a node in the one above: its smallest class, its least loss, its box.
std::vector<std::uint64_t> ClassIndex::summary(const Node& node) const {
  std::vector<std::uint64_t> words = {node.id, 0, std::numeric_limits<std::uint64_t>::max(), 0};
  const Box box = space_->empty();
  words.insert(words.end(), box.words.begin(), box.words.end());
  double loss = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < node.count; ++i) {
    words[kSize] = std::min(words[kSize], node.entry(i)[kSize]);
    loss = std::min(loss, std::bit_cast<double>(node.entry(i)[kLoss]));
    space_->join(words.data() + kHead, node.entry(i) + kHead);
  }
  words[kLoss] = std::bit_cast<std::uint64_t>(loss);
  return words;
}

void ClassIndex::fill(const std::vector<Entry>& entries) {
  if (entries.empty()) return;
  std::vector<std::vector<std::uint64_t>> level;
  // As even as may be, so that no node is left with a few.
  const auto chunks = [](std::size_t count) { return (count + kFilled - 1) / kFilled; };
  const std::size_t leaves = chunks(entries.size());
  for (std::size_t i = 0; i < leaves; ++i) {
    Node& leaf = make_node(true);
    for (std::size_t at = entries.size() * i / leaves; at < entries.size() * (i + 1) / leaves;
         ++at) {
      add(leaf, words_of(entries[at]).data(), entries[at].box.lists);
    }
    level.push_back(summary(leaf));
  }
  while (level.size() > 1) {
    std::vector<std::vector<std::uint64_t>> above;
    const std::size_t count = chunks(level.size());
    for (std::size_t i = 0; i < count; ++i) {
      Node& inner = make_node(false);
      for (std::size_t at = level.size() * i / count; at < level.size() * (i + 1) / count; ++at) {
        add(inner, level[at].data(), {});
      }
      above.push_back(summary(inner));
    }
    level = std::move(above);
  }
  root_ = level[0][kId];
}

// The child whose box grows least; of those, the one with the least loss.
std::size_t ClassIndex::choose(const Node& node, const std::uint64_t* box) const {
  std::size_t best = 0;
  double best_growth = std::numeric_limits<double>::max(), best_loss = best_growth;
  std::vector<std::uint64_t> joined(space_->words());
  for (std::size_t i = 0; i < node.count; ++i) {
    const std::uint64_t* own = node.entry(i) + kHead;
    std::copy_n(own, joined.size(), joined.begin());
    space_->join(joined.data(), box);
    const double loss = space_->loss({own, {}});
    const double growth = space_->loss({joined.data(), {}}) - loss;
    if (growth < best_growth || (growth == best_growth && loss < best_loss)) {
      best = i;
      best_growth = growth;
      best_loss = loss;
    }
  }
  return best;
}

// Half of the entries go to a new node: along the order that leaves the least loss.
ClassIndex::NodeId ClassIndex::halve(Node& node) {
  const std::size_t half = node.count / 2;
  std::vector<std::size_t> order(node.count), best;
  double least = std::numeric_limits<double>::max();
  for (std::size_t axis = 0; axis < space_->dimensions(); ++axis) {
    std::vector<double> keys(node.count);
    for (std::size_t i = 0; i < node.count; ++i)
      keys[i] = space_->middle(node.entry(i) + kHead, axis);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
    double loss = 0;
    for (const bool right : {false, true}) {
      Box box = space_->empty();
      for (std::size_t i = right ? half : 0; i < (right ? node.count : half); ++i) {
        space_->join(box.words.data(), node.entry(order[i]) + kHead);
      }
      loss += space_->loss({box.words.data(), {}});
    }
    if (loss < least) {
      least = loss;
      best = order;
    }
  }
  Node& other = make_node(node.leaf);
  Node kept;
  kept.stride = node.stride;
  for (std::size_t i = 0; i < best.size(); ++i) {
    add(i < half ? kept : other, node.entry(best[i]),
        node.lists.empty() ? std::vector<Code>() : node.lists[best[i]]);
  }
  node.words = std::move(kept.words);
  node.lists = std::move(kept.lists);
  node.count = kept.count;
  node.changed();
  return other.id;
}

// A second node where the first one overflowed, or 0.
ClassIndex::NodeId ClassIndex::insert(NodeId id, const std::uint64_t* words,
                                      const std::vector<Code>& lists) {
  Node& at = node(id);
  if (at.leaf) {
    add(at, words, lists);
  } else {
    const std::size_t child = choose(at, words + kHead);
    const NodeId below = at.entry(child)[kId];
    const NodeId second = insert(below, words, lists);
    const std::vector<std::uint64_t> first = summary(node(below));
    std::copy(first.begin(), first.end(), at.entry(child));
    if (second != 0) add(at, summary(node(second)).data(), {});
    at.changed();
  }
  return at.count > kFanout ? halve(at) : 0;
}

void ClassIndex::insert(const Entry& entry) {
  if (root_ == 0) root_ = make_node(true).id;
  const NodeId second = insert(root_, words_of(entry).data(), entry.box.lists);
  if (second == 0) return;
  Node& above = make_node(false);
  add(above, summary(node(root_)).data(), {});
  add(above, summary(node(second)).data(), {});
  root_ = above.id;
}

bool ClassIndex::erase(NodeId at_id, std::uint64_t id, const Box& box, bool everywhere) {
  Node& at = node(at_id);
  for (std::size_t i = 0; i < at.count; ++i) {
    if (at.leaf) {
      if (at.entry(i)[kId] != id) continue;
      at.remove(i);
      return true;
    }
    if (!everywhere && !space_->may_hold(at.entry(i) + kHead, box)) continue;
    const NodeId below = at.entry(i)[kId];
    if (!erase(below, id, box, everywhere)) continue;
    if (node(below).count == 0) {
      drop(below);
      at.remove(i);
    } else {
      const std::vector<std::uint64_t> words = summary(node(below));
      std::copy(words.begin(), words.end(), at.entry(i));
      at.changed();
    }
    return true;
  }
  return false;
}

void ClassIndex::erase(std::uint64_t id, const Box& box) {
  // A hierarchy that was built anew over more values may have put a value elsewhere.
  if (root_ == 0 || (!erase(root_, id, box, false) && !erase(root_, id, box, true))) {
    throw std::logic_error(fmt::format("class {} is not in the index", id));
  }
  while (true) {
    const Node& top = node(root_);
    if (top.count == 0) {
      drop(std::exchange(root_, 0));
      return;
    }
    if (top.leaf || top.count > 1) return;
    drop(std::exchange(root_, top.entry(0)[kId]));
  }
}

std::optional<ClassIndex::Found> ClassIndex::nearest(std::span<const Code> record) const {
  if (root_ == 0) return std::nullopt;
  const Space::Query query = space_->query(record);
  const double shrinkage = space_->shrinkage();
  const std::size_t trees = space_->trees();
  Found best{0, 0, std::numeric_limits<double>::max()};
  struct Pending {
    double bound;
    NodeId id;
    bool operator<(const Pending& other) const { return bound > other.bound; }
  };
  std::vector<Pending> pending = {{0, root_}};
  while (!pending.empty() && pending.front().bound <= best.increase) {
    std::pop_heap(pending.begin(), pending.end());
    const Node& at = node(pending.back().id);
    pending.pop_back();
    for (std::size_t i = 0; i < at.count; ++i) {
      const std::uint64_t* entry = at.entry(i);
      const double size = static_cast<double>(entry[kSize] + 1);
      const double loss = std::bit_cast<double>(entry[kLoss]) * shrinkage;
      const double growth = space_->least_growth(
          entry + kHead, at.resolved.empty() ? nullptr : at.resolved.data() + i * trees, query,
          (best.increase - loss) / size + kSlack);
      const double bound = slackened(size * growth + loss);
      if (bound > best.increase) continue;
      if (!at.leaf) {
        pending.push_back({bound, entry[kId]});
        std::push_heap(pending.begin(), pending.end());
        continue;
      }
      const double increase = space_->increase(at.box(i), entry[kSize], query);
      if (increase < best.increase || (increase == best.increase && entry[kId] < best.id)) {
        best = {entry[kId], entry[kFamily], increase};
      }
    }
  }
  return best;
}

template <typename Enter, typename Accept>
bool ClassIndex::any(Enter&& enter, Accept&& accept) const {
  std::vector<NodeId> pending;
  if (root_ != 0) pending.push_back(root_);
  while (!pending.empty()) {
    const Node& at = node(pending.back());
    pending.pop_back();
    for (std::size_t i = 0; i < at.count; ++i) {
      const std::uint64_t* entry = at.entry(i);
      if (!enter(entry + kHead)) continue;
      if (!at.leaf) {
        pending.push_back(entry[kId]);
      } else if (accept(entry[kId], at.box(i))) {
        return true;
      }
    }
  }
  return false;
}

bool ClassIndex::overlaps(const Box& box) const {
  return any([&](const std::uint64_t* node) { return space_->may_overlap(node, box); },
             [&](std::uint64_t, BoxView other) { return space_->overlaps(other, box); });
}

bool ClassIndex::has_equal(const Box& box, std::uint64_t except) const {
  return any(
      [&](const std::uint64_t* node) { return space_->may_equal(node, box); },
      [&](std::uint64_t id, BoxView other) { return id != except && space_->equal(other, box); });
}

void ClassIndex::save(const Space::Layout& layout) {
  Statement write = database_.prepare("INSERT OR REPLACE INTO dynamic_node VALUES (?, ?)");
  for (const auto& slot : nodes_) {
    Node* changed = slot.load();
    if (changed == nullptr || !changed->dirty) continue;
    Packer writer;
    writer.number(changed->leaf ? 1 : 0);
    writer.number(changed->count);
    writer.text({reinterpret_cast<const char*>(changed->words.data()),
                 changed->words.size() * sizeof(std::uint64_t)});
    for (const auto& list : changed->lists) {
      writer.number(list.size());
      for (const Code code : list) writer.number(code);
    }
    write.bind(1, static_cast<std::int64_t>(changed->id))
        .bind_blob(2, vault_.seal(std::move(writer).take(), context_of(changed->id)))
        .run();
    changed->dirty = false;
  }
  Statement remove = database_.prepare("DELETE FROM dynamic_node WHERE id = ?");
  for (const NodeId id : dropped_) remove.bind(1, static_cast<std::int64_t>(id)).run();
  dropped_.clear();

  Packer writer;
  writer.number(layout.axes.size());
  for (const Space::Layout::Axis& axis : layout.axes) {
    writer.number(static_cast<std::uint64_t>(axis.kind));
    writer.number(axis.words);
    writer.number(std::bit_cast<std::uint64_t>(axis.measure));
  }
  database_.prepare("INSERT OR REPLACE INTO dynamic_index VALUES (1, ?, ?, ?)")
      .bind(1, static_cast<std::int64_t>(root_))
      .bind(2, static_cast<std::int64_t>(next_))
      .bind_blob(3, vault_.seal(std::move(writer).take(), "index layout"))
      .run();
  layout_ = layout;
}

}  // namespace throng
