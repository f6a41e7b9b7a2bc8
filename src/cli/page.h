// `--html FILE` of the verbs that have a page.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/program.h"

namespace throng::cli {

void add_page_option(Verb& verb, std::string& path);

// Refuses, before any work is done, a page that could not be written; "" is none. `publication`:
// the folder of one, in which no page may lie, or "". Throws InputError.
void check_page(const std::string& path, const std::vector<std::string>& inputs,
                const std::string& publication = "");

// Writes a page of the report that --json prints, whole or not at all. It holds neither seconds
// nor memory: the same input, the same page. "" is none. Throws InputError.
void write_page(const std::string& path, std::string_view name, nlohmann::ordered_json report);

}  // namespace throng::cli
