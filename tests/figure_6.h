// Figure 6 of Byun et al. by brute force, for tests: as it stands, between every two releases.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "audit/history.h"

namespace throng::testing {

// How many of the sets that can be inferred are neither empty nor of `l` distinct values.
inline std::size_t channels_of(const History& history, std::size_t l) {
  using Counts = std::map<Code, std::size_t>;
  std::size_t channels = 0;
  const auto judge = [&](const Counts& set) {
    if (!set.empty() && set.size() < l) ++channels;
  };
  const auto intersection = [](const Counts& a, const Counts& b) {
    Counts result;
    for (const auto& [value, count] : a) {
      const auto other = b.find(value);
      if (other != b.end()) result[value] = std::min(count, other->second);
    }
    return result;
  };
  for (std::size_t i = 0; i < history.releases(); ++i) {
    for (std::size_t j = i + 1; j < history.releases(); ++j) {
      std::map<std::uint32_t, Counts> of_i, of_j;
      std::map<std::uint32_t, std::set<std::uint32_t>> parts;
      for (std::size_t record = 0; record < history.records(); ++record) {
        const std::uint32_t a = history.class_of[i][record], b = history.class_of[j][record];
        if (a != History::kAbsent) ++of_i[a][history.values[record]];
        if (b != History::kAbsent) ++of_j[b][history.values[record]];
        if (a == History::kAbsent) continue;
        EXPECT_NE(b, History::kAbsent) << "a record was taken back";
        parts[a].insert(b);
      }
      for (const auto& [number, earlier] : of_i) {
        Counts rest;
        for (const std::uint32_t part : parts[number]) {
          for (const auto& [value, count] : of_j[part]) rest[value] += count;
        }
        for (const auto& [value, count] : earlier) {
          if ((rest[value] -= count) == 0) rest.erase(value);
        }
        if (parts[number].size() == 1) {
          judge(rest);
          continue;
        }
        for (const std::uint32_t part : parts[number]) {
          judge(intersection(rest, of_j[part]));
          judge(intersection(earlier, of_j[part]));
        }
      }
    }
  }
  return channels;
}

}  // namespace throng::testing
