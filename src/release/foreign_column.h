// One column of foreign releases, in all files at once: from texts to a shared domain and regions.
// Internal to release/foreign.cpp, which says what is promised.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "release/foreign.h"
#include "release/foreign_text.h"

namespace throng::foreign {

// One column in all files that have it: each distinct text once.
struct Texts {
  const ColumnPolicy* rule = nullptr;
  MissingRule missing;
  std::vector<std::string> texts;
  std::vector<std::size_t> file_of;      // by text: the first file that has it
  std::vector<std::vector<Code>> id_of;  // by file, by its code: the text
  std::size_t last_file = 0;             // that has the column

  std::size_t size() const { return texts.size(); }
  const std::string& name() const { return rule->name; }
};

// What a quasi-identifier's texts mean.
struct Shared {
  Domain domain;
  std::vector<Region> regions;  // by text
};

// Each in its own file. Throw ForeignValue.
Shared read_numbers(const Texts& column, EmptyCell empty);  // and dates
Shared read_words(const Texts& column, EmptyCell empty);

// What can be told of a text before its column's domain is known.
enum class Kind { everything, missing, other };

std::vector<Kind> kinds_of(const Texts& column, EmptyCell empty);
bool any_missing(const std::vector<Kind>& kinds);

[[noreturn]] void refuse(const Texts& column, std::size_t text, std::string expected);

// Whether the policy says all values that there are.
bool is_closed(const Generalization& rule);
bool contains(const std::vector<std::string>& list, const std::string& text);
void add_missing(Dictionary& values, const MissingRule& rule);

// A character of a value that nobody has told.
inline constexpr std::string_view kOther = "\u2026";  // …

// Where everybody is `*` there is no value; a domain has one at least.
Domain unknown_domain(const Texts& column, const Dictionary& values);
// Everything, also where the domain knows of one value only: others may have others.
Region everything_of(const Domain& domain);
Region missing_region(const Domain& domain, const std::string& label);
// The node that is written so; `*` is never asked for.
std::optional<Hierarchy::Node> find_node(const Hierarchy& tree, const Written& written,
                                         const std::string& text);

}  // namespace throng::foreign
