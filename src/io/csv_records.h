// The records of a CSV one by one, with their lines. For headers, and for finding what is wrong
// with a file that DuckDB refused: exact rather than fast. Internal to the io room.
#pragma once

#include <cstddef>
#include <fstream>
#include <string>
#include <vector>

namespace throng::io {

class CsvRecords {
 public:
  CsvRecords(const std::string& path, char delimiter);

  struct Record {
    std::size_t line = 0;  // that it begins on, from 1
    std::vector<std::string> fields;
    bool bad_quote = false;  // one that is not closed, or closed before the end of its field
    bool empty() const { return fields.size() == 1 && fields[0].empty(); }
  };
  // False at the end of the file.
  bool next(Record& record);

 private:
  int take();

  std::ifstream file_;
  char delimiter_;
  std::size_t line_ = 1;
};

}  // namespace throng::io
