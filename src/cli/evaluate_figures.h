// The figures of `throng evaluate` that compare a release with its original column by column, and
// what the policy asks beside what was found.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "audit/check.h"
#include "metrics/profile.h"
#include "metrics/published.h"
#include "policy/policy.h"
#include "release/release.h"

namespace throng::cli {

// How often each value occurs.
std::vector<std::uint64_t> counts_of(const Dictionary& values, const Codes& codes);

// `requirements`: each one with what is asked and what was found. All hold where nothing is broken.
void add_requirements(nlohmann::ordered_json& object, const Policy& policy, const Verdict& verdict,
                      const Release& release, std::size_t suppressed, std::size_t rows_in);

// `class_sizes`, `risk` and `columns`. `release` has the columns that are released as they are; of
// buckets no others than the sensitive one, and no losses.
void add_profile(nlohmann::ordered_json& object, const Table& original, const Release& release,
                 const Schema& schema, const Published& before, const Published& after);

// Of these figures, lines of the table for people: discernibility, and the loss by column.
std::string profile_table(const nlohmann::ordered_json& object);

}  // namespace throng::cli
