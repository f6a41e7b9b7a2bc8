// A source as DuckDB sees it. Internal to the io room.
#pragma once

#include <string>
#include <vector>

#include "io/duckdb.h"
#include "io/source.h"

namespace throng::io {

// The FROM clause of a source, its columns as text and called c0, c1, … in the order of `names`.
struct Relation {
  std::string from;
  std::vector<std::string> names;
};

// Throws DuckError, InputError.
Relation relation_of(Duck& duck, const Source& source);

// Parquet files that have the columns c0, c1, ….
Relation parquets_relation(const std::vector<std::string>& paths, std::size_t columns);

}  // namespace throng::io
