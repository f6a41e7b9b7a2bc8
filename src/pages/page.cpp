#include "pages/page.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "throng/throng.h"

#ifdef THRONG_PAGE_FILE
// The file as it is: a compiler takes long over an array of as many bytes.
asm(".section .rodata\n"
    ".global throng_page_begin\n"
    ".global throng_page_end\n"
    "throng_page_begin:\n"
    ".incbin \"" THRONG_PAGE_FILE
    "\"\n"
    "throng_page_end:\n"
    ".byte 0\n"
    ".previous\n");
extern "C" {
extern const char throng_page_begin[];  // NOLINT(readability-identifier-naming)
extern const char throng_page_end[];    // NOLINT(readability-identifier-naming)
}
#endif

namespace throng::pages {
namespace {

std::string_view built_in() {
#ifdef THRONG_PAGE_FILE
  return {throng_page_begin, static_cast<std::size_t>(throng_page_end - throng_page_begin)};
#else
  return {};
#endif
}

}  // namespace

bool are_built_in() { return !built_in().empty(); }

std::string escaped(const nlohmann::ordered_json& content) {
  // All that is not ASCII is escaped already, U+2028 too.
  const std::string json =
      content.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
  std::string text;
  text.reserve(json.size());
  for (const char character : json) {
    // These three stand in strings only.
    switch (character) {
      case '<':
        text += "\\u003c";
        break;
      case '>':
        text += "\\u003e";
        break;
      case '&':
        text += "\\u0026";
        break;
      default:
        text += character;
    }
  }
  return text;
}

std::string fill(std::string_view page, const nlohmann::ordered_json& content) {
  const std::size_t place = page.find(kPlace);
  if (place == std::string_view::npos || page.find(kPlace, place + 1) != std::string_view::npos)
    throw std::logic_error("the page's template has not exactly one place for its content");
  std::string text(page.substr(0, place));
  text += escaped(content);
  text += page.substr(place + kPlace.size());
  return text;
}

std::string write_page(std::string_view name, const nlohmann::ordered_json& report) {
  if (!are_built_in()) throw std::logic_error("pages are not built in");
  return fill(built_in(), {{"page", name}, {"version", version()}, {"report", report}});
}

}  // namespace throng::pages
