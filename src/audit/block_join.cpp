#include "audit/block_join.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "throng/error.h"

namespace throng {
namespace {

constexpr std::size_t kAllLevels = ~std::size_t{0};

std::vector<std::string> sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Of each value of the column whether it lies within what the policy lists; empty where the column
// cannot have that.
std::vector<bool> values_within(const Policy& policy, const Projection::Column& column,
                                const std::string& text) {
  Region storage;
  std::optional<Cover> listed;
  try {
    listed = column.find(text, storage);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: inconsistent: {}", policy.source, error.what()));
  }
  std::vector<bool> result;
  if (!listed) return result;
  for (const Cover& value : column.values) result.push_back(within(value, *listed));
  return result;
}

}  // namespace

BlockJoin::BlockJoin(std::span<const Release> releases, const Policy& policy) {
  name_columns(releases, policy);
  double bits = 0;
  for (std::size_t i = 0; i < releases.size(); ++i) {
    JoinSide side;
    side.release = i == 0 ? releases.size() - 1 : i - 1;
    side.projection = project(releases[side.release], names_);
    bits += std::log2(static_cast<double>(side.projection.rows) + 1);
    sides_.push_back(std::move(side));
  }
  if (bits > 126) throw InputError("the join of these releases has too many rows to be counted");
  check_domains();
  find_join_columns(policy);
  for (JoinSide& side : sides_) make_blocks(side);
  make_links(policy);
  for (const JoinSide& side : sides_) {
    indexes_.emplace_back(
        side.tested, side.blocks, side.values,
        [&](std::size_t level, std::uint32_t value) { return side.column(level).values[value]; });
  }
  for (const std::string& name : join_names_) {
    std::vector<Copy> found = copies(name);
    if (found.size() > 2) many_.push_back(std::move(found));
  }
}

// All columns that can matter: common ones, those of requirements and of inconsistent pairs.
void BlockJoin::name_columns(std::span<const Release> releases, const Policy& policy) {
  std::vector<std::string> all;
  for (const Release& release : releases) {
    for (const Release::Quasi& quasi : release.quasi) all.push_back(quasi.domain.name);
    for (const Release::Plain& plain : release.plain) all.push_back(plain.name);
  }
  std::vector<std::string> asked;
  for (const XyRequirement& requirement : policy.xy) {
    asked.insert(asked.end(), requirement.x.begin(), requirement.x.end());
    asked.insert(asked.end(), requirement.y.begin(), requirement.y.end());
    for (const auto& guarded : requirement.guarded) asked.push_back(guarded.column);
    for (const std::string& name : asked) {
      if (contains(all, name)) continue;
      throw InputError(fmt::format(
          "{}:{}: no release has the column '{}' of this requirement; their columns are: {}",
          policy.source, requirement.line, name, fmt::join(sorted(all), ", ")));
    }
  }
  for (const InconsistentPair& pair : policy.inconsistent) {
    asked.push_back(pair.one.column);
    asked.push_back(pair.other.column);
  }
  for (const std::string& name : sorted(all)) {
    if (std::count(all.begin(), all.end(), name) > 1 || contains(asked, name))
      names_.push_back(name);
  }
}

void BlockJoin::check_domains() const {
  for (const std::string& name : names_) {
    const Projection::Column* first = nullptr;
    for (const JoinSide& side : sides_) {
      const auto number = side.projection.find(name);
      if (!number) continue;
      const Projection::Column& column = side.projection.columns[*number];
      if (first == nullptr) first = &column;
      const bool same = column.plain != nullptr
                            ? first->plain != nullptr &&
                                  column.plain->values.labels == first->plain->values.labels
                            : first->quasi != nullptr && column.quasi->domain.values.labels ==
                                                             first->quasi->domain.values.labels;
      if (!same) throw std::invalid_argument("releases differ in the domain of " + name);
    }
  }
}

// Which columns of each side are tested against those of another.
void BlockJoin::find_join_columns(const Policy& policy) {
  const auto tested_by = [&](const Projection& against, const std::string& name) {
    if (against.find(name)) return true;
    return std::any_of(policy.inconsistent.begin(), policy.inconsistent.end(),
                       [&](const InconsistentPair& pair) {
                         return (pair.one.column == name && against.find(pair.other.column)) ||
                                (pair.other.column == name && against.find(pair.one.column));
                       });
  };
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    JoinSide& side = sides_[i];
    std::vector<std::size_t> later;
    for (std::size_t column = 0; column < side.projection.columns.size(); ++column) {
      const std::string& name = side.projection.columns[column].name;
      bool any = false;
      for (std::size_t other = 0; other < sides_.size(); ++other)
        any = any || (other != i && tested_by(sides_[other].projection, name));
      if (!any) continue;
      const bool current = i > 0 && tested_by(sides_[0].projection, name);
      (current ? side.join : later).push_back(column);
      join_names_.push_back(name);
    }
    side.tested = side.join.size();
    side.join.insert(side.join.end(), later.begin(), later.end());
  }
  join_names_ = sorted(std::move(join_names_));
}

