// The incremental publisher: add, insert, split, with waiting lists and a history.
//
// Claim: every class of every release meets the policy's requirements; every record is in one class
// or waits; records that were published stay published. For each ℓ-diversity that the policy asks
// for, no two releases have an inference channel: every set of Figure 6, between a class of an
// earlier release and the classes that its records are in, has at least ℓ distinct values or is
// empty. No two classes of a release have the same regions. Source: Byun et al. 2006, sections 4.2
// and 4.3. Cost: of a batch of b records into c classes, b searches in an index of the classes
// (class_index.h), the waiting lists that the records come to, and the families (family.h) of those
// lists that are long enough, each read and written once. Nothing is proportional to c, but the
// domains of the quasi-identifiers are built anew from their values.
//
// Under matching ℓ-diversity every class leaves everybody ℓ values that he can have by the rules
// that are known when it begins; whom no group protects, waits. The history looks at distinct
// values, not at rules.
//
// Departures. Figure 6 is checked for any number of parts, and in the whole family: an insertion
// that leaves its own class safe may open a channel in a cousin that shares an ancestor with it.
// History is never purged: `compatible` is decided by the records, not by regions that meet.
// Groups of new records are found by Mondrian. A waiting list that could be a class of its own is
// made one before it is inserted. A class is split by the cut of least information loss that the
// requirements and the history allow, again and again. Records of which no class could be made
// while there was none wait in a pool.
#include "publication/dynamic.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "algorithms/algorithm.h"
#include "algorithms/protectable.h"
#include "knowledge/attacker.h"
#include "privacy/requirements.h"
#include "publication/class_index.h"
#include "publication/family.h"
#include "publication/judge.h"
#include "publication/kept_knowledge.h"
#include "publication/packing.h"
#include "publication/space.h"
#include "publication/values.h"
#include "throng/error.h"

namespace throng {
namespace {

constexpr std::uint64_t kPool = 0;  // the family of those who wait and have no class to wait for

std::string context_of(std::uint64_t family) { return fmt::format("family {}", family); }
std::string list_context(std::uint64_t family) { return fmt::format("waiting list {}", family); }

Domain::Kind kind_of(const ColumnPolicy& rule) {
  if (!std::holds_alternative<std::monostate>(rule.generalization.hierarchy)) {
    return Domain::Kind::tree;
  }
  return rule.type.type == Type::text ? Domain::Kind::set : Domain::Kind::interval;
}

bool is_guarded(const Policy& policy, const std::string& column) {
  if (policy.matching && policy.matching->column == column) return true;
  return std::any_of(policy.diversities.begin(), policy.diversities.end(),
                     [&](const Diversity& diversity) { return diversity.column == column; });
}

// The classes that a member was in, from the one it is in now back to the one that it entered:
// visit(state, first release, last release).
template <typename Visit>
void visit_classes(const Family& family, const Family::Member& member, std::uint32_t releases,
                   Visit&& visit) {
  std::uint32_t until = releases;
  for (std::uint32_t at = member.state; at != Family::kNone; at = family.states[at].parent) {
    const std::uint32_t from = std::max(member.entered, family.states[at].born);
    visit(family.states[at], from, until);
    if (from == member.entered) break;
    until = from - 1;
  }
}

}  // namespace

// What lasts, in memory and in the database.
class Dynamic::Ledger {
 public:
  Ledger(Database& ledger_database, const Vault& ledger_vault, const Policy& ledger_policy)
      : database(ledger_database),
        vault(ledger_vault),
        policy(ledger_policy),
        index(ledger_database, ledger_vault) {
    Statement query =
        database.prepare("SELECT releases, next_class, next_family, columns FROM dynamic_state");
    if (!query.step()) return;
    releases = static_cast<std::uint32_t>(query.integer(0));
    next_class = static_cast<std::uint64_t>(query.integer(1));
    next_family = static_cast<std::uint64_t>(query.integer(2));
    const std::string bytes = vault.open(query.blob(3), "columns");
    Unpacker reader(bytes);
    std::vector<std::string> names;
    for (std::uint64_t left = reader.number(); left > 0; --left) names.emplace_back(reader.text());
    set_columns(names);
    read_values();
  }

