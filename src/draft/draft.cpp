#include "draft/draft.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "draft/detect.h"
#include "draft/narrowing.h"
#include "throng/error.h"

namespace throng {
namespace {

// --- YAML ----------------------------------------------------------------------------------------

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return result + '"';
}

// A name as it is where YAML takes it for a text, else in quotes: `yes`, `null` and `12` are none.
std::string spelled(const std::string& name) {
  static constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  static constexpr std::string_view kWords[] = {"true", "false", "yes", "no",  "on",
                                                "off",  "y",     "n",   "null"};
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const bool letter = !lower.empty() && lower[0] >= 'a' && lower[0] <= 'z';
  const bool word = std::find(std::begin(kWords), std::end(kWords), lower) != std::end(kWords);
  return letter && !word && name.find_first_not_of(kPlain) == std::string::npos ? name
                                                                                : quoted(name);
}

// A key with its colon. YAML reads a long key only behind a question mark.
std::string key_of(const std::string& name) {
  const std::string key = spelled(name);
  return key.size() > 500 ? fmt::format("? {}\n  :", key) : key + ":";
}

// A text for a comment: on one line.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return text;
}

// --- Roles ---------------------------------------------------------------------------------------

DraftColumn draft_column(const RawColumn& raw, const Looks& looks, std::size_t rows) {
  DraftColumn column;
  column.name = raw.name;
  column.type = looks.type;
  column.distinct = looks.distinct();
  column.mask = looks.digits;
  const bool measured = looks.quasi || looks.type == Type::decimal || looks.type == Type::date;
  if (!looks.personal.empty()) {
    column.role = Role::identifier;
    column.warning = "looks like " + looks.personal;
  } else if (column.distinct < 2) {
    column.role = Role::insensitive;
    column.note = "the same in every record";
  } else if (looks.sensitive) {
    column.role = Role::sensitive;
  } else if (nearly_unique(looks, rows) && !measured) {
    column.role = Role::identifier;
    column.note = "almost every record has its own";
  } else {
    column.role = Role::quasi_identifier;
  }
  return column;
}

std::size_t count_of(const std::vector<DraftColumn>& columns, Role role) {
  return static_cast<std::size_t>(
      std::count_if(columns.begin(), columns.end(),
                    [role](const DraftColumn& column) { return column.role == role; }));
}

// A policy without a quasi-identifier is none, so the best candidate becomes one: a column that
// almost tells people apart; one of several sensitive ones; a constant; the one sensitive one.
// Never what names people.
void need_a_quasi_identifier(std::vector<DraftColumn>& columns, const std::string& source) {
  if (count_of(columns, Role::quasi_identifier) > 0) return;
  const auto rank = [&](const DraftColumn& column) {
    if (!column.warning.empty()) return 0;
    if (column.role == Role::identifier) return 4;
    if (column.role == Role::insensitive) return 2;
    return count_of(columns, Role::sensitive) > 1 ? 3 : 1;
  };
  DraftColumn* best = nullptr;
  for (DraftColumn& column : columns) {
    if (rank(column) == 0) continue;
    const bool better = best == nullptr || rank(column) > rank(*best) ||
                        (rank(column) == rank(*best) && column.distinct > best->distinct);
    if (better) best = &column;
  }
  if (best == nullptr) {
    throw InputError(fmt::format(
        "{}: every column looks like an identifier, and nothing is left to publish; expected "
        "at least one other column",
        source));
  }
  best->role = Role::quasi_identifier;
  best->note = "no column looks like a quasi-identifier; is this one?";
}

// --- Text ----------------------------------------------------------------------------------------

std::string body_of(const DraftColumn& column) {
  const std::string role = fmt::format("role: {}", name_of(column.role));
  const bool typed = column.role == Role::quasi_identifier || column.role == Role::sensitive;
  const std::string type =
      typed && column.type != Type::text ? fmt::format(", type: {}", name_of(column.type)) : "";
  std::string hierarchy;
  if (column.role == Role::quasi_identifier && column.mask)
    hierarchy = ", hierarchy: {mask: right}";
  if (column.role == Role::quasi_identifier && column.type == Type::date) {
    hierarchy = ", hierarchy: {date: [month, year, decade]}";
  }
  return "{" + role + type + hierarchy + "}";
}

std::string columns_text(const std::vector<DraftColumn>& columns) {
  std::size_t key_width = 0, body_width = 0;
  for (const DraftColumn& column : columns) {
    key_width = std::max(key_width, std::min<std::size_t>(24, key_of(column.name).size()));
    body_width = std::max(body_width, std::min<std::size_t>(51, body_of(column).size()));
  }
  std::string text = "columns:\n";
  for (const DraftColumn& column : columns) {
    text +=
        fmt::format("  {:<{}} {:<{}}  # {} distinct value{}", key_of(column.name), key_width,
                    body_of(column), body_width, column.distinct, column.distinct == 1 ? "" : "s");
    if (!column.note.empty()) text += "; " + column.note;
    if (!column.warning.empty()) text += ". WARNING: " + column.warning;
    text += '\n';
  }
  return text;
}

std::string missing_text(const std::vector<Looks>& looks) {
  std::vector<std::string> found;
  for (const Looks& each : looks)
    found.insert(found.end(), each.missing.begin(), each.missing.end());
  found.emplace_back();  // an absent cell reads as ""
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  // The first is what a missing value is released as: a visible one, if there is one.
  std::rotate(found.begin(), found.begin() + 1, found.end());
  std::string list;
  for (const std::string& spelling : found) list += (list.empty() ? "" : ", ") + quoted(spelling);
  return fmt::format("missing: {{values: [{}], as: value}}\n", list);
}

