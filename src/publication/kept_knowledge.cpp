#include "publication/kept_knowledge.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "audit/check_matching.h"
#include "hierarchy/file.h"
#include "knowledge/gather.h"
#include "publication/dynamic.h"
#include "publication/segments.h"
#include "throng/error.h"

namespace throng {

const char* const kClassColumn = "throng:class";

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kNoClass = "-";  // of those who are not published

std::string rules_context(std::int64_t release) {
  return "the rules of release " + std::to_string(release);
}
std::string people_context(std::int64_t release) {
  return "the people of release " + std::to_string(release);
}

bool counts(const Policy& policy, const std::string& name) {
  return policy.find(name)->role == Role::quasi_identifier || name == policy.matching->column;
}

// All files of rules as one.
std::string joined_rules(const std::vector<std::string>& files) {
  Json all = Json::array();
  for (const std::string& file : files) {
    for (const Json& rule : Json::parse(file)) all.push_back(rule);
  }
  return all.dump();
}

// Records of one form, one after another, as a frequency list of what can be in a rule, and of the
// class as one more column.
FrequencyList list_of(const std::vector<RawRecords>& parts, const Policy& policy,
                      const std::vector<std::string>& names) {
  Policy narrow = policy;
  narrow.diversities.clear();
  narrow.columns.push_back({kClassColumn, Role::insensitive, {}, {}});
  Table table;
  for (const RawRecords& part : parts) table.rows += part.rows;
  std::vector<std::string> columns;
  for (const std::string& name : names) {
    if (counts(policy, name)) columns.push_back(name);
  }
  columns.emplace_back(kClassColumn);
  for (const std::string& name : columns) {
    RawColumn raw;
    raw.name = name;
    std::vector<Code> codes;
    codes.reserve(table.rows);
    for (const RawRecords& part : parts) {
      const auto from = std::find_if(part.columns.begin(), part.columns.end(),
                                     [&](const RawColumn& column) { return column.name == name; });
      const auto first = static_cast<Code>(raw.texts.size());
      if (from == part.columns.end()) {  // the class of records that have none
        raw.texts.emplace_back(kNoClass);
        codes.insert(codes.end(), part.rows, first);
        continue;
      }
      raw.texts.insert(raw.texts.end(), from->texts.begin(), from->texts.end());
      for (std::size_t row = 0; row < part.rows; ++row) codes.push_back(first + from->codes[row]);
    }
    raw.codes = Codes(codes, raw.texts.size());
    const ColumnPolicy& rule = *narrow.find(name);
    table.columns.push_back(encode(std::move(raw), rule.type, missing_rule(narrow, rule)));
  }
  return make_frequency_list(table, narrow);
}

ClassId class_named(const std::string& text) {
  ClassId number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// The people of a list, by class and what the rules say of them; those of no class are in none.
struct InClasses {
  KnownRecords known;                   // by combination of an entry and a class
  std::vector<std::uint32_t> entry_of;  // by combination
  std::vector<ClassId> classes;         // by number in known.class_of
};
InClasses in_classes(const FrequencyList& list, const std::vector<NegativeRule>& rules) {
  const KnownRecords by_entry = known_records(list, 0, rules);
  InClasses result;
  result.known.column = by_entry.column;
  result.known.rules = by_entry.rules;
  result.known.impossible.sets = by_entry.impossible.sets;
  const FrequencyList::Plain& column =
      *std::find_if(list.plain.begin(), list.plain.end(),
                    [](const FrequencyList::Plain& plain) { return plain.name == kClassColumn; });
  std::vector<std::uint32_t> number_of;  // by label
  for (const std::string& label : column.values.labels) {
    number_of.push_back(label == kNoClass ? kSuppressed
                                          : static_cast<std::uint32_t>(result.classes.size()));
    if (label != kNoClass) result.classes.push_back(class_named(label));
  }
  for (std::size_t i = 0; i < list.entry_of.size(); ++i) {
    const std::uint32_t entry = list.entry_of[i];
    result.entry_of.push_back(entry);
    result.known.values.push_back(by_entry.values[entry]);
    result.known.weights.push_back(list.plain_weights[i]);
    result.known.impossible.set_of.push_back(by_entry.impossible.set_of[entry]);
    result.known.class_of.push_back(number_of[column.codes[i]]);
  }
  return result;
}

}  // namespace

struct KeptKnowledge::Published {
  std::vector<RawRecords> parts;
  // Of whom rules are mined, where somebody may be in several classes; else `parts`.
  std::vector<RawRecords> once;
  std::vector<std::pair<ClassId, std::size_t>> promised;  // l from this class on, ascending

