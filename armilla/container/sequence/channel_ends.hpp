// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "armilla/container/place/failure_agreement.hpp"
#include "armilla/rpc/loss_watch.hpp"
#include "armilla/team.hpp"

namespace armilla::detail {

/// How a remote channel is made: the same on all members.
struct channel_plan {
  rank_t receiver;  ///< a number in the team, as are the senders
  std::size_t capacity;
  std::vector<rank_t> senders;  ///< in their order, each once
};
/// A plan, and what is wrong with it: all members agree on that once they have made their parts.
struct planned_channel {
  channel_plan plan;
  failure why;
  std::exception_ptr wrong;  ///< the same for this rank
};
/// With `senders`, or if there are none, all members but the receiver.
planned_channel plan_channel(const team& members, rank_t receiver, std::size_t capacity, std::vector<rank_t> senders,
                             std::size_t element_bytes);
/// All members have the same plan and it is right, or all throw.
void agree_on_channel(const team& members, planned_channel& mine);

/// What one rank knows of a remote channel, apart from its values: as a sender its credits, as the receiver those of the others.
///
/// A sender begins with `capacity` credits. A value takes one, and the receiver returns it after the value has been popped:
/// several at once when half of the capacity is owed, or at the next pop if the sender asks, which it does when it has none.
/// Thus a sender that waits always has values that are not popped, or credits on their way.
class channel_ends : public loss_watch {
 public:
  channel_ends(const team& members, const channel_plan& plan);
  rank_t receiver() const noexcept { return receiver_; }  // of the job
  std::size_t capacity() const noexcept { return capacity_; }

 protected:
  enum class sends : std::uint8_t { never, on, closed, refused, lost };  // refused: the receiver takes nothing more
  enum class step : std::uint8_t { nothing, now, together };

  ~channel_ends() = default;
  // ---- A sender ----
  /// Takes a credit if there is one. There are none where nothing can be sent, so that a push that succeeds tests this alone.
  bool take_credit() noexcept {
    if (credits_ == 0) return false;
    --credits_;
    return true;
  }
  /// Throws where a push is a mistake, or the receiver is lost. False: it has closed the channel.
  bool may_push(const char* operation) const;
  /// Whether the receiver is to be asked for credits: once until some come.
  bool must_ask() noexcept { return !std::exchange(asked_, true); }
  std::uint32_t me() const noexcept { return me_; }
  /// `operation` of this channel, as reports of waits show it. It lives as long as the channel, which ends all waits.
  const char* name_of_wait(const char* operation);
  /// The same of a pop, with the senders that have not closed: a report of a pop that waits forever shows who forgot to.
  const char* name_of_pop(const char* operation);

  // ---- The receiver ----
  void require_receiver(const char* operation) const;
  /// A value of that sender has been popped. What is to be done about its credits.
  step popped(std::uint32_t from) noexcept {
    sender& s = senders_[from];
    const std::size_t owed = ++s.owed;
    if (owed >= threshold_) return s.open ? step::now : step::nothing;
    return s.asks && s.open ? step::together : step::nothing;
  }
  std::size_t settle(std::uint32_t from) noexcept {
    senders_[from].asks = false;
    return std::exchange(senders_[from].owed, 0);
  }
  /// The sender asks. Whether it is owed some.
  bool asks(std::uint32_t from) noexcept {
    senders_[from].asks = senders_[from].owed == 0;
    return senders_[from].owed != 0;
  }
  /// It sends nothing more.
  void end_sender(std::uint32_t from) noexcept {
    open_ -= std::exchange(senders_[from].open, false);
    for (wait_name& each : names_)
      if (each.of_pop) list_open(each);
  }
  /// No value can come any more, and no loss is to be told.
  bool ended() const noexcept { return open_ == 0 && lost_.empty(); }
  std::exception_ptr error_of(rank_t lost, const char* operation) const;
  /// The rank_lost of the sender that was lost first and of which no pop has told.
  std::exception_ptr next_loss(const char* operation);

  team members_;
  rank_t receiver_, receiving_member_;
  std::size_t capacity_, threshold_;
  std::uint32_t me_;  // in the team
  bool asked_ = false;
  sends sends_ = sends::never;
  std::size_t credits_ = 0;

  struct sender {
    std::uint32_t owed = 0;
    bool asks = false, open = false;
  };
  std::vector<sender> senders_;  // on the receiver, by member
  std::size_t open_ = 0;
  std::vector<rank_t> lost_;

 private:
  /// Of an operation that has waited. What a pop shows changes while it waits, and stays where it is: `text` has room for all.
  struct wait_name {
    const char* operation;
    std::string text;
    std::size_t fixed;  // so much of it does not change
    bool of_pop;
  };
  void list_open(wait_name& name) const noexcept;
  std::deque<wait_name> names_;
};

}  // namespace armilla::detail
