// Every invariant of a publication, checked again from its ledger.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "publication/publication.h"

namespace throng {

struct Verification {
  std::vector<std::string> checks;  // what was checked and holds
  std::vector<std::string> broken;  // what does not, in plain words
  // Records that have fewer than ℓ possible values, at least, for an attacker who uses all releases
  // at once. Under append and static-batch that would be broken; `dynamic` does not promise it.
  // Nothing where it was not tried: records are not followed, or too many.
  std::optional<std::size_t> exposed;
};

// Throws InputError where the ledger cannot be read at all: damage that is found by a checksum is
// among `broken`. Of a sequential publication every release is joined again with all before it, and
// held against the policy of its time and its manifest.
Verification verify(Publication& publication, io::Session& session);

}  // namespace throng