  // The columns in the table's order; here quasi-identifiers lead, guarded columns follow.
  void set_columns(const std::vector<std::string>& names) {
    table_columns = names;
    const auto rank = [&](const std::string& name) {
      if (policy.find(name)->role == Role::quasi_identifier) return 0;
      return is_guarded(policy, name) ? 1 : 2;
    };
    columns = names;
    std::stable_sort(columns.begin(), columns.end(),
                     [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
    for (const std::string& name : columns) {
      const ColumnPolicy& rule = *policy.find(name);
      values.emplace_back(rule.type.type);
      if (rank(name) == 0) kinds.push_back(kind_of(rule));
      if (rank(name) == 1) guards.push_back({values.size() - 1, 1});
    }
    lasting = kinds.size() + guards.size();
  }

  std::size_t width() const { return columns.size(); }
  std::size_t quasi() const { return kinds.size(); }

  FamilyColumns family_columns() {
    FamilyColumns result;
    for (Values& column : values) result.values.push_back(&column);
    result.lasting = lasting;
    return result;
  }

  void read_values() {
    Statement query =
        database.prepare("SELECT release, sealed FROM dynamic_values ORDER BY release");
    while (query.step()) {
      const std::string context = fmt::format("values of release {}", query.integer(0));
      const std::string bytes = vault.open(query.blob(1), context);
      Unpacker reader(bytes);
      for (std::size_t i = 0; i < lasting; ++i) values[i].read(reader.text());
    }
  }

  template <typename Visit>
  void visit_families(Visit&& visit) {
    const FamilyColumns read_columns = family_columns();
    Statement query = database.prepare("SELECT id, sealed FROM dynamic_family ORDER BY id");
    while (query.step()) {
      const auto id = static_cast<std::uint64_t>(query.integer(0));
      visit(read_family(id, vault.open(query.blob(1), context_of(id)), read_columns));
    }
  }
  template <typename Visit>
  void visit_lists(Visit&& visit) {
    const FamilyColumns read_columns = family_columns();
    Statement query = database.prepare("SELECT family, sealed FROM dynamic_list ORDER BY family");
    while (query.step()) {
      const auto id = static_cast<std::uint64_t>(query.integer(0));
      visit(read_list(vault.open(query.blob(1), list_context(id)), read_columns));
    }
  }

  std::size_t matching_column() const {
    return static_cast<std::size_t>(
        std::find(columns.begin(), columns.end(), policy.matching->column) - columns.begin());
  }

  // Those from `known` on, by column.
  void write_values(const std::vector<Code>& known, std::uint32_t release) {
    bool any = false;
    Packer writer;
    for (std::size_t i = 0; i < lasting; ++i) {
      any |= values[i].size() > known[i];
      writer.text(values[i].write(known[i]));
    }
    if (!any) return;
    const std::string context = fmt::format("values of release {}", release);
    database.prepare("INSERT INTO dynamic_values VALUES (?, ?)")
        .bind(1, std::int64_t{release})
        .bind_blob(2, vault.seal(std::move(writer).take(), context))
        .run();
  }

  void write_state() {
    Packer writer;
    writer.number(table_columns.size());
    for (const std::string& name : table_columns) writer.text(name);
    database.prepare("INSERT OR REPLACE INTO dynamic_state VALUES (1, ?, ?, ?, ?)")
        .bind(1, std::int64_t{releases})
        .bind(2, static_cast<std::int64_t>(next_class))
        .bind(3, static_cast<std::int64_t>(next_family))
        .bind_blob(4, vault.seal(std::move(writer).take(), "columns"))
        .run();
  }

  Domain make_domain_of(std::size_t column) const {
    return make_domain(columns[column], values[column].sorted().dictionary,
                       policy.find(columns[column])->generalization);
  }

  Database& database;
  const Vault& vault;
  const Policy& policy;
  ClassIndex index;
  std::uint32_t releases = 0;
  std::uint64_t next_class = 1, next_family = kPool + 1;
  std::vector<std::string> table_columns;  // in the order of the table
  std::vector<std::string> columns;        // as records have them
  std::vector<Values> values;              // by column
  std::vector<Domain::Kind> kinds;         // of the quasi-identifiers
  std::vector<Guard> guards;
  std::size_t lasting = 0;  // columns whose values keep their numbers: those that decide
  mutable std::vector<Domain> domains;
};

// One release.
class Dynamic::Update {
 public:
  Update(Ledger& ledger, std::uint32_t release, const std::string& rules)
      : ledger_(ledger), release_(release), rules_(rules) {}

  Change run(const Table& batch, ClassId first_class, std::uint64_t seed) {
    take(batch);
    add();
    insert();
    for (const auto& [family, id] : touched_) settle(family, id);
    Change change = publish(first_class, seed);
    save();
    return change;
  }

 private:
  std::span<const Code> record(std::size_t i) const {
    return std::span(records_).subspan(i * ledger_.width(), ledger_.width());
  }
  std::span<const Code> record(const Family& family, std::size_t member) const {
    return family.record(member, ledger_.width());
  }
  Box box_of(const Family& family, std::span<const std::uint32_t> members) const {
    Box box = space_->empty();
    for (const std::uint32_t member : members) space_->add(box, record(family, member));
    space_->mark(box);
    return box;
  }
  bool met(const Family& family, std::span<const std::uint32_t> members) {
    return judge_->met(
        members.size(), [&](std::size_t i) { return record(family, members[i]); },
        [&](std::size_t i) { return family.members[members[i]].count; });
  }
  void index_class(const Family& family, std::uint32_t state, std::uint64_t size, Box box) {
    ledger_.index.insert({family.states[state].id, family.id, size, std::move(box)});
  }

  Family& loaded(std::uint64_t id);
  WaitingList& list_of(std::uint64_t family);
  Family& make_family() {
    const std::uint64_t id = ledger_.next_family++;
    Family& family = families_[id];
    family.id = id;
    changed_.insert(id);
    family.states.push_back({.born = release_, .id = ledger_.next_class++});
    return family;
  }

  void take(const Table& batch);
  Table with_pool(const Table& batch, const std::vector<std::vector<Code>>& value_of,
                  const WaitingList& pool) const;
  void list_records(const FrequencyList& list, const Partition& partition,
                    const std::vector<std::vector<Code>>& value_of, const WaitingList& pool);
  Partition group(FrequencyList& list) const;
  void know();
  void merge_equal(Partition& partition) const;
  void add();
  void insert();
  void settle(std::uint64_t family_id, std::uint64_t id);
  struct Cut;
  std::vector<Cut> cuts_of(const Family& family, std::span<const std::uint32_t> members) const;
  void split(Family& family, std::uint32_t state);
  Change publish(ClassId first_class, std::uint64_t seed);
  void save();

  Ledger& ledger_;
  const std::uint32_t release_;
  const std::string& rules_;  // of matching ℓ-diversity
  std::optional<Statement> family_query_, list_query_;
  std::optional<Space> space_;
  Space::Layout layout_;
  std::optional<KnownTypes> known_;
  std::optional<Judge> judge_;
  bool is_first_ = false;  // there is no class yet

  // What came, and was in the pool: values, the release it came with, how many; group by group.
  std::vector<Code> records_;
  std::vector<std::uint32_t> arrived_, counts_;
  std::vector<std::uint32_t> group_begin_;
  std::vector<std::uint32_t> left_;  // those that were not added

  std::map<std::uint64_t, Family> families_;    // those that were read or made
  std::set<std::uint64_t> changed_;             // of those
  std::map<std::uint64_t, WaitingList> lists_;  // by family: those where somebody came
  std::vector<std::pair<std::uint64_t, std::uint64_t>> touched_;  // family, class: who waits there
  std::map<std::uint32_t, std::int64_t> waiting_;                 // by arrival: more, or fewer
};

Family& Dynamic::Update::loaded(std::uint64_t id) {
  const auto [found, is_new] = families_.try_emplace(id);
  if (!is_new) return found->second;
  if (!family_query_) {
    family_query_.emplace(
        ledger_.database.prepare("SELECT sealed FROM dynamic_family WHERE id = ?"));
  }
  family_query_->bind(1, static_cast<std::int64_t>(id));
  if (!family_query_->step()) {
    throw InputError(fmt::format("{} is damaged: {} is not there; restore it from a backup",
                                 ledger_.database.path(), context_of(id)));
  }
  found->second = read_family(id, ledger_.vault.open(family_query_->blob(0), context_of(id)),
                              ledger_.family_columns());
  family_query_->step();  // to its end
  return found->second;
}

WaitingList& Dynamic::Update::list_of(std::uint64_t family) {
  const auto [found, is_new] = lists_.try_emplace(family);
  if (!is_new) return found->second;
  if (!list_query_) {
    list_query_.emplace(
        ledger_.database.prepare("SELECT sealed FROM dynamic_list WHERE family = ?"));
  }
  list_query_->bind(1, static_cast<std::int64_t>(family));
  if (!list_query_->step()) return found->second;
  found->second = read_list(ledger_.vault.open(list_query_->blob(0), list_context(family)),
                            ledger_.family_columns());
  list_query_->step();  // to its end
  return found->second;
}

// Gives values their numbers, the domains what is new, and lists the records group by group.
void Dynamic::Update::take(const Table& batch) {
  if (ledger_.columns.empty()) {
    std::vector<std::string> names;
    for (const Column& column : batch.columns) names.push_back(column.name);
    ledger_.set_columns(names);
  }
  is_first_ = ledger_.index.empty();
  WaitingList pool;
  if (is_first_) {
    pool = std::exchange(list_of(kPool), {});
    for (const WaitingList::Waiter& waiter : pool.waiters) {
      waiting_[waiter.arrived] -= waiter.count;
    }
  }

  std::vector<Code> known;
  std::vector<std::vector<Code>> value_of;  // by column, by code of the batch
  for (std::size_t i = 0; i < ledger_.width(); ++i) {
    const Column* column = batch.find(ledger_.columns[i]);
    if (column == nullptr) {
      throw InputError(fmt::format("the batch has no column '{}', which the publication has",
                                   ledger_.columns[i]));
    }
    known.push_back(static_cast<Code>(ledger_.values[i].size()));
    value_of.push_back(ledger_.values[i].add(column->values));
  }
  ledger_.write_values(known, release_);

  // With values that are all its own, the batch is what is to be listed.
  const bool is_whole =
      std::all_of(known.begin(), known.end(), [](Code size) { return size == 0; });
  Table whole;
  if (!is_whole) whole = with_pool(batch, value_of, pool);
  FrequencyList list = make_frequency_list(is_whole ? batch : whole, ledger_.policy);
  Partition partition;
  if (list.size() > 0) partition = group(list);
  if (is_first_) merge_equal(partition);

  ledger_.domains = std::move(list.domains);
  layout_ = ledger_.index.layout() && !is_first_ ? *ledger_.index.layout()
                                                 : Space::choose(ledger_.domains, ledger_.kinds);
  std::vector<const Values*> values;
  for (std::size_t i = 0; i < ledger_.quasi(); ++i) values.push_back(&ledger_.values[i]);
  space_.emplace(layout_, ledger_.domains, values);
  ledger_.index.use(&*space_);
  for (std::size_t i = 0; i < ledger_.width(); ++i) {
    if (!is_whole) value_of[i] = ledger_.values[i].sorted().value_of;
  }
  list_records(list, partition, value_of, pool);
  if (ledger_.policy.matching) know();
  judge_.emplace(ledger_.policy, ledger_.guards, ledger_.columns, ledger_.values,
                 known_ ? &*known_ : nullptr);
  for (std::size_t i = 0; i < ledger_.guards.size(); ++i) {
    ledger_.guards[i].needed = judge_->needed(i);
  }
}

// Groups of new records that may become classes.
Partition Dynamic::Update::group(FrequencyList& list) const {
  const Policy& policy = ledger_.policy;
  if (!policy.matching) return mondrian(list, Requirements(policy, list), policy);
  const Attacker attacker = attacker_knowing(list, policy, rules_);
  const Requirements requirements(policy, list, &attacker.types);
  Partition partition = partition_protectable(
      list, requirements, [&](const FrequencyList& entries, const std::vector<std::uint32_t>&) {
        return entries.size() == 0 ? Partition() : mondrian(entries, requirements, policy);
      });
  // Whom nobody of the batch protects is in a group that is no class, and goes on to wait.
  const auto last = static_cast<std::uint32_t>(partition.classes);
  bool any = false;
  for (std::uint32_t& number : partition.class_of) {
    if (number != kSuppressed) continue;
    number = last;
    any = true;
  }
  if (any) ++partition.classes;
  return partition;
}

// What the attacker knows of everyone who is there.
void Dynamic::Update::know() {
  std::vector<Code> everyone = records_;
  ledger_.visit_families([&](const Family& family) {
    everyone.insert(everyone.end(), family.values.begin(), family.values.end());
  });
  ledger_.visit_lists([&](const WaitingList& list) {
    everyone.insert(everyone.end(), list.values.begin(), list.values.end());
  });
  const std::size_t guarded = ledger_.matching_column();
  known_.emplace(rules_, ledger_.policy, ledger_.domains, *space_, ledger_.values[guarded], guarded,
                 everyone, ledger_.width());
}

// The batch and the pool as one table over all values so far.
Table Dynamic::Update::with_pool(const Table& batch, const std::vector<std::vector<Code>>& value_of,
                                 const WaitingList& pool) const {
  Table table;
  table.rows = batch.rows;
  for (const WaitingList::Waiter& waiter : pool.waiters) table.rows += waiter.count;
  for (const std::string& name : ledger_.table_columns) {
    const auto i = static_cast<std::size_t>(
        std::find(ledger_.columns.begin(), ledger_.columns.end(), name) - ledger_.columns.begin());
    const Values::Sorted& sorted = ledger_.values[i].sorted();
    std::vector<Code> code_of(sorted.value_of.size());
    for (Code code = 0; code < sorted.value_of.size(); ++code)
      code_of[sorted.value_of[code]] = code;
    Codes codes(table.rows, sorted.dictionary.size());
    const Codes& from = batch.find(name)->codes;
    for (std::size_t at = 0; at < batch.rows; ++at) {
      codes.set(at, code_of[value_of[i][from[at]]]);
    }
    std::size_t row = batch.rows;
    for (std::size_t waiter = 0; waiter < pool.waiters.size(); ++waiter) {
      for (std::uint32_t copy = 0; copy < pool.waiters[waiter].count; ++copy) {
        codes.set(row++, code_of[pool.record(waiter, ledger_.width())[i]]);
      }
    }
    table.columns.push_back({name, sorted.dictionary, std::move(codes)});
  }
  return table;
}

// Classes with equal regions would be one class to a reader. Only hierarchies make such.
void Dynamic::Update::merge_equal(Partition& partition) const {
  std::map<std::vector<std::uint32_t>, std::uint32_t> first;
  std::vector<std::uint32_t> number(partition.classes);
  std::vector<std::uint32_t> key(partition.region_of.size());
  bool is_tree = std::find(ledger_.kinds.begin(), ledger_.kinds.end(), Domain::Kind::tree) !=
                 ledger_.kinds.end();
  if (!is_tree) return;
  for (std::uint32_t c = 0; c < partition.classes; ++c) {
    for (std::size_t axis = 0; axis < key.size(); ++axis) key[axis] = partition.region_of[axis][c];
    number[c] = first.try_emplace(key, static_cast<std::uint32_t>(c)).first->second;
  }
  for (std::uint32_t& c : partition.class_of) c = number[c];
}

// The records in an order that depends on their values alone, group by group.
void Dynamic::Update::list_records(const FrequencyList& list, const Partition& partition,
                                   const std::vector<std::vector<Code>>& value_of,
                                   const WaitingList& pool) {
  const std::size_t width = ledger_.width(), quasi = ledger_.quasi();
  // By quasi-identifier, by position.
  std::vector<std::vector<Code>> at_position(quasi);
  for (std::size_t i = 0; i < quasi; ++i) {
    at_position[i].resize(ledger_.domains[i].size());
    for (Code value = 0; value < ledger_.values[i].size(); ++value) {
      at_position[i][space_->position(i, value)] = value;
    }
  }
  std::vector<const std::vector<Code>*> plain(width);
  for (std::size_t i = quasi; i < width; ++i) {
    for (const FrequencyList::Plain& column : list.plain) {
      if (column.name == ledger_.columns[i]) plain[i] = &column.codes;
    }
  }
  // Those of the pool came earlier; of equal records, it does not matter which.
  std::map<std::vector<Code>, std::vector<const WaitingList::Waiter*>> earlier;
  for (std::size_t i = 0; i < pool.waiters.size(); ++i) {
    const auto of = pool.record(i, width);
    earlier[{of.begin(), of.end()}].push_back(&pool.waiters[i]);
  }
  struct Item {
    std::size_t combination;
    std::uint32_t group, arrived, count;
  };
  std::vector<Item> items;
  std::vector<Code> values(width);
  const auto values_of = [&](std::size_t combination) {
    for (std::size_t column = 0; column < quasi; ++column) {
      values[column] = at_position[column][list.positions[column][list.entry_of[combination]]];
    }
    for (std::size_t column = quasi; column < width; ++column) {
      values[column] = value_of[column][(*plain[column])[combination]];
    }
  };
  group_begin_.assign(partition.classes + 1, 0);
  for (std::size_t i = 0; i < list.entry_of.size(); ++i) {
    const std::uint32_t group = partition.class_of[list.entry_of[i]];
    std::uint32_t count = list.plain_weights[i];
    if (!earlier.empty()) {
      values_of(i);
      if (const auto found = earlier.find(values); found != earlier.end()) {
        for (const WaitingList::Waiter* waiter : found->second) {
          items.push_back({i, group, waiter->arrived, waiter->count});
          count -= waiter->count;
        }
      }
    }
    if (count > 0) items.push_back({i, group, release_, count});
  }
  for (const Item& item : items) ++group_begin_[item.group + 1];
  std::partial_sum(group_begin_.begin(), group_begin_.end(), group_begin_.begin());
  std::vector<std::uint32_t> next(group_begin_.begin(), group_begin_.end());
  records_.resize(items.size() * width);
  arrived_.resize(items.size());
  counts_.resize(items.size());
  for (const Item& item : items) {
    const std::uint32_t at = next[item.group]++;
    values_of(item.combination);
    std::copy(values.begin(), values.end(),
              records_.begin() + static_cast<std::ptrdiff_t>(at * width));
    arrived_[at] = item.arrived;
    counts_[at] = item.count;
  }
}

// Groups that are classes as they are. In the first release all of them are considered together: no
// class stands in their way.
void Dynamic::Update::add() {
  std::vector<ClassIndex::Entry> entries;
  for (std::size_t group = 0; group + 1 < group_begin_.size(); ++group) {
    const std::uint32_t begin = group_begin_[group], end = group_begin_[group + 1];
    if (begin == end) continue;
    bool fits = judge_->met(
        end - begin, [&](std::size_t i) { return record(begin + i); },
        [&](std::size_t i) { return counts_[begin + i]; });
    Box box;
    if (fits) {
      box = space_->empty();
      for (std::uint32_t i = begin; i < end; ++i) space_->add(box, record(i));
      space_->mark(box);
      fits = is_first_ || !ledger_.index.overlaps(box);
    }
    if (!fits) {
      for (std::uint32_t i = begin; i < end; ++i) left_.push_back(i);
      continue;
    }
    Family& family = make_family();
    std::uint64_t size = 0;
    for (std::uint32_t i = begin; i < end; ++i) {
      family.add({0, release_, counts_[i]}, record(i));
      size += counts_[i];
    }
    ClassIndex::Entry entry{family.states[0].id, family.id, size, std::move(box)};
    if (is_first_) {
      entries.push_back(std::move(entry));
    } else {
      ledger_.index.insert(entry);
    }
  }
  ledger_.index.fill(entries);
}

// Every other record waits at the class that it costs least to widen.
void Dynamic::Update::insert() {
  if (ledger_.index.empty()) {
    WaitingList& pool = list_of(kPool);
    for (const std::uint32_t i : left_) {
      pool.add({0, arrived_[i], counts_[i]}, record(i));
      waiting_[arrived_[i]] += counts_[i];
    }
    return;
  }
  std::vector<ClassIndex::Found> found(left_.size());
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, left_.size(), 16), [&](const auto& range) {
    for (std::size_t i = range.begin(); i < range.end(); ++i) {
      found[i] = ledger_.index.nearest(record(left_[i])).value();
    }
  });
  std::vector<std::size_t> order(left_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(found[a].family, found[a].id) < std::pair(found[b].family, found[b].id);
  });
  for (const std::size_t i : order) {
    const std::pair<std::uint64_t, std::uint64_t> place(found[i].family, found[i].id);
    if (touched_.empty() || touched_.back() != place) touched_.push_back(place);
    const std::uint32_t arrived = arrived_[left_[i]], count = counts_[left_[i]];
    list_of(place.first).add({place.second, arrived, count}, record(left_[i]));
    waiting_[arrived] += count;
  }
}