std::string privacy_text(const std::vector<DraftColumn>& columns, const std::vector<Looks>& looks,
                         std::size_t rows) {
  const int k = rows < 50 ? 2 : 5;
  std::string text = fmt::format("privacy:\n  - k-anonymity: {}\n", k);
  bool any = false;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::size_t l = std::min<std::size_t>(3, looks[i].present);
    if (columns[i].role != Role::sensitive || l < 2) continue;
    text += fmt::format("  - l-diversity: {{column: {}, l: {}, variant: distinct}}\n",
                        spelled(columns[i].name), l);
    any = true;
  }
  if (any) return text;
  return text +
         "  # No column looks sensitive. If one is, give it that role, and ask for diversity:\n"
         "  # - l-diversity: {column: NAME, l: 3, variant: distinct}\n";
}

std::string unique_text(const Draft& draft, std::size_t rows, std::size_t sample) {
  const auto names_of = [](const DraftUnique& unique) {
    if (unique.columns.size() > 3) return fmt::format("all {} together", unique.columns.size());
    std::vector<std::string> names;
    for (const std::string& name : unique.columns) names.push_back(spelled(name));
    return fmt::format("{}", fmt::join(names, ", "));
  };
  std::size_t width = 0;
  for (const DraftUnique& unique : draft.unique) width = std::max(width, names_of(unique).size());
  width = std::min<std::size_t>(width, 60);
  std::string text;
  std::size_t before = 1;
  for (const DraftUnique& unique : draft.unique) {
    if (unique.columns.size() != before)
      text += "#\n";  // a gap before the pairs, the triples and all
    before = unique.columns.size();
    text += fmt::format("#   {:<{}}  {:>9}  {:5.1f}%\n", names_of(unique), width, unique.records,
                        100.0 * static_cast<double>(unique.records) / static_cast<double>(rows));
  }
  if (sample < rows && draft.unique.size() > 1) {
    text += fmt::format(
        "#\n# The pairs and triples were chosen on a sample of {} records; the counts are of "
        "all.\n",
        sample);
  }
  return text;
}

constexpr const char* kHead = R"(# A first policy for {}: {} records, {} columns.
#
# This is a guess from the names and the values of the columns. Read every line and correct it: Throng
# protects what the policy says, and nothing else. docs/policy.md explains each key.

# What each column is:
#   identifier         names a person by itself; never released
#   quasi-identifier   together with others tells people apart, and others may know it; generalized
#   sensitive          what nobody should learn about a person; released, but never tied to few people
#   insensitive        released as it is
)";

constexpr const char* kUnique = R"(
# How far the quasi-identifiers narrow people down: of {} records, how many are unique, so that no
# other record has the same values. Whoever knows these values of a person can find that person's record.
#
)";

// The columns as the policy will have them read: 7 and 7.0 are one number.
Table quasi_table(const std::vector<RawColumn>& raw, const Draft& draft,
                  const std::vector<Looks>& looks, std::size_t rows) {
  Table table;
  table.rows = rows;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (draft.columns[i].role != Role::quasi_identifier) continue;
    MissingRule missing;
    missing.values = looks[i].missing;
    table.columns.push_back(encode(raw[i], {draft.columns[i].type, ""}, missing));
  }
  return table;
}

void add_unique(Draft& draft, const Table& table, const Narrowings& narrowings) {
  const auto add = [&](const Narrowing& narrowing) {
    DraftUnique unique;
    for (const std::size_t place : narrowing.columns)
      unique.columns.push_back(table.columns[place].name);
    unique.records = narrowing.unique;
    draft.unique.push_back(std::move(unique));
  };
  for (const auto* list : {&narrowings.alone, &narrowings.pairs, &narrowings.triples}) {
    for (const Narrowing& narrowing : *list) add(narrowing);
  }
  if (narrowings.all.columns.size() > 3) add(narrowings.all);
}

}  // namespace

Draft draft_policy(const std::vector<RawColumn>& columns, std::size_t rows,
                   const std::string& source) {
  Draft draft;
  std::vector<Looks> looks;
  const bool plus = std::any_of(columns.begin(), columns.end(), [](const RawColumn& column) {
    return std::find(column.texts.begin(), column.texts.end(), "+") != column.texts.end();
  });
  for (const RawColumn& column : columns) {
    looks.push_back(look_at(column, rows, !plus));
    draft.columns.push_back(draft_column(column, looks.back(), rows));
  }
  need_a_quasi_identifier(draft.columns, source);
  const Table quasi = quasi_table(columns, draft, looks, rows);
  const Narrowings narrowings = narrow(quasi);
  add_unique(draft, quasi, narrowings);

  std::string& text = draft.policy;
  text = fmt::format(kHead, one_line(source), rows, columns.size());
  text += columns_text(draft.columns);
  text += fmt::format(kUnique, rows) + unique_text(draft, rows, narrowings.sample);
  text +=
      "\n# How a cell without a value is spelled, and what becomes of it: value (it is a value "
      "like others),\n"
      "# drop (its record is left out) or error.\n";
  text += missing_text(looks);
  text +=
      "\n# k-anonymity: each released record shares its generalized quasi-identifiers with at "
      "least k - 1 others.\n"
      "# l-diversity: such a group has at least l distinct values of the sensitive column.\n";
  text += privacy_text(draft.columns, looks, rows);
  text +=
      "\n# How the records are generalized: mondrian, datafly or greedy-release.\nalgorithm: "
      "mondrian\n";
  return draft;
}

}  // namespace throng
