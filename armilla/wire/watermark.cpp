// SPDX-License-Identifier: Apache-2.0
#include "armilla/wire/watermark.hpp"

#include <sched.h>

#include <cstring>

#include "armilla/base/core/context.hpp"
#include "armilla/base/values/clock.hpp"

// Model: tests/models/order/block.rs
namespace armilla::detail {
namespace {

constexpr int looks_before_yield = 200;  // some 10 us: longer than a piece takes on a core of its own

void pause(int look) noexcept { look < looks_before_yield ? relax() : void(::sched_yield()); }

// A sender that dies while it writes gives nothing up.
bool abandoned(const watermark& mark, int look) noexcept {
  return look >= looks_before_yield && current != nullptr && current->is_of_lost != nullptr &&
         current->is_of_lost(*current, &mark);
}

}  // namespace

std::uint64_t watermark::await(std::uint64_t bytes) const {
  for (int look = 0;; look += look < looks_before_yield) {
    const std::uint64_t now = __atomic_load_n(&filled, __ATOMIC_ACQUIRE);
    if (now == given_up) throw message_given_up{};
    if (now >= bytes) return now;
    if (abandoned(*this, look)) throw message_given_up{};
    pause(look);
  }
}

void await_end(const watermark& mark, std::uint64_t bytes) noexcept {
  for (int look = 0; __atomic_load_n(&mark.filled, __ATOMIC_ACQUIRE) <= bytes; look += look < looks_before_yield) {
    if (abandoned(mark, look)) return;
    pause(look);
  }
}

void copy_in_pieces(watermark& mark, std::uint64_t before, std::byte* to, const void* from, std::size_t n) noexcept {
  for (std::size_t done = 0; done < n;) {
    const std::size_t part = n - done < watermark::piece ? n - done : watermark::piece;
    std::memcpy(to + done, static_cast<const std::byte*>(from) + done, part);
    done += part;
    mark.raise(before + done);
  }
}

}  // namespace armilla::detail
