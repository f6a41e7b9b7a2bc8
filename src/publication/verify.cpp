#include "publication/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "audit/channels.h"
#include "audit/check.h"
#include "audit/worlds.h"
#include "publication/follow.h"
#include "publication/kept_files.h"
#include "publication/kept_knowledge.h"
#include "publication/making.h"
#include "publication/manifest.h"
#include "publication/pool.h"
#include "publication/segments.h"
#include "publication/sequential.h"
#include "throng/error.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

// Records times releases beyond which the attacker of all releases is not tried.
constexpr std::size_t kMostAttacked = 20'000'000;
// Records times releases that are followed through all releases: 4 bytes each.
constexpr std::int64_t kMostFollowed = 400'000'000;

class Verifier {
 public:
  Verifier(Publication& publication, io::Session& session)
      : publication_(publication),
        ledger_(publication.ledger()),
        database_(ledger_.database()),
        releases_(publication.releases()),
        session_(session) {}

  Verification run() {
    check_database();
    check_chain();
    check_files();
    check_segments();
    check_counts();
    check_raw();
    check_knowledge();
    if (is_sequential()) {
      check_joins();
    } else {
      attack();
    }
    check_output();
    return std::move(result_);
  }

 private:
  bool is_sequential() const { return ledger_.strategy() == Strategy::sequential; }
  void broken(std::string text) { result_.broken.push_back(std::move(text)); }
  void holds(std::string text) { result_.checks.push_back(std::move(text)); }
  // Notes a check as held unless something broke since `before` things were broken.
  void settle(std::size_t before, std::string text) {
    if (result_.broken.size() == before) holds(std::move(text));
  }

  void check_database() {
    const std::string found = database_.integrity();
    if (!found.empty()) broken(fmt::format("{} is damaged: {}", database_.path(), found));
    if (found.empty()) holds("the database is whole");
  }

  void check_chain() {
    const std::size_t before = result_.broken.size();
    std::string chain, date;
    std::int64_t next = 1, next_class = 1;
    Statement query = database_.prepare("SELECT chain FROM release WHERE number = ?");
    for (const ReleaseRecord& record : releases_) {
      chain = Publication::chain_of(chain, record);
      std::string stored;
      query.bind(1, record.number);
      while (query.step()) stored = query.text(0);
      if (record.number != next || record.first_class != next_class || stored != chain ||
          record.date < date) {
        broken(fmt::format("release {}: its entry in the ledger was changed", record.number));
      }
      next = record.number + 1;
      next_class = record.first_class + record.new_classes;
      date = record.date;
      chain = stored;
    }
    settle(before, "the releases are those that were recorded, in their order");
  }

  void check_files() {
    const std::size_t before = result_.broken.size();
    std::set<std::string> known;
    for (const ReleaseRecord& record : releases_) {
      if (record.segment_rows == 0) continue;
      const std::string path = ledger_.segment_path(record.number);
      known.insert(fs::path(path).filename().string());
      std::error_code error;
      if (!fs::exists(path, error)) {
        broken(fmt::format("{} is missing; restore it from a backup", path));
      } else if (sha256_of_file(path) != record.segment_sha256) {
        broken(fmt::format("{} is damaged: its checksum is not the one in the ledger", path));
      }
    }
    std::error_code error;
    if (!fs::is_directory(ledger_.folder() + "/segments", error))
      broken(fmt::format("{}/segments is missing; restore it from a backup", ledger_.folder()));
    for (const auto& entry : fs::directory_iterator(ledger_.folder() + "/segments", error)) {
      if (!known.contains(entry.path().filename().string()))
        broken(fmt::format("{} belongs to no release", entry.path().string()));
    }
    settle(before, "every segment is the one that was written");
    files_whole_ = result_.broken.size() == before;
  }

  void check_segments() {
    if (!files_whole_) return;
    const std::size_t before = result_.broken.size();
    for (const ReleaseRecord& record : releases_) {
      if (record.segment_rows > 0) check_segment(record);
    }
    settle(before,
           "every class that was ever published meets the policy of its release, counted "
           "again from the segments");
  }

