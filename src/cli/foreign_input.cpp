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

BucketFiles bucket_files(const std::string& word) {
  const std::string stem = word.substr(0, word.size() - fs::path(word).extension().string().size());
  return {stem + ".qit.csv", stem + ".st.csv"};
}

bool names_buckets(const std::string& word) {
  std::error_code error;
  const BucketFiles files = bucket_files(word);
  return !fs::exists(word, error) && fs::exists(files.qit, error) && fs::exists(files.st, error);
}

std::optional<BucketFiles> find_buckets(const std::string& word, const Policy& policy,
                                        io::Session& session) {
  if (names_buckets(word)) return bucket_files(word);
  if (policy.find("group") != nullptr) return std::nullopt;
  const std::vector<std::string> names = io::read_names(word, session);
  if (std::find(names.begin(), names.end(), "group") == names.end()) return std::nullopt;
  return BucketFiles{word, word};
}

Buckets read_bucket_files(const BucketFiles& files, const Policy& policy, io::Session& session) {
  const auto read = [&](const std::string& file) {
    return read_published(file, io::read_names(file, session), session);
  };
  try {
    if (files.qit == files.st) return read_permuted(read(files.qit), policy);
    return read_buckets(read(files.qit), read(files.st), policy);
  } catch (const ForeignValue& bad) {
    throw InputError(
        fmt::format("{}: column '{}' has '{}'; expected {}",
                    io::place_of(bad.file == 0 ? files.qit : files.st, bad.column, bad.text),
                    bad.column, bad.text, bad.expected));
  }
}

}  // namespace throng::cli
