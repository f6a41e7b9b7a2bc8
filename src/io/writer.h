// Releases out: CSV or Parquet by the ending. A file appears whole or not at all.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/new_file.h"
#include "io/session.h"
#include "release/release.h"

namespace throng::io {

// Refuses, before any work is done, an output that could not be written: another ending than
// `endings`, a folder that does not exist, one of the inputs. Throws InputError.
void check_output(const std::string& path, const std::vector<std::string>& endings,
                  const std::vector<std::string>& inputs);

// Throws InputError where the file cannot be written (a full disk, no permission).
void write_release(const Release& release, const std::string& path, Session& session);

// Text columns with a header, CSV or Parquet: `codes[i][row]` is a place in `labels[i]`.
struct LabelColumn {
  std::string name;
  std::vector<std::string> labels;
  Codes codes;
};
void write_columns(const std::vector<LabelColumn>& columns, const std::string& path,
                   Session& session);
// The same, without the last step: the caller syncs the file and gives it its name.
std::unique_ptr<NewFile> prepare_columns(const std::vector<LabelColumn>& columns,
                                         const std::string& path, Session& session);

// The columns of a release as they are written.
std::vector<LabelColumn> columns_of(const Release& release);

void write_text(std::string_view content, const std::string& path);

}  // namespace throng::io
