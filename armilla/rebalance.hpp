// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "armilla/container/rebalance_inline.hpp"

namespace armilla {

/// Containers that go over to a team of more ranks.
template <class C>
concept rebalanced_container = requires(const team& t, C* x) { detail::rebalanced_on(t, x); };

/// A container of some ranks becomes one of more: its elements go to the ranks of `t`, each once, dealt as before (blocks of
/// given sizes become blocks of one length). The old one is empty then, so what it gives takes the old one's place:
///
///     am::team t = x.members().grow();
///     x = am::rebalance(t, std::move(x));                       // on ranks that have x
///     auto x = am::rebalance<am::vector<double>>(t);            // on those that `grow` has taken in
///
/// It takes every container. What has an order keeps it, with as many elements on each rank; a matrix is cut in the same
/// dimensions, with a halo as before, value-initialised; the items of a queue stay with their owner, and those of a work_queue go
/// to ranks without any at the next `process`.
/// `t` has all ranks that have the container, and may have others. Copies are kept as before (`keep`), but there is no checkpoint
/// yet; handles, pointers and views of the old one are of no use.
///
/// Collective of `t`, and a fence of the old team: what was said before is there. No fiber may change elements meanwhile. Errors:
/// usage_error or remote_error on all members of `t` where a rank that has it is no member, has not given it, or where none has
/// it; limit_error on all if it does not fit: the old one is as before then. rank_lost if a rank is lost meanwhile: `recover`
/// then takes the old one, where it is still there, else another checkpoint. Cost: each element travels once, those with an index
/// in pieces, those with a hash as insertions; all others are marshalled, which takes memory for them once more on both sides;
/// some meetings.
template <rebalanced_container Container>
  requires(!std::is_lvalue_reference_v<Container>)
[[nodiscard]] Container rebalance(const team& t, Container&& old) {
  return detail::rebalanced_on(t, &old);
}
/// The same on a rank that does not have the container yet.
template <rebalanced_container Container>
[[nodiscard]] Container rebalance(const team& t) {
  return detail::rebalanced_on(t, static_cast<Container*>(nullptr));
}

}  // namespace armilla
