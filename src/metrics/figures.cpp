#include "metrics/figures.h"

#include <map>
#include <vector>

namespace throng {

Figures measure(const Release& release, const Verdict& verdict) {
  Figures figures;
  figures.rows_out = release.rows();
  figures.suppressed = release.suppressed;
  figures.rows_in = figures.rows_out + figures.suppressed;
  figures.classes = release.classes;
  figures.k = verdict.k;
  figures.diversity = verdict.diversity;

  // Neither figure may depend on the order of rows, classes or regions.
  std::vector<std::uint64_t> size_of(release.classes, 0);
  for (const std::uint32_t number : release.class_of_row) ++size_of[number];
  double squares = 0;
  for (const std::uint64_t size : size_of)
    squares += static_cast<double>(size) * static_cast<double>(size);
  double loss = 0;
  for (const Release::Quasi& column : release.quasi) {
    std::vector<std::uint64_t> records(column.regions.size(), 0);
    for (std::size_t i = 0; i < release.classes; ++i) records[column.of_class[i]] += size_of[i];
    // Equal losses are summed as whole numbers, then in their order: the same sum from any file.
    std::map<double, std::uint64_t> records_of_loss;
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (records[i] > 0) records_of_loss[loss_of(column.domain, column.regions[i])] += records[i];
    }
    for (const auto& [each, count] : records_of_loss) loss += each * static_cast<double>(count);
  }
  const auto rows_in = static_cast<double>(figures.rows_in),
             rows_out = static_cast<double>(figures.rows_out);
  const auto suppressed = static_cast<double>(figures.suppressed);
  figures.discernibility = squares + suppressed * rows_in;
  if (figures.rows_out > 0) {
    figures.average_class_size = rows_out / static_cast<double>(release.classes);
    figures.information_loss = loss / rows_out;
  }
  if (figures.rows_in > 0 && !release.quasi.empty()) {
    figures.gcp = (loss / static_cast<double>(release.quasi.size()) + suppressed) / rows_in;
  }
  return figures;
}

}  // namespace throng
