// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "armilla/base/host/executable_code.hpp"
#include "armilla/create.hpp"
#include "armilla/distributed.hpp"

// What the templates of member_pointer.hpp are made of.
namespace armilla {
namespace detail {

/// What a pointer to a method consists of (Itanium ABI).
struct method_words {
  std::uintptr_t code;  ///< of a virtual method: its slot in the table
  std::ptrdiff_t adjust;

  // Which word says that a method is virtual depends on the processor: where functions may have odd addresses, it is the other
  // one.
#if defined(__arm__) || defined(__aarch64__)
  static constexpr bool mark_in_adjust = true;
#else
  static constexpr bool mark_in_adjust = false;
#endif
  bool is_virtual() const noexcept { return ((mark_in_adjust ? std::uintptr_t(adjust) : code) & 1) != 0; }
  bool is_null() const noexcept { return code == 0 && !is_virtual(); }
  /// Whether the object that a method is called with lies inside of one of `bytes` bytes.
  bool adjusts_within(std::size_t bytes) const noexcept { return std::size_t(mark_in_adjust ? adjust >> 1 : adjust) < bytes; }
};

/// A pointer to a member as other ranks of the same program know it, in one word, as it travels with every call: a method by its
/// place in an image, a virtual one by its slot, a data member by its offset.
struct member_place {
  static constexpr unsigned offset_bits = 38, adjust_bits = 16, image_bits = 10;
  static constexpr std::uint64_t in_slot = (1 << image_bits) - 1, in_object = in_slot - 1;

  std::uint64_t word;  ///< from above: the image's position, the executable first, or one of those above; adjustment; offset

  static constexpr member_place at(std::uint64_t image, std::ptrdiff_t adjust, std::uint64_t offset) noexcept {
    return {image << (offset_bits + adjust_bits) | std::uint64_t(adjust) << offset_bits | offset};
  }
  std::uint64_t image() const noexcept { return word >> (offset_bits + adjust_bits); }
  std::ptrdiff_t adjust() const noexcept { return std::ptrdiff_t(word >> offset_bits & ((1 << adjust_bits) - 1)); }
  std::uint64_t offset() const noexcept { return word & ((std::uint64_t(1) << offset_bits) - 1); }
};

/// Of what is virtual, or adjusts, or lies in a library. Throws usage_error for a null pointer.
member_place rare_place_of_method(method_words method, const char* operation);
member_place place_of_data(std::ptrdiff_t offset, const char* operation);
/// Checked: throw decode_error for what names no member of a class of `bytes` bytes.
method_words rare_method_at(member_place place, std::size_t bytes);
std::ptrdiff_t data_at(member_place place, std::size_t bytes, std::size_t member_bytes);

inline member_place place_of_method(method_words method, const char* operation) {
  if (executable.holds(method.code) && method.adjust == 0) [[likely]]  // no slot is as large
    return {method.code - executable.base};
  return rare_place_of_method(method, operation);
}
inline method_words method_at(member_place place, std::size_t bytes) {
  if (const std::uintptr_t code = executable.base + place.word; executable.holds(code)) [[likely]]
    return {code, 0};
  return rare_method_at(place, bytes);
}

template <class F, class C>
struct portable_member {
  using pointer = F C::*;
  static constexpr bool is_method = std::is_function_v<F>;

  member_place place;

  static portable_member of(pointer member, const char* operation) {
    if constexpr (is_method)
      return {place_of_method(std::bit_cast<method_words>(member), operation)};
    else
      return {place_of_data(std::bit_cast<std::ptrdiff_t>(member), operation)};
  }
  pointer get() const {
    if constexpr (is_method)
      return std::bit_cast<pointer>(method_at(place, sizeof(C)));
    else
      return std::bit_cast<pointer>(data_at(place, sizeof(C), sizeof(F)));
  }

  /// Calls, reads or sets the member of `object`. `holder`: where the lock of its atomic methods is.
  template <class Object, class Holder, class... A>
  decltype(auto) run(Object& object, Holder& holder, A&&... arguments) const {
    const pointer member = get();
    if constexpr (is_method) {
      if constexpr (has_atomic_methods<C>)
        if (is_atomic(member, C::atomic_methods)) {
          const atomic_section<true> alone(holder);
          return (object.*member)(std::forward<A>(arguments)...);
        }
      return (object.*member)(std::forward<A>(arguments)...);
    } else if constexpr (sizeof...(A) == 0) {
      return std::decay_t<F>(object.*member);
    } else {
      ((object.*member = std::forward<A>(arguments)), ...);
    }
  }

