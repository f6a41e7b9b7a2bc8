// What a column looks like, by its name and by its distinct values. Internal to the draft room.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "table/encode.h"

namespace throng {

struct Looks {
  Type type = Type::text;
  std::size_t present = 0;           // distinct values that are not missing
  std::vector<std::string> missing;  // the spellings of missing values that occur
  bool digits = false;     // a code of digits or letters of one length, like a zip: to be masked
  std::string personal;    // "an e-mail address", "a name", …: what names one person; else empty
  bool sensitive = false;  // by its name
  bool quasi = false;      // by its name: an age, a sex, a place, …

  // All missing spellings together are one more value.
  std::size_t distinct() const { return present + (missing.empty() ? 0 : 1); }
};

// Cells that say nothing are missing: "", "?", "NA" and their like; "-" only where no column of the
// table has a "+", beside which it is the result of a test.
Looks look_at(const RawColumn& column, std::size_t rows, bool minus_is_missing);

// Whether almost every record has its own value. Of very few records nothing can be said.
bool nearly_unique(const Looks& looks, std::size_t rows);

}  // namespace throng
