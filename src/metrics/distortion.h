// How far a release is from its leaves (Wang and Fung, "Anonymizing sequential releases", 2006,
// section 6): of a categorical value the number of steps from its leaf to what is published, where
// a label repeated along a line is one node; of a number or a date (b − a) over the range of its
// column. Summed over the columns, a published record; the two kinds are kept apart, as no rate
// between them is right.
//
// A set of several categories, of a column without a hierarchy, is one step. Of numbers with a
// hierarchy a and b are the least and the greatest leaf below the node. A number that may be
// missing is everything: 1.
//
// A release does not say which leaf a record had, and leaves below one node may lie at different
// depths: then the steps are the mean over the leaves, weighted by how often the original has them
// (where it has none of them, all alike). Exact where the leaves below every node lie at one depth.
#pragma once

#include "metrics/published.h"

namespace throng {

struct Distortion {
  double categorical = 0;
  double continuous = 0;
};

// The release's domains must be those of the schema. 0 for a release without records.
Distortion distortion_of(const Release& release, const Schema& schema);

}  // namespace throng
