// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "armilla/atomic_methods.hpp"
#include "armilla/call.hpp"
#include "armilla/object/distributed_inline.hpp"
#include "armilla/object/made_object.hpp"
#include "armilla/team.hpp"

namespace armilla {

/// A name of the part of a distributed object on one rank. A small value that can be copied, sent, stored and compared.
template <class T>
class object_ref {
 public:
  object_ref() = default;  ///< of no object; its rank is -1
  /// Returns the rank of the part; -1 for the name of no object.
  rank_t rank() const noexcept { return rank_; }
  /// Returns the name of the part of the same object on rank `r`. This is not checked here: a call of a rank that has no part
  /// throws.
  object_ref on(rank_t r) const noexcept { return {id_, r}; }
  /// Returns the part of the calling rank, whatever `rank` is, or null.
  T* local() const noexcept { return static_cast<T*>(detail::head_here("object_ref::local").objects->table.find(id_)); }

  friend bool operator==(const object_ref&, const object_ref&) = default;

 private:
  friend struct detail::object_access;
  object_ref(detail::object_id id, rank_t rank) noexcept : id_(id), rank_(rank) {}

  detail::object_id id_;
  rank_t rank_ = -1;
};

/// One object of type `T` on every rank of a team, under one name.
///
/// Use it for a service or a data structure of your own that has a part on each rank. To create single objects on chosen ranks,
/// see `create` (armilla/create.hpp).
///
///     am::distributed<histogram> h(bins);              // collective in order: every rank makes its part, without waiting
///     am::async<&histogram::add>(h.on(dest), 7);       // calls a method of the part on rank dest
///     h->add(7);                                       // of this rank's own part
///     am::fence();                                     // h lives until its calls have run
///
/// **Construction.** Every member constructs its distributed objects in the same order; the order names them. A call that finds
/// an object of another class under the name throws `usage_error` that names both.
///
/// **Lifetime.** A call that arrives before the part exists waits for it on that rank, together with the calls to that object
/// that follow it. A part must live until no call to it can be in flight: put a fence before its end. A call to a destroyed part
/// fails.
///
/// **Calls.** `async<&T::m>(h.on(r), ...)` is one-way, `call<&T::m>(h.on(r), ...)` two-way; for a data member they set and read
/// it. `async_all` and `call_all` address the parts of all members, in their order. Order, errors and cost are those of `async`
/// and `call`.
///
/// **Siblings.** A part does not know the parts of other ranks. If its methods call them, store the name in each part:
/// `h->self = h.on(am::rank())`, and then `self.on(r)`.
///
/// Paper: STAPL, section 5 (parallel_task and address translation).
template <class T>
class distributed {
 public:
  /// Constructs this rank's part, of an object over all ranks of the job.
  distributed(const made_at& at = std::source_location::current())  // NOLINT(google-explicit-constructor): {} makes one
      : distributed(at, world()) {}
  template <class... A>
    requires(sizeof...(A) > 0 && std::is_constructible_v<T, A...> && !detail::says_where<A...>)
  explicit distributed(A&&... arguments) : distributed(detail::part_owners::all, world(), std::forward<A>(arguments)...) {}
  /// Constructs this rank's part from `arguments`, of an object over the ranks of `members`. Throws `usage_error` for the empty
  /// team.
  template <class... A>
  explicit distributed(detail::team_here members, A&&... arguments)
      : distributed(members.at, members.members, std::forward<A>(arguments)...) {}
  /// Does the same with a name, which precedes the other arguments: `am::distributed<histogram> h(am::named("sizes"), bins)`.
  template <class... A>
    requires(sizeof...(A) > 0 && !detail::says_where<A...>)
  explicit distributed(const made_at& at, A&&... arguments) : distributed(at, world(), std::forward<A>(arguments)...) {}
  template <class... A>
  explicit distributed(const made_at& at, const team& members, A&&... arguments)
      : distributed(detail::part_owners::all, members, std::forward<A>(arguments)...) {
    detail::note_object(id_, {&typeid(distributed), &part_.object, false, sizeof part_.object, nullptr}, at, typeid(distributed));
  }
  ~distributed() {
    if (detail::current_head != nullptr && detail::current_head->objects != nullptr)
      detail::current_head->objects->table.remove(id_);
  }
  distributed(const distributed&) = delete;
  distributed& operator=(const distributed&) = delete;

