#include "table/encode.h"

#include <algorithm>
#include <utility>

#include "table/value.h"

namespace throng {
namespace {

// The distinct texts with what they mean; a missing one sorts last.
struct Entry {
  Value value;
  bool missing = false;
  Code raw = 0;
};

bool before(const Entry& a, const Entry& b, bool numeric) {
  if (a.missing != b.missing) return b.missing;
  if (numeric) return a.value.number < b.value.number;
  return a.value.label < b.value.label;
}

// Neither comes before the other: texts that spell one value.
bool same(const Entry& a, const Entry& b, bool numeric) {
  return !before(a, b, numeric) && !before(b, a, numeric);
}

Codes recode(const Codes& from, const std::vector<Code>& to, std::size_t domain) {
  Codes result(from.size(), domain);
  from.visit([&](const auto& source) {
    result.visit([&](auto& target) {
      using Narrow = typename std::decay_t<decltype(target)>::value_type;
      for (std::size_t row = 0; row < source.size(); ++row) {
        target[row] = static_cast<Narrow>(to[source[row]]);
      }
    });
  });
  return result;
}

bool is_missing(const std::string& text, const MissingRule& rule) {
  return std::find(rule.values.begin(), rule.values.end(), text) != rule.values.end();
}

}  // namespace

bool is_bad(const std::string& text, const ColumnType& type, const MissingRule& missing) {
  if (is_missing(text, missing)) return missing.as == MissingRule::As::error;
  return !parse_value(type.type, text, type.format);
}

Column encode(RawColumn raw, const ColumnType& type, const MissingRule& missing) {
  const bool numeric = type.type != Type::text;
  std::vector<Entry> entries(raw.texts.size());
  for (Code code = 0; code < raw.texts.size(); ++code) {
    Entry& entry = entries[code];
    std::string& text = raw.texts[code];
    entry.raw = code;
    entry.missing = is_missing(text, missing);
    if (entry.missing) {
      if (missing.as == MissingRule::As::error) throw BadValue{raw.name, text, "a value"};
      entry.value.label = missing.values.front();
    } else if (!numeric) {
      entry.value.label = std::move(text);
    } else if (auto value = parse_value(type.type, text, type.format)) {
      entry.value = *std::move(value);
    } else {
      throw BadValue{raw.name, text, std::string(expected(type.type))};
    }
  }
  std::sort(entries.begin(), entries.end(),
            [&](const Entry& a, const Entry& b) { return before(a, b, numeric); });

  Column column;
  column.name = std::move(raw.name);
  column.values.type = type.type;
  std::vector<Code> new_code(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i == 0 || !same(entries[i - 1], entries[i], numeric)) {
      column.values.labels.push_back(entries[i].value.label);
      if (numeric) column.values.numbers.push_back(entries[i].value.number);
    }
    new_code[entries[i].raw] = static_cast<Code>(column.values.labels.size() - 1);
  }
  column.values.missing = !entries.empty() && entries.back().missing;
  column.codes = recode(raw.codes, new_code, column.values.size());
  return column;
}

void drop_missing(Table& table) {
  std::vector<char> keep(table.rows, 1);
  for (const Column& column : table.columns) {
    if (!column.values.missing) continue;
    const Code missing = static_cast<Code>(column.values.size() - 1);
    for (std::size_t row = 0; row < table.rows; ++row) {
      if (column.codes[row] == missing) keep[row] = 0;
    }
  }
  const auto kept = static_cast<std::size_t>(std::count(keep.begin(), keep.end(), 1));
  if (kept == table.rows) return;
  for (Column& column : table.columns) {
    // Values that only dropped rows had leave the dictionary too: they are not in the table.
    std::vector<char> used(column.values.size(), 0);
    for (std::size_t row = 0; row < table.rows; ++row) {
      if (keep[row]) used[column.codes[row]] = 1;
    }
    std::vector<Code> new_code(used.size(), 0);
    Dictionary values;
    values.type = column.values.type;
    for (std::size_t code = 0; code < used.size(); ++code) {
      if (!used[code]) continue;
      new_code[code] = static_cast<Code>(values.labels.size());
      values.labels.push_back(std::move(column.values.labels[code]));
      if (values.numeric()) values.numbers.push_back(column.values.numbers[code]);
    }
    Codes codes(kept, values.size());
    std::size_t next = 0;
    for (std::size_t row = 0; row < table.rows; ++row) {
      if (keep[row]) codes.set(next++, new_code[column.codes[row]]);
    }
    column.values = std::move(values);
    column.codes = std::move(codes);
  }
  table.dropped = table.rows - kept;
  table.rows = kept;
}

}  // namespace throng
