#include "cli/publication.h"

#include <fmt/format.h>

#include "throng/error.h"

namespace throng::cli {

void PublicationArguments::add_to(Verb& verb) {
  verb.argument("DIR", folder, "the publication's folder");
  verb.optional("--key-file", key_file,
                "the key of an encrypted publication (default: $THRONG_KEY_FILE)");
}

Publication PublicationArguments::open(Ledger::Access access, const std::string& verb,
                                       io::Session& session) const {
  Publication publication(folder, access, verb, key_file_or_default(key_file), wait, session);
  if (!key_file.empty() && !publication.ledger().encrypted()) {
    throw InputError(
        fmt::format("{}: is not encrypted: it was made without a key file; leave --key-file out, "
                    "or begin a new "
                    "publication with it",
                    folder));
  }
  return publication;
}

}  // namespace throng::cli
