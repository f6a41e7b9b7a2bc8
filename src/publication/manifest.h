// The manifest beside each release: what it is and what it promises, in JSON, without any value of
// any record.
#pragma once

#include <string>
#include <vector>

#include "policy/policy.h"
#include "publication/publication.h"

namespace throng {

// `joined`: of a sequential publication, else nothing.
std::string write_manifest(const ReleaseRecord& record, const Figures& figures,
                           const StoredPolicy& stored, Strategy strategy,
                           const Joined* joined = nullptr);
// The figures of a manifest that write_manifest() made. Throws InputError that `source` is damaged.
Figures figures_in(const std::string& manifest, const std::string& source);

// How a release of a sequential publication stands with all before it, by its manifest.
struct Reached {
  std::string kind;  // xy-anonymity or xy-linkability
  std::vector<std::string> x;
  double reached = 0;           // A_Y(X) or L_Y(X)
  std::optional<double> asked;  // nothing where values have different bounds

  std::string words() const;
};
// As figures_in().
std::vector<Reached> reached_in(const std::string& manifest, const std::string& source);

std::string manifest_path(const std::string& output);

// Checks an output against its manifest (`path`, which ends in .manifest.json): its hash and rows,
// and k and ℓ counted again from the file. What does not hold, in plain words. Throws InputError.
std::vector<std::string> check_manifest(const std::string& path, io::Session& session);

}  // namespace throng
