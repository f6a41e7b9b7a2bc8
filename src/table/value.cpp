#include "table/value.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <ctime>

namespace throng {
namespace {

constexpr double kLargestInteger = 9007199254740992.0;  // 2^53: from it on doubles skip integers

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  text = trim(text);
  const bool plus = !text.empty() && text[0] == '+';  // from_chars knows no plus sign
  if (plus) text.remove_prefix(1);
  if (!text.empty() && (text[0] == '+' || (text[0] == '-' && plus))) return std::nullopt;
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

std::optional<Calendar> parse_date(std::string_view text, const std::string& format) {
  text = trim(text);
  Calendar date;
  if (format.empty()) {
    // 2026-01-31, and what databases append to a date: a midnight.
    if (text.size() == 19 && text.substr(11) == "00:00:00") text = text.substr(0, 10);
    const auto number = [&](std::size_t at, std::size_t count) -> std::optional<int> {
      int value = 0;
      for (char digit : text.substr(at, count)) {
        if (digit < '0' || digit > '9') return std::nullopt;
        value = value * 10 + (digit - '0');
      }
      return value;
    };
    if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
    const auto year = number(0, 4), month = number(5, 2), day = number(8, 2);
    if (!year || !month || !day) return std::nullopt;
    date = {*year, *month, *day};
  } else {
    std::tm parts{};
    parts.tm_year = 70;  // a format may leave parts out: the first of January 1970 fills them
    parts.tm_mday = 1;
    const std::string terminated(text);
    const char* end = strptime(terminated.c_str(), format.c_str(), &parts);
    if (end == nullptr || *end != '\0') return std::nullopt;
    date = {parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday};
  }
  using namespace std::chrono;
  const year_month_day checked{year{date.year}, month{static_cast<unsigned>(date.month)},
                               day{static_cast<unsigned>(date.day)}};
  if (!checked.ok()) return std::nullopt;
  return date;
}

std::string spell_date(const Calendar& date, const std::string& format) {
  if (format.empty()) return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
  std::tm parts{};
  parts.tm_year = date.year - 1900;
  parts.tm_mon = date.month - 1;
  parts.tm_mday = date.day;
  timegm(&parts);  // fills the day of the week, which a format may ask for; knows no time zone
  std::string text(128, '\0');
  text.resize(std::strftime(text.data(), text.size(), format.c_str(), &parts));
  return text;
}

}  // namespace

std::optional<Value> parse_value(Type type, std::string_view text, const std::string& format) {
  switch (type) {
    case Type::text:
      return Value{0, std::string(text)};
    case Type::integer: {
      if (const auto number = parse_number<long long>(text)) {
        const auto value = static_cast<double>(*number);
        if (std::abs(value) >= kLargestInteger) return std::nullopt;
        return Value{value, fmt::format("{}", *number)};
      }
      // 39.0 is what a spreadsheet makes of 39.
      const auto decimal = parse_number<double>(text);
      if (!decimal || std::trunc(*decimal) != *decimal || std::abs(*decimal) >= kLargestInteger) {
        return std::nullopt;
      }
      return Value{*decimal, spell_number(*decimal)};
    }
    case Type::decimal: {
      const auto number = parse_number<double>(text);
      if (!number || !std::isfinite(*number)) return std::nullopt;
      const double value = *number == 0 ? 0 : *number;  // no negative zero
      return Value{value, spell_number(value)};
    }
    case Type::date: {
      const auto date = parse_date(text, format);
      if (!date) return std::nullopt;
      std::string label = spell_date(*date, format);
      // A format that does not read what it writes (the year 1 without zeros) has no one spelling.
      const auto again = parse_date(label, format);
      if (!again || days_of(*again) != days_of(*date)) return std::nullopt;
      return Value{days_of(*date), std::move(label)};
    }
  }
  return std::nullopt;
}

Calendar calendar_of(double days) {
  using namespace std::chrono;
  const year_month_day date{sys_days{std::chrono::days{static_cast<int>(days)}}};
  return {static_cast<int>(date.year()), static_cast<int>(static_cast<unsigned>(date.month())),
          static_cast<int>(static_cast<unsigned>(date.day()))};
}

double days_of(const Calendar& date) {
  using namespace std::chrono;
  const sys_days days{year_month_day{year{date.year}, month{static_cast<unsigned>(date.month)},
                                     day{static_cast<unsigned>(date.day)}}};
  return static_cast<double>(days.time_since_epoch().count());
}

std::string spell_number(double number) {
  if (std::trunc(number) == number && std::abs(number) <= kLargestInteger) {
    return fmt::format("{}", static_cast<long long>(number));
  }
  return fmt::format("{}", number);
}

std::string_view expected(Type type) {
  switch (type) {
    case Type::integer:
      return "an integer";
    case Type::decimal:
      return "a number";
    case Type::date:
      return "a date";
    case Type::text:
      break;
  }
  return "a text";
}

}  // namespace throng
