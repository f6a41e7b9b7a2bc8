// Dictionary codes of one column, each in the narrowest of 8, 16 or 32 bits that holds the
// dictionary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

namespace throng {

// The position of a value in the order of its column's values.
using Code = std::uint32_t;

class Codes {
 public:
  Codes() = default;

  // `count` zeros, wide enough for codes below `domain`.
  Codes(std::size_t count, std::size_t domain) {
    if (domain <= 1U << 8) {
      vector_ = std::vector<std::uint8_t>(count);
    } else if (domain <= 1U << 16) {
      vector_ = std::vector<std::uint16_t>(count);
    } else {
      vector_ = std::vector<std::uint32_t>(count);
    }
  }

  // These codes, all below `domain`.
  Codes(const std::vector<Code>& codes, std::size_t domain) : Codes(codes.size(), domain) {
    std::visit(
        [&](auto& narrow) {
          using Narrow = typename std::decay_t<decltype(narrow)>::value_type;
          for (std::size_t row = 0; row < codes.size(); ++row) {
            narrow[row] = static_cast<Narrow>(codes[row]);
          }
        },
        vector_);
  }

  // Calls `use` with the std::vector of the width in use: the way to loop without a branch a code.
  template <typename Use>
  decltype(auto) visit(Use&& use) const {
    return std::visit(std::forward<Use>(use), vector_);
  }
  template <typename Use>
  decltype(auto) visit(Use&& use) {
    return std::visit(std::forward<Use>(use), vector_);
  }

  std::size_t size() const {
    return visit([](const auto& codes) { return codes.size(); });
  }
  // Bytes a code takes: 1, 2 or 4.
  std::size_t width() const {
    return visit([](const auto& codes) { return sizeof(codes[0]); });
  }
  Code operator[](std::size_t row) const {
    return visit([row](const auto& codes) -> Code { return codes[row]; });
  }
  void set(std::size_t row, Code code) {
    visit([row, code](auto& codes) {
      codes[row] = static_cast<typename std::decay_t<decltype(codes)>::value_type>(code);
    });
  }

 private:
  std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<std::uint32_t>>
      vector_;
};

}  // namespace throng