// A waiting list that is long and diverse enough becomes a class of its own, or enters its class.
void Dynamic::Update::settle(std::uint64_t family_id, std::uint64_t id) {
  WaitingList& waiting = list_of(family_id);
  std::vector<std::uint32_t> list = waiting.at(id);
  const auto waiter = [&](std::size_t i) { return waiting.record(list[i], ledger_.width()); };
  const auto count_of = [&](std::size_t i) { return waiting.waiters[list[i]].count; };
  // Whom the others cannot protect goes on waiting, and keeps nobody else from entering.
  WaitingList staying;
  const std::vector<char> hopeless = judge_->hopeless(list.size(), waiter, count_of);
  if (!hopeless.empty()) {
    std::vector<std::uint32_t> going;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (hopeless[i]) {
        staying.add(waiting.waiters[list[i]], waiter(i));
      } else {
        going.push_back(list[i]);
      }
    }
    list = std::move(going);
  }
  if (!judge_->met(list.size(), waiter, count_of)) return;
  const auto enter = [&](Family& family, std::uint32_t state) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      family.add({state, release_, waiting.waiters[list[i]].count}, waiter(i));
    }
  };
  const auto leave = [&] {
    for (const std::uint32_t i : list) {
      waiting_[waiting.waiters[i].arrived] -= waiting.waiters[i].count;
    }
    waiting.remove(id, ledger_.width());
  };
  const auto stay_at = [&](std::uint64_t place) {
    for (std::size_t i = 0; i < staying.waiters.size(); ++i) {
      WaitingList::Waiter waits = staying.waiters[i];
      waits.id = place;
      waiting.add(waits, staying.record(i, ledger_.width()));
    }
  };
  Box own = space_->empty();
  for (std::size_t i = 0; i < list.size(); ++i) space_->add(own, waiter(i));
  space_->mark(own);
  if (!ledger_.index.overlaps(own)) {
    Family& other = make_family();
    enter(other, 0);
    leave();
    stay_at(id);
    index_class(other, 0, other.records(other.in(0)), std::move(own));
    return;
  }
  Family& family = loaded(family_id);
  const auto found = std::find_if(family.states.begin(), family.states.end(),
                                  [&](const Family::State& state) { return state.id == id; });
  if (found == family.states.end() || found->ended != 0) {
    throw std::logic_error("a class of the index is not in its family");
  }
  const auto state = static_cast<std::uint32_t>(found - family.states.begin());
  Family widened = family;
  const std::uint32_t next = widened.succeed(state, release_);
  enter(widened, next);
  if (has_channel(widened, next, release_, ledger_.guards, ledger_.width())) return;
  const std::vector<std::uint32_t> all = widened.in(next);
  // A class of which later rules exposed someone stays as it is, unless the others help.
  if (judge_->has_knowledge() && !met(widened, all)) return;
  Box box = box_of(widened, all);
  if (ledger_.index.has_equal(box, id)) return;
  leave();
  ledger_.index.erase(id, box_of(family, family.in(state)));
  if (next != state) widened.states[next].id = ledger_.next_class++;
  stay_at(widened.states[next].id);
  family = std::move(widened);
  changed_.insert(family_id);
  index_class(family, next, family.records(all), std::move(box));
  split(family, next);
}

