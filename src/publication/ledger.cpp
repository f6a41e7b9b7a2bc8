#include "publication/ledger.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "hierarchy/file.h"
#include "io/new_file.h"
#include "publication/dynamic.h"
#include "publication/kept_knowledge.h"
#include "publication/packing.h"
#include "publication/stricter.h"
#include "publication/totals.h"
#include "throng/error.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kFormat = 1;
constexpr std::int64_t kApplication = 0x7468726E;  // "thrn"
constexpr std::string_view kKeyCheck = "throng", kKeyContext = "the ledger";

struct StrategyWord {
  const char* word;
  Strategy strategy;
};
constexpr StrategyWord kStrategies[] = {{"append", Strategy::append},
                                        {"dynamic", Strategy::dynamic},
                                        {"static-full", Strategy::static_full},
                                        {"static-batch", Strategy::static_batch},
                                        {"sequential", Strategy::sequential}};

constexpr const char* kSchema =
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE policy (number INTEGER PRIMARY KEY, since INTEGER NOT NULL, date TEXT NOT NULL,"
    "  yaml TEXT NOT NULL, hierarchies BLOB NOT NULL, checksum TEXT NOT NULL);"
    "CREATE TABLE release (number INTEGER PRIMARY KEY, date TEXT NOT NULL,"
    "  batch_records INTEGER NOT NULL, dropped INTEGER NOT NULL, new_records INTEGER NOT NULL,"
    "  published INTEGER NOT NULL, waiting INTEGER NOT NULL, first_class INTEGER NOT NULL,"
    "  new_classes INTEGER NOT NULL, segment_rows INTEGER NOT NULL, segment_sha256 TEXT NOT NULL,"
    "  output TEXT NOT NULL, is_delta INTEGER NOT NULL, output_rows INTEGER NOT NULL,"
    "  output_bytes INTEGER NOT NULL, output_sha256 TEXT NOT NULL, seed INTEGER NOT NULL,"
    "  policy INTEGER NOT NULL, batch_mark BLOB NOT NULL, manifest TEXT NOT NULL,"
    "  chain TEXT NOT NULL);"
    "CREATE INDEX release_by_mark ON release (batch_mark);"  // has this batch come before?
    "CREATE TABLE ended (class INTEGER PRIMARY KEY, release INTEGER NOT NULL);"
    "CREATE TABLE raw (batch INTEGER PRIMARY KEY, records INTEGER NOT NULL, sealed BLOB NOT NULL);"
    "CREATE TABLE known (release INTEGER PRIMARY KEY, sealed BLOB NOT NULL);"
    "CREATE TABLE record_key (hash BLOB PRIMARY KEY) WITHOUT ROWID;"
    "CREATE TABLE pending (release INTEGER PRIMARY KEY, output TEXT NOT NULL,"
    "  output_part TEXT NOT NULL, manifest_part TEXT NOT NULL);"
    "CREATE TABLE log (number INTEGER PRIMARY KEY, date TEXT NOT NULL, text TEXT NOT NULL);";
// Of a sequential publication: every release has columns of its own.
constexpr const char* kProjections =
    "CREATE TABLE projection (release INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
    "  columns BLOB NOT NULL);";

std::string pack_hierarchies(const Policy& policy) {
  Packer packer;
  for (const ColumnPolicy& column : policy.columns) {
    if (const auto* file = std::get_if<HierarchyFile>(&column.generalization.hierarchy)) {
      packer.text(file->path);
      packer.text(read_file(path_of(column.generalization, *file), "a hierarchy"));
    }
  }
  if (policy.knowledge && policy.knowledge->rules) {
    packer.text(*policy.knowledge->rules);
    packer.text(read_file(*policy.knowledge->rules, "rules"));
  }
  return std::move(packer).take();
}

// And returns the rules.
std::string hand_hierarchies(Policy& policy, std::string_view packed) {
  Unpacker unpacker(packed);
  for (ColumnPolicy& column : policy.columns) {
    if (auto* file = std::get_if<HierarchyFile>(&column.generalization.hierarchy)) {
      unpacker.text();
      file->content = unpacker.text();
    }
  }
  if (!policy.knowledge || !policy.knowledge->rules) return "";
  policy.knowledge->rules = unpacker.text();  // as it was called, for messages
  return std::string(unpacker.text());
}

// (X,Y)-requirements and the strategy that keeps them go together.
void check_strategy(const Policy& policy, Strategy strategy) {
  const bool sequential = strategy == Strategy::sequential;
  if (sequential && policy.xy.empty()) {
    throw InputError(
        policy.source +
        ": the strategy sequential keeps xy-anonymity and xy-linkability, and the policy asks for "
        "neither; expected one of them, or another strategy");
  }
  for (const Policy::Special& key : policy.special) {
    if (!key.name.starts_with("xy-")) continue;
    if (!sequential) {
      throw InputError(fmt::format("{}: '{}' is kept by the strategy sequential, not by {}",
                                   key.place, key.name, name_of(strategy)));
    }
    if (policy.algorithm == Algorithm::tds) continue;
    throw InputError(fmt::format(
        "{}: '{}' is kept by the strategy sequential, which works by `algorithm: tds`; the policy "
        "has '{}'",
        key.place, key.name, name_of(policy.algorithm)));
  }
  if (sequential && policy.key) {
    throw InputError(
        policy.source +
        ": `key` tells the records of a growing table apart; the tables of a sequential "
        "publication have the same people: leave it out");
  }
  refuse_unkept(policy, sequential ? "release" : "init");
}

void check_for_publication(const Policy& policy, Strategy strategy) {
  check_strategy(policy, strategy);
  for (const ColumnPolicy& column : policy.columns) {
    if (column.name.starts_with("throng:")) {
      throw InputError(
          fmt::format("{}: column '{}': names that begin with 'throng:' are kept for "
                      "the ledger; rename it",
                      policy.source, column.name));
    }
    // A hierarchy that cannot be read must not be found at the first release.
    if (const auto* file = std::get_if<HierarchyFile>(&column.generalization.hierarchy)) {
      std::optional<std::string> missing;
      if (!policy.missing.values.empty()) missing = policy.missing.values.front();
      read_hierarchy(path_of(column.generalization, *file), column.type.type, column.type.format,
                     missing);
    }
  }
  if (policy.knowledge && policy.knowledge->rules) KeptKnowledge::check_rules(policy);
  const bool own = strategy == Strategy::append || strategy == Strategy::dynamic;
  if (own && policy.algorithm != Algorithm::mondrian) {
    throw InputError(fmt::format(
        "{}: algorithm '{}' goes with the strategies static-full and static-batch; {} has its own",
        policy.source, name_of(policy.algorithm), name_of(strategy)));
  }
}

std::string checksum_of(std::string_view yaml, std::string_view hierarchies) {
  return sha256_of(fmt::format("{}\n{}\n{}", yaml.size(), yaml, hierarchies));
}

void insert_policy(Database& database, std::int64_t number, std::int64_t since,
                   const std::string& yaml, const std::string& hierarchies) {
  database.prepare("INSERT INTO policy VALUES (?, ?, ?, ?, ?, ?)")
      .bind(1, number)
      .bind(2, since)
      .bind_text(3, utc_now())
      .bind_text(4, yaml)
      .bind_blob(5, hierarchies)
      .bind_text(6, checksum_of(yaml, hierarchies))
      .run();
}

[[noreturn]] void fail_making(const std::string& path, int error) {
  throw InputError(fmt::format("{}: cannot be made: {}", path, std::strerror(error)));
}

[[noreturn]] void fail_there(const std::string& folder) {
  throw InputError(fmt::format("{}: is there already; expected a new name", folder));
}

std::string part_stem(const fs::path& place) {
  return (place.parent_path() / fmt::format(".{}.part-", place.filename().string())).string();
}

// Folders that a killed init left: named so, with a lock that nobody holds.
void remove_dead_parts(const fs::path& place) {
  std::error_code error;
  const std::string stem = part_stem(place);
  for (const auto& entry : fs::directory_iterator(place.parent_path(), error)) {
    const std::string path = entry.path().string();
    if (!path.starts_with(stem) || path.size() != stem.size() + 6) continue;
    if (::rmdir(path.c_str()) == 0) continue;  // it died at once
    if (!fs::is_regular_file(path + "/lock", error) || !Lock::is_free(path + "/lock")) continue;
    fs::remove_all(path, error);
  }
}

// A folder beside `place`, locked. Another init may take one that is still empty for dead.
std::string make_part(const fs::path& place, std::unique_ptr<Lock>& lock) {
  constexpr int kTries = 20;
  for (int attempt = 1;; ++attempt) {
    std::string made = part_stem(place) + "XXXXXX";
    if (::mkdtemp(made.data()) == nullptr) fail_making(place.string(), errno);
    try {
      lock = std::make_unique<Lock>(made + "/lock", "init", 0);
      return made;
    } catch (const InputError&) {
      if (::rmdir(made.c_str()) == 0 || attempt == kTries) throw;
    }
  }
}

void make_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0) fail_making(path, errno);
}

