// How far columns narrow people down: how many records are the only ones with their values.
// Internal to the draft room.
#pragma once

#include <cstddef>
#include <vector>

#include "table/table.h"

namespace throng {

// Some columns, by their places in ascending order, and how many records no other record equals in
// all of them.
struct Narrowing {
  std::vector<std::size_t> columns;
  std::size_t unique = 0;
};

struct Narrowings {
  std::vector<Narrowing> alone;           // each column, in their order
  std::vector<Narrowing> pairs, triples;  // the three that narrow most, most first
  Narrowing all;                          // all columns together
  // Every count is of the whole table. Which pairs and triples narrow most was found on this many
  // records taken at random, if there are more; the same ones, in whatever order the rows come.
  std::size_t sample = 0;
};

// Of more than `most` columns, only those with most values form pairs and triples.
Narrowings narrow(const Table& table, std::size_t sample = 200000, std::size_t most = 12);

}  // namespace throng
