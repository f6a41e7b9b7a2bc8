#include "knowledge/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "hierarchy/file.h"
#include "table/value.h"
#include "throng/error.h"

namespace throng {
namespace {

using Json = nlohmann::json;

class Reader {
 public:
  Reader(const std::string& source, std::span<const Domain> domains, const Dictionary& values,
         bool lenient)
      : source_(source), domains_(domains), values_(values), lenient_(lenient) {}

  std::vector<NegativeRule> read(std::string_view text) {
    const Json json = parse(text);
    if (!json.is_array())
      throw InputError(fmt::format(
          R"({}: expected a list of rules, [{{"if": {{…}}, "not": "…"}}, …])", source_));
    std::vector<NegativeRule> rules;
    for (const Json& entry : json) {
      ++number_;
      try {
        rules.push_back(read_rule(entry));
      } catch (const Elsewhere&) {  // NOLINT(bugprone-empty-catch): it says nothing here
      }
    }
    return rules;
  }

 private:
  // A key that stands twice would hide the first; the library keeps the last without a word.
  Json parse(std::string_view text) const {
    std::vector<std::vector<std::string>> keys;
    std::size_t rule = 0;
    std::string repeated;
    const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
      if (event == Json::parse_event_t::object_start) {
        if (depth == 1) ++rule;
        keys.emplace_back();
      } else if (event == Json::parse_event_t::object_end) {
        keys.pop_back();
      } else if (event == Json::parse_event_t::key && repeated.empty()) {
        const auto& key = parsed.get_ref<const std::string&>();
        if (std::find(keys.back().begin(), keys.back().end(), key) != keys.back().end())
          repeated = fmt::format("{}: rule {}, \"{}\": stands twice; expected it once", source_,
                                 rule, key);
        keys.back().push_back(key);
      }
      return true;
    };
    try {
      Json json = Json::parse(text, watch);
      if (!repeated.empty()) throw InputError(repeated);
      return json;
    } catch (const Json::parse_error& error) {
      const std::size_t at = std::min(error.byte > 0 ? error.byte - 1 : 0, text.size());
      const auto line =
          1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
      throw InputError(
          fmt::format("{}:{}: not valid JSON; expected a list of rules", source_, line));
    } catch (const Json::out_of_range&) {
      throw InputError(fmt::format("{}: a number is too large; expected a list of rules", source_));
    }
  }

  InputError fault(std::string_view key, std::string_view what) const {
    return InputError(fmt::format("{}: rule {}, \"{}\": {}", source_, number_, key, what));
  }

  NegativeRule read_rule(const Json& entry) const {
    if (!entry.is_object())
      throw InputError(
          fmt::format(R"({}: rule {}: expected {{"if": {{…}}, "not": "…"}})", source_, number_));
    for (const auto& item : entry.items()) {
      static constexpr std::string_view known[] = {"if", "not", "records", "expectation", "source"};
      if (std::find(std::begin(known), std::end(known), item.key()) == std::end(known))
        throw fault(item.key(),
                    "no key of a rule; expected if, not, records, expectation or source");
    }
    for (const char* key : {"if", "not"}) {
      if (!entry.contains(key)) throw fault(key, "missing");
    }
    NegativeRule rule;
    rule.conditions = read_conditions(entry["if"]);
    rule.value = read_text("not", entry["not"], "a value of the sensitive column");
    const auto found = std::find(values_.labels.begin(), values_.labels.end(), rule.value);
    if (found != values_.labels.end())
      rule.code = static_cast<Code>(found - values_.labels.begin());
    if (entry.contains("records")) {
      const Json& records = entry["records"];
      if (!records.is_number_unsigned()) throw fault("records", "expected a number of records");
      rule.records = records.get<std::uint64_t>();
    }
    if (entry.contains("expectation")) {
      const Json& expectation = entry["expectation"];
      if (!expectation.is_number() || !(expectation.get<double>() >= 0) ||
          !(expectation.get<double>() <= 1))
        throw fault("expectation", "expected a number between 0 and 1");
      rule.expectation = expectation.get<double>();
    }
    if (entry.contains("source")) {
      const Json& origin = entry["source"];
      if (origin != "mined" && origin != "stated")
        throw fault("source", "expected \"mined\" or \"stated\"");
      rule.source = origin == "mined" ? NegativeRule::Source::mined : NegativeRule::Source::stated;
    }
    return rule;
  }

  std::vector<NegativeRule::Condition> read_conditions(const Json& json) const {
    if (!json.is_object() || json.empty())
      throw fault("if", "expected quasi-identifiers and their values, {\"column\": \"value\", …}");
    std::vector<NegativeRule::Condition> conditions;
    for (const auto& item : json.items()) {
      const std::string key = fmt::format("if\", \"{}", item.key());
      const auto domain = std::find_if(domains_.begin(), domains_.end(),
                                       [&](const Domain& each) { return each.name == item.key(); });
      if (domain == domains_.end() && lenient_) throw Elsewhere();
      if (domain == domains_.end())
        throw fault(key, fmt::format("no quasi-identifier; expected one of {}", names()));
      const std::string text = read_text(key, item.value(), "a value, a node or an interval");
      NegativeRule::Condition condition;
      condition.column = static_cast<std::size_t>(domain - domains_.begin());
      try {
        condition.region = read_region(*domain, text);
      } catch (const InputError& error) {
        if (!lenient_) throw fault(key, error.what());
        const auto within =
            text.starts_with('{') ? members_within(*domain, text) : values_within(*domain, text);
        if (!within) throw Elsewhere();
        condition.region = *within;
      }
      conditions.push_back(std::move(condition));
    }
    std::sort(conditions.begin(), conditions.end(),
              [](const auto& a, const auto& b) { return a.column < b.column; });
    return conditions;
  }