  void check_segment(const ReleaseRecord& record) {
    const SegmentRows rows = read_segments(ledger_, {record.number}, session_);
    if (static_cast<std::int64_t>(rows.rows()) != record.segment_rows)
      broken(fmt::format("segment {} has {} rows; {} were written", record.number, rows.rows(),
                         record.segment_rows));
    const Policy& policy = ledger_.policy_numbered(record.policy);
    Release release;
    release.classes = static_cast<std::size_t>(record.new_classes);
    const auto first = static_cast<ClassId>(record.first_class);
    for (const ClassId number : rows.class_of) {
      if (number < first || number >= first + release.classes) {
        broken(fmt::format("segment {} has a row of class {}, which is another's", record.number,
                           number));
        return;
      }
      release.class_of_row.push_back(static_cast<std::uint32_t>(number - first));
      ++records_of_[number];
    }
    for (const RawColumn& column : rows.columns) {
      const ColumnPolicy& rule = *policy.find(column.name);
      if (rule.role == Role::quasi_identifier) {
        check_regions(record, column, release);
        continue;
      }
      Column encoded = encode(column, {}, {.values = {}});
      release.plain.push_back(
          {column.name, rule.role, std::move(encoded.values), std::move(encoded.codes)});
    }
    if (records_in(first, release.classes) == 0) return;
    for (const std::string& promise : check_release(release, policy).broken)
      broken(fmt::format("release {}: {}", record.number, promise));
  }

