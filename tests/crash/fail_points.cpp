// A library for LD_PRELOAD that lets a program die, or its disk be full, at a chosen call.
//
// It counts the calls that change files under the folders $FAIL_FOLDERS (divided by colons):
// writes, syncs, names given and taken, cuts. What changes nothing is no such call: a file opened
// that is there already, a file removed that is not. SQLite's -shm is not counted: it is memory.
// $FAIL_MODE says what happens at call number $FAIL_AT:
//
//   count    nothing; $FAIL_LOG gets a line for each call: what it is, how many bytes, the path
//   before   SIGKILL in place of the call
//   half     SIGKILL when half of the bytes of a write are written
//   after    SIGKILL when the call has returned
//   full     it and all later calls that need space on the disk fail with ENOSPC
//   power    before the call the machine loses its power: all bytes that were not synced since they
//   were
//            written, and all names whose folder was not synced since, are as they were before;
//            then SIGKILL. Names that must come back are kept in the folder $FAIL_SPARE.
//
// The idea of `power` is LevelDB's (db/fault_injection_test.cc). Real disks may keep any part of
// what was not synced; this is one end of it, and `before` is the other.
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace {

// --- The calls themselves: by number, so that none of them comes back to us
// --------------------------

ssize_t do_pwrite(int file, const void* bytes, size_t size, off_t at) {
  return syscall(SYS_pwrite64, file, bytes, size, at);
}
int do_open(int folder, const char* path, int flags, mode_t mode) {
  return static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
}
int do_unlink(int folder, const char* path, int flags) {
  return static_cast<int>(syscall(SYS_unlinkat, folder, path, flags));
}
int do_rename(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  return static_cast<int>(syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}
int do_truncate(int file, off_t size) {
  return static_cast<int>(syscall(SYS_ftruncate, file, size));
}
int do_link(const std::string& from, const std::string& to) {
  return static_cast<int>(syscall(SYS_linkat, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), 0));
}

[[noreturn]] void die() {
  while (true) syscall(SYS_kill, getpid(), SIGKILL);
}

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string path_of(int file) {
  char path[4096];
  const ssize_t size =
      readlink(("/proc/self/fd/" + std::to_string(file)).c_str(), path, sizeof path);
  return size < 0 ? "" : std::string(path, static_cast<size_t>(size));
}

std::string path_of(int folder, const char* path) {
  if (path[0] == '/') return path;
  const std::string base =
      folder == AT_FDCWD ? std::filesystem::current_path().string() : path_of(folder);
  return (std::filesystem::path(base) / path).lexically_normal().string();
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

bool is_there(const std::string& path) {
  struct stat status {};
  return syscall(SYS_newfstatat, AT_FDCWD, path.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

// --- What a loss of power takes back
// -----------------------------------------------------------------

class Unsynced {
 public:
  // Before the bytes of a file from `begin` to `end` are written, or cut off.
  void about_to_change(int file, off_t begin, off_t end) {
    File& known = file_of(file);
    struct stat status {};
    fstat(known.descriptor, &status);
    end = std::min(end, status.st_size);
    if (begin >= end) return;
    std::string old(static_cast<size_t>(end - begin), '\0');
    if (pread(known.descriptor, old.data(), old.size(), begin) == end - begin)
      known.old.emplace_back(begin, std::move(old));
  }
  void synced(int file) {
    struct stat status {};
    fstat(file, &status);
    if (S_ISDIR(status.st_mode)) {
      const std::string folder = path_of(file);
      std::erase_if(names_, [&](const Name& name) { return name.folder == folder; });
      return;
    }
    File& known = file_of(file);
    known.size = status.st_size;
    known.old.clear();
  }
  void made(const std::string& path) { names_.push_back({folder_of(path), path, "", ""}); }
  void about_to_remove(const std::string& path) {
    names_.push_back({folder_of(path), "", path, spare(path)});
  }
  void about_to_rename(const std::string& from, const std::string& to) {
    names_.push_back({folder_of(to), to, from, is_there(to) ? spare(to) : ""});
  }

  void lose() {
    for (auto& [_, file] : files_) {
      for (auto old = file.old.rbegin(); old != file.old.rend(); ++old) {
        do_pwrite(file.descriptor, old->second.data(), old->second.size(), old->first);
      }
      do_truncate(file.descriptor, file.size);
    }
    for (auto name = names_.rbegin(); name != names_.rend(); ++name) {
      if (name->now.empty()) {
        do_rename(AT_FDCWD, name->spare.c_str(), AT_FDCWD, name->before.c_str(), 0);
      } else if (name->before.empty()) {
        std::error_code ignored;
        std::filesystem::remove_all(name->now, ignored);
      } else {
        do_rename(AT_FDCWD, name->now.c_str(), AT_FDCWD, name->before.c_str(), 0);
        if (!name->spare.empty())
          do_rename(AT_FDCWD, name->spare.c_str(), AT_FDCWD, name->now.c_str(), 0);
      }
    }
  }

 private:
  struct File {
    // Our own, and never closed: that would drop the locks that SQLite has on the file.
    int descriptor = -1;
    off_t size = 0;
    std::vector<std::pair<off_t, std::string>> old;
  };
  struct Name {
    std::string folder, now, before, spare;  // empty where there is none
  };

  File& file_of(int file) {
    struct stat status {};
    fstat(file, &status);
    const auto [found, is_new] = files_.try_emplace({status.st_dev, status.st_ino});
    if (is_new) {
      found->second.descriptor = do_open(
          AT_FDCWD, ("/proc/self/fd/" + std::to_string(file)).c_str(), O_RDWR | O_CLOEXEC, 0);
      found->second.size = status.st_size;
    }
    return found->second;
  }

  std::string spare(const std::string& path) {
    const std::string name = setting("FAIL_SPARE") + "/" + std::to_string(getpid()) + "-" +
                             std::to_string(names_made_++);
    do_link(path, name);
    return name;
  }

  std::map<std::pair<dev_t, ino_t>, File> files_;
  std::vector<Name> names_;
  int names_made_ = 0;
};

// --- Counting
// ----------------------------------------------------------------------------------------

enum class Mode { off, count, before, half, after, full, power };

class FailPoints {
 public:
  FailPoints() {
    const std::string mode = setting("FAIL_MODE");
    const char* words[] = {"", "count", "before", "half", "after", "full", "power"};
    for (int i = 0; i < 7; ++i) {
      if (mode == words[i]) mode_ = static_cast<Mode>(i);
    }
    at_ = std::atol(setting("FAIL_AT").c_str());
    std::string folders = setting("FAIL_FOLDERS");
    for (size_t end = 0; !folders.empty();
         folders.erase(0, end == std::string::npos ? end : end + 1)) {
      end = folders.find(':');
      folders_.push_back(folders.substr(0, end));
    }
    if (mode_ == Mode::count) {
      log_ = do_open(AT_FDCWD, setting("FAIL_LOG").c_str(),
                     O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    }
  }

  bool concerns(const std::string& path) const {
    if (mode_ == Mode::off || inside || path.ends_with("-shm")) return false;
    return std::any_of(folders_.begin(), folders_.end(), [&](const std::string& folder) {
      return path.starts_with(folder) &&
             (path.size() == folder.size() || path[folder.size()] == '/');
    });
  }

  // Runs the call, or what is to happen in its place. `note(unsynced)` tells of it; `half()` does
  // half.
  template <typename Call, typename Note, typename Half>
  auto run(const char* what, size_t bytes, const std::string& path, bool takes_space, Call&& call,
           Note&& note, Half&& half) -> decltype(call()) {
    const std::lock_guard guard(mutex_);
    inside = true;
    const bool here = ++count_ == at_;
    if (mode_ == Mode::count) {
      const std::string line = std::string(what) + " " + std::to_string(bytes) + " " + path + "\n";
      syscall(SYS_write, log_, line.data(), line.size());
    }
    if (here && mode_ == Mode::before) die();
    if (here && mode_ == Mode::half) {
      half();
      die();
    }
    if (mode_ == Mode::power) {
      if (here) {
        unsynced_.lose();
        die();
      }
      note(unsynced_);
    }
    if (mode_ == Mode::full && at_ > 0 && count_ >= at_ && takes_space) {
      inside = false;
      errno = ENOSPC;
      return -1;
    }
    const auto result = call();
    if (here && mode_ == Mode::after) die();
    inside = false;
    return result;
  }

 private:
  static thread_local bool inside;

  Mode mode_ = Mode::off;
  long at_ = 0, count_ = 0;
  int log_ = -1;
  std::vector<std::string> folders_;
  std::mutex mutex_;
  Unsynced unsynced_;
};

thread_local bool FailPoints::inside = false;

// Never destroyed: files are closed after everything else.
FailPoints& points() {
  static auto* const all = new FailPoints();
  return *all;
}

constexpr auto kNothing = [] {};

// --- One of them each
// --------------------------------------------------------------------------------

template <typename Write>
ssize_t write_with(int file, const void* bytes, size_t size, off_t at, Write&& write) {
  const std::string path = path_of(file);
  if (size == 0 || !points().concerns(path)) return write(bytes, size);
  return points().run(
      "write", size, path, true, [&] { return write(bytes, size); },
      [&](Unsynced& unsynced) {
        unsynced.about_to_change(file, at, at + static_cast<off_t>(size));
      },
      [&] { write(bytes, size / 2); });
}

off_t place_in(int file) {
  return (fcntl(file, F_GETFL) & O_APPEND) != 0 ? lseek(file, 0, SEEK_END)
                                                : lseek(file, 0, SEEK_CUR);
}

ssize_t write_at(int file, const void* bytes, size_t size, off_t at) {
  return write_with(file, bytes, size, at, [&](const void* from, size_t count) {
    return do_pwrite(file, from, count, at);
  });
}

int sync_with(int file, long number) {
  const auto call = [&] { return static_cast<int>(syscall(number, file)); };
  const std::string path = path_of(file);
  if (!points().concerns(path)) return call();
  // Whether it will succeed does not matter: nothing here lets it fail.
  return points().run(
      "sync", 0, path, false, call, [&](Unsynced& unsynced) { unsynced.synced(file); }, kNothing);
}

int open_with(int folder, const char* path, int flags, mode_t mode) {
  const auto call = [&] { return do_open(folder, path, flags, mode); };
  if ((flags & (O_CREAT | O_TRUNC)) == 0) return call();
  const std::string full = path_of(folder, path);
  const bool makes = !is_there(full);
  struct stat status {};
  const bool cuts = !makes && (flags & O_TRUNC) != 0 && stat(full.c_str(), &status) == 0 &&
                    S_ISREG(status.st_mode) && status.st_size > 0;
  if ((!makes && !cuts) || !points().concerns(full)) return call();
  return points().run(
      makes ? "make" : "cut", 0, full, makes, call,
      [&](Unsynced& unsynced) {
        if (makes) return unsynced.made(full);
        const int file = do_open(AT_FDCWD, full.c_str(), O_WRONLY | O_CLOEXEC, 0);
        unsynced.about_to_change(file, 0, status.st_size);
      },
      kNothing);
}

int truncate_with(int file, off_t size) {
  const auto call = [&] { return do_truncate(file, size); };
  const std::string path = path_of(file);
  struct stat status {};
  if (!points().concerns(path) || (fstat(file, &status) == 0 && status.st_size == size))
    return call();
  return points().run(
      "cut", 0, path, size > status.st_size, call,
      [&](Unsynced& unsynced) { unsynced.about_to_change(file, size, status.st_size); }, kNothing);
}

int unlink_with(int folder, const char* path, int flags) {
  const auto call = [&] { return do_unlink(folder, path, flags); };
  const std::string full = path_of(folder, path);
  if (!points().concerns(full) || !is_there(full)) return call();
  return points().run(
      "remove", 0, full, false, call,
      [&](Unsynced& unsynced) {
        if ((flags & AT_REMOVEDIR) == 0) unsynced.about_to_remove(full);
      },
      kNothing);
}

int rename_with(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  const auto call = [&] { return do_rename(from_folder, from, to_folder, to, flags); };
  const std::string source = path_of(from_folder, from), target = path_of(to_folder, to);
  if (!points().concerns(target) || !is_there(source)) return call();
  return points().run(
      "rename", 0, target, false, call,
      [&](Unsynced& unsynced) { unsynced.about_to_rename(source, target); }, kNothing);
}

int mkdir_with(int folder, const char* path, mode_t mode) {
  const auto call = [&] { return static_cast<int>(syscall(SYS_mkdirat, folder, path, mode)); };
  const std::string full = path_of(folder, path);
  if (!points().concerns(full) || is_there(full)) return call();
  return points().run(
      "make", 0, full, true, call, [&](Unsynced& unsynced) { unsynced.made(full); }, kNothing);
}

mode_t mode_in(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

// --- What the program calls
// --------------------------------------------------------------------------

#define OPEN(name)                                 \
  int name(const char* path, int flags, ...) {     \
    va_list arguments;                             \
    va_start(arguments, flags);                    \
    const mode_t mode = mode_in(flags, arguments); \
    va_end(arguments);                             \
    return open_with(AT_FDCWD, path, flags, mode); \
  }
#define OPENAT(name)                                       \
  int name(int folder, const char* path, int flags, ...) { \
    va_list arguments;                                     \
    va_start(arguments, flags);                            \
    const mode_t mode = mode_in(flags, arguments);         \
    va_end(arguments);                                     \
    return open_with(folder, path, flags, mode);           \
  }

extern "C" {

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
int creat(const char* path, mode_t mode) {
  return open_with(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

ssize_t write(int file, const void* bytes, size_t size) {
  return write_with(file, bytes, size, place_in(file), [&](const void* from, size_t count) {
    return syscall(SYS_write, file, from, count);
  });
}
ssize_t pwrite(int file, const void* bytes, size_t size, off_t at) {
  return write_at(file, bytes, size, at);
}
ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t at) {
  return write_at(file, bytes, size, at);
}
ssize_t writev(int file, const struct iovec* parts, int count) {
  std::string joined;
  for (int i = 0; i < count; ++i)
    joined.append(static_cast<char*>(parts[i].iov_base), parts[i].iov_len);
  return write(file, joined.data(), joined.size());
}

int fsync(int file) { return sync_with(file, SYS_fsync); }
int fdatasync(int file) { return sync_with(file, SYS_fdatasync); }
int ftruncate(int file, off_t size) noexcept { return truncate_with(file, size); }
int ftruncate64(int file, off64_t size) noexcept { return truncate_with(file, size); }

int rename(const char* from, const char* to) noexcept {
  return rename_with(AT_FDCWD, from, AT_FDCWD, to, 0);
}
int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  return rename_with(from_folder, from, to_folder, to, 0);
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned flags) noexcept {
  return rename_with(from_folder, from, to_folder, to, flags);
}

int unlink(const char* path) noexcept { return unlink_with(AT_FDCWD, path, 0); }
int unlinkat(int folder, const char* path, int flags) noexcept {
  return unlink_with(folder, path, flags);
}
int rmdir(const char* path) noexcept { return unlink_with(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char* path) noexcept {
  struct stat status {};
  const bool folder = lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
  return unlink_with(AT_FDCWD, path, folder ? AT_REMOVEDIR : 0);
}

int mkdir(const char* path, mode_t mode) noexcept { return mkdir_with(AT_FDCWD, path, mode); }
int mkdirat(int folder, const char* path, mode_t mode) noexcept {
  return mkdir_with(folder, path, mode);
}

}  // extern "C"
