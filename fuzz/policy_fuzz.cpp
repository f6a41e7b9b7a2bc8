// Any bytes as a policy: a policy, or one InputError, never anything else.
#include <cstddef>
#include <cstdint>
#include <string>

#include "policy/policy.h"
#include "throng/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    throng::parse_policy(std::string(reinterpret_cast<const char*>(data), size), "fuzz", "");
  } catch (const throng::InputError&) {
  }
  return 0;
}
