#include "publication/publication.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>

#include "io/new_file.h"
#include "publication/due_policy.h"
#include "publication/dynamic.h"
#include "publication/kept_files.h"
#include "publication/kept_knowledge.h"
#include "publication/making.h"
#include "publication/manifest.h"
#include "publication/segments.h"
#include "release/foreign_text.h"
#include "table/utf8.h"
#include "throng/error.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

constexpr const char* kReleaseColumns =
    "number, date, batch_records, dropped, new_records, published, waiting, first_class, "
    "new_classes, segment_rows, segment_sha256, output, is_delta, output_rows, output_bytes, "
    "output_sha256, seed, policy, manifest";

bool is_control(char letter) { return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7F; }

}  // namespace

Statement Publication::select_releases(std::string_view where) {
  const bool named = ledger_.strategy() == Strategy::sequential;
  return ledger_.database().prepare(fmt::format(
      "SELECT {}{} FROM release {}{}", kReleaseColumns,
      named ? ", projection.name, projection.columns" : "",
      named ? "LEFT JOIN projection ON projection.release = release.number " : "", where));
}

ReleaseRecord Publication::record_in(const Statement& row) const {
  ReleaseRecord record;
  record.number = row.integer(0);
  record.date = row.text(1);
  record.batch_records = row.integer(2);
  record.dropped = row.integer(3);
  record.new_records = row.integer(4);
  record.published = row.integer(5);
  record.waiting = row.integer(6);
  record.first_class = row.integer(7);
  record.new_classes = row.integer(8);
  record.segment_rows = row.integer(9);
  record.segment_sha256 = row.text(10);
  record.output = row.text(11);
  record.delta = row.integer(12) != 0;
  record.output_rows = row.integer(13);
  record.output_bytes = row.integer(14);
  record.output_sha256 = row.text(15);
  record.seed = row.integer(16);
  record.policy = row.integer(17);
  record.manifest = row.text(18);
  if (ledger_.strategy() != Strategy::sequential) return record;
  if (row.is_null(19)) ledger_.fail_damaged(fmt::format("release {} has no name", record.number));
  record.name = row.text(19);
  record.columns = unpack_names(ledger_, row.blob(20));
  return record;
}

