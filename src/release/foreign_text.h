// The spellings of generalized values that other tools use: intervals, masks, sets. Only what a
// text says by itself; what it covers in a domain is told by release/foreign.h.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hierarchy/builders.h"
#include "table/table.h"

namespace throng {

// Text without the backslashes of docs/notation.md; others' backslashes stay.
struct Written {
  std::string text;
  std::vector<char> plain;  // by byte: whether it stood without a backslash

  bool is_plain(std::size_t at, std::size_t count) const;
  Written part(std::size_t begin, std::size_t end) const;
};
Written read_escapes(std::string_view text);
Written trim(const Written& written);

// Numbers or days from low to high, both included; an end that is not told is infinite.
struct Extent {
  double low = 0;
  double high = 0;
};

// A single value, `20..30`, `20-30`, `[20, 30[`, `(20,30]`, `>=65`, `65+` and the like. An end that
// is excluded is moved to the value next to it: by 1, by a day, to the nearest double. Nothing
// where `text` is none of these, says nothing (`30..20`) or can be read in two ways.
std::optional<Extent> read_extent(std::string_view text, Type type, const std::string& format);

// `1964-10`, `1964-Q4`, `1964`, `1960s`, where the rule has such a level.
std::optional<Extent> read_date_label(std::string_view text, const DateRule& rule,
                                      const std::string& format);

// The one spelling of a number or of a day.
std::string spell_end(double number, Type type, const std::string& format);

// Hidden characters at the end (`right`) or at the beginning of a text.
struct Mask {
  bool right = true;
  std::string shown;
  std::size_t hidden = 0;
};
// Nothing where the text does not begin or end in `character`, or does both but shows something.
std::optional<Mask> read_mask(const Written& written, const std::string& character);

// How many characters, not bytes, the text has.
std::size_t length_of(std::string_view text);

// The members between braces, `{a|b}` or `{a, b}`: at each bar, or where there is none at each
// comma. Blanks around a member are kept.
std::optional<std::vector<Written>> read_braces(const Written& written);
// The parts between separators; one part where there is none.
std::vector<Written> split(const Written& written, char separator);

}  // namespace throng
