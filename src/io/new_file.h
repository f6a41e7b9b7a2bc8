// A file that appears under its name only when it is complete. Internal to the io room.
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

  void write(std::string_view bytes);
  // For those who write by name: the temporary file.
  const std::string& temporary() const { return temporary_; }
  // Gives the file its name, in place of what stood there.
  void finish();

 private:
  [[noreturn]] void fail(int error) const;

  std::string path_;
  std::string temporary_;
  int descriptor_ = -1;
};

}  // namespace throng::io
