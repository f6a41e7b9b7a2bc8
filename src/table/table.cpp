#include "table/table.h"

#include <algorithm>

#include "throng/error.h"

namespace throng {

InputError::~InputError() = default;
PrivacyError::~PrivacyError() = default;

std::string_view name_of(Type type) {
  switch (type) {
    case Type::integer:
      return "integer";
    case Type::decimal:
      return "decimal";
    case Type::date:
      return "date";
    case Type::text:
      break;
  }
  return "text";
}

const Column* Table::find(std::string_view name) const {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const Column& column) { return column.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

}  // namespace throng
