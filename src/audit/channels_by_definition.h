// The channels of one class of an earlier release for the tests of this room: the definition word
// by word, and slowly.
#pragma once

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <vector>

#include "audit/channels.h"

namespace throng::testing {

using Multiset = std::multiset<Code>;

inline Multiset sum(const Multiset& a, const Multiset& b) {
  Multiset result = a;
  result.insert(b.begin(), b.end());
  return result;
}
inline Multiset difference(const Multiset& a, const Multiset& b) {
  Multiset result;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(result, result.end()));
  return result;
}
inline Multiset intersection(const Multiset& a, const Multiset& b) {
  Multiset result;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(),
                        std::inserter(result, result.end()));
  return result;
}

// `base` tells the releases and the earlier class, whose values are `e_i`; `parts` are the later
// classes that it went into, by number. Adds to `channels`.
inline void add_channels_by_definition(const Channel& base, const Multiset& e_i,
                                       const std::map<std::uint32_t, Multiset>& parts,
                                       std::size_t l, std::vector<Channel>& channels) {
  Multiset together;
  for (const auto& part : parts) together = sum(together, part.second);
  for (const auto& part : parts) {
    const Multiset& e_jk = part.second;
    const auto check = [&](Channel::Kind kind, const Multiset& left) {
      const std::set<Code> distinct(left.begin(), left.end());
      if (left.empty() || distinct.size() >= l) return;
      Channel channel = base;
      channel.later_class = part.first;
      channel.kind = kind;
      channel.values.assign(distinct.begin(), distinct.end());
      for (const Code value : distinct) channel.vulnerable += e_jk.count(value);
      channels.push_back(channel);
    };
    if (parts.size() == 1) {
      check(Channel::Kind::difference, difference(e_jk, e_i));
    } else {
      check(Channel::Kind::difference, intersection(difference(together, e_i), e_jk));
      check(Channel::Kind::intersection, intersection(e_i, e_jk));
    }
  }
}

}  // namespace throng::testing
