// What the attacker knows beforehand: negative rules `X ⇒ not s`. Whoever satisfies X does not have
// the sensitive value s.
//
// A file of rules is JSON:
//
//   [{"if": {"sex": "Male"}, "not": "Ovarian cancer", "records": 18034, "expectation": 0.998,
//     "source": "mined"}, …]
//
// X says for some quasi-identifiers, at least one, a region in the notation of releases: a value, a
// hierarchy node, an interval, a set. `records`, `expectation` and `source` (mined or stated) may
// be left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "release/region.h"

namespace throng {

struct NegativeRule {
  enum class Source { mined, stated };
  struct Condition {
    std::size_t column = 0;  // of the domains that the rules were read with
    Region region;
  };
  std::vector<Condition> conditions;     // by column, each once; all of them are X
  std::string value;                     // that is ruled out, by its label
  std::optional<Code> code;              // of that value; none: the table does not have it
  std::optional<std::uint64_t> records;  // that satisfy X
  std::optional<double> expectation;
  Source source = Source::stated;
};

// `domains`: of the quasi-identifiers; `values`: of the sensitive column. A value that does not
// occur there is no error: the rule then says nothing about this table. `lenient`: nor are columns
// and regions that do not occur; such rules are left out. Throws InputError: `source:
// rule 3, "if", "sex": what is wrong; what was expected`.
std::vector<NegativeRule> parse_rules(std::string_view json, const std::string& source,
                                      std::span<const Domain> domains, const Dictionary& values,
                                      bool lenient = false);

std::vector<NegativeRule> read_rules(const std::string& path, std::span<const Domain> domains,
                                     const Dictionary& values, bool lenient = false);

// The rules as such a file, one a line, which parse_rules() reads back with the same domains.
std::string write_rules(std::span<const NegativeRule> rules, std::span<const Domain> domains);

// Whether `inner` lies wholly inside `outer`.
bool lies_in(const Domain& domain, const Region& inner, const Region& outer);

// Whether a record satisfies X. `positions`: one a domain.
bool satisfies(const NegativeRule& rule, std::span<const Domain> domains,
               std::span<const Code> positions);
// Whether every record of a class surely satisfies X, whoever it is. `regions`: one a domain.
bool surely_satisfies(const NegativeRule& rule, std::span<const Domain> domains,
                      std::span<const Region> regions);

}  // namespace throng
