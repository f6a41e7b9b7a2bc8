// Every invariant of a publication, checked again from its ledger.
#pragma once

#include <string>
#include <vector>

#include "publication/publication.h"

namespace throng {

struct Verification {
  std::vector<std::string> checks;  // what was checked and holds
  std::vector<std::string> broken;  // what does not, in plain words
  // `dynamic` promises nothing against who uses more than two releases at once: so many records, at
  // least, have fewer than ℓ possible values for him.
  std::size_t exposed = 0;
};

// Throws InputError where the ledger cannot be read at all: damage that is found by a checksum is
// among `broken`.
Verification verify(Publication& publication, io::Session& session);

}  // namespace throng
