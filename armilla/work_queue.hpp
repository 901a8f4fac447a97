// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/container/image/images.hpp"
#include "armilla/container/place/algorithm_call.hpp"
#include "armilla/container/place/named_parts.hpp"
#include "armilla/container/sequence/array_inline.hpp"
#include "armilla/container/sequence/work_part.hpp"

namespace armilla {

/// A pool of work that makes more work. Any rank pushes items, and all ranks of a team run them together until none is left.
///
/// Use it for searches, branch and bound, and other work whose amount is not known before. A rank without items gets half of
/// another rank's. If the work is known, an algorithm over an `array` distributes it without a message.
///
///     am::work_queue<node> open;                              // collective: all ranks construct it
///     if (am::rank() == 0) open.push(root);
///     open.process([&](node n) { for (node c : n.children()) open.push(c); });   // collective: ends when no item is left
///
/// **Order.** Each item runs once, after its `push`, and sees what its pusher wrote before. A rank runs its newest item first,
/// and gives away its oldest ones, half of them but at most 4,096. Nothing else is promised.
///
/// **Cost.** Some nanoseconds for an item. A rank without items sends log2(members) messages and sleeps; getting items from
/// another rank takes two. Ranks poll for messages every 20 to 80 us of work, or after each item that takes longer.
///
/// **Errors.** See `process`. Throws `usage_error` for a handle on a rank that has no part of the queue.
///
/// **Lifetime.** The destructor does not block. The rank's items are freed at the next fence.
///
/// Paper: STAPL, section 7 (executor); the papers on how the end is found are named at detail::work_peer.
template <class T>
class work_queue {
  static_assert(sendable_value<T>, "armilla: the items of a work_queue go to other ranks: they must be sendable");
  using part = detail::work_part<T>;

 public:
  using value_type = T;

  /// Names the queue on all members: a small value that can be copied, stored and sent. Called functions use it: `h->push(item)`.
  class handle_type {
   public:
    handle_type() = default;
    /// For the library: what `->` gives.
    class verbs {
     public:
      explicit verbs(part& here) noexcept : here_(here) {}
      void push(T item) { here_.push(std::move(item)); }
      std::size_t local_size() const noexcept { return here_.size(); }
      verbs* operator->() noexcept { return this; }

     private:
      part& here_;
    };
    verbs operator->() const;

   private:
    friend work_queue;
    explicit handle_type(object_ref<part> name) : name_(name) {}
    object_ref<part> name_;
  };

  // ---- Construction (collective) ----

  /// Creates an empty queue over the members of `members`. Cost: one collective.
  explicit work_queue(const team& members = world(), const made_at& at = std::source_location::current())
      : work_queue(members, detail::making(at, typeid(work_queue), members)) {}
  /// Creates an empty queue over all ranks, with a name: `am::work_queue<int> q(am::named("tasks"))`.
  explicit work_queue(const made_at& at) : work_queue(world(), at) {}

  // ---- Local operations ----

  /// Puts `item` into the queue, on this rank. It is in the queue when `push` returns. Sends nothing, unless half of the items go
  /// to an idle rank.
  void push(T item) { mine().push(std::move(item)); }

  /// Returns the number of items on all ranks, as of the last fence of the queue's team or of all ranks.
  std::size_t size() const noexcept { return parts_.size(); }
  /// Returns whether `size()` is 0.
  bool empty() const noexcept { return size() == 0; }
  /// Returns the number of items on this rank, as of now.
  std::size_t local_size() const { return mine().size(); }
  /// Removes the items of this rank.
  void clear_local() { mine().clear(); }
  /// Returns the team whose members run the items.
  const team& members() const { return parts_.members(); }
  /// Returns a handle: see `handle_type`.
  handle_type handle() const { return handle_type(parts_.own()); }

  // ---- Running (collective) ----

  /// Runs `f(item)` for each item of all members. Returns what this rank did.
  ///
  /// `f` may push more items, also by the handle in functions that it calls on other members, and it may wait and send. `process`
  /// ends when no member has an item and no one-way call of theirs is in flight, so it is a fence of the team.
  ///
  /// What `f` throws on any rank ends `process` on all: they throw `remote_error` (of the lowest rank that threw) when each has
  /// ended its current item. The item that threw is gone, but what it pushed remains. Items that have not run remain in the
  /// queue, on some rank: call `process` again, or `clear_local` on each rank. What a one-way call threw ends it in the same way,
  /// as it would a fence.
  ///
  /// Cost: two collectives and a fence, in addition to the items.
  template <class F>
  work_share process(F f);

