// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>

#include "armilla/base/values/container_names.hpp"
#include "armilla/container/sequence/queue_inline.hpp"

namespace armilla {

/// First in, first out: items that lie on one rank of a team, which all ranks push and pop. Made by all members together, which
/// is one meeting.
///
///     am::queue<job> jobs(0);                                        // on rank 0
///     jobs.push(job{17});                                            // a statement
///     while (std::optional<job> j = jobs.pop().get()) run(*j);       // a question
///
/// Order: pushes and pops take effect one after the other on the owner, those of one rank in their order. So items that one rank
/// pushed are popped in that order; between ranks there is none but the fence. Cost: a push is a statement, a pop a message each
/// way; `push_range` and `pop_some` carry many. Items that all ranks make and run: `work_queue`.
/// Its end waits for nothing: what lies on the owner goes at the next fence of the team or of all ranks, which still completes
/// pushes. Errors: usage_error for an owner that is no member, and on all members for one that differs.
template <class T>
class queue : public detail::owned_queue<T, detail::first_come<T>> {
  using base = detail::owned_queue<T, detail::first_come<T>>;

 public:
  using base::base;
  /// Returns the items of the last checkpoint, in their order, in a queue over the ranks of `t`, which `members().survivors()`
  /// gave. The owner is the same; if it is lost, the first rank of `t`. As of a list.
  [[nodiscard]] recovered<queue, rank_t> recover(const team& t) { return base::template recover_as<queue>(t); }
};

/// The same, but that a pop gives the item that is largest by `Compare` (std::greater<>: the smallest) of those that have come to
/// the owner. Of equal items any. Relaxed: a larger item of another rank may be on its way, until the fence. Between two fences
/// in which no rank pushes, what pops give, in the order in which they take effect, is sorted. If `Compare` throws, the push or
/// pop has no effect.
template <class T, class Compare /* = std::less<> */>
class priority_queue : public detail::owned_queue<T, detail::largest_first<T, Compare>> {
  using base = detail::owned_queue<T, detail::largest_first<T, Compare>>;

 public:
  using base::base;
  /// As of a queue.
  [[nodiscard]] recovered<priority_queue, rank_t> recover(const team& t) { return base::template recover_as<priority_queue>(t); }
};

}  // namespace armilla
