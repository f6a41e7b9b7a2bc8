#include "release/foreign.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <exception>
#include <numeric>
#include <unordered_map>

#include "release/foreign_column.h"
#include "table/sorted_keys.h"
#include "throng/error.h"

namespace throng {
namespace {

using namespace foreign;

// Takes the texts of a column that only one file has; else leaves them.
Texts gather(std::vector<ForeignFile>& files, const ColumnPolicy& rule, const Policy& policy) {
  Texts column;
  column.rule = &rule;
  column.missing = missing_rule(policy, rule);
  column.id_of.resize(files.size());
  std::vector<RawColumn*> parts(files.size(), nullptr);
  for (std::size_t file = 0; file < files.size(); ++file) {
    for (RawColumn& raw : files[file].columns) {
      if (raw.name == rule.name) parts[file] = &raw;
    }
  }
  const bool alone = std::count(parts.begin(), parts.end(), nullptr) + 1 ==
                     static_cast<std::ptrdiff_t>(parts.size());
  std::unordered_map<std::string_view, Code> known;
  for (std::size_t file = 0; file < files.size(); ++file) {
    if (parts[file] == nullptr) continue;
    column.last_file = file;
    std::vector<std::string>& texts = parts[file]->texts;
    std::vector<Code>& ids = column.id_of[file];
    ids.resize(texts.size());
    if (alone) {
      std::iota(ids.begin(), ids.end(), 0);
      column.file_of.assign(texts.size(), file);
      column.texts = std::move(texts);
      break;
    }
    for (std::size_t code = 0; code < texts.size(); ++code) {
      const auto place = known.try_emplace(texts[code], static_cast<Code>(column.size()));
      ids[code] = place.first->second;
      if (!place.second) continue;
      column.texts.push_back(texts[code]);
      column.file_of.push_back(file);
    }
  }
  return column;
}

// A column that is released as it is: the one dictionary, and the code of each text.
struct SharedPlain {
  Dictionary values;
  std::vector<Code> code_of;
};

// Text is sorted here, by its first bytes where they decide: there may be as many values as rows.
SharedPlain read_plain_text(Texts& column) {
  struct Place {
    std::uint64_t begin = 0;
    Code id = 0;
  };
  SharedPlain shared;
  shared.code_of.resize(column.size());
  std::vector<Place> places;
  std::vector<Code> missing;
  for (Code id = 0; id < column.size(); ++id) {
    const std::string& text = column.texts[id];
    if (contains(column.missing.values, text)) {
      if (column.missing.as == MissingRule::As::error) refuse(column, id, "a value");
      missing.push_back(id);
      continue;
    }
    Place& place = places.emplace_back(Place{0, id});
    for (std::size_t i = 0; i < sizeof place.begin; ++i) {
      const auto byte = i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
      place.begin = place.begin << 8U | byte;
    }
  }
  tbb::parallel_sort(places.begin(), places.end(), [&](const Place& a, const Place& b) {
    return a.begin != b.begin ? a.begin < b.begin : column.texts[a.id] < column.texts[b.id];
  });
  for (const Place& place : places) {
    shared.code_of[place.id] = static_cast<Code>(shared.values.size());
    shared.values.labels.push_back(std::move(column.texts[place.id]));
  }
  for (const Code id : missing) shared.code_of[id] = static_cast<Code>(shared.values.size());
  if (!missing.empty()) add_missing(shared.values, column.missing);
  return shared;
}

SharedPlain read_plain(const Texts& column) {
  std::vector<Code> own(column.size());
  std::iota(own.begin(), own.end(), 0);
  RawColumn raw{column.name(), column.texts, Codes(own, own.size())};
  try {
    Column encoded = encode(std::move(raw), column.rule->type, column.missing);
    SharedPlain shared{std::move(encoded.values), std::vector<Code>(column.size())};
    for (std::size_t i = 0; i < column.size(); ++i) shared.code_of[i] = encoded.codes[i];
    return shared;
  } catch (const BadValue& bad) {
    const auto at = std::find(column.texts.begin(), column.texts.end(), bad.text);
    refuse(column, static_cast<std::size_t>(at - column.texts.begin()), bad.expected);
  }
}

// What one column means in all files.
struct Meaning {
  const ColumnPolicy* rule = nullptr;
  std::vector<std::vector<Code>> id_of;  // as in Texts
  std::size_t last_file = 0;
  Shared quasi;
  SharedPlain plain;
};

Meaning read_column(std::vector<ForeignFile>& files, const ColumnPolicy& rule, const Policy& policy,
                    EmptyCell empty) {
  Texts column = gather(files, rule, policy);
  Meaning meaning;
  meaning.rule = &rule;
  if (rule.role != Role::quasi_identifier) {
    meaning.plain = rule.type.type == Type::text ? read_plain_text(column) : read_plain(column);
  } else if (rule.type.type == Type::text) {
    meaning.quasi = read_words(column, empty);
  } else {
    meaning.quasi = read_numbers(column, empty);
  }
  meaning.id_of = std::move(column.id_of);
  meaning.last_file = column.last_file;
  return meaning;
}

Codes recode(const Codes& from, const std::vector<Code>& to, std::size_t domain) {
  Codes result(from.size(), domain);
  from.visit([&](const auto& source) {
    result.visit([&](auto& target) {
      using Narrow = typename std::decay_t<decltype(target)>::value_type;
      for (std::size_t row = 0; row < source.size(); ++row)
        target[row] = static_cast<Narrow>(to[source[row]]);
    });
  });
  return result;
}

Release make_foreign(const ForeignFile& file, std::size_t number,
                     const std::vector<Meaning*>& meanings) {
  Release release;
  std::vector<KeyColumn> keys;
  for (std::size_t i = 0; i < file.columns.size(); ++i) {
    const RawColumn& raw = file.columns[i];
    Meaning& meaning = *meanings[i];
    const bool last = number == meaning.last_file;  // nobody asks for it again
    const std::vector<Code>& ids = meaning.id_of[number];
    std::vector<Code> codes(ids.size());
    if (meaning.rule->role == Role::quasi_identifier) {
      RegionPool pool;
      for (std::size_t code = 0; code < ids.size(); ++code)
        codes[code] = pool.add(meaning.quasi.regions[ids[code]]);
      release.layout.push_back({true, release.quasi.size()});
      release.quasi.push_back({last ? std::move(meaning.quasi.domain) : meaning.quasi.domain,
                               std::move(pool).take(),
                               {}});
      keys.push_back({&raw.codes, std::move(codes), release.quasi.back().regions.size()});
    } else {
      for (std::size_t code = 0; code < ids.size(); ++code)
        codes[code] = meaning.plain.code_of[ids[code]];
      release.layout.push_back({false, release.plain.size()});
      Codes by_row = recode(raw.codes, codes, meaning.plain.values.size());
      release.plain.push_back({raw.name, meaning.rule->role,
                               last ? std::move(meaning.plain.values) : meaning.plain.values,
                               std::move(by_row)});
    }
  }
  if (file.rows == 0) return release;
  if (keys.empty()) {  // nothing tells the records apart: one class
    release.class_of_row.assign(file.rows, 0);
    release.classes = 1;
    return release;
  }
  const SortedKeys classes(keys, file.rows, std::vector<std::uint32_t>(file.rows, 1));
  release.classes = classes.size();
  release.class_of_row = classes.combination_of();
  for (std::size_t i = 0; i < release.quasi.size(); ++i)
    release.quasi[i].of_class = classes.column(i);
  return release;
}

}  // namespace

std::vector<Release> read_foreign(std::vector<ForeignFile> files, const Policy& policy,
                                  EmptyCell empty) {
  std::vector<const ColumnPolicy*> used;
  for (const ForeignFile& file : files) {
    for (const RawColumn& raw : file.columns) {
      const ColumnPolicy* rule = policy.find(raw.name);
      if (rule == nullptr || rule->role == Role::identifier) {
        throw InputError(fmt::format("{}: column '{}' is none that the policy {} releases",
                                     file.source, raw.name, policy.source));
      }
      if (std::find(used.begin(), used.end(), rule) == used.end()) used.push_back(rule);
    }
  }
  // Of several faults the first column's is told, whichever thread finds one first.
  std::vector<Meaning> meanings(used.size());
  std::vector<std::exception_ptr> faults(used.size());
  tbb::parallel_for(std::size_t{0}, used.size(), [&](std::size_t i) {
    try {
      meanings[i] = read_column(files, *used[i], policy, empty);
    } catch (...) {
      faults[i] = std::current_exception();
    }
  });
  for (const std::exception_ptr& fault : faults) {
    if (fault) std::rethrow_exception(fault);
  }
  std::vector<Release> releases;
  for (std::size_t number = 0; number < files.size(); ++number) {
    std::vector<Meaning*> of_column;
    for (const RawColumn& raw : files[number].columns) {
      const auto at = std::find(used.begin(), used.end(), policy.find(raw.name)) - used.begin();
      of_column.push_back(&meanings[static_cast<std::size_t>(at)]);
    }
    releases.push_back(make_foreign(files[number], number, of_column));
    files[number].columns.clear();  // read: its memory is the next one's
  }
  return releases;
}

}  // namespace throng
