// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <new>

#include "armilla/global/global_ptr.hpp"
#include "armilla/global/memory_state.hpp"

namespace armilla {
namespace detail {

/// One per_rank variable in the list of its process. The list is complete before `run`: every rank of a program has the same
/// variables in the same order, so each lies at the same place of every rank's segment.
struct per_rank_entry {
  per_rank_entry(std::size_t size, std::size_t alignment, void (*construct)(void*), void (*destroy)(void*));
  ~per_rank_entry();
  per_rank_entry(const per_rank_entry&) = delete;

  std::uint64_t offset = 0;  ///< in the area of these variables; valid while a session runs
  std::size_t size, alignment;
  void (*construct)(void*);
  void (*destroy)(void*);
  per_rank_entry* next = nullptr;
};

global_address address_on(const per_rank_entry& entry, rank_t r);

/// Fixes the list and answers the bytes it needs; each call wants one `release_per_rank`.
std::uint64_t freeze_per_rank();
void release_per_rank();
void construct_per_rank(std::byte* area);
void destroy_per_rank(std::byte* area);

}  // namespace detail

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
    const detail::context& self = detail::here("per_rank::local");
    return *std::launder(reinterpret_cast<T*>(self.memory->per_rank + entry_.offset));
  }
  T& operator*() const { return local(); }
  T* operator->() const { return &local(); }

 private:
  detail::per_rank_entry entry_;
};

}  // namespace armilla
