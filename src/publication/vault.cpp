#include "publication/vault.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sodium.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "throng/error.h"

// Sealed bytes, version 1:
//
//   'P' 1  checksum (16)                  bytes
//   'E' 1  name of the key (16)  nonce (24)  ciphertext  tag (16)
//
// The checksum is BLAKE2b of header, context and bytes, keyed with the salt's key, so that bytes of
// another publication do not pass. Of the second, all that stands before the nonce and the context
// are additional data. A context is preceded by its length.

namespace throng {
namespace {

constexpr unsigned char version = 1;
constexpr char plain_tag = 'P';
constexpr char encrypted_tag = 'E';
constexpr std::size_t salt_size = 32;
constexpr std::size_t key_file_min = 32;
constexpr std::size_t key_file_max = 65536;
constexpr std::size_t header_size = 2;
constexpr std::size_t checksum_size = 16;
constexpr std::size_t name_size = 16;
constexpr std::size_t nonce_size = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t mac_size = crypto_aead_xchacha20poly1305_ietf_ABYTES;

static_assert(crypto_aead_xchacha20poly1305_ietf_KEYBYTES == 32);
static_assert(crypto_kdf_KEYBYTES == 32);

void start_sodium() {
  static const bool ready = sodium_init() >= 0;
  if (!ready) throw std::runtime_error("libsodium cannot be started");
}

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

// Keyed BLAKE2b; its state has the key in it.
class Hash {
 public:
  Hash(const unsigned char* key, std::size_t key_size, std::size_t size) : size_(size) {
    crypto_generichash_init(&state_, key, key_size, size);
  }
  ~Hash() { sodium_memzero(&state_, sizeof state_); }
  Hash(const Hash&) = delete;
  Hash& operator=(const Hash&) = delete;

  Hash& add(std::string_view bytes) {
    crypto_generichash_update(&state_, bytes_of(bytes), bytes.size());
    return *this;
  }
  void write(unsigned char* result) { crypto_generichash_final(&state_, result, size_); }

