#include "privacy/matching.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <unordered_map>

namespace throng {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

std::uint64_t hash_of(std::span<const std::uint64_t> words) {
  std::uint64_t hash = 0x9E3779B97F4A7C15ULL;
  for (const std::uint64_t word : words) {
    hash = (hash ^ word) * 0xBF58476D1CE4E5B9ULL;
    hash ^= hash >> 29;
  }
  return hash;
}

// An assignment of values to types of records where the knowledge contradicts the data: whoever may
// keep his own value does at first, the others look for one along shortest paths, phase by phase.
class Assignment {
 public:
  // `allowed(type, value)`; `own` is the type's value, `count` its records, `left` by value.
  Assignment(std::size_t types, std::size_t values) : types_(types), values_(values) {
    holds_.assign(types * values, 0);
    allowed_.assign(types * values, 0);
    missing_.assign(types, 0);
    left_.assign(values, 0);
  }
  void allow(std::size_t type, std::size_t value) { allowed_[type * values_ + value] = 1; }
  void hold(std::size_t type, std::size_t value, std::uint64_t count) {
    holds_[type * values_ + value] += count;
  }
  void lack(std::size_t type, std::uint64_t count) { missing_[type] += count; }
  void leave(std::size_t value, std::uint64_t count) { left_[value] += count; }
  std::uint64_t holds(std::size_t type, std::size_t value) const {
    return holds_[type * values_ + value];
  }

  bool find() {
    while (true) {
      if (std::all_of(missing_.begin(), missing_.end(), [](std::uint64_t m) { return m == 0; }))
        return true;
      if (!layer()) return false;
      next_value_.assign(types_, 0);
      next_type_.assign(values_, 0);
      for (std::size_t type = 0; type < types_; ++type) {
        while (missing_[type] > 0) {
          const std::uint64_t given = push(type, missing_[type]);
          if (given == 0) break;
          missing_[type] -= given;
        }
      }
    }
  }

 private:
  // How far each type and value is from a type that lacks something; false where no value that is
  // left can be reached.
  bool layer() {
    type_level_.assign(types_, kNone);
    value_level_.assign(values_, kNone);
    std::vector<std::size_t> now, next;
    for (std::size_t type = 0; type < types_; ++type) {
      if (missing_[type] == 0) continue;
      type_level_[type] = 0;
      now.push_back(type);
    }
    bool reached = false;
    for (std::uint32_t level = 0; !now.empty() && !reached; ++level) {
      next.clear();
      for (const std::size_t type : now) {
        for (std::size_t value = 0; value < values_; ++value) {
          if (allowed_[type * values_ + value] == 0 || value_level_[value] != kNone) continue;
          value_level_[value] = level;
          reached = reached || left_[value] > 0;
          for (std::size_t other = 0; other < types_; ++other) {
            if (holds_[other * values_ + value] == 0 || type_level_[other] != kNone) continue;
            type_level_[other] = level + 1;
            next.push_back(other);
          }
        }
      }
      now.swap(next);
    }
    return reached;
  }

  // How many of `wanted` records of the type get a value along the layers.
  std::uint64_t push(std::size_t type, std::uint64_t wanted) {
    for (std::size_t& value = next_value_[type]; value < values_; ++value) {
      if (allowed_[type * values_ + value] == 0 || value_level_[value] != type_level_[type])
        continue;
      if (left_[value] > 0) {
        const std::uint64_t taken = std::min(wanted, left_[value]);
        left_[value] -= taken;
        holds_[type * values_ + value] += taken;
        return taken;
      }
      for (std::size_t& other = next_type_[value]; other < types_; ++other) {
        const std::uint64_t held = holds_[other * values_ + value];
        if (held == 0 || type_level_[other] != type_level_[type] + 1) continue;
        const std::uint64_t taken = push(other, std::min(wanted, held));
        if (taken == 0) continue;
        holds_[other * values_ + value] -= taken;
        holds_[type * values_ + value] += taken;
        return taken;
      }
    }
    return 0;
  }

  std::size_t types_, values_;
  std::vector<std::uint64_t> holds_, missing_, left_;
  std::vector<char> allowed_;
  std::vector<std::uint32_t> type_level_, value_level_;
  std::vector<std::size_t> next_value_, next_type_;
};

}  // namespace

ImpossibleSets::ImpossibleSets(std::size_t values)
    : values_(values), words_(std::max<std::size_t>(1, (values + 63) / 64)), slots_(16, kNone) {
  const std::vector<std::uint64_t> none(words_, 0);
  add(none);
}

