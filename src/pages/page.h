// Pages that people look at: one HTML file with all of its charts, figures and scripts in it, which
// opens without a network.
//
// The page itself is made at build time (pages/, cmake/Pages.cmake) and stands in the program as
// bytes. What differs from run to run is one JSON object in it, which its script reads. Nothing of
// that object can end the element that it stands in, whatever a table holds: see escaped().
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace throng::pages {

// Whether this program was built with its pages (THRONG_PAGES).
bool are_built_in();

// JSON that may stand inside of an HTML script element: ASCII alone, and no <, > or &. Bytes that
// are no UTF-8 are replaced.
std::string escaped(const nlohmann::ordered_json& content);

// `name` is `evaluate`, `audit` or `status`. Throws std::logic_error where pages are not built in.
std::string write_page(std::string_view name, const nlohmann::ordered_json& report);

// The same with another template. Throws std::logic_error where it has not exactly one place.
inline constexpr std::string_view kPlace = "THRONG-CONTENT";
std::string fill(std::string_view page, const nlohmann::ordered_json& content);

}  // namespace throng::pages
