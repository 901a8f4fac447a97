// SPDX-License-Identifier: Apache-2.0
#include "armilla/global/memory_need.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include "armilla/am/endpoint/outbox.hpp"
#include "armilla/base/values/extents.hpp"
#include "armilla/collectives.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/global_ptr.hpp"

namespace armilla::detail {
namespace {

std::uint64_t in_mib(std::uint64_t bytes) { return (bytes >> 20) + ((bytes & ((1 << 20) - 1)) != 0 ? 1 : 0); }

/// Pages of fresh memory; the system's way where it has one.
void touch(std::byte* begin, std::uint64_t bytes) {
#ifdef MADV_POPULATE_WRITE
  if (madvise(begin, bytes, MADV_POPULATE_WRITE) == 0) return;
#endif
  const auto page = std::uint64_t(sysconf(_SC_PAGESIZE));
  for (std::uint64_t at = 0; at < bytes; at += page) *static_cast<volatile std::byte*>(begin + at) = std::byte{0};
}

}  // namespace

memory_need need_of(std::uint64_t bytes) { return bytes < large_request ? memory_need{} : memory_need{bytes, memory_left()}; }

memory_need need_of_block(global_address block, std::uint64_t bytes) {
  if (block.null() || bytes < large_request) return {};
  return need_of(untouched_bytes(global_ptr<std::byte>(block).local(), bytes));
}

void require_memory(const team& t, const char* operation, std::span<const memory_need> all) {
  struct host_need {
    std::uint64_t bytes = 0, left = no_bound, ranks = 0;
  };
  std::vector<host_need> hosts;
  const auto host_of = [&](std::size_t m) -> host_need& {
    const std::size_t number = outbox_of(*current).host().number[std::size_t(t.world_rank(rank_t(m)))];
    if (number >= hosts.size()) hosts.resize(number + 1);
    return hosts[number];
  };
  for (std::size_t m = 0; m < all.size(); ++m) {
    if (!all[m].large()) continue;
    host_need& there = host_of(m);
    there.bytes = bounded_sum(there.bytes, all[m].bytes);
    there.left = std::min(there.left, all[m].left);
    ++there.ranks;
  }
  for (std::size_t m = 0; m < all.size(); ++m)
    if (const host_need& there = host_of(m); there.bytes > there.left)
      throw_limit(operation,
                  fmt::format("{} MiB on the host of rank {} ({} for it and {} for {} other ranks of the team) are more than "
                              "the {} MiB of memory that are left there; ask for fewer elements, or take more hosts",
                              in_mib(there.bytes), t.world_rank(rank_t(m)), in_mib(all[m].bytes),
                              in_mib(there.bytes - all[m].bytes), there.ranks - (all[m].large() ? 1 : 0), in_mib(there.left)));
}

void require_memory(const team& t, const char* operation, memory_need mine) { require_memory(t, operation, t.all_gather(mine)); }

void require_memory(const team& t, const char* operation, std::uint64_t mine, std::uint64_t most) {
  if (most < large_request) return;
  require_memory(t, operation, need_of(mine));
}

void throw_no_memory(const char* operation, std::uint64_t bytes, std::uint64_t more) {
  throw_limit(operation, fmt::format("{} MiB on rank {} need {} MiB more, and its host has {} MiB of memory left; keep fewer "
                                     "elements, or take more hosts",
                                     in_mib(bytes), current == nullptr ? 0 : current->rank, in_mib(more), in_mib(memory_left())));
}

void touch_memory(const char* operation, void* begin, std::uint64_t bytes) {
  if (bytes < large_request) return;
  std::byte* const first = static_cast<std::byte*>(begin);
  for (std::uint64_t at = 0; at < bytes; at += large_request) {
    // Other ranks may look at the same moment: what they take then is within the part that stays free.
    if (bytes - at > memory_left()) {
      madvise(first, at, MADV_DONTNEED);
      throw_no_memory(operation, bytes, bytes - at);
    }
    touch(first + at, std::min(large_request, bytes - at));
  }
}

}  // namespace armilla::detail
