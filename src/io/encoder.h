// Dictionary encoding of text columns chunk by chunk, on as many threads as call. Each thread keeps
// dictionaries of its own; finish() makes one of them. Internal to the io room.
#pragma once

#include <duckdb.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "table/encode.h"

namespace throng::io {

class Encoder {
 public:
  explicit Encoder(std::vector<std::string> names);
  ~Encoder();

  // Takes a chunk of text columns. Called on any thread.
  void take(duckdb_data_chunk chunk);

  std::vector<RawColumn> finish();

  // Set by whoever calls take() and cannot let an exception through.
  std::atomic<bool> out_of_memory = false;

 private:
  class ThreadColumn;
  using ThreadColumns = std::vector<ThreadColumn>;

  std::vector<std::string> names_;
  std::mutex mutex_;
  std::map<std::thread::id, std::unique_ptr<ThreadColumns>> threads_;
};

}  // namespace throng::io
