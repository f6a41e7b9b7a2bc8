#include "cli/foreign_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "io/reader.h"
#include "throng/error.h"

namespace throng::cli {

namespace fs = std::filesystem;

std::vector<std::string> published_names(const std::string& source, const Policy& policy,
                                         io::Session& session,
                                         std::vector<std::string>& identifiers) {
  std::vector<std::string> result;
  for (const std::string& name : io::read_names(source, session)) {
    const ColumnPolicy* column = policy.find(name);
    if (column == nullptr) {
      throw InputError(fmt::format("{}: column '{}' is not in the policy {}; give it a role there",
                                   source, name, policy.source));
    }
    if (column->role == Role::identifier) {
      identifiers.push_back(name);
    } else {
      result.push_back(name);
    }
  }
  // One order for all: that of the policy.
  std::sort(result.begin(), result.end(), [&](const std::string& one, const std::string& other) {
    return policy.find(one) < policy.find(other);
  });
  if (result.empty())
    throw InputError(source + ": has no column that the policy releases; expected at least one");
  return result;
}

ForeignFile read_published(const std::string& source, const std::vector<std::string>& names,
                           io::Session& session) {
  io::RawTable raw = io::read_raw(source, names, session, /*may_be_empty=*/true);
  return {source, std::move(raw.columns), raw.rows};
}

bool is_bucket(const std::string& word) {
  std::error_code error;
  const std::string stem = word.substr(0, word.size() - fs::path(word).extension().string().size());
  return !fs::exists(word, error) && fs::exists(stem + ".qit.csv", error) &&
         fs::exists(stem + ".st.csv", error);
}

Buckets read_bucket_pair(const std::string& word, const Policy& policy, io::Session& session) {
  const std::string stem = word.substr(0, word.size() - fs::path(word).extension().string().size());
  const std::string qit = stem + ".qit.csv", st = stem + ".st.csv";
  try {
    return read_buckets(read_published(qit, io::read_names(qit, session), session),
                        read_published(st, io::read_names(st, session), session), policy);
  } catch (const ForeignValue& bad) {
    throw InputError(fmt::format("{}: column '{}' has '{}'; expected {}",
                                 io::place_of(bad.file == 0 ? qit : st, bad.column, bad.text),
                                 bad.column, bad.text, bad.expected));
  }
}

}  // namespace throng::cli
