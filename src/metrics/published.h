// One view of everything that is published of a table, so that the same question can be put to all
// of it: a generalized release, buckets, and the original itself.
//
// An entry is records that say the same of their quasi-identifiers, each column by a region; its
// group is what its sensitive values are known of: the class or the bucket. A reader who wants to
// count knows no more than this, and takes
//
//   each value that a region covers for as likely as any other: |values asked for ∩ region| /
//   |region|, in values of the domain. For a node these are the leaves below it; for an interval
//   the values of the domain between its ends, not the numbers between them: queries ask for values
//   of the domain, and over those the probabilities must sum to 1. Where the domain is all whole
//   numbers of a range, both are the same;
//   each record of a group to have a sensitive value with its share of the group;
//   columns for independent of one another inside an entry.
//
// Records that were left out are not there to be counted, and nothing is scaled up for them: who
// asks a release how many people live in a place gets the people in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "release/buckets.h"
#include "release/release.h"
#include "table/table.h"

namespace throng {

// What the original and everything published of it have in common: the columns, and the numbers of
// their values.
struct Schema {
  struct Quasi {
    Domain domain;
    std::vector<std::uint64_t> records;  // of the original, by position
    std::size_t missing = 0;             // the position of the missing value, or the domain's size
  };
  std::vector<Quasi> quasi;
  std::string sensitive;  // "" where no column is: then every record has the one value ""
  Dictionary values;
};

// `domains` are those of the table's quasi-identifiers, by their names.
Schema make_schema(const Table& original, std::vector<Domain> domains,
                   const std::string& sensitive);

struct Published {
  struct Quasi {
    std::vector<Region> regions;  // each once
    std::vector<std::uint32_t> of_entry;
  };
  struct Count {
    Code value = 0;
    std::uint32_t count = 0;
  };

  std::vector<Quasi> quasi;                      // in the order of the schema
  std::vector<std::uint32_t> weights, group_of;  // by entry
  std::vector<std::uint32_t> sizes;              // records, by group
  // The multisets of the groups one after the other.
  std::vector<std::size_t> count_begin;  // of the group after the last one too
  std::vector<Count> count_list;
  std::uint64_t records = 0;

  std::size_t entries() const { return weights.size(); }
  std::span<const Count> counts(std::uint32_t group) const {
    return {count_list.data() + count_begin[group], count_list.data() + count_begin[group + 1]};
  }
};

// Entries stand group by group, and groups in an order of what they say: sums over them do not
// depend on the order of rows or classes. All take O(n log n), the sorting of the rows.
Published publish(const Table& original, const Schema& schema);
// The release's domains must be those of the schema.
Published publish(const Release& release, const Schema& schema);
// `source` begins the InputError about a value that the original does not have.
Published publish(const Buckets& buckets, const Schema& schema, const std::string& source);

// How many positions of the domain the region covers.
std::size_t covered(const Region& region);

}  // namespace throng
