// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "armilla/atomic_methods.hpp"
#include "armilla/call.hpp"
#include "armilla/named.hpp"
#include "armilla/object/object_state.hpp"
#include "armilla/team.hpp"

// What the templates of distributed.hpp are made of.
namespace armilla {

template <class T>
class object_ref;
template <class T>
class distributed;

namespace detail {

/// The member `M` of this rank's part of object `id`, as something to call.
template <auto M, class T>
struct bound_member {
  object_id id{};

  bool present() const noexcept { return current_head->objects->table.look(id) != object_table::presence::absent; }
  void park(context& self, parked_call call) const { current_head->objects->table.park(self, id, std::move(call)); }

  /// The part, or null if there is none, or calls that came before are still to begin.
  void* find() const noexcept { return current_head->objects->table.find_for_call(id); }
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
    void* const found = current_head->objects->table.find(id);
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

/// A team in front of a constructor's arguments, and the line of the program that gives it.
struct team_here {
  const team& members;
  made_at at;
  team_here(const team& t, const std::source_location& where = std::source_location::current()) noexcept  // NOLINT
      : members(t), at(where) {}
};
template <class... A>
concept says_where = ((std::is_same_v<std::decay_t<A>, team> || std::is_same_v<std::decay_t<A>, made_at>) || ...);

/// Which ranks have parts of an object of all ranks: also those that come into the running job, or those alone that have made it
/// together, as with containers.
enum class part_owners { all, members };

/// By all members together, in one order: what they call the object that each of them registers next.
object_id name_next_object(const team& members, const std::type_info& type, part_owners which, const char* operation);
/// From here on calls reach it; those that came before run now, and may ask for its name.
void register_object(object_id id, const std::type_info& type, void* object);
struct object_access;

template <class T>
inline constexpr refusal refused_class<distributed<T>> = refusal::distributed;
template <class T>
inline constexpr bool names_many<distributed<T>> = true;

/// What the library sees of the names of distributed objects.
struct object_access {
  /// An object of which only those that make it together have parts. Calls that reach a new rank in the place of one of them are
  /// refused as those to a lost rank.
  template <class T, class... A>
  static distributed<T> of_members(const team& members, A&&... arguments) {
    return {part_owners::members, members, std::forward<A>(arguments)...};
  }
  /// The member `M` of the part of `object` that is where it is called.
  template <auto M, class T>
  static bound_member<M, T> member(const distributed<T>& object) noexcept {
    return {object.id_};
  }
  template <class T>
  static object_id id(const distributed<T>& object) noexcept {
    return object.id_;
  }
  template <class T>
  static object_id id(const object_ref<T>& part) noexcept {
    return part.id_;
  }
  template <class T>
  static object_ref<T> ref(object_id id, rank_t rank) noexcept {
    return {id, rank};
  }
};

}  // namespace detail
}  // namespace armilla
