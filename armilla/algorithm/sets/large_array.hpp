// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

#include "armilla/base/host/large_pages.hpp"

namespace armilla::detail {

/// Memory that is written once, in large pages where the kernel has them: to be given a small one costs more than to fill it, and
/// places far apart need no more entries of the translation buffers than there are.
void* allocate_large(std::size_t bytes);
void free_large(void* memory) noexcept;

struct large_deleter {
  void operator()(void* memory) const noexcept { free_large(memory); }
};
/// Elements that are not initialised.
template <class T>
using large_array = std::unique_ptr<T[], large_deleter>;

template <class T>
large_array<T> make_large(std::size_t n) {
  static_assert(std::is_trivially_copyable_v<T>);
  return large_array<T>(static_cast<T*>(allocate_large(n * sizeof(T))));
}
template <class T>
void reserve_large(std::vector<T>& all, std::size_t n) {
  all.reserve(n);
  prefer_large_pages(all.data(), all.capacity() * sizeof(T));
}

}  // namespace armilla::detail