// A way to cut a class in two.
struct Dynamic::Update::Cut {
  double cost = 0;
  std::size_t axis = 0;
  bool single = false;  // one unit against all others; else those before a unit
  std::size_t unit = 0;
  std::vector<std::uint32_t> left, right;  // members

  bool operator<(const Cut& other) const {
    return std::tuple(cost, axis, single, unit) <
           std::tuple(other.cost, other.axis, other.single, other.unit);
  }
};

// Those that lower the information loss, as Mondrian weighs them: between the units of a
// quasi-identifier (values; in a hierarchy, the children of the class's node), and of categories
// one against the rest. The best first.
std::vector<Dynamic::Update::Cut> Dynamic::Update::cuts_of(
    const Family& family, std::span<const std::uint32_t> members) const {
  std::vector<Cut> cuts;
  const std::uint64_t records = family.records(members);
  const double whole = static_cast<double>(records) * space_->loss(box_of(family, members));
  const std::size_t k = judge_->k();
  for (std::size_t axis = 0; axis < space_->dimensions(); ++axis) {
    const Domain& domain = ledger_.domains[axis];
    std::vector<std::pair<Code, std::uint32_t>> keyed;
    Code low = ~Code{0}, high = 0;
    for (const std::uint32_t member : members) {
      const Code position = space_->position(axis, record(family, member)[axis]);
      keyed.emplace_back(position, member);
      low = std::min(low, position);
      high = std::max(high, position);
    }
    if (low == high) continue;
    if (domain.tree) {
      const Hierarchy::Node cover = domain.tree->cover(low, high);
      for (auto& [key, member] : keyed) {
        Hierarchy::Node child = domain.tree->leaf(key);
        while (domain.tree->parent(child) != cover) child = domain.tree->parent(child);
        key = domain.tree->first(child);
      }
    }
    std::sort(keyed.begin(), keyed.end());
    std::vector<std::size_t> starts;  // of units, in keyed
    for (std::size_t i = 0; i < keyed.size(); ++i) {
      if (i == 0 || keyed[i].first != keyed[i - 1].first) starts.push_back(i);
    }
    const std::size_t units = starts.size();
    starts.push_back(keyed.size());
    // What lies before each unit, and from it on.
    std::vector<Box> before(units + 1, space_->empty()), from(units + 1, space_->empty());
    for (std::size_t unit = 0; unit < units; ++unit) {
      before[unit + 1] = before[unit];
      const std::size_t other = units - 1 - unit;
      from[other] = from[other + 1];
      for (std::size_t i = starts[unit]; i < starts[unit + 1]; ++i) {
        space_->add(before[unit + 1], record(family, keyed[i].second));
      }
      for (std::size_t i = starts[other]; i < starts[other + 1]; ++i) {
        space_->add(from[other], record(family, keyed[i].second));
      }
    }
    const auto consider = [&](bool single, std::size_t unit, const Box& left, const Box& right) {
      Cut cut{0, axis, single, unit, {}, {}};
      for (std::size_t i = 0; i < keyed.size(); ++i) {
        const bool is_left = i < starts[single ? unit + 1 : unit] && (!single || i >= starts[unit]);
        (is_left ? cut.left : cut.right).push_back(keyed[i].second);
      }
      const std::uint64_t inside = family.records(cut.left);
      if (inside < k || records - inside < k) return;
      cut.cost = static_cast<double>(inside) * space_->loss(left) +
                 static_cast<double>(records - inside) * space_->loss(right);
      if (cut.cost < whole) cuts.push_back(std::move(cut));
    };
    for (std::size_t unit = 1; unit < units; ++unit) {
      consider(false, unit, before[unit], from[unit]);
    }
    if (domain.kind == Domain::Kind::interval) continue;
    for (std::size_t unit = 1; unit + 1 < units; ++unit) {
      Box one = space_->empty(), rest = before[unit];
      for (std::size_t i = starts[unit]; i < starts[unit + 1]; ++i) {
        space_->add(one, record(family, keyed[i].second));
      }
      if (rest.lists.empty() && from[unit + 1].lists.empty()) {
        space_->join(rest.words.data(), from[unit + 1].words.data());
      } else {
        for (std::size_t i = starts[unit + 1]; i < keyed.size(); ++i) {
          space_->add(rest, record(family, keyed[i].second));
        }
      }
      consider(true, unit, one, rest);
    }
  }
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

// `state` began in this release, and is in the index.
void Dynamic::Update::split(Family& family, std::uint32_t state) {
  const std::vector<std::uint32_t> members = family.in(state);
  if (family.records(members) < 2 * judge_->k()) return;
  const std::uint64_t id = family.states[state].id;
  for (const Cut& cut : cuts_of(family, members)) {
    if (!met(family, cut.left) || !met(family, cut.right)) continue;
    Family halved = family;
    const auto second = static_cast<std::uint32_t>(halved.states.size());
    halved.states.push_back({.parent = family.states[state].parent, .born = release_});
    for (const std::uint32_t member : cut.right) halved.members[member].state = second;
    if (has_channel(halved, state, release_, ledger_.guards, ledger_.width())) continue;
    Box left = box_of(family, cut.left), right = box_of(family, cut.right);
    if (space_->equal(left, right) || ledger_.index.has_equal(left, id) ||
        ledger_.index.has_equal(right, id)) {
      continue;
    }
    ledger_.index.erase(id, box_of(family, members));
    halved.states[second].id = ledger_.next_class++;
    family = std::move(halved);
    index_class(family, state, family.records(cut.left), std::move(left));
    index_class(family, second, family.records(cut.right), std::move(right));
    split(family, state);
    split(family, second);
    return;
  }
}

// The classes that begin, as a release of their own.
Change Dynamic::Update::publish(ClassId first_class, std::uint64_t seed) {
  Change change;
  struct Begun {
    Family* family;
    std::uint32_t state;
  };
  std::vector<Begun> begun;
  FrequencyList list;
  Partition partition;
  const std::size_t quasi = ledger_.quasi(), width = ledger_.width();
  std::vector<const Code*> rows;
  for (auto& [id, family] : families_) {
    std::vector<std::uint32_t> number(family.states.size(), kSuppressed);
    for (std::uint32_t i = 0; i < family.states.size(); ++i) {
      if (family.states[i].ended == release_) change.ended.push_back(family.states[i].number);
      if (family.states[i].born != release_) continue;
      number[i] = static_cast<std::uint32_t>(begun.size());
      begun.push_back({&family, i});
    }
    for (std::size_t i = 0; i < family.members.size(); ++i) {
      const Family::Member& member = family.members[i];
      if (number[member.state] == kSuppressed) continue;
      partition.class_of.push_back(number[member.state]);
      rows.push_back(record(family, i).data());
      list.weights.push_back(member.count);
      list.records += member.count;
    }
  }
  std::sort(change.ended.begin(), change.ended.end());
  partition.classes = begun.size();

  list.plain_weights = list.weights;
  list.entry_of.resize(rows.size());
  std::iota(list.entry_of.begin(), list.entry_of.end(), 0);
  list.domains = ledger_.domains;
  list.positions.resize(quasi);
  partition.regions.resize(quasi);
  partition.region_of.resize(quasi);
  std::vector<Box> boxes(begun.size(), space_->empty());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    space_->add(boxes[partition.class_of[row]], {rows[row], width});
  }
  tbb::parallel_for(std::size_t{0}, quasi, [&](std::size_t axis) {
    list.positions[axis].reserve(rows.size());
    for (const Code* row : rows) list.positions[axis].push_back(space_->position(axis, row[axis]));
    RegionPool pool;
    for (const Box& box : boxes) {
      partition.region_of[axis].push_back(pool.add(space_->region(box, axis)));
    }
    partition.regions[axis] = std::move(pool).take();
  });
  for (const std::string& name : ledger_.table_columns) {
    const auto column = static_cast<std::size_t>(
        std::find(ledger_.columns.begin(), ledger_.columns.end(), name) - ledger_.columns.begin());
    if (column < quasi) {
      list.layout.push_back({true, column});
      continue;
    }
    list.layout.push_back({false, list.plain.size()});
    FrequencyList::Plain plain{name, ledger_.policy.find(name)->role, {}, {}};
    std::vector<Code> code_of(ledger_.values[column].size(), 0), occurring;
    for (const Code* row : rows) {
      if (code_of[row[column]]++ == 0) occurring.push_back(row[column]);
    }
    if (!occurring.empty()) {
      Values::Sorted sorted = ledger_.values[column].sorted(occurring);
      for (Code code = 0; code < sorted.value_of.size(); ++code) {
        code_of[sorted.value_of[code]] = code;
      }
      plain.values = std::move(sorted.dictionary);
    }
    plain.values.type = ledger_.values[column].type();
    for (const Code* row : rows) plain.codes.push_back(code_of[row[column]]);
    list.plain.push_back(std::move(plain));
  }

  std::vector<std::uint32_t> numbers;
  change.added = make_release(std::move(list), partition, seed, &numbers);
  if (change.added.classes != begun.size()) {
    throw std::logic_error("two classes of a release have the same regions");
  }
  for (std::size_t i = 0; i < begun.size(); ++i) {
    begun[i].family->states[begun[i].state].number = first_class + numbers[i];
  }
  return change;
}

