#include "cli/publication.h"

namespace throng::cli {

void PublicationArguments::add_to(Verb& verb) {
  verb.argument("DIR", folder, "the publication's folder");
  verb.optional("--key-file", key_file,
                "the key of an encrypted publication (default: $THRONG_KEY_FILE)");
}

Publication PublicationArguments::open(Ledger::Access access, const std::string& verb,
                                       io::Session& session) const {
  return {folder, access, verb, key_file_or_default(key_file), wait, session};
}

}  // namespace throng::cli
