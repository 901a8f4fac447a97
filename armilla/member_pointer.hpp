// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "armilla/create.hpp"
#include "armilla/distributed.hpp"
#include "armilla/object/member_pointer_inline.hpp"

/// Calls of members that a pointer names at run time, of parts of distributed objects and of processor objects.
///
/// If the member is known at compile time, `async<&T::m>(object, ...)` and `call<&T::m>(object, ...)` send 8 bytes less.
namespace armilla {

/// Runs the member that `member` points to. One-way, as `async<&histogram::add>(h.on(1), 7)`: `async(h.on(1), &histogram::add,
/// 7)`.
///
/// Throws `usage_error` for a null pointer, for a method of a library that was loaded later, and for one of a base that is 64 KiB
/// or more inside of its object.
///
/// Paper: STAPL, section 5 (async_rmi takes a pointer to a method).
template <detail::addresses_object Address, class F, class C, class... A>
void async(const Address& object, F C::* member, A&&... arguments) {
  detail::check_member_call<F, C, typename detail::object_at<Address>::type, A...>();
  if constexpr (detail::can_call_member<F, C, typename detail::object_at<Address>::type, A...>) {
    const auto to = detail::target_of(object, member, "async");
    async(to.rank, to.body, std::forward<A>(arguments)...);
  }
}

/// Runs the member that `member` points to, and returns a future of its result: `call(h.on(1), &histogram::total)`.
template <detail::addresses_object Address, class F, class C, class... A>
[[nodiscard]] auto call(const Address& object, F C::* member, A&&... arguments) {
  detail::check_member_call<F, C, typename detail::object_at<Address>::type, A...>();
  if constexpr (detail::can_call_member<F, C, typename detail::object_at<Address>::type, A...>) {
    const auto to = detail::target_of(object, member, "call");
    return call(to.rank, to.body, std::forward<A>(arguments)...);
  } else {
    return detail::refused_call{};
  }
}

/// Runs the member that `member` points to, of the parts on all members of the object's team. One-way.
template <class T, class F, class C, class... A>
void async_all(const distributed<T>& object, F C::* member, const A&... arguments) {
  detail::check_member_call<F, C, T, A...>();
  if constexpr (detail::can_call_member<F, C, T, A...>) {
    const auto to = detail::target_of(detail::object_access::ref<T>(detail::object_access::id(object), 0), member, "async_all");
    async_all(object.members(), to.body, arguments...);
  }
}

// ---- Mistakes: these do not compile, and say what to write instead ----

template <class T, class F, class C, class... A>
void async(const distributed<T>&, F C::*, A&&...) {
  static_assert(detail::dependent_false<T>,
                "armilla: a distributed object has a part on each rank: async(h.on(rank), &T::m, arguments...)");
}
template <class T, class F, class C, class... A>
auto call(const distributed<T>&, F C::*, A&&...) {
  static_assert(detail::dependent_false<T>,
                "armilla: a distributed object has a part on each rank: call(h.on(rank), &T::m, arguments...)");
  return detail::refused_call{};
}

// The compiler shows one of these lines for a method that is overloaded: it names the remedy.
// clang-format off
template <detail::addresses_object To> void async(const To&, ...) = delete;  // armilla: name ONE method, static_cast<void (T::*)(int)>(&T::m)
template <detail::addresses_object To> void call(const To&, ...) = delete;  // armilla: name ONE method, static_cast<int (T::*)(int)>(&T::m)
// clang-format on

}  // namespace armilla
