#include "release/foreign_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>

#include "table/value.h"

namespace throng {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargestInteger = 9007199254740992.0;  // as in table/value.cpp
constexpr std::string_view kBlanks = " \t";

// One end as it is written, and whether it is left out.
struct End {
  double number = 0;
  bool open = false;
};

std::optional<double> number_of(std::string_view text, Type type, const std::string& format) {
  // The ends of an interval of integers may lie between them: [19.5, 24.5].
  const auto value = parse_value(type == Type::integer ? Type::decimal : type, text, format);
  return value ? std::optional(value->number) : std::nullopt;
}

// The day as its format tells it; a format without days knows only the first of a month.
std::optional<double> told_day(double day, const std::string& format) {
  constexpr double kMostDays = 3e6;  // beyond the year 9999
  if (std::abs(day) > kMostDays) return std::nullopt;
  return number_of(spell_end(day, Type::date, format), Type::date, format);
}

std::optional<double> lowest(const End& end, Type type, const std::string& format) {
  if (type == Type::decimal) return end.open ? std::nextafter(end.number, kInfinity) : end.number;
  if (type == Type::integer)
    return (end.open ? std::floor(end.number) + 1 : std::ceil(end.number)) + 0.0;
  if (!end.open) return end.number;
  const auto next = told_day(end.number + 1, format);
  return next && *next > end.number ? next : std::nullopt;
}

std::optional<double> highest(const End& end, Type type, const std::string& format) {
  if (type == Type::decimal) return end.open ? std::nextafter(end.number, -kInfinity) : end.number;
  if (type == Type::integer)
    return (end.open ? std::ceil(end.number) - 1 : std::floor(end.number)) + 0.0;
  if (!end.open) return end.number;
  const auto previous = told_day(end.number - 1, format);
  return previous && *previous < end.number ? previous : std::nullopt;
}

std::optional<Extent> extent_of(const std::optional<End>& low, const std::optional<End>& high,
                                Type type, const std::string& format) {
  Extent extent{-kInfinity, kInfinity};
  if (low) {
    const auto number = lowest(*low, type, format);
    if (!number) return std::nullopt;
    extent.low = *number;
  }
  if (high) {
    const auto number = highest(*high, type, format);
    if (!number) return std::nullopt;
    extent.high = *number;
  }
  const auto beyond = [&](double number) {
    return std::isfinite(number) && type == Type::integer && std::abs(number) >= kLargestInteger;
  };
  if (extent.low > extent.high || beyond(extent.low) || beyond(extent.high)) return std::nullopt;
  return extent;
}

// `>=65`, `<18`, `65+`.
std::optional<Extent> read_half(const Written& written, Type type, const std::string& format) {
  struct Sign {
    std::string_view text;
    bool low = false, open = false;
  };
  constexpr Sign kSigns[] = {{">=", true, false},     {"<=", false, false},
                             {"\u2265", true, false}, {"\u2264", false, false},
                             {">", true, true},       {"<", false, true}};
  const std::string_view text = written.text;
  for (const Sign& sign : kSigns) {
    if (!text.starts_with(sign.text)) continue;
    const auto number = number_of(text.substr(sign.text.size()), type, format);
    if (!number) return std::nullopt;
    const End end{*number, sign.open};
    return sign.low ? extent_of(end, std::nullopt, type, format)
                    : extent_of(std::nullopt, end, type, format);
  }
  if (text.size() < 2 || text.back() != '+') return std::nullopt;
  const auto number = number_of(text.substr(0, text.size() - 1), type, format);
  if (!number) return std::nullopt;
  return extent_of(End{*number, false}, std::nullopt, type, format);
}

// Two ends with a separator between them, in or without brackets.
std::optional<Extent> read_both(Written written, Type type, const std::string& format) {
  bool bracketed = false, low_open = false, high_open = false;
  if (written.text.size() > 2) {
    const char first = written.text.front(), last = written.text.back();
    bracketed = (first == '[' || first == ']' || first == '(') &&
                (last == '[' || last == ']' || last == ')');
    if (bracketed) {
      low_open = first != '[';
      high_open = last != ']';
      written = trim(written.part(1, written.text.size() - 1));
    }
  }
  std::optional<Extent> found;
  const std::string_view text = written.text;
  for (const std::string_view separator : {"..", "-", "\u2013", ",", ";"}) {
    if (!bracketed && (separator == "," || separator == ";")) continue;
    for (std::size_t at = text.find(separator, 1); at != std::string_view::npos;
         at = text.find(separator, at + 1)) {
      if (!written.is_plain(at, separator.size())) continue;
      const auto low = number_of(text.substr(0, at), type, format);
      const auto high = number_of(text.substr(at + separator.size()), type, format);
      if (!low || !high) continue;
      const auto extent = extent_of(End{*low, low_open}, End{*high, high_open}, type, format);
      if (!extent) return std::nullopt;
      if (found && (found->low != extent->low || found->high != extent->high)) return std::nullopt;
      found = extent;
    }
  }
  return found;
}

// The value of so many digits, and nothing else.
std::optional<int> digits(std::string_view text, std::size_t count) {
  if (text.size() != count) return std::nullopt;
  int value = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return std::nullopt;
    value = value * 10 + (digit - '0');
  }
  return value;
}

}  // namespace

