// What the ledger holds of raw values: sealed, so that damage and tampering are found; encrypted
// where there is a key.
//
// Nothing outside vault.cpp includes sodium.h.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace throng {

class Vault {
 public:
  using KeyHash = std::array<unsigned char, 16>;

  // 32 random bytes, made when a publication is made and kept in its database: without a key file
  // they are the secret of the key hashes, with one they salt it.
  static std::string make_salt();

  // Without a key: what is sealed stands in plain, with a checksum.
  explicit Vault(std::string_view salt);
  // With the key that is in a file of at least 32 bytes: XChaCha20-Poly1305. Throws InputError:
  // no such file, one that is too short.
  Vault(std::string_view salt, const std::string& key_file);
  ~Vault();  // the key is wiped
  Vault(Vault&& other) noexcept;
  Vault& operator=(Vault&&) = delete;

  bool encrypted() const { return encrypted_; }

  // `context` says what the bytes are ("waiting 3"): sealed bytes open only in their own place.
  std::string seal(std::string_view bytes, std::string_view context) const;
  // The inverse. Throws InputError that begins with `context`: the key is missing or wrong, or the
  // bytes were damaged or tampered with. Says which, as far as that can be known.
  std::string open(std::string_view sealed, std::string_view context) const;

  // A record's key, so that it can be known again and not be read: keyed BLAKE2b.
  KeyHash hash_of_key(std::string_view key) const;

 private:
  void derive(unsigned char* master);

  std::array<unsigned char, 32> seal_key_{};  // of the cipher, or of the checksum
  std::array<unsigned char, 32> hash_key_{};
  std::array<unsigned char, 16>
      key_name_{};  // stands before what it encrypted; says nothing of the key
  bool encrypted_ = false;
};

// SHA-256 of a file or of bytes, in hexadecimal. Throws InputError where the file cannot be read.
std::string sha256_of_file(const std::string& path);
std::string sha256_of(std::string_view bytes);

}  // namespace throng