 private:
  crypto_generichash_state state_;
  std::size_t size_;
};

std::string with_length(std::string_view text) {
  std::string result;
  for (unsigned shift = 0; shift < 64; shift += 8) {
    result += static_cast<char>(text.size() >> shift & 0xff);
  }
  return result.append(text);
}

std::array<unsigned char, checksum_size> checksum(const std::array<unsigned char, 32>& key,
                                                  std::string_view header, std::string_view context,
                                                  std::string_view bytes) {
  std::array<unsigned char, checksum_size> result{};
  Hash(key.data(), key.size(), result.size())
      .add(header)
      .add(with_length(context))
      .add(bytes)
      .write(result.data());
  return result;
}

void check_salt(std::string_view salt) {
  if (salt.size() == salt_size) return;
  throw InputError(fmt::format("the salt of the publication is damaged: {} bytes, not {}",
                               salt.size(), salt_size));
}

// All of a file that can be read, in pieces; the buffer is wiped.
template <typename Use>
void read_pieces(const std::string& path, const std::string& kind, const std::string& advice,
                 Use&& use) {
  const auto fail = [&](int error) {
    throw InputError(
        fmt::format("{}{}: cannot be read: {}{}", kind, path, std::strerror(error), advice));
  };
  struct Descriptor {
    int value;
    ~Descriptor() {
      if (value >= 0) ::close(value);
    }
  };
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.value < 0) fail(errno);
  struct Buffer {
    std::vector<char> bytes;
    ~Buffer() { sodium_memzero(bytes.data(), bytes.size()); }
  } buffer{std::vector<char>(1 << 16)};
  while (true) {
    const ssize_t count = ::read(file.value, buffer.bytes.data(), buffer.bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(errno);
    if (count == 0) return;
    use(std::string_view(buffer.bytes.data(), static_cast<std::size_t>(count)));
  }
}

[[noreturn]] void damaged(std::string_view context) {
  throw InputError(fmt::format(
      "{}: damaged or tampered with: its seal is broken; restore the publication from a backup",
      context));
}

std::string hexadecimal(const unsigned char* bytes, std::size_t size) {
  std::string result;
  for (std::size_t at = 0; at < size; ++at) result += fmt::format("{:02x}", bytes[at]);
  return result;
}

}  // namespace

std::string Vault::make_salt() {
  start_sodium();
  std::string salt(salt_size, '\0');
  randombytes_buf(salt.data(), salt.size());
  return salt;
}

Vault::Vault(std::string_view salt) {
  start_sodium();
  check_salt(salt);
  std::array<unsigned char, crypto_kdf_KEYBYTES> master{};
  Hash(bytes_of(salt), salt.size(), master.size()).add("throng: no key file").write(master.data());
  derive(master.data());
}

Vault::Vault(std::string_view salt, const std::string& key_file) : encrypted_(true) {
  start_sodium();
  check_salt(salt);
  const std::string advice =
      fmt::format("; a key file can be made with: head -c 32 /dev/urandom > {}",
                  key_file.empty() ? "FILE" : key_file);
  std::size_t size = 0;
  std::array<unsigned char, crypto_kdf_KEYBYTES> master{};
  Hash hash(bytes_of(salt), salt.size(), master.size());
  hash.add("throng: key file");
  read_pieces(key_file, "key file ", advice, [&](std::string_view piece) {
    size += piece.size();
    if (size > key_file_max) {  // or one without an end
      throw InputError(fmt::format("key file {}: more than {} bytes, hence something else",
                                   key_file, key_file_max));
    }
    hash.add(piece);
  });
  if (size < key_file_min) {
    throw InputError(
        fmt::format("key file {}: {} bytes, too short for a key, which has at least {}{}", key_file,
                    size, key_file_min, advice));
  }
  hash.write(master.data());
  derive(master.data());
}

void Vault::derive(unsigned char* master) {
  crypto_kdf_derive_from_key(seal_key_.data(), seal_key_.size(), 1, "thr_seal", master);
  crypto_kdf_derive_from_key(hash_key_.data(), hash_key_.size(), 2, "thr_hash", master);
  crypto_kdf_derive_from_key(key_name_.data(), key_name_.size(), 3, "thr_name", master);
  sodium_memzero(master, crypto_kdf_KEYBYTES);
}

Vault::~Vault() {
  sodium_memzero(seal_key_.data(), seal_key_.size());
  sodium_memzero(hash_key_.data(), hash_key_.size());
}

Vault::Vault(Vault&& other) noexcept
    : seal_key_(other.seal_key_),
      hash_key_(other.hash_key_),
      key_name_(other.key_name_),
      encrypted_(other.encrypted_) {
  sodium_memzero(other.seal_key_.data(), other.seal_key_.size());
  sodium_memzero(other.hash_key_.data(), other.hash_key_.size());
}

std::string Vault::seal(std::string_view bytes, std::string_view context) const {
  std::string sealed{encrypted_ ? encrypted_tag : plain_tag, static_cast<char>(version)};
  if (!encrypted_) {
    const auto sum = checksum(seal_key_, sealed, context, bytes);
    sealed.reserve(header_size + checksum_size + bytes.size());
    sealed.append(sum.begin(), sum.end()).append(bytes);
    return sealed;
  }
  sealed.append(key_name_.begin(), key_name_.end());
  const std::string additional = sealed + with_length(context);
  const std::size_t nonce = sealed.size();
  sealed.resize(nonce + nonce_size + bytes.size() + mac_size);
  randombytes_buf(&sealed[nonce], nonce_size);
  crypto_aead_xchacha20poly1305_ietf_encrypt(
      bytes_of(sealed) + nonce + nonce_size, nullptr, bytes_of(bytes), bytes.size(),
      bytes_of(std::string_view(additional)), additional.size(), nullptr, bytes_of(sealed) + nonce,
      seal_key_.data());
  return sealed;
}

std::string Vault::open(std::string_view sealed, std::string_view context) const {
  if (sealed.size() < header_size) damaged(context);
  const char tag = sealed[0];
  if (tag != plain_tag && tag != encrypted_tag) damaged(context);
  if (static_cast<unsigned char>(sealed[1]) != version) {
    throw InputError(fmt::format(
        "{}: sealed in format {}, which this program does not know: made by a newer one, "
        "or damaged",
        context, static_cast<unsigned>(static_cast<unsigned char>(sealed[1]))));
  }
  if (tag == encrypted_tag && !encrypted_) {
    throw InputError(fmt::format(
        "{}: needs the key file it was made with (--key-file or $THRONG_KEY_FILE)", context));
  }
  if (tag == plain_tag && encrypted_) {
    throw InputError(fmt::format(
        "{}: was made without a key file; leave out --key-file and $THRONG_KEY_FILE", context));
  }

  if (!encrypted_) {
    if (sealed.size() < header_size + checksum_size) damaged(context);
    const std::string_view bytes = sealed.substr(header_size + checksum_size);
    const auto sum = checksum(seal_key_, sealed.substr(0, header_size), context, bytes);
    if (std::memcmp(sum.data(), sealed.data() + header_size, sum.size()) != 0) damaged(context);
    return std::string(bytes);
  }

  constexpr std::size_t nonce = header_size + name_size;
  constexpr std::size_t body = nonce + nonce_size;
  if (sealed.size() < body + mac_size) damaged(context);
  if (std::memcmp(key_name_.data(), sealed.data() + header_size, name_size) != 0) {
    throw InputError(fmt::format(
        "{}: was made with another key file (--key-file or $THRONG_KEY_FILE), or is damaged",
        context));
  }
  const std::string additional = std::string(sealed.substr(0, nonce)) + with_length(context);
  std::string bytes(sealed.size() - body - mac_size, '\0');
  const int status = crypto_aead_xchacha20poly1305_ietf_decrypt(
      bytes_of(bytes), nullptr, nullptr, bytes_of(sealed) + body, sealed.size() - body,
      bytes_of(std::string_view(additional)), additional.size(), bytes_of(sealed) + nonce,
      seal_key_.data());
  if (status != 0) damaged(context);
  return bytes;
}

Vault::KeyHash Vault::hash_of_key(std::string_view key) const {
  KeyHash result{};
  Hash(hash_key_.data(), hash_key_.size(), result.size()).add(key).write(result.data());
  return result;
}

std::string sha256_of_file(const std::string& path) {
  start_sodium();
  crypto_hash_sha256_state state;
  crypto_hash_sha256_init(&state);
  read_pieces(path, "", "", [&](std::string_view piece) {
    crypto_hash_sha256_update(&state, bytes_of(piece), piece.size());
  });
  std::array<unsigned char, crypto_hash_sha256_BYTES> sum{};
  crypto_hash_sha256_final(&state, sum.data());
  return hexadecimal(sum.data(), sum.size());
}

std::string sha256_of(std::string_view bytes) {
  start_sodium();
  std::array<unsigned char, crypto_hash_sha256_BYTES> sum{};
  crypto_hash_sha256(sum.data(), bytes_of(bytes), bytes.size());
  return hexadecimal(sum.data(), sum.size());
}

}  // namespace throng
