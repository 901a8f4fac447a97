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

/// Work that makes work: any rank pushes items, and all ranks of the team run them together until none is left. A rank without
/// items gets half of another's.
///
///     am::work_queue<node> open;                              // all members, which is one meeting
///     if (am::rank() == 0) open.push(root);
///     open.process([&](node n) { for (node c : children(n)) open.push(c); });
///
/// Order: a rank runs the item first that it pushed last; the oldest are given away, 4,096 at most. Nothing else is promised.
/// Cost: some nanoseconds an item; a rank without items sends log2(members) messages and sleeps. Ranks look for messages every
/// 20 to 80 us of work, or behind each item if it takes longer. Its end waits for nothing: a part goes at the next fence.
/// Paper: STAPL, section 7 (executor); the papers that find the end stand at detail::work_peer.
template <class T>
class work_queue {
  static_assert(sendable_value<T>, "armilla: the items of a work_queue go to other ranks: they must be sendable");
  using part = detail::work_part<T>;

 public:
  using value_type = T;

  /// Names the queue on all members: a small value to copy, keep and send. `h->push(item)` on any of them.
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
    verbs operator->() const {
      part* const here = name_.local();
      if (here == nullptr) [[unlikely]]
        detail::throw_no_queue("work queue");
      return verbs(*here);
    }

   private:
    friend work_queue;
    explicit handle_type(object_ref<part> name) : name_(name) {}
    object_ref<part> name_;
  };

  explicit work_queue(const team& members = world()) : parts_(members, members) {
    std::vector<object_ref<part>> all;
    for (rank_t m = 0; m < members.size(); ++m) all.push_back(parts_.of(m));
    mine().knows(std::move(all));
    mine().begin();
    detail::meet(members);
  }

  /// The item is in the queue, on this rank, when it returns. No message.
  void push(T item) { mine().push(std::move(item)); }

  /// Collective: runs `f(item)` for each item of all members, which may push more, also by the handle in bodies on any member,
  /// and may wait and send. Ends when no member has an item and no statement of theirs is under way, so it is a fence of the
  /// team. Returns what this rank did.
  ///
  /// Errors: what `f` throws on any rank ends it on all with a remote_error (lowest rank) once each has ended its item. The item
  /// that threw is gone, and what it had pushed stays; the items that have not run stay in the queue, somewhere: `process` again,
  /// or `clear_local`. What a statement threw ends it in the same way, as it would a fence.
  template <class F>
  work_share process(F f) {
    detail::meet(members());
    detail::algorithm_call why("process");
    work_share done;
    std::size_t left = 0;
    do {
      mine().work(f, why, done);
      const std::exception_ptr thrown = await_statements();
      left = detail::agree(members(), "process", why, mine().size(), std::plus<>{});
      if (thrown) std::rethrow_exception(thrown);
    } while (left != 0);
    detail::count_elements(done.items);
    return done;
  }

  /// How many items all members had at the last fence of the queue's team or of all ranks. No message.
  std::size_t size() const noexcept { return parts_.size(); }
  bool empty() const noexcept { return size() == 0; }
  /// How many items this rank has.
  std::size_t local_size() const { return mine().size(); }
  /// Drops the items of this rank. No message.
  void clear_local() { mine().clear(); }

  /// Writes all items into a file, which replaces an old one when it is whole, and not before. Collective, and a fence of the
  /// team; no fiber and no called function may push meanwhile. Errors: usage_error on all members, and the old file stays.
  void save(const std::string& path) const { detail::images::save(*this, path); }
  /// Replaces the items by those of a file that a work queue, or another sequence of such elements, has saved on any number of
  /// ranks. Each rank gets as many. Collective, and a fence of the team. Errors: usage_error on all members for a file that is
  /// damaged or of another kind or element; the items are as before then.
  void load(const std::string& path) { detail::images::load(*this, members(), path); }
  /// Replicates each rank's items in the memory of the next `copies` ranks of the team from now on, as of a list.
  void keep(int copies) { detail::images::keep(*this, copies); }
  /// Copies all items that wait to where `keep` said: all or nothing. As of a list.
  void checkpoint(std::uint64_t mark = 0) { detail::images::checkpoint(*this, mark); }
  /// Returns the items of the last checkpoint in a queue over the ranks of `t`, which `members().survivors()` gave: those that
  /// were processed since then, too. As of a list.
  [[nodiscard]] recovered<work_queue, rank_t> recover(const team& t) { return detail::images::recover<work_queue>(*this, t); }

  const team& members() const { return parts_.members(); }
  handle_type handle() const { return handle_type(parts_.own()); }

 private:
  friend detail::rebalancer;
  friend detail::images;
  static detail::saved_type image_type() { return detail::saved_sequence<T>(); }
  static detail::image_numbers numbers_of_image() { return {}; }
  void put_image(detail::piece_writer& to) const { detail::put_elements<T>(to, mine().waiting()); }
  void take_image(detail::image_reader& from) {
    auto items = detail::take_share<T>(from);
    mine().clear();
    for (auto& item : items) mine().push(std::move(item));
    parts_.count();
  }
  part& mine() const { return parts_.mine(); }
  /// Behind it nothing of this round is under way, and none has begun the next: the agreement that follows stands between.
  std::exception_ptr await_statements() {
    std::exception_ptr thrown;
    try {
      members().fence();
    } catch (const rank_lost&) { throw; } catch (const usage_error&) {
      throw;
    } catch (...) { thrown = std::current_exception(); }
    mine().begin();
    return thrown;
  }

  detail::named_parts<part> parts_;
  detail::keeping<work_queue> kept_;
};

}  // namespace armilla
