// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "armilla/base/values/container_names.hpp"
#include "armilla/container/sequence/channel_part.hpp"

namespace armilla {

/// A bounded channel between ranks: some ranks push, one rank pops. A sender that is ahead of the receiver waits.
///
/// Use it where one rank processes what others produce, and the producers must not run ahead without limit: a pipeline, a writer
/// of a file, a stream of results. Between fibers of one rank, use a `channel`. If all ranks pop, use a `queue`, which has no
/// bound, or a `work_queue`.
///
///     am::remote_channel<reading> c(0, 64);                      // collective: rank 0 receives, all other ranks send
///     if (am::rank() != 0) {
///       for (const reading& r : measure()) c.push(r);            // waits while 64 values of this rank are not popped
///       c.close();
///     } else {
///       while (std::optional<reading> r = c.pop()) store(*r);    // nullopt once all senders have closed
///     }
///
/// **Capacity.** Each sender may have `capacity` values that the receiver has not popped. So the receiver stores `capacity`
/// values of each sender at most.
///
/// **A full channel.** `push` waits, `try_push` returns false, and `push_async` returns a future. In the meantime calls of other
/// ranks and other fibers run. A called function may push and wait; it then becomes a fiber.
///
/// **Order.** Values of one sender are popped in the order in which it pushed them. Values of different senders are popped in the
/// order in which they arrive.
///
/// **The end.** Each sender calls `close()` after its last push. When all have, `pop` returns the remaining values, then
/// `nullopt`. The receiver may call `cancel()` to end the channel early: pushes then return false.
///
/// **Losses** (docs/guide/death.md). If a sender is lost, `pop` first returns its values that have arrived, then throws
/// `rank_lost` once, then continues with the other senders. If the receiver is lost, pushes throw `rank_lost`, even those that
/// wait.
///
/// **Fences.** A push is a one-way call and is buffered like `async`. After a fence, all values that were sent have arrived at
/// the receiver. A fence does not wait for pushes that wait for room. `am::flush()` sends what is buffered.
///
/// **Cost.** A push costs a one-way call, and allocates only if the value does. The receiver returns credits once for each half
/// of the capacity. A push that waits costs one more message. `push_range` and `pop_some` move many values at a time.
///
/// **Errors.** The constructor throws `usage_error` if the capacity is 0, if an argument names a member that does not exist, or
/// if members give different arguments; members whose own arguments are valid then throw `remote_error`. `usage_error` is also
/// thrown by a push on a rank that is not a sender or has closed, by a pop on a rank that is not the receiver, and after a
/// move.
///
/// **Lifetime.** The destructor does not block. Pushes and pops that still wait fail with a `usage_error`. Values that have not
/// been popped are freed at the next fence of the team or of all ranks.
template <class T>
class remote_channel : public detail::named_container<remote_channel<T>> {
  static_assert(sendable_value<T>, "armilla: the values of a remote_channel go to its receiver: they must be sendable");
  static_assert(std::is_move_constructible_v<T>, "armilla: a remote_channel moves its values");
  using part = detail::channel_part<T>;

 public:
  using value_type = T;
  using handle_type = container_handle<remote_channel>;  // see handle()

  // ---- Construction (collective) ----

  /// Creates a channel over all ranks of the job. `receiver` pops and `senders` push; if `senders` is empty, all ranks except
  /// the receiver push. The receiver may be one of the senders. Cost: one collective.
  ///
  ///     am::remote_channel<long> right(am::ranks() - 1, 16, {0});   // from rank 0 to the last rank
  remote_channel(rank_t receiver, std::size_t capacity, std::vector<rank_t> senders = {},
                 const made_at& at = std::source_location::current())
      : remote_channel(world(), receiver, capacity, std::move(senders), at) {}
  /// Creates a channel over the members of `members`; `receiver` and `senders` are numbers in the team.
  remote_channel(const team& members, rank_t receiver, std::size_t capacity, std::vector<rank_t> senders = {},
                 const made_at& at = std::source_location::current())
      : remote_channel(members, receiver, capacity, std::move(senders), detail::making(at, typeid(remote_channel), members)) {}
  /// Creates a channel to which all ranks or members except the receiver push, with a name:
  /// `am::remote_channel<long> results(0, 16, am::named("results"))`.
  remote_channel(rank_t receiver, std::size_t capacity, const made_at& at)
      : remote_channel(world(), receiver, capacity, std::vector<rank_t>(), at) {}
  remote_channel(const team& members, rank_t receiver, std::size_t capacity, const made_at& at)
      : remote_channel(members, receiver, capacity, std::vector<rank_t>(), at) {}
  remote_channel(remote_channel&&) noexcept = default;
  remote_channel& operator=(remote_channel&& other) noexcept {
    end();
    detail::named_container<remote_channel>::operator=(std::move(other));
    parts_ = std::move(other.parts_);
    return *this;
  }
  ~remote_channel() { end(); }

