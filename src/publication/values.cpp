#include "publication/values.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "publication/packing.h"

namespace throng {

Code Values::add(const std::string& label, double number, bool missing) {
  const auto next = static_cast<Code>(labels_.size());
  if (missing) {
    if (missing_ != kNone) return missing_;
    missing_ = next;
  } else {
    const auto [found, is_new] = known_.try_emplace(label, next);
    if (!is_new) return found->second;
  }
  sorted_.reset();
  labels_.push_back(label);
  if (type_ != Type::text) numbers_.push_back(number);
  return next;
}

std::vector<Code> Values::add(const Dictionary& values) {
  std::vector<Code> result(values.size());
  for (std::size_t code = 0; code < values.size(); ++code) {
    result[code] = add(values.labels[code], values.numeric() ? values.numbers[code] : 0,
                       values.missing && code + 1 == values.size());
  }
  return result;
}

std::string Values::write(Code from) const {
  Packer writer;
  writer.number(labels_.size() - from);
  for (Code value = from; value < labels_.size(); ++value) {
    writer.number(value == missing_ ? 1 : 0);
    writer.text(labels_[value]);
    if (type_ != Type::text) writer.number(std::bit_cast<std::uint64_t>(numbers_[value]));
  }
  return std::move(writer).take();
}

void Values::read(std::string_view bytes) {
  Unpacker reader(bytes);
  for (std::uint64_t left = reader.number(); left > 0; --left) {
    const bool missing = reader.number() != 0;
    const std::string label(reader.text());
    add(label, type_ == Type::text ? 0 : std::bit_cast<double>(reader.number()), missing);
  }
}

const Values::Sorted& Values::sorted() const {
  if (!sorted_) {
    std::vector<Code> all(labels_.size());
    std::iota(all.begin(), all.end(), 0);
    sorted_ = sorted(std::move(all));
  }
  return *sorted_;
}

Values::Sorted Values::sorted(std::vector<Code> values) const {
  Sorted result;
  std::vector<Code>& order = result.value_of;
  order = std::move(values);
  std::sort(order.begin(), order.end(), [&](Code a, Code b) {
    if ((a == missing_) != (b == missing_)) return b == missing_;
    if (type_ != Type::text) return numbers_[a] < numbers_[b];
    return labels_[a] < labels_[b];
  });
  Dictionary& dictionary = result.dictionary;
  dictionary.type = type_;
  dictionary.missing = !order.empty() && order.back() == missing_;
  for (const Code value : order) {
    dictionary.labels.push_back(labels_[value]);
    if (type_ != Type::text) dictionary.numbers.push_back(numbers_[value]);
  }
  return result;
}

}  // namespace throng