void Dynamic::Update::save() {
  Statement write = ledger_.database.prepare("INSERT OR REPLACE INTO dynamic_family VALUES (?, ?)");
  const FamilyColumns columns = ledger_.family_columns();
  for (const std::uint64_t id : changed_) {
    Family& family = families_.at(id);
    family.compact(ledger_.width());
    write.bind(1, static_cast<std::int64_t>(id))
        .bind_blob(2, ledger_.vault.seal(write_family(family, columns), context_of(id)))
        .run();
  }
  Statement write_one =
      ledger_.database.prepare("INSERT OR REPLACE INTO dynamic_list VALUES (?, ?)");
  Statement remove = ledger_.database.prepare("DELETE FROM dynamic_list WHERE family = ?");
  for (const auto& [family, list] : lists_) {
    if (list.waiters.empty()) {
      remove.bind(1, static_cast<std::int64_t>(family)).run();
      continue;
    }
    write_one.bind(1, static_cast<std::int64_t>(family))
        .bind_blob(2, ledger_.vault.seal(write_list(list, columns), list_context(family)))
        .run();
  }
  Statement count = ledger_.database.prepare(
      "INSERT INTO dynamic_waiting VALUES (?, ?) "
      "ON CONFLICT (release) DO UPDATE SET records = records + excluded.records");
  for (const auto& [arrived, more] : waiting_) {
    if (more != 0) count.bind(1, std::int64_t{arrived}).bind(2, more).run();
  }
  ledger_.database.execute("DELETE FROM dynamic_waiting WHERE records = 0");
  ledger_.index.save(layout_);
  ledger_.releases = release_;
  ledger_.write_state();
  ledger_.index.use(nullptr);
}

