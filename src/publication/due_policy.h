// What a policy of many tables asks of those that are out. The policy of a sequential publication
// lists the columns of all its tables, also of those that come later; a requirement about a column
// that nobody has published yet is asked as far as it can be, and the rest of it waits.
//
//   x     Columns that are not out yet are left out. A smaller x asks less (Wang and Fung 2006,
//         corollary 3.1): what is asked now is needed for what is asked later, and the whole is
//         asked as soon as the last column comes, of everything that is out then. Without any
//         column of x the requirement waits.
//   y     Columns of xy-anonymity that are not out yet are left out; this asks more, since an
//         attacker, too, sees only those. Of xy-linkability each column is guarded by itself.
//         Without any column the requirement waits.
//
// So a release never breaks what could be checked when it was made. What waits may turn out to be
// impossible when its columns come: then that release is refused, and nothing has gone wrong.
#pragma once

#include <string>
#include <vector>

#include "policy/policy.h"

namespace throng {

struct DuePolicy {
  // With requirements about columns that are out, and no others; an xy-linkability of several
  // columns is one requirement a column, which is the same.
  Policy policy;
  std::vector<std::string> waits;  // what is not asked yet, in words
};

// `table`: the columns of the table that goes out; `before`: of all that are out already, in any
// order. The l-diversity of a column is asked of tables that have it, and the goal `classification`
// gives way to `distortion` where a table lacks the class.
DuePolicy due_policy(const Policy& policy, const std::vector<std::string>& table,
                     const std::vector<std::string>& before);

// "xy-anonymity of job, sex".
std::string name_of(const XyRequirement& asked);

}  // namespace throng
