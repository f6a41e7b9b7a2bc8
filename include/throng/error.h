// The two kinds of error a caller can meet. Anything else that is thrown is a defect of Throng.
#pragma once

#include <stdexcept>

#include "throng/export.h"

namespace throng {

// The user's input is at fault: a file, a policy, an option. The message is one line that names the
// place and says what was expected. The program exits with 2.
class THRONG_API InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  ~InputError() override;
};

// The privacy asked for cannot be met, or is not met. The program exits with 3.
class THRONG_API PrivacyError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  ~PrivacyError() override;
};

}  // namespace throng