// All that was created, as one checksum.
std::string schema_of(Database& database) {
  std::string all;
  Statement query = database.prepare("SELECT name, sql FROM sqlite_master ORDER BY name");
  while (query.step()) all += fmt::format("{}\n{}\n", query.text(0), query.text(1));
  return sha256_of(all);
}

}  // namespace

std::string_view name_of(Strategy strategy) {
  for (const StrategyWord& known : kStrategies) {
    if (known.strategy == strategy) return known.word;
  }
  return "";
}

Strategy strategy_named(const std::string& name) {
  std::string list;
  for (const StrategyWord& known : kStrategies) {
    if (name == known.word) return known.strategy;
    list += (list.empty() ? "" : ", ") + std::string(known.word);
  }
  throw InputError(fmt::format("unknown strategy '{}'; expected one of {}", name, list));
}

Strategy strategy_for(const Policy& policy) {
  return policy.xy.empty() ? Strategy::append : Strategy::sequential;
}

std::string utc_now() {
  std::time_t now = std::time(nullptr);
  if (const char* given = std::getenv("SOURCE_DATE_EPOCH")) {  // NOLINT(concurrency-mt-unsafe)
    char* end = nullptr;
    const long long seconds = std::strtoll(given, &end, 10);
    constexpr long long kYear10000 = 253402300800;
    if (end == given || *end != '\0' || seconds < 0 || seconds >= kYear10000) {
      throw InputError(
          fmt::format("$SOURCE_DATE_EPOCH is '{}'; expected seconds since 1970, up to the year "
                      "9999, or no such "
                      "variable",
                      given));
    }
    now = static_cast<std::time_t>(seconds);
  }
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

Strategy Ledger::create(const std::string& folder, const std::string& policy_path,
                        std::optional<Strategy> given, const std::string& key_file) {
  const std::string yaml = read_file(policy_path, "a policy");
  const Policy policy = read_policy(policy_path);
  const Strategy strategy = given.value_or(strategy_for(policy));
  check_for_publication(policy, strategy);
  const std::string hierarchies = pack_hierarchies(policy);
  const fs::path target = fs::absolute(folder).lexically_normal();
  const fs::path place = target.has_filename() ? target : target.parent_path();
  std::error_code error;
  if (fs::exists(fs::symlink_status(place, error)) && !fs::is_empty(place, error)) {
    fail_there(folder);
  }
  if (!fs::is_directory(place.parent_path(), error)) {
    throw InputError(fmt::format("{}: the folder '{}' does not exist; make it first", folder,
                                 place.parent_path().string()));
  }
  const std::string salt = Vault::make_salt();
  const Vault vault = key_file.empty() ? Vault(salt) : Vault(salt, key_file);

  // Made beside its place, and moved there when it is whole.
  remove_dead_parts(place);
  std::unique_ptr<Lock> lock;
  const std::string made = make_part(place, lock);
  try {
    make_folder(made + "/segments");
    {
      Database database(made + "/ledger.db", Database::Mode::create);
      Transaction transaction(database);
      database.execute(kSchema);
      Totals::create(database);
      if (strategy == Strategy::dynamic) Dynamic::create(database);
      if (strategy == Strategy::sequential) database.execute(kProjections);
      if (policy.matching) KeptKnowledge::create(database);
      const auto put = [&](std::string_view key, std::string_view value) {
        database.prepare("INSERT INTO meta VALUES (?, ?)")
            .bind_text(1, key)
            .bind_blob(2, value)
            .run();
      };
      put("strategy", name_of(strategy));
      put("salt", salt);
      put("encrypted", vault.encrypted() ? "1" : "0");
      put("key-check", vault.seal(kKeyCheck, kKeyContext));
      put("next-class", "1");
      put("records", "0");
      put("columns", "");
      put("finished", "0");  // the release that was finished after an interruption
      put("keys", "");       // the exclusive or of all key hashes
      put("schema", schema_of(database));
      insert_policy(database, 1, 1, yaml, hierarchies);
      database.prepare("INSERT INTO log (date, text) VALUES (?, ?)")
          .bind_text(1, utc_now())
          .bind_text(2, fmt::format("made, strategy {}, policy {}{}", name_of(strategy),
                                    policy_path, vault.encrypted() ? ", encrypted" : ""))
          .run();
      database.execute(fmt::format("PRAGMA user_version = {}; PRAGMA application_id = {};", kFormat,
                                   kApplication));
      transaction.commit();
    }
    io::sync_folder(made);
    if (::rename(made.c_str(), place.c_str()) != 0) {
      if (errno == ENOTEMPTY || errno == EEXIST) fail_there(folder);  // somebody else was faster
      fail_making(folder, errno);
    }
    io::sync_folder(place.parent_path().string());
    return strategy;
  } catch (const InputError& failure) {
    fs::remove_all(made, error);
    // Where it was made is nobody's affair.
    std::string text = failure.what();
    for (std::size_t at = text.find(made); at != std::string::npos; at = text.find(made)) {
      text.replace(at, made.size(), folder);
    }
    throw InputError(text);
  } catch (...) {
    fs::remove_all(made, error);
    throw;
  }
}

Ledger::Ledger(const std::string& folder, Access access, const std::string& verb,
               const std::string& key_file, double wait)
    : folder_(folder) {
  const std::string path = folder + "/ledger.db";
  std::error_code error;
  if (!fs::exists(path, error)) {
    if (error) throw InputError(fmt::format("{}: cannot be read: {}", folder, error.message()));
    throw InputError(
        fmt::format("{}: is no publication{}; `throng init {} --policy POLICY` makes "
                    "one",
                    folder, fs::exists(folder, error) ? "" : " (there is no such folder)", folder));
  }
  const std::string lock = folder + "/lock";
  if (access == Access::write) {
    lock_ = std::make_unique<Lock>(lock, verb, wait);
  } else if (::access(folder.c_str(), W_OK) == 0 && Lock::is_free(lock)) {
    // A reader that can have the lock mends what a killed writer left; if another one is faster, it
    // goes on without.
    try {
      lock_ = std::make_unique<Lock>(lock, verb, 0);
    } catch (const InputError&) {
      lock_ = nullptr;
    }
  }
  database_ =
      std::make_unique<Database>(path, lock_ ? Database::Mode::write : Database::Mode::read);
  if (database_->number("PRAGMA application_id") != kApplication) {
    throw InputError(fmt::format("{}: is no publication: ledger.db is another program's", folder));
  }
  const std::int64_t format = database_->number("PRAGMA user_version");
  if (format > kFormat) {
    throw InputError(
        fmt::format("{}: has format {}, made by a newer Throng; this one knows formats "
                    "up to {}: use the newer one",
                    folder, format, kFormat));
  }
  if (database_->number("SELECT count(*) FROM sqlite_master WHERE name IN ('meta', 'policy')") != 2)
    fail_damaged("tables are missing");
  if (meta("schema") != schema_of(*database_)) fail_damaged("its tables were changed");
  const std::string strategy = meta("strategy");
  const bool is_known =
      std::any_of(std::begin(kStrategies), std::end(kStrategies),
                  [&](const StrategyWord& word) { return strategy == word.word; });
  if (!is_known) fail_damaged("its strategy is none");
  strategy_ = strategy_named(strategy);
  encrypted_ = meta("encrypted") == "1";
  const std::string salt = meta("salt");
  if (encrypted_ && !key_file.empty()) {
    vault_.emplace(salt, key_file);
    vault_->open(meta("key-check"), kKeyContext);
  } else if (!encrypted_) {
    vault_.emplace(salt);
  }
  load_policies();
}

const Vault& Ledger::vault() const {
  if (!vault_) {
    throw InputError(fmt::format(
        "{}: is encrypted; give the key file it was made with (--key-file or $THRONG_KEY_FILE)",
        folder_));
  }
  return *vault_;
}

const Policy& Ledger::policy_numbered(std::int64_t number) const {
  for (const StoredPolicy& stored : policies_) {
    if (stored.number == number) return stored.policy;
  }
  fail_damaged(fmt::format("policy {} is missing", number));
}

void Ledger::load_policies() {
  policies_.clear();
  Statement query = database_->prepare(
      "SELECT number, since, yaml, hierarchies, checksum FROM policy ORDER BY number");
  while (query.step()) {
    StoredPolicy stored;
    stored.number = query.integer(0);
    stored.since = query.integer(1);
    stored.yaml = query.text(2);
    stored.hierarchies = query.blob(3);
    if (query.text(4) != checksum_of(stored.yaml, stored.hierarchies)) {
      fail_damaged(fmt::format("policy {} is not the one that was stored", stored.number));
    }
    stored.policy =
        parse_policy(stored.yaml, fmt::format("{} (policy {})", folder_, stored.number), "");
    stored.rules = hand_hierarchies(stored.policy, stored.hierarchies);
    policies_.push_back(std::move(stored));
  }
  if (policies_.empty()) fail_damaged("it holds no policy");
}

std::string Ledger::adopt(const std::string& policy_path) {
  const std::string yaml = read_file(policy_path, "a policy");
  const Policy offered = read_policy(policy_path);
  const std::string hierarchies = pack_hierarchies(offered);
  if (yaml == policies_.back().yaml && hierarchies == policies_.back().hierarchies) return "";
  check_for_publication(offered, strategy_);
  Policy compared = offered;
  hand_hierarchies(compared, hierarchies);
  const std::string more = stricter_by(policy(), compared, strategy_ == Strategy::sequential);
  if (!more.empty() && strategy_ == Strategy::dynamic) {
    throw InputError(fmt::format(
        "{}: is stricter ({}), but the classes of a dynamic publication go on growing under the "
        "policy that they were made by; begin a new publication",
        policy_path, more));
  }
  Transaction transaction(*database_);
  const std::int64_t since = database_->number("SELECT max(number) FROM release") + 1;
  insert_policy(*database_, policies_.back().number + 1, since, yaml, hierarchies);
  std::string what = more.empty() ? "its privacy is the same" : more;
  log(fmt::format("policy {} from release {} on: {}", policy_path, since, what));
  transaction.commit();
  load_policies();
  return what;
}

std::string Ledger::meta(const std::string& key) const {
  Statement query = database_->prepare("SELECT value FROM meta WHERE key = ?");
  query.bind_text(1, key);
  if (!query.step()) fail_damaged(fmt::format("'{}' is missing", key));
  std::string value(query.blob(0));
  while (query.step()) {
  }
  return value;
}

std::int64_t Ledger::number(const std::string& key) const {
  const std::string text = meta(key);
  std::int64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || value < 0) {
    fail_damaged(fmt::format("'{}' is no number", key));
  }
  return value;
}

void Ledger::fail_damaged(const std::string& what) const {
  throw InputError(
      fmt::format("{}/ledger.db is damaged: {}; restore it from a backup", folder_, what));
}

void Ledger::set_meta(const std::string& key, std::string_view value) {
  database_->prepare("INSERT OR REPLACE INTO meta VALUES (?, ?)")
      .bind_text(1, key)
      .bind_blob(2, value)
      .run();
}

void Ledger::log(const std::string& text) {
  database_->prepare("INSERT INTO log (date, text) VALUES (?, ?)")
      .bind_text(1, utc_now())
      .bind_text(2, text)
      .run();
}

std::string Ledger::segment_path(std::int64_t release) const {
  return fmt::format("{}/segments/{:06}.parquet", folder_, release);
}

}  // namespace throng
