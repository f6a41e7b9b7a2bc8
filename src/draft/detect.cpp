#include "draft/detect.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <span>

#include "table/value.h"

namespace throng {
namespace {

// ASCII alone: a guess must not depend on the locale.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_foreign(char c) { return (static_cast<unsigned char>(c) & 0x80U) != 0; }
bool is_letter(char c) { return is_upper(c) || is_lower(c) || is_foreign(c); }

// --- Names of columns ----------------------------------------------------------------------------

// The words of a name in lower case: DateOfBirth, date_of_birth and "Date of birth" have the same.
std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> words;
  char before = ' ';
  for (const char c : name) {
    const bool letter = is_letter(c), digit = is_digit(c);
    if (letter || digit) {
      const bool starts = (letter && !is_letter(before)) || (digit && !is_digit(before)) ||
                          (is_upper(c) && is_lower(before));
      if (starts) words.emplace_back();
      words.back() += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
    }
    before = c;
  }
  return words;
}

// Known words; with a star at its end, all words that begin with it.
class Words {
 public:
  template <std::size_t count>
  constexpr Words(const std::string_view (&words)[count]) : words_(words) {}
  // For a list in a call, which lives as long as the call.
  Words(std::initializer_list<std::string_view> words) : words_(words.begin(), words.size()) {}

  auto begin() const { return words_.begin(); }
  auto end() const { return words_.end(); }

 private:
  std::span<const std::string_view> words_;
};

bool is_one_of(const std::string& word, const Words& known) {
  return std::any_of(known.begin(), known.end(), [&](std::string_view pattern) {
    if (pattern.back() != '*') return word == pattern;
    return word.starts_with(pattern.substr(0, pattern.size() - 1));
  });
}

bool any_of(const std::vector<std::string>& words, const Words& known) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return is_one_of(word, known); });
}

constexpr std::string_view kSensitive[] = {
    "abuse*",        "addict*",    "alcohol*",  "allerg*",  "belief*",  "bonus*",       "cancer*",
    "compensation*", "condition*", "convict*",  "crime*",   "crimin*",  "debt*",        "diagnos*",
    "disab*",        "disease*",   "disorder*", "drug*",    "earning*", "faith*",       "finding*",
    "genetic*",      "health*",    "hiv",       "icd",      "illness*", "income*",      "infect*",
    "medic*",        "mental*",    "mutation*", "offence*", "offense*", "orientation*", "party",
    "patholog*",     "politic*",   "pregnan*",  "prescri*", "psych*",   "religio*",     "result*",
    "salar*",        "sexual*",    "sickness*", "symptom*", "test",     "tests",        "therap*",
    "treatment*",    "vaccin*",    "verdict*",  "wage*"};

constexpr std::string_view kQuasi[] = {
    "admission*", "age",       "ages",        "birth*",    "born",      "child*",    "citizen*",
    "city",       "cities",    "countries",   "country",   "county",    "date",      "degree*",
    "discharge*", "district*", "dob",         "educat*",   "employ*",   "ethnic*",   "famil*",
    "gender*",    "height*",   "household*",  "job*",      "language*", "location*", "marital*",
    "married",    "month*",    "municip*",    "nation*",   "occupat*",  "place*",    "plz",
    "postal*",    "postcode*", "profession*", "province*", "race*",     "region*",   "school*",
    "sex",        "state",     "town*",       "visit*",    "weight*",   "work*",     "year*",
    "zip*"};

constexpr std::string_view kZip[] = {"plz", "postal*", "postcode*", "zip*"};

// "name", "first name", "patient_name", but not "disease name".
bool names_a_name(const std::vector<std::string>& words) {
  if (any_of(words, {"firstname", "forename*", "fullname", "lastname", "nickname", "surname*",
                     "username"})) {
    return true;
  }
  const bool of_person = std::all_of(words.begin(), words.end(), [](const std::string& word) {
    return is_one_of(
        word, {"birth", "client", "contact", "customer", "display", "employee", "family", "first",
               "full",  "given",  "last",    "legal",    "maiden",  "member",   "middle", "name",
               "names", "nick",   "owner",   "patient",  "person",  "student",  "user"});
  });
  return of_person && any_of(words, {"name", "names"});
}

bool has_both(const std::vector<std::string>& words, std::string_view first,
              std::string_view second) {
  return any_of(words, {first}) && any_of(words, {second});
}

// --- Patterns of values --------------------------------------------------------------------------

bool is_email(std::string_view text) {
  const auto at = text.find('@');
  if (at == 0 || at == std::string_view::npos || text.find('@', at + 1) != std::string_view::npos)
    return false;
  const auto point = text.rfind('.');
  return text.find(' ') == std::string_view::npos && point != std::string_view::npos &&
         point > at + 1 && point + 1 < text.size();
}

// 078-05-1120
bool is_social_security(std::string_view text) {
  if (text.size() != 11) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == 3 || i == 6 ? text[i] != '-' : !is_digit(text[i])) return false;
  }
  return true;
}

// +49 30 1234567, (617) 555-0100, 617-555-0100; digits alone may be anything.
bool is_phone(std::string_view text) {
  if (text.empty() || parse_value(Type::date, text)) return false;
  std::size_t digits = 0, separators = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_digit(text[i])) {
      ++digits;
    } else if (text[i] == '+'
                   ? i != 0
                   : std::string_view(" -()./").find(text[i]) == std::string_view::npos) {
      return false;
    } else {
      ++separators;
    }
  }
  const bool begins = text[0] == '+' || text[0] == '(';
  return digits <= 15 && (begins ? digits >= 7 : digits >= 10 && separators >= 2);
}

