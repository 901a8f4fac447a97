// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "armilla/container/rebalance_inline.hpp"
#include "armilla/team/collectives/named_algorithm.hpp"

namespace armilla {

/// A container that `rebalance` can move to a team with more ranks.
template <class C>
concept rebalanced_container = requires(const team& t, C* x) { detail::rebalanced_on(t, x); };

/// Moves the elements of a container to a team with more ranks, and returns the container over that team. Collective of `t`.
///
/// Use it when ranks have joined the job. `t` has all ranks that have the container, and may have others. On ranks that have it:
///
///     am::team t = x.members().grow();
///     x = am::rebalance(t, std::move(x));
///
/// On the ranks that `grow` has included:
///
///     am::team t = am::await_team();
///     auto y = am::rebalance<am::vector<double>>(t);
///
/// **Which containers.** All. Each rank gets equally many elements of a container that has an order. The items of a queue remain
/// with its owner; those of a work queue move to ranks without any at the next `process`.
///
/// **What remains.** The order of elements, the kind of distribution (blocks of given sizes become blocks of equal size; a matrix
/// is cut in the same dimensions, with a halo as wide, which is value-initialized), and replication by `keep`; there is no
/// checkpoint yet. The old container is empty, so assign the result to it. Handles, pointers and views of the old one are
/// invalid.
///
/// **Order.** It fences the old team first, so earlier one-way operations are included. No fiber may change elements during the
/// call.
///
/// **Errors.** `usage_error` or `remote_error` on all members of `t` if a rank that has the container is not a member or has not
/// passed it, or if none has it. Throws `limit_error` on all if the elements do not fit, `remote_error` on all if one cannot be
/// sent; the old container is then unchanged. Throws `rank_lost` if a rank is lost during the call; then recover the old
/// container if it is still there, otherwise another checkpoint.
///
/// **Cost.** Each element is sent once, and some collectives. Elements with an index are sent in pieces, those with a hash as
/// insertions. All others are marshaled, which takes their memory once more on both sides.
template <rebalanced_container Container>
  requires(!std::is_lvalue_reference_v<Container>)
[[nodiscard]] Container rebalance(const team& t, Container&& old) {
  const detail::named_algorithm name("rebalance");
  Container made = detail::rebalanced_on(t, &old);
  detail::images::call_alike(made, old);
  const Container emptied = std::move(old);
  return made;
}

/// Does the same on a rank that does not have the container yet.
template <rebalanced_container Container>
[[nodiscard]] Container rebalance(const team& t, const made_at& at = std::source_location::current()) {
  const detail::named_algorithm name("rebalance");
  Container made = detail::rebalanced_on(t, static_cast<Container*>(nullptr));
  detail::images::call_alike(made, at);
  return made;
}

/// Moves the elements of a container to some of its ranks, those of `t`, and returns the container over that team. Collective of
/// the old team.
///
/// Use it when ranks are to leave the job, or to do other work. Ranks that leave pass the empty team:
///
///     const bool stays = am::rank() < 4;
///     const am::team t = x.members().split(stays ? 0 : -1);       // the empty team on ranks that leave
///     x = am::shrink(t, std::move(x));
///
/// **What remains** is as of `rebalance`. On ranks that leave, the result is as moved from: it has no elements, and its
/// operations throw `usage_error`.
///
/// **Order.** It fences the old team first. No fiber may change elements meanwhile.
///
/// **Errors.** `usage_error` or `remote_error` on all members if a rank of `t` does not have the container, or if `t` is not the
/// team of all ranks that stay; `remote_error` on all if an element of a rank that leaves cannot be sent. The container is then
/// unchanged. On the ranks that stay also `limit_error` if the elements do not fit, and `remote_error` if one of theirs cannot be
/// sent; they then still have their elements, those of ranks that leave are lost.
///
/// **Cost.** The elements of a rank that leaves go to a rank that stays, in one exchange, and from there to their rank as by
/// `rebalance`.
template <rebalanced_container Container>
  requires(!std::is_lvalue_reference_v<Container>)
[[nodiscard]] Container shrink(const team& t, Container&& old) {
  const detail::named_algorithm name("shrink");
  Container made = detail::shrunk_on(t, &old);
  detail::images::call_alike(made, old);
  const Container emptied = std::move(old);
  return made;
}

}  // namespace armilla
