#include "publication/segments.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <unordered_set>

#include "io/reader.h"
#include "publication/packing.h"
#include "table/random.h"
#include "table/sorted_keys.h"
#include "throng/error.h"

namespace throng {
namespace {

ClassId class_named(const std::string& text) {
  ClassId number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// Rows in an order that depends on what they say and on the seed, and on nothing else.
std::vector<io::LabelColumn> arrange(std::vector<RawColumn> raw, std::size_t rows,
                                     std::uint64_t seed) {
  std::vector<Column> columns;
  columns.reserve(raw.size());
  for (RawColumn& column : raw) columns.push_back(encode(std::move(column), {}, {.values = {}}));
  std::vector<KeyColumn> keys;
  keys.reserve(columns.size());
  for (const Column& column : columns) keys.push_back({&column.codes, {}, column.values.size()});
  const SortedKeys sorted(keys, rows);
  std::vector<std::uint32_t> order;
  order.reserve(rows);
  for (std::uint32_t i = 0; i < sorted.size(); ++i) {
    order.insert(order.end(), sorted.counts()[i], i);
  }
  shuffle(order, seed);
  std::vector<io::LabelColumn> result;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::vector<Code> combination = sorted.column(i);
    io::LabelColumn& column = result.emplace_back();
    column.name = columns[i].name;
    column.labels = std::move(columns[i].values.labels);
    column.codes = Codes(rows, column.labels.size());
    column.codes.visit([&](auto& target) {
      using Narrow = typename std::decay_t<decltype(target)>::value_type;
      for (std::size_t row = 0; row < rows; ++row) {
        target[row] = static_cast<Narrow>(combination[order[row]]);
      }
    });
  }
  return result;
}

// The segments that release `number` is made of: those with a class that has not ended by then.
std::vector<std::int64_t> segments_of(Ledger& ledger, std::int64_t number, bool delta) {
  std::vector<std::int64_t> result;
  Statement query = ledger.database().prepare(
      "SELECT number FROM release WHERE number BETWEEN ? AND ? AND segment_rows > 0 AND "
      "new_classes "
      "> (SELECT count(*) FROM ended WHERE class BETWEEN first_class AND first_class + new_classes "
      "- 1 AND ended.release <= ?) ORDER BY number");
  query.bind(1, delta ? number : std::int64_t{1}).bind(2, number).bind(3, number);
  while (query.step()) result.push_back(query.integer(0));
  return result;
}

std::unordered_set<ClassId> ended_by(Ledger& ledger, std::int64_t number) {
  std::unordered_set<ClassId> ended;
  Statement query = ledger.database().prepare("SELECT class FROM ended WHERE release <= ?");
  query.bind(1, number);
  while (query.step()) ended.insert(static_cast<ClassId>(query.integer(0)));
  return ended;
}

void keep_rows(SegmentRows& rows, const std::unordered_set<ClassId>& ended) {
  std::vector<std::uint32_t> kept;
  for (std::uint32_t row = 0; row < rows.rows(); ++row) {
    if (!ended.contains(rows.class_of[row])) kept.push_back(row);
  }
  if (kept.size() == rows.rows()) return;
  for (RawColumn& column : rows.columns) {
    // Texts that only ended classes had must not go on.
    std::vector<Code> place(column.texts.size(), ~Code{0});
    std::vector<std::string> texts;
    std::vector<Code> codes;
    codes.reserve(kept.size());
    for (const std::uint32_t row : kept) {
      Code& code = place[column.codes[row]];
      if (code == ~Code{0}) {
        code = static_cast<Code>(texts.size());
        texts.push_back(column.texts[column.codes[row]]);
      }
      codes.push_back(code);
    }
    column.texts = std::move(texts);
    column.codes = Codes(codes, column.texts.size());
  }
  std::vector<ClassId> classes;
  classes.reserve(kept.size());
  for (const std::uint32_t row : kept) classes.push_back(rows.class_of[row]);
  rows.class_of = std::move(classes);
}

// The columns of segments.
std::vector<std::string> names_in(Ledger& ledger, const std::vector<std::int64_t>& numbers) {
  if (ledger.strategy() != Strategy::sequential) return released_names(ledger);
  std::vector<std::string> names;
  Statement query = ledger.database().prepare("SELECT columns FROM projection WHERE release = ?");
  query.bind(1, numbers.empty() ? std::int64_t{0} : numbers.front());
  while (query.step()) names = unpack_names(ledger, query.blob(0));
  if (names.empty() || numbers.size() != 1) ledger.fail_damaged("a release has no columns");
  return names;
}

}  // namespace

std::string write_segment(const Release& added, ClassId first_class, const std::string& path,
                          io::Session& session) {
  std::vector<io::LabelColumn> columns = io::columns_of(added);
  io::LabelColumn classes;
  for (std::size_t i = 0; i < added.classes; ++i) {
    classes.labels.push_back(std::to_string(first_class + i));
  }
  classes.codes = Codes(added.class_of_row, added.classes);
  columns.insert(columns.begin(), std::move(classes));
  // Numbered: names may differ by case alone, which Parquet does not tell apart.
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i].name = fmt::format("c{}", i);
  const auto file = io::prepare_columns(columns, path, session);
  std::filesystem::permissions(
      file->temporary(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  file->sync();
  std::string hash = sha256_of_file(file->temporary());
  file->finish_durably();
  return hash;
}

SegmentRows read_segments(Ledger& ledger, const std::vector<std::int64_t>& numbers,
                          io::Session& session) {
  const std::vector<std::string> names = names_in(ledger, numbers);
  std::vector<std::string> paths;
  Statement query =
      ledger.database().prepare("SELECT segment_sha256 FROM release WHERE number = ?");
  for (const std::int64_t number : numbers) {
    paths.push_back(ledger.segment_path(number));
    query.bind(1, number);
    query.step();
    const std::string expected(query.text(0));
    query.step();
    if (std::error_code error; !std::filesystem::exists(paths.back(), error)) {
      throw InputError(fmt::format("{} is missing; restore it from a backup", paths.back()));
    }
    if (sha256_of_file(paths.back()) != expected) {
      throw InputError(fmt::format(
          "{} is damaged: its checksum is not the one in the ledger; restore it from a backup",
          paths.back()));
    }
  }
  SegmentRows rows;
  if (paths.empty()) {
    for (const std::string& name : names) rows.columns.push_back({name, {}, Codes(0, 1)});
    return rows;
  }
  io::RawTable table = io::read_parquets(paths, names.size() + 1, session);
  const RawColumn& classes = table.columns[0];
  std::vector<ClassId> number_of;
  for (const std::string& text : classes.texts) number_of.push_back(class_named(text));
  rows.class_of.resize(table.rows);
  for (std::size_t row = 0; row < table.rows; ++row) {
    rows.class_of[row] = number_of[classes.codes[row]];
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    rows.columns.push_back(std::move(table.columns[i + 1]));
    rows.columns.back().name = names[i];
  }
  return rows;
}

std::vector<io::LabelColumn> rows_of_release(Ledger& ledger, std::int64_t number, bool delta,
                                             io::Session& session) {
  const bool own = delta || ledger.strategy() == Strategy::sequential;
  SegmentRows rows = read_segments(ledger, segments_of(ledger, number, own), session);
  if (!own) keep_rows(rows, ended_by(ledger, number));
  Statement query = ledger.database().prepare("SELECT seed FROM release WHERE number = ?");
  query.bind(1, number);
  query.step();
  Random seed(static_cast<std::uint64_t>(query.integer(0)) + static_cast<std::uint64_t>(number));
  query.step();
  return arrange(std::move(rows.columns), rows.rows(), seed());
}

std::vector<RawRecords> held_records(Ledger& ledger) {
  const std::vector<std::string> names = released_names(ledger);
  std::vector<RawRecords> records;
  Statement query = ledger.database().prepare("SELECT batch, sealed FROM raw ORDER BY batch");
  while (query.step()) {
    const std::int64_t batch = query.integer(0);
    records.push_back(unpack(ledger.vault().open(query.blob(1), raw_context(batch)), names,
                             static_cast<std::uint32_t>(batch)));
  }
  return records;
}

std::vector<std::string> released_names(const Ledger& ledger) {
  return unpack_names(ledger, ledger.meta("columns"));
}

std::vector<std::string> unpack_names(const Ledger& ledger, std::string_view packed) {
  std::vector<std::string> names;
  try {
    Unpacker unpacker(packed);
    while (!unpacker.at_end()) {
      names.emplace_back(unpacker.text());
      if (ledger.policy().find(names.back()) == nullptr) ledger.fail_damaged("a column is unknown");
    }
  } catch (const std::logic_error&) {
    ledger.fail_damaged("its columns cannot be read");
  }
  return names;
}

std::string pack_names(const std::vector<std::string>& names) {
  Packer packer;
  for (const std::string& name : names) packer.text(name);
  return std::move(packer).take();
}

}  // namespace throng
