// One DuckDB for all that a command reads and writes: starting it takes longer than a small table.
#pragma once

#include <memory>

namespace throng::io {

class Session {
 public:
  // 0 threads: all cores. DuckDB starts when it is first needed.
  explicit Session(unsigned threads = 0);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  unsigned threads() const { return threads_; }

 private:
  friend class Duck;
  struct State;
  unsigned threads_;
  std::unique_ptr<State> state_;
};

}  // namespace throng::io
