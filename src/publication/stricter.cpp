#include "publication/stricter.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "publication/due_policy.h"
#include "throng/error.h"

namespace throng {
namespace {

class Comparison {
 public:
  Comparison(const Policy& policy, const Policy& stricter) : policy_(policy), stricter_(stricter) {}

  std::string run(bool may_grow) {
    compare_columns(may_grow);
    compare_classes();
    compare_knowledge();
    compare_joins();
    if (may_grow) name_columns();
    return more_;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw InputError(fmt::format(
        "{}: {}; a publication takes another policy only where it is as strict or stricter in "
        "everything",
        stricter_.source, what));
  }
  void add(const std::string& text) { more_ += (more_.empty() ? "" : ", ") + text; }

  void compare_columns(bool may_grow) const;
  void compare_classes();
  void compare_knowledge();
  void compare_joins();
  void name_columns();

  const Policy& policy_;
  const Policy& stricter_;
  std::string more_;
};

bool is_same(const Generalization& a, const Generalization& b) {
  if (a.hierarchy != b.hierarchy || a.date_format != b.date_format) return false;
  if (a.domain.has_value() != b.domain.has_value()) return false;
  return !a.domain || (a.domain->values == b.domain->values && a.domain->low == b.domain->low &&
                       a.domain->high == b.domain->high);
}

bool is_same(const InconsistentPair::Side& a, const InconsistentPair::Side& b) {
  return a.column == b.column && a.value == b.value;
}

bool is_same(const InconsistentPair& a, const InconsistentPair& b) {
  return (is_same(a.one, b.one) && is_same(a.other, b.other)) ||
         (is_same(a.one, b.other) && is_same(a.other, b.one));
}

bool is_within(const std::vector<std::string>& names, const std::vector<std::string>& others) {
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return std::find(others.begin(), others.end(), name) != others.end();
  });
}

// Whether what meets `others` meets `asked`: one has more columns in x (Wang and Fung 2006,
// corollary 3.1) and a tighter bound. A y of fewer columns would do too, but may wait where that of
// `asked` does not.
bool is_kept(const XyRequirement& asked, const std::vector<XyRequirement>& others) {
  if (asked.kind == XyRequirement::Kind::anonymity) {
    return std::any_of(others.begin(), others.end(), [&](const XyRequirement& other) {
      return other.kind == asked.kind && is_within(asked.x, other.x) &&
             other.counted == asked.counted && is_within(asked.y, other.y) &&
             is_within(other.y, asked.y) && other.k >= asked.k;
    });
  }
  const auto guards = [&](const XyRequirement& other, const XyRequirement::Guarded& guarded) {
    return std::any_of(other.guarded.begin(), other.guarded.end(),
                       [&](const XyRequirement::Guarded& its) {
                         return its.column == guarded.column && its.value == guarded.value &&
                                its.max <= guarded.max;
                       });
  };
  return std::all_of(
      asked.guarded.begin(), asked.guarded.end(), [&](const XyRequirement::Guarded& guarded) {
        return std::any_of(others.begin(), others.end(), [&](const XyRequirement& other) {
          return is_within(asked.x, other.x) && guards(other, guarded);
        });
      });
}

void Comparison::compare_columns(bool may_grow) const {
  if (policy_.columns.size() != stricter_.columns.size() && !may_grow)
    refuse("it lists other columns");
  for (const ColumnPolicy& column : policy_.columns) {
    const ColumnPolicy* other = stricter_.find(column.name);
    if (other == nullptr) refuse(fmt::format("it lacks column '{}'", column.name));
    if (other->role != column.role)
      refuse(fmt::format("column '{}' has another role", column.name));
    if (other->type.type != column.type.type || other->type.format != column.type.format ||
        !is_same(column.generalization, other->generalization)) {
      refuse(fmt::format("column '{}' has another type, hierarchy or domain", column.name));
    }
  }
  if (policy_.missing.values != stricter_.missing.values ||
      policy_.missing.as != stricter_.missing.as)
    refuse("it takes missing values in another way");
  if (policy_.key != stricter_.key) refuse("it names another key");
}

