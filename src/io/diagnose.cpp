#include "io/diagnose.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "io/csv_records.h"
#include "io/duckdb.h"
#include "io/relation.h"
#include "table/utf8.h"

namespace throng::io {
namespace {

std::optional<InputError> csv_fault(const Source& source) {
  const CsvHeader header = read_csv_header(source);
  CsvRecords records(source.path, header.delimiter);
  CsvRecords::Record record;
  while (records.next(record)) {
    const auto fault = [&](const std::string& what) {
      return InputError(fmt::format("{}:{}: {}", source.path, record.line, what));
    };
    for (const std::string& field : record.fields) {
      if (!is_utf8(field)) return fault("is not valid UTF-8; expected the file in UTF-8");
    }
    if (record.bad_quote) return fault("a quote is opened and not closed, or followed by text");
    if (record.fields.size() != header.names.size() && !record.empty()) {
      return fault(fmt::format("has {} fields where the header has {}; expected as many",
                               record.fields.size(), header.names.size()));
    }
  }
  return std::nullopt;
}

// Calls `use` with each line's number and JSON until it returns something.
std::optional<Found> each_json(
    const Source& source,
    const std::function<std::optional<std::string>(const nlohmann::json&)>& use) {
  std::ifstream file(source.path, std::ios::binary);
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (auto text = use(json)) return Found{fmt::format("{}:{}", source.path, number), *text};
  }
  return std::nullopt;
}

std::optional<InputError> json_fault(const Source& source) {
  const auto found =
      each_json(source, [](const nlohmann::json& json) -> std::optional<std::string> {
        if (json.is_discarded()) return "is not valid JSON; expected one object a line";
        if (!json.is_object()) return "is no JSON object; expected one object a line";
        return std::nullopt;
      });
  if (!found) return std::nullopt;
  return InputError(found->place + ": " + found->text);
}

// DuckDB's own words, one line of them, without the name of the kind of error.
std::string plain_words(const std::string& message) {
  const std::string line = message.substr(0, message.find('\n'));
  const auto kind = line.find("rror: ");
  return kind == std::string::npos || kind > 30 ? line : line.substr(kind + 6);
}

// ":17" where DuckDB names line 17.
std::string line_in(const std::string& message) {
  const auto at = message.find("Line: ");
  if (at == std::string::npos) return "";
  const auto begin = at + 6, end = message.find_first_not_of("0123456789", begin);
  return ":" + message.substr(begin, end - begin);
}

std::optional<Found> find_in_csv(const Source& source, const std::string& column,
                                 const std::function<bool(const std::string&)>& wanted) {
  const CsvHeader header = read_csv_header(source);
  const auto at = static_cast<std::size_t>(
      std::find(header.names.begin(), header.names.end(), column) - header.names.begin());
  CsvRecords records(source.path, header.delimiter);
  CsvRecords::Record record;
  records.next(record);  // the header
  while (records.next(record)) {
    if (record.empty() && header.names.size() > 1) continue;
    if (at < record.fields.size() && wanted(record.fields[at])) {
      return Found{fmt::format("{}:{}", source.path, record.line), record.fields[at]};
    }
  }
  return std::nullopt;
}

std::optional<Found> find_in_rows(const Source& source, const std::string& column,
                                  const std::string& known) {
  Session session(1);
  Duck duck(session);
  const Relation relation = relation_of(duck, source);
  const auto at =
      std::find(relation.names.begin(), relation.names.end(), column) - relation.names.begin();
  const auto rows = duck.rows(fmt::format(
      "SELECT row FROM (SELECT row_number() OVER () AS row, coalesce(c{}, '') AS value FROM {}) "
      "WHERE value = {} ORDER BY row LIMIT 1",
      at, relation.from, sql_text(known)));
  if (rows.empty()) return std::nullopt;
  return Found{fmt::format("{}: record {}", source.text, rows[0][0]), known};
}

}  // namespace

InputError fault_of(const Source& source, const std::string& message) {
  const auto says = [&](const char* words) { return message.find(words) != std::string::npos; };
  if (source.kind == Source::Kind::csv) {
    if (says("Maximum line size")) {
      return InputError(source.path + line_in(message) +
                        ": is too long; expected lines of at most 2 MB");
    }
    if (auto fault = csv_fault(source)) return *fault;
  }
  if (source.kind == Source::Kind::json) {
    if (auto fault = json_fault(source)) return *fault;
  }
  if (source.kind == Source::Kind::parquet && says("magic bytes")) {
    return InputError(source.text + ": is not a Parquet file");
  }
  return InputError(fmt::format("{}: {}", source.text, plain_words(message)));
}

Found find_value(const Source& source, const std::string& column, const std::string& known,
                 const std::function<bool(const std::string&)>& wanted) {
  std::optional<Found> found;
  try {
    if (source.kind == Source::Kind::csv) {
      found = find_in_csv(source, column, wanted);
    } else if (source.kind == Source::Kind::json) {
      found = each_json(source, [&](const nlohmann::json& json) -> std::optional<std::string> {
        const auto member = json.find(column);
        const bool absent = member == json.end() || member->is_null();
        const std::string text = absent                ? ""
                                 : member->is_string() ? member->get<std::string>()
                                                       : member->dump();
        return wanted(text) ? std::optional(text) : std::nullopt;
      });
    } else {
      found = find_in_rows(source, column, known);
    }
  } catch (const DuckError&) {  // the place stays unknown; the value does not
  }
  return found.value_or(Found{source.text, known});
}

}  // namespace throng::io