// Two to four capitalized words: "Ada Lovelace", "Lovelace, Ada K."
bool is_person_name(std::string_view text) {
  std::size_t words = 0;
  bool starts = true;
  for (const char c : text) {
    if (c == ' ') {
      if (starts) return false;
      starts = true;
    } else if (starts) {
      if (!is_upper(c) && !is_foreign(c)) return false;
      ++words;
      starts = false;
    } else if (!is_letter(c) && c != '\'' && c != '-' && c != '.' && c != ',') {
      return false;
    }
  }
  return !starts && words >= 2 && words <= 4;
}

using Present = std::vector<std::string_view>;

template <typename Test>
double share(const Present& texts, Test test) {
  if (texts.empty()) return 0;
  return static_cast<double>(std::count_if(texts.begin(), texts.end(), test)) /
         static_cast<double>(texts.size());
}

// 02141 and +49: digits that are no quantity, and would lose by becoming a number.
bool is_digit_code(std::string_view text) {
  if (text.empty()) return false;
  const bool all = std::all_of(text.begin(), text.end(), is_digit);
  return text[0] == '+' || (text.size() > 1 && text[0] == '0' && is_digit(text[1])) ||
         (all && text.size() > 15);
}

Type type_of(const Present& texts) {
  if (texts.empty() || std::any_of(texts.begin(), texts.end(), is_digit_code)) return Type::text;
  const auto all = [&](Type type) {
    return std::all_of(texts.begin(), texts.end(),
                       [type](std::string_view text) { return parse_value(type, text); });
  };
  // 39.0 reads as an integer, but says that the column has fractions.
  const bool fractions = std::any_of(texts.begin(), texts.end(), [](std::string_view text) {
    return text.find_first_of(".eE") != std::string_view::npos;
  });
  if (!fractions && all(Type::integer)) return Type::integer;
  if (all(Type::decimal)) return Type::decimal;
  return all(Type::date) ? Type::date : Type::text;
}

// Almost all of one length. A mask over them hides as much of each.
bool of_one_length(const Present& texts) {
  std::map<std::size_t, std::size_t> count;
  for (const std::string_view text : texts) ++count[text.size()];
  const auto most = std::max_element(
      count.begin(), count.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most != count.end() && most->first >= 3 && most->first <= 10 &&
         most->second * 20 >= texts.size() * 19;
}

bool is_zip_like(const Present& texts, const std::vector<std::string>& words) {
  if (!of_one_length(texts)) return false;
  if (any_of(words, kZip)) return true;
  const auto all_digits = [](std::string_view text) {
    return std::all_of(text.begin(), text.end(), is_digit);
  };
  return share(texts, is_digit_code) > 0 && share(texts, all_digits) >= 0.95;
}

std::string personal_kind(const Present& texts, const std::vector<std::string>& words,
                          const Looks& looks, std::size_t rows) {
  constexpr double kMost = 0.5;
  // Few values for many records tell groups, whatever they are called: a telephone, yes or no.
  const bool many = looks.present >= 10 || looks.present * 2 >= rows;
  if (share(texts, is_email) >= kMost || any_of(words, {"email*"}) ||
      has_both(words, "e", "mail")) {
    return "an e-mail address";
  }
  if (share(texts, is_social_security) >= kMost || any_of(words, {"ssn"}) ||
      has_both(words, "social", "security")) {
    return "a social-security number";
  }
  if (looks.type == Type::text && names_a_name(words)) return "a name";
  if (any_of(words, {"passport*", "iban"})) return "the number of a document or an account";
  if (share(texts, is_phone) >= kMost ||
      (many && any_of(words, {"phone*", "telephone*", "tel", "mobile", "cellphone*", "fax*"}))) {
    return "a phone number";
  }
  if (looks.type == Type::text && many && any_of(words, {"address*", "street*"}))
    return "an address";
  if (many && any_of(words, {"id", "ids", "uuid", "guid", "mrn", "identifier*"})) {
    return "a number that stands for a person";
  }
  const bool own = rows >= 20 && looks.present * 2 > rows;
  if (own && !looks.quasi && share(texts, is_person_name) >= 0.8) return "a name";
  return "";
}

bool spells_missing(std::string_view text) {
  static constexpr std::array<std::string_view, 9> kSpellings = {"",     "?",    "NA", "N/A", "n/a",
                                                                 "null", "NULL", "-",  "NaN"};
  return std::find(kSpellings.begin(), kSpellings.end(), text) != kSpellings.end();
}

}  // namespace

bool nearly_unique(const Looks& looks, std::size_t rows) {
  return rows >= 20 && looks.present * 10 > rows * 9;
}

Looks look_at(const RawColumn& column, std::size_t rows, bool minus_is_missing) {
  Looks looks;
  Present texts;
  for (const std::string& text : column.texts) {
    if (spells_missing(text) && (text != "-" || minus_is_missing)) {
      looks.missing.push_back(text);
    } else {
      texts.push_back(text);
    }
  }
  const std::vector<std::string> words = words_of(column.name);
  looks.present = texts.size();
  looks.type = type_of(texts);
  looks.digits = looks.type != Type::date && is_zip_like(texts, words);
  if (looks.digits) looks.type = Type::text;
  looks.quasi = any_of(words, kQuasi);
  // The day of a test is no result: dates narrow people down, whatever happened on them.
  looks.sensitive = looks.type != Type::date && any_of(words, kSensitive);
  looks.personal = personal_kind(texts, words, looks, rows);
  return looks;
}

}  // namespace throng
