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

// What the other library has. Null unless that is a part of this program, too.
#if ARMILLA_CHECKED
[[gnu::weak]] extern const char armilla_file_compiled_without_checks_needs_armilla_not_armilla_checked;
#else
[[gnu::weak]] extern const char armilla_file_compiled_for_the_checked_library_needs_armilla_checked;
#endif
}

namespace armilla::detail {

void require_one_grade() {
#if ARMILLA_CHECKED
  const char* const other = &armilla_file_compiled_without_checks_needs_armilla_not_armilla_checked;
#else
  const char* const other = &armilla_file_compiled_for_the_checked_library_needs_armilla_checked;
#endif
  if (other != nullptr)
    throw_usage("run",
                "this program is linked with libarmilla and libarmilla-checked, whose classes differ; compile all of its "
                "files with armilla-c++, or all of them with armilla-c++ --checked, and link one of the two");
}

void check_failed(const char* condition, const char* file, int line) {
  fatal("internal check", std::string("\"") + condition + "\" does not hold (" + file + ":" + std::to_string(line) +
                              "); this is a defect of the library, please report it");
}

void check_failed(const char*, const char*, int, const char* operation, std::string_view text) { throw_usage(operation, text); }

}  // namespace armilla::detail
