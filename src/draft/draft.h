// A first policy for a table, by looking at its columns: what each is likely to be, and how far
// those that look like quasi-identifiers narrow people down. A guess, to be read and corrected by
// somebody who knows the table; the text says so.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "policy/policy.h"
#include "table/encode.h"

namespace throng {

struct DraftColumn {
  std::string name;
  Role role = Role::insensitive;
  Type type = Type::text;
  std::size_t distinct = 0;  // values, all missing ones counting as one
  bool mask = false;         // a code such as a zip, generalized from the right
  std::string warning;       // "looks like an e-mail address"; else empty
  std::string note;          // why a role was given that the name does not suggest; else empty
};

// Records that no other equals in these columns.
struct DraftUnique {
  std::vector<std::string> columns;
  std::size_t records = 0;
};

struct Draft {
  std::vector<DraftColumn> columns;  // in the order of the table
  std::vector<DraftUnique>
      unique;          // each quasi-identifier alone, the sharpest pairs and triples, all
  std::string policy;  // YAML that parse_policy() accepts as it is, whatever the names are
};

// `source` is named in the text. No value of the table is ever part of the text, but for the
// spellings of missing values. Throws InputError where no column can be a quasi-identifier.
Draft draft_policy(const std::vector<RawColumn>& columns, std::size_t rows,
                   const std::string& source);

}  // namespace throng
