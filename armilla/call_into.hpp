// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "armilla/call.hpp"
#include "armilla/create.hpp"
#include "armilla/object/call_into_inline.hpp"

/// Results of calls that land in memory of the caller's choice.
namespace armilla {

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
  return detail::fill_buffer<T, detail::bound_member<M, C>, detail::sent_as<A>...>(
      object.rank(), buffer, {detail::object_access::id(object)}, arguments...);
}
template <auto M, class T, std::size_t N, class C, class... A>
  requires std::is_member_pointer_v<decltype(M)>
future<std::span<T>> call_into(const remote<C>& object, std::span<T, N> buffer, A&&... arguments) {
  const detail::reference& held = detail::held_by(object, "call_into");
  return detail::fill_buffer<T, detail::member_of_object<M, C>, detail::sent_as<A>...>(held.rank, buffer, {held.name},
                                                                                       arguments...);
}
/// The same with a hint about the body: `call_into(h.on(1), buffer, as_fiber<&table::rows>(), 10)`.
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

// What is easily written otherwise says how it is written.
template <class T, std::size_t N, class... A>
future<std::span<T>> call_into(std::span<T, N>, A&&...) {
  static_assert(detail::dependent_false<T>,
                "armilla: the destination comes first, then the buffer: call_into(rank, buffer, f, arguments...)");
  return {};
}

}  // namespace armilla
