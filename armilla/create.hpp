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

/// Makes an object of class T on rank `dest` (this one, too) from arguments that are sendable, and gives a future of a
/// reference to it. What the constructor throws arrives at `get()`.
///
///     am::future<am::remote<solver>> s = am::create<solver>(3, data);
///     am::future<double> r = am::call<&solver::step>(s, 0.1);      // sent at once, behind the creation
///
/// The object lives until the last reference is gone or `destroy` is called; what is left at the end of the job is destroyed
/// while calls are still possible. Cost: a question, and one allocation beside the object on each side.
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

/// Statement: destroys the object, however many references to it there are, as soon as no body runs in it. Later calls to it are
/// errors; letting go of references to it is not. Nothing if it has been destroyed before.
inline void destroy(const detail::remote_base& ref) { detail::send_destroy(detail::held_by(ref, "destroy")); }

/// Statement to a member of a processor object: runs the method `M`, or sets the data member `M`. As `async`; that the object
/// has been destroyed is an error at the next fence.
template <auto M, class T, class... A>
  requires std::is_member_pointer_v<decltype(M)>
void async(const remote<T>& object, A&&... arguments) {
  const detail::reference& held = detail::held_by(object, "async");
  async(held.rank, detail::member_of_object<M, T>{held.name}, std::forward<A>(arguments)...);
}

/// Question to a member of a processor object: runs the method `M`, or reads the data member `M`. As `call`; that the object has
/// been destroyed is an error at `get()`. The object lives until the body has ended, also if the reference goes before.
template <auto M, class T, class... A>
  requires std::is_member_pointer_v<decltype(M)>
[[nodiscard]] auto call(const remote<T>& object, A&&... arguments) {
  const detail::reference& held = detail::held_by(object, "call");
  return call(held.rank, detail::member_of_object<M, T>{held.name}, std::forward<A>(arguments)...);
}

/// The same with a hint about the body: `call(s, as_fiber<&solver::step>(), 0.1)`. See armilla/hints.hpp.
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

/// The same for a reference that is not there yet. From `create` on this rank: sent at once, behind the creation. From elsewhere:
/// sent as soon as the reference is there. The future stays good for further calls and for `get`.
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

/// A statement to a reference that is not there yet, likewise.
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
