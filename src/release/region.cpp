#include "release/region.h"

#include <fmt/format.h>

#include <algorithm>

#include "table/value.h"
#include "throng/error.h"

namespace throng {
namespace {

// The value of escaped text, and where a separator stood unescaped.
struct Unescaped {
  std::string text;
  std::vector<char> plain;  // whether text[i] had no backslash
};

Unescaped unescape(std::string_view written) {
  Unescaped result;
  for (std::size_t i = 0; i < written.size(); ++i) {
    const bool escaped = written[i] == '\\' && i + 1 < written.size();
    if (escaped) ++i;
    result.text += written[i];
    result.plain.push_back(escaped ? 0 : 1);
  }
  return result;
}

// Where `separator` begins in `from` with none of its characters escaped.
std::size_t find_plain(const Unescaped& from, std::string_view separator, std::size_t begin = 0) {
  for (std::size_t at = from.text.find(separator, begin); at != std::string::npos;
       at = from.text.find(separator, at + 1)) {
    if (std::all_of(from.plain.begin() + static_cast<std::ptrdiff_t>(at),
                    from.plain.begin() + static_cast<std::ptrdiff_t>(at + separator.size()),
                    [](char plain) { return plain != 0; })) {
      return at;
    }
  }
  return std::string::npos;
}

InputError no_region(const Domain& domain, std::string_view text, std::string_view why) {
  return InputError(fmt::format("'{}' is no region of column '{}': {}", text, domain.name, why));
}

Code position_of(const Domain& domain, std::string_view value, std::string_view text) {
  const auto position = domain.find(value);
  if (!position) throw no_region(domain, text, fmt::format("'{}' is not in its domain", value));
  return *position;
}

}  // namespace

std::string escape_value(std::string_view value, bool plain_dots) {
  if (value == "*") return "\\*";
  std::string written;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char character = value[i];
    const bool dots =
        !plain_dots && character == '.' && i + 1 < value.size() && value[i + 1] == '.';
    if (dots || character == '|' || character == '{' || character == '}' || character == '\\') {
      written += '\\';
    }
    written += character;
  }
  return written;
}

Region region_of_value(const Domain& domain, Code position) {
  Region region;
  region.low = region.high = position;
  if (domain.tree) region.node = domain.tree->leaf(position);
  return region;
}

Region region_of_everything(const Domain& domain) {
  if (domain.size() == 1) return region_of_value(domain, 0);
  Region region;
  region.high = static_cast<Code>(domain.size() - 1);
  region.everything = true;
  if (domain.tree) region.node = domain.tree->root();
  return region;
}

Region region_of_node(const Domain& domain, Hierarchy::Node node) {
  if (node == domain.tree->root()) return region_of_everything(domain);
  Region region;
  region.low = domain.tree->first(node);
  region.high = domain.tree->last(node);
  region.node = node;
  return region;
}

Region region_of_range(const Domain& domain, Code low, Code high) {
  if (low == high) return region_of_value(domain, low);
  if (domain.kind == Domain::Kind::tree)
    return region_of_node(domain, domain.tree->cover(low, high));
  // Numbers together with a missing value, or the whole of the domain.
  const bool whole = low == 0 && high + 1 == domain.size() && !domain.values.missing &&
                     domain.values.numbers[low] == domain.low &&
                     domain.values.numbers[high] == domain.high;
  if (high == domain.missing() || whole) return region_of_everything(domain);
  Region region;
  region.low = low;
  region.high = high;
  return region;
}

Region region_of_set(const Domain& domain, std::vector<Code> members) {
  if (members.size() == 1) return region_of_value(domain, members[0]);
  if (members.size() == domain.size()) return region_of_everything(domain);
  Region region;
  region.low = members.front();
  region.high = members.back();
  region.members = std::move(members);
  return region;
}

double loss_of(const Domain& domain, const Region& region) {
  if (region.everything) return 1;
  if (domain.kind == Domain::Kind::tree) return domain.tree->loss(region.node);
  if (region.low == region.high) return 0;
  if (domain.kind == Domain::Kind::set) return domain.set_loss(region.members.size());
  return domain.range_loss(region.low, region.high);
}

bool covers(const Domain& domain, const Region& region, Code position) {
  if (region.everything) return true;
  if (position < region.low || position > region.high) return false;
  if (domain.kind != Domain::Kind::set || region.low == region.high) return true;
  return std::binary_search(region.members.begin(), region.members.end(), position);
}

std::string write_region(const Domain& domain, const Region& region) {
  if (region.everything) return "*";
  if (domain.kind == Domain::Kind::tree && !domain.tree->is_leaf(region.node)) {
    // The labels of inner nodes of numbers may be intervals themselves: 20..29.
    return escape_value(domain.tree->label(region.node), domain.values.numeric());
  }
  const auto& labels = domain.values.labels;
  if (region.low == region.high) return escape_value(labels[region.low]);
  if (domain.kind == Domain::Kind::interval) {
    std::string low = escape_value(labels[region.low]);
    if (low.ends_with('.')) low.insert(low.size() - 1, 1, '\\');  // or the dots would be three
    return low + ".." + escape_value(labels[region.high]);
  }
  std::string text = "{";
  for (std::size_t i = 0; i < region.members.size(); ++i) {
    if (i > 0) text += '|';
    text += escape_value(labels[region.members[i]]);
  }
  return text + "}";
}

Region read_region(const Domain& domain, std::string_view text) {
  if (text == "*") return region_of_everything(domain);
  const Unescaped unescaped = unescape(text);
  if (domain.kind == Domain::Kind::tree) {
    // By its meaning; a file of others may hold a label with a backslash that it did not escape.
    for (const std::string_view label : {std::string_view(unescaped.text), text}) {
      const auto node = domain.tree->find(label);
      if (node && *node != domain.tree->root()) return region_of_node(domain, *node);
    }
    return region_of_value(domain, position_of(domain, unescaped.text, text));
  }
  if (domain.kind == Domain::Kind::interval) {
    const std::size_t dots = find_plain(unescaped, "..");
    if (dots == std::string::npos)
      return region_of_value(domain, position_of(domain, unescaped.text, text));
    const Code low = position_of(domain, unescaped.text.substr(0, dots), text);
    const Code high = position_of(domain, unescaped.text.substr(dots + 2), text);
    if (low > high) throw no_region(domain, text, "its ends are the wrong way round");
    return region_of_range(domain, low, high);
  }
  const bool braces =
      text.size() >= 2 && text.front() == '{' && text.back() == '}' && unescaped.plain.back() != 0;
  if (!braces) return region_of_value(domain, position_of(domain, unescaped.text, text));
  std::vector<Code> members;
  for (std::size_t begin = 1; begin < unescaped.text.size();) {
    const std::size_t end = std::min(find_plain(unescaped, "|", begin), unescaped.text.size() - 1);
    members.push_back(position_of(domain, unescaped.text.substr(begin, end - begin), text));
    begin = end + 1;
  }
  std::sort(members.begin(), members.end());
  if (std::adjacent_find(members.begin(), members.end()) != members.end()) {
    throw no_region(domain, text, "a value stands twice in the set");
  }
  if (members.empty()) throw no_region(domain, text, "the set is empty");
  return region_of_set(domain, std::move(members));
}

}  // namespace throng
