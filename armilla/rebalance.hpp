// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "armilla/container/rebalance_inline.hpp"

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
/// **Which containers.** Arrays, vectors, unordered containers with keys, and work queues, whose items move to ranks without any
/// at the next `process`.
///
/// **What remains.** The kind of distribution (blocks of given sizes become blocks of equal size), and replication by `keep`;
/// there is no checkpoint yet. The old container is empty, so assign the result to it. Handles, pointers and views of the old one
/// are invalid.
///
/// **Order.** It fences the old team first, so earlier one-way operations are included. No fiber may change elements during the
/// call.
///
/// **Errors.** `usage_error` or `remote_error` on all members of `t` if a rank that has the container is not a member or has not
/// passed it, or if none has it. Throws `limit_error` on all if the elements do not fit; the old container is then unchanged.
/// Throws `rank_lost` if a rank is lost during the call; then recover the old container if it is still there, otherwise another
/// checkpoint.
///
/// **Cost.** Each element is sent once, those of sequences in pieces, those with keys as insertions; and some collectives.
template <rebalanced_container Container>
  requires(!std::is_lvalue_reference_v<Container>)
[[nodiscard]] Container rebalance(const team& t, Container&& old) {
  return detail::rebalanced_on(t, &old);
}

/// Does the same on a rank that does not have the container yet.
template <rebalanced_container Container>
[[nodiscard]] Container rebalance(const team& t) {
  return detail::rebalanced_on(t, static_cast<Container*>(nullptr));
}

}  // namespace armilla
