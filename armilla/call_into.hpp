// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "armilla/call.hpp"
#include "armilla/create.hpp"
#include "armilla/object/call_into_inline.hpp"

namespace armilla {

/// Runs `f(arguments...)` on rank `dest`, and puts the range that it returns directly into `buffer`. Returns a future of the part
/// of the buffer that was filled.
///
/// Use it for large results, to avoid a vector for each call. `f` returns a contiguous range of `T` (a vector, array, span or
/// view); if it returns a reference, no copy is made there. `f` and the arguments are as for `call`.
///
///     std::vector<double> column(rows);
///     am::future<std::span<double>> f = am::call_into(3, std::span(column), [](int j) { return columns[j]; }, 7);
///     for (double x : f.get()) use(x);
///
/// **The buffer** may be any memory of this rank. It must live, and must be left alone, until the future is ready. So the
/// future's destructor waits: the callee writes until it has replied. Where nothing may wait, in a message handler, the
/// destructor ends the process. After a `then` or `when_all` has taken over the future, nothing protects the buffer. With
/// ARMILLA_ACCESS=opened the buffer is open for writing until the future is ready.
///
/// **The source.** Memory to which a returned span or view refers must remain until the reply has been sent.
///
/// **Errors.** `get()` throws what `f` throws, and `limit_error` with both sizes if the result has more elements than the buffer;
/// then none is written. After an error the content of the buffer is undefined, and so it is after the filled part.
///
/// **Cost.** A call, and one copy of the result if the buffer is in this rank's segment (`allocate`), or if ranks are threads.
/// For other memory the kernel copies; from 128 KiB on a waiting caller copies half of it at the same time. Where the kernel
/// refuses, the result is sent in messages.
///
/// Paper: MRPC, section 4, which leaves results to the receiver's next call.
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

/// Runs the function `F`, which is named at compile time: `call_into<&f>(dest, buffer, arguments...)`.
template <auto F, class T, std::size_t N, class... A>
  requires(!std::is_member_pointer_v<decltype(F)>)
future<std::span<T>> call_into(rank_t dest, std::span<T, N> buffer, A&&... arguments) {
  return call_into(dest, buffer, detail::constant_function<F>{}, std::forward<A>(arguments)...);
}

/// Runs a method of a part of a distributed object, or reads a data member: `call_into<&table::rows>(h.on(1), buffer, 10)`.
template <auto M, class T, std::size_t N, class C, class... A>
  requires std::is_member_pointer_v<decltype(M)>
future<std::span<T>> call_into(const object_ref<C>& object, std::span<T, N> buffer, A&&... arguments) {
  return detail::fill_buffer<T, detail::bound_member<M, C>, detail::sent_as<A>...>(
      object.rank(), buffer, {detail::object_access::id(object)}, arguments...);
}

/// Runs a method of a processor object, or reads a data member.
template <auto M, class T, std::size_t N, class C, class... A>
  requires std::is_member_pointer_v<decltype(M)>
future<std::span<T>> call_into(const remote<C>& object, std::span<T, N> buffer, A&&... arguments) {
  const detail::reference& held = detail::held_by(object, "call_into");
  return detail::fill_buffer<T, detail::member_of_object<M, C>, detail::sent_as<A>...>(held.rank, buffer, {held.name},
                                                                                       arguments...);
}

/// Does the same with a hint on how the method runs: `call_into(h.on(1), buffer, as_fiber<&table::rows>(), 10)`.
template <class T, std::size_t N, class C, template <class> class Hint, auto M, class... A>
future<std::span<T>> call_into(const object_ref<C>& object, std::span<T, N> buffer, detail::hinted_member<Hint, M>,
                               A&&... arguments) {
  return detail::fill_buffer<T, Hint<detail::member_to_hint<M, C>>, detail::sent_as<A>...>(
      object.rank(), buffer, {{{detail::object_access::id(object)}}}, arguments...);
}
template <class T, std::size_t N, class C, template <class> class Hint, auto M, class... A>
future<std::span<T>> call_into(const remote<C>& object, std::span<T, N> buffer, detail::hinted_member<Hint, M>,
                               A&&... arguments) {
  const detail::reference& held = detail::held_by(object, "call_into");
  return detail::fill_buffer<T, Hint<detail::member_of_object<M, C>>, detail::sent_as<A>...>(held.rank, buffer, {{held.name}},
                                                                                             arguments...);
}

// ---- Mistakes: these do not compile, and say what to write instead ----

template <class T, std::size_t N, class... A>
future<std::span<T>> call_into(std::span<T, N>, A&&...) {
  static_assert(detail::dependent_false<T>,
                "armilla: the destination comes first, then the buffer: call_into(rank, buffer, f, arguments...)");
  return {};
}

}  // namespace armilla
