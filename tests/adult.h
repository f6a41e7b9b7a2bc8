// Where UCI Adult is, for tests on real data.
#pragma once

#include <cstdlib>
#include <filesystem>

namespace throng::testing {

// $THRONG_DATA/adult, or ../shared/data/adult beside the tree.
inline std::filesystem::path adult() {
  const char* folder = std::getenv("THRONG_DATA");
  return std::filesystem::path(folder == nullptr ? THRONG_SOURCE_DIR "/../shared/data" : folder) /
         "adult";
}

}  // namespace throng::testing