  /// Returns the name of the part on rank `r` of the job. Throws `usage_error` if `r` is not a member of the object's team.
  object_ref<T> on(rank_t r) const {
    if (!id_.of_all_ranks() && members_.rank_of(r) < 0) [[unlikely]]
      detail::throw_no_member(members_, r, "distributed::on");
    return detail::object_access::ref<T>(id_, r);
  }
  /// Returns the team of the ranks that have a part.
  const team& members() const noexcept { return members_; }

  /// Refers to this rank's own part.
  T& operator*() noexcept { return part_.object; }
  T* operator->() noexcept { return &part_.object; }
  const T& operator*() const noexcept { return part_.object; }
  const T* operator->() const noexcept { return &part_.object; }

 private:
  friend struct detail::object_access;

  template <class... A>
  distributed(detail::part_owners which, const team& members, A&&... arguments)
      : part_{T(std::forward<A>(arguments)...)},
        members_(members),
        id_(detail::name_next_object(members_, typeid(T), which, "distributed")) {
    detail::register_object(id_, typeid(T), &part_.object);
  }

  detail::lockable_part<T> part_;
  team members_;
  detail::object_id id_;
};

/// Runs the method `M` of a part, or sets the data member `M`, on its rank: `async<&T::m>(h.on(r), ...)`. One-way.
template <auto M, class T, class... A>
  requires std::is_member_pointer_v<decltype(M)>
void async(const object_ref<T>& object, A&&... arguments) {
  async(object.rank(), detail::bound_member<M, T>{detail::object_access::id(object)}, std::forward<A>(arguments)...);
}

/// Does the same with a hint on how the method runs: `async(h.on(1), urgent<&histogram::add>(), 7)`. See armilla/hints.hpp.
template <class T, template <class> class Hint, auto M, class... A>
void async(const object_ref<T>& object, detail::hinted_member<Hint, M>, A&&... arguments) {
  async(object.rank(), Hint<detail::member_to_hint<M, T>>{{{detail::object_access::id(object)}}}, std::forward<A>(arguments)...);
}

/// Runs the method `M` of a part, or reads the data member `M`, and returns a future of the result: `call<&T::m>(h.on(r), ...)`.
template <auto M, class T, class... A>
  requires std::is_member_pointer_v<decltype(M)>
[[nodiscard]] auto call(const object_ref<T>& object, A&&... arguments) {
  return call(object.rank(), detail::bound_member<M, T>{detail::object_access::id(object)}, std::forward<A>(arguments)...);
}

/// Does the same with a hint on how the method runs.
template <class T, template <class> class Hint, auto M, class... A>
[[nodiscard]] auto call(const object_ref<T>& object, detail::hinted_member<Hint, M>, A&&... arguments) {
  return call(object.rank(), Hint<detail::member_to_hint<M, T>>{{{detail::object_access::id(object)}}},
              std::forward<A>(arguments)...);
}

/// Runs the method `M` of the parts on all members of the object's team. One-way. One of them calls it.
template <auto M, class T, class... A>
  requires std::is_member_pointer_v<decltype(M)>
void async_all(const distributed<T>& object, const A&... arguments) {
  async_all(object.members(), detail::object_access::member<M>(object), arguments...);
}

/// Does the same with a hint on how the method runs.
template <class T, template <class> class Hint, auto M, class... A>
void async_all(const distributed<T>& object, detail::hinted_member<Hint, M>, const A&... arguments) {
  async_all(object.members(), Hint<detail::member_to_hint<M, T>>{{detail::object_access::member<M>(object)}}, arguments...);
}

// ---- Mistakes: these do not compile, and say what to write instead ----

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

}  // namespace armilla
