// Any bytes as a hierarchy: a tree that holds together, or one InputError.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "hierarchy/file.h"
#include "throng/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // The first byte chooses how the rest is read.
  const auto type = static_cast<throng::Type>(data[0] % 4);
  const std::string source = data[0] % 8 < 4 ? "fuzz.csv" : "fuzz.json";
  try {
    const throng::Hierarchy tree = throng::parse_hierarchy(
        std::string_view(reinterpret_cast<const char*>(data) + 1, size - 1), type, "", source);
    const auto last = static_cast<throng::Code>(tree.leaves().size() - 1);
    if (tree.cover(0, last) != tree.root() && tree.loss(tree.cover(0, last)) != 1 && last > 0)
      std::abort();
    for (throng::Code leaf = 0; leaf <= last; ++leaf) {
      if (tree.find_leaf(tree.leaves().labels[leaf]) != leaf) std::abort();
      if (tree.at_level(leaf, tree.height() - 1) != tree.root()) std::abort();
    }
  } catch (const throng::InputError&) {
  }
  return 0;
}
