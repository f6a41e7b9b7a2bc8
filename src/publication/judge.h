// Whether groups of records of a growing publication meet its requirements. Records are spans of
// the lasting numbers of values (values.h), quasi-identifiers first.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "knowledge/rules.h"
#include "policy/policy.h"
#include "privacy/requirements.h"
#include "publication/family.h"
#include "publication/space.h"
#include "publication/values.h"

namespace throng {

// What the attacker of matching ℓ-diversity knows of every record that there is.
class KnownTypes {
 public:
  // `rules` are a file's text. `guarded`: the column that they speak of. `records`: all of them,
  // any number of times, one after another, `width` values each.
  KnownTypes(const std::string& rules, const Policy& policy, const std::vector<Domain>& domains,
             const Space& space, const Values& guarded_values, std::size_t guarded,
             std::span<const Code> records, std::size_t width);

  const RecordTypes& types() const { return types_; }
  std::uint32_t type_of(std::span<const Code> record) const;

 private:
  std::string key_of(std::span<const Code> record) const;

  std::size_t quasi_, guarded_;
  RecordTypes types_{0};
  std::unordered_map<std::string, std::uint32_t> type_of_;
};

class Judge {
 public:
  // All must outlive it. `known`: where the policy asks for matching ℓ-diversity.
  Judge(const Policy& policy, const std::vector<Guard>& guards,
        const std::vector<std::string>& names, const std::vector<Values>& values,
        const KnownTypes* known);

  std::size_t k() const { return requirements_.k(); }
  std::size_t needed(std::size_t guard) const { return requirements_.distinct_needed(guard); }
  bool has_knowledge() const { return requirements_.has_knowledge(); }

  template <typename RecordOf, typename WeightOf>
  bool met(std::size_t count, RecordOf&& record_of, WeightOf&& weight_of) {
    fill(count, record_of, weight_of);
    tally_.clear();
    for (std::size_t i = 0; i < count; ++i) tally_.add(i);
    return requirements_.met(tally_);
  }
  // Who of a group is better left out: nobody else in it leaves him enough valid values. Nothing
  // where there is no such one.
  template <typename RecordOf, typename WeightOf>
  std::vector<char> hopeless(std::size_t count, RecordOf&& record_of, WeightOf&& weight_of) {
    if (!has_knowledge()) return {};
    fill(count, record_of, weight_of);
    return requirements_.hopeless(tally_, all(count));
  }

 private:
  template <typename RecordOf, typename WeightOf>
  void fill(std::size_t count, RecordOf&& record_of, WeightOf&& weight_of) {
    resize(count);
    for (std::size_t i = 0; i < count; ++i) set(i, record_of(i), weight_of(i));
  }
  void resize(std::size_t count);
  void set(std::size_t entry, std::span<const Code> record, std::uint32_t weight);
  std::span<const std::uint32_t> all(std::size_t count);

  const std::vector<Guard>& guards_;
  const KnownTypes* known_;
  FrequencyList list_;
  Requirements requirements_;
  Tally tally_;
  std::vector<std::uint32_t> all_;
};

}  // namespace throng
