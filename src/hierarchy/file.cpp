#include "hierarchy/file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "table/utf8.h"
#include "throng/error.h"

namespace throng {
namespace {

struct Lines {
  std::vector<std::vector<std::string>> levels;
  std::vector<std::size_t> numbers;  // of the lines in the file, from 1
};

// The fields of one line; quotes hold delimiters, a doubled quote is one.
std::vector<std::string> fields_of(std::string_view line, char delimiter) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char character = line[i];
    if (quoted && character == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += '"';
      ++i;
    } else if (character == '"' && (quoted || fields.back().empty())) {
      quoted = !quoted;
    } else if (character == delimiter && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += character;
    }
  }
  return fields;
}

Lines lines_of(std::string_view content, const std::string& source) {
  Lines lines;
  char delimiter = '\0';
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < content.size();) {
    const std::size_t end = std::min(content.find('\n', begin), content.size());
    std::string_view line = content.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty()) continue;
    if (!is_utf8(line)) {
      throw InputError(
          fmt::format("{}:{}: is not valid UTF-8; expected the file in UTF-8", source, number));
    }
    // ARX writes `;`; a file that has none is one of commas.
    if (delimiter == '\0') delimiter = line.find(';') != std::string_view::npos ? ';' : ',';
    lines.levels.push_back(fields_of(line, delimiter));
    lines.numbers.push_back(number);
  }
  return lines;
}

Lines terms_of(std::string_view content, const std::string& source) {
  const auto json = nlohmann::json::parse(content, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) throw InputError(source + ": not valid JSON; expected lists of terms");
  const auto& terms = json.is_object() && json.contains("terms") ? json["terms"] : json;
  const auto fail = [&] {
    return InputError(source + R"(: expected lists of terms, [["leaf", "level 1", "*"], …])");
  };
  if (!terms.is_array()) throw fail();
  Lines lines;
  for (const auto& term : terms) {
    if (!term.is_array() || term.empty()) throw fail();
    auto& line = lines.levels.emplace_back();
    for (const auto& label : term) {
      if (label.is_string()) {
        line.push_back(label.get<std::string>());
      } else if (label.is_number() || label.is_boolean()) {
        line.push_back(label.dump());
      } else {
        throw fail();
      }
    }
  }
  return lines;
}

}  // namespace

Hierarchy parse_hierarchy(std::string_view content, Type type, const std::string& date_format,
                          const std::string& source, const std::optional<std::string>& missing) {
  if (content.starts_with("\xEF\xBB\xBF")) content.remove_prefix(3);
  const auto first = content.find_first_not_of(" \t\r\n");
  const bool json = first != std::string_view::npos &&
                    (content[first] == '[' || content[first] == '{') && source.ends_with(".json");
  const Lines lines = json ? terms_of(content, source) : lines_of(content, source);
  return {lines.levels, type, date_format, source, lines.numbers, missing};
}

Hierarchy read_hierarchy(const std::string& path, Type type, const std::string& date_format,
                         const std::optional<std::string>& missing) {
  return parse_hierarchy(read_file(path, "a hierarchy"), type, date_format, path, missing);
}

std::string read_file(const std::string& path, std::string_view what) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  if (file && file.peek() != std::ifstream::traits_type::eof()) content << file.rdbuf();
  if (!file.is_open() || file.bad() || content.bad()) {
    throw InputError(fmt::format("{}: cannot be read as {}: {}", path, what,
                                 errno != 0 ? std::strerror(errno) : "read error"));
  }
  return std::move(content).str();
}

}  // namespace throng
