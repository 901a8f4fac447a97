// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

/// Memory of the caller from which elements are sent, or into which they come.
namespace armilla::detail {

[[noreturn, gnu::cold]] void throw_no_memory(const char* operation, const void* first, std::size_t n);

/// Refuses a null pointer to more than nothing, and numbers of elements of `size` bytes that no memory holds. Budget: two
/// comparisons.
inline void require_own_memory(const void* first, std::size_t n, std::size_t size, const char* operation) {
  if ((first == nullptr && n != 0) || n > std::size_t(PTRDIFF_MAX) / size) [[unlikely]]
    throw_no_memory(operation, first, n);
}

}  // namespace armilla::detail
