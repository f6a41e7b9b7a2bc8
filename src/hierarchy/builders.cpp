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
constexpr double kMostSteps = 1e15;  // beyond it, doubles no longer tell neighbours apart
constexpr std::size_t kMostMasked = 100000000;  // labels of a mask, times their length

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

// How many digits after the point the values have at most; small ones are spelled 1.5e-05.
int digits_after_point(const Dictionary& values) {
  int digits = 0;
  for (std::size_t i = 0; i < values.present(); ++i) {
    const std::string& label = values.labels[i];
    const auto exponent = label.find('e');
    const auto point = label.find('.');
    const std::size_t end = std::min(exponent, label.size());
    int own = point == std::string::npos ? 0 : static_cast<int>(end - point - 1);
    if (exponent != std::string::npos) own -= std::stoi(label.substr(exponent + 1));
    digits = std::max(digits, own);
  }
  return digits;
}

}  // namespace

Hierarchy build_mask(const Dictionary& values, const MaskRule& rule, const std::string& column) {
  std::size_t longest = 0;
  std::vector<std::vector<std::string>> texts;
  for (std::size_t i = 0; i < values.present(); ++i) {
    texts.push_back(characters(values.labels[i]));
    longest = std::max(longest, texts.back().size());
  }
  if (texts.size() * longest > kMostMasked / std::max<std::size_t>(longest, 1)) {
    throw InputError(fmt::format(
        "mask of column '{}': {} values of up to {} characters are too many to mask one "
        "character at a time; give a hierarchy file",
        column, texts.size(), longest));
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

Hierarchy build_intervals(const Dictionary& values, const IntervalRule& rule,
                          const std::string& date_format, const std::string& column) {
  const int digits = digits_after_point(values);
  const double step = std::pow(10.0, -digits);  // the distance of one value to the next
  const double largest =
      std::max(std::abs(values.numbers.front()), std::abs(values.numbers[values.present() - 1]));
  if (largest / step > kMostSteps) {
    throw InputError(fmt::format(
        "intervals of column '{}': its values have too many digits; round them", column));
  }
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
  Lines lines;
  for (std::size_t i = 0; i < values.present(); ++i) {
    const double number = values.numbers[i];
    std::vector<std::string> line = {values.labels[i]};
    if (!rule.bounds.empty()) {
      // Below the first bound and from the last one on there is no other end: the smallest and the
      // largest value of the table are somebody's, and are not told.
      const auto above = std::upper_bound(rule.bounds.begin(), rule.bounds.end(), number);
      line.push_back(above == rule.bounds.begin() ? "<" + spell_number(rule.bounds.front())
                     : above == rule.bounds.end() ? ">=" + spell_number(rule.bounds.back())
                                                  : label(*(above - 1), *above));
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

Hierarchy build_dates(const Dictionary& values, const DateRule& rule,
                      const std::string& date_format, const std::string& column) {
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
