// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/global/memory_state.hpp"
#include "armilla/global_ptr.hpp"

// What the templates of per_rank.hpp are made of.
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
}  // namespace armilla