namespace {

std::string listed(const std::vector<std::string>& items) {
  constexpr std::size_t kShown = 5;
  std::string list;
  for (std::size_t i = 0; i < std::min(kShown, items.size()); ++i) {
    list += fmt::format("{}'{}'", i == 0 ? "" : ", ", items[i]);
  }
  if (items.size() > kShown) list += fmt::format(" and {} more", items.size() - kShown);
  return list;
}

[[noreturn]] void fail_delta() {
  throw InputError(
      "--delta goes with tables that grow; each release of a sequential publication is a table of "
      "its own");
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Publication::Publication(const std::string& folder, Ledger::Access access, const std::string& verb,
                         const std::string& key_file, double wait, io::Session& session)
    : ledger_(folder, access, verb, key_file, wait), session_(session) {
  if (ledger_.is_writer()) recover();
}

std::string Publication::chain_of(const std::string& before, const ReleaseRecord& record) {
  std::string text =
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", before, record.number, record.date,
                  record.first_class, record.new_classes, record.segment_rows,
                  record.segment_sha256, record.output, record.output_sha256, record.manifest);
  if (!record.name.empty())
    text += fmt::format("\n{}\n{}", record.name, pack_names(record.columns));
  return sha256_of(text);
}

Released Publication::release(Batch batch, const ReleaseOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  Database& database = ledger_.database();
  const std::optional<ReleaseRecord> last =
      find_release(database.number("SELECT max(number) FROM release"));
  Released released;
  // The same command again: a job that was killed, at whatever moment, is simply run once more. A
  // batch without records may well come twice.
  if (last && !options.again && !batch.mark.empty() &&
      (batch.table.rows > 0 || ledger_.number("finished") == last->number)) {
    Statement mark = database.prepare("SELECT batch_mark FROM release WHERE number = ?");
    mark.bind(1, last->number);
    bool same = false;
    while (mark.step()) {
      same = mark.blob(0) == bytes_of(ledger_.vault().hash_of_key(batch.mark));
    }
    if (same && options.delta == last->delta && options.name == last->name &&
        fs::absolute(options.output).lexically_normal() == last->output) {
      released.record = *last;
      released.figures = figures_in(last->manifest, ledger_.database().path());
      released.repeated = true;
      return released;
    }
  }
  if (const std::string now = utc_now(); last && now < last->date) {
    throw InputError(fmt::format(
        "the clock says {}, but release {} was made at {}; set the clock, then try again", now,
        last->number, last->date));
  }
  check_name(options);
  check_place(options.output);
  check_keys(batch);

  // The tables of a sequential publication are of the same people anyway.
  if (!batch.mark.empty() && batch.table.rows > 0 && ledger_.strategy() != Strategy::sequential) {
    Statement twin = database.prepare(
        "SELECT number FROM release WHERE batch_mark = ? ORDER BY number DESC LIMIT 1");
    twin.bind_blob(1, bytes_of(ledger_.vault().hash_of_key(batch.mark)));
    while (twin.step()) released.twin = twin.integer(0);
  }
  std::vector<ReleaseRecord> before;
  if (ledger_.strategy() == Strategy::sequential) before = releases();
  Making making(ledger_, session_, std::move(batch), options, last, before);
  const ReleaseRecord& record = making.record();
  const std::string part = io::NewFile::temporary_for(record.output);
  const std::string manifest_part = io::NewFile::temporary_for(manifest_path(record.output));
  database.prepare("INSERT INTO pending VALUES (?, ?, ?, ?)")
      .bind(1, record.number)
      .bind_text(2, record.output)
      .bind_text(3, part)
      .bind_text(4, manifest_part)
      .run();
  try {
    Transaction transaction(database);
    making.make();
    transaction.commit();
  } catch (...) {
    // Where even the note cannot be struck out (a full disk), the next command does it.
    try {
      if (!find_release(record.number)) forget(record.number, {part, manifest_part});
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
    }
    throw;
  }
  const auto committed = std::chrono::steady_clock::now();
  try {
    making.put_in_place();
  } catch (const InputError& failure) {
    // The note stays: the next command tries again, and knows this batch.
    throw InputError(
        fmt::format("release {} is recorded, but its output is not in its place yet "
                    "({}); run the same command again, or `throng export {} --release "
                    "{} -o FILE`",
                    record.number, failure.what(), ledger_.folder(), record.number));
  }
  const double placed = seconds_since(committed);
  strike_pending();
  released.record = record;
  released.figures = making.figures();
  released.joined = making.joined();
  released.write_seconds = making.write_seconds() + placed;
  released.update_seconds = seconds_since(start) - released.write_seconds;
  return released;
}

void Publication::check_name(const ReleaseOptions& options) {
  if (ledger_.strategy() != Strategy::sequential) {
    if (options.name.empty()) return;
    throw InputError(
        fmt::format("--as goes with the strategy sequential; the releases of {} ({}) have numbers",
                    ledger_.folder(), name_of(ledger_.strategy())));
  }
  const std::string& name = options.name;
  if (name.empty()) {
    throw InputError(fmt::format(
        "{}: is a sequential publication, whose releases have names; expected --as NAME",
        ledger_.folder()));
  }
  constexpr std::size_t kLongest = 100;
  const bool is_number = std::all_of(name.begin(), name.end(),
                                     [](char letter) { return '0' <= letter && letter <= '9'; });
  if (is_number || !is_utf8(name) || length_of(name) > kLongest || name.front() == ' ' ||
      name.back() == ' ' || std::any_of(name.begin(), name.end(), is_control)) {
    throw InputError(fmt::format(
        "'{}' is no name for a release; expected up to {} characters on one line, not digits alone",
        name, kLongest));
  }
  if (options.delta) fail_delta();
  for (const ReleaseRecord& record : releases()) {
    if (record.name != name) continue;
    throw InputError(fmt::format(
        "{}: has a release called '{}' already (release {}, of {}); expected another name",
        ledger_.folder(), name, record.number, record.date));
  }
}

void Publication::check_place(const std::string& output) const {
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(ledger_.folder(), error);
  const fs::path place = fs::weakly_canonical(fs::absolute(output), error);
  if (std::mismatch(folder.begin(), folder.end(), place.begin(), place.end()).first !=
      folder.end()) {
    return;
  }
  throw InputError(fmt::format(
      "{}: lies in the publication's own folder, which is private; expected another place",
      output));
}

void Publication::check_keys(const Batch& batch) {
  if (!policy().key) return;
  std::vector<std::string> sorted = batch.keys, twice;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i] == sorted[i - 1] && (twice.empty() || twice.back() != sorted[i]))
      twice.push_back(sorted[i]);
  }
  if (!twice.empty()) {
    throw InputError(fmt::format("{} key{} than once in the batch: {}", twice.size(),
                                 twice.size() == 1 ? " stands more" : "s stand more",
                                 listed(twice)));
  }
  std::vector<std::string> known;
  Statement query = ledger_.database().prepare("SELECT 1 FROM record_key WHERE hash = ?");
  for (const std::string& key : sorted) {
    query.bind_blob(1, bytes_of(ledger_.vault().hash_of_key(key)));
    while (query.step()) known.push_back(key);
  }
  if (!known.empty()) {
    throw InputError(fmt::format("{} key{} already in the publication: {}", known.size(),
                                 known.size() == 1 ? " is" : "s are", listed(known)));
  }
}

