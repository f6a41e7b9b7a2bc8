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

std::string NewFile::temporary_for(const std::string& path) {
  const std::filesystem::path target(path);
  return (target.parent_path() / fmt::format(".{}.{}.part", target.filename().string(), getpid()))
      .string();
}

NewFile::NewFile(const std::string& path) : path_(path), temporary_(temporary_for(path)) {
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

void NewFile::sync() {
  if (::fsync(descriptor_) != 0) fail(errno);
}

void NewFile::finish_durably() {
  finish();
  sync_folder(std::filesystem::path(path_).parent_path().string());
}

void sync_folder(const std::string& folder) {
  const std::string path = folder.empty() ? "." : folder;
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool failed = descriptor < 0 || ::fsync(descriptor) != 0;
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (failed && error != EINVAL) {  // some file systems do not sync folders
    throw InputError(fmt::format("{}: cannot be synced: {}", path, std::strerror(error)));
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
