// SPDX-License-Identifier: Apache-2.0
#pragma once

// A program is of one grade: with the costly checks (ARMILLA_CHECKED=1) or without them. Inline functions and the layout of some
// types differ, so files of the two do not fit together, nor with the other library. Each file that can call the library asks
// for a symbol that only the library of its grade has: what does not fit is not linked, and the missing symbol says why.
// `retain` keeps that where the linker drops sections to which nothing refers.
#if ARMILLA_CHECKED
extern "C" const char armilla_file_compiled_for_the_checked_library_needs_armilla_checked;
#else
extern "C" const char armilla_file_compiled_without_checks_needs_armilla_not_armilla_checked;
#endif

namespace armilla::detail {

#if ARMILLA_CHECKED
[[gnu::used, gnu::retain]] inline const char* const checked_grade =
    &armilla_file_compiled_for_the_checked_library_needs_armilla_checked;
#else
[[gnu::used, gnu::retain]] inline const char* const unchecked_grade =
    &armilla_file_compiled_without_checks_needs_armilla_not_armilla_checked;
#endif

}  // namespace armilla::detail
