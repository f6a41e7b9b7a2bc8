// Hierarchies from files: lines of `leaf;level 1;…;*` as ARX writes them (`;` or `,`), or JSON
// lists of terms: [["leaf", "level 1", "*"], …], also under a key "terms".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "hierarchy/hierarchy.h"

namespace throng {

// `source` is the file's name in messages; `missing` may be a leaf whatever the type. Throws
// InputError.
Hierarchy parse_hierarchy(std::string_view content, Type type, const std::string& date_format,
                          const std::string& source,
                          const std::optional<std::string>& missing = {});

Hierarchy read_hierarchy(const std::string& path, Type type, const std::string& date_format,
                         const std::optional<std::string>& missing = {});

// The content of a file; throws InputError that says what the file was wanted for.
std::string read_file(const std::string& path, std::string_view what);

}  // namespace throng
