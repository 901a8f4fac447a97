// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>

#include "armilla/base/values/container_names.hpp"
#include "armilla/container/sequence/queue_inline.hpp"

namespace armilla {

/// A first-in, first-out queue that is stored on one rank of a team. All members push to it and pop from it.
///
/// Use it to hand out jobs from one rank, or to collect results on one. If items make new items and all ranks run them, use a
/// `work_queue`, which has no central rank.
///
///     am::queue<job> jobs(0);                                        // collective; rank 0 stores the items
///     jobs.push(job{17});                                            // one-way
///     while (std::optional<job> j = jobs.pop().get()) run(*j);       // two-way
///
/// **Kinds of operations.** `push` and `push_range` are one-way, complete at the next fence of the queue's team or of all ranks.
/// `pop`, `pop_some` and `count` are two-way, they return futures. Items are of any sendable type.
///
/// **Order.** Pushes and pops take effect one after the other on the owner, those of one rank in its order. So items that one
/// rank pushed are popped in that order. Only a fence orders operations of different ranks.
///
/// **Cost.** A push takes one message, or none on the owner. A pop takes a message each way. `push_range` and `pop_some` transfer
/// many items in one message.
///
/// **Errors.** Throws `usage_error` if `owner` is not a member, on all members if they name different owners, and if the queue
/// was moved from.
///
/// **Lifetime.** The destructor does not block. The owner's items are freed at the next fence of the team or of all ranks, which
/// still completes pushes.
template <class T>
class queue : public detail::owned_queue<T, detail::first_come<T>> {
  using base = detail::owned_queue<T, detail::first_come<T>>;

 public:
  using typename base::handle_type;  // see handle()
  using typename base::value_type;

  // ---- Construction (collective) ----

  /// Creates an empty queue over all ranks of the job; the rank `owner` stores the items. Cost: one collective.
  explicit queue(rank_t owner = 0, const made_at& at = std::source_location::current())
      : base(world(), owner, detail::making(at, typeid(queue), world())) {}
  /// Creates an empty queue over the members of `members`; member number `owner` stores the items.
  explicit queue(const team& members, rank_t owner = 0, const made_at& at = std::source_location::current())
      : base(members, owner, detail::making(at, typeid(queue), members)) {}
  /// Creates an empty queue on the first rank or member, with a name: `am::queue<int> q(am::named("tasks"))`.
  explicit queue(const made_at& at) : queue(rank_t{0}, at) {}
  queue(const team& members, const made_at& at) : queue(members, 0, at) {}

  // ---- Changes (one-way) ----

  /// Pushes `item`. Items of one rank stay in the order of its calls.
  using base::push;  // void push(const T& item)

  /// Pushes all items of a range, in one message.
  using base::push_range;  // template <class Range> void push_range(const Range& items)

  // ---- Queries (two-way) ----

  /// Removes and returns the first item, or `nullopt` if the queue is empty. Runs after what this rank pushed before.
  using base::pop;  // future<std::optional<T>> pop()

  /// Removes and returns the first `most` items, or all if there are fewer, in one message.
  using base::pop_some;  // future<std::vector<T>> pop_some(std::size_t most)

  /// Returns the number of items that have arrived. After a fence, and before the next push or pop, all ranks get the same.
  using base::count;  // future<std::size_t> count() const

  // ---- Local access (no message) ----

  /// Returns the number of items as of the last fence of the queue's team or of all ranks.
  using base::size;  // std::size_t size() const noexcept

  /// Returns whether `size()` is 0.
  using base::empty;  // bool empty() const noexcept

  /// Returns the rank of the job that stores the items.
  using base::owner;  // rank_t owner() const noexcept

  /// Returns the team whose members may push and pop.
  using base::members;  // const team& members() const

  /// Returns a small value that names the queue on all members. Called functions use it: `h->push(item)`.
  using base::handle;  // handle_type handle() const noexcept

  // ---- Whole queue (collective) ----

  /// Removes all items. Fences the team first. Cost: a fence and one collective.
  using base::clear;  // void clear()

  /// Writes all items to the file `path`, the first one first. `load` reads them on any number of ranks.
  ///
  /// Fences the team first; no fiber and no called function may push or pop meanwhile. The file replaces an existing one only
  /// when it is complete. `usage_error` on all members if writing fails.
  using base::save;  // void save(const std::string& path) const

  /// Replaces the items by those of a file that a queue, or another sequence of the same element type, has saved, on any number
  /// of ranks.
  ///
  /// Fences the team. The owner reads all items. `usage_error` on all members if the file is damaged or has another kind of
  /// content; the queue is then unchanged.
  using base::load;  // void load(const std::string& path)

  /// Makes `checkpoint` copy the items to the memory of the next `copies` ranks after the owner, as `list::keep`.
  using base::keep;  // void keep(int copies)

  /// Copies all items to the ranks that `keep` chose, as `list::checkpoint`.
  using base::checkpoint;  // void checkpoint(std::uint64_t mark = 0)

