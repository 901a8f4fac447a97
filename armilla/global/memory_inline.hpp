// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "armilla/global_ptr.hpp"

// What the templates of memory.hpp call.
namespace armilla::detail {

global_address allocate_bytes(std::uint64_t bytes, std::uint64_t alignment, const char* operation);
void deallocate_bytes(global_address at, const char* operation);
/// Says that this rank fills all of these bytes of its segment next: they may be given in large pages.
void before_filling(void* begin, std::uint64_t bytes) noexcept;
global_address address_of(const void* p);
/// The same for memory that other ranks shall reach; see to_global.
global_address address_for_others(const void* p);
[[noreturn, gnu::cold]] void throw_too_many(std::uint64_t n, std::uint64_t element);

}  // namespace armilla::detail
