// Hierarchies from files: lines of `leaf;level 1;…;*` as ARX writes them (`;` or `,`), or JSON
// lists of terms: [["leaf", "level 1", "*"], …], also under a key "terms".
#pragma once

#include <string>
#include <string_view>

#include "hierarchy/hierarchy.h"

namespace throng {

// `source` is the file's name in messages. Throws InputError.
Hierarchy parse_hierarchy(std::string_view content, Type type, const std::string& date_format,
                          const std::string& source);

Hierarchy read_hierarchy(const std::string& path, Type type, const std::string& date_format);

// The content of a file; throws InputError that says what the file was wanted for.
std::string read_file(const std::string& path, std::string_view what);

}  // namespace throng
