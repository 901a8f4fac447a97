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

/// Takes a container to fewer of its ranks: those of `t`. Each element goes over once, dealt as by `rebalance`.
///
///     const am::team t = x.members().split(stays ? 0 : -1);       // the empty team on ranks that leave
///     x = am::shrink(t, std::move(x));
///
/// Ranks that leave give the empty team. What they get back was moved from: it has no elements, and its operations are a
/// usage_error. Replication continues as before (`keep`), without a checkpoint; handles, pointers and views of the old container
/// are invalid.
///
/// Collective of the old team, and a fence of it. No fiber may change elements meanwhile. Errors: usage_error or remote_error on
/// all members where `t` has a rank without the container, or is not the team of all that stay; limit_error if it does not fit:
/// the ranks that stay still have their elements then, and those of ranks that have left are lost. Cost: what leaves goes to a
/// rank that stays, in one exchange, and from there to its place as by `rebalance`.
template <rebalanced_container Container>
  requires(!std::is_lvalue_reference_v<Container>)
[[nodiscard]] Container shrink(const team& t, Container&& old) {
  return detail::shrunk_on(t, &old);
}

}  // namespace armilla
