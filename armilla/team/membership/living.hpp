// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "armilla/base/core/context.hpp"
#include "armilla/base/values/types.hpp"

namespace armilla::detail {

struct team_record;
struct team_state;

/// The ranks that are left of a job that goes on without those it loses, as `armilla::fence` and `barrier` see them.
class living_ranks {
 public:
  explicit living_ranks(team_state& s) noexcept : s_(s) {}
  /// Once world is there. `goes_on`: ARMILLA_ON_LOSS=continue.
  void start(team_record* world, bool goes_on) noexcept { team_ = world, goes_on_ = goes_on; }
  void stop() noexcept;

  bool go_on() const noexcept { return goes_on_; }
  team_record* team() const noexcept { return team_; }
  /// Runs `meeting`, a fence or a barrier, on the ranks that are left. Behind a loss it is over among those, and throws rank_lost
  /// once, the same on all, or on none where one had passed it before it heard.
  void meet(void (*meeting)(team_record*), const char* what);

  /// The program has asked a team for its survivors: from then on such meetings throw behind a loss, as other collectives do.
  void give_up() noexcept;
  bool given_up() const noexcept;
  /// Listens to losses, and to `give_up` of others.
  void follow();
  /// Of the agreement that this rank was in last.
  std::uint64_t step() const noexcept { return step_; }

 private:
  bool attempt(void (*meeting)(team_record*), std::uint64_t number);
  void recover(void (*meeting)(team_record*), const char* what, std::uint64_t number);
  void pass(std::uint64_t number) noexcept;
  void tell_passed();
  bool passed_by_any(std::uint64_t number) const noexcept;
  void replace(team_record* made);
  void tell(const char* what);
  [[noreturn]] void raise(rank_t lost, const char* what) const;

  team_state& s_;
  team_record* team_ = nullptr;  // world, or those that are left
  bool goes_on_ = false;
  std::uint64_t told_passed_ = 0;  // to ranks of other hosts
  std::uint64_t passed_ = 0;       // number of the last meeting: how many there were, and the tries in it
  std::uint64_t step_ = 0;
  rank_t untold_ = no_rank;  // of which the program has to hear
};

}  // namespace armilla::detail
