// Which class is nearest to a record, and which classes a box would meet: an R-tree over the boxes
// of all classes, in the ledger, of which only the nodes that a question needs are read.
//
// Claim: nearest() is exact: the class that a look at all of them would find; ties go to the
// smallest id. Source: Guttman's R-tree (SIGMOD 1984) with best-first search (Hjaltason and Samet
// 1999); the distance is the increase of information loss. A node bounds it from below by its
// smallest class, its least loss, and the growth that its box must undergo. Nothing in it becomes
// wrong when domains grow (space.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "publication/database.h"
#include "publication/space.h"
#include "publication/vault.h"

namespace throng {

class ClassIndex {
 public:
  struct Entry {
    std::uint64_t id = 0;      // of the class: not 0, never used again
    std::uint64_t family = 0;  // whatever its owner needs to find it
    std::uint64_t size = 0;    // records
    Box box;
  };
  struct Found {
    std::uint64_t id = 0;
    std::uint64_t family = 0;
    double increase = 0;
  };

  static void create(Database& database);
  // Both must outlive the index.
  ClassIndex(Database& database, const Vault& vault);
  ~ClassIndex();
  ClassIndex(const ClassIndex&) = delete;
  ClassIndex& operator=(const ClassIndex&) = delete;

  bool empty() const { return root_ == 0; }
  // That of the boxes that are in it, once one was saved.
  const std::optional<Space::Layout>& layout() const { return layout_; }
  // The space as it is now; before anything else, and again whenever domains grew.
  void use(const Space* space);

  // Into an empty index: entries in an order in which neighbours are near each other.
  void fill(const std::vector<Entry>& entries);
  void insert(const Entry& entry);
  // `box` is the one it was inserted with, or one that its records have now.
  void erase(std::uint64_t id, const Box& box);

  // Several threads may ask at the same time.
  std::optional<Found> nearest(std::span<const Code> record) const;
  bool overlaps(const Box& box) const;
  // A class other than `except` with the same regions to a reader.
  bool has_equal(const Box& box, std::uint64_t except) const;

  // Writes what changed. `layout` is that of the space in use.
  void save(const Space::Layout& layout);

 private:
  struct Node;
  using NodeId = std::uint64_t;

  Node& node(NodeId id) const;
  Node& make_node(bool leaf);
  std::unique_ptr<Node> read(NodeId id) const;
  void drop(NodeId id);

  void resolve(Node& node) const;
  void add(Node& node, const std::uint64_t* words, std::vector<Code> lists) const;
  std::vector<std::uint64_t> words_of(const Entry& entry) const;
  std::vector<std::uint64_t> summary(const Node& node) const;
  std::size_t choose(const Node& node, const std::uint64_t* box) const;
  NodeId halve(Node& node);
  NodeId insert(NodeId id, const std::uint64_t* words, const std::vector<Code>& lists);
  bool erase(NodeId at, std::uint64_t id, const Box& box, bool everywhere);
  template <typename Enter, typename Accept>
  bool any(Enter&& enter, Accept&& accept) const;

  Database& database_;
  const Vault& vault_;
  const Space* space_ = nullptr;
  std::optional<Space::Layout> layout_;
  NodeId root_ = 0, next_ = 1;
  mutable std::deque<std::atomic<Node*>> nodes_;  // by id; null: not read yet
  mutable std::mutex reading_;
  mutable std::optional<Statement> query_;
  std::vector<NodeId> dropped_;
};

}  // namespace throng
