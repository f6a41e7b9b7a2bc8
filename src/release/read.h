// A release again from the columns of a published file.
#pragma once

#include <string>
#include <vector>

#include "release/release.h"
#include "table/encode.h"

namespace throng {

// `columns` are the released ones in the order of the file. `domains` are those of the original's
// quasi-identifiers. Throws InputError that begins with `source` and names column and value.
Release read_release(std::vector<RawColumn> columns, std::size_t rows, const Policy& policy,
                     const std::vector<Domain>& domains, const std::string& source);

}  // namespace throng
