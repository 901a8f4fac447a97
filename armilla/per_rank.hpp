// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <new>

#include "armilla/global/per_rank_inline.hpp"
#include "armilla/global_ptr.hpp"

namespace armilla {

/// A static variable of which every rank has its own copy, on every fabric.
///
/// Use it instead of a plain static, which is one object for all ranks if they are threads, and to reach a variable of another
/// rank.
///
///     static am::per_rank<int> hits;
///     ++hits.local();                     // this rank's copy
///     int n = *hits.on(5);                // that of rank 5
///
/// Define it at namespace scope or as a static member: one that is constructed inside of a session throws `usage_error`. Each
/// copy is value-initialized before `run` calls the program, and destroyed after it. In a job of several programs each has its
/// own variables.
template <class T>
class per_rank {
 public:
  per_rank() : entry_(sizeof(T), alignof(T), [](void* p) { ::new (p) T(); }, [](void* p) { static_cast<T*>(p)->~T(); }) {}

  /// Returns a global pointer to the copy of rank `r`. Throws `usage_error` if `r` is not a rank, or runs another program.
  global_ptr<T> on(rank_t r) const { return global_ptr<T>(detail::address_on(entry_, r)); }

  /// Returns the copy of this rank. Cost: two loads.
  T& local() const {
    const detail::context_head& self = detail::head_here("per_rank::local");
    return *std::launder(reinterpret_cast<T*>(self.memory->per_rank + entry_.offset));
  }
  T& operator*() const { return local(); }
  T* operator->() const { return &local(); }

 private:
  detail::per_rank_entry entry_;
};

}  // namespace armilla
