#include "publication/family.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "publication/packing.h"

namespace throng {

std::vector<std::uint32_t> Family::in(std::uint32_t state) const {
  std::vector<std::uint32_t> result;
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    if (members[i].state == state) result.push_back(i);
  }
  return result;
}

std::uint32_t Family::succeed(std::uint32_t state, std::uint32_t release) {
  if (states[state].born == release) return state;
  states[state].ended = release;
  const auto next = static_cast<std::uint32_t>(states.size());
  states.push_back({.parent = state, .born = release});
  for (Member& member : members) {
    if (member.state == state) member.state = next;
  }
  return next;
}

void Family::add(const Member& member, std::span<const Code> record) {
  members.push_back(member);
  values.insert(values.end(), record.begin(), record.end());
}

std::uint64_t Family::records(std::span<const std::uint32_t> of) const {
  std::uint64_t sum = 0;
  for (const std::uint32_t member : of) sum += members[member].count;
  return sum;
}

void Family::compact(std::size_t columns) {
  const auto compare = [&](std::uint32_t a, std::uint32_t b) {
    const auto key = [&](std::uint32_t i) {
      return std::pair(members[i].state, members[i].entered);
    };
    if (key(a) != key(b)) return key(a) < key(b) ? -1 : 1;
    const auto of_a = record(a, columns), of_b = record(b, columns);
    const auto [in_a, in_b] = std::mismatch(of_a.begin(), of_a.end(), of_b.begin());
    return in_a == of_a.end() ? 0 : *in_a < *in_b ? -1 : 1;
  };
  std::vector<std::uint32_t> order(members.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return compare(a, b) < 0; });
  Family result;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && compare(order[i - 1], order[i]) == 0) {
      result.members.back().count += members[order[i]].count;
    } else {
      result.add(members[order[i]], record(order[i], columns));
    }
  }
  members = std::move(result.members);
  values = std::move(result.values);
}

std::vector<std::uint32_t> WaitingList::at(std::uint64_t id) const {
  std::vector<std::uint32_t> result;
  for (std::uint32_t i = 0; i < waiters.size(); ++i) {
    if (waiters[i].id == id) result.push_back(i);
  }
  return result;
}

void WaitingList::add(const Waiter& waiter, std::span<const Code> record) {
  waiters.push_back(waiter);
  values.insert(values.end(), record.begin(), record.end());
}

void WaitingList::remove(std::uint64_t id, std::size_t columns) {
  WaitingList rest;
  for (std::size_t i = 0; i < waiters.size(); ++i) {
    if (waiters[i].id != id) rest.add(waiters[i], record(i, columns));
  }
  *this = std::move(rest);
}

namespace {

void write_record(std::span<const Code> record, const FamilyColumns& columns, Packer& writer) {
  for (std::size_t column = 0; column < record.size(); ++column) {
    if (column < columns.lasting) {
      writer.number(record[column]);
      continue;
    }
    const Values& values = *columns.values[column];
    writer.number(record[column] == values.missing() ? 1 : 0);
    writer.text(values.label(record[column]));
    if (values.type() != Type::text) {
      writer.number(std::bit_cast<std::uint64_t>(values.number(record[column])));
    }
  }
}

void read_record(Unpacker& reader, const FamilyColumns& columns, std::vector<Code>& into) {
  for (std::size_t column = 0; column < columns.values.size(); ++column) {
    if (column < columns.lasting) {
      into.push_back(static_cast<Code>(reader.number()));
      continue;
    }
    Values& values = *columns.values[column];
    const bool missing = reader.number() != 0;
    const std::string label(reader.text());
    const bool is_text = values.type() == Type::text;
    into.push_back(
        values.add(label, is_text ? 0 : std::bit_cast<double>(reader.number()), missing));
  }
}

}  // namespace

std::string write_family(const Family& family, const FamilyColumns& columns) {
  Packer writer;
  writer.number(family.states.size());
  for (const Family::State& state : family.states) {
    writer.number(state.parent + 1U);  // none is 0
    writer.number(state.born);
    writer.number(state.ended);
    writer.number(state.id);
    writer.number(state.number);
  }
  writer.number(family.members.size());
  for (std::size_t i = 0; i < family.members.size(); ++i) {
    writer.number(family.members[i].state);
    writer.number(family.members[i].entered);
    writer.number(family.members[i].count);
    write_record(family.record(i, columns.values.size()), columns, writer);
  }
  return std::move(writer).take();
}

Family read_family(std::uint64_t id, std::string_view bytes, const FamilyColumns& columns) {
  Unpacker reader(bytes);
  const auto number = [&] { return static_cast<std::uint32_t>(reader.number()); };
  Family family;
  family.id = id;
  family.states.resize(reader.number());
  for (Family::State& state : family.states) {
    state.parent = number() - 1U;
    state.born = number();
    state.ended = number();
    state.id = reader.number();
    state.number = reader.number();
  }
  family.members.resize(reader.number());
  family.values.reserve(family.members.size() * columns.values.size());
  for (Family::Member& member : family.members) {
    member.state = number();
    member.entered = number();
    member.count = number();
    read_record(reader, columns, family.values);
  }
  return family;
}

