// Releases from published files alone, by anyone and any tool, without the private table: what an
// attacker reads. All releases of one call share the domain of each quasi-identifier and the
// dictionary of each other column, so that positions and codes mean the same in all of them.
//
// Two regions meet just when what their texts say meets: the ends of intervals are values of the
// domain, and a mask or an open end (`<18`) without two values below it gets one that stands for
// the others (`0214…`, `-∞`). Other notations than ours are told by release/foreign_text.h; how a
// text that could be two things is taken:
//
//   exact value, leaf, label      before anything else; ours has its escapes. In a column of plain
//                                 sets braces that can be a set are one.
//   `*`, all hidden (`*****`)     everything. The empty text too, unless it is the missing value.
//   `a,b`                         the set of both where each is a value that stands elsewhere; one
//                                 value where no part stands anywhere else; refused between.
//   `0214*` by a mask rule        each `*` hides one character; in a file that never has two in a
//                                 row, one that is too short for the column hides all the rest.
//   `0214*` in other text         all values of the domain that begin so; refused if there are
//   none.
//
// A hierarchy is kept while every text is one of its nodes; else the column becomes a domain of
// intervals (numbers, dates) or sets (text) over the same values, in which nodes stand for theirs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "release/release.h"
#include "table/encode.h"

namespace throng {

// A published file: the columns that the policy releases (or some of them) in the order of the
// file.
struct ForeignFile {
  std::string source;
  std::vector<RawColumn> columns;
  std::size_t rows = 0;
};

// A text that cannot be understood, or in two ways. Whoever knows the file adds the line.
struct ForeignValue {
  std::size_t file = 0;
  std::string column;
  std::string text;
  std::string expected;
};

// What an empty cell of a quasi-identifier is.
enum class EmptyCell {
  as_listed,  // the missing value where `missing:` lists "" (it does unless told otherwise) as
              // value
  everything
};

// Classes are the distinct combinations of regions, however they are spelled; `suppressed` is 0.
// Throws ForeignValue; InputError for columns that the policy does not release, and for hierarchies
// that cannot be read.
std::vector<Release> read_foreign(std::vector<ForeignFile> files, const Policy& policy,
                                  EmptyCell empty = EmptyCell::as_listed);

}  // namespace throng
