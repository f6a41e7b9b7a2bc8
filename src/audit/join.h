// What the join of releases with different columns of the same people gives away: the smallest
// A_Y(X) and the largest L_Y(X) of each (X,Y)-requirement of a policy (Wang and Fung, "Anonymizing
// Sequential Releases", KDD 2006; definitions 3.1 and 3.2, matching of section 3.3, several
// previous releases of section 7).
//
// The last release is the current table T1; those before it are T2, T3, … in their order.
//
// Match. Records, one of each release, are a row of the join when
//   - for each column, the regions of all releases that have it have a value in common (in a
//     hierarchy: they are on one path; a plain column: it is the same value), and
//   - no two values of different releases and different columns are inconsistent: a value is,
//     where it lies within the one side of an `inconsistent:` pair and the other within the other.
//     A value that is more general than what is listed is consistent.
// Releases without a common column match in all ways. Section 7 has these predicates between any
// two releases, not only between T1 and each other one; so has this.
//
// Values. A value on x or y is what is published: `20..29` and `21..25` are two values, and a
// column stands for its copies in all releases. A row has the guarded value s of a linkability
// requirement when what its copies of the column have in common lies within s (in a hierarchy: one
// of them is s or below s).
//
// Cost. The join is never made. Identical records are one; records with the same values on all join
// columns are a block, and only blocks are matched, by an index over the join columns. Where x
// has all join columns (the paper's case 1), a match of blocks adds its extremes, in time that
// does not depend on how many x-groups it holds. Otherwise x-groups get their counts from several
// matches, and time is that of the pairs of partitions by x and join columns; memory that of the
// matches and groups with the same values on the join columns that x has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "policy/policy.h"
#include "release/release.h"

namespace throng {

// A group of rows of the join with the same x: the copies of its columns, in the order of x and of
// the releases.
struct XyGroup {
  struct Value {
    std::string column;
    std::size_t release = 0;  // in the order given
    std::string text;         // as published
  };
  std::vector<Value> values;

  // "job=Banker, sex=*": copies that differ are told apart, "job=Banker (release 1)". Releases
  // count from 1.
  std::string words() const;
};

struct XyFinding {
  // Of one entry of `guarded`, which may stand for each value of a column: the worst of them.
  struct Link {
    std::string value;  // that is linked; empty: no group has any
    double share = 0;   // the largest l_y(x)
    bool holds = true;
    XyGroup group;
  };

  bool holds = true;
  std::uint64_t anonymity = 0;  // of xy-anonymity: the smallest A_Y(X); 0 where the join is empty
  double linkability = 0;       // of xy-linkability: the largest L_Y(X)
  XyGroup group;                // that attains it; of several always the same one
  std::vector<Link> links;      // of xy-linkability, by entry of `guarded`
  std::uint64_t groups = 0;     // values on x in the join
};

struct JoinAudit {
  std::vector<std::string> join_columns;
  std::vector<XyFinding> findings;  // by requirement, as in Policy::xy
  // By release: records that are in no row of the join. They are left out of all figures; the
  // theory assumes that there are none.
  std::vector<std::uint64_t> dangling;
  std::vector<std::uint64_t> blocks;  // by release
  std::uint64_t matches = 0;          // of blocks, as tuples with one of each release
  std::uint64_t touched = 0;          // values and pairs of blocks compared to find them
  bool empty = false;                 // no row in the join: what holds, holds for want of groups

  bool holds() const;
};

// The releases have one domain per quasi-identifier and one dictionary per other column, whichever
// of them have it. Throws InputError: a column of a requirement that no release has; a label that
// its hierarchy does not have. `table_cells`: up to this size, counts for one value on T1's part of
// x are kept in a table; beyond it, in sorted lists.
JoinAudit audit_join(std::span<const Release> releases, const Policy& policy,
                     std::size_t table_cells = std::size_t{1} << 20);

}  // namespace throng
