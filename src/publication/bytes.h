// Numbers and texts as bytes and back: what the ledger's blobs are made of. Small numbers take one
// byte, seven bits a byte, the lowest first.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "throng/error.h"

namespace throng {

class ByteWriter {
 public:
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7F) | 0x80);
    bytes_ += static_cast<char>(value);
  }
  void real(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (unsigned shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>(bits >> shift);
  }
  void text(std::string_view value) {
    number(value.size());
    bytes_ += value;
  }
  std::string take() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Throws InputError that begins with `context` where the bytes end too early.
class ByteReader {
 public:
  ByteReader(std::string_view bytes, std::string_view context) : bytes_(bytes), context_(context) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      if (at_ == bytes_.size() || shift > 63) fail();
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
  }
  std::uint32_t number32() {
    const std::uint64_t value = number();
    if (value > ~std::uint32_t{0}) fail();
    return static_cast<std::uint32_t>(value);
  }
  // How many things follow, each of a byte at least.
  std::size_t count() {
    const std::uint64_t value = number();
    if (value > bytes_.size() - at_) fail();
    return value;
  }
  double real() {
    std::uint64_t bits = 0;
    if (bytes_.size() - at_ < 8) fail();
    for (unsigned shift = 0; shift < 64; shift += 8) {
      bits |= std::uint64_t{static_cast<unsigned char>(bytes_[at_++])} << shift;
    }
    return std::bit_cast<double>(bits);
  }
  std::string_view text() {
    const std::size_t size = count();
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }
  bool done() const { return at_ == bytes_.size(); }
  [[noreturn]] void fail() const {
    throw InputError(std::string(context_) +
                     ": damaged: its bytes do not add up; restore the publication from a backup");
  }

 private:
  std::string_view bytes_;
  std::string_view context_;
  std::size_t at_ = 0;
};

}  // namespace throng
