// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "armilla/async.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/container/place/failure_agreement.hpp"
#include "armilla/container/sequence/work_peer.hpp"
#include "armilla/distributed.hpp"
#include "armilla/hints.hpp"
#include "armilla/spawn.hpp"

namespace armilla {

/// The part of one rank in the work of all.
struct work_share {
  std::size_t items = 0;   ///< items that ran on this rank
  std::size_t steals = 0;  ///< how often it got items from another rank
};

namespace detail {

/// What a work queue has on one rank, and what the others ask of it.
template <class T>
class work_part {
 public:
  using value_type = T;
  explicit work_part(const team& t) : members_(t) {}

  void begin() { peer_.begin(members_.rank(), members_.size()); }
  void knows(std::vector<object_ref<work_part>> all) noexcept { all_ = std::move(all); }

  void push(T item) {
    items_.push_back(std::move(item));
    if (!running_ || peer_.has_long_items()) [[unlikely]]
      tell();
  }
  std::size_t size() const noexcept { return items_.size(); }
  void clear() noexcept { items_.clear(); }
  /// The oldest first.
  const std::vector<T>& waiting() const noexcept { return items_; }
  auto take_all() noexcept { return std::exchange(items_, {}); }

  /// Gives items to `do_item` until no member has any that is known to the others.
  template <class F>
  void work(F& do_item, failure& why, work_share& done) {
    steals_ = 0;
    while (!peer_.over()) {
      if (items_.empty())
        await_items();
      else
        run_turn(do_item, why, done);
    }
    done.steals += steals_;
  }

  // Bodies.
  void ask(rank_t member) {
    peer_.wants(member);
    serve();
  }
  void take(rank_t giver, std::vector<T> gift) {
    items_.insert(items_.end(), std::make_move_iterator(gift.begin()), std::make_move_iterator(gift.end()));
    ++steals_;
    if (peer_.took_from(giver)) send<&work_part::acknowledge>(giver);
    serve();
  }
  void acknowledge() { peer_.acknowledged(); }
  void finish() { peer_.finish(); }

 private:
  template <auto Method, class... A>
  void send(rank_t member, A&&... arguments) {
    async(all_[std::size_t(member)], to_completion<Method>(), std::forward<A>(arguments)...);
  }
  void announce() {
    finish();
    for (rank_t m = 0; m < members_.size(); ++m)
      if (m != members_.rank()) send<&work_part::finish>(m);
  }

  /// There are more items while none runs, or one that may run on for long.
  void tell() {
    peer_.wake();
    if (running_) serve();
  }

  template <class F>
  void run_turn(F& do_item, failure& why, work_share& done) {
    const std::uint64_t start = now_ns();
    std::uint32_t n = 0;
    running_ = true;
    try {
      for (; n != peer_.turn() && !items_.empty() && !peer_.over(); ++n) {
        T item = std::move(items_.back());
        items_.pop_back();
        do_item(std::move(item));
      }
    } catch (const passing&) { throw; } catch (...) {
      running_ = false;
      why.note();
      return announce();
    }
    running_ = false;
    done.items += n;
    peer_.ran_turn(n, now_ns() - start);
    serve();
    yield();
  }
  void await_items() {
    rank_t parent = 0;
    switch (peer_.leave(parent)) {
      case work_peer::step::announce: return announce();
      case work_peer::step::acknowledge: send<&work_part::acknowledge>(parent); break;
      case work_peer::step::none: break;
    }
    peer_.ask([this](rank_t member) { send<&work_part::ask>(member, members_.rank()); });
    peer_.wait([this] { return !items_.empty(); });
  }
  /// The oldest items go to members that wait for some. What is sent has been taken away before: a send may run bodies.
  void serve() {
    while (peer_.is_wanted()) {
      const std::size_t n = peer_.share_of(items_.size(), running_);
      if (n == 0) return;
      const auto end = items_.begin() + std::ptrdiff_t(n);
      std::vector<T> gift(std::make_move_iterator(items_.begin()), std::make_move_iterator(end));
      items_.erase(items_.begin(), end);
      peer_.gave();
      send<&work_part::take>(peer_.next_wanting(), members_.rank(), std::move(gift));
    }
  }

  team members_;
  std::vector<object_ref<work_part>> all_;  // by member
  work_peer peer_;
  std::vector<T> items_;  // the oldest first
  std::size_t steals_ = 0;
  bool running_ = false;
};

}  // namespace detail

}  // namespace armilla