bool Written::is_plain(std::size_t at, std::size_t count) const {
  for (std::size_t i = at; i < at + count; ++i) {
    if (plain[i] == 0) return false;
  }
  return true;
}

Written Written::part(std::size_t begin, std::size_t end) const {
  return {text.substr(begin, end - begin),
          std::vector<char>(plain.begin() + static_cast<std::ptrdiff_t>(begin),
                            plain.begin() + static_cast<std::ptrdiff_t>(end))};
}

Written read_escapes(std::string_view text) {
  constexpr std::string_view kEscaped = "|{}\\.*";
  Written written;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escaped = text[i] == '\\' && i + 1 < text.size() &&
                         kEscaped.find(text[i + 1]) != std::string_view::npos;
    if (escaped) ++i;
    written.text += text[i];
    written.plain.push_back(escaped ? 0 : 1);
  }
  return written;
}

Written trim(const Written& written) {
  const std::size_t begin = written.text.find_first_not_of(kBlanks);
  if (begin == std::string::npos) return {};
  return written.part(begin, written.text.find_last_not_of(kBlanks) + 1);
}

std::optional<Extent> read_extent(std::string_view text, Type type, const std::string& format) {
  if (const auto value = parse_value(type, text, format))
    return Extent{value->number, value->number};
  const Written written = trim(read_escapes(text));
  if (const auto value = parse_value(type, written.text, format))
    return Extent{value->number, value->number};
  if (const auto half = read_half(written, type, format)) return half;
  return read_both(written, type, format);
}

std::optional<Extent> read_date_label(std::string_view text, const DateRule& rule,
                                      const std::string& format) {
  const auto has = [&](DateLevel level) {
    return std::find(rule.levels.begin(), rule.levels.end(), level) != rule.levels.end();
  };
  const auto year = digits(text.substr(0, 4), 4);
  if (!year) return std::nullopt;
  const std::string_view rest = text.substr(4);
  int month = 1, months = 12;
  if (rest.empty() && has(DateLevel::year)) {
    // the whole of it
  } else if (rest == "s" && has(DateLevel::decade) && *year % 10 == 0) {
    months = 120;
  } else if (rest.starts_with("-Q") && has(DateLevel::quarter)) {
    const auto quarter = digits(rest.substr(2), 1);
    if (!quarter || *quarter < 1 || *quarter > 4) return std::nullopt;
    month = *quarter * 3 - 2;
    months = 3;
  } else if (rest.starts_with("-") && has(DateLevel::month)) {
    const auto told = digits(rest.substr(1), 2);
    if (!told || *told < 1 || *told > 12) return std::nullopt;
    month = *told;
    months = 1;
  } else {
    return std::nullopt;
  }
  const int next = month - 1 + months;
  const auto low = told_day(days_of({*year, month, 1}), format);
  const auto high = told_day(days_of({*year + next / 12, next % 12 + 1, 1}) - 1, format);
  if (!low || !high || *low > *high) return std::nullopt;
  return Extent{*low, *high};
}

std::string spell_end(double number, Type type, const std::string& format) {
  if (type != Type::date) return spell_number(number);
  const Calendar date = calendar_of(number);
  if (format.empty()) return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
  std::tm parts{};
  parts.tm_year = date.year - 1900;
  parts.tm_mon = date.month - 1;
  parts.tm_mday = date.day;
  timegm(&parts);  // fills the day of the week
  std::string text(128, '\0');
  text.resize(std::strftime(text.data(), text.size(), format.c_str(), &parts));
  return text;
}

std::optional<Mask> read_mask(const Written& written, const std::string& character) {
  const std::string_view text = written.text;
  const std::size_t size = character.size();
  std::size_t begin = 0, end = text.size();
  while (end >= size && text.substr(end - size, size) == character &&
         written.is_plain(end - size, size)) {
    end -= size;
  }
  if (end == 0 && !text.empty()) return Mask{true, {}, text.size() / size};
  while (begin + size <= end && text.substr(begin, size) == character &&
         written.is_plain(begin, size)) {
    begin += size;
  }
  const bool right = end<text.size(), left = begin> 0;
  if (right == left) return std::nullopt;
  return Mask{right, std::string(text.substr(begin, end - begin)),
              (right ? text.size() - end : begin) / size};
}

std::size_t length_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
  }));
}

std::optional<std::vector<Written>> read_braces(const Written& written) {
  const std::size_t size = written.text.size();
  const bool braces = size >= 2 && written.text.front() == '{' && written.text.back() == '}' &&
                      written.plain.front() != 0 && written.plain.back() != 0;
  if (!braces) return std::nullopt;
  const Written inner = written.part(1, size - 1);
  std::vector<Written> members = split(inner, '|');
  return members.size() > 1 ? members : split(inner, ',');
}

std::vector<Written> split(const Written& written, char separator) {
  std::vector<Written> parts;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < written.text.size(); ++i) {
    if (written.text[i] != separator || written.plain[i] == 0) continue;
    parts.push_back(written.part(begin, i));
    begin = i + 1;
  }
  parts.push_back(written.part(begin, written.text.size()));
  return parts;
}

}  // namespace throng
