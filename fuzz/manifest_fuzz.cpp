// Any bytes as a release's manifest: figures, or one InputError, never anything else.
#include <cstddef>
#include <cstdint>
#include <string>

#include "publication/manifest.h"
#include "throng/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    throng::figures_in(text, "fuzz");
  } catch (const throng::InputError&) {
  }
  try {
    throng::reached_in(text, "fuzz");
  } catch (const throng::InputError&) {
  }
  return 0;
}
