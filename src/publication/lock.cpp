#include "publication/lock.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <thread>

#include "throng/error.h"

namespace throng {
namespace {

using Clock = std::chrono::steady_clock;

// Somebody who asks is_free() has the lock for an instant: nobody is refused for that.
constexpr double least_patience = 0.05;
constexpr double most_patience = 1e8;  // seconds, three years: the clock does not overflow
constexpr auto between_tries = std::chrono::milliseconds(10);

[[noreturn]] void fail(const std::string& path, int error) {
  throw InputError(fmt::format("{}: cannot be locked: {}", path, std::strerror(error)));
}

// Whether the lock was had. A lock that another open file has is no error.
bool try_lock(int descriptor, int kind) {
  int status = 0;
  do {
    status = ::flock(descriptor, kind | LOCK_NB);
  } while (status != 0 && errno == EINTR);
  return status == 0;
}

// Whether `path` is still the file that was opened, and not another in its place.
bool is_still(int descriptor, const std::string& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(descriptor, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

std::string about_this_process(const std::string& verb) {
  std::array<char, 256> host{'?'};
  if (::gethostname(host.data(), host.size() - 1) != 0) host = {'?'};
  return fmt::format("pid {} on {}, {}, since {:%Y-%m-%dT%H:%M:%SZ}\n", ::getpid(), host.data(),
                     verb, fmt::gmtime(std::time(nullptr)));
}

// For people; the lock is had without it, so a full disk is for others to find.
void write_text(int descriptor, const std::string& text) {
  if (::ftruncate(descriptor, 0) != 0) return;
  if (::pwrite(descriptor, text.data(), text.size(), 0) < 0) return;
}

std::string holder(int descriptor) {
  std::array<char, 512> buffer{};
  const ssize_t count = ::pread(descriptor, buffer.data(), buffer.size(), 0);
  std::string text(buffer.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  text.resize(std::min(text.size(), text.find('\n')));
  for (char& character : text) {
    if (static_cast<unsigned char>(character) < ' ' || character == '\x7f') character = '?';
  }
  return text.empty() ? "another process" : text;
}

}  // namespace

Lock::Lock(const std::string& path, const std::string& verb, double seconds) {
  const double patience =
      seconds > least_patience ? std::min(seconds, most_patience) : least_patience;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(patience));
  while (true) {
    descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor_ < 0) fail(path, errno);
    while (!try_lock(descriptor_, LOCK_EX)) {
      const int error = errno;
      if (error == EWOULDBLOCK && Clock::now() < end) {
        std::this_thread::sleep_for(between_tries);
        continue;
      }
      const std::string text = holder(descriptor_);
      ::close(descriptor_);
      if (error != EWOULDBLOCK) fail(path, error);
      throw InputError(fmt::format("{} is held by {}; try again when it has finished", path, text));
    }
    if (is_still(descriptor_, path)) break;
    ::close(descriptor_);
  }
  write_text(descriptor_, about_this_process(verb));
}

// The file stays: removing it would take it from those who wait for it.
Lock::~Lock() {
  write_text(descriptor_, "");
  ::close(descriptor_);
}

bool Lock::is_free(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return errno == ENOENT;
  const bool had = try_lock(descriptor, LOCK_SH);
  ::close(descriptor);
  return had;
}

}  // namespace throng
