// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "armilla/object/atomic_methods.hpp"
#include "armilla/object/object_state.hpp"
#include "armilla/rpc/question.hpp"
#include "armilla/team/team.hpp"

namespace armilla {

/// Names the part of a distributed object that lives on one rank. A small value: copy, send, store and compare it.
template <class T>
struct object_ref {
  detail::object_id id;
  rank_t rank = -1;

  /// The object that has this name on the rank that asks, or null: its own part, whatever `rank` is.
  T* local() const noexcept { return static_cast<T*>(detail::here("object_ref::local").objects->table.find(id)); }

  friend bool operator==(const object_ref&, const object_ref&) = default;
};

namespace detail {

/// The member `M` of this rank's part of object `id`, as something to call.
template <auto M, class T>
struct bound_member {
  object_id id{};

  bool present() const noexcept { return current->objects->table.look(id) != object_table::presence::absent; }
  void park(context& self, parked_call call) const { self.objects->table.park(self, id, std::move(call)); }

  /// The part, or null if there is none, or calls that came before are still to begin.
  void* find() const noexcept { return current->objects->table.find_for_call(id); }
  /// Calls or sets the member of what `find` gave.
  template <class... A>
  static decltype(auto) run(void* part, A&&... arguments) {
    return call_member(*static_cast<T*>(part), std::forward<A>(arguments)...);
  }

  template <class... A>
    requires std::is_member_function_pointer_v<decltype(M)>
  auto operator()(A&&... arguments) const -> std::invoke_result_t<decltype(M), T&, A...> {
    return call_member(object(), std::forward<A>(arguments)...);
  }
  auto operator()() const
    requires std::is_member_object_pointer_v<decltype(M)>
  {
    return call_member(object());
  }
  template <class V>
    requires std::is_member_object_pointer_v<decltype(M)>
  void operator()(V&& value) const {
    call_member(object(), std::forward<V>(value));
  }

 private:
  T& object() const {
    void* const found = current->objects->table.find(id);
    if (found == nullptr) [[unlikely]]
      throw_no_part(id, typeid(T), "call");
    return *static_cast<T*>(found);
  }
  template <class... A>
  static decltype(auto) call_member(T& part, A&&... arguments) {
    if constexpr (std::is_member_function_pointer_v<decltype(M)>) {
      [[maybe_unused]] const atomic_section<is_atomic_method<M>> alone(part);
      return (part.*M)(std::forward<A>(arguments)...);
    } else if constexpr (sizeof...(A) == 0) {
      return std::decay_t<decltype(part.*M)>(part.*M);
    } else {
      ((part.*M = std::forward<A>(arguments)), ...);
    }
  }
};

template <auto M, class T>
struct body_parameters<bound_member<M, T>> : parameters_of<decltype(M)> {};

/// The same with a hint around it: it is found by its call alone, not before, so that what the hint does comes first.
template <auto M, class T>
struct member_to_hint {
  bound_member<M, T> member;

  bool present() const noexcept { return member.present(); }
  void park(context& self, parked_call call) const { member.park(self, std::move(call)); }
  template <class... A>
    requires std::is_invocable_v<const bound_member<M, T>&, A...>
  decltype(auto) operator()(A&&... arguments) const {
    return member(std::forward<A>(arguments)...);
  }
};
template <auto M, class T>
struct body_parameters<member_to_hint<M, T>> : parameters_of<decltype(M)> {};

object_id register_object(const team& members, const std::type_info& type, void* object, const char* operation);
struct object_access;

}  // namespace detail

/// One object of type T on every rank of a team (by default all), under one name.
///
///     am::distributed<histogram> h(bins);              // collective in order: every rank makes its part, none waits
///     am::async<&histogram::add>(h.on(dest), 7);       // a method of the part on dest
///     h->add(7);                                       // of the own part
///
/// Every member makes its distributed objects in the same order; that order names them. A call that finds an object of another
/// class under the name is a usage_error that names both. A call that arrives before the part exists waits there for it,
/// together with what follows it to that object. A part must live until no call can be under way to it: put a fence before its
/// end. A call to a destroyed part is an error.
///
/// What addresses all parts (`async_all`, `call_all`) addresses those of the object's team, in the order of its
/// members. The object holds its team.
/// Paper: STAPL, section 5 (parallel_task and address translation).
template <class T>
class distributed {
 public:
  distributed() : distributed(world()) {}
  template <class... A>
    requires(sizeof...(A) > 0 && std::is_constructible_v<T, A...> && !(std::is_same_v<std::decay_t<A>, team> || ...))
  explicit distributed(A&&... arguments) : distributed(world(), std::forward<A>(arguments)...) {}
  /// Over the ranks of `members`. Errors: usage_error for the empty team.
  template <class... A>
  explicit distributed(const team& members, A&&... arguments)
      : part_{T(std::forward<A>(arguments)...)},
        members_(members),
        id_(detail::register_object(members_, typeid(T), &part_.object, "distributed")) {}
  ~distributed() {
    if (detail::current != nullptr && detail::current->objects != nullptr) detail::current->objects->table.remove(id_);
  }
  distributed(const distributed&) = delete;
  distributed& operator=(const distributed&) = delete;

