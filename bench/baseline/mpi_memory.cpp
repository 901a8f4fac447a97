// SPDX-License-Identifier: Apache-2.0
// What the local table asks of the library, for a program without it: memory that is not there ends the program anyway.
#include <new>

#include "armilla/base/core/grade.hpp"
#include "armilla/global/memory_need.hpp"

#if ARMILLA_CHECKED
const char armilla_file_compiled_for_the_checked_library_needs_armilla_checked = 0;
#else
const char armilla_file_compiled_without_checks_needs_armilla_not_armilla_checked = 0;
#endif

namespace armilla::detail {

void touch_memory(const char*, void*, std::uint64_t) {}
void throw_no_memory(const char*, std::uint64_t, std::uint64_t) { throw std::bad_alloc(); }

}  // namespace armilla::detail
