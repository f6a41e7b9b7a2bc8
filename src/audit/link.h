// The records of a private table found again in releases: the history of an attacker who knows
// everybody's quasi-identifiers and who is in which release.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "audit/history.h"
#include "release/release.h"

namespace throng {

// The private records: positions in the domains of the releases' quasi-identifiers, and the code of
// one sensitive column in the releases' dictionary.
struct PrivateRecords {
  std::vector<std::vector<Code>> positions;  // by quasi-identifier, by record
  std::vector<Code> values;                  // by record
  std::vector<std::vector<char>> is_in;      // by release, by record
};

struct Linked {
  History history;
  // Records that are said to be in a release and fit none of its classes, by release.
  std::vector<std::size_t> astray;
  // Where a record fits several classes of a release, he cannot tell which of them it is in: they
  // count as one. So many classes were joined with another.
  std::size_t joined = 0;
  // Classes whose records in the table are not as many as published: the table is another one.
  std::size_t disagreeing = 0;
};

// `plain` is the index of the sensitive column in each release's plain columns.
Linked link_records(const PrivateRecords& records, const std::vector<Release>& releases,
                    std::size_t plain);

}  // namespace throng
