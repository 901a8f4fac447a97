// SPDX-License-Identifier: Apache-2.0
// What the local table asks of the library, for a program without it: memory that is not there ends the program anyway.
#include <new>

#include "armilla/global/memory_need.hpp"

namespace armilla::detail {

void touch_memory(const char*, void*, std::uint64_t) {}
void throw_no_memory(const char*, std::uint64_t, std::uint64_t) { throw std::bad_alloc(); }

}  // namespace armilla::detail
