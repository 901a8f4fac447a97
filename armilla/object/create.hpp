// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tuple>
#include <type_traits>
#include <utility>

#include "armilla/object/atomic_methods.hpp"
#include "armilla/object/distributed.hpp"
#include "armilla/object/remote.hpp"
#include "armilla/rpc/question.hpp"

namespace armilla {
namespace detail {

/// Makes a T on the rank where it is called.
template <class T>
struct constructor {
  creation_key key;

  template <class... A>
    requires std::is_constructible_v<T, A...>
  remote<T> operator()(A&&... arguments) const {
    context& self = *current;
    self.objects->creations.begin(key);
    T* object = nullptr;
    try {
      object = new T(std::forward<A>(arguments)...);
    } catch (...) {
      self.objects->creations.fail(self, key);
      throw;
    }
    object_slot& slot = self.objects->slots.add(object, kind_of_object<T>, key);
    remote<T> first = remote_access::make<T>(first_reference(self, slot));
    self.objects->creations.bind(self, key, slot.name);
    return first;
  }
};

/// The member `M` of a processor object of this rank, as something to call.
template <auto M, class T>
struct member_of_object {
  object_name name;

  template <class... A>
    requires std::is_member_function_pointer_v<decltype(M)>
  auto operator()(A&&... arguments) const -> std::decay_t<std::invoke_result_t<decltype(M), T&, A...>> {
    object_use use(name, "call");
    [[maybe_unused]] const atomic_section<is_atomic_method<M>> alone(use);
    return (use.template as<T>().*M)(std::forward<A>(arguments)...);
  }
  auto operator()() const
    requires std::is_member_object_pointer_v<decltype(M)>
  {
    object_use use(name, "call");
    return use.template as<T>().*M;
  }
  template <class V>
    requires std::is_member_object_pointer_v<decltype(M)>
  void operator()(V&& value) const {
    object_use use(name, "async");
    use.template as<T>().*M = std::forward<V>(value);
  }
};

template <auto M, class T>
struct body_parameters<member_of_object<M, T>> : parameters_of<decltype(M)> {};

/// The same of an object that is named by its creation; waits for the end of the constructor.
template <auto M, class T>
struct member_of_creation {
  creation_key key;

  bool present() const noexcept { return !current->objects->creations.puts_off(key); }
  void park(context& self, parked_call call) const { self.objects->creations.park(self, key, std::move(call)); }

  template <class... A>
  auto operator()(A&&... arguments) const
      -> decltype(std::declval<const member_of_object<M, T>&>()(std::forward<A>(arguments)...)) {
    return member_of_object<M, T>{current->objects->creations.find(key)}(std::forward<A>(arguments)...);
  }
};

inline const reference& held_by(const remote_base& ref, const char* operation) {
  const reference* const held = remote_access::held(ref);
  if (held == nullptr) [[unlikely]]
    throw_null_reference(operation);
  return *held;
}

template <class T>
inline constexpr bool is_future_remote = false;
template <class T>
inline constexpr bool is_future_remote<future<remote<T>>> = true;

// A call with the reference that `ref` will give, made when it is there; `ref` becomes a future of the same reference.
template <class T, class Call>
auto call_when_there(future<remote<T>>& ref, Call make_call) {
  using R = typename std::invoke_result_t<Call&, const remote<T>&>::value_type;
  auto reply = promise<R>::make("call");
  auto again = promise<remote<T>>::make("call");
  future<R> result = reply.get_future();
  future<remote<T>> replaced = again.get_future();
  when_filled(std::move(ref), [to = late_op(reply.target), back = late_op(again.target),
                               make_call = std::move(make_call)](pending_op* filled) mutable {
    struct sink {
      late_op to, back;
      Call& make_call;
      void fail(std::exception_ptr reason) {
        if (pending_op* c = to.find()) c->fail(reason);
        if (pending_op* c = back.find()) c->fail(std::move(reason));
      }
      void take(remote<T>&& there) {
        fill(to, [&] { return make_call(there); });
        if (pending_op* c = back.find()) forward_to<remote<T>>{c}.take(std::move(there));
      }
    };
    consume<remote<T>>(filled, sink{to, back, make_call});
  });
  ref = std::move(replaced);
  return result;
}

}  // namespace detail

/// Makes an object of class T on rank `dest` (this one, too) from arguments that are sendable, and gives a future of a
/// reference to it. What the constructor throws arrives at `get()`.
///
///     am::future<am::remote<solver>> s = am::create<solver>(3, grid);
///     am::future<double> r = am::call<&solver::step>(s, 0.1);      // sent at once, behind the creation
///
/// The object lives until the last reference is gone or `destroy` is called; what is left at the end of the job is destroyed
/// while calls are still possible. Cost: a question, and one allocation beside the object on each side.
/// Paper: MRPC, sections 2 and 4 (processor objects).
template <class T, class... A>
[[nodiscard]] future<remote<T>> create(rank_t dest, A&&... arguments) {
  static_assert(std::is_constructible_v<T, detail::sent_as<A>...>,
                "armilla: the class has no constructor for these arguments; they arrive by value, as rvalues");
  detail::context& self = detail::here("create");
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

/// The same with a hint about the body: `call(s, as_fiber<&solver::step>(), 0.1)`. See armilla/rpc/hints.hpp.
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
    detail::context& self = detail::here("call");
    const detail::pending_op* const c = detail::future_access::op_of(object);
    if (c == nullptr) detail::throw_empty_future("call");
    if (const auto* made = self.objects->asked.find(*c))
      return call(made->owner, detail::member_of_creation<M, T>{{made->number, self.rank}}, std::forward<A>(arguments)...);
    auto make_call = [all = std::tuple<detail::sent_as<A>...>(std::forward<A>(arguments)...)](const remote<T>& there) mutable {
      return std::apply([&](auto&... each) { return call<M>(there, std::move(each)...); }, all);
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
  detail::context& self = detail::here("async");
  const detail::pending_op* const c = detail::future_access::op_of(object);
  if (c == nullptr) detail::throw_empty_future("async");
  if (const auto* made = self.objects->asked.find(*c))
    return async(made->owner, detail::member_of_creation<M, T>{{made->number, self.rank}}, std::forward<A>(arguments)...);
  auto make_call = [all = std::tuple<detail::sent_as<A>...>(std::forward<A>(arguments)...)](const remote<T>& there) mutable {
    std::apply([&](auto&... each) { async<M>(there, std::move(each)...); }, all);
    return make_future();
  };
  (void)detail::call_when_there(object, std::move(make_call));
}
template <auto M, class T, class... A>
  requires std::is_member_pointer_v<decltype(M)>
void async(future<remote<T>>&& object, A&&... arguments) {
  async<M>(object, std::forward<A>(arguments)...);
}

}  // namespace armilla