std::uint32_t ImpossibleSets::add(std::span<const std::uint64_t> words) {
  std::size_t slot = hash_of(words) & (slots_.size() - 1);
  for (; slots_[slot] != kNone; slot = (slot + 1) & (slots_.size() - 1)) {
    if (std::equal(words.begin(), words.end(), set(slots_[slot]))) return slots_[slot];
  }
  const auto number = static_cast<std::uint32_t>(size());
  bits_.insert(bits_.end(), words.begin(), words.end());
  slots_[slot] = number;
  if (2 * size() > slots_.size()) {
    slots_.assign(2 * slots_.size(), kNone);
    for (std::uint32_t i = 0; i <= number; ++i) {
      std::size_t at = hash_of({set(i), words_}) & (slots_.size() - 1);
      while (slots_[at] != kNone) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = i;
    }
  }
  return number;
}

std::uint32_t ImpossibleSets::add_values(std::span<const Code> values) {
  std::vector<std::uint64_t> words(words_, 0);
  for (const Code value : values) words[value / 64] |= std::uint64_t{1} << (value % 64);
  return add(words);
}

RecordTypes make_record_types(ImpossibleSets sets, std::span<const Code> values,
                              std::span<const std::uint32_t> set_of) {
  RecordTypes types(0);
  types.sets = std::move(sets);
  types.type_of.resize(values.size());
  std::unordered_map<std::uint64_t, std::uint32_t> number_of;
  for (std::size_t entry = 0; entry < values.size(); ++entry) {
    const auto [found, is_new] =
        number_of.try_emplace((std::uint64_t{values[entry]} << 32) | set_of[entry],
                              static_cast<std::uint32_t>(types.types.size()));
    if (is_new) types.types.push_back({values[entry], set_of[entry]});
    types.type_of[entry] = found->second;
  }
  return types;
}

MatchingTally::MatchingTally(const RecordTypes& types)
    : types_(&types),
      words_(types.sets.words()),
      type_counts_(types.types.size(), 0),
      value_counts_(types.sets.values(), 0),
      is_seen_(types.types.size(), 0),
      is_value_seen_(types.sets.values(), 0),
      place_(types.sets.values(), kNone),
      present_(words_, 0),
      words_scratch_(words_, 0) {}

void MatchingTally::add(std::uint32_t type, std::uint64_t count) {
  if (count == 0) return;
  records_ += count;
  type_counts_[type] += count;
  if (!is_seen_[type]) {
    is_seen_[type] = 1;
    seen_types_.push_back(type);
  }
  const Code value = types_->types[type].value;
  if (value_counts_[value] == 0) {
    ++distinct_;
    present_[value / 64] |= std::uint64_t{1} << (value % 64);
    if (!is_value_seen_[value]) {
      is_value_seen_[value] = 1;
      seen_values_.push_back(value);
    }
  }
  value_counts_[value] += count;
}

void MatchingTally::remove(std::uint32_t type, std::uint64_t count) {
  if (count == 0) return;
  records_ -= count;
  type_counts_[type] -= count;
  const Code value = types_->types[type].value;
  value_counts_[value] -= count;
  if (value_counts_[value] > 0) return;
  --distinct_;
  present_[value / 64] &= ~(std::uint64_t{1} << (value % 64));
}

void MatchingTally::clear() {
  for (const std::uint32_t type : seen_types_) {
    type_counts_[type] = 0;
    is_seen_[type] = 0;
  }
  for (const Code value : seen_values_) {
    value_counts_[value] = 0;
    is_value_seen_[value] = 0;
    present_[value / 64] = 0;
  }
  seen_types_.clear();
  seen_values_.clear();
  records_ = 0;
  distinct_ = 0;
}

std::uint64_t MatchingTally::most() const {
  std::uint64_t most = 0;
  for (const Code value : seen_values_) most = std::max(most, value_counts_[value]);
  return most;
}

bool MatchingTally::collect() {
  here_.clear();
  contradicted_ = false;
  bool conflicts = false;
  for (const std::uint32_t type : seen_types_) {
    if (type_counts_[type] == 0) continue;
    const std::uint64_t* set = types_->sets.set(types_->types[type].set);
    for (std::size_t word = 0; word < words_; ++word)
      conflicts = conflicts || (set[word] & present_[word]) != 0;
    contradicted_ = contradicted_ || types_->contradicts(type);
    here_.push_back(type);
  }
  return conflicts;
}

