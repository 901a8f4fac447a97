// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "armilla/atomic_methods.hpp"
#include "armilla/call.hpp"
#include "armilla/object/distributed_inline.hpp"
#include "armilla/team.hpp"

namespace armilla {

/// Names the part of a distributed object that lives on one rank. A small value: copy, send, store and compare it.
template <class T>
class object_ref {
 public:
  object_ref() = default;  ///< of no object; its rank is -1
  rank_t rank() const noexcept { return rank_; }
  /// The part of the same object on rank `r`. Not checked here: calls of a rank that has none throw.
  object_ref on(rank_t r) const noexcept { return {id_, r}; }
  /// The object that has this name on the rank that asks, or null: its own part, whatever `rank` is.
  T* local() const noexcept { return static_cast<T*>(detail::head_here("object_ref::local").objects->table.find(id_)); }

  friend bool operator==(const object_ref&, const object_ref&) = default;

 private:
  friend struct detail::object_access;
  object_ref(detail::object_id id, rank_t rank) noexcept : id_(id), rank_(rank) {}

  detail::object_id id_;
  rank_t rank_ = -1;
};

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
        id_(detail::name_next_object(members_, typeid(T), "distributed")) {
    detail::register_object(id_, typeid(T), &part_.object);
  }
  ~distributed() {
    if (detail::current_head != nullptr && detail::current_head->objects != nullptr)
      detail::current_head->objects->table.remove(id_);
  }
  distributed(const distributed&) = delete;
  distributed& operator=(const distributed&) = delete;

  /// The part on rank `r` (of the job). Errors: usage_error if `r` is no member of the object's team.
  object_ref<T> on(rank_t r) const {
    if (!id_.of_all_ranks() && members_.rank_of(r) < 0) [[unlikely]]
      detail::throw_no_member(members_, r, "distributed::on");
    return detail::object_access::ref<T>(id_, r);
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

/// Statement to a member of an object: runs the method `M`, or sets the data member `M`, on the rank of `object`. As `async`.
template <auto M, class T, class... A>
  requires std::is_member_pointer_v<decltype(M)>
void async(const object_ref<T>& object, A&&... arguments) {
  async(object.rank(), detail::bound_member<M, T>{detail::object_access::id(object)}, std::forward<A>(arguments)...);
}

/// The same with a hint about the body: `async(h.on(1), urgent<&histogram::add>(), 7)`. See armilla/hints.hpp.
template <class T, template <class> class Hint, auto M, class... A>
void async(const object_ref<T>& object, detail::hinted_member<Hint, M>, A&&... arguments) {
  async(object.rank(), Hint<detail::member_to_hint<M, T>>{{{detail::object_access::id(object)}}}, std::forward<A>(arguments)...);
}

/// Question to a member of an object: runs the method `M`, or reads the data member `M`. As `call`.
template <auto M, class T, class... A>
  requires std::is_member_pointer_v<decltype(M)>
[[nodiscard]] auto call(const object_ref<T>& object, A&&... arguments) {
  return call(object.rank(), detail::bound_member<M, T>{detail::object_access::id(object)}, std::forward<A>(arguments)...);
}

template <class T, template <class> class Hint, auto M, class... A>
[[nodiscard]] auto call(const object_ref<T>& object, detail::hinted_member<Hint, M>, A&&... arguments) {
  return call(object.rank(), Hint<detail::member_to_hint<M, T>>{{{detail::object_access::id(object)}}},
              std::forward<A>(arguments)...);
}

// What is easily written otherwise says how it is written.
template <auto M, class T, class... A>
  requires std::is_member_pointer_v<decltype(M)>
void async(const distributed<T>&, A&&...) {
  static_assert(detail::dependent_false<T>,
                "armilla: a distributed object has a part on each rank: async<&T::m>(h.on(rank), arguments...); the part here is "
                "h->m(arguments...)");
}
template <auto M, class T, class... A>
  requires std::is_member_pointer_v<decltype(M)>
auto call(const distributed<T>&, A&&...) {
  static_assert(detail::dependent_false<T>,
                "armilla: a distributed object has a part on each rank: call<&T::m>(h.on(rank), arguments...); the part here is "
                "h->m(arguments...)");
  return detail::refused_call{};
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
