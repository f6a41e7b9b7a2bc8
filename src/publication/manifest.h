// The manifest beside each release: what it is and what it promises, in JSON, without any value of
// any record.
#pragma once

#include <string>
#include <vector>

#include "policy/policy.h"
#include "publication/publication.h"

namespace throng {

std::string write_manifest(const ReleaseRecord& record, const Figures& figures,
                           const Policy& policy, Strategy strategy);
// The figures of a manifest that write_manifest() made. Throws InputError that `source` is damaged.
Figures figures_in(const std::string& manifest, const std::string& source);

std::string manifest_path(const std::string& output);

// Checks an output against its manifest (`path`, which ends in .manifest.json): its hash and rows,
// and k and ℓ counted again from the file. What does not hold, in plain words. Throws InputError.
std::vector<std::string> check_manifest(const std::string& path, io::Session& session);

}  // namespace throng