void Publication::recover() {
  std::int64_t number = 0;
  std::string output, part, manifest_part;
  {
    Statement query = ledger_.database().prepare(
        "SELECT release, output, output_part, manifest_part FROM pending");
    while (query.step()) {
      number = query.integer(0);
      output = query.text(1);
      part = query.text(2);
      manifest_part = query.text(3);
    }
  }
  if (number == 0) return;
  if (const auto record = find_release(number)) {
    ::unlink(manifest_part.c_str());
    try {
      finish(*record, part);
      notes_.push_back(
          fmt::format("release {} was interrupted after it was recorded; it is finished now: {}",
                      number, output));
    } catch (const InputError& failure) {
      notes_.push_back(fmt::format(
          "release {} was interrupted after it was recorded, and its output cannot be put in its "
          "place: {}; `throng export {} --release {} -o FILE` writes it",
          number, failure.what(), ledger_.folder(), number));
    }
    ledger_.set_meta("finished", std::to_string(number));
    ledger_.log(fmt::format("release {} was interrupted; finished", number));
    strike_pending();
    return;
  }
  forget(number, {part, manifest_part});
  notes_.push_back(fmt::format(
      "release {} was interrupted before it was recorded; it is forgotten, nothing of it went out",
      number));
  ledger_.log(fmt::format("release {} was interrupted; forgotten", number));
}

void Publication::finish(const ReleaseRecord& record, const std::string& part) {
  std::error_code error;
  const auto is_it = [&](const std::string& path) {
    return fs::is_regular_file(path, error) && sha256_of_file(path) == record.output_sha256;
  };
  if (!is_it(record.output)) {
    if (is_it(part)) {
      fs::rename(part, record.output, error);
      if (error)
        throw InputError(fmt::format("{}: cannot be written: {}", record.output, error.message()));
    } else {
      ::unlink(part.c_str());
      note_parts(record);
      export_release(record.number, record.output, record.delta);
    }
  }
  ::unlink(part.c_str());
  note_parts(record);
  io::NewFile manifest(manifest_path(record.output));
  manifest.write(record.manifest);
  manifest.sync();
  manifest.finish_durably();
}

// What this process is about to write in place of the parts before it, which are gone for good: so
// whoever comes after its death finds them by the note.
void Publication::note_parts(const ReleaseRecord& record) {
  io::sync_folder(fs::path(record.output).parent_path().string());
  ledger_.database()
      .prepare("UPDATE pending SET output_part = ?, manifest_part = ? WHERE release = ?")
      .bind_text(1, io::NewFile::temporary_for(record.output))
      .bind_text(2, io::NewFile::temporary_for(manifest_path(record.output)))
      .bind(3, record.number)
      .run();
}