void BlockJoin::make_blocks(JoinSide& side) {
  Ranks blocks(side.projection.size());
  for (const std::size_t column : side.join) {
    blocks.refine(side.projection.columns[column].of,
                  side.projection.columns[column].values.size());
  }
  side.blocks = blocks.count;
  const std::vector<std::uint32_t> examples = blocks.examples();
  for (const std::size_t column : side.join) {
    side.values.emplace_back();
    for (const std::uint32_t record : examples)
      side.values.back().push_back(side.projection.columns[column].of[record]);
  }
  side.block_of = std::move(blocks.of);
}

void BlockJoin::make_links(const Policy& policy) {
  links_.assign(sides_.size(), std::vector<Link>(sides_.size()));
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    for (std::size_t j = i + 1; j < sides_.size(); ++j) {
      for (std::size_t one = 0; one < sides_[i].join.size(); ++one) {
        for (std::size_t other = 0; other < sides_[j].join.size(); ++other)
          add_tests(policy, {i, one}, {j, other});
      }
    }
  }
}

void BlockJoin::add_tests(const Policy& policy, const Copy& one, const Copy& other) {
  Link& link = links_[one.side][other.side];
  const Projection::Column& first = sides_[one.side].column(one.column);
  const Projection::Column& second = sides_[other.side].column(other.column);
  if (first.name == second.name) link.common.emplace_back(one.column, other.column);
  for (const InconsistentPair& pair : policy.inconsistent) {
    const bool turned = pair.one.column != first.name;
    const InconsistentPair::Side& of_first = turned ? pair.other : pair.one;
    const InconsistentPair::Side& of_second = turned ? pair.one : pair.other;
    if (of_first.column != first.name || of_second.column != second.name) continue;
    Link::Ban ban{one.column, other.column, values_within(policy, first, of_first.value),
                  values_within(policy, second, of_second.value)};
    if (!ban.of_one.empty() && !ban.of_other.empty()) link.bans.push_back(std::move(ban));
  }
}

std::vector<BlockJoin::Copy> BlockJoin::copies(const std::string& name) const {
  std::vector<Copy> result;
  for (std::size_t side = 0; side < sides_.size(); ++side) {
    if (!sides_[side].projection.find(name)) continue;
    std::size_t column = 0;
    while (column < sides_[side].join.size() && sides_[side].column(column).name != name) ++column;
    result.push_back({side, column});
  }
  return result;
}

void BlockJoin::match(std::uint32_t block, const std::function<void(const BlockMatches&)>& use) {
  BlockMatches lists(sides_.size());
  lists[0] = {block};
  for (std::size_t i = 1; i < sides_.size(); ++i) {
    find(block, i, lists[i]);
    if (lists[i].empty()) return;
  }
  if (settled(block)) return use(lists);
  std::vector<std::uint32_t> tuple(1, block);
  extend(lists, tuple, use);
}