void Dynamic::create(Database& database) {
  database.execute(
      "CREATE TABLE dynamic_state (id INTEGER PRIMARY KEY, releases INTEGER NOT NULL, "
      "next_class INTEGER NOT NULL, next_family INTEGER NOT NULL, columns BLOB NOT NULL);"
      "CREATE TABLE dynamic_values (release INTEGER PRIMARY KEY, sealed BLOB NOT NULL);"
      "CREATE TABLE dynamic_family (id INTEGER PRIMARY KEY, sealed BLOB NOT NULL);"
      "CREATE TABLE dynamic_list (family INTEGER PRIMARY KEY, sealed BLOB NOT NULL);"
      "CREATE TABLE dynamic_waiting (release INTEGER PRIMARY KEY, records INTEGER NOT NULL)");
  ClassIndex::create(database);
}

Dynamic::Dynamic(Database& database, const Vault& vault, const Policy& policy)
    : ledger_(std::make_unique<Ledger>(database, vault, policy)) {}

Dynamic::~Dynamic() = default;

Change Dynamic::update(const Table& batch, std::uint32_t release, ClassId first_class,
                       std::uint64_t seed, const std::string& rules) {
  return Update(*ledger_, release, rules).run(batch, first_class, seed);
}

Dynamic::Waiting Dynamic::waiting() const {
  Statement query = ledger_->database.prepare(
      "SELECT coalesce(sum(records), 0), coalesce(min(release), 0) FROM dynamic_waiting");
  query.step();
  return {static_cast<std::uint64_t>(query.integer(0)),
          static_cast<std::uint32_t>(query.integer(1))};
}

