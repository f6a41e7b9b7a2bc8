// Seals: whatever is changed, moved or opened with another key is found.
#include "publication/vault.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "throng/error.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

const std::string salt(32, 's');
const std::string other_salt(32, 't');

class VaultTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "throng_vault_XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    key_ = file("key", std::string(32, 'k'));
    other_key_ = file("other", std::string(31, 'k') + "l");
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& content) const {
    const std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  template <typename Act>
  static std::string error_of(Act&& act) {
    try {
      act();
    } catch (const InputError& error) {
      EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
      return error.what();
    }
    return "no InputError";
  }
  static std::string refusal(const Vault& vault, std::string_view sealed,
                             std::string_view context = "waiting 3") {
    const std::string error = error_of([&] { vault.open(sealed, context); });
    EXPECT_EQ(error.find(context), 0U) << error;
    return error;
  }

  fs::path folder_;
  std::string key_, other_key_;
};

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST_F(VaultTest, OpensWhatItSealed) {
  for (const bool encrypted : {false, true}) {
    const Vault vault = encrypted ? Vault(salt, key_) : Vault(salt);
    EXPECT_EQ(vault.encrypted(), encrypted);
    for (const std::string& bytes : {std::string(), std::string("Anna"), std::string("\0\xff\0", 3),
                                     std::string(100000, 'x')}) {
      for (const std::string context : {"", "waiting 3"}) {
        EXPECT_EQ(vault.open(vault.seal(bytes, context), context), bytes);
      }
    }
    EXPECT_EQ(vault.open(vault.seal({}, {}), {}), "");
  }
}

TEST_F(VaultTest, OpensWithTheSameKeyLater) {
  EXPECT_EQ(Vault(salt).open(Vault(salt).seal("Anna", "c"), "c"), "Anna");
  EXPECT_EQ(Vault(salt, key_).open(Vault(salt, key_).seal("Anna", "c"), "c"), "Anna");
  Vault moved_from(salt, key_);
  const std::string sealed = moved_from.seal("Anna", "c");
  const Vault moved(std::move(moved_from));
  EXPECT_EQ(moved.open(sealed, "c"), "Anna");
  EXPECT_TRUE(moved.encrypted());
}

TEST_F(VaultTest, EncryptedMeansUnreadable) {
  const std::string bytes = "Anna Karenina";
  const Vault vault(salt, key_);
  const std::string sealed = vault.seal(bytes, "c");
  EXPECT_EQ(sealed.find("Anna"), std::string::npos);
  EXPECT_EQ(sealed.find(std::string(16, 'k')), std::string::npos);
  EXPECT_NE(sealed, vault.seal(bytes, "c"));  // another nonce
  EXPECT_NE(Vault(salt).seal(bytes, "c").find(bytes), std::string::npos);
}

// Every bit at each position, and every shorter length.
TEST_F(VaultTest, FindsWhateverIsTamperedWith) {
  for (const bool encrypted : {false, true}) {
    const Vault vault = encrypted ? Vault(salt, key_) : Vault(salt);
    const std::string sealed = vault.seal("Anna", "waiting 3");
    for (std::size_t at = 0; at < sealed.size(); ++at) {
      for (int bit = 0; bit < 8; ++bit) {
        std::string tampered = sealed;
        tampered[at] = static_cast<char>(tampered[at] ^ 1 << bit);
        refusal(vault, tampered);
      }
      EXPECT_SAYS(refusal(vault, sealed.substr(0, at)), "damaged");
    }
    EXPECT_SAYS(refusal(vault, sealed + '\0'), "damaged or tampered with");
    std::string last = sealed;
    last.back() = static_cast<char>(last.back() ^ 1);
    EXPECT_SAYS(refusal(vault, last), "damaged or tampered with");
    // The tag of the other kind in front.
    last = sealed;
    last.front() = encrypted ? 'P' : 'E';
    refusal(vault, last);
    refusal(encrypted ? Vault(salt) : Vault(salt, key_), last);
  }
}

TEST_F(VaultTest, OpensOnlyInItsOwnPlace) {
  for (const bool encrypted : {false, true}) {
    const Vault vault = encrypted ? Vault(salt, key_) : Vault(salt);
    const Vault elsewhere = encrypted ? Vault(other_salt, key_) : Vault(other_salt);
    EXPECT_SAYS(refusal(vault, vault.seal("Anna", "waiting 3"), "waiting 4"), "damaged");
    // Where the context ends and the bytes begin is part of it.
    std::string sealed = vault.seal("3Anna", "waiting ");
    EXPECT_SAYS(refusal(vault, sealed, "waiting 3"), "damaged");
    if (!encrypted) {
      sealed.erase(18, 1);
      EXPECT_SAYS(refusal(vault, sealed, "waiting 3"), "damaged");
    }
    EXPECT_SAYS(refusal(elsewhere, vault.seal("Anna", "waiting 3")), "damaged");
  }
}

