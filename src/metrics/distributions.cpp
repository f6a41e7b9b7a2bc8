#include "metrics/distributions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "table/value.h"

namespace throng {
namespace {

// Of sums of shares: what is less than a millionth of a record is rounding.
double rounded(double records) { return std::max(0.0, std::round(records * 1e6) / 1e6); }

// The next of 1, 2, 5, 10, 20, … that is no smaller.
double nice_width(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-12)) return factor * power;
  }
  return 10 * power;
}

// Which bin a number falls into, and how a bin is called.
class Scale {
 public:
  Scale(Type type, double low, double high) : type_(type) {
    constexpr double kYear = 365.25, kFewYears = 3;
    const double range = high - low;
    by_year_ = type == Type::date && range >= kFewYears * kYear;
    const double least = by_year_ ? range / kYear / kWanted : range / kWanted;
    width_ = nice_width(type == Type::decimal ? least : std::max(1.0, least));
  }

  double bin_of(double number) const {
    return std::floor((by_year_ ? calendar_of(number).year : number) / width_);
  }
  std::string label(double bin) const {
    const double low = bin * width_;
    const double high = low + width_ - 1;  // of whole numbers
    if (type_ == Type::decimal) return fmt::format("{:.6g} to {:.6g}", low, low + width_);
    if (type_ == Type::date && !by_year_)
      return high > low ? day(low) + ".." + day(high) : day(low);
    return high > low ? fmt::format("{:.0f}..{:.0f}", low, high) : fmt::format("{:.0f}", low);
  }

 private:
  static constexpr double kWanted = 20;
  static std::string day(double days) {
    const Calendar date = calendar_of(days);
    return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
  }

  Type type_;
  bool by_year_ = false;
  double width_ = 1;
};

using Bin = Distribution::Bin;

void bin_numbers(const Dictionary& values, const std::vector<Code>& present,
                 const std::vector<std::uint64_t>& original, const std::vector<double>& released,
                 Distribution& result) {
  const auto number = [&](Code position) { return values.numbers[position]; };
  const auto [low, high] =
      std::minmax_element(present.begin(), present.end(),
                          [&](Code one, Code other) { return number(one) < number(other); });
  const Scale scale(values.type, number(*low), number(*high));
  const double first = scale.bin_of(number(*low)), last = scale.bin_of(number(*high));
  for (double bin = first; bin <= last; ++bin) result.bins.push_back({scale.label(bin), 0, 0});
  for (const Code position : present) {
    Bin& bin = result.bins[static_cast<std::size_t>(scale.bin_of(number(position)) - first)];
    bin.original += static_cast<double>(original[position]);
    bin.released += released[position];
  }
}

}  // namespace

std::vector<double> spread_of(const Published& published, const Schema& schema,
                              std::size_t column) {
  const Published::Quasi& quasi = published.quasi[column];
  std::vector<std::uint64_t> records(quasi.regions.size(), 0);
  for (std::size_t entry = 0; entry < published.entries(); ++entry)
    records[quasi.of_entry[entry]] += published.weights[entry];
  // What begins and ends at a position; a region costs two steps, however wide it is.
  const std::size_t size = schema.quasi[column].domain.size();
  std::vector<double> steps(size + 1, 0), result(size, 0);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Region& region = quasi.regions[i];
    const double each = static_cast<double>(records[i]) / static_cast<double>(covered(region));
    for (const Code member : region.members) result[member] += each;
    if (!region.members.empty()) continue;
    if (region.low == region.high) {
      result[region.low] += each;
      continue;
    }
    steps[region.low] += each;
    steps[region.high + std::size_t{1}] -= each;
  }
  double running = 0;
  for (std::size_t position = 0; position < size; ++position) {
    running += steps[position];
    result[position] = rounded(result[position] + running);
  }
  return result;
}

std::vector<double> sensitive_counts(const Published& published, const Schema& schema) {
  std::vector<double> result(schema.values.size(), 0);
  for (const Published::Count& count : published.count_list) result[count.value] += count.count;
  return result;
}

Distribution compare(const Dictionary& values, std::size_t missing,
                     const std::vector<std::uint64_t>& original,
                     const std::vector<double>& released) {
  Distribution result;
  double records = 0, released_records = 0;
  for (const std::uint64_t count : original) records += static_cast<double>(count);
  for (const double count : released) released_records += count;
  std::vector<Code> present;
  bool has_missing = false;
  for (Code i = 0; i < values.size(); ++i) {
    const auto before = static_cast<double>(original[i]);
    result.difference += std::abs((records > 0 ? before / records : 0) -
                                  (released_records > 0 ? released[i] / released_records : 0)) /
                         2;
    if (before <= 0 && released[i] <= 0) continue;
    if (i == missing) {
      has_missing = true;
    } else {
      present.push_back(i);
    }
  }
  const auto bin_of = [&](Code i) {
    return Bin{values.labels[i], static_cast<double>(original[i]), released[i]};
  };
  result.is_number = values.numeric();
  if (result.is_number && present.size() > kMostBins) {
    bin_numbers(values, present, original, released, result);
  } else if (result.is_number) {
    std::sort(present.begin(), present.end(),
              [&](Code one, Code other) { return values.numbers[one] < values.numbers[other]; });
    for (const Code i : present) result.bins.push_back(bin_of(i));
  } else {
    std::stable_sort(present.begin(), present.end(),
                     [&](Code one, Code other) { return original[one] > original[other]; });
    const bool all = present.size() <= kMostBins;
    for (std::size_t at = 0; at < present.size(); ++at) {
      // Where there are many, a value of one record is nothing to see a distribution by.
      if (all || (at + 1 < kMostBins && original[present[at]] > 1)) {
        result.bins.push_back(bin_of(present[at]));
        continue;
      }
      ++result.other_values;
      result.others.original += static_cast<double>(original[present[at]]);
      result.others.released += released[present[at]];
    }
  }
  if (has_missing) {
    result.bins.push_back(bin_of(static_cast<Code>(missing)));
    result.bins.back().label = "(missing)";
  }
  for (Bin& bin : result.bins) bin.released = rounded(bin.released);
  result.others.released = rounded(result.others.released);
  result.difference = rounded(result.difference);
  return result;
}

}  // namespace throng
