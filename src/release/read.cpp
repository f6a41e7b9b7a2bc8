#include "release/read.h"

#include <fmt/format.h>

#include <algorithm>

#include "table/sorted_keys.h"
#include "throng/error.h"

namespace throng {
namespace {

// The region of each text. Two spellings of one region stay two: readers see them as two, and
// classes are what readers see.
std::vector<Region> read_regions(const RawColumn& column, const Domain& domain,
                                 const std::string& source) {
  std::vector<Region> regions;
  for (const std::string& text : column.texts) {
    try {
      regions.push_back(read_region(domain, text));
    } catch (const InputError& failure) {
      throw InputError(fmt::format("{}: {}", source, failure.what()));
    }
  }
  return regions;
}

}  // namespace

Release read_release(std::vector<RawColumn> columns, std::size_t rows, const Policy& policy,
                     const std::vector<Domain>& domains, const std::string& source) {
  Release release;
  std::vector<KeyColumn> keys;
  for (RawColumn& column : columns) {
    const ColumnPolicy& rule = *policy.find(column.name);
    if (rule.role == Role::quasi_identifier) {
      const auto domain = std::find_if(domains.begin(), domains.end(), [&](const Domain& known) {
        return known.name == column.name;
      });
      std::vector<Region> regions = read_regions(column, *domain, source);
      release.layout.push_back({true, release.quasi.size()});
      keys.push_back({&column.codes, {}, regions.size()});
      release.quasi.push_back({*domain, std::move(regions), {}});
      continue;
    }
    release.layout.push_back({false, release.plain.size()});
    try {
      Column encoded = encode(std::move(column), rule.type, missing_rule(policy, rule));
      release.plain.push_back(
          {encoded.name, rule.role, std::move(encoded.values), std::move(encoded.codes)});
    } catch (const BadValue& bad) {
      throw InputError(fmt::format("{}: column '{}' has '{}'; expected {}", source, bad.column,
                                   bad.text, bad.expected));
    }
  }
  const SortedKeys classes(keys, rows, std::vector<std::uint32_t>(rows, 1));
  release.classes = classes.size();
  release.class_of_row = classes.combination_of();
  for (std::size_t i = 0; i < release.quasi.size(); ++i)
    release.quasi[i].of_class = classes.column(i);
  return release;
}

}  // namespace throng