bool MatchingTally::assign() {
  Assignment assignment(here_.size(), values_here_.size());
  for (std::size_t index = 0; index < here_.size(); ++index) {
    const RecordTypes::Type& type = types_->types[here_[index]];
    for (std::size_t place = 0; place < values_here_.size(); ++place) {
      if (!types_->sets.has(type.set, values_here_[place])) assignment.allow(index, place);
    }
    if (types_->contradicts(here_[index])) {
      assignment.lack(index, type_counts_[here_[index]]);
      assignment.leave(place_[type.value], type_counts_[here_[index]]);
    } else {
      assignment.hold(index, place_[type.value], type_counts_[here_[index]]);
    }
  }
  if (!assignment.find()) return false;
  for (std::uint32_t index = 0; index < here_.size(); ++index) {
    for (std::uint32_t place = 0; place < values_here_.size(); ++place) {
      if (assignment.holds(index, place) > 0) held_.push_back({index, place});
    }
  }
  return true;
}

bool MatchingTally::solve() {
  values_here_.clear();
  for (const Code value : seen_values_) {
    if (value_counts_[value] == 0) continue;
    place_[value] = static_cast<std::uint32_t>(values_here_.size());
    values_here_.push_back(value);
  }
  held_.clear();
  if (contradicted_) {
    if (!assign()) return false;
  } else {
    for (std::uint32_t index = 0; index < here_.size(); ++index)
      held_.push_back({index, place_[types_->types[here_[index]].value]});
  }
  find_components();
  return true;
}

// Kosaraju's two searches; a step of a search takes a word of arcs at once.
void MatchingTally::find_components() {
  const std::size_t nodes = values_here_.size(), width = (nodes + 63) / 64;
  arcs_.assign(nodes * width, 0);
  back_arcs_.assign(nodes * width, 0);
  for (const Held& held : held_) {
    const std::uint64_t* set = impossible(held.index);
    for (std::size_t word = 0; word < words_; ++word) {
      for (std::uint64_t bits = present_[word] & ~set[word]; bits != 0; bits &= bits - 1) {
        const std::uint32_t to =
            place_[word * 64 + static_cast<std::size_t>(std::countr_zero(bits))];
        arcs_[held.place * width + to / 64] |= std::uint64_t{1} << (to % 64);
        back_arcs_[to * width + held.place / 64] |= std::uint64_t{1} << (held.place % 64);
      }
    }
  }
  const auto all_unvisited = [&] {
    unvisited_.assign(width, ~std::uint64_t{0});
    if (nodes % 64 != 0) unvisited_.back() = (std::uint64_t{1} << (nodes % 64)) - 1;
  };
  const auto visit = [&](std::uint32_t node) {
    unvisited_[node / 64] &= ~(std::uint64_t{1} << (node % 64));
    stack_.push_back(node);
  };
  const auto next_of = [&](const std::vector<std::uint64_t>& arcs, std::uint32_t node) {
    for (std::size_t word = 0; word < width; ++word) {
      const std::uint64_t bits = arcs[node * width + word] & unvisited_[word];
      if (bits != 0)
        return static_cast<std::uint32_t>(word * 64 +
                                          static_cast<std::size_t>(std::countr_zero(bits)));
    }
    return kNone;
  };
  finished_.clear();
  all_unvisited();
  for (std::uint32_t start = 0; start < nodes; ++start) {
    if (((unvisited_[start / 64] >> (start % 64)) & 1) == 0) continue;
    visit(start);
    while (!stack_.empty()) {
      const std::uint32_t next = next_of(arcs_, stack_.back());
      if (next != kNone) {
        visit(next);
      } else {
        finished_.push_back(stack_.back());
        stack_.pop_back();
      }
    }
  }
  component_.assign(nodes, 0);
  component_words_.clear();
  all_unvisited();
  for (std::size_t i = finished_.size(); i-- > 0;) {
    const std::uint32_t start = finished_[i];
    if (((unvisited_[start / 64] >> (start % 64)) & 1) == 0) continue;
    const auto number = static_cast<std::uint32_t>(component_words_.size() / words_);
    component_words_.resize(component_words_.size() + words_, 0);
    visit(start);
    while (!stack_.empty()) {
      const std::uint32_t node = stack_.back();
      const std::uint32_t next = next_of(back_arcs_, node);
      if (next != kNone) {
        visit(next);
        continue;
      }
      stack_.pop_back();
      component_[node] = number;
      const Code value = values_here_[node];
      component_words_[number * words_ + value / 64] |= std::uint64_t{1} << (value % 64);
    }
  }
}

// What is valid for a type: by each value that it holds, the rest of that value's component.
void MatchingTally::valid_words(std::size_t index, std::uint64_t* words) const {
  std::fill(words, words + words_, std::uint64_t{0});
  const auto take = [&](const Held& held) {
    const std::uint64_t* of = component_words_.data() + component_[held.place] * words_;
    for (std::size_t word = 0; word < words_; ++word) words[word] |= of[word];
  };
  if (!contradicted_) {
    take(held_[index]);  // its own
  } else {
    for (const Held& held : held_) {
      if (held.index == index) take(held);
    }
  }
  const std::uint64_t* set = impossible(index);
  for (std::size_t word = 0; word < words_; ++word) words[word] &= ~set[word];
}

