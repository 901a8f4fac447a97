// SPDX-License-Identifier: Apache-2.0
#include "armilla/open_memory.hpp"

#include <fmt/format.h>

#include "armilla/base/values/limits.hpp"
#include "armilla/error.hpp"
#include "armilla/global/rank_memory.hpp"

namespace armilla {

namespace detail {

opened_memory open_bytes(global_address at, std::size_t n, std::size_t size, access_rights rights) {
  rank_memory& m = memory_here("open_memory");
  if (at.null()) throw_usage("open_memory", "the pointer is null");
  if (at.rank() != m.self.rank)
    throw_usage("open_memory", fmt::format("the memory ({}) belongs to another rank; only its owner can open it", text_of(at)));
  std::uint64_t bytes;
  if (__builtin_mul_overflow(n, size, &bytes))
    throw_usage("open_memory", fmt::format("{} objects of {} bytes are more than any memory holds{}; open what there is", n, size,
                                           looks_negative(n) ? " (is the number negative?)" : ""));
  if (const remote_status s = admit(m, m.self.rank, at, bytes, 0, false); s != remote_status::ok) throw_far("open_memory", s, at);
  opened_memory opened;
  const std::uint32_t index = m.directory(m.self.rank).open(at.kind(), at.offset, at.offset + bytes, std::uint8_t(rights));
  if (index == segment_directory::most_ranges)
    throw_limit("open_memory", fmt::format("{} ranges are open already; open larger ones, or close some", index));
  opened.index_ = index;
  return opened;
}

}  // namespace detail

void opened_memory::close() noexcept {
  const std::uint32_t index = std::exchange(index_, none);
  detail::context* const self = detail::current;
  if (index == none || self == nullptr || self->memory == nullptr) return;  // the session has ended, and its memory with it
  detail::memory_of(*self).directory(self->rank).close(index);
}

}  // namespace armilla