  std::int64_t records_in(ClassId first, std::size_t classes) const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < classes; ++i) {
      const auto found = records_of_.find(first + i);
      if (found == records_of_.end()) return 0;
      sum += found->second;
    }
    return sum;
  }

  // All records of a class have one region.
  void check_regions(const ReleaseRecord& record, const RawColumn& column, const Release& release) {
    std::vector<Code> region(release.classes, ~Code{0});
    for (std::size_t row = 0; row < release.class_of_row.size(); ++row) {
      Code& known = region[release.class_of_row[row]];
      if (known == ~Code{0}) known = column.codes[row];
      if (known != column.codes[row]) {
        broken(fmt::format("release {}: class {} has two regions in column '{}'", record.number,
                           record.first_class + release.class_of_row[row], column.name));
        return;
      }
    }
  }

  void check_counts() {
    if (!files_whole_) return;
    const std::size_t before = result_.broken.size();
    std::map<ClassId, std::int64_t> ended;
    Statement query = database_.prepare("SELECT class, release FROM ended");
    while (query.step()) ended[static_cast<ClassId>(query.integer(0))] = query.integer(1);
    const bool never = is_sequential() || ledger_.strategy() == Strategy::append ||
                       ledger_.strategy() == Strategy::static_batch;
    if (never && !ended.empty()) broken("classes ended, which this strategy never does");
    if (is_sequential()) {
      check_tables();
      settle(before, "every release has the rows that were recorded");
      return;
    }
    std::int64_t came = 0, standing = 0;
    std::map<std::int64_t, std::int64_t> gone;  // records, by the release that ended their class
    for (const auto& [number, release] : ended) {
      const auto found = records_of_.find(number);
      if (found == records_of_.end()) {
        broken(fmt::format("class {} ended and never began", number));
      } else {
        gone[release] += found->second;
      }
    }
    for (const ReleaseRecord& record : releases_) {
      came += record.batch_records;
      standing += record.segment_rows - gone[record.number];
      if (standing != record.published)
        broken(fmt::format("release {} has {} records; {} were recorded", record.number, standing,
                           record.published));
      if (record.published + record.waiting != came) {
        broken(fmt::format("release {}: {} published and {} waiting are not the {} that came",
                           record.number, record.published, record.waiting, came));
      }
    }
    if (came != ledger_.number("records"))
      broken("the number of records is not that of the batches");
    if (ledger_.policy().key && database_.number("SELECT count(*) FROM record_key") != came)
      broken("there are not as many keys as records");
    Vault::KeyHash sum{};
    Statement keys = database_.prepare("SELECT hash FROM record_key");
    while (keys.step()) add_to_sum(sum, keys.blob(0));
    if (sum != key_sum(ledger_)) broken("a key is not the one that was recorded");
    settle(before, "every record that came is published once or waits");
  }

  // Of a sequential publication, each release by itself.
  void check_tables() {
    std::int64_t came = 0;
    for (const ReleaseRecord& record : releases_) {
      came += record.batch_records;
      if (record.published != record.segment_rows || record.output_rows != record.segment_rows ||
          record.published > record.batch_records || record.waiting != 0) {
        broken(fmt::format("{} has {} records; {} were recorded", title_of(record),
                           record.segment_rows, record.published));
      }
    }
    if (came != ledger_.number("records"))
      broken("the number of records is not that of the tables");
    if (database_.number("SELECT count(*) FROM projection") !=
        static_cast<std::int64_t>(releases_.size())) {
      broken("there are not as many names as releases");
    }
  }

  void check_raw() {
    const std::size_t before = result_.broken.size();
    if (ledger_.strategy() != Strategy::dynamic) {
      std::int64_t held = 0;
      const std::vector<std::string> names = released_names(ledger_);
      Statement query = database_.prepare("SELECT batch, records, sealed FROM raw");
      while (query.step()) {
        try {
          const RawRecords records =
              unpack(ledger_.vault().open(query.blob(2), raw_context(query.integer(0))), names,
                     static_cast<std::uint32_t>(query.integer(0)));
          if (static_cast<std::int64_t>(records.rows) != query.integer(1))
            broken(fmt::format("batch {} holds another number of raw records", query.integer(0)));
        } catch (const InputError& failure) {
          broken(failure.what());
        }
        held += query.integer(1);
      }
      const ReleaseRecord last = releases_.empty() ? ReleaseRecord() : releases_.back();
      const std::int64_t due = ledger_.strategy() == Strategy::static_full
                                   ? last.published + last.waiting
                                   : last.waiting;
      if (held != due) broken(fmt::format("{} raw records are held; {} should be", held, due));
    }
    Statement query = database_.prepare("SELECT release, sealed FROM known");
    while (query.step()) {
      try {
        ledger_.vault().open(query.blob(1), known_context(query.integer(0)));
      } catch (const InputError& failure) {
        broken(failure.what());
      }
    }
    settle(before,
           is_sequential() ? "no raw values are held"
           : ledger_.strategy() == Strategy::append || ledger_.strategy() == Strategy::static_batch
               ? ledger_.policy().matching
                     ? "raw values are held of those that wait; of those published, the exact "
                       "quasi-identifiers and the guarded value"
                     : "raw values are held of those that wait, and of nobody else"
               : "the raw values open");
  }

  // What every release joined with all before it gives away, by the policy of its time; and that
  // its manifest says so.
  void check_joins() {
    if (!files_whole_) return;
    const std::size_t before = result_.broken.size();
    std::vector<ForeignFile> files;
    std::vector<ReleaseRecord> releases;
    std::size_t requirements = 0;
    for (const ReleaseRecord& record : releases_) {
      releases.push_back(record);
      files.push_back(published_file(ledger_, record, session_));
      const DuePolicy due = due_at(ledger_, releases);
      const std::vector<Reached> told = reached_in(record.manifest, database_.path());
      if (told.size() != due.policy.xy.size()) {
        broken(fmt::format("{}: its manifest tells of {} requirements; {} were to be asked",
                           title_of(record), told.size(), due.policy.xy.size()));
        continue;
      }
      if (due.policy.xy.empty()) continue;
      const JoinAudit found = audit_files(files, due.policy);
      for (std::size_t i = 0; i < told.size(); ++i) {
        const XyRequirement& asked = due.policy.xy[i];
        const XyFinding& finding = found.findings[i];
        const double reached = asked.kind == XyRequirement::Kind::anonymity
                                   ? static_cast<double>(finding.anonymity)
                                   : finding.linkability;
        ++requirements;
        if (!finding.holds) {
          broken(fmt::format("{}: with all before it, {}", title_of(record),
                             words_of(asked, finding)));
        } else if (reached != told[i].reached) {
          broken(fmt::format("{}: {} reaches {}; its manifest says {}", title_of(record),
                             name_of(asked), reached, told[i].reached));
        }
      }
    }
    settle(before, fmt::format("every release, joined with all before it, meets what was asked of "
                               "it ({} requirements)",
                               requirements));
  }

  // The attacker who knows rules, and everybody's exact quasi-identifiers.
  void check_knowledge() {
    if (!files_whole_ || !ledger_.policy().matching || ledger_.strategy() == Strategy::static_full)
      return;
    const std::size_t before = result_.broken.size();
    KeptKnowledge knowledge(ledger_);
    for (const std::string& found : knowledge.check(session_)) broken(found);
    const KeptKnowledge::Totals totals = knowledge.totals();
    settle(before,
           fmt::format("who knows all rules ({}) leaves everybody the valid values that were "
                       "promised{}",
                       totals.rules,
                       totals.exposed == 0
                           ? std::string()
                           : fmt::format(", but for {} records whose exposure was accepted",
                                         totals.exposed)));
  }

  // Where classes never change, following every record through thousands of releases would only
  // find it in the class in which it began.
  bool is_too_long_to_follow() const {
    if (ledger_.strategy() != Strategy::append && ledger_.strategy() != Strategy::static_batch)
      return false;
    std::int64_t records = 0;
    for (const ReleaseRecord& record : releases_) records += record.segment_rows;
    return records * static_cast<std::int64_t>(releases_.size()) > kMostFollowed;
  }

  // The attackers, on each guarded column.
  void attack() {
    if (!files_whole_ || ledger_.strategy() == Strategy::static_full) return;
    if (is_too_long_to_follow()) {
      // That was counted: each class is in one segment, holds, and never ended.
      if (result_.broken.empty())
        holds("no class ever changed, so that releases together tell no more than the last one");
      return;
    }
    const std::size_t before = result_.broken.size();
    const std::vector<GuardedColumn> guarded = guarded_columns(ledger_);
    std::set<std::size_t> exposed;
    bool tried = true;
    for (std::size_t i = 0; i < guarded.size(); ++i) {
      const History history = follow_records(publication_, i, session_).value();
      check_history(history);
      for (const Channel& channel : find_channels(history, guarded[i].l)) {
        broken(fmt::format("releases {} and {} open a channel for column '{}'", channel.earlier + 1,
                           channel.later + 1, guarded[i].name));
      }
      tried = tried && history.records() * history.releases() <= kMostAttacked;
      if (!tried) continue;
      const auto possible = bounded_values(history);
      for (std::size_t record = 0; record < possible.size(); ++record) {
        if (!possible[record].empty() && possible[record].size() < guarded[i].l)
          exposed.insert(record);
      }
    }
    settle(before, "no two releases open an inference channel");
    if (!tried) return;
    result_.exposed = exposed.size();
    if (ledger_.strategy() == Strategy::dynamic) return;  // which does not promise it
    if (exposed.empty()) {
      holds("all releases together leave everybody at least l possible values");
    } else {
      broken(fmt::format("all releases together leave {} records fewer than l possible values",
                         exposed.size()));
    }
  }

  // The history must tell of the classes that the segments hold.
  void check_history(const History& history) {
    for (std::size_t i = 0; i < history.releases(); ++i) {
      std::map<ClassId, std::int64_t> records;
      for (const std::uint32_t number : history.class_of[i]) {
        if (number != History::kAbsent) ++records[number];
      }
      for (const auto& [number, count] : records) {
        const auto found = records_of_.find(number);
        if (files_whole_ && (found == records_of_.end() || found->second != count)) {
          broken(fmt::format("release {}: class {} is not what was published", i + 1, number));
          return;
        }
      }
    }
  }

  // The last release can be made again, byte for byte; of a sequential publication, each one: none
  // has anything of another.
  void check_output() {
    if (!files_whole_ || releases_.empty() || !result_.broken.empty()) return;
    if (!is_sequential()) return check_again(releases_.back());
    for (const ReleaseRecord& record : releases_) check_again(record);
  }

  void check_again(const ReleaseRecord& last) {
    std::error_code error;
    fs::path folder = fs::temp_directory_path(error);
    if (error) folder = ledger_.folder();
    const std::string path = (folder / fmt::format("throng-verify-{}-{}{}", ::getpid(), last.number,
                                                   fs::path(last.output).extension().string()))
                                 .string();
    const auto file = io::prepare_columns(
        rows_of_release(ledger_, last.number, last.delta, session_), path, session_);
    if (sha256_of_file(file->temporary()) != last.output_sha256) {
      broken(fmt::format("{} cannot be made again as it was", title_of(last)));
    } else {
      holds(fmt::format("{} can be made again, byte for byte", title_of(last)));
    }
  }

  Publication& publication_;
  Ledger& ledger_;
  Database& database_;
  const std::vector<ReleaseRecord> releases_;
  io::Session& session_;
  Verification result_;
  bool files_whole_ = false;
  std::map<ClassId, std::int64_t> records_of_;
};

}  // namespace

Verification verify(Publication& publication, io::Session& session) {
  return Verifier(publication, session).run();
}

}  // namespace throng
