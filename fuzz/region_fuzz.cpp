// Any text as a region of three domains: what can be read is written and read back as the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "release/region.h"
#include "throng/error.h"

namespace {

throng::Domain domain_of(throng::Type type, const throng::HierarchyRule& hierarchy) {
  throng::Dictionary values;
  values.type = type;
  if (type == throng::Type::integer) {
    for (int i = 0; i < 20; ++i) {
      values.labels.push_back(std::to_string(i));
      values.numbers.push_back(i);
    }
  } else {
    values.labels = {"", "*", "..", "\\", "a", "a..b", "a|b", "b", "{", "{a|b}", "|", "}"};
  }
  throng::Generalization rule;
  rule.hierarchy = hierarchy;
  return throng::make_domain("c", values, rule);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const throng::Domain kDomains[] = {
      domain_of(throng::Type::text, {}), domain_of(throng::Type::integer, {}),
      domain_of(throng::Type::integer, throng::IntervalRule{{5, 10}, 0, {}})};
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const throng::Domain& domain : kDomains) {
    try {
      const throng::Region region = throng::read_region(domain, text);
      if (throng::read_region(domain, throng::write_region(domain, region)) != region) std::abort();
    } catch (const throng::InputError&) {
    }
  }
  return 0;
}
