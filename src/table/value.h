// Reading one value by its type, and spelling it in the one way in which it is released.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "table/table.h"

namespace throng {

struct Value {
  double number = 0;  // what it is ordered and measured by
  std::string label;  // its one spelling: 007 and +7 are 7
};

// An integer within ±2^53, a finite decimal, or a date; nothing where `text` is none. `format` is
// that of dates, in the letters of strptime; empty means 2026-01-31.
std::optional<Value> parse_value(Type type, std::string_view text, const std::string& format = {});

// The calendar of the date that is `days` after 1970-01-01.
struct Calendar {
  int year = 1970;
  int month = 1;
  int day = 1;
};
Calendar calendar_of(double days);
double days_of(const Calendar& date);

// The shortest spelling of a number that reads back as the same.
std::string spell_number(double number);

// "a text", "an integer": for messages.
std::string_view expected(Type type);

}  // namespace throng