  std::size_t l_of(ClassId number) const {
    std::size_t l = 0;
    for (const auto& [first, promise] : promised) {
      if (first <= number) l = promise;
    }
    return l;
  }
};

void KeptKnowledge::create(Database& database) {
  database.execute(
      "CREATE TABLE known_rules (release INTEGER PRIMARY KEY, rules INTEGER NOT NULL,"
      "  exposed INTEGER NOT NULL, exposed_classes INTEGER NOT NULL, sealed BLOB NOT NULL);"
      "CREATE TABLE people (release INTEGER PRIMARY KEY, records INTEGER NOT NULL,"
      "  l INTEGER NOT NULL, sealed BLOB NOT NULL);");
}

void KeptKnowledge::check_rules(const Policy& policy) {
  const std::string& path = *policy.knowledge->rules;
  const std::string text = read_file(path, "rules");
  parse_rules(text, path, {}, {}, /*lenient=*/true);
  std::vector<std::string> names;
  for (const ColumnPolicy& column : policy.columns) {
    if (column.role == Role::quasi_identifier) names.push_back(column.name);
  }
  std::size_t number = 0;
  for (const Json& rule : Json::parse(text)) {
    ++number;
    if (!rule.at("if").is_object()) continue;
    for (const auto& item : rule.at("if").items()) {
      if (std::find(names.begin(), names.end(), item.key()) != names.end()) continue;
      throw InputError(
          fmt::format("{}: rule {}, \"if\", \"{}\": no quasi-identifier; expected one of {}", path,
                      number, item.key(), fmt::join(names, ", ")));
    }
  }
}

std::vector<std::string> KeptKnowledge::kept_rules() {
  std::vector<std::string> files;
  Statement query = database_.prepare("SELECT release, sealed FROM known_rules ORDER BY release");
  while (query.step())
    files.push_back(ledger_.vault().open(query.blob(1), rules_context(query.integer(0))));
  return files;
}

KeptKnowledge::Published KeptKnowledge::published(const std::vector<std::string>& names) {
  std::vector<std::string> columns;
  for (const std::string& name : names) {
    if (counts(ledger_.policy(), name)) columns.push_back(name);
  }
  columns.emplace_back(kClassColumn);
  Published result;
  if (ledger_.strategy() == Strategy::dynamic) {
    // Its families know who is, and was, in which class.
    Dynamic::People people = Dynamic(database_, ledger_.vault(), ledger_.policy()).people();
    if (people.in_classes.rows > 0) result.parts.push_back(std::move(people.in_classes));
    if (people.records.rows > 0) result.once.push_back(std::move(people.records));
    Statement query = database_.prepare("SELECT first_class, policy FROM release ORDER BY number");
    while (query.step()) {
      result.promised.emplace_back(query.integer(0),
                                   ledger_.policy_numbered(query.integer(1)).matching->l);
    }
    return result;
  }
  Statement query = database_.prepare(
      "SELECT people.release, people.sealed, people.l, release.first_class FROM people JOIN "
      "release ON release.number = people.release ORDER BY people.release");
  while (query.step()) {
    const std::int64_t release = query.integer(0);
    result.parts.push_back(unpack(ledger_.vault().open(query.blob(1), people_context(release)),
                                  columns, static_cast<std::uint32_t>(release)));
    const auto first = static_cast<ClassId>(query.integer(3));
    // Classes are kept by their number in the release.
    for (std::string& text : result.parts.back().columns.back().texts)
      text = std::to_string(first + class_named(text));
    result.promised.emplace_back(first, static_cast<std::size_t>(query.integer(2)));
  }
  return result;
}

KeptKnowledge::Found KeptKnowledge::find(const std::vector<RawRecords>& pool,
                                         const std::vector<std::string>& names) {
  const Policy& policy = ledger_.policy();
  const StoredPolicy& stored = ledger_.policies().back();
  Published before;
  if (ledger_.strategy() != Strategy::static_full) before = published(names);
  std::vector<RawRecords> parts = before.parts;
  parts.insert(parts.end(), before.once.begin(), before.once.end());
  parts.insert(parts.end(), pool.begin(), pool.end());
  const FrequencyList list = list_of(parts, policy, names);
  const Dictionary& values = values_of(list, 0);

  std::vector<std::string> files = kept_rules();
  const std::vector<NegativeRule> kept =
      parse_rules(joined_rules(files), ledger_.folder(), list.domains, values, /*lenient=*/true);
  std::vector<NegativeRule> fresh;
  Json fresh_rules = Json::array();
  if (!stored.rules.empty()) {
    const std::string source = policy.knowledge->rules.value_or(ledger_.folder());
    refuse_contradiction(
        list, 0, parse_rules(stored.rules, source, list.domains, values, /*lenient=*/true), source);
    // Kept as they were stated: what a region leaves out may yet come.
    for (Json& rule : Json::parse(stored.rules)) {
      rule["source"] = "stated";
      const std::vector<NegativeRule> one =
          parse_rules(Json::array({rule}).dump(), source, list.domains, values, /*lenient=*/true);
      if (combine_rules(kept, one, list.domains).size() == kept.size()) continue;
      fresh.push_back(one[0]);
      fresh_rules.push_back(rule);
    }
  }
  if (policy.knowledge && policy.knowledge->mine) {
    std::vector<NegativeRule> before_mined = kept;
    before_mined.insert(before_mined.end(), fresh.begin(), fresh.end());
    // From everyone once. The values are the same, and so are the domains.
    std::optional<FrequencyList> once;
    if (!before.once.empty()) {
      std::vector<RawRecords> people = std::move(before.once);
      people.insert(people.end(), pool.begin(), pool.end());
      once = list_of(people, policy, names);
    }
    const std::vector<NegativeRule> with_mined = combine_rules(
        before_mined, mine_rules(once ? *once : list, 0, *policy.knowledge->mine).rules,
        list.domains);
    const std::vector<NegativeRule> mined(
        with_mined.begin() + static_cast<std::ptrdiff_t>(before_mined.size()), with_mined.end());
    for (const Json& rule : Json::parse(write_rules(mined, list.domains)))
      fresh_rules.push_back(rule);
    fresh.insert(fresh.end(), mined.begin(), mined.end());
  }
  std::vector<NegativeRule> all = kept;
  all.insert(all.end(), fresh.begin(), fresh.end());
  Found found;
  found.rule_count = all.size();
  found.fresh_count = fresh.size();
  found.stated =
      static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](const NegativeRule& rule) {
        return rule.source == NegativeRule::Source::stated;
      }));
  found.fresh = fresh_rules.dump();
  files.push_back(found.fresh);
  found.rules = joined_rules(files);

  // Who was published before.
  const InClasses now = in_classes(list, all);
  const std::vector<std::uint32_t> valid = valid_values(now.known);
  for (std::size_t i = 0; i < valid.size(); ++i) {
    if (now.known.class_of[i] == kSuppressed) continue;
    found.valid = found.valid ? std::min<std::size_t>(*found.valid, valid[i]) : valid[i];
  }
  if (fresh.empty() || !found.valid) return found;
  const std::vector<std::uint32_t> earlier = valid_values(in_classes(list, kept).known);
  std::vector<std::size_t> promised;
  for (const ClassId number : now.classes) promised.push_back(before.l_of(number));
  std::set<std::uint32_t> exposed;
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const std::uint32_t number = now.known.class_of[i];
    if (number == kSuppressed || valid[i] >= promised[number] || earlier[i] < promised[number])
      continue;
    found.exposed += now.known.weights[i];
    exposed.insert(number);
  }
  found.exposed_classes = exposed.size();
  if (exposed.empty()) return found;
  // The fresh rules by which someone in such a class cannot have a value of it.
  std::map<std::uint32_t, std::set<Code>> values_in;
  for (std::size_t i = 0; i < valid.size(); ++i) {
    if (exposed.contains(now.known.class_of[i]))
      values_in[now.known.class_of[i]].insert(now.known.values[i]);
  }
  std::set<std::size_t> speaking;
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const std::uint32_t number = now.known.class_of[i];
    if (!exposed.contains(number)) continue;
    for (const std::size_t rule : rules_of(list, now.entry_of[i], fresh)) {
      if (values_in[number].contains(*fresh[rule].code)) speaking.insert(rule);
    }
  }
  for (const std::size_t rule : speaking)
    found.exposing.push_back(words_of(fresh[rule], list.domains));
  return found;
}