Dynamic::People Dynamic::people() const {
  People people;
  Ledger& ledger = *ledger_;
  if (ledger.columns.empty()) return people;  // there is no release yet
  std::vector<std::size_t> columns(ledger.quasi());
  std::iota(columns.begin(), columns.end(), 0);
  columns.push_back(ledger.matching_column());
  std::vector<std::vector<Code>> in_classes(columns.size()), records(columns.size());
  std::vector<Code> class_codes;
  std::vector<std::string> class_texts;
  const auto add = [&](std::vector<std::vector<Code>>& to, std::span<const Code> record,
                       std::uint32_t count) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      to[i].insert(to[i].end(), count, record[columns[i]]);
  };
  std::map<ClassId, Code> code_of;
  ledger.visit_families([&](const Family& family) {
    for (std::size_t i = 0; i < family.members.size(); ++i) {
      const Family::Member& member = family.members[i];
      const std::span<const Code> record = family.record(i, ledger.width());
      add(records, record, member.count);
      visit_classes(family, member, ledger.releases,
                    [&](const Family::State& state, std::uint32_t, std::uint32_t) {
                      const auto found =
                          code_of.try_emplace(state.number, static_cast<Code>(class_texts.size()));
                      if (found.second) class_texts.push_back(std::to_string(state.number));
                      add(in_classes, record, member.count);
                      class_codes.insert(class_codes.end(), member.count, found.first->second);
                    });
    }
  });
  ledger.visit_lists([&](const WaitingList& list) {
    for (std::size_t i = 0; i < list.waiters.size(); ++i)
      add(records, list.record(i, ledger.width()), list.waiters[i].count);
  });
  const auto fill = [&](RawRecords& to, const std::vector<std::vector<Code>>& codes) {
    to.rows = codes[0].size();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const Values& values = ledger.values[columns[i]];
      RawColumn column{ledger.columns[columns[i]], {}, Codes(codes[i], values.size())};
      for (Code value = 0; value < values.size(); ++value)
        column.texts.push_back(values.label(value));
      to.columns.push_back(std::move(column));
    }
  };
  fill(people.records, records);
  fill(people.in_classes, in_classes);
  people.in_classes.columns.push_back(
      {kClassColumn, class_texts, Codes(class_codes, class_texts.size())});
  return people;
}