TEST_F(VaultTest, SaysWhichKeyIsMissing) {
  const std::string plain = Vault(salt).seal("Anna", "waiting 3");
  const std::string encrypted = Vault(salt, key_).seal("Anna", "waiting 3");
  EXPECT_EQ(refusal(Vault(salt), encrypted),
            "waiting 3: needs the key file it was made with (--key-file or $THRONG_KEY_FILE)");
  EXPECT_SAYS(refusal(Vault(salt, key_), plain), "was made without a key file");
  EXPECT_SAYS(refusal(Vault(salt, other_key_), encrypted), "was made with another key file");
}

TEST_F(VaultTest, AKeyFileMustBeOne) {
  const std::string none = (folder_ / "none").string();
  const std::string none_error = error_of([&] { Vault(salt, none); });
  EXPECT_SAYS(none_error, "key file " + none + ": cannot be read: No such file");
  EXPECT_SAYS(none_error, "head -c 32 /dev/urandom > " + none);
  const std::string short_file = file("short", std::string(31, 'k'));
  const std::string short_error = error_of([&] { Vault(salt, short_file); });
  EXPECT_SAYS(short_error, short_file + ": 31 bytes");
  EXPECT_SAYS(short_error, "head -c 32 /dev/urandom > ");
  EXPECT_SAYS(error_of([&] { Vault(salt, folder_.string()); }), "cannot be read");
  EXPECT_SAYS(error_of([&] { Vault(salt, ""); }), "cannot be read");
  EXPECT_SAYS(error_of([&] { Vault(salt, "/dev/zero"); }), "hence something else");
  EXPECT_SAYS(error_of([&] { Vault("short salt"); }), "salt");
  EXPECT_SAYS(error_of([&] { Vault("short salt", key_); }), "salt");
}

TEST_F(VaultTest, AllOfAKeyFileCounts) {
  const Vault one(salt, file("long", std::string(40000, 'k') + 'a'));
  const Vault two(salt, file("long", std::string(40000, 'k') + 'b'));
  EXPECT_NE(one.hash_of_key("4711"), two.hash_of_key("4711"));
}

TEST_F(VaultTest, KeysAreKnownAgainOnlyInTheirPublication) {
  const auto hash = Vault(salt).hash_of_key("4711");
  EXPECT_EQ(hash, Vault(salt).hash_of_key("4711"));
  const std::set<Vault::KeyHash> all{hash,
                                     Vault(salt).hash_of_key("4712"),
                                     Vault(salt).hash_of_key(""),
                                     Vault(other_salt).hash_of_key("4711"),
                                     Vault(salt, key_).hash_of_key("4711"),
                                     Vault(other_salt, key_).hash_of_key("4711"),
                                     Vault(salt, other_key_).hash_of_key("4711")};
  EXPECT_EQ(all.size(), 7U);
  EXPECT_EQ(Vault(salt, key_).hash_of_key("4711"), Vault(salt, key_).hash_of_key("4711"));
}

TEST_F(VaultTest, SaltsDiffer) {
  EXPECT_EQ(Vault::make_salt().size(), 32U);
  EXPECT_NE(Vault::make_salt(), Vault::make_salt());
}

// What is sealed must be opened by every later version: these bytes were made by the first one. The
// plain seal and the hash were computed a second time with another library.
TEST_F(VaultTest, TheFormatDoesNotChange) {
  const auto bytes = [](std::string_view hexadecimal) {
    std::string result;
    for (std::size_t at = 0; at < hexadecimal.size(); at += 2) {
      result += static_cast<char>(std::stoi(std::string(hexadecimal.substr(at, 2)), nullptr, 16));
    }
    return result;
  };
  const std::string plain = bytes("5001876eab6415064ebafaf231208a73497a416e6e61");
  EXPECT_EQ(Vault(salt).seal("Anna", "waiting 3"), plain);
  EXPECT_EQ(Vault(salt).open(plain, "waiting 3"), "Anna");
  const std::string encrypted = bytes(
      "4501b54b8466a1db853b7aa5d4f24bea1cf2a5104f59f319e3246185a9794361de2774b357b9033c44824a3e4852"
      "2cda694ebd48457b819282ea31cf7e82");
  EXPECT_EQ(Vault(salt, key_).open(encrypted, "waiting 3"), "Anna");
  const auto hash = Vault(salt, key_).hash_of_key("4711");
  EXPECT_EQ(std::string(hash.begin(), hash.end()), bytes("059ed60590fc289efbf681d46ea63d78"));
}

// FIPS 180-2.
TEST_F(VaultTest, Sha256) {
  EXPECT_EQ(sha256_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  const std::string million(1000000, 'a');
  EXPECT_EQ(sha256_of_file(file("million", million)),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(sha256_of_file(file("empty", "")), sha256_of(""));
  const std::string none = (folder_ / "none").string();
  EXPECT_EQ(error_of([&] { sha256_of_file(none); }),
            none + ": cannot be read: No such file or directory");
  EXPECT_SAYS(error_of([&] { sha256_of_file(folder_.string()); }), "cannot be read");
}

}  // namespace
}  // namespace throng
