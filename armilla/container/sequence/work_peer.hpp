// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>

#include "armilla/base/values/types.hpp"
#include "armilla/condition_variable.hpp"

namespace armilla::detail {

/// What a member of a work queue knows of the others: which of them wait for work, and whether any may still have some. It
/// knows nothing of items, and sends nothing itself.
///
/// The end is found as that of a diffusing computation. Member 0 is the root. A member that is given work while it is outside
/// joins below the giver; a gift to a member inside is acknowledged at once. A member without work whose gifts have all been
/// acknowledged leaves, which acknowledges the gift by which it joined. All begin inside, below the root. So whatever is given
/// away is inside or owed to a member that is inside, and when the root leaves there is nothing. Work that comes in another way
/// (a body that pushes) is not in this; the queue counts its items behind a fence, and goes on if there are any.
/// Paper: Dijkstra and Scholten, Termination detection for diffusing computations (1980). Which members are asked: Saraswat and
/// others, Lifeline-based global load balancing (2011).
class work_peer {
 public:
  static constexpr std::size_t most_given = 4096;

  void begin(rank_t me, rank_t members) noexcept;
  bool over() const noexcept { return over_; }
  void finish();
  /// Something has come: the member goes on if it waits.
  void wake() { changed_.notify_one(); }

  /// Items came from a member. True: it is to be acknowledged at once.
  bool took_from(rank_t giver);
  void gave() noexcept { ++owed_; }
  void acknowledged();

  /// The member has no work. What it has to do about that: nothing, acknowledge what `parent` gave, or tell all that it is over.
  enum class step { none, acknowledge, announce };
  step leave(rank_t& parent) noexcept;
  /// Calls f(member) for each that is to be asked now: 1, 2, 4, ... members away. There is a chain of them from every member to
  /// every other, and each that has been asked remembers it until it gives.
  template <class F>
  void ask(F f) {
    for (std::uint32_t k = 0; rank_t(1) << k < members_; ++k) {
      const std::uint64_t bit = std::uint64_t(1) << k;
      if ((asked_ & bit) != 0) continue;
      asked_ |= bit;
      f(rank_t((me_ + (rank_t(1) << k)) % members_));
    }
  }
  /// Until there are items, which only the caller sees, or something is to be done.
  template <class P>
  void wait(P has_items) {
    changed_.wait_unlocked([&] { return has_items() || over_ || may_leave(); });
  }

  void wants(rank_t member) { wanting_.push_back(member); }
  bool is_wanted() const noexcept { return !wanting_.empty(); }
  rank_t next_wanting() noexcept;

  /// How many items run before the member looks at what the others want: some microseconds' worth.
  std::uint32_t turn() const noexcept { return turn_; }
  bool has_long_items() const noexcept { return turn_ == 1; }
  void ran_turn(std::uint32_t items, std::uint64_t ns) noexcept;
  /// How many of `have` are given away, or 0. `running`: another item runs, and waits.
  std::size_t share_of(std::size_t have, bool running) const noexcept;

 private:
  bool may_leave() const noexcept { return inside_ && owed_ == 0; }

  rank_t me_ = 0, members_ = 1, parent_ = 0;
  bool inside_ = true, over_ = false;
  std::uint64_t owed_ = 0;   // gifts that have not been acknowledged
  std::uint64_t asked_ = 0;  // a bit a distance
  std::uint32_t turn_ = 1;
  std::deque<rank_t> wanting_;
  condition_variable changed_;
};

}  // namespace armilla::detail
