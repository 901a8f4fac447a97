// SPDX-License-Identifier: Apache-2.0
#include "armilla/call_into.hpp"

#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "armilla/base/core/context.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {

result_place place_for_result(const void* buffer, std::uint64_t bytes, owned<opened_memory>& open) {
  const context& self = *current;
  const result_place place{address_of(buffer), bytes};
  if (bytes != 0 && self.settings->access == access_kind::opened)
    open = std::make_unique<opened_memory>(open_bytes(place.at, bytes, 1, access_rights::write));
  return place;
}

// The bytes are written before the reply is, so the rank that has the reply sees them.
void deliver_result(const result_place& to, const void* from, std::uint64_t count, std::size_t element, std::uint32_t alignment) {
  if (count > to.room / element)
    throw_limit("call_into", fmt::format("the result has {} elements ({} bytes), the caller's buffer has room for {} ({} bytes); "
                                         "give it a larger one",
                                         count, count * element, to.room / element, to.room));
  if (count != 0) write_far(to.at, from, {"call_into", count * element, alignment, may_write});
}

void keep_open(pending_op& c, owned<opened_memory> open) {
  struct closer : continuation {
    owned<opened_memory> open;
    explicit closer(owned<opened_memory> o) noexcept : continuation{&closer::go}, open(std::move(o)) {}
    static void go(continuation* self, pending_op*) { delete static_cast<closer*>(self); }
  };
  if (c.state == pending_op::state_t::pending) c.attach(*new closer(std::move(open)));
}

std::exception_ptr too_many_elements(rank_t source, std::uint64_t count, std::uint64_t room) {
  try {
    throw_decode(source, "call_into",
                 fmt::format("rank {} says that it put {} elements into a buffer of {}", source, count, room));
  } catch (...) { return std::current_exception(); }
}

}  // namespace armilla::detail
