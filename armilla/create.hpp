// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tuple>
#include <type_traits>
#include <utility>

#include "armilla/call.hpp"
#include "armilla/distributed.hpp"
#include "armilla/object/create_inline.hpp"
#include "armilla/remote.hpp"

namespace armilla {

/// Creates a processor object: an object of class `T` on rank `dest`, which may be this rank. Returns a future of a reference to
/// it.
///
/// Use it for objects that come and go, on ranks that the program chooses. For one object on every rank, use `distributed`.
///
///     am::future<am::remote<solver>> s = am::create<solver>(3, data);
///     am::future<double> r = am::call<&solver::step>(s, 0.1);      // sent at once, after the creation
///
/// The arguments are sendable. `get()` throws what the constructor throws. The object lives until the last reference is gone or
/// `destroy` is called; what is left at the end of the job is destroyed while calls are still possible.
///
/// **Cost.** A call, and one allocation in addition to the object on each side.
///
/// Paper: MRPC, sections 2 and 4 (processor objects).
template <class T, class... A>
[[nodiscard]] future<remote<T>> create(rank_t dest, A&&... arguments) {
  static_assert(std::is_constructible_v<T, detail::sent_as<A>...>,
                "armilla: the class has no constructor for these arguments; they arrive by value, as rvalues");
  detail::context_head& self = detail::head_here("create");
  const std::uint64_t number = self.objects->asked.next();
  future<remote<T>> result = call(dest, detail::constructor<T>{{number, self.rank}}, std::forward<A>(arguments)...);
  self.objects->asked.note(*detail::future_access::op_of(result), dest, number);
  return result;
}

/// Destroys the object, whatever references to it exist, as soon as no function runs in it. One-way. Does nothing if it has been
/// destroyed before.
///
/// Later calls to it fail; references to it can still be destroyed.
inline void destroy(const detail::remote_base& ref) { detail::send_destroy(detail::held_by(ref, "destroy")); }

/// Runs the method `M` of a processor object, or sets the data member `M`. One-way, as `async` to a rank:
/// `async<&solver::step>(s, 0.1)`. The next fence throws if the object has been destroyed.
template <auto M, class T, class... A>
  requires std::is_member_pointer_v<decltype(M)>
void async(const remote<T>& object, A&&... arguments) {
  const detail::reference& held = detail::held_by(object, "async");
  async(held.rank, detail::member_of_object<M, T>{held.name}, std::forward<A>(arguments)...);
}

/// Runs the method `M` of a processor object, or reads the data member `M`, and returns a future of the result:
/// `call<&solver::step>(s, 0.1)`. `get()` throws if the object has been destroyed. The object lives until the method has ended,
/// also if the reference is destroyed before.
template <auto M, class T, class... A>
  requires std::is_member_pointer_v<decltype(M)>
[[nodiscard]] auto call(const remote<T>& object, A&&... arguments) {
  const detail::reference& held = detail::held_by(object, "call");
  return call(held.rank, detail::member_of_object<M, T>{held.name}, std::forward<A>(arguments)...);
}

/// Does the same with a hint on how the method runs: `call(s, as_fiber<&solver::step>(), 0.1)`. See armilla/hints.hpp.
template <class T, template <class> class Hint, auto M, class... A>
void async(const remote<T>& object, detail::hinted_member<Hint, M>, A&&... arguments) {
  const detail::reference& held = detail::held_by(object, "async");
  async(held.rank, Hint<detail::member_of_object<M, T>>{{held.name}}, std::forward<A>(arguments)...);
}
template <class T, template <class> class Hint, auto M, class... A>
[[nodiscard]] auto call(const remote<T>& object, detail::hinted_member<Hint, M>, A&&... arguments) {
  const detail::reference& held = detail::held_by(object, "call");
  return call(held.rank, Hint<detail::member_of_object<M, T>>{{held.name}}, std::forward<A>(arguments)...);
}

/// Calls a member of an object whose reference is not there yet.
///
/// If the reference comes from `create` on this rank, the call is sent at once, after the creation. Otherwise it is sent as soon
/// as the reference has arrived. The future remains valid for further calls and for `get`.
template <auto M, class T, class... A>
  requires std::is_member_pointer_v<decltype(M)>
[[nodiscard]] auto call(future<remote<T>>& object, A&&... arguments) {
  using member = detail::member_of_object<M, T>;
  (require_sendable<detail::sent_as<A>>(), ...);
  detail::check_body<member, A...>();
  if constexpr (detail::can_call<member, A...>) {
    using R = detail::result_of<member, detail::sent_as<A>...>;
    detail::context_head& self = detail::head_here("call");
    const detail::pending_op* const c = detail::future_access::op_of(object);
    if (c == nullptr) detail::throw_empty_future("call");
    if (const auto* made = self.objects->asked.find(*c))
      return call(made->owner, detail::member_of_creation<M, T>{{made->number, self.rank}}, std::forward<A>(arguments)...);
    auto make_call = [all = detail::kept_arguments(std::forward<A>(arguments)...)](const remote<T>& there) mutable {
      return std::apply([&](auto&... each) { return call<M>(there, each.argument()...); }, all);
    };
    return future<R>(detail::call_when_there(object, std::move(make_call)));
  } else {
    return detail::refused_call{};
  }
}
template <auto M, class T, class... A>
  requires std::is_member_pointer_v<decltype(M)>
[[nodiscard]] auto call(future<remote<T>>&& object, A&&... arguments) {
  return call<M>(object, std::forward<A>(arguments)...);
}

/// Calls a member of an object whose reference is not there yet, in the same way. One-way.
template <auto M, class T, class... A>
  requires std::is_member_pointer_v<decltype(M)>
void async(future<remote<T>>& object, A&&... arguments) {
  detail::context_head& self = detail::head_here("async");
  const detail::pending_op* const c = detail::future_access::op_of(object);
  if (c == nullptr) detail::throw_empty_future("async");
  if (const auto* made = self.objects->asked.find(*c))
    return async(made->owner, detail::member_of_creation<M, T>{{made->number, self.rank}}, std::forward<A>(arguments)...);
  auto make_call = [all = detail::kept_arguments(std::forward<A>(arguments)...)](const remote<T>& there) mutable {
    std::apply([&](auto&... each) { async<M>(there, each.argument()...); }, all);
  };
  detail::state_when_there(object, std::move(make_call));
}
template <auto M, class T, class... A>
  requires std::is_member_pointer_v<decltype(M)>
void async(future<remote<T>>&& object, A&&... arguments) {
  async<M>(object, std::forward<A>(arguments)...);
}

}  // namespace armilla
