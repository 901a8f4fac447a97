// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <new>
#include <utility>

#include "armilla/base/core/throw_place.hpp"
#include "armilla/global/memory_inline.hpp"
#include "armilla/global_ptr.hpp"

/// Memory to which other ranks can point: blocks of this rank's segment, and anything else by its address.
///
///     am::global_ptr<double> p = am::allocate<double>(100);        // in this rank's segment
///     am::global_ptr<std::pair<int, int>> q = am::create_global<std::pair<int, int>>(1, 2);
///     static thread_local long hits = 0;
///     am::global_ptr<long> h = am::to_global(&hits);               // any object of this rank
///     am::destroy_global(q);
///     am::deallocate(p);
///
/// Other ranks of the host load and store memory of a segment directly; what is elsewhere is reached by the kernel or by
/// messages. For arrays over all ranks use a container; for one variable on each rank, `per_rank`.
namespace armilla {

/// Returns room for `n` objects of type `T` in this rank's segment, aligned to `alignof(T)` and 16 bytes. The content is
/// undefined.
///
/// The segment grows as it is used, up to ARMILLA_SEGMENT bytes (`limit_error`). Called functions may allocate. Cost: about 10 ns
/// below 8 KiB.
template <class T>
global_ptr<T> allocate(std::size_t n = 1) {
  if (n > ~std::size_t{0} / 2 / sizeof(T)) [[unlikely]]
    detail::throw_too_many(n, sizeof(T));
  return global_ptr<T>(detail::allocate_bytes(n * sizeof(T), alignof(T) < 16 ? 16 : alignof(T), "allocate"));
}

/// Frees what `allocate` returned, on this rank or on another one of this host, whose rank takes it back when it next allocates.
/// Does nothing for null. Throws `usage_error` for a pointer that was freed already, that is not the beginning of a block, or
/// that does not point into a segment.
template <class T>
void deallocate(const global_ptr<T>& p) {
  if (p) detail::deallocate_bytes(p.address(), "deallocate");
}

/// Returns a `T` in this rank's segment, constructed from `args`. Free it by `destroy_global`.
template <class T, class... A>
global_ptr<T> create_global(A&&... args) {
  const global_ptr<T> p = allocate<T>();
  try {
    ::new (static_cast<void*>(p.local())) T(std::forward<A>(args)...);
  } catch (const detail::passing&) { throw; } catch (...) {
    deallocate(p);
    throw;
  }
  return p;
}

/// Destroys what `create_global` made, and frees its memory. Does nothing for null. Call it on the rank that made the object: on
/// another rank of its host the destructor would run there. Errors are those of `deallocate`.
template <class T>
void destroy_global(const global_ptr<T>& p) {
  if (!p) return;
  if (T* object = p.local()) object->~T();
  deallocate(p);
}

/// Returns a global pointer to an object of this rank, in segment, heap, static memory or stack, or in a mapped segment. Null for
/// null. The object must live as long as others use the pointer.
///
/// If ranks are threads (ARMILLA_FABRIC=threads), a plain static variable is one object for all of them, so a pointer to that of
/// one rank has no meaning: throws `usage_error` for static variables of the program or its libraries that may change. Make them
/// `per_rank`. Constants are allowed (.rodata, and what is constant after relocation), and so are thread_local variables, of
/// which each rank has its own.
///
/// Cost: some nanoseconds; if ranks are threads, a search in the list of loaded libraries.
template <class T>
global_ptr<T> to_global(T* p) {
  return global_ptr<T>(detail::address_for_others(p));
}

}  // namespace armilla
