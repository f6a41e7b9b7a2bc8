// The ledger: the folder that a publication lives in. docs/ledger.md states its format.
//
// It holds the database, the segments and the lock, knows the policies, and brings back in order
// what a killed process left behind. What a release means is publication.h's affair.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "policy/policy.h"
#include "publication/database.h"
#include "publication/lock.h"
#include "publication/vault.h"

namespace throng {

enum class Strategy { append, dynamic, static_full, static_batch, sequential };
std::string_view name_of(Strategy strategy);
// Throws InputError that lists the known ones.
Strategy strategy_named(const std::string& name);
// What suits a policy where nothing else is said: `sequential` for (X,Y)-requirements, else
// `append`.
Strategy strategy_for(const Policy& policy);

// A policy with the hierarchies that it names, so that neither can change behind the ledger's back.
struct StoredPolicy {
  std::int64_t number = 0;
  std::int64_t since = 1;  // the first release that it rules
  std::string yaml;
  std::string hierarchies;  // packed: path, content, …; and so the rules behind them
  std::string rules;        // the file of rules that `knowledge:` names, or ""
  Policy policy;
};

class Ledger {
 public:
  enum class Access { read, write };

  // Makes a new publication: appears whole or not at all. `strategy`: strategy_for() the policy
  // where none is given; returned. `key_file` is empty for none.
  static Strategy create(const std::string& folder, const std::string& policy_path,
                         std::optional<Strategy> strategy, const std::string& key_file);

  // Opens one. A writer waits up to `wait` seconds for the lock; a reader goes on without it while
  // another one writes. Throws InputError: no publication, a newer format, a wrong key, damage.
  Ledger(const std::string& folder, Access access, const std::string& verb,
         const std::string& key_file, double wait);

  const std::string& folder() const { return folder_; }
  Database& database() { return *database_; }
  // Throws InputError where a key is needed and was not given.
  const Vault& vault() const;
  bool has_vault() const { return vault_.has_value(); }
  bool encrypted() const { return encrypted_; }
  Strategy strategy() const { return strategy_; }
  const std::vector<StoredPolicy>& policies() const { return policies_; }
  const Policy& policy_numbered(std::int64_t number) const;
  const Policy& policy() const { return policies_.back().policy; }
  // Whether this process may change things: it holds the lock.
  bool is_writer() const { return lock_ != nullptr; }

  // Takes a policy that is at least as strict as the one in force, and says what became stricter.
  // One of a sequential publication may list more columns. Throws InputError that names what is
  // not.
  std::string adopt(const std::string& policy_path);

  std::string meta(const std::string& key) const;
  // One that is a whole number.
  std::int64_t number(const std::string& key) const;
  void set_meta(const std::string& key, std::string_view value);
  [[noreturn]] void fail_damaged(const std::string& what) const;
  void log(const std::string& text);

  std::string segment_path(std::int64_t release) const;

 private:
  void load_policies();

  std::string folder_;
  std::unique_ptr<Lock> lock_;
  std::unique_ptr<Database> database_;
  std::optional<Vault> vault_;
  bool encrypted_ = false;
  Strategy strategy_ = Strategy::append;
  std::vector<StoredPolicy> policies_;
};

// Now, as 2026-01-31T12:00:00Z; $SOURCE_DATE_EPOCH stands in for the clock.
std::string utc_now();

}  // namespace throng
