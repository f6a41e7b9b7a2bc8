// What one release gives away by itself: how likely somebody is found in it, and how far the values
// of a class are from those of all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "release/release.h"

namespace throng {

// The risk that a record is re-identified, by an attacker who
struct Risk {
  // knows that his target is in the release: 1 / records of its class
  double prosecutor_highest = 0;
  double prosecutor_average = 0;  // a record
  double above_threshold = 0;     // the share of records whose risk is above the threshold
  std::size_t alone = 0;          // records that are a class by themselves
};
Risk risk_of(const Release& release, double threshold);

// The same where the population that the records come from is known: for each class, how many of
// the population its regions cover.
struct PopulationRisk {
  double journalist_highest = 0;  // 1 / the fewest of the population that a class covers
  double journalist_above_threshold = 0;
  double marketer = 0;  // the share of records that he gets right by guessing one for each
  std::size_t uncovered =
      0;  // classes with fewer in the population than in the release: no superset
};
PopulationRisk population_risk_of(const Release& release,
                                  const std::vector<std::uint64_t>& population_of_class,
                                  double threshold);

// The largest ℓ for which every class is recursively (c, ℓ)-diverse: its most frequent value is
// rarer than c times all but the ℓ − 1 most frequent together.
std::size_t recursive_diversity(const Release& release, const std::string& column, double c);

// t-closeness: the greatest distance between the values of a class and those of the whole release.
// `equal`: half the sum of the differences of shares. `ordered`: the earth mover's distance when
// neighbours in the order of the values are 1/(m − 1) apart; 0 where there is one value.
struct Closeness {
  std::string column;
  double equal = 0;
  double ordered = 0;
};
std::vector<Closeness> closeness_of(const Release& release);

}  // namespace throng
