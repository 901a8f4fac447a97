// SPDX-License-Identifier: Apache-2.0
#include "armilla/transfer.hpp"

#include <fmt/format.h>

#include "armilla/barrier.hpp"
#include "armilla/error.hpp"
#include "armilla/global/remote_memory.hpp"
#include "armilla/team/core/record.hpp"

namespace armilla {
namespace detail {

void get_far(void* into, global_address from, std::uint64_t bytes, std::uint32_t alignment) {
  const std::byte* const p = reach(from, {"get", bytes, alignment, may_read});
  ++current->count->gets;
  current->count->get_bytes += bytes;
  if (p != nullptr) {
    if (bytes != 0) std::memcpy(into, p, bytes);
    return;
  }
  remote_transfer t(memory_of(*current), from, false, remote_group::split, "get");
  t.add(static_cast<std::byte*>(into), 0, bytes);
  t.finish();
}

namespace {

void require_same_rank(global_address data, global_address counter, const char* operation) {
  if (data.rank() != counter.rank() || counter.null())
    throw_usage(operation,
                fmt::format("the counter ({}) does not lie on the rank of the data ({})", text_of(counter), text_of(data)));
}

// True: the signal has gone with the data.
bool move_there(global_address to, const void* from, std::uint64_t bytes, std::uint32_t alignment, remote_group group,
                const char* operation, const signal_behind* behind) {
  std::byte* const p = reach(to, {operation, bytes, alignment, may_write});
  counters& count = *current->count;
  ++(group == remote_group::split ? count.puts : count.stores);
  (group == remote_group::split ? count.put_bytes : count.store_bytes) += bytes;
  if (p != nullptr) {
    if (bytes != 0) std::memcpy(p, from, bytes);
    return false;
  }
  remote_transfer t(memory_of(*current), to, true, group, operation);
  const bool along = behind != nullptr && t.take_along(*behind, bytes);
  t.add(static_cast<std::byte*>(const_cast<void*>(from)), 0, bytes);  // only read from: the kernel's iovec has no const
  t.finish();
  return along;
}

}  // namespace

void put_far(global_address to, const void* from, std::uint64_t bytes, std::uint32_t alignment, remote_group group,
             const char* operation) {
  move_there(to, from, bytes, alignment, group, operation, nullptr);
}

void get_elements(void* into, global_address from, std::size_t n, const elements_kind& what) {
  require_own_memory(into, n, what.size, what.operation);
  count_call();
  get_far(into, from, n * what.size, what.alignment);
}

void put_elements(global_address to, const void* from, std::size_t n, const elements_kind& what) {
  require_own_memory(from, n, what.size, what.operation);
  count_call();
  put_far(to, from, n * what.size, what.alignment, what.group, what.operation);
}

void signal_after(global_address data, const global_ptr<counter>& c, std::uint64_t n, const char* operation) {
  require_same_rank(data, c.address(), operation);
  signal_counter(c, n);  // it goes behind what is under way
}

void store_far(global_address to, const void* from, std::uint64_t bytes, std::uint32_t alignment, const global_ptr<counter>& c,
               std::uint64_t n) {
  const global_address at = c.address();
  require_same_rank(to, at, "store");
  reach(at, {"signal", sizeof(std::uint64_t), alignof(std::uint64_t), may_read | may_write});
  const signal_behind behind{at, n};
  if (!move_there(to, from, bytes, alignment, remote_group::stores, "store", &behind)) signal_counter(c, n);
}

void sync_slowly() {
  rank_memory& m = memory_here("sync_memory");
  m.failed = m.failure[unsigned(remote_group::stores)].status != remote_status::ok;
  finish_group(m, remote_group::split, "sync_memory");
}

namespace {
void finish_stores() {
  rank_memory& m = memory_here("all_store_sync");
  refuse_parts_of_bodies(*current, "all_store_sync");
  confirm_stores(m, "all_store_sync");
  finish_group(m, remote_group::stores, "all_store_sync");
}
}  // namespace

}  // namespace detail

void all_store_sync() {
  detail::finish_stores();
  barrier();
}

void team::all_store_sync() const {
  detail::finish_stores();
  barrier();
}

}  // namespace armilla
