#include "publication/making.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <stdexcept>

#include "audit/check.h"
#include "audit/check_matching.h"
#include "metrics/figures.h"
#include "publication/apart.h"
#include "publication/due_policy.h"
#include "publication/dynamic.h"
#include "publication/kept_files.h"
#include "publication/manifest.h"
#include "publication/segments.h"
#include "publication/sequential.h"
#include "publication/strategy.h"
#include "publication/totals.h"
#include "throng/error.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

// The sensitive columns in the order of the release.
std::vector<std::string> sensitive_names(const Policy& policy,
                                         const std::vector<std::string>& names) {
  std::vector<std::string> result;
  for (const std::string& name : names) {
    if (policy.find(name)->role == Role::sensitive) result.push_back(name);
  }
  return result;
}

std::string counted(std::uint64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

std::string_view bytes_of(const Vault::KeyHash& hash) {
  return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

Vault::KeyHash key_sum(const Ledger& ledger) {
  Vault::KeyHash sum{};
  add_to_sum(sum, ledger.meta("keys"));
  return sum;
}

void add_to_sum(Vault::KeyHash& sum, std::string_view hash) {
  for (std::size_t i = 0; i < std::min(sum.size(), hash.size()); ++i) {
    sum[i] = static_cast<unsigned char>(sum[i] ^ static_cast<unsigned char>(hash[i]));
  }
}

Making::Making(Ledger& ledger, io::Session& session, Batch batch, const ReleaseOptions& options,
               const std::optional<ReleaseRecord>& last, const std::vector<ReleaseRecord>& before)
    : ledger_(ledger),
      database_(ledger.database()),
      session_(session),
      batch_(std::move(batch)),
      options_(options),
      last_(last),
      before_(before) {
  record_.number = last ? last->number + 1 : 1;
  record_.date = utc_now();
  record_.batch_records = static_cast<std::int64_t>(batch_.table.rows);
  record_.dropped = static_cast<std::int64_t>(batch_.table.dropped);
  record_.output = fs::absolute(options.output).lexically_normal().string();
  record_.delta = options.delta;
  record_.seed = static_cast<std::int64_t>(options.seed);
  record_.policy = ledger_.policies().back().number;
  record_.first_class = ledger_.number("next-class");
  if (ledger_.strategy() != Strategy::sequential) return;
  record_.name = options.name;
  for (const Column& column : batch_.table.columns) record_.columns.push_back(column.name);
}

// All but the commit.
void Making::make() {
  if (ledger_.strategy() == Strategy::sequential) {
    insert_projection();
    specialize_table();
  } else {
    names_ = released_names(ledger_);
    if (names_.empty()) {
      for (const Column& column : batch_.table.columns) names_.push_back(column.name);
      ledger_.set_meta("columns", pack_names(names_));
    }
    put_in_order();
    insert_keys();
    decide_and_keep();
  }
  if (added_.rows() > 0) check_and_write_segment();
  count();
  insert_record();
  write_output();
  update_record();
  manifest_ = std::make_unique<io::NewFile>(manifest_path(record_.output));
  manifest_->write(record_.manifest);
  manifest_->sync();
  ledger_.set_meta("next-class", std::to_string(record_.first_class + record_.new_classes));
  if (record_.exposed > 0) {
    ledger_.log(fmt::format(
        "release {}: accepted that {} not known before expose {} in {} published earlier",
        record_.number, counted(found_->fresh_count, "rule", "rules"),
        counted(found_->exposed, "record", "records"),
        counted(found_->exposed_classes, "class", "classes")));
  }
  ledger_.log(joined_
                  ? fmt::format("{}: {} records of {}; {}", title_of(record_), record_.published,
                                fmt::join(record_.columns, ", "), record_.output)
                  : fmt::format("release {}: {} newly published, {} in all, {} wait; {}",
                                record_.number, record_.new_records, record_.published,
                                record_.waiting, record_.output));
}

// After the commit: the output gets its name.
void Making::put_in_place() {
  output_->finish();
  manifest_->finish();
  io::sync_folder(fs::path(record_.output).parent_path().string());
}

// The publication's order of columns.
void Making::put_in_order() {
  std::vector<Column> columns;
  for (const std::string& name : names_) {
    auto found = std::find_if(batch_.table.columns.begin(), batch_.table.columns.end(),
                              [&](const Column& column) { return column.name == name; });
    if (found == batch_.table.columns.end())
      ledger_.fail_damaged("its columns are not the policy's");
    columns.push_back(std::move(*found));
  }
  batch_.table.columns = std::move(columns);
}

void Making::insert_keys() {
  if (batch_.keys.empty()) return;
  // In the order of the index, so that neighbours are written together.
  std::vector<Vault::KeyHash> hashes;
  for (const std::string& key : batch_.keys) hashes.push_back(ledger_.vault().hash_of_key(key));
  std::sort(hashes.begin(), hashes.end());
  Statement insert = database_.prepare("INSERT INTO record_key VALUES (?)");
  Vault::KeyHash sum = key_sum(ledger_);
  for (const Vault::KeyHash& hash : hashes) {
    insert.bind_blob(1, bytes_of(hash)).run();
    add_to_sum(sum, bytes_of(hash));
  }
  ledger_.set_meta("keys", bytes_of(sum));
}

// What the attacker knows by now, also of those who were published before.
void Making::find_rules(const std::vector<RawRecords>& pool) {
  if (!ledger_.policy().matching) return;
  KeptKnowledge knowledge(ledger_);
  found_ = knowledge.find(pool, names_);
  refuse_exposed();
  knowledge.keep_rules(record_.number, *found_);
  record_.new_rules = static_cast<std::int64_t>(found_->fresh_count);
  record_.exposed = static_cast<std::int64_t>(found_->exposed);
  record_.exposed_classes = static_cast<std::int64_t>(found_->exposed_classes);
}

void Making::update_classes() {
  if (batch_.table.rows > 0)
    find_rules({raw_records(batch_.table, static_cast<std::uint32_t>(record_.number))});
  Dynamic dynamic(database_, ledger_.vault(), ledger_.policy());
  const auto first = static_cast<ClassId>(record_.first_class);
  Change change = dynamic.update(batch_.table, static_cast<std::uint32_t>(record_.number), first,
                                 options_.seed, found_ ? found_->rules : "[]");
  added_ = std::move(change.added);
  ended_ = std::move(change.ended);
  domains_ = dynamic.domains();
  if (!found_ || added_.rows() == 0) return;
  const auto guarded =
      std::find_if(added_.plain.begin(), added_.plain.end(), [&](const Release::Plain& column) {
        return column.name == ledger_.policy().matching->column;
      });
  known_records_ = KeptKnowledge(ledger_).known_in(first, guarded->values.labels, found_->rules);
}

void Making::decide_and_keep() {
  if (ledger_.strategy() == Strategy::dynamic) {
    update_classes();
    return;
  }
  std::vector<RawRecords> pool = held_records(ledger_);
  std::vector<std::pair<std::uint32_t, std::size_t>> before;  // batches and their records
  before.reserve(pool.size());
  for (const RawRecords& old : pool) before.emplace_back(old.batch, old.rows);
  if (batch_.table.rows > 0)
    pool.push_back(raw_records(batch_.table, static_cast<std::uint32_t>(record_.number)));
  if (pool.empty()) return;
  const KnownValues known = known_values();
  find_rules(pool);
  Decision decision = decide(ledger_.strategy(), pool, known, ledger_.policy(), names_,
                             static_cast<std::uint32_t>(record_.number), options_.seed,
                             found_ ? found_->rules : "[]");
  known_records_ = std::move(decision.known);
  if (known_records_ && ledger_.strategy() != Strategy::static_full)
    KeptKnowledge(ledger_).keep_people(record_.number, decision.people);
  domains_ = std::move(decision.domains);
  added_ = std::move(decision.added);
  if (!decision.additions.empty()) {
    database_.prepare("INSERT INTO known VALUES (?, ?)")
        .bind(1, record_.number)
        .bind_blob(2, ledger_.vault().seal(pack(decision.additions), known_context(record_.number)))
        .run();
  }
  if (ledger_.strategy() == Strategy::static_full) {
    if (batch_.table.rows > 0) keep(pool.back());
    if (added_.rows() > 0) end_all();
    return;
  }
  const Totals totals(database_);
  keep_apart(added_, [&](std::uint64_t hash) { return totals.has_regions(hash); });
  // Only batches of which something was published are written anew.
  for (const auto& [batch, rows] : before) {
    const auto still =
        std::find_if(decision.waiting.begin(), decision.waiting.end(),
                     [number = batch](const RawRecords& left) { return left.batch == number; });
    if (still != decision.waiting.end() && still->rows == rows) continue;
    database_.prepare("DELETE FROM raw WHERE batch = ?").bind(1, std::int64_t{batch}).run();
    if (still != decision.waiting.end()) keep(*still);
  }
  if (!decision.waiting.empty() && decision.waiting.back().batch == record_.number)
    keep(decision.waiting.back());
}

void Making::insert_projection() {
  database_.prepare("INSERT INTO projection VALUES (?, ?, ?)")
      .bind(1, record_.number)
      .bind_text(2, record_.name)
      .bind_blob(3, pack_names(record_.columns))
      .run();
}

void Making::specialize_table() {
  std::vector<ForeignFile> previous;
  previous.reserve(before_.size());
  for (const ReleaseRecord& record : before_)
    previous.push_back(published_file(ledger_, record, session_));
  DuePolicy due = due_policy(ledger_.policy(), record_.columns, columns_of(before_));
  joined_.emplace();
  joined_->policy = std::move(due.policy);
  joined_->waits = std::move(due.waits);
  SequentialRelease made;
  try {
    made =
        release_after(std::move(batch_.table), std::move(previous), joined_->policy, options_.seed);
  } catch (const ForeignValue& bad) {
    throw InputError(fmt::format(
        "{}: column '{}' has '{}'; expected {}",
        bad.file < before_.size() ? title_of(before_[bad.file]) : std::string("the table"),
        bad.column, bad.text, bad.expected));
  }
  figures_ = measure(made.release, made.verdict);
  added_ = std::move(made.release);
  joined_->join = std::move(made.join);
  if (joined_->policy.xy.empty())  // nothing was joined
    joined_->join.join_columns = std::move(made.how.join_columns);
  joined_->left_out = made.dropped;
  joined_->dangling = made.how.dangling;
  joined_->dangling_previous = std::move(made.how.dangling_previous);
  joined_->warnings = std::move(made.warnings);
}

KnownValues Making::known_values() {
  KnownValues known;
  Statement query = database_.prepare("SELECT release, sealed FROM known ORDER BY release");
  while (query.step()) {
    unpack_into(ledger_.vault().open(query.blob(1), known_context(query.integer(0))), known);
  }
  return known;
}

void Making::refuse_exposed() const {
  if (found_->exposed == 0 || options_.accept_exposed) return;
  constexpr std::size_t kShown = 3;
  std::string rules;
  for (std::size_t i = 0; i < std::min(kShown, found_->exposing.size()); ++i)
    rules += (i == 0 ? "" : "; ") + found_->exposing[i];
  if (found_->exposing.size() > kShown)
    rules += fmt::format("; and {} more", found_->exposing.size() - kShown);
  throw PrivacyError(fmt::format(
      "rules that were not known before expose {} in {} published earlier, which cannot be taken "
      "back: fewer values of '{}' are valid than was promised; the rules: {}; --accept-exposed "
      "lets "
      "the release out all the same, and records that",
      counted(found_->exposed, "record", "records"),
      counted(found_->exposed_classes, "class", "classes"), ledger_.policy().matching->column,
      rules));
}

void Making::keep(const RawRecords& records) {
  const std::int64_t batch{records.batch};
  database_.prepare("INSERT INTO raw VALUES (?, ?, ?)")
      .bind(1, batch)
      .bind(2, static_cast<std::int64_t>(records.rows))
      .bind_blob(3, ledger_.vault().seal(pack(records), raw_context(batch)))
      .run();
}

// Every class so far ends: those of the last release that had any.
void Making::end_all() {
  Statement query = database_.prepare(
      "SELECT first_class, new_classes FROM release WHERE new_classes > 0 ORDER BY number DESC "
      "LIMIT 1");
  while (query.step()) {
    for (std::int64_t i = 0; i < query.integer(1); ++i) {
      ended_.push_back(static_cast<ClassId>(query.integer(0) + i));
    }
  }
}

void Making::check_and_write_segment() {
  Verdict verdict = check_release(added_, joined_ ? joined_->policy : ledger_.policy());
  if (known_records_) {
    const MatchingVerdict matching =
        check_matching(added_, *known_records_, ledger_.policy().matching->l);
    verdict.broken.insert(verdict.broken.end(), matching.broken.begin(), matching.broken.end());
    found_->valid = std::min(found_->valid.value_or(matching.valid), matching.valid);
  }
  // Our defect, not the user's: nothing goes out.
  if (!verdict.broken.empty())
    throw std::logic_error("the release breaks its policy: " + verdict.broken[0]);
  record_.new_classes = static_cast<std::int64_t>(added_.classes);
  record_.segment_rows = static_cast<std::int64_t>(added_.rows());
  record_.segment_sha256 = write_segment(added_, static_cast<ClassId>(record_.first_class),
                                         ledger_.segment_path(record_.number), session_);
}

void Making::count() {
  const std::int64_t records = ledger_.number("records") + record_.batch_records;
  ledger_.set_meta("records", std::to_string(records));
  if (joined_) {  // a table of its own
    record_.published = record_.new_records = static_cast<std::int64_t>(added_.rows());
    figures_.dropped = static_cast<std::size_t>(record_.dropped);
    return;
  }
  Statement insert = database_.prepare("INSERT INTO ended VALUES (?, ?)");
  for (const ClassId number : ended_) {
    insert.bind(1, static_cast<std::int64_t>(number)).bind(2, record_.number).run();
  }
  Totals totals(database_);
  const bool all_end = ledger_.strategy() == Strategy::static_full;
  if (all_end && !ended_.empty()) totals.clear();
  if (!all_end && !ended_.empty()) totals.remove(ended_);
  if (added_.rows() > 0) {
    totals.add(figures_of_classes(added_), static_cast<ClassId>(record_.first_class),
               ledger_.strategy() == Strategy::dynamic);
  }
  if (!domains_.empty()) {
    figures_ = totals.figures(domains_, sensitive_names(ledger_.policy(), names_));
  } else if (last_) {
    figures_ = figures_in(last_->manifest, database_.path());  // nothing came, nothing changed
  }
  if (found_) {
    figures_.matching = {ledger_.policy().matching->column, found_->rule_count, found_->stated,
                         found_->valid.value_or(0)};
  }
  record_.published = static_cast<std::int64_t>(figures_.rows_out);
  record_.new_records = record_.published - (last_ ? last_->published : 0);
  record_.waiting = records - record_.published;
  figures_.rows_in = static_cast<std::size_t>(records);
  figures_.dropped = static_cast<std::size_t>(record_.dropped);
}

void Making::insert_record() {
  Statement insert = database_.prepare(
      "INSERT INTO release VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, '', ?, ?, ?, '', "
      "'')");
  insert.bind(1, record_.number)
      .bind_text(2, record_.date)
      .bind(3, record_.batch_records)
      .bind(4, record_.dropped)
      .bind(5, record_.new_records)
      .bind(6, record_.published)
      .bind(7, record_.waiting)
      .bind(8, record_.first_class)
      .bind(9, record_.new_classes)
      .bind(10, record_.segment_rows)
      .bind_text(11, record_.segment_sha256)
      .bind_text(12, record_.output)
      .bind(13, std::int64_t{record_.delta ? 1 : 0})
      .bind(14, record_.seed)
      .bind(15, record_.policy)
      .bind_blob(16, bytes_of(ledger_.vault().hash_of_key(batch_.mark)))
      .run();
}

void Making::write_output() {
  const auto start = std::chrono::steady_clock::now();
  const auto columns = rows_of_release(ledger_, record_.number, record_.delta, session_);
  output_ = io::prepare_columns(columns, record_.output, session_);
  output_->sync();
  record_.output_rows = columns.empty() ? 0 : static_cast<std::int64_t>(columns[0].codes.size());
  record_.output_sha256 = sha256_of_file(output_->temporary());
  record_.output_bytes = static_cast<std::int64_t>(fs::file_size(output_->temporary()));
  write_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void Making::update_record() {
  record_.manifest = write_manifest(record_, figures_, ledger_.policies().back(),
                                    ledger_.strategy(), joined_ ? &*joined_ : nullptr);
  Statement before = database_.prepare("SELECT chain FROM release WHERE number = ?");
  before.bind(1, record_.number - 1);
  std::string chain;
  while (before.step()) chain = before.text(0);
  database_
      .prepare(
          "UPDATE release SET output_rows = ?, output_bytes = ?, output_sha256 = ?, manifest = "
          "?, "
          "chain = ? WHERE number = ?")
      .bind(1, record_.output_rows)
      .bind(2, record_.output_bytes)
      .bind_text(3, record_.output_sha256)
      .bind_text(4, record_.manifest)
      .bind_text(5, Publication::chain_of(chain, record_))
      .bind(6, record_.number)
      .run();
}

}  // namespace throng
