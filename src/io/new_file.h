// A file that appears under its name only when it is complete.
#pragma once

#include <string>
#include <string_view>

namespace throng::io {

class NewFile {
 public:
  // Opens a temporary file beside `path`. Throws InputError.
  explicit NewFile(const std::string& path);
  // What was not finished is removed.
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  // The temporary file that this process would use for `path`.
  static std::string temporary_for(const std::string& path);

  void write(std::string_view bytes);
  const std::string& path() const { return path_; }
  // For those who write by name: the temporary file.
  const std::string& temporary() const { return temporary_; }
  // Everything written is on the disk.
  void sync();
  // Gives the file its name, in place of what stood there.
  void finish();
  // The same, and the name is on the disk too. The file was synced.
  void finish_durably();

 private:
  [[noreturn]] void fail(int error) const;

  std::string path_;
  std::string temporary_;
  int descriptor_ = -1;
};

// The names in a folder are on the disk. Throws InputError.
void sync_folder(const std::string& folder);

}  // namespace throng::io
