// A release in the figures that people look at: loss by column, sizes of classes, and how easily
// somebody is found before and after.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "metrics/published.h"
#include "release/release.h"

namespace throng {

// Σ over the records of the loss of their region, a published record: summed over the columns this
// is the information loss of the release.
struct ColumnLoss {
  std::string column;
  double loss = 0;
};
std::vector<ColumnLoss> losses_of(const Release& release);

struct ClassSizes {
  struct Bin {
    std::uint64_t from = 0, to = 0;  // records in a class, both included
    std::uint64_t classes = 0, records = 0;
  };
  std::uint64_t smallest = 0, median = 0, largest = 0;
  double average = 0;
  double squares = 0;     // Σ size²: discernibility without what was left out
  std::vector<Bin> bins;  // one a size where there are few, else 1 to 9, 10..19, 20..49, 50..99, …
};
ClassSizes class_sizes_of(std::span<const std::uint32_t> sizes);

// Who knows the quasi-identifiers of somebody in the table finds as many records as look alike.
struct Exposure {
  double highest = 0, average = 0;  // 1 / records that look alike; the average a record
  std::uint64_t alone = 0;          // records that look like no other
  // How often he is right who takes the most frequent sensitive value of those: of the worst group,
  // and a record. Nothing without a sensitive column.
  std::optional<double> guess_highest, guess_average;
  std::vector<std::uint32_t> alike;  // the sizes of the sets of records that look alike
};
Exposure exposure_of(const Published& published, bool has_sensitive);

// Records by how many look alike: those of the original and those of the release.
struct RiskBand {
  std::uint64_t from = 1;
  std::optional<std::uint64_t> to;  // nothing: and more
  std::uint64_t before = 0, after = 0;
};
std::vector<RiskBand> risk_bands(const Exposure& before, const Exposure& after);

}  // namespace throng
