// SPDX-License-Identifier: Apache-2.0
#include "armilla/counter.hpp"

#include <type_traits>

#include <fmt/format.h>

#include "armilla/base/values/limits.hpp"
#include "armilla/error.hpp"
#include "armilla/global/remote_memory.hpp"

// Model: tests/models/order/counters.rs
namespace armilla {

static_assert(std::is_standard_layout_v<counter> && sizeof(counter) == 128);

namespace {

// Whether that rank is the one that adds without a lock. It stays the one.
bool is_ours(std::uint64_t& claimed, rank_t rank) noexcept {
  const std::uint64_t me = std::uint64_t(rank) + 1;
  std::uint64_t who = __atomic_load_n(&claimed, __ATOMIC_RELAXED);
  if (who != 0) [[likely]]
    return who == me;
  return __atomic_compare_exchange_n(&claimed, &who, me, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

}  // namespace

void counter::wait(std::uint64_t n) {
  detail::endpoint& messages = *detail::here("counter::wait").messages;
  if (detail::looks_negative(n))
    detail::throw_usage("counter::wait", fmt::format("a count of {} was a negative number; give 0 or more", n));
  // Any rank may have been about to add to it.
  messages.waits.wait_until([&] { return value() >= n || messages.lost.first() != detail::no_rank; }, "counter::wait",
                            detail::wait_object(this));
  if (value() < n) messages.lost.raise(messages.lost.first(), "counter::wait");
  taken_ += n;
}

bool counter::try_wait(std::uint64_t n) noexcept {
  if (value() < n) return false;
  taken_ += n;
  return true;
}

namespace detail {

void throw_negative_signals(const char* operation, std::uint64_t n) {
  throw_usage(operation, fmt::format("{} signals (is the number negative?); give 0 or more", n));
}

void signal_counter(const global_ptr<counter>& c, std::uint64_t n) {
  const global_address at = c.address();
  constexpr access_request wants{"signal", sizeof(counter::arrivals), 8, may_read | may_write};
  std::byte* place = direct<8>(at, wants.operation, wants.bytes, wants.rights);
  if (place == nullptr) place = reach(at, wants);
  context& self = *current;
  rank_memory& m = memory_of(self);
  const bool own_code =
      &m.self == &self;  // not the progress thread, in a safe body: what is under way is not its, nor the claimed sum
  // What wakes a rank that only a network reaches is a message.
  if (place == nullptr || m.host.far[std::size_t(at.rank())] || (own_code && m.under_way(at.rank()))) [[unlikely]]
    return remote_signal(m, at, n);
  // All by release: the data first. Pairs with the acquire in value().
  auto& to = *reinterpret_cast<counter::arrivals*>(place);
  if (own_code && is_ours(to.claimed, self.rank)) [[likely]]
    __atomic_store_n(&to.alone, to.alone + n, __ATOMIC_RELEASE);
  else
    __atomic_fetch_add(&to.shared, n, __ATOMIC_RELEASE);
  if (at.rank() != self.rank) self.out->notify(at.rank());
}

}  // namespace detail

}  // namespace armilla
