// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/call_all.hpp"
#include "armilla/member_pointer.hpp"

namespace armilla {

/// Runs the method `M` of the object's part on each member of its team, or reads the data member `M`, and returns a future of all
/// results, in the order of the members. One of them calls it.
///
///     std::vector<long> totals = am::call_all<&histogram::total>(h).get();
///
/// If all members want one result, `all_reduce(h->total(), op)` is cheaper.
///
/// Paper: STAPL, section 5 (collect_rmi).
template <auto M, class T, class... A>
  requires std::is_member_pointer_v<decltype(M)>
[[nodiscard]] auto call_all(const distributed<T>& object, const A&... arguments) {
  return call_all(object.members(), detail::object_access::member<M>(object), arguments...);
}

/// Does the same with a hint on how the method runs: `call_all(h, as_fiber<&histogram::total>())`. See armilla/hints.hpp.
template <class T, template <class> class Hint, auto M, class... A>
[[nodiscard]] auto call_all(const distributed<T>& object, detail::hinted_member<Hint, M>, const A&... arguments) {
  return call_all(object.members(), Hint<detail::member_to_hint<M, T>>{{detail::object_access::member<M>(object)}}, arguments...);
}

/// Does the same by a pointer to the member: `call_all(h, &histogram::total)`.
template <class T, class F, class C, class... A>
[[nodiscard]] auto call_all(const distributed<T>& object, F C::* member, const A&... arguments) {
  detail::check_member_call<F, C, T, A...>();
  if constexpr (detail::can_call_member<F, C, T, A...>) {
    const auto to = detail::target_of(detail::object_access::ref<T>(detail::object_access::id(object), 0), member, "call_all");
    return call_all(object.members(), to.body, arguments...);
  } else {
    return detail::refused_call{};
  }
}

}  // namespace armilla
