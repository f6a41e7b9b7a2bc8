#include "audit/classes.h"

#include <algorithm>
#include <stdexcept>

namespace throng {

Classes make_classes(const History& history, std::size_t release) {
  const std::vector<std::uint32_t>& class_of = history.class_of[release];
  if (class_of.size() != history.records())
    throw std::invalid_argument("a history has one class or none of every record in every release");
  Classes classes;
  classes.numbers = class_of;
  std::sort(classes.numbers.begin(), classes.numbers.end());
  classes.numbers.erase(std::unique(classes.numbers.begin(), classes.numbers.end()),
                        classes.numbers.end());
  if (!classes.numbers.empty() && classes.numbers.back() == History::kAbsent)
    classes.numbers.pop_back();

  classes.of_record.assign(history.records(), History::kAbsent);
  classes.record_begin.assign(classes.size() + 1, 0);
  for (std::size_t record = 0; record < history.records(); ++record) {
    if (class_of[record] == History::kAbsent) continue;
    const auto number = static_cast<std::uint32_t>(
        std::lower_bound(classes.numbers.begin(), classes.numbers.end(), class_of[record]) -
        classes.numbers.begin());
    classes.of_record[record] = number;
    ++classes.record_begin[number + 1];
  }
  for (std::size_t i = 0; i < classes.size(); ++i)
    classes.record_begin[i + 1] += classes.record_begin[i];
  classes.record_list.resize(classes.record_begin.back());
  std::vector<std::uint32_t> next(classes.record_begin.begin(), classes.record_begin.end() - 1);
  for (std::uint32_t record = 0; record < history.records(); ++record) {
    if (classes.of_record[record] != History::kAbsent)
      classes.record_list[next[classes.of_record[record]]++] = record;
  }

  classes.count_begin.push_back(0);
  std::vector<Code> values;
  for (std::uint32_t number = 0; number < classes.size(); ++number) {
    values.clear();
    for (const std::uint32_t record : classes.records(number))
      values.push_back(history.values[record]);
    std::sort(values.begin(), values.end());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i == 0 || values[i] != values[i - 1]) classes.count_list.push_back({values[i], 0});
      ++classes.count_list.back().count;
    }
    classes.count_begin.push_back(static_cast<std::uint32_t>(classes.count_list.size()));
  }
  return classes;
}

const Classes::Count* find_count(std::span<const Classes::Count> counts, Code value) {
  const auto found = std::lower_bound(
      counts.begin(), counts.end(), value,
      [](const Classes::Count& count, Code wanted) { return count.value < wanted; });
  return found != counts.end() && found->value == value ? &*found : nullptr;
}

}  // namespace throng
