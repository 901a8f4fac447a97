// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <new>

#include "armilla/global/per_rank_inline.hpp"
#include "armilla/global_ptr.hpp"

namespace armilla {

/// A static variable with one copy on every rank, on every fabric; ranks may be threads, where a plain static is one object
/// for all. Each rank's copy is value-initialised before `run` calls the program and destroyed after it.
///
///     static am::per_rank<int> hits;
///     ++hits.local();                     // mine
///     int n = *hits.on(5);                // rank 5's
///
/// Define it at namespace scope or as a static member: one that comes to life inside of a session is a usage_error.
/// In a job of several programs each has its own variables.
template <class T>
class per_rank {
 public:
  per_rank() : entry_(sizeof(T), alignof(T), [](void* p) { ::new (p) T(); }, [](void* p) { static_cast<T*>(p)->~T(); }) {}

  /// Rank r's copy. usage_error if r is no rank, or runs another program.
  global_ptr<T> on(rank_t r) const { return global_ptr<T>(detail::address_on(entry_, r)); }

  /// This rank's copy. Cost: two loads.
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