std::string write_list(const WaitingList& list, const FamilyColumns& columns) {
  Packer writer;
  writer.number(list.waiters.size());
  for (std::size_t i = 0; i < list.waiters.size(); ++i) {
    writer.number(list.waiters[i].id);
    writer.number(list.waiters[i].arrived);
    writer.number(list.waiters[i].count);
    write_record(list.record(i, columns.values.size()), columns, writer);
  }
  return std::move(writer).take();
}

WaitingList read_list(std::string_view bytes, const FamilyColumns& columns) {
  Unpacker reader(bytes);
  WaitingList list;
  list.waiters.resize(reader.number());
  for (WaitingList::Waiter& waiter : list.waiters) {
    waiter.id = reader.number();
    waiter.arrived = static_cast<std::uint32_t>(reader.number());
    waiter.count = static_cast<std::uint32_t>(reader.number());
    read_record(reader, columns, list.values);
  }
  return list;
}

namespace {

using Counts = std::vector<std::uint32_t>;  // by value: a multiset

// Whether a set that somebody can infer names too few values.
bool is_narrow(std::size_t distinct, std::size_t needed) {
  return distinct != 0 && distinct < needed;
}

// Figure 6 for one earlier class and the classes that its records are in now.
bool opens(const Counts& earlier, const std::vector<const Counts*>& parts, std::size_t needed) {
  Counts rest(earlier.size(), 0);  // (e_j1 ∪ … ∪ e_jm) ∖ e_i
  for (const Counts* part : parts) {
    for (std::size_t v = 0; v < rest.size(); ++v) rest[v] += (*part)[v];
  }
  std::size_t entered = 0;
  for (std::size_t v = 0; v < rest.size(); ++v) {
    rest[v] -= earlier[v];
    entered += rest[v] > 0 ? 1 : 0;
  }
  if (parts.size() == 1) return is_narrow(entered, needed);
  for (const Counts* part : parts) {
    std::size_t fresh = 0, kept = 0;
    for (std::size_t v = 0; v < rest.size(); ++v) {
      fresh += std::min(rest[v], (*part)[v]) > 0 ? 1 : 0;
      kept += std::min(earlier[v], (*part)[v]) > 0 ? 1 : 0;
    }
    if (is_narrow(fresh, needed) || is_narrow(kept, needed)) return true;
  }
  return false;
}

}  // namespace

bool has_channel(const Family& family, std::uint32_t state, std::uint32_t release,
                 std::span<const Guard> guards, std::size_t columns) {
  std::vector<std::uint32_t> chain;  // the earlier states, the latest first
  for (std::uint32_t at = state; at != Family::kNone; at = family.states[at].parent) {
    if (family.states[at].born < release) chain.push_back(at);
  }
  if (chain.empty()) return false;
  // The first of the chain that each state comes from; it comes from all that follow, too.
  std::vector<std::uint32_t> from(family.states.size(), Family::kNone);
  for (std::uint32_t i = 0; i < family.states.size(); ++i) {
    const auto found = std::find(chain.begin(), chain.end(), i);
    if (found != chain.end()) {
      from[i] = static_cast<std::uint32_t>(found - chain.begin());
    } else if (family.states[i].parent != Family::kNone) {
      from[i] = from[family.states[i].parent];
    }
  }

  for (const Guard& guard : guards) {
    const auto value_of = [&](std::size_t member) {
      return family.values[member * columns + guard.column];
    };
    Counts known;
    for (std::size_t i = 0; i < family.members.size(); ++i) known.push_back(value_of(i));
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    std::vector<std::uint32_t> place(family.members.size());
    std::vector<Counts> of_class(family.states.size());
    for (std::size_t i = 0; i < family.members.size(); ++i) {
      const Family::Member& member = family.members[i];
      place[i] = static_cast<std::uint32_t>(
          std::lower_bound(known.begin(), known.end(), value_of(i)) - known.begin());
      Counts& counts = of_class[member.state];
      if (counts.empty()) counts.resize(known.size());
      counts[place[i]] += member.count;
    }
    for (std::uint32_t e = 0; e < chain.size(); ++e) {
      Counts earlier(known.size(), 0);
      std::vector<char> shares(family.states.size(), 0);
      for (std::size_t i = 0; i < family.members.size(); ++i) {
        const Family::Member& member = family.members[i];
        const bool was_in =
            from[member.state] <= e && member.entered <= family.states[chain[e]].born;
        if (!was_in) continue;
        earlier[place[i]] += member.count;
        shares[member.state] = 1;
      }
      std::vector<const Counts*> parts;
      for (std::size_t i = 0; i < of_class.size(); ++i) {
        if (shares[i]) parts.push_back(&of_class[i]);
      }
      if (opens(earlier, parts, guard.needed)) return true;
    }
  }
  return false;
}

}  // namespace throng
