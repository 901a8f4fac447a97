// SPDX-License-Identifier: Apache-2.0
#include "armilla/global/spread_array.hpp"

#include <exception>

#include <fmt/format.h>

#include "armilla/base/error.hpp"
#include "armilla/global/rank_memory.hpp"
#include "armilla/team/barrier.hpp"

namespace armilla::detail {

// Every rank has a heap that sees the same calls in the same order, because they are collective: so all find the same place,
// and if nothing fits all say so, without a word to each other.
spread_storage::spread_storage(std::uint64_t bytes, std::uint64_t alignment) : exceptions_(std::uncaught_exceptions()) {
  rank_memory& m = memory_here("spread_array");
  const heap::block block = m.symmetric.allocate(bytes, alignment < 64 ? 64 : alignment);
  if (block.offset == heap::none)
    throw_limit("spread_array",
                fmt::format("{} bytes a rank do not fit; raise ARMILLA_SEGMENT (half of it is for spread arrays)", bytes));
  begin_ = global_address::make(memory_kind::segment, m.self.rank, block.offset, block.generation);
}

spread_storage::~spread_storage() {
  // A rank that unwinds does not wait for the others, who may never come.
  if (begin_.null() || current == nullptr || current->memory == nullptr || std::uncaught_exceptions() > exceptions_) return;
  barrier();
  memory_of(*current).symmetric.deallocate(begin_.offset, begin_.generation());
}

void spread_storage::meet() const { barrier(); }

void throw_index(std::size_t i, std::size_t size) {
  throw_usage("spread_array", fmt::format("element {} of an array of {}", i, size));
}

}  // namespace armilla::detail