bool MatchingTally::met(std::size_t l) {
  if (records_ == 0 || distinct_ < l) return false;
  if (!collect()) return true;
  // The simple requirement is needed, and cheap.
  for (std::size_t index = 0; index < here_.size(); ++index) {
    const std::uint64_t* set = impossible(index);
    std::size_t possible = 0;
    for (std::size_t word = 0; word < words_; ++word)
      possible += static_cast<std::size_t>(std::popcount(present_[word] & ~set[word]));
    if (possible < l) return false;
  }
  if (!solve()) return false;
  if (contradicted_) {
    for (std::size_t index = 0; index < here_.size(); ++index) {
      valid_words(index, words_scratch_.data());
      std::size_t valid = 0;
      for (const std::uint64_t word : words_scratch_)
        valid += static_cast<std::size_t>(std::popcount(word));
      if (valid < l) return false;
    }
    return true;
  }
  // One value a type.
  for (const Held& held : held_) {
    const std::uint64_t* set = impossible(held.index);
    const std::uint64_t* of = component_words_.data() + component_[held.place] * words_;
    std::size_t valid = 0;
    for (std::size_t word = 0; word < words_; ++word)
      valid += static_cast<std::size_t>(std::popcount(of[word] & ~set[word]));
    if (valid < l) return false;
  }
  return true;
}

MatchingTally::Result MatchingTally::result() {
  Result result;
  collect();
  result.contradiction = !solve();
  for (std::size_t index = 0; index < here_.size(); ++index) {
    Found found{here_[index], type_counts_[here_[index]], 0, 0};
    const std::uint64_t* set = impossible(index);
    for (std::size_t word = 0; word < words_; ++word)
      found.possible += static_cast<std::uint32_t>(std::popcount(present_[word] & ~set[word]));
    if (!result.contradiction) {
      valid_words(index, words_scratch_.data());
      for (const std::uint64_t word : words_scratch_)
        found.valid += static_cast<std::uint32_t>(std::popcount(word));
    } else {
      held_.clear();
    }
    result.types.push_back(found);
  }
  return result;
}

std::vector<MatchingTally::Found> MatchingTally::remove_hopeless(std::size_t l) {
  std::vector<Found> hopeless;
  // Who goes takes his value along, and others may need it.
  for (bool any = true; any && records_ > 0 && !met(l);) {
    any = false;
    const Result group = result();
    for (const Found& found : group.types) {
      if (found.valid >= l) continue;
      hopeless.push_back(found);
      remove(found.type, found.records);
      any = true;
    }
  }
  std::sort(hopeless.begin(), hopeless.end(),
            [](const Found& a, const Found& b) { return a.type < b.type; });
  return hopeless;
}

bool MatchingTally::helped_by(std::uint32_t type, std::size_t l) const {
  const RecordTypes::Type& given = types_->types[type];
  const bool is_new = value_counts_[given.value] == 0;
  bool lacking = false;
  for (const std::uint32_t other : seen_types_) {
    if (type_counts_[other] == 0) continue;
    const std::uint64_t* set = types_->sets.set(types_->types[other].set);
    std::size_t possible = 0;
    for (std::size_t word = 0; word < words_; ++word)
      possible += static_cast<std::size_t>(std::popcount(present_[word] & ~set[word]));
    if (possible >= l) continue;
    lacking = true;
    if (is_new && !types_->sets.has(types_->types[other].set, given.value)) return true;
  }
  if (lacking) return false;
  if (is_new) return true;
  // An arc to a value that nobody with the same value may take.
  for (std::size_t word = 0; word < words_; ++word) {
    std::uint64_t arcs = present_[word] & ~types_->sets.set(given.set)[word];
    for (const std::uint32_t other : seen_types_) {
      if (type_counts_[other] > 0 && types_->types[other].value == given.value)
        arcs &= types_->sets.set(types_->types[other].set)[word];
    }
    if (arcs != 0) return true;
  }
  return false;
}

std::vector<std::uint64_t> MatchingTally::valid_values(std::uint32_t type) const {
  std::vector<std::uint64_t> words(words_, 0);
  const auto found = std::find(here_.begin(), here_.end(), type);
  if (found != here_.end())
    valid_words(static_cast<std::size_t>(found - here_.begin()), words.data());
  return words;
}

}  // namespace throng