  // Of an interval whose ends do not occur, what occurs between them.
  static std::optional<Region> values_within(const Domain& domain, const std::string& text) {
    const std::size_t dots = text.find("..");
    if (domain.kind != Domain::Kind::interval || dots == std::string::npos) return std::nullopt;
    const auto low = parse_value(domain.values.type, text.substr(0, dots), domain.date_format);
    const auto high = parse_value(domain.values.type, text.substr(dots + 2), domain.date_format);
    if (!low || !high) return std::nullopt;
    const auto begin = domain.values.numbers.begin(),
               end = begin + static_cast<std::ptrdiff_t>(domain.values.present());
    const auto first = std::lower_bound(begin, end, low->number),
               last = std::upper_bound(begin, end, high->number);
    if (first >= last) return std::nullopt;
    return region_of_range(domain, static_cast<Code>(first - begin),
                           static_cast<Code>(last - begin - 1));
  }

  // Of a set of values, those that occur.
  static std::optional<Region> members_within(const Domain& domain, const std::string& text) {
    if (domain.kind != Domain::Kind::set) return std::nullopt;
    std::vector<Code> members;
    std::string one;
    for (std::size_t i = 1; i < text.size(); ++i) {
      if (text[i] == '\\' && i + 1 < text.size()) {
        one += text.substr(i++, 2);
      } else if (text[i] != '|' && text[i] != '}') {
        one += text[i];
      } else {
        try {
          const Region region = read_region(domain, one);
          for (Code position = region.low; position <= region.high; ++position) {
            if (covers(domain, region, position)) members.push_back(position);
          }
        } catch (const InputError&) {  // NOLINT(bugprone-empty-catch): it does not occur
        }
        one.clear();
      }
    }
    if (members.empty()) return std::nullopt;
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    return region_of_set(domain, members);
  }

  std::string names() const {
    std::string names;
    for (const Domain& domain : domains_) names += (names.empty() ? "" : ", ") + domain.name;
    return names;
  }

  // Numbers may stand without quotes.
  std::string read_text(std::string_view key, const Json& json, std::string_view expected) const {
    if (json.is_string()) return json.get<std::string>();
    if (json.is_number()) return json.dump();
    throw fault(key, fmt::format("expected {}", expected));
  }

  // A rule about what this table does not have.
  struct Elsewhere {};

  const std::string& source_;
  std::span<const Domain> domains_;
  const Dictionary& values_;
  const bool lenient_;
  std::size_t number_ = 0;  // of the rule in hand, from 1
};

}  // namespace

std::vector<NegativeRule> parse_rules(std::string_view json, const std::string& source,
                                      std::span<const Domain> domains, const Dictionary& values,
                                      bool lenient) {
  return Reader(source, domains, values, lenient).read(json);
}

std::vector<NegativeRule> read_rules(const std::string& path, std::span<const Domain> domains,
                                     const Dictionary& values, bool lenient) {
  return parse_rules(read_file(path, "rules"), path, domains, values, lenient);
}

std::string write_rules(std::span<const NegativeRule> rules, std::span<const Domain> domains) {
  const auto quoted = [](const std::string& text) {
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  std::string text = "[";
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const NegativeRule& rule = rules[i];
    text += i == 0 ? "\n{\"if\": {" : ",\n{\"if\": {";
    for (std::size_t j = 0; j < rule.conditions.size(); ++j) {
      const Domain& domain = domains[rule.conditions[j].column];
      text += fmt::format("{}{}: {}", j == 0 ? "" : ", ", quoted(domain.name),
                          quoted(write_region(domain, rule.conditions[j].region)));
    }
    text += fmt::format("}}, \"not\": {}", quoted(rule.value));
    if (rule.records) text += fmt::format(", \"records\": {}", *rule.records);
    // Six digits are enough, and the same on every machine.
    if (rule.expectation) text += fmt::format(", \"expectation\": {:.6g}", *rule.expectation);
    text += fmt::format(", \"source\": \"{}\"}}",
                        rule.source == NegativeRule::Source::mined ? "mined" : "stated");
  }
  return text + "\n]\n";
}

bool lies_in(const Domain& domain, const Region& inner, const Region& outer) {
  if (outer.everything) return true;
  if (inner.everything) return false;
  if (domain.kind != Domain::Kind::set || inner.low == inner.high)
    return covers(domain, outer, inner.low) && covers(domain, outer, inner.high);
  return std::all_of(inner.members.begin(), inner.members.end(),
                     [&](Code member) { return covers(domain, outer, member); });
}

bool satisfies(const NegativeRule& rule, std::span<const Domain> domains,
               std::span<const Code> positions) {
  return std::all_of(rule.conditions.begin(), rule.conditions.end(), [&](const auto& condition) {
    return covers(domains[condition.column], condition.region, positions[condition.column]);
  });
}

bool surely_satisfies(const NegativeRule& rule, std::span<const Domain> domains,
                      std::span<const Region> regions) {
  return std::all_of(rule.conditions.begin(), rule.conditions.end(), [&](const auto& condition) {
    return lies_in(domains[condition.column], regions[condition.column], condition.region);
  });
}

}  // namespace throng
