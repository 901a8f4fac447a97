// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <type_traits>
#include <utility>

#include "armilla/base/values/owned.hpp"
#include "armilla/call.hpp"
#include "armilla/create.hpp"
#include "armilla/memory.hpp"
#include "armilla/open_memory.hpp"

// What the templates of call_into.hpp are made of.
namespace armilla {
namespace detail {

/// The caller's buffer as the body's rank knows it.
struct result_place {
  global_address at;
  std::uint64_t room;  ///< bytes
};

/// Opens the buffer where memory must be open.
result_place place_for_result(const void* buffer, std::uint64_t bytes, owned<opened_memory>& open);
/// Puts a result there; complete when it returns. Throws when it is longer than the room.
void deliver_result(const result_place& to, const void* from, std::uint64_t count, std::size_t element, std::uint32_t alignment);
/// The buffer stays open until `c` is complete.
void keep_open(pending_op& c, owned<opened_memory> open);
[[gnu::cold]] std::exception_ptr too_many_elements(rank_t source, std::uint64_t count, std::uint64_t room);

/// The reply to a two-way call whose result is in the caller's buffer by then.
template <class T>
struct buffer_part {
  std::uint64_t count;

  void complete(pending_op& c, rank_t source) const {
    const two_way_call_place place = c.asked;
    if (count > place.room) [[unlikely]]
      return c.fail(too_many_elements(source, count, place.room));
    c.store<std::span<T>>(static_cast<T*>(place.buffer), std::size_t(count));
    c.complete(pending_op::state_t::ready);
  }
};

/// Calls `f`, puts what it returns into the caller's buffer, and returns the number of elements.
template <class T, class F>
struct result_into {
  result_place to;
  [[no_unique_address]] F f;

  bool present() const noexcept
    requires may_be_absent<F>
  {
    return f.present();
  }
  void park(context& self, parked_call call) const
    requires may_be_absent<F>
  {
    f.park(self, std::move(call));
  }

  template <class... A>
    requires std::invocable<F&, A...>
  buffer_part<T> operator()(A&&... arguments) {
    using R = std::invoke_result_t<F&, A...>;
    static_assert(
        requires(std::remove_reference_t<R>& r) {
          { r.data() } -> std::convertible_to<const T*>;
          { r.size() } -> std::convertible_to<std::uint64_t>;
        }, "armilla: the result of call_into must be a contiguous range of the buffer's elements: vector, array, span or view");
    R&& result = f(std::forward<A>(arguments)...);
    const std::uint64_t count = result.size();
    deliver_result(to, static_cast<const T*>(result.data()), count, sizeof(T), alignof(T));
    return {count};
  }
};

/// Sends the two-way call; its reply is a number of elements, which becomes a part of the buffer. The buffer is open as long.
template <class T, class F, class... A>
future<std::span<T>> fill_buffer(rank_t dest, std::span<T> buffer, const F& f, const A&... arguments) {
  static_assert(trivially_sendable<T> && !std::is_const_v<T>,
                "armilla: the elements of a buffer for results must travel as bytes, and not be const");
  sending& out = *head_here("call_into").out;
  channel_head& c = out.checked(dest, "call_into");
  const timed runtime(out.observed() ? out.watch() : nullptr, component::runtime);
  owned<opened_memory> open;
  const result_place place = place_for_result(buffer.data(), buffer.size_bytes(), open);
  using filler = result_into<T, F>;
  out.admit(c);
  pending_op* const target = begin_two_way_call<filler, A...>(out, c);
  target->asked.buffer = buffer.data();
  target->asked.room = buffer.size();
  future<std::span<T>> result = future_access::adopt<std::span<T>>(target);
  write_two_way_call<filler, A...>(out, c, target, filler{place, f}, arguments...);
  target->if_dropped = pending_op::dropped::waits;  // the other side writes into the buffer until it has answered
  if (open != nullptr) [[unlikely]]
    keep_open(*target, std::move(open));
  return result;
}

}  // namespace detail
}  // namespace armilla