void Publication::forget(std::int64_t number, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) ::unlink(part.c_str());
  std::error_code error;
  // Whatever no recorded release knows: the segment, or a part of it.
  std::set<std::string> known;
  for (const ReleaseRecord& record : releases()) {
    if (record.segment_rows > 0)
      known.insert(fs::path(ledger_.segment_path(record.number)).filename().string());
  }
  for (const auto& entry : fs::directory_iterator(ledger_.folder() + "/segments", error)) {
    if (!known.contains(entry.path().filename().string())) fs::remove(entry.path(), error);
  }
  ledger_.database().prepare("DELETE FROM pending WHERE release = ?").bind(1, number).run();
}

void Publication::strike_pending() { ledger_.database().execute("DELETE FROM pending"); }

void Publication::export_release(std::int64_t number, const std::string& output, bool delta) {
  const ReleaseRecord record = release_called(std::to_string(number));
  check_place(output);
  if (delta && ledger_.strategy() == Strategy::sequential) fail_delta();
  const auto file =
      io::prepare_columns(rows_of_release(ledger_, number, delta, session_), output, session_);
  file->sync();
  const bool same_form =
      delta == record.delta && fs::path(output).extension() == fs::path(record.output).extension();
  if (same_form && sha256_of_file(file->temporary()) != record.output_sha256) {
    throw InputError(
        fmt::format("{}: release {} cannot be made again as it was: the ledger does "
                    "not hold what it published; run `throng verify {}`",
                    ledger_.folder(), number, ledger_.folder()));
  }
  file->finish_durably();
}

std::vector<ReleaseRecord> Publication::releases() {
  std::vector<ReleaseRecord> result;
  Statement query = select_releases("ORDER BY number");
  while (query.step()) result.push_back(record_in(query));
  return result;
}

std::optional<ReleaseRecord> Publication::find_release(std::int64_t number) {
  std::optional<ReleaseRecord> result;
  Statement query = select_releases("WHERE number = ?");
  query.bind(1, number);
  while (query.step()) result = record_in(query);
  return result;
}

ReleaseRecord Publication::release_called(const std::string& word) {
  std::vector<std::string> names;
  for (ReleaseRecord& record : releases()) {
    names.push_back(record.name);
    if (word == std::to_string(record.number) || (!record.name.empty() && word == record.name))
      return std::move(record);
  }
  throw InputError(fmt::format("{}: has no release {}; {}", ledger_.folder(), word,
                               names.empty() ? std::string("none was made yet")
                               : names[0].empty()
                                   ? fmt::format("its releases are 1 to {}", names.size())
                                   : fmt::format("its releases are {}", fmt::join(names, ", "))));
}

PublicationStatus Publication::status() {
  Database& database = ledger_.database();
  PublicationStatus status;
  status.strategy = ledger_.strategy();
  status.encrypted = ledger_.encrypted();
  status.records = ledger_.number("records");
  status.releases = releases();
  if (status.strategy == Strategy::sequential) {
    // Whatever comes next.
    status.waits = due_policy(policy(), {}, columns_of(status.releases)).waits;
  }
  if (policy().matching) {
    const KeptKnowledge::Totals totals = KeptKnowledge(ledger_).totals();
    status.has_knowledge = true;
    status.rules = totals.rules;
    status.exposed = totals.exposed;
    status.people_held = totals.people;
  }
  if (status.releases.empty()) return status;
  const ReleaseRecord& last = status.releases.back();
  status.published = last.published;
  status.waiting = last.waiting;
  status.classes =
      static_cast<std::int64_t>(figures_in(last.manifest, ledger_.database().path()).classes);
  std::int64_t oldest = 0;
  if (status.strategy == Strategy::dynamic) {
    status.raw_held = status.records;
    if (ledger_.has_vault())
      oldest = Dynamic(database, ledger_.vault(), policy()).waiting().oldest_release;
  } else {
    status.raw_held = database.number("SELECT coalesce(sum(records), 0) FROM raw");
    if (status.waiting > 0) oldest = database.number("SELECT min(batch) FROM raw");
  }
  if (oldest > 0) status.oldest_wait = last.number - oldest + 1;
  return status;
}

std::vector<std::pair<std::string, std::string>> Publication::log() {
  std::vector<std::pair<std::string, std::string>> result;
  Statement query = ledger_.database().prepare("SELECT date, text FROM log ORDER BY number");
  while (query.step()) {
    result.emplace_back(std::string(query.text(0)), std::string(query.text(1)));
  }
  return result;
}

}  // namespace throng
