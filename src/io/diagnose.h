// Why a file could not be read, told as a place and a reason. A second, slow reading that only a
// failure pays for. Internal to the io room.
#pragma once

#include <functional>
#include <string>

#include "io/source.h"
#include "throng/error.h"

namespace throng::io {

// What to say where DuckDB refused a source with this message.
InputError fault_of(const Source& source, const std::string& message);

// The first record in which a column's text is `wanted`: "FILE:LINE" (or "FILE: record N"), and the
// text. Where the order of records is not known, `known` is looked for instead.
struct Found {
  std::string place;
  std::string text;
};
Found find_value(const Source& source, const std::string& column, const std::string& known,
                 const std::function<bool(const std::string&)>& wanted);

}  // namespace throng::io
