// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/check.hpp"

#include <string>

#include "armilla/base/error.hpp"

namespace armilla::detail {

void check_failed(const char* condition, const char* file, int line) {
  fatal("internal check", std::string("\"") + condition + "\" does not hold (" + file + ":" + std::to_string(line) +
                              "); this is a defect of the library, please report it");
}

void check_failed(const char*, const char*, int, const char* operation, std::string_view text) { throw_usage(operation, text); }

}  // namespace armilla::detail