 private:
  template <auto... L>
  static bool is_atomic(pointer member, const atomic_list<L...>&) noexcept {
    return (is_same(member, L) || ...);
  }
  template <class M>
  static bool is_same(pointer member, M listed) noexcept {
    if constexpr (std::is_same_v<M, pointer>)
      return member == listed;
    else
      return false;
  }
};

template <class F, class C, class T>
struct pointed_member_of_part {
  object_id id;
  portable_member<F, C> member;

  bool present() const noexcept { return current_head->objects->table.look(id) != object_table::presence::absent; }
  void park(context& self, parked_call call) const { current_head->objects->table.park(self, id, std::move(call)); }

  /// The part, or null if there is none, or calls that came before are still to begin.
  void* find() const noexcept { return current_head->objects->table.find_for_call(id); }
  /// The member of what `find` gave.
  template <class... A>
  decltype(auto) run(void* found, A&&... arguments) const {
    T& part = *static_cast<T*>(found);
    return member.run(part, part, std::forward<A>(arguments)...);
  }

  template <class... A>
  auto operator()(A&&... arguments) const
      -> decltype(std::declval<const portable_member<F, C>&>().run(std::declval<T&>(), std::declval<T&>(),
                                                                   std::forward<A>(arguments)...)) {
    void* const found = current_head->objects->table.find(id);
    if (found == nullptr) [[unlikely]]
      throw_no_part(id, typeid(T), "call");
    return run(found, std::forward<A>(arguments)...);
  }
};

template <class F, class C, class T>
struct pointed_member_of_object {
  object_name name;
  portable_member<F, C> member;

  template <class... A>
  auto operator()(A&&... arguments) const
      -> std::decay_t<decltype(std::declval<const portable_member<F, C>&>().run(std::declval<T&>(), std::declval<object_use&>(),
                                                                                std::forward<A>(arguments)...))> {
    object_use use = use_object<T>(name, "call");
    return member.run(use.template as<T>(), use, std::forward<A>(arguments)...);
  }
};

/// The class of the object that an address refers to.
template <class Address>
struct object_at;
template <class T>
struct object_at<object_ref<T>> {
  using type = T;
};
template <class T>
struct object_at<remote<T>> {
  using type = T;
};
template <class T>
struct object_at<future<remote<T>>> {
  static_assert(dependent_false<T>,
                "armilla: the reference is not there yet: call(object.get(), &C::m, ...), or call<&C::m>(object, ...)");
};
template <class Address>
concept addresses_object = requires { sizeof(object_at<Address>); };

template <class Member>
struct member_target {
  rank_t rank;
  Member body;
};
template <class T, class F, class C>
member_target<pointed_member_of_part<F, C, T>> target_of(const object_ref<T>& object, F C::* member, const char* operation) {
  return {object.rank(), {object_access::id(object), portable_member<F, C>::of(member, operation)}};
}
template <class T, class F, class C>
member_target<pointed_member_of_object<F, C, T>> target_of(const remote<T>& object, F C::* member, const char* operation) {
  const reference& held = held_by(object, operation);
  return {held.rank, {held.name, portable_member<F, C>::of(member, operation)}};
}

template <class F, class C, class T, class... A>
inline constexpr bool can_call_member =
    std::is_base_of_v<C, T> && (!std::is_function_v<F> || std::is_invocable_v<F C::*, T&, sent_as<A>...>);

/// What it refuses is not compiled any further.
template <class F, class C, class T, class... A>
constexpr void check_member_call() {
  static_assert(std::is_base_of_v<C, T>, "armilla: the member belongs to another class than the object");
  if constexpr (std::is_base_of_v<C, T>)
    static_assert(
        can_call_member<F, C, T, A...>,
        "armilla: the method cannot be called with these arguments: they are of other types than its parameters, or one of these "
        "is a reference that is not const (arguments come by value)");
}

}  // namespace detail
}  // namespace armilla
