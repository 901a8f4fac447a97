// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "armilla/global/memory.hpp"
#include "armilla/global/opened.hpp"
#include "armilla/object/create.hpp"
#include "armilla/rpc/question.hpp"

/// Results of calls that land in memory of the caller's choice.
namespace armilla {
namespace detail {

/// The caller's buffer as the body's rank knows it.
struct result_place {
  global_address at;
  std::uint64_t room;  ///< bytes
};

/// Opens the buffer where memory must be open.
result_place place_for_result(const void* buffer, std::uint64_t bytes, std::unique_ptr<opened_memory>& open);
/// Puts a result there; complete when it returns. Throws when it is longer than the room.
void deliver_result(const result_place& to, const void* from, std::uint64_t count, std::size_t element, std::uint32_t alignment);
/// The buffer stays open until `c` is complete.
void keep_open(pending_op& c, std::unique_ptr<opened_memory> open);
[[gnu::cold]] std::exception_ptr too_many_elements(rank_t source, std::uint64_t count, std::uint64_t room);

/// The reply to a question whose result is in the caller's buffer by then.
template <class T>
struct buffer_part {
  std::uint64_t count;

  void complete(pending_op& c, rank_t source) const {
    const question_place place = c.asked;
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

/// Sends the question; its reply is a number of elements, which becomes a part of the buffer. The buffer is open as long.
template <class T, class F, class... A>
future<std::span<T>> fill_buffer(rank_t dest, std::span<T> buffer, const F& f, const A&... arguments) {
  static_assert(trivially_sendable<T> && !std::is_const_v<T>,
                "armilla: the elements of a buffer for results must travel as bytes, and not be const");
  outbox& out = *here("call_into").out;
  peer_channel& c = out.checked(dest, "call_into");
  const timed runtime(out.observed() ? out.watch() : nullptr, component::runtime);
  std::unique_ptr<opened_memory> open;
  const result_place place = place_for_result(buffer.data(), buffer.size_bytes(), open);
  using filler = result_into<T, F>;
  out.admit(c);
  pending_op* const target = begin_question<filler, A...>(out, c);
  target->asked.buffer = buffer.data();
  target->asked.room = buffer.size();
  future<std::span<T>> result = future_access::adopt<std::span<T>>(target);
  write_question<filler, A...>(out, c, target, filler{place, f}, arguments...);
  target->if_dropped = pending_op::dropped::waits;  // the other side writes into the buffer until it has answered
  if (open != nullptr) [[unlikely]]
    keep_open(*target, std::move(open));
  return result;
}

}  // namespace detail

/// Question whose result lands in `buffer`: runs `f(arguments...)` on rank `dest`; what it returns, a contiguous range of T (a
/// vector, array, span or view; a reference to one makes no copy), is put straight into the buffer. The future gives the part of
/// the buffer that it has filled.
///
///     std::vector<double> column(rows);
///     am::future<std::span<double>> f = am::call_into(3, std::span(column), [](int j) { return columns[j]; }, 7);
///     for (double x : f.get()) ...
///
/// `f` and the arguments as for `call`. The buffer may be any memory of this rank; it must live, and be left alone, until the
/// future is ready. Its destructor waits for that, since the other side writes until it has answered; where nothing may wait, in
/// a handler, it ends the process. A `then` or `when_all` takes over the future without this care. Memory that a span or view
/// refers to must stay until the reply has been sent. Errors: at `get` what the body throws, and a `limit_error` that names both
/// sizes when the result has more elements than the buffer, of which then none is written; what the buffer holds is not defined
/// then, nor behind the part. With ARMILLA_ACCESS=opened the buffer is open for writing until the future is ready. Cost: a
/// question, and one copy of the result where the buffer lies in this rank's segment (`allocate`) or ranks are threads; a copy by
/// the kernel for other memory, of which a caller that waits makes half at the same time from 128 KiB on; in messages where the
/// kernel refuses. Paper: MRPC, section 4, which leaves results to the receiver's next call.
template <class T, std::size_t N, class F, class... A>
future<std::span<T>> call_into(rank_t dest, std::span<T, N> buffer, F&& f, A&&... arguments) {
  (require_sendable<detail::sent_as<A>>(), ...);
  detail::check_body<F, A...>();
  if constexpr (detail::can_call<F, A...>) {
    using P = typename detail::callable_of<F>::type;
    return detail::fill_buffer<T, P, detail::sent_as<A>...>(dest, buffer, detail::callable_of<F>::portable(f, "call_into"),
                                                            arguments...);
  } else {
    return detail::refused_call{};
  }
}
/// The same for a function that is named at compile time.
template <auto F, class T, std::size_t N, class... A>
  requires(!std::is_member_pointer_v<decltype(F)>)
future<std::span<T>> call_into(rank_t dest, std::span<T, N> buffer, A&&... arguments) {
  return call_into(dest, buffer, detail::constant_function<F>{}, std::forward<A>(arguments)...);
}
/// The same for a method or data member of a part of a distributed object, and of a processor object.
template <auto M, class T, std::size_t N, class C, class... A>
  requires std::is_member_pointer_v<decltype(M)>
future<std::span<T>> call_into(const object_ref<C>& object, std::span<T, N> buffer, A&&... arguments) {
  return detail::fill_buffer<T, detail::bound_member<M, C>, detail::sent_as<A>...>(object.rank, buffer, {object.id},
                                                                                   arguments...);
}
template <auto M, class T, std::size_t N, class C, class... A>
  requires std::is_member_pointer_v<decltype(M)>
future<std::span<T>> call_into(const remote<C>& object, std::span<T, N> buffer, A&&... arguments) {
  const detail::reference& held = detail::held_by(object, "call_into");
  return detail::fill_buffer<T, detail::member_of_object<M, C>, detail::sent_as<A>...>(held.rank, buffer, {held.name},
                                                                                       arguments...);
}

// What is easily written otherwise says how it is written.
template <class T, std::size_t N, class... A>
future<std::span<T>> call_into(std::span<T, N>, A&&...) {
  static_assert(detail::dependent_false<T>,
                "armilla: the destination comes first, then the buffer: call_into(rank, buffer, f, arguments...)");
  return {};
}

}  // namespace armilla
