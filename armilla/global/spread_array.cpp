// SPDX-License-Identifier: Apache-2.0
#include "armilla/spread_array.hpp"

#include <exception>

#include <fmt/format.h>

#include "armilla/barrier.hpp"
#include "armilla/base/host/memory_left.hpp"
#include "armilla/base/values/extents.hpp"
#include "armilla/base/values/limits.hpp"
#include "armilla/error.hpp"
#include "armilla/global/memory_need.hpp"
#include "armilla/global/rank_memory.hpp"
#include "armilla/memory.hpp"

namespace armilla::detail {

// Every rank has a heap that sees the same calls in the same order, because they are collective: so all find the same place,
// and if nothing fits all say so, without a word to each other. Whether hosts have the memory they ask each other.
spread_storage::spread_storage(std::uint64_t bytes, std::uint64_t alignment) : exceptions_(std::uncaught_exceptions()) {
  rank_memory& m = memory_here("spread_array");
  const heap::block block = m.symmetric.allocate(bytes, alignment < 64 ? 64 : alignment);
  if (block.offset == heap::none)
    throw_limit("spread_array", fmt::format("{} bytes a rank do not fit; {}", bytes, remedy_for_segment(bytes, "spread arrays")));
  begin_ = global_address::make(memory_kind::segment, m.self.rank, block.offset, block.generation);
  if (bytes >= large_request) try {
      require_memory(world(), "spread_array", need_of_block(begin_, bytes));
    } catch (...) {
      m.symmetric.deallocate(block.offset, block.generation);
      throw;
    }
}

spread_storage::~spread_storage() {
  // A rank that unwinds does not wait for the others, which may never come.
  if (begin_.null() || current == nullptr || current->memory == nullptr || std::uncaught_exceptions() > exceptions_) return;
  barrier();
  memory_of(*current).symmetric.deallocate(begin_.offset, begin_.generation());
}

void spread_storage::before_filling(std::uint64_t bytes) const noexcept {
  detail::before_filling(global_ptr<std::byte>(begin_).local(), bytes);
}

void spread_storage::meet() const { barrier(); }

void throw_index(std::size_t i, std::size_t size) {
  const std::string valid = size == 0 ? "it has none" : fmt::format("give an index from 0 to {}", size - 1);
  throw_usage("spread_array", fmt::format("element {} of an array of {} elements{}; {}", i, size,
                                          looks_negative(i) ? " (is the index a negative number?)" : "", valid));
}

void throw_blocks(std::size_t block) {
  throw_usage(
      "spread_array::begin",
      fmt::format("the array has blocks of {} elements, and a spread pointer goes to the next rank with every step; write "
                  "x[i] or x.ptr(i), or make the array with blocks of 1",
                  block));
}

std::uint64_t spread_bytes(std::size_t n, std::size_t block, std::size_t ranks, std::size_t element) {
  const std::uint64_t in_turn = bounded_product(block, ranks), turns = n / in_turn + (n % in_turn != 0 ? 1 : 0);
  const std::uint64_t bytes = bounded_product(bounded_product(turns, block), element);
  if (bytes > most_segment_bytes || in_turn > most_segment_bytes)
    throw_limit(
        "spread_array",
        fmt::format("{} elements of {} bytes in blocks of {} are more than any segment holds{}; ask for fewer", n, element, block,
                    looks_negative(n) || looks_negative(block) ? " (is the size a negative number?)" : ""));
  return bytes;
}

}  // namespace armilla::detail
