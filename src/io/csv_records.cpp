#include "io/csv_records.h"

namespace throng::io {
namespace {

constexpr int kEnd = std::ifstream::traits_type::eof();

}  // namespace

CsvRecords::CsvRecords(const std::string& path, char delimiter)
    : file_(path, std::ios::binary), delimiter_(delimiter) {
  std::string mark(3, '\0');
  file_.read(mark.data(), 3);
  if (mark != "\xEF\xBB\xBF") {  // not a byte order mark
    file_.clear();
    file_.seekg(0);
  }
}

int CsvRecords::take() {
  const int character = file_.get();
  // A line ends in \n, \r\n, or in very old files in \r; it reads as \n.
  if (character == '\r') {
    if (file_.peek() == '\n') file_.get();
    ++line_;
    return '\n';
  }
  if (character == '\n') ++line_;
  return character;
}

bool CsvRecords::next(Record& record) {
  record = {};
  record.line = line_;
  if (file_.peek() == kEnd) return false;
  record.fields.emplace_back();
  bool quoted = false, closed = false;
  while (true) {
    const int character = take();
    if (quoted) {
      if (character == kEnd) {
        record.bad_quote = true;
        return true;
      }
      if (character != '"') {
        record.fields.back() += static_cast<char>(character);
      } else if (file_.peek() == '"') {
        record.fields.back() += static_cast<char>(file_.get());
      } else {
        quoted = false;
        closed = true;
      }
    } else if (character == kEnd || character == '\n') {
      return true;
    } else if (character == delimiter_) {
      record.fields.emplace_back();
      closed = false;
    } else if (character == '"' && record.fields.back().empty() && !closed) {
      quoted = true;
    } else {
      record.bad_quote = record.bad_quote || closed;
      record.fields.back() += static_cast<char>(character);
    }
  }
}

}  // namespace throng::io
