// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <new>
#include <utility>

#include "armilla/global/memory_inline.hpp"
#include "armilla/global_ptr.hpp"

/// Memory that others can point to: blocks of this rank's segment, and anything else by its address.
namespace armilla {

/// Room for `n` objects of type T in this rank's segment, aligned to alignof(T) and 16 bytes; what it holds is not defined.
/// The segment grows as it is used, up to ARMILLA_SEGMENT bytes (limit_error). Cost: some 10 ns below 8 KiB. May be called in a
/// body.
template <class T>
global_ptr<T> allocate(std::size_t n = 1) {
  if (n > ~std::size_t{0} / 2 / sizeof(T)) [[unlikely]]
    detail::throw_too_many(n, sizeof(T));
  return global_ptr<T>(detail::allocate_bytes(n * sizeof(T), alignof(T) < 16 ? 16 : alignof(T), "allocate"));
}

/// Gives back what `allocate` returned, on this rank or on another one of this host (whose rank takes it in when it next
/// allocates). Nothing happens for null. usage_error for a pointer that was freed already, that is not the beginning of a
/// block, or that does not point into a segment.
template <class T>
void deallocate(const global_ptr<T>& p) {
  if (p) detail::deallocate_bytes(p.address(), "deallocate");
}

/// A T in this rank's segment, constructed from `args`. Give it back with `destroy_global`.
template <class T, class... A>
global_ptr<T> create_global(A&&... args) {
  const global_ptr<T> p = allocate<T>();
  try {
    ::new (static_cast<void*>(p.local())) T(std::forward<A>(args)...);
  } catch (...) {
    deallocate(p);
    throw;
  }
  return p;
}

/// Destroys what `create_global` made, and gives its memory back; nothing for a null pointer. On the rank that made it: another
/// rank of its host would run the destructor there. Errors as of `deallocate`.
template <class T>
void destroy_global(const global_ptr<T>& p) {
  if (!p) return;
  if (T* object = p.local()) object->~T();
  deallocate(p);
}

/// The global pointer to an object of this rank, or in a mapped segment: whatever `p` points to, in segment, heap, static or
/// stack memory. Null for null. The object must live as long as others use the pointer.
///
/// Where ranks are threads (ARMILLA_FABRIC=threads) a plain static is one object for all of them, so a pointer to "rank 2's"
/// would lie: usage_error for what the program, or a library of it, has as a static variable that may change. Make that a
/// `per_rank`. Constants are given (.rodata, and what is constant once it is relocated), and so are thread_local variables: each
/// rank has its own. Cost: some nanoseconds; where ranks are threads a look through the list of loaded libraries.
template <class T>
global_ptr<T> to_global(T* p) {
  return global_ptr<T>(detail::address_for_others(p));
}

}  // namespace armilla
