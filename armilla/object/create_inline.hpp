// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/atomic_methods.hpp"
#include "armilla/call.hpp"
#include "armilla/distributed.hpp"
#include "armilla/remote.hpp"
#include "armilla/view.hpp"

// What the templates of create.hpp are made of.
namespace armilla {
namespace detail {

/// Makes a T on the rank where it is called.
template <class T>
struct constructor {
  creation_key key;

  template <class... A>
    requires std::is_constructible_v<T, A...>
  remote<T> operator()(A&&... arguments) const {
    context_head& self = *current_head;
    self.objects->creations.begin(key);
    T* object = nullptr;
    try {
      object = new T(std::forward<A>(arguments)...);
    } catch (const passing&) { throw; } catch (...) {
      self.objects->creations.fail(*current, key);
      throw;
    }
    object_slot& slot = self.objects->slots.add(object, kind_of_object<T>, key);
    remote<T> first = remote_access::make<T>(first_reference(*current, slot));
    self.objects->creations.bind(*current, key, slot.name);
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
    object_use use = hold();
    return run_in(use, std::forward<A>(arguments)...);
  }
  auto operator()() const
    requires std::is_member_object_pointer_v<decltype(M)>
  {
    object_use use = hold();
    return run_in(use);
  }
  template <class V>
    requires std::is_member_object_pointer_v<decltype(M)>
  void operator()(V&& value) const {
    object_use use = use_object<T>(name, "async");
    run_in(use, std::forward<V>(value));
  }

  /// The object stays from here on; a body that begins later runs in what it holds.
  object_use hold() const { return use_object<T>(name, "call"); }
  template <class... A>
  auto run_in(object_use& use, A&&... arguments) const {
    T& object = use.template as<T>();
    if constexpr (std::is_member_function_pointer_v<decltype(M)>) {
      [[maybe_unused]] const atomic_section<is_atomic_method<M>> alone(use);
      return (object.*M)(std::forward<A>(arguments)...);
    } else if constexpr (sizeof...(A) == 0) {
      return object.*M;
    } else {
      object.*M = (std::forward<A>(arguments), ...);
    }
  }
};

template <auto M, class T>
struct body_parameters<member_of_object<M, T>> : parameters_of<decltype(M)> {};

/// The same of an object that is named by its creation; waits for the end of the constructor.
template <auto M, class T>
struct member_of_creation {
  creation_key key;

  bool present() const noexcept { return !current_head->objects->creations.puts_off(key); }
  void park(context& self, parked_call call) const { current_head->objects->creations.park(self, key, std::move(call)); }

  template <class... A>
  auto operator()(A&&... arguments) const
      -> decltype(std::declval<const member_of_object<M, T>&>()(std::forward<A>(arguments)...)) {
    return member_of_object<M, T>{current_head->objects->creations.find(key)}(std::forward<A>(arguments)...);
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

/// What a call keeps of an argument until the reference is there: a value. Views and texts of the caller are copied.
template <class V>
struct kept_value {
  V value;
  V&& argument() { return std::move(value); }
};
template <class T>
struct kept_value<view<T>> {
  explicit kept_value(const view<T>& seen) : value(seen.copy()) {}
  std::vector<T> value;
  view<T> argument() const { return view<T>(value); }
};
template <class P>
  requires(std::is_same_v<P, const char*> || std::is_same_v<P, char*>)
struct kept_value<P> {
  explicit kept_value(const char* text) : value(text) {}
  std::string value;
  std::string&& argument() { return std::move(value); }
};

template <class... A>
auto kept_arguments(A&&... arguments) {
  return std::tuple<kept_value<std::decay_t<A>>...>(kept_value<std::decay_t<A>>{std::forward<A>(arguments)}...);
}

// A call with the reference that `ref` will give, made when it is there; `ref` becomes a future of the same reference.
// If there is no reference, the call has that error, and not also a `ref` that is dropped.
template <class T, class Call>
auto call_when_there(future<remote<T>>& ref, Call make_call) {
  using R = typename std::invoke_result_t<Call&, const remote<T>&>::value_type;
  auto reply = promise<R>::make("call");
  auto again = promise<remote<T>>::make("call");
  again.target->if_dropped = pending_op::dropped::forgets;
  future<R> result = reply.get_future();
  future<remote<T>> replaced = again.get_future();
  when_filled(std::move(ref), [to = late_op(reply.target), back = late_op(again.target),
                               make_call = std::move(make_call)](pending_op* filled) mutable {
    struct sink {
      late_op to, back;
      Call& make_call;
      void fail(std::exception_ptr reason) {
        to.fail(reason);
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

// A one-way call likewise.
template <class T, class Call>
void state_when_there(future<remote<T>>& ref, Call make_call) {
  (void)call_when_there(ref, [make_call = std::move(make_call)](const remote<T>& there) mutable {
    make_call(there);
    return make_future();
  });
}

}  // namespace detail
}  // namespace armilla
