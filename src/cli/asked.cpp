#include "cli/asked.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace throng::cli {

nlohmann::ordered_json asked_by(const Policy& policy) {
  nlohmann::ordered_json lines = nlohmann::ordered_json::array();
  if (policy.k > 1) lines.push_back(fmt::format("k-anonymity: k = {}", policy.k));
  for (const Diversity& asked : policy.diversities) {
    lines.push_back(fmt::format(
        "{} l-diversity of {}: l = {}{}", name_of(asked.variant), asked.column, asked.l,
        asked.variant == Diversity::Variant::recursive ? fmt::format(", c = {}", asked.c) : ""));
  }
  if (policy.matching) {
    lines.push_back(fmt::format("matching-l-diversity of {}: l = {}", policy.matching->column,
                                policy.matching->l));
  }
  for (const XyRequirement& asked : policy.xy) {
    if (asked.kind == XyRequirement::Kind::anonymity) {
      lines.push_back(fmt::format("xy-anonymity of {}: k = {}", fmt::join(asked.x, ", "), asked.k));
      continue;
    }
    for (const XyRequirement::Guarded& guarded : asked.guarded) {
      lines.push_back(fmt::format("xy-linkability of {} to {}: at most {:g}",
                                  fmt::join(asked.x, ", "), guarded.column, guarded.max));
    }
  }
  return lines;
}

}  // namespace throng::cli
