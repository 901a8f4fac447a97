// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <exception>
#include <vector>

#include "armilla/am/endpoint/outbox.hpp"
#include "armilla/fabric/event_count.hpp"

namespace armilla::detail {

/// Which ranks of the job are lost, and which layers are told. See docs/guide/death.md.
class losses {
 public:
  losses(outbox& out, event_count& sleeper) noexcept;

  /// Layers that wait for other ranks ask to be told. Called where messages are taken in.
  using listener = void (*)(context& self, rank_t lost);
  void tell(listener who) { listeners_.push_back(who); }
  /// The same, once behind all that is new, also where only `again` was called.
  using follower = void (*)(context& self);
  void tell_at_the_end(follower who) { followers_.push_back(who); }
  /// Those that know something of a rank that its successor does not: called when that is there.
  void tell_of_return(listener known) { of_return_.push_back(known); }
  /// Those that keep failures of lost ranks for a later wait: called when the ranks that are left have agreed.
  void tell_when_accepted(follower keeps) { when_accepted_.push_back(keeps); }
  /// Lets all ranks of this host hear once more: one of them gives up what it had begun with others because of a loss.
  [[gnu::cold]] void again();
  /// Lets this rank hear once more, soon.
  void hear_again() noexcept { sleeper_.hear_losses_again(); }
  /// This rank is about to pass the first of the last fences: no other comes into the job from here on. Waits for the one that
  /// may.
  [[gnu::cold]] void let_no_more_come();
  /// The first that was lost since the ranks that were left agreed last, or `no_rank`.
  rank_t first() const noexcept { return news_.empty() ? no_rank : news_.front(); }
  /// The ranks that are left have agreed: only `left`, if it is one, is lost from here on to waits that any rank may end.
  void accept(rank_t left);
  /// The rank_lost of a rank that is, as told by the component that saw it.
  std::exception_ptr error(rank_t lost, const char* operation) const;
  [[noreturn, gnu::cold]] void raise(rank_t lost, const char* operation) const;

  /// Tells of what has been lost since the last time. A rank asks in `progress::with_rare_work` whether there is something, its
  /// progress thread behind a look that found nothing.
  [[gnu::cold]] bool hear();

 private:
  void lose(rank_t r);
  void look_for_successors();
  void hand_over_places();
  void hand_over(peer_channel& c, std::uint32_t to);
  void take_back(peer_channel& c, std::uint32_t life);

  outbox& out_;
  event_count& sleeper_;
  std::vector<listener> listeners_;
  std::vector<listener> of_return_;
  std::vector<follower> followers_;
  std::vector<follower> when_accepted_;
  std::vector<rank_t> news_;  // those that have been lost since the ranks that were left agreed last, and are not there again
  bool ends_ = false;         // no new rank is let in any more
  bool hearing_ = false;      // what a listener does may send
};

/// Whether memory of this host belongs to a rank that is lost.
bool is_of_lost(const context& self, const void* place);

}  // namespace armilla::detail
