#include "io/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "throng/error.h"

namespace throng::io {
namespace {

bool ends_in(std::string text, std::initializer_list<const char*> endings) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return std::any_of(endings.begin(), endings.end(),
                     [&](const char* ending) { return text.ends_with(ending); });
}

// The fields of a header line with this delimiter.
std::vector<std::string> split(const std::string& line, char delimiter) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char character = line[i];
    if (quoted && character == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (character == '"') {
      quoted = !quoted;
    } else if (character == delimiter && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += character;
    }
  }
  return fields;
}

}  // namespace

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
  } else if (ends_in(text, {".csv", ".tsv", ".txt"})) {
    source.kind = Source::Kind::csv;
  } else if (ends_in(text, {".parquet"})) {
    source.kind = Source::Kind::parquet;
  } else if (ends_in(text, {".json", ".jsonl", ".ndjson"})) {
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
  std::ifstream file(source.path, std::ios::binary);
  std::string line;
  if (!file)
    throw InputError(fmt::format("{}: cannot be read: {}", source.path, std::strerror(errno)));
  std::getline(file, line, '\n');
  if (line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
  // A lone \r ends lines in very old files.
  if (const auto end = line.find('\r'); end != std::string::npos) line.resize(end);
  if (line.find_first_not_of(" \t") == std::string::npos) {
    throw InputError(fmt::format("{}:1: the first line is empty; expected the names of the columns",
                                 source.path));
  }
  CsvHeader header;
  for (const char delimiter : {',', ';', '\t', '|'}) {
    std::vector<std::string> names = split(line, delimiter);
    if (names.size() > header.names.size()) header = {delimiter, std::move(names)};
  }
  std::set<std::string> seen;
  for (std::size_t i = 0; i < header.names.size(); ++i) {
    const std::string& name = header.names[i];
    if (name.empty())
      throw InputError(fmt::format("{}:1: column {} has no name", source.path, i + 1));
    if (!seen.insert(name).second) {
      throw InputError(
          fmt::format("{}:1: column '{}' stands twice in the header", source.path, name));
    }
  }
  return header;
}

}  // namespace throng::io