  // ---- Whole queue (collective) ----

  /// Removes all items. Fences the team first. Cost: a fence and one collective.
  void clear() {
    const detail::named_algorithm name("clear");
    members().fence();
    mine().clear();
    parts_.count();
  }

  /// Writes all items to the file `path`. `load` reads them on any number of ranks.
  ///
  /// Fences the team first; no fiber and no called function may push meanwhile. The file replaces an existing one only when it is
  /// complete. `usage_error` on all members if writing fails.
  void save(const std::string& path) const { detail::images::save(*this, path); }

  /// Replaces the items by those of a file that a work queue, or another sequence of the same element type, has saved, on any
  /// number of ranks.
  ///
  /// Fences the team. Each member has equally many items afterwards. `usage_error` on all members if the file is damaged or has
  /// another kind of content; the queue is then unchanged.
  void load(const std::string& path) { detail::images::load(*this, members(), path); }

  /// Makes `checkpoint` copy each rank's items to the memory of the next `copies` ranks of the team, as `list::keep`.
  void keep(int copies) { detail::images::keep(*this, copies); }

  /// Copies all items that have not run to the ranks that `keep` chose, as `list::checkpoint`.
  void checkpoint(std::uint64_t mark = 0) { detail::images::checkpoint(*this, mark); }

  /// Returns a queue over `t` with the items of the last checkpoint, after ranks were lost, as `list::recover`. These include
  /// items that have run since.
  [[nodiscard]] recovered<work_queue, rank_t> recover(const team& t) { return detail::images::recover<work_queue>(*this, t); }

 private:
  friend detail::rebalancer;
  friend detail::images;
  work_queue(const team& members, const detail::making& how);
  static detail::saved_type image_type() { return detail::saved_sequence<T>(); }
  static detail::image_numbers numbers_of_image() { return {}; }
  void put_image(detail::piece_writer& to) const { detail::put_elements<T>(to, mine().waiting()); }
  void take_image(detail::image_reader& from);
  part& mine() const { return parts_.mine(); }
  std::exception_ptr await_one_way_calls();

  detail::named_parts<part> parts_;
  detail::keeping<work_queue> kept_;
};

// ---- Implementation only below ----

template <class T>
work_queue<T>::work_queue(const team& members, const detail::making& how) : parts_(members, members) {
  parts_.note(&how);
  std::vector<object_ref<part>> all;
  for (rank_t m = 0; m < members.size(); ++m) all.push_back(parts_.of(m));
  mine().knows(std::move(all));
  mine().begin();
  detail::meet(members);
}

template <class T>
void work_queue<T>::take_image(detail::image_reader& from) {
  auto items = detail::take_share<T>(from);
  mine().clear();
  for (auto& item : items) mine().push(std::move(item));
  parts_.count();
}

template <class T>
inline typename work_queue<T>::handle_type::verbs work_queue<T>::handle_type::operator->() const {
  part* const here = name_.local();
  if (here == nullptr) [[unlikely]]
    detail::throw_no_queue(detail::object_access::id(name_), "work queue");
  return verbs(*here);
}

template <class T>
template <class F>
work_share work_queue<T>::process(F f) {
  detail::meet(members());
  detail::algorithm_call why("process");
  why.about(this);
  work_share done;
  std::size_t left = 0;
  do {
    mine().work(f, why, done);
    const std::exception_ptr thrown = await_one_way_calls();
    left = detail::agree(members(), "process", why, mine().size(), std::plus<>{});
    if (thrown) std::rethrow_exception(thrown);
  } while (left != 0);
  detail::count_elements(done.items);
  return done;
}

/// When it returns, nothing of this round is in flight, and no rank has begun the next one: the next agreement separates them.
template <class T>
std::exception_ptr work_queue<T>::await_one_way_calls() {
  std::exception_ptr thrown;
  try {
    members().fence();
  } catch (const rank_lost&) { throw; } catch (const usage_error&) {
    throw;
  } catch (const detail::passing&) { throw; } catch (...) {
    thrown = std::current_exception();
  }
  mine().begin();
  return thrown;
}

}  // namespace armilla
