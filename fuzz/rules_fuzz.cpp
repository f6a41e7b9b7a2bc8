// Any bytes as a file of rules: rules, or one InputError, never anything else; and what was read is
// written so that it reads the same.
#include <cstddef>
#include <cstdint>
#include <string>

#include "hierarchy/domain.h"
#include "knowledge/rules.h"
#include "throng/error.h"

namespace {

using throng::Dictionary;
using throng::Domain;

Dictionary texts(std::vector<std::string> labels) {
  Dictionary dictionary;
  dictionary.labels = std::move(labels);
  return dictionary;
}

std::vector<Domain> domains() {
  Dictionary ages;
  ages.type = throng::Type::integer;
  for (int age = 20; age < 30; ++age) {
    ages.labels.push_back(std::to_string(age));
    ages.numbers.push_back(age);
  }
  return {make_domain("sex", texts({"Female", "Male"}), {}), make_domain("age", ages, {})};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<Domain> kDomains = domains();
  static const Dictionary kValues = texts({"Flu", "Gout", "Ovarian cancer"});
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    throng::parse_rules(text, "fuzz", kDomains, kValues, /*lenient=*/true);
    const auto rules = throng::parse_rules(text, "fuzz", kDomains, kValues);
    const std::string written = throng::write_rules(rules, kDomains);
    const auto again = throng::parse_rules(written, "written", kDomains, kValues);
    if (throng::write_rules(again, kDomains) != written) __builtin_trap();
  } catch (const throng::InputError& error) {
    if (std::string(error.what()).starts_with("written")) __builtin_trap();
  }
  return 0;
}