// The blocks of a side that match a block of T1.
void BlockJoin::find(std::uint32_t block, std::size_t side, std::vector<std::uint32_t>& found) {
  // What T1 has on the column of a level, where they have it in common.
  std::vector<const Cover*> own(sides_[side].tested, nullptr);
  for (const auto& columns : links_[0][side].common)
    own[columns.second] = &sides_[0].cover(columns.first, block);
  const auto wanted = [&](std::size_t level) {
    return own[level] != nullptr ? *own[level]
                                 : Cover{0, std::numeric_limits<Code>::max(), nullptr};
  };
  const auto test = [&](std::size_t level, std::uint32_t other) {
    return (own[level] == nullptr || meet(*own[level], sides_[side].cover(level, other))) &&
           !banned({0, block}, {side, other}, level);
  };
  indexes_[side].search(wanted, test, found, touched_);
}

// By the values on one column of the other, or on all.
bool BlockJoin::banned(const Block& one, const Block& other, std::size_t level) const {
  const std::vector<Link::Ban>& bans = links_[one.side][other.side].bans;
  return std::any_of(bans.begin(), bans.end(), [&](const Link::Ban& ban) {
    return (level == kAllLevels || ban.other == level) &&
           ban.of_one[sides_[one.side].values[ban.one][one.number]] &&
           ban.of_other[sides_[other.side].values[ban.other][other.number]];
  });
}

bool BlockJoin::fits(const Block& one, const Block& other) {
  ++touched_;
  const auto& common = links_[one.side][other.side].common;
  return std::all_of(common.begin(), common.end(),
                     [&](const std::pair<std::size_t, std::size_t>& columns) {
                       return meet(sides_[one.side].cover(columns.first, one.number),
                                   sides_[other.side].cover(columns.second, other.number));
                     }) &&
         !banned(one, other, kAllLevels);
}

// Whether what matches a block of T1 also matches each other: where T1 has one value, whoever
// matches it has that value too.
bool BlockJoin::settled(std::uint32_t block) const {
  for (std::size_t i = 1; i < sides_.size(); ++i) {
    for (std::size_t j = i + 1; j < sides_.size(); ++j) {
      if (!links_[i][j].bans.empty()) return false;
      for (const auto& columns : links_[i][j].common) {
        bool single = false;
        for (const auto& known : links_[0][i].common) {
          const Cover& cover = sides_[0].cover(known.first, block);
          single = single || (known.second == columns.first && cover.low == cover.high);
        }
        if (!single) return false;
      }
    }
  }
  return true;
}

// Whether, column by column, all sides have a value in common: for sets of values it is not enough
// that any two have.
bool BlockJoin::all_meet(const std::vector<std::uint32_t>& tuple) const {
  std::vector<Cover> all;
  return std::all_of(many_.begin(), many_.end(), [&](const std::vector<Copy>& column) {
    all.clear();
    for (const Copy& copy : column)
      all.push_back(sides_[copy.side].cover(copy.column, tuple[copy.side]));
    return meet(all);
  });
}

void BlockJoin::extend(const BlockMatches& lists, std::vector<std::uint32_t>& tuple,
                       const std::function<void(const BlockMatches&)>& use) {
  const std::size_t side = tuple.size();
  if (side == lists.size()) {
    if (!all_meet(tuple)) return;
    BlockMatches single;
    for (const std::uint32_t block : tuple) single.push_back({block});
    return use(single);
  }
  for (const std::uint32_t block : lists[side]) {
    bool fit = true;
    for (std::size_t before = 1; before < side && fit; ++before)
      fit = fits({before, tuple[before]}, {side, block});
    if (!fit) continue;
    tuple.push_back(block);
    extend(lists, tuple, use);
    tuple.pop_back();
  }
}

}  // namespace throng
