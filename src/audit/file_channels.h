// The inference channels between releases (Byun et al. 2006, section 3.2, Figure 6) from the
// published files alone: nobody knows which record is in which class.
//
// Between releases i < j, a class that stands unchanged in both (same regions, same multiset of
// sensitive values) is the same class, and is set aside. Of the other classes of j, those whose
// regions meet e_i's in every quasi-identifier may hold its records: e_j1 … e_jm. What is a channel
// between e_i and them is said in channels.h.
//
// Nothing here says that there is no other way to a value: see worlds.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "audit/channels.h"
#include "release/release.h"

namespace throng {

struct FileChannels {
  struct Pair {
    std::size_t earlier = 0, later = 0;
    std::uint64_t differences = 0, intersections = 0;  // channels, by kind
    std::size_t vulnerable = 0;  // records of the later release that one of them exposes
    std::size_t unchanged = 0;   // classes that were set aside
    std::uint64_t meetings = 0;  // pairs of other classes that meet

    bool operator==(const Pair&) const = default;
  };

  std::vector<Channel> channels;  // the worst, the worst first; classes by their numbers
  std::vector<Pair> pairs;        // in the order of later and earlier: what there is in all

  // By release: its records that a channel from any earlier release exposes, each counted once.
  std::vector<std::size_t> vulnerable_by_release;
  // Their sum. Files do not tell which record of one release is which of another: somebody who is
  // exposed in three releases counts three times, once in each.
  std::size_t vulnerable = 0;

  std::uint64_t pairs_of_classes = 0;  // e_i and e_j, of all pairs of releases
  std::uint64_t pairs_touched = 0;     // that were compared; a class and a node of a tree count too

  std::uint64_t count() const;  // channels in all
};

// There may be as many channels as pairs of classes that meet, far more than records: all are
// counted, the worst `keep` are kept.
inline constexpr std::size_t kKeepWorst = 1000;
inline constexpr std::size_t kKeepAll = ~std::size_t{0};

// Releases in the order of their publication, with the same domains, and the same dictionary of the
// sensitive column `sensitive`; no two classes of a release have the same regions. Time: n log² n
// of n classes of a release to index them; a pair of releases, what is touched, and for each two
// classes that meet the distinct values of the one that has fewer. Memory is linear in the input
// and `keep`. Uses all threads; the result does not depend on their number.
// Throws std::invalid_argument where the releases do not go together.
FileChannels find_file_channels(std::span<const Release> releases, std::string_view sensitive,
                                std::size_t l, std::size_t keep = kKeepWorst);

// A total order: fewest values left, then most vulnerable records, then by release and class.
bool is_worse(const Channel& a, const Channel& b);

// In plain words, releases counted from 1: "whoever is 21..30 and entered after release 1 has
// Cancer"; "whoever is 51..55, Male, and is in releases 1 and 2 has Alzheimer". A difference tells
// of all in the later class, an intersection of those where both classes meet. It is itself a
// disclosure.
std::string explain(const Channel& channel, std::span<const Release> releases,
                    std::string_view sensitive);

}  // namespace throng