void KeptKnowledge::keep_rules(std::int64_t release, const Found& found) {
  if (found.fresh_count == 0) return;
  database_.prepare("INSERT INTO known_rules VALUES (?, ?, ?, ?, ?)")
      .bind(1, release)
      .bind(2, found.fresh_count)
      .bind(3, found.exposed)
      .bind(4, found.exposed_classes)
      .bind_blob(5, ledger_.vault().seal(found.fresh, rules_context(release)))
      .run();
}

void KeptKnowledge::keep_people(std::int64_t release, const RawRecords& people) {
  database_.prepare("INSERT INTO people VALUES (?, ?, ?, ?)")
      .bind(1, release)
      .bind(2, people.rows)
      .bind(3, ledger_.policy().matching->l)
      .bind_blob(4, ledger_.vault().seal(pack(people), people_context(release)))
      .run();
}

KeptKnowledge::Totals KeptKnowledge::totals() {
  return {database_.number("SELECT coalesce(sum(rules), 0) FROM known_rules"),
          database_.number("SELECT coalesce(sum(exposed), 0) FROM known_rules"),
          database_.number("SELECT coalesce(sum(records), 0) FROM people")};
}

std::string KeptKnowledge::rules() { return joined_rules(kept_rules()); }

std::vector<RawRecords> KeptKnowledge::people() { return published(released_names(ledger_)).parts; }

