#include "hierarchy/builders.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "table/value.h"
#include "throng/error.h"

namespace throng {
namespace {

using Lines = std::vector<std::vector<std::string>>;

constexpr double kRounding = 1e-9;
constexpr double kMostIntervals = 1e12;

// The characters of UTF-8 text: a mask hides characters, not bytes.
std::vector<std::string> characters(const std::string& text) {
  std::vector<std::string> result;
  for (const char byte : text) {
    const bool continues = (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
    if (continues && !result.empty()) {
      result.back() += byte;
    } else {
      result.emplace_back(1, byte);
    }
  }
  return result;
}

Dictionary present_values(const Dictionary& values, const std::string& column) {
  if (values.present() == 0) {
    throw InputError(fmt::format("column '{}' has no values to build a hierarchy over", column));
  }
  return values;
}

// How many digits after the point the values have at most.
int digits_after_point(const Dictionary& values) {
  std::size_t digits = 0;
  for (std::size_t i = 0; i < values.present(); ++i) {
    const auto point = values.labels[i].find('.');
    if (point != std::string::npos) digits = std::max(digits, values.labels[i].size() - point - 1);
  }
  return static_cast<int>(digits);
}

}  // namespace

Hierarchy build_mask(const Dictionary& all, const MaskRule& rule, const std::string& column) {
  const Dictionary values = present_values(all, column);
  std::size_t longest = 0;
  std::vector<std::vector<std::string>> texts;
  for (std::size_t i = 0; i < values.present(); ++i) {
    texts.push_back(characters(values.labels[i]));
    longest = std::max(longest, texts.back().size());
  }
  Lines lines;
  for (const auto& text : texts) {
    std::vector<std::string> line;
    for (std::size_t hidden = 0; hidden <= longest; ++hidden) {
      if (hidden >= text.size() && hidden > 0) {
        line.emplace_back("*");
        continue;
      }
      std::string label;
      for (std::size_t i = 0; i < text.size(); ++i) {
        const bool masked = rule.right ? i + hidden >= text.size() : i < hidden;
        label += masked ? rule.character : text[i];
      }
      line.push_back(label);
    }
    if (line.size() == 1) line.emplace_back("*");  // the empty text alone
    lines.push_back(std::move(line));
  }
  return {lines, values.type, {}, fmt::format("mask of column '{}'", column)};
}

Hierarchy build_intervals(const Dictionary& all, const IntervalRule& rule,
                          const std::string& date_format, const std::string& column) {
  const Dictionary values = present_values(all, column);
  const int digits = digits_after_point(values);
  const double step = std::pow(10.0, -digits);  // the distance of one value to the next
  // Values are multiples of the step; binary fractions miss them by a little, which must not count.
  const auto steps_up_to = [&](double number) { return std::ceil(number / step - kRounding); };
  const auto spell = [&](double steps) {
    return spell_number(std::stod(fmt::format("{:.{}f}", steps * step, digits)));
  };
  // [begin, end) by the values that it can hold, both ends included: [20, 30) of tenths
  // is 20..29.9.
  const auto label = [&](double begin, double end) {
    const std::string first = spell(steps_up_to(begin)), last = spell(steps_up_to(end) - 1);
    return first == last ? first : first + ".." + last;
  };
  const double smallest = values.numbers.front(), largest = values.numbers[values.present() - 1];

  Lines lines;
  for (std::size_t i = 0; i < values.present(); ++i) {
    const double number = values.numbers[i];
    std::vector<std::string> line = {values.labels[i]};
    if (!rule.bounds.empty()) {
      // Below the first bound and from the last one on, the values themselves give the other end.
      const auto above = std::upper_bound(rule.bounds.begin(), rule.bounds.end(), number);
      const double begin = above == rule.bounds.begin() ? smallest : *(above - 1);
      const double end = above == rule.bounds.end() ? std::max(largest, begin) + step : *above;
      line.push_back(label(begin, end));
    }
    for (const double width : rule.widths) {
      const double place = (number - rule.origin) / width;
      if (width < step || std::abs(place) > kMostIntervals) {
        throw InputError(
            fmt::format("intervals of column '{}': the width {} is too small for its values",
                        column, spell_number(width)));
      }
      const double begin = rule.origin + std::floor(place + kRounding) * width;
      line.push_back(label(begin, begin + width));
    }
    line.emplace_back("*");
    lines.push_back(std::move(line));
  }
  return {lines, values.type, date_format, fmt::format("intervals of column '{}'", column)};
}

Hierarchy build_dates(const Dictionary& all, const DateRule& rule, const std::string& date_format,
                      const std::string& column) {
  const Dictionary values = present_values(all, column);
  Lines lines;
  for (std::size_t i = 0; i < values.present(); ++i) {
    const Calendar date = calendar_of(values.numbers[i]);
    std::vector<std::string> line = {values.labels[i]};
    for (const DateLevel level : rule.levels) {
      switch (level) {
        case DateLevel::day:
          break;  // a date is a day already
        case DateLevel::month:
          line.push_back(fmt::format("{:04}-{:02}", date.year, date.month));
          break;
        case DateLevel::quarter:
          line.push_back(fmt::format("{:04}-Q{}", date.year, (date.month + 2) / 3));
          break;
        case DateLevel::year:
          line.push_back(fmt::format("{:04}", date.year));
          break;
        case DateLevel::decade:
          line.push_back(fmt::format("{:04}s", date.year / 10 * 10));
          break;
      }
    }
    line.emplace_back("*");
    lines.push_back(std::move(line));
  }
  return {lines, values.type, date_format, fmt::format("dates of column '{}'", column)};
}

}  // namespace throng