  /// The part on rank `r` (of the job). Errors: usage_error if `r` is no member of the object's team.
  object_ref<T> on(rank_t r) const {
    if (!id_.of_all_ranks() && members_.rank_of(r) < 0) [[unlikely]]
      detail::throw_no_member(members_, r, "distributed::on");
    return {id_, r};
  }
  /// The ranks that have a part.
  const team& members() const noexcept { return members_; }

  T& operator*() noexcept { return part_.object; }
  T* operator->() noexcept { return &part_.object; }
  const T& operator*() const noexcept { return part_.object; }
  const T* operator->() const noexcept { return &part_.object; }

 private:
  friend struct detail::object_access;

  detail::lockable_part<T> part_;
  team members_;
  detail::object_id id_;
};

namespace detail {

template <class T>
inline constexpr refusal refused_class<distributed<T>> = refusal::distributed;
template <class T>
inline constexpr bool names_many<distributed<T>> = true;

/// The member `M` of the part of `object` that is where it is called.
struct object_access {
  template <auto M, class T>
  static bound_member<M, T> member(const distributed<T>& object) noexcept {
    return {object.id_};
  }
  template <class T>
  static object_id id(const distributed<T>& object) noexcept {
    return object.id_;
  }
};

}  // namespace detail

/// Statement to a member of an object: runs the method `M`, or sets the data member `M`, on the rank of `object`. As `async`.
template <auto M, class T, class... A>
  requires std::is_member_pointer_v<decltype(M)>
void async(const object_ref<T>& object, A&&... arguments) {
  async(object.rank, detail::bound_member<M, T>{object.id}, std::forward<A>(arguments)...);
}

/// The same with a hint about the body: `async(h.on(1), urgent<&histogram::add>(), 7)`. See armilla/rpc/hints.hpp.
template <class T, template <class> class Hint, auto M, class... A>
void async(const object_ref<T>& object, detail::hinted_member<Hint, M>, A&&... arguments) {
  async(object.rank, Hint<detail::member_to_hint<M, T>>{{{object.id}}}, std::forward<A>(arguments)...);
}

/// Question to a member of an object: runs the method `M`, or reads the data member `M`. As `call`.
template <auto M, class T, class... A>
  requires std::is_member_pointer_v<decltype(M)>
[[nodiscard]] auto call(const object_ref<T>& object, A&&... arguments) {
  return call(object.rank, detail::bound_member<M, T>{object.id}, std::forward<A>(arguments)...);
}

template <class T, template <class> class Hint, auto M, class... A>
[[nodiscard]] auto call(const object_ref<T>& object, detail::hinted_member<Hint, M>, A&&... arguments) {
  return call(object.rank, Hint<detail::member_to_hint<M, T>>{{{object.id}}}, std::forward<A>(arguments)...);
}

/// Statement to the parts on all members of the object's team. One of them calls it.
template <auto M, class T, class... A>
  requires std::is_member_pointer_v<decltype(M)>
void async_all(const distributed<T>& object, const A&... arguments) {
  async_all(object.members(), detail::object_access::member<M>(object), arguments...);
}

template <class T, template <class> class Hint, auto M, class... A>
void async_all(const distributed<T>& object, detail::hinted_member<Hint, M>, const A&... arguments) {
  async_all(object.members(), Hint<detail::member_to_hint<M, T>>{{detail::object_access::member<M>(object)}}, arguments...);
}

}  // namespace armilla
