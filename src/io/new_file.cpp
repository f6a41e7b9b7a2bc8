#include "io/new_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "throng/error.h"

namespace throng::io {

NewFile::NewFile(const std::string& path) : path_(path) {
  const std::filesystem::path target(path);
  temporary_ =
      (target.parent_path() / fmt::format(".{}.{}.part", target.filename().string(), getpid()))
          .string();
  ::unlink(temporary_.c_str());  // left by a process that died, or laid as a trap
  descriptor_ =
      ::open(temporary_.c_str(), O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(errno);
}

NewFile::~NewFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void NewFile::fail(int error) const {
  throw InputError(
      fmt::format("{}: cannot be written: {}; nothing was changed", path_, std::strerror(error)));
}

void NewFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void NewFile::finish() {
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0) fail(errno);  // some file systems report a full disk only here
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail(errno);
  temporary_.clear();
}

}  // namespace throng::io
