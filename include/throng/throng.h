// Throng as a library: columns in, columns out.
//
//   const auto result = throng::anonymize(policy_yaml, {{"age", {"21", "23"}}, {"diagnosis",
//   {"flu", "asthma"}}});
//
// Nothing here prints or aborts; what goes wrong is thrown as InputError or PrivacyError (error.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "throng/error.h"
#include "throng/export.h"

namespace throng {

struct TextColumn {
  std::string name;
  std::vector<std::string> values;  // one a record; "" is missing unless the policy says otherwise
};

struct Options {
  unsigned threads = 0;    // 0: all cores
  std::uint64_t seed = 0;  // of the order of the rows; the same seed gives the same output
};

// How diverse a sensitive column is in the least diverse class, by three measures.
struct DiversityFigures {
  std::string column;
  std::size_t distinct = 0;  // distinct values
  double frequency = 0;      // 1 / share of the most frequent value
  double entropy = 0;        // exp of the entropy of the values
};

// What matching ℓ-diversity leaves to an attacker who knows rules.
struct MatchingFigures {
  std::string column;
  std::size_t rules = 0;   // that he is taken to know
  std::size_t stated = 0;  // of these: from a file; the others were mined
  std::size_t valid = 0;   // distinct values that are valid for the record that has the fewest
};

// What a release cost, and what it keeps.
struct Figures {
  std::size_t rows_in = 0;
  std::size_t rows_out = 0;
  std::size_t suppressed = 0;
  std::size_t dropped = 0;  // for a missing value, before anything else; not in rows_in
  std::size_t classes = 0;
  std::size_t k = 0;  // records in the smallest class
  std::vector<DiversityFigures> diversity;
  std::optional<MatchingFigures> matching;  // where the policy asks for it
  double average_class_size = 0;
  double information_loss = 0;  // Σ over classes of |e| · Σ |G_j|/|D_j|, a published record
  double gcp = 0;               // the same a cell, suppressed records counting 1
  double discernibility = 0;    // Σ |e|², and rows_in a suppressed record
};

struct Result {
  std::vector<TextColumn> columns;  // the released ones, in the order of the input
  Figures figures;
  std::vector<std::string> warnings;
};

// Anonymizes the columns by a policy (docs/policy.md). Hierarchy files and rules of the policy
// are taken from the working directory.
THRONG_API Result anonymize(std::string_view policy_yaml, const std::vector<TextColumn>& input,
                            const Options& options = {});

// The same for one more release of the same people (`algorithm: tds`): `previous` are the releases
// that are out already, in the order of their publication, each with its own columns and as it was
// published. The (X,Y)-requirements of the policy hold on the join of all of them.
THRONG_API Result anonymize(std::string_view policy_yaml, const std::vector<TextColumn>& input,
                            const std::vector<std::vector<TextColumn>>& previous,
                            const Options& options = {});

// "0.1.0".
THRONG_API std::string_view version();

}  // namespace throng
