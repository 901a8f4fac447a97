// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
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

result_place place_for_result(const void* buffer, std::uint64_t bytes, opened_memory& open);
/// Puts a result there; complete when it returns. Throws when it is longer than the room.
void deliver_result(const result_place& to, const void* from, std::uint64_t count, std::size_t element, std::uint32_t alignment);
[[noreturn, gnu::cold]] void throw_result_count(rank_t source, std::uint64_t count, std::uint64_t room);

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
  std::uint64_t operator()(A&&... arguments) {
    using R = std::invoke_result_t<F&, A...>;
    static_assert(
        requires(std::remove_reference_t<R>& r) {
          { r.data() } -> std::convertible_to<const T*>;
          { r.size() } -> std::convertible_to<std::uint64_t>;
        }, "armilla: the result of call_into must be a contiguous range of the buffer's elements: vector, array, span or view");
    R&& result = f(std::forward<A>(arguments)...);
    const std::uint64_t count = result.size();
    deliver_result(to, static_cast<const T*>(result.data()), count, sizeof(T), alignof(T));
    return count;
  }
};

}  // namespace detail

namespace detail {

/// Sends the question; its reply is a number of elements, which becomes a part of the buffer. The buffer is open as long.
template <class T, class F, class... A>
future<std::span<T>> fill_buffer(rank_t dest, std::span<T> buffer, const F& f, const A&... arguments) {
  static_assert(trivially_sendable<T> && !std::is_const_v<T>,
                "armilla: the elements of a buffer for results must travel as bytes, and not be const");
  outbox& out = *here("call_into").out;
  peer_channel& c = out.checked(dest, "call_into");
  opened_memory open;
  const result_place place = place_for_result(buffer.data(), buffer.size_bytes(), open);
  const auto promised = promise<std::span<T>>::make("call_into");
  future<std::span<T>> result = promised.get_future();
  future<std::uint64_t> count = send_question<result_into<T, F>, A...>(out, c, result_into<T, F>{place, f}, arguments...);
  promised.target->if_dropped = pending_op::dropped::waits;  // the other side writes into the buffer until it has answered
  when_filled(std::move(count), [to = late_op(promised.target), buffer, dest, open = std::move(open)](pending_op* filled) {
    struct sink {
      late_op to;
      std::span<T> buffer;
      rank_t source;
      void fail(std::exception_ptr reason) {
        if (pending_op* at = to.find()) at->fail(std::move(reason));
      }
      void take(std::uint64_t&& n) {
        detail::fill(to, [&] {
          if (n > buffer.size()) [[unlikely]]
            throw_result_count(source, n, buffer.size());
          return buffer.first(std::size_t(n));
        });
      }
    };
    consume<std::uint64_t>(filled, sink{to, buffer, dest});
  });
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
/// question, an allocation, and one copy of the result where the buffer lies in this rank's segment (`allocate`) or ranks are
/// threads; a copy by the kernel for other memory, of which a caller that waits makes half at the same time from 128 KiB on; in
/// messages where the kernel refuses. Paper: MRPC, section 4, which leaves results to the receiver's next call.
template <class T, class F, class... A>
future<std::span<T>> call_into(rank_t dest, std::span<T> buffer, F&& f, A&&... arguments) {
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
template <auto F, class T, class... A>
  requires(!std::is_member_pointer_v<decltype(F)>)
future<std::span<T>> call_into(rank_t dest, std::span<T> buffer, A&&... arguments) {
  return call_into(dest, buffer, detail::constant_function<F>{}, std::forward<A>(arguments)...);
}
/// The same for a method or data member of a part of a distributed object, and of a processor object.
template <auto M, class T, class C, class... A>
  requires std::is_member_pointer_v<decltype(M)>
future<std::span<T>> call_into(const object_ref<C>& object, std::span<T> buffer, A&&... arguments) {
  return detail::fill_buffer<T, detail::bound_member<M, C>, detail::sent_as<A>...>(object.rank, buffer, {object.id},
                                                                                   arguments...);
}
template <auto M, class T, class C, class... A>
  requires std::is_member_pointer_v<decltype(M)>
future<std::span<T>> call_into(const remote<C>& object, std::span<T> buffer, A&&... arguments) {
  const detail::reference& held = detail::held_by(object, "call_into");
  return detail::fill_buffer<T, detail::member_of_object<M, C>, detail::sent_as<A>...>(held.rank, buffer, {held.name},
                                                                                       arguments...);
}

// What is easily written otherwise says how it is written.
template <class T, class... A>
future<std::span<T>> call_into(std::span<T>, A&&...) {
  static_assert(detail::dependent_false<T>,
                "armilla: the destination comes first, then the buffer: call_into(rank, buffer, f, arguments...)");
  return {};
}

}  // namespace armilla