  // ---- Pushing (on senders) ----

  /// Pushes `value`; waits while the channel is full. Returns false, and discards the value, if the receiver has cancelled the
  /// channel.
  bool push(const T& value) { return mine().push(value); }
  bool push(T&& value) { return mine().push(std::move(value)); }

  /// Pushes `value` if there is room. Returns false if the channel is full or cancelled; `cancelled()` says which. It receives
  /// no messages, so a loop over it must call `poll()`.
  [[nodiscard]] bool try_push(const T& value) { return mine().try_push(value); }

  /// Pushes `value` when there is room. The future becomes ready when `value` has been sent, and has the result of `push`.
  /// Pushes of a rank keep their order, whether they wait or not. A push whose future is dropped still happens.
  [[nodiscard]] future<bool> push_async(const T& value) { return mine().push_async(value); }
  [[nodiscard]] future<bool> push_async(T&& value) { return mine().push_async(std::move(value)); }

  /// Pushes all values of a range, as many in a message as there is room for; waits while the channel is full. Returns the
  /// number of pushed values: all, unless the receiver has cancelled the channel.
  template <class Range>
  std::size_t push_range(const Range& values) {
    return mine().push_range(values);
  }

  /// Ends this rank's pushes. Pushes that wait still happen. Does nothing if called again.
  void close() { mine().close(); }

  /// Returns how many values this rank can push now without waiting, as far as it knows.
  std::size_t room() const { return mine().room(); }

  /// Returns whether the receiver has cancelled the channel, as far as this rank knows.
  bool cancelled() const { return mine().refused(); }

  // ---- Popping (on the receiver) ----

  /// Removes and returns the first value; waits if there is none. Returns `nullopt` if all senders have closed and all values
  /// have been popped.
  std::optional<T> pop() { return mine().pop(); }

  /// Removes and returns the first value, or returns `nullopt` if none has arrived. It receives no messages, so a loop over it
  /// must call `poll()`, and `over()` to know when to end.
  std::optional<T> try_pop() { return mine().try_pop(); }

  /// Returns a future of what `pop` returns. Pops that wait get values in the order in which they were called.
  [[nodiscard]] future<std::optional<T>> pop_async() { return mine().pop_async(); }

  /// Removes and returns the first `most` values, or those that have arrived if there are fewer; waits if there are none.
  /// Returns an empty vector where `pop` returns `nullopt`.
  std::vector<T> pop_some(std::size_t most) { return mine().pop_some(most); }

  /// Returns the number of values that have arrived and not been popped. On other ranks it is 0.
  std::size_t size() const { return mine().held(); }

  /// Returns whether all senders have closed or are lost, and all values have been popped.
  bool over() const { return mine().is_over(); }

  /// Ends the channel: discards the values that were not popped, even those in flight, and makes pushes return false. `pop`
  /// returns `nullopt` from now on.
  void cancel() { mine().cancel(); }

  // ---- Queries ----

  /// Returns the rank of the job that pops.
  rank_t receiver() const { return mine().receiver(); }
  /// Returns how many values each sender may have in the channel.
  std::size_t capacity() const { return mine().capacity(); }
  /// Returns the team whose members constructed the channel.
  const team& members() const { return parts_.members(); }

  /// Returns a small value that names the channel on all members, wherever it is moved. Called functions use it: `h->push(x)`.
  handle_type handle() const { return this->template make_handle<handle_type>(); }

 private:
  remote_channel(const team& members, rank_t receiver, std::size_t capacity, std::vector<rank_t> senders,
                 const detail::making& how)
      : remote_channel(members, detail::plan_channel(members, receiver, capacity, std::move(senders), sizeof(T)), how) {}
  remote_channel(const team& members, detail::planned_channel planned, const detail::making& how)
      : detail::named_container<remote_channel>(members, &how), parts_(members, members, planned.plan) {
    parts_.note(&how);
    mine().knows(parts_.own());
    detail::agree_on_channel(members, planned);
  }
  part& mine() const { return parts_.mine(); }
  void end() noexcept {
    if (parts_) mine().end();
  }

  detail::named_parts<part> parts_;
};

}  // namespace armilla
