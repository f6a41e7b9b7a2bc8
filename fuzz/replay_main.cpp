// Runs every file under the given folders through a fuzz target, without libFuzzer: so the inputs
// that once broke something are tested by any compiler in every build.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  std::size_t count = 0;
  for (int i = 1; i < argc; ++i) {
    std::error_code missing;  // a folder that is not there counts as empty
    for (const auto& entry : fs::recursive_directory_iterator(argv[i], missing)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(file), {}};
      if (file.bad() || !file.is_open()) {
        std::cerr << "cannot read " << entry.path() << '\n';
        return 1;
      }
      std::cerr << entry.path().filename() << std::endl;  // the last one named broke
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
      ++count;
    }
  }
  std::cout << count << " inputs replayed\n";
  return count > 0 ? 0 : 1;
}