  /// Returns a queue over `t` with the items of the last checkpoint, after ranks were lost, as `list::recover`. They are in their
  /// order. The owner is the same; if it is lost, it is the first member of `t`.
  [[nodiscard]] recovered<queue, rank_t> recover(const team& t) { return base::template recover_as<queue>(t); }
};

/// A queue of which `pop` gives the largest item by `Compare` (with `std::greater<>`: the smallest). It is stored on one rank of
/// a team.
///
///     am::priority_queue<int, std::greater<>> smallest;
///     smallest.push(7);
///     am::fence();
///     const std::optional<int> least = smallest.pop().get();
///
/// **Order.** `pop` gives the largest of the items that have arrived at the owner; a larger one may be in flight until the fence.
/// Of equal items it gives any. Between two fences in which no rank pushes, the results of all pops, in the order in which they
/// take effect, are sorted.
///
/// **Errors.** As for a `queue`. If `Compare` throws, the push or pop has no effect.
///
/// Everything else is as for a `queue`.
template <class T, class Compare /* = std::less<> */>
class priority_queue : public detail::owned_queue<T, detail::largest_first<T, Compare>> {
  using base = detail::owned_queue<T, detail::largest_first<T, Compare>>;

 public:
  using typename base::handle_type;  // see handle()
  using typename base::value_type;

  // ---- Construction (collective) ----

  /// Creates an empty queue over all ranks of the job; the rank `owner` stores the items. Cost: one collective.
  explicit priority_queue(rank_t owner = 0, const made_at& at = std::source_location::current())
      : base(world(), owner, detail::making(at, typeid(priority_queue), world())) {}
  /// Creates an empty queue over the members of `members`; member number `owner` stores the items.
  explicit priority_queue(const team& members, rank_t owner = 0, const made_at& at = std::source_location::current())
      : base(members, owner, detail::making(at, typeid(priority_queue), members)) {}
  /// Creates an empty queue on the first rank or member, with a name: `am::priority_queue<int> q(am::named("tasks"))`.
  explicit priority_queue(const made_at& at) : priority_queue(rank_t{0}, at) {}
  priority_queue(const team& members, const made_at& at) : priority_queue(members, 0, at) {}

  // ---- Changes (one-way) ----

  /// Pushes `item`.
  using base::push;  // void push(const T& item)

  /// Pushes all items of a range, in one message.
  using base::push_range;  // template <class Range> void push_range(const Range& items)

  // ---- Queries (two-way) ----

  /// Removes and returns the largest item, or `nullopt` if the queue is empty. Runs after what this rank pushed before.
  using base::pop;  // future<std::optional<T>> pop()

  /// Removes and returns the largest `most` items, or all if there are fewer, in one message.
  using base::pop_some;  // future<std::vector<T>> pop_some(std::size_t most)

  /// Returns the number of items that have arrived. After a fence, and before the next push or pop, all ranks get the same.
  using base::count;  // future<std::size_t> count() const

  // ---- Local access (no message) ----

  /// Returns the number of items as of the last fence of the queue's team or of all ranks.
  using base::size;  // std::size_t size() const noexcept

  /// Returns whether `size()` is 0.
  using base::empty;  // bool empty() const noexcept

  /// Returns the rank of the job that stores the items.
  using base::owner;  // rank_t owner() const noexcept

  /// Returns the team whose members may push and pop.
  using base::members;  // const team& members() const

  /// Returns a small value that names the queue on all members. Called functions use it: `h->push(item)`.
  using base::handle;  // handle_type handle() const noexcept

  // ---- Whole queue (collective) ----

  /// Removes all items. Fences the team first. Cost: a fence and one collective.
  using base::clear;  // void clear()

  /// Writes all items to the file `path`, in any order. `load` reads them on any number of ranks.
  ///
  /// Fences the team first; no fiber and no called function may push or pop meanwhile. The file replaces an existing one only
  /// when it is complete. `usage_error` on all members if writing fails.
  using base::save;  // void save(const std::string& path) const

  /// Replaces the items by those of a file that a queue, or another sequence of the same element type, has saved, on any number
  /// of ranks.
  ///
  /// Fences the team. The owner reads all items. `usage_error` on all members if the file is damaged or has another kind of
  /// content; the queue is then unchanged.
  using base::load;  // void load(const std::string& path)

  /// Makes `checkpoint` copy the items to the memory of the next `copies` ranks after the owner, as `list::keep`.
  using base::keep;  // void keep(int copies)

  /// Copies all items to the ranks that `keep` chose, as `list::checkpoint`.
  using base::checkpoint;  // void checkpoint(std::uint64_t mark = 0)

  /// Returns a queue over `t` with the items of the last checkpoint, after ranks were lost, as `list::recover`. The
  /// owner is the same; if it is lost, it is the first member of `t`.
  [[nodiscard]] recovered<priority_queue, rank_t> recover(const team& t) { return base::template recover_as<priority_queue>(t); }
};

}  // namespace armilla
