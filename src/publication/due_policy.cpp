#include "publication/due_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace throng {
namespace {

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Moves those that are not in `known` out of `names`.
std::vector<std::string> take_unknown(std::vector<std::string>& names,
                                      const std::vector<std::string>& known) {
  std::vector<std::string> unknown;
  std::erase_if(names, [&](const std::string& name) {
    if (has(known, name)) return false;
    unknown.push_back(name);
    return true;
  });
  return unknown;
}

std::vector<std::string> guarded_columns(const XyRequirement& asked) {
  std::vector<std::string> names;
  for (const XyRequirement::Guarded& guarded : asked.guarded) {
    if (!has(names, guarded.column)) names.push_back(guarded.column);
  }
  return names;
}

}  // namespace

std::string name_of(const XyRequirement& asked) {
  return fmt::format(
      "{} of {}", asked.kind == XyRequirement::Kind::anonymity ? "xy-anonymity" : "xy-linkability",
      fmt::join(asked.x, ", "));
}

DuePolicy due_policy(const Policy& policy, const std::vector<std::string>& table,
                     const std::vector<std::string>& before) {
  std::vector<std::string> out = table;
  out.insert(out.end(), before.begin(), before.end());
  DuePolicy due;
  due.policy = policy;
  due.policy.xy.clear();
  for (const XyRequirement& whole : policy.xy) {
    XyRequirement asked = whole;
    const bool links = asked.kind == XyRequirement::Kind::linkability;
    std::vector<std::string> y = links ? guarded_columns(asked) : asked.y;
    const bool needs_y = !y.empty();
    const std::vector<std::string> later_x = take_unknown(asked.x, out);
    const std::vector<std::string> later_y = take_unknown(y, out);
    std::vector<std::string> later = later_x;
    later.insert(later.end(), later_y.begin(), later_y.end());
    const bool is_due = !asked.x.empty() && (!needs_y || !y.empty());
    if (!later.empty()) {
      due.waits.push_back(fmt::format("{} {} {}, which {} not out yet", name_of(whole),
                                      is_due ? "is asked without" : "waits for",
                                      fmt::join(later, ", "), later.size() == 1 ? "is" : "are"));
    }
    if (!is_due) continue;
    if (!links) {
      asked.y = std::move(y);
      due.policy.xy.push_back(std::move(asked));
      continue;
    }
    for (const std::string& column : y) {
      XyRequirement one = asked;
      std::erase_if(one.guarded, [&](const XyRequirement::Guarded& guarded) {
        return guarded.column != column;
      });
      due.policy.xy.push_back(std::move(one));
    }
  }
  std::erase_if(due.policy.diversities,
                [&](const Diversity& diversity) { return !has(table, diversity.column); });
  std::erase_if(due.policy.inconsistent, [&](const InconsistentPair& pair) {
    return !has(out, pair.one.column) || !has(out, pair.other.column);
  });
  if (policy.goal == Goal::classification && !has(table, policy.class_column))
    due.policy.goal = Goal::distortion;
  return due;
}

}  // namespace throng
