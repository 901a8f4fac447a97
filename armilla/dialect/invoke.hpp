// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>
#include <utility>

#include "armilla/async.hpp"
#include "armilla/call.hpp"
#include "armilla/dialect/invoke_inline.hpp"
#include "armilla/dialect/sync.hpp"
#include "armilla/error.hpp"
#include "armilla/global_ptr.hpp"
#include "armilla/hints.hpp"
#include "armilla/spawn.hpp"

/// MPC++'s `invoke` and `ainvoke`: a function as a thread of its own on any rank, waited for or not. A function instance begins
/// when its rank receives the call, on a stack that is its own from its first wait on. It may wait and enter collectives:
/// instances of all ranks can reduce and meet, in `world()` or, where a rank has several at a time, in a `team::dup()` each.
/// `fence`, `all_store_sync`, `split` and `dup` are for the rank's own code.
namespace armilla::mpcpp {

template <class M>
concept member_function = std::is_member_function_pointer_v<M>;

/// Runs `f(arguments...)` as a thread on rank `pe` and waits for its end; other threads of this rank run meanwhile. Arguments are
/// converted to the function's parameters here, and travel by value. Errors: what `f` throws, as remote_error. Cost: a `call`.
///
///     invoke(2, print, "hello");
///     invoke(sum, 2, add, 3, 4);        // the result first
///
/// Paper: MPC++, section 2.
template <class R, class... P>
R invoke(rank_t pe, R (*f)(P...), std::type_identity_t<P>... arguments) {
  return call(pe, detail::instance(f, "invoke"), std::forward<P>(arguments)...).get();
}
/// The same for anything else that `call` takes.
template <class F, class... A>
  requires std::is_class_v<std::decay_t<F>>
auto invoke(rank_t pe, F&& f, A&&... arguments) {
  return call(pe, detail::instance(f, "invoke"), std::forward<A>(arguments)...).get();
}
/// The same for a member function of the object to which `object` points, on its rank: `invoke<&counter::add>(gp, 3)`.
template <auto M, class T, class... A>
  requires member_function<decltype(M)>
auto invoke(const global_ptr<T>& object, A&&... arguments) {
  return call(object.rank(), detail::instance(detail::member_at<M, T>{}, "invoke"), object, std::forward<A>(arguments)...).get();
}

/// With the result as the first argument, as in MPC++.
template <class V, class R, class... P>
  requires std::assignable_from<V&, R>
void invoke(V& result, rank_t pe, R (*f)(P...), std::type_identity_t<P>... arguments) {
  result = invoke(pe, f, std::forward<P>(arguments)...);
}
template <class V, class F, class... A>
  requires std::is_class_v<std::decay_t<F>>
void invoke(V& result, rank_t pe, F&& f, A&&... arguments) {
  result = invoke(pe, std::forward<F>(f), std::forward<A>(arguments)...);
}
template <auto M, class V, class T, class... A>
  requires member_function<decltype(M)>
void invoke(V& result, const global_ptr<T>& object, A&&... arguments) {
  result = invoke<M>(object, std::forward<A>(arguments)...);
}

/// Runs `f(arguments...)` as a thread on rank `pe`, and returns at once. Its result is dropped; the next fence throws its
/// exception on every rank. Cost: an `async`.
///
///     ainvoke(2, print, "hello");
///     Sync<int> sum;
///     ainvoke(sum, 2, add, 3, 4);       // the result, or what was thrown, can be read from `sum`
///     use(sum.read());
///
/// Paper: MPC++, section 2.
template <class R, class... P>
void ainvoke(rank_t pe, R (*f)(P...), std::type_identity_t<P>... arguments) {
  async(pe, detail::instance(f, "ainvoke"), std::forward<P>(arguments)...);
}
template <class F, class... A>
  requires std::is_class_v<std::decay_t<F>>
void ainvoke(rank_t pe, F&& f, A&&... arguments) {
  async(pe, detail::instance(f, "ainvoke"), std::forward<A>(arguments)...);
}
template <auto M, class T, class... A>
  requires member_function<decltype(M)>
void ainvoke(const global_ptr<T>& object, A&&... arguments) {
  async(object.rank(), detail::instance(detail::member_at<M, T>{}, "ainvoke"), object, std::forward<A>(arguments)...);
}

/// With a variable for the result, which must live until it is written.
template <class R, class... P>
void ainvoke(Sync<R>& result, rank_t pe, R (*f)(P...), std::type_identity_t<P>... arguments) {
  detail::write_later(result, call(pe, detail::instance(f, "ainvoke"), std::forward<P>(arguments)...));
}
template <class R, class F, class... A>
  requires std::is_class_v<std::decay_t<F>>
void ainvoke(Sync<R>& result, rank_t pe, F&& f, A&&... arguments) {
  detail::write_later<R>(result, call(pe, detail::instance(f, "ainvoke"), std::forward<A>(arguments)...));
}
template <auto M, class R, class T, class... A>
  requires member_function<decltype(M)>
void ainvoke(Sync<R>& result, const global_ptr<T>& object, A&&... arguments) {
  detail::write_later<R>(
      result, call(object.rank(), detail::instance(detail::member_at<M, T>{}, "ainvoke"), object, std::forward<A>(arguments)...));
}

}  // namespace armilla::mpcpp