// k-anonymity and l-diversity.
void Comparison::compare_classes() {
  if (stricter_.k < policy_.k)
    refuse(fmt::format("k-anonymity is {}, below {}", stricter_.k, policy_.k));
  if (stricter_.k > policy_.k) add(fmt::format("k {} in place of {}", stricter_.k, policy_.k));
  for (const Diversity& asked : policy_.diversities) {
    const Diversity* best = nullptr;
    for (const Diversity& other : stricter_.diversities) {
      if (other.column != asked.column || other.variant != asked.variant) continue;
      if (asked.variant == Diversity::Variant::recursive && other.c > asked.c) continue;
      if (best == nullptr || other.l > best->l) best = &other;
    }
    if (best == nullptr || best->l < asked.l) {
      refuse(fmt::format("{} l-diversity of '{}' is weaker than l = {}", name_of(asked.variant),
                         asked.column, asked.l));
    }
    if (best->l > asked.l || best->c < asked.c) {
      add(fmt::format("{} l-diversity of '{}' {} in place of {}", name_of(asked.variant),
                      asked.column, best->l, asked.l));
    }
  }
  if (stricter_.diversities.size() > policy_.diversities.size()) add("another l-diversity");
}

// Matching l-diversity, and what the attacker is taken to know.
void Comparison::compare_knowledge() {
  if (!policy_.matching) {
    if (stricter_.matching) {
      refuse(
          "it asks for matching-l-diversity, and who was published so far is not kept; begin a new "
          "publication");
    }
    return;
  }
  if (!stricter_.matching || stricter_.matching->column != policy_.matching->column ||
      stricter_.matching->l < policy_.matching->l) {
    refuse(fmt::format("matching l-diversity of '{}' is weaker than l = {}",
                       policy_.matching->column, policy_.matching->l));
  }
  if (stricter_.matching->l > policy_.matching->l) {
    add(fmt::format("matching l-diversity of '{}' {} in place of {}", policy_.matching->column,
                    stricter_.matching->l, policy_.matching->l));
  }
  const auto mining = [](const Policy& of) {
    return of.knowledge ? of.knowledge->mine : std::nullopt;
  };
  const std::optional<MiningRules> mined = mining(policy_), mined_then = mining(stricter_);
  if (mined &&
      (!mined_then || mined->min_expectation != mined_then->min_expectation ||
       mined->max_items != mined_then->max_items || mined->membership != mined_then->membership ||
       mined->correction != mined_then->correction)) {
    refuse("it mines rules in another way");
  }
  if (!mined && mined_then) add("rules are mined");
}

// (X,Y)-requirements and what matches.
void Comparison::compare_joins() {
  for (const XyRequirement& asked : policy_.xy) {
    if (!is_kept(asked, stricter_.xy)) refuse(fmt::format("{} is weaker", name_of(asked)));
  }
  for (const XyRequirement& asked : stricter_.xy) {
    if (!is_kept(asked, policy_.xy)) add(name_of(asked));
  }
  for (const InconsistentPair& pair : policy_.inconsistent) {
    if (std::none_of(stricter_.inconsistent.begin(), stricter_.inconsistent.end(),
                     [&](const InconsistentPair& other) { return is_same(pair, other); })) {
      refuse(fmt::format("it lacks the inconsistent pair of {} = '{}' and {} = '{}'",
                         pair.one.column, pair.one.value, pair.other.column, pair.other.value));
    }
  }
  if (stricter_.inconsistent.size() > policy_.inconsistent.size()) add("more inconsistent values");
  if (stricter_.dangling != policy_.dangling && stricter_.dangling != Dangling::error)
    refuse("it takes records that match nothing in another way");
}

void Comparison::name_columns() {
  std::vector<std::string> names;
  for (const ColumnPolicy& column : stricter_.columns) {
    if (policy_.find(column.name) == nullptr) names.push_back(column.name);
  }
  if (names.empty()) return;
  add(fmt::format("{} {}", names.size() == 1 ? "the column" : "the columns",
                  fmt::join(names, ", ")));
}

}  // namespace

std::string stricter_by(const Policy& policy, const Policy& stricter, bool may_grow) {
  return Comparison(policy, stricter).run(may_grow);
}

}  // namespace throng
