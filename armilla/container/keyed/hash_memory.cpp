// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>

#include <new>

#include "armilla/base/host/large_pages.hpp"
#include "armilla/container/keyed/hash_table.hpp"
#include "armilla/global/memory_need.hpp"

namespace armilla::detail {
namespace {

constexpr std::align_val_t table_align{64};

constexpr std::size_t rounded(std::size_t bytes) noexcept { return (bytes + large_page - 1) / large_page * large_page; }

}  // namespace

void* allocate_table(std::size_t bytes) {
  if (bytes < large_page) return ::operator new(bytes, table_align);
  void* const memory = ::operator new(rounded(bytes), std::align_val_t{large_page}, std::nothrow);
  if (memory == nullptr) throw_no_memory("container", bytes, bytes);
  madvise(memory, rounded(bytes), MADV_HUGEPAGE);  // each search goes to another place: small pages cost as much as the search
  try {
    touch_memory("container", memory, rounded(bytes));
  } catch (...) {
    deallocate_table(memory, bytes);
    throw;
  }
  return memory;
}

void deallocate_table(void* memory, std::size_t bytes) noexcept {
  if (bytes < large_page)
    ::operator delete(memory, table_align);
  else
    ::operator delete(memory, std::align_val_t{large_page});
}

}  // namespace armilla::detail