KnownRecords KeptKnowledge::known_in(ClassId first_class, const std::vector<std::string>& values,
                                     const std::string& rules) {
  const std::vector<std::string> names = released_names(ledger_);
  const FrequencyList list = list_of(published(names).parts, ledger_.policy(), names);
  const Dictionary& dictionary = values_of(list, 0);
  InClasses now =
      in_classes(list, parse_rules(rules, ledger_.folder(), list.domains, dictionary, true));
  KnownRecords known = std::move(now.known);
  std::map<std::string, Code> code_of;
  for (Code code = 0; code < values.size(); ++code) code_of[values[code]] = code;
  const auto published_code = [&](Code value) -> std::optional<Code> {
    const auto found = code_of.find(dictionary.labels[value]);
    return found == code_of.end() ? std::nullopt : std::optional(found->second);
  };
  for (std::size_t i = 0; i < known.class_of.size(); ++i) {
    const ClassId id = now.classes[known.class_of[i]];
    const std::optional<Code> value = published_code(known.values[i]);
    known.values[i] = value.value_or(0);
    known.class_of[i] =
        id < first_class ? kSuppressed : static_cast<std::uint32_t>(id - first_class);
    if (!value && known.class_of[i] != kSuppressed)
      throw std::logic_error("a class does not publish the value of someone in it");
  }
  for (std::vector<Code>& set : known.impossible.sets) {
    std::vector<Code> codes;
    for (const Code value : set) {
      if (const std::optional<Code> code = published_code(value)) codes.push_back(*code);
    }
    std::sort(codes.begin(), codes.end());
    set = std::move(codes);
  }
  return known;
}

std::vector<std::string> KeptKnowledge::check(io::Session& session) {
  std::vector<std::string> broken;
  if (ledger_.strategy() == Strategy::static_full) return broken;
  std::vector<std::int64_t> numbers;
  {
    Statement query = database_.prepare("SELECT number FROM release WHERE segment_rows > 0");
    while (query.step()) numbers.push_back(query.integer(0));
  }
  if (numbers.empty()) return broken;
  const std::vector<std::string> names = released_names(ledger_);
  const SegmentRows rows = read_segments(ledger_, numbers, session);
  const RawColumn& values = *std::find_if(
      rows.columns.begin(), rows.columns.end(),
      [&](const RawColumn& column) { return column.name == ledger_.policy().matching->column; });
  const Published before = published(names);
  if (before.parts.empty()) {
    broken.emplace_back("nobody is known to be in the published classes");
    return broken;
  }
  const FrequencyList list = list_of(before.parts, ledger_.policy(), names);
  const Dictionary& dictionary = values_of(list, 0);
  const std::vector<NegativeRule> rules =
      parse_rules(this->rules(), ledger_.folder(), list.domains, dictionary, /*lenient=*/true);
  const InClasses now = in_classes(list, rules);
  std::map<std::pair<ClassId, std::string>, std::int64_t> more;  // published than known
  for (std::size_t row = 0; row < rows.rows(); ++row)
    ++more[{rows.class_of[row], values.texts[values.codes[row]]}];
  for (std::size_t i = 0; i < now.known.values.size(); ++i) {
    more[{now.classes[now.known.class_of[i]], dictionary.labels[now.known.values[i]]}] -=
        now.known.weights[i];
  }
  for (const auto& [place, count] : more) {
    if (count == 0) continue;
    broken.push_back(fmt::format(
        "class {} does not publish the values of the records that are in it", place.first));
    return broken;
  }
  const std::vector<std::uint32_t> valid = valid_values(now.known);
  std::int64_t exposed = 0;
  for (std::size_t i = 0; i < valid.size(); ++i) {
    if (valid[i] < before.l_of(now.classes[now.known.class_of[i]])) exposed += now.known.weights[i];
  }
  const std::int64_t accepted = totals().exposed;
  if (exposed > accepted) {
    broken.push_back(
        fmt::format("{} published records have fewer valid values of '{}' than was promised, for "
                    "who knows the {} rules; {} were accepted",
                    exposed, ledger_.policy().matching->column, rules.size(), accepted));
  }
  return broken;
}

}  // namespace throng
