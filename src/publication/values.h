// The values of a column over the whole life of a publication: each has a number that never
// changes, whatever values come later and wherever they stand in the order.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "table/table.h"

namespace throng {

class Values {
 public:
  static constexpr Code kNone = 0x7FFFFFFF;  // no value has so high a number

  explicit Values(Type type) : type_(type) {}

  // The number of a value, new or known. `number` is what a numeric one is ordered by.
  Code add(const std::string& label, double number, bool missing);
  // Those of the values of a column, by code.
  std::vector<Code> add(const Dictionary& values);

  std::size_t size() const { return labels_.size(); }
  const std::string& label(Code value) const { return labels_[value]; }
  double number(Code value) const { return numbers_.empty() ? 0 : numbers_[value]; }
  const std::vector<double>& numbers() const { return numbers_; }  // empty: text
  Code missing() const { return missing_; }                        // kNone: there is none
  Type type() const { return type_; }

  // Values `from`, from + 1, … as bytes; the inverse adds them.
  std::string write(Code from) const;
  void read(std::string_view bytes);

  // Values in their order, and the value of each code.
  struct Sorted {
    Dictionary dictionary;
    std::vector<Code> value_of;  // by code
  };
  // All of them; until the next one is added.
  const Sorted& sorted() const;
  // The given ones, each once.
  Sorted sorted(std::vector<Code> values) const;

 private:
  Type type_;
  std::vector<std::string> labels_;
  std::vector<double> numbers_;
  Code missing_ = kNone;
  std::unordered_map<std::string, Code> known_;  // present ones, by label
  mutable std::optional<Sorted> sorted_;
};

}  // namespace throng
