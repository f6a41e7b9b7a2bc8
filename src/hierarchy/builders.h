// Hierarchies that are not read but built over the values of a column: masks, intervals, dates.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "hierarchy/hierarchy.h"

namespace throng {

// `{mask: right}`: 02141, 0214*, 021**, 02***, 0****, *.
struct MaskRule {
  bool right = true;
  std::string character = "*";
  bool operator==(const MaskRule&) const = default;
};

// `{interval: 10}`, `{interval: [5, 10, 20]}`: widths from fine to coarse, each a multiple of the
// one before, counted from `origin`. `{interval: {bounds: [18, 65]}}`: <18, 18..64, >=65.
struct IntervalRule {
  std::vector<double> widths;
  double origin = 0;
  std::vector<double> bounds;
  bool operator==(const IntervalRule&) const = default;
};

// `{date: [month, year, decade]}`, from fine to coarse.
enum class DateLevel { day, month, quarter, year, decade };
struct DateRule {
  std::vector<DateLevel> levels;
  bool operator==(const DateRule&) const = default;
};

// A path, taken from the policy's folder.
struct HierarchyFile {
  std::string path;
  std::optional<std::string> content = {};  // where it is at hand, the file is not read
  // What it says counts, where that is at hand, not what it is called.
  bool operator==(const HierarchyFile& other) const {
    return content && other.content ? content == other.content : path == other.path;
  }
};

using HierarchyRule = std::variant<std::monostate, HierarchyFile, MaskRule, IntervalRule, DateRule>;

// Each builds the tree over the present values of `values`, of which there is one at least.
// `column` begins the messages.
Hierarchy build_mask(const Dictionary& values, const MaskRule& rule, const std::string& column);
Hierarchy build_intervals(const Dictionary& values, const IntervalRule& rule,
                          const std::string& date_format, const std::string& column);
Hierarchy build_dates(const Dictionary& values, const DateRule& rule,
                      const std::string& date_format, const std::string& column);

}  // namespace throng
