// duckdb_copy_bench INPUT.csv OUTPUT.csv THREADS: how long DuckDB takes to copy a CSV into a CSV.
// What bench/run measures Throng against, in the same run, on the same file, with as many threads.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

#include "io/duckdb.h"

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: duckdb_copy_bench INPUT.csv OUTPUT.csv THREADS\n");
    return 2;
  }
  throng::io::Session session(static_cast<unsigned>(std::atoi(argv[3])));
  throng::io::Duck duck(session);
  const auto start = std::chrono::steady_clock::now();
  duck.run(fmt::format("COPY (FROM read_csv({})) TO {} (HEADER)", throng::io::sql_text(argv[1]),
                       throng::io::sql_text(argv[2])));
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  fmt::print("{:.4f}\n", passed.count());
  return 0;
}
