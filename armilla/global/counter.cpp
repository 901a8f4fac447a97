// SPDX-License-Identifier: Apache-2.0
#include "armilla/global/counter.hpp"

#include <type_traits>

#include "armilla/global/far.hpp"

namespace armilla {

static_assert(std::is_standard_layout_v<counter> && sizeof(counter) == 16);

void counter::wait(std::uint64_t n) {
  detail::endpoint& messages = *detail::here("counter::wait").messages;
  // Anybody may have been about to add to it.
  messages.wait_until([&] { return value() >= n || messages.first_lost() != no_rank; }, "counter::wait", this);
  if (value() < n) messages.throw_lost(messages.first_lost(), "counter::wait");
  taken_ += n;
}

bool counter::try_wait(std::uint64_t n) noexcept {
  if (value() < n) return false;
  taken_ += n;
  return true;
}

void signal_counter(const global_ptr<counter>& c, std::uint64_t n) {
  const detail::global_address at = c.address();
  std::byte* place = detail::direct<8>(at, "signal_counter", 8, detail::may_write);
  if (place == nullptr) place = detail::reach(at, {"signal_counter", 8, 8, detail::may_read | detail::may_write});
  if (place == nullptr) return detail::far_signal(detail::memory_of(*detail::current), at, n);
  // release: the data first; pairs with the acquire in value()
  __atomic_fetch_add(reinterpret_cast<std::uint64_t*>(place), n, __ATOMIC_RELEASE);
  if (at.rank() != detail::current->rank) detail::current->messages->notify(at.rank());
}

}  // namespace armilla