History Dynamic::history(std::size_t guarded_column) const {
  History history;
  if (ledger_->columns.empty()) return history;  // there is no release yet
  const Guard& guard = ledger_->guards.at(guarded_column);
  history.class_of.resize(ledger_->releases);
  ledger_->visit_families([&](const Family& family) {
    for (std::size_t i = 0; i < family.members.size(); ++i) {
      const Family::Member& member = family.members[i];
      const Code value = family.record(i, ledger_->width())[guard.column];
      const std::size_t begin = history.values.size(), end = begin + member.count;
      history.values.resize(end, value);
      for (auto& release : history.class_of) release.resize(end, History::kAbsent);
      visit_classes(family, member, ledger_->releases,
                    [&](const Family::State& state, std::uint32_t from, std::uint32_t until) {
                      for (std::uint32_t release = from; release <= until; ++release) {
                        auto& classes = history.class_of[release - 1];
                        std::fill(classes.begin() + static_cast<std::ptrdiff_t>(begin),
                                  classes.end(), static_cast<std::uint32_t>(state.number));
                      }
                    });
    }
  });
  ledger_->visit_lists([&](const WaitingList& list) {
    for (std::size_t i = 0; i < list.waiters.size(); ++i) {
      const Code value = list.record(i, ledger_->width())[guard.column];
      history.values.resize(history.values.size() + list.waiters[i].count, value);
    }
  });
  for (auto& release : history.class_of) {
    release.resize(history.values.size(), History::kAbsent);
  }
  return history;
}

const std::vector<Domain>& Dynamic::domains() const {
  if (ledger_->domains.empty()) {
    for (std::size_t i = 0; i < ledger_->quasi(); ++i) {
      ledger_->domains.push_back(ledger_->make_domain_of(i));
    }
  }
  return ledger_->domains;
}

}  // namespace throng
