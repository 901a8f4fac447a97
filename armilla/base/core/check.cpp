// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/core/check.hpp"

#include <string>

#include "armilla/base/core/grade.hpp"
#include "armilla/error.hpp"

// See grade.hpp. Where files of both grades are in one program, and both libraries, each brings the last one.
extern "C" {
#if ARMILLA_CHECKED
const char armilla_file_compiled_for_the_checked_library_needs_armilla_checked = 0;
#else
const char armilla_file_compiled_without_checks_needs_armilla_not_armilla_checked = 0;
#endif
extern const char armilla_and_armilla_checked_in_one_program;
const char armilla_and_armilla_checked_in_one_program = 0;
}

namespace armilla::detail {

void check_failed(const char* condition, const char* file, int line) {
  fatal("internal check", std::string("\"") + condition + "\" does not hold (" + file + ":" + std::to_string(line) +
                              "); this is a defect of the library, please report it");
}

void check_failed(const char*, const char*, int, const char* operation, std::string_view text) { throw_usage(operation, text); }

}  // namespace armilla::detail
