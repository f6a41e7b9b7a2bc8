// One writer at a time: a lock on a publication's folder that dies with its process.
#pragma once

#include <string>

namespace throng {

class Lock {
 public:
  // Waits up to `seconds` for `path`, then throws InputError that says who holds it: process,
  // machine, verb, since when. `verb` is what this process is doing.
  Lock(const std::string& path, const std::string& verb, double seconds);
  ~Lock();
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  // Whether it was had at once is not known to readers: they ask, and go on without.
  static bool is_free(const std::string& path);

 private:
  int descriptor_ = -1;
};

}  // namespace throng
