// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "armilla/base/values/types.hpp"
#include "armilla/team/core/aligned_bytes.hpp"

/// Messages of collectives between two ranks on different hosts: whole, in order, in each slot of teams apart.
///
/// A short message travels with its envelope, and waits at its receiver until a collective takes it. A long one is announced:
/// it moves without a copy when its receiver has said where it goes. These messages are no one-way calls, and a fence does not
/// count them.
namespace armilla::detail {

struct context;
struct team_record;
struct team_state;

/// What goes before a message, or in its place if it is long.
struct envelope {
  enum kind : std::uint32_t {
    whole,
    announced,
    revoked  ///< only at the receiver: announced by a member that has left the collective since
  };
  std::uint32_t slot;
  std::uint32_t sign;   ///< of the collective
  std::uint64_t bytes;  ///< of the message
  kind how;
  std::uint32_t team;  ///< the first step of it: of two that had the slot the later one has the higher
  /// Whole: the bytes behind the last full word. Announced: the sender's number of the transfer.
  std::byte tail[8];

  /// Whether it is from `t` or from a team that had the slot before.
  bool is_up_to(std::uint32_t t) const noexcept { return std::int32_t(team - t) <= 0; }
};

/// Memory for a message, which begins a line.
struct message_bytes {
  aligned_bytes at;
  std::size_t room = 0;
};

/// Messages that have come and are not taken, `most` at a time. Its memory is used again.
class unexpected_queue {
 public:
  static constexpr std::uint32_t most = 32;

  bool empty() const noexcept { return size_ == 0; }
  std::uint32_t size() const noexcept { return size_; }
  const envelope& front() const noexcept { return ring_[first_].head; }
  /// The message behind `i` others.
  envelope& at(std::uint32_t i) noexcept { return ring_[(first_ + i) % most].head; }
  /// `words`: the message but its tail.
  void push(const envelope& head, const std::byte* words, std::size_t bytes);
  void pop() noexcept;
  /// Takes the first message off the queue, into `to`, whose memory the queue uses from then on.
  void take(message_bytes& to) noexcept;

 private:
  struct message {
    envelope head;
    message_bytes bytes;
  };
  std::vector<message> ring_;  // none, or `most`
  std::uint32_t first_ = 0;
  std::uint32_t size_ = 0;
};

/// What a rank knows of the messages between it and one rank on another host.
struct remote_pair {
  static constexpr std::uint32_t window = unexpected_queue::most;  ///< messages that may be under way or wait at their receiver

  std::uint64_t sent = 0;
  std::uint64_t acknowledged = 0;  ///< of those sent the peer has taken these, as far as it has said
  std::uint64_t taken = 0;
  std::uint64_t told = 0;  ///< of those taken the peer knows of these
  unexpected_queue came;

  bool admits() const noexcept { return sent - acknowledged < window; }
};

/// All of one slot.
struct remote_pairs {
  std::unordered_map<rank_t, remote_pair> with;
  std::uint64_t events = 0;  ///< messages, acknowledgements and ends of transfers so far
  message_bytes taken;       ///< the message that the collective looks at
  /// The last transfer has ended by an error: what comes is dropped, so that its sender may go, if it is up to this team.
  bool abandoned = false;
  std::uint32_t abandoned_team = 0;
};

/// Rank `r` is another process now: all that is known of messages to and from the one before it is forgotten.
void forget_pairs(context& self, rank_t r);

/// Scratch for a message of another rank. limit_error if there is no memory for its length.
aligned_bytes make_aligned_bytes_for(rank_t from, std::uint64_t bytes);

/// Sends a message, which `admits` allows. Returns whether `data` must stay: until `moves_for(owner)` is false.
bool send_far(context& self, const team_record& t, remote_pair& p, rank_t to, std::uint32_t sign, const std::byte* data,
              std::uint64_t bytes, const void* owner);
/// Takes the first message, which is whole, off the queue. It lies there until the next one is taken: what is done with it may
/// wait, and meanwhile other messages come, or its sender is lost and followed by another process.
const std::byte* take_far(context& self, std::uint32_t slot, remote_pairs& pairs, remote_pair& p, rank_t from);
/// The first message, which is announced, begins to move to `place`.
void receive_far(context& self, std::uint32_t slot, remote_pair& p, rank_t from, std::byte* place, const void* owner);
/// Drops what waits of teams that had the slot before `t`: they ended by an error.
void drop_earlier(context& self, const team_record& t, remote_pair& p, rank_t from);
/// From now on what has come and what comes of this team is dropped.
void abandon(const team_record& t);
/// An error has taken this rank out of a collective of `t` before `to` has taken all of it: `to` lets what is announced go at
/// once, whatever it does, so that this rank's memory is left alone. A collective of `to` that comes to it finds it revoked.
void revoke_announced(const team_record& t, rank_t to);

}  // namespace armilla::detail
