// Some columns of a release: its distinct records on them, each once and weighed, and their values
// as what they cover.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "release/release.h"

namespace throng {

// What a value of a column covers: the positions low to high of its domain (of a plain column: its
// code), or only `members` of them. It points into the release.
struct Cover {
  Code low = 0;
  Code high = 0;
  const std::vector<Code>* members = nullptr;
};

// Whether they have a value in common. Of two nodes of a hierarchy: whether one is on the path of
// the other, since the leaves of nodes are nested or apart.
bool meet(const Cover& one, const Cover& other);
bool within(const Cover& inner, const Cover& outer);
// Whether there are values that all of them cover, and whether these lie within `outer`.
bool meet(std::span<const Cover> all);
bool common_within(std::span<const Cover> all, const Cover& outer);

// Which of consecutively numbered groups each of n things is in.
struct Ranks {
  std::vector<std::uint32_t> of;
  std::size_t count = 0;

  explicit Ranks(std::size_t n) : of(n), count(n > 0 ? 1 : 0) {}
  // Splits the groups by these values, all below `domain`. Groups are numbered in the order of
  // their values, the first split first.
  void refine(std::span<const std::uint32_t> values, std::size_t domain);
  // The first thing of each group.
  std::vector<std::uint32_t> examples() const;
};

struct Projection {
  struct Column {
    std::string name;
    const Release::Quasi* quasi = nullptr;  // or
    const Release::Plain* plain = nullptr;
    std::vector<Cover> values;           // by value: in the order of the domain
    std::vector<std::uint32_t> regions;  // of a quasi-identifier, by value: its region
    std::vector<std::uint32_t> of;       // by record: its value

    std::string text(std::size_t value) const;
    // What the text of a policy names: a value, or a region that covers values. None: the column
    // cannot have it. Throws InputError for what is no label of the column's hierarchy.
    std::optional<Cover> find(const std::string& text, Region& storage) const;
  };

  std::vector<Column> columns;         // those of `names` that the release has, in that order
  std::vector<std::uint32_t> weights;  // rows, by record
  std::size_t rows = 0;

  std::size_t size() const { return weights.size(); }
  std::optional<std::size_t> find(std::string_view name) const;
};

// The release must outlive it. Time: rows · columns, and the sorting of what is distinct.
Projection project(const Release& release, const std::vector<std::string>& names);

}  // namespace throng
