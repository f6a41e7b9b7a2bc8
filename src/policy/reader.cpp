#include "policy/reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "policy/policy.h"
#include "table/value.h"

namespace throng {

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known) {
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 2);
  for (const std::string& candidate : known) {
    std::vector<std::size_t> row(candidate.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= word.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j < row.size(); ++j) {
        const std::size_t replaced = diagonal + (word[i - 1] == candidate[j - 1] ? 0 : 1);
        diagonal = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
      }
    }
    // A beginning is near however much is left out: 'quasi' means 'quasi-identifier'.
    const std::size_t distance = word.size() >= 3 && candidate.starts_with(word) ? 1 : row.back();
    if (distance < best_distance || (distance == best_distance && !best)) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

InputError PolicyReader::error(const YAML::Node& node, const std::string& message) const {
  const YAML::Mark mark = node.Mark();
  if (mark.is_null()) return InputError(fmt::format("{}: {}", source_, message));
  return InputError(fmt::format("{}:{}:{}: {}", source_, mark.line + 1, mark.column + 1, message));
}

std::string PolicyReader::unknown(std::string_view what, const std::string& given,
                                  const std::vector<std::string>& known) {
  if (const auto meant = nearest(given, known)) {
    return fmt::format("unknown {} '{}'; did you mean '{}'?", what, given, *meant);
  }
  return fmt::format("unknown {} '{}'; expected one of: {}", what, given, fmt::join(known, ", "));
}

void PolicyReader::check_map(const YAML::Node& node, std::string_view what,
                             const std::vector<std::string>& known) const {
  if (!node.IsMap()) {
    throw error(node,
                fmt::format("{} is not a mapping; expected {}", what,
                            known.empty() ? std::string("NAME: {role: …}")
                                          : fmt::format("some of: {}", fmt::join(known, ", "))));
  }
  std::set<std::string> seen;
  for (const auto& entry : node) {
    const std::string key = text(entry.first, "a key");
    if (!known.empty() && std::find(known.begin(), known.end(), key) == known.end()) {
      throw error(entry.first, unknown(fmt::format("key in {}", what), key, known));
    }
    if (!seen.insert(key).second)
      throw error(entry.first, fmt::format("'{}' stands twice in {}", key, what));
  }
}

std::string PolicyReader::text(const YAML::Node& node, std::string_view what) const {
  if (!node.IsScalar()) throw error(node, fmt::format("{} is not a single value", what));
  return node.Scalar();
}

double PolicyReader::number(const YAML::Node& node, std::string_view what) const {
  const auto value = parse_value(Type::decimal, text(node, what));
  if (!value) throw error(node, fmt::format("{} is '{}'; expected a number", what, node.Scalar()));
  return value->number;
}

std::size_t PolicyReader::count(const YAML::Node& node, std::string_view what,
                                std::size_t least) const {
  const double value = number(node, what);
  if (value != std::floor(value) || value < static_cast<double>(least) || value > 1e15) {
    throw error(node, fmt::format("{} is '{}'; expected a whole number of at least {}", what,
                                  node.Scalar(), least));
  }
  return static_cast<std::size_t>(value);
}

bool PolicyReader::truth(const YAML::Node& node, std::string_view what) const {
  static constexpr Word<bool> kWords[] = {{"true", true}, {"false", false}};
  return word(node, what, kWords);
}

std::vector<YAML::Node> PolicyReader::list(const YAML::Node& node) const {
  if (!node.IsSequence()) return {node};
  return {node.begin(), node.end()};
}

}  // namespace throng
