// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/object/distributed.hpp"
#include "armilla/rpc/collect.hpp"

namespace armilla {

/// Asks the member `M` of every part of `object` and combines the answers in the order of the members of its team. All
/// members call it.
///
///     long sum = am::collect<&histogram::total>(h, std::plus<>{});
///
/// Paper: STAPL, section 5 (collect_rmi).
template <auto M, class T, class Op, class... A>
  requires std::is_member_pointer_v<decltype(M)>
auto collect(const distributed<T>& object, Op op, const A&... arguments) {
  return object.members().reduce_all(detail::object_access::member<M>(object)(arguments...), op);
}

/// The same from one member alone. Waits for all answers.
template <auto M, class T, class Op, class... A>
  requires std::is_member_pointer_v<decltype(M)>
auto collect_alone(const distributed<T>& object, Op op, const A&... arguments) {
  return collect_alone(object.members(), detail::object_access::member<M>(object), op, arguments...);
}

}  // namespace armilla
