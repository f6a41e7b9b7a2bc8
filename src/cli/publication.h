// What the verbs of a publication share.
#pragma once

#include <string>

#include "cli/common.h"
#include "publication/publication.h"

namespace throng::cli {

// Where a publication is, and how to get at it.
struct PublicationArguments {
  std::string folder, key_file;
  double wait = 30;

  void add_to(Verb& verb);
  Publication open(Ledger::Access access, const std::string& verb, io::Session& session) const;
};

}  // namespace throng::cli
