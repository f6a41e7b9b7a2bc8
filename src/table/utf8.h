// Whether bytes are UTF-8 text: what is not would come out as something else at every reader's.
#pragma once

#include <cstddef>
#include <string_view>

namespace throng {

// Refuses overlong forms, surrogates and code points beyond U+10FFFF.
bool is_utf8(std::string_view bytes);

}  // namespace throng
