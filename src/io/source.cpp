#include "io/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "io/csv_records.h"
#include "table/utf8.h"
#include "throng/error.h"

namespace throng::io {
namespace {

bool ends_in_any(const std::string& path, std::initializer_list<const char*> endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](const char* ending) { return ends_in(path, ending); });
}

}  // namespace

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool ends_in(const std::string& path, const std::string& ending) {
  return lower(path).ends_with(ending);
}

Source parse_source(const std::string& text) {
  Source source;
  source.text = text;
  source.path = text;
  const auto colon = text.rfind(".duckdb:");
  if (colon != std::string::npos) {
    source.kind = Source::Kind::database;
    source.path = text.substr(0, colon + 7);
    source.table = text.substr(colon + 8);
    if (source.table.empty())
      throw InputError(text + ": names no table; expected FILE.duckdb:TABLE");
  } else if (ends_in_any(text, {".csv", ".tsv", ".txt"})) {
    source.kind = Source::Kind::csv;
  } else if (ends_in_any(text, {".parquet"})) {
    source.kind = Source::Kind::parquet;
  } else if (ends_in_any(text, {".json", ".jsonl", ".ndjson"})) {
    source.kind = Source::Kind::json;
  } else {
    throw InputError(text +
                     ": unknown ending; expected .csv, .parquet, .jsonl or FILE.duckdb:TABLE");
  }
  std::error_code error;
  if (!std::filesystem::exists(source.path, error)) {
    throw InputError(fmt::format("{}: no such file", source.path));
  }
  if (!std::filesystem::is_regular_file(source.path, error)) {
    throw InputError(fmt::format("{}: is not a file", source.path));
  }
  if (std::filesystem::file_size(source.path, error) == 0) {
    throw InputError(fmt::format("{}: is empty; expected a table with a header", source.path));
  }
  return source;
}

CsvHeader read_csv_header(const Source& source) {
  if (!std::ifstream(source.path)) {
    throw InputError(fmt::format("{}: cannot be read: {}", source.path, std::strerror(errno)));
  }
  const auto fault = [&](const std::string& what) {
    return InputError(fmt::format("{}:1: {}", source.path, what));
  };
  CsvHeader header;
  bool bad_quote = false;
  for (const char delimiter : {',', ';', '\t', '|'}) {
    CsvRecords records(source.path, delimiter);
    CsvRecords::Record record;
    records.next(record);
    // A quote may look bad by the wrong delimiter alone.
    const bool better =
        record.fields.size() > header.names.size() ||
        (record.fields.size() == header.names.size() && bad_quote && !record.bad_quote);
    if (!better) continue;
    header = {delimiter, std::move(record.fields)};
    bad_quote = record.bad_quote;
  }
  if (bad_quote) throw fault("a quote is opened and not closed, or followed by text");
  for (const std::string& name : header.names) {
    if (!is_utf8(name)) throw fault("is not valid UTF-8; expected the file in UTF-8");
  }
  if (header.names.size() == 1 && header.names[0].find_first_not_of(" \t") == std::string::npos) {
    throw fault("the first line is empty; expected the names of the columns");
  }
  std::set<std::string> seen;
  for (std::size_t i = 0; i < header.names.size(); ++i) {
    const std::string& name = header.names[i];
    if (name.empty()) throw fault(fmt::format("column {} has no name", i + 1));
    if (!seen.insert(name).second) {
      throw fault(fmt::format("column '{}' stands twice in the header", name));
    }
  }
  return header;
}

}  // namespace throng::io
