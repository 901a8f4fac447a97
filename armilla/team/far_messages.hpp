// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "armilla/base/types.hpp"

/// Messages of collectives between two ranks on different hosts: whole, in order, in each slot of teams apart.
///
/// A short message travels with its envelope, and waits at its receiver until a collective takes it. A long one is announced:
/// it moves without a copy when its receiver has said where it goes. These messages are no statements, and a fence does not count
/// them.
namespace armilla::detail {

struct context;
struct team_area;

/// What goes before a message, or in its place if it is long.
struct envelope {
  enum kind : std::uint32_t { whole, announced };
  std::uint32_t slot;
  std::uint32_t sign;   ///< of the collective
  std::uint64_t bytes;  ///< of the message
  kind how;
  std::uint32_t transfer;  ///< announced: the sender's number of it
  std::byte tail[8];       ///< whole: the bytes behind the last full word
};

/// Messages that have come and are not taken. Its memory is used again.
class unexpected_queue {
 public:
  bool empty() const noexcept { return first_ == bytes_.size(); }
  std::uint32_t size() const noexcept { return size_; }
  envelope front() const noexcept;
  /// Of the first message, if it is whole. Good until a message is pushed or popped.
  const std::byte* data() const noexcept { return bytes_.data() + first_ + sizeof(envelope); }
  /// `words`: the message but its tail.
  void push(const envelope& head, const std::byte* words, std::size_t bytes);
  void pop() noexcept;

 private:
  static std::size_t stored(const envelope& e) noexcept;
  std::vector<std::byte> bytes_;
  std::size_t first_ = 0;
  std::uint32_t size_ = 0;
};

/// What a rank knows of the messages between it and one rank on another host.
struct far_pair {
  static constexpr std::uint32_t window = 32;  ///< messages that may be under way or wait at their receiver

  std::uint64_t sent = 0;
  std::uint64_t acknowledged = 0;  ///< of those sent the peer has taken these, as far as it has said
  std::uint64_t taken = 0;
  std::uint64_t told = 0;  ///< of those taken the peer knows of these
  unexpected_queue came;

  bool admits() const noexcept { return sent - acknowledged < window; }
};

/// All of one slot.
struct far_pairs {
  std::unordered_map<rank_t, far_pair> with;
  std::uint64_t events = 0;  ///< messages, acknowledgements and ends of transfers so far
  bool abandoned = false;    ///< the last transfer has ended by an error: what comes is dropped, so that its sender may go
};

/// Sends a message, which `admits` allows. Returns whether `data` must stay: until `moves_for(owner)` is false.
bool send_far(context& self, std::uint32_t slot, far_pair& p, rank_t to, std::uint32_t sign, const std::byte* data,
              std::uint64_t bytes, const void* owner);
/// Takes the first message, which is whole, off the queue.
void pop_far(context& self, std::uint32_t slot, far_pair& p, rank_t from);
/// The first message, which is announced, begins to move to `place`.
void receive_far(context& self, std::uint32_t slot, far_pair& p, rank_t from, std::byte* place, const void* owner);
/// From now on what has come and what comes is dropped.
void abandon(context& self, std::uint32_t slot, far_pairs& pairs);

}  // namespace armilla::detail
