// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "armilla/fabric/frame.hpp"
#include "armilla/fabric/network.hpp"

namespace armilla::detail {

/// A rank's traffic with the ranks that only a network reaches: frames that arrive once, in order and checked, and never more of
/// them under way to a rank than it said it would hold.
///
/// Credit is counted in lines, as in a ring: a rank sends at most `window` lines beyond what its peer has taken in. What was
/// taken in travels in the head of whatever goes back, or in a frame of its own once a quarter of the window.
///
/// What it keeps for a peer is made on first contact.
class far_side {
 public:
  far_side(network& carrier, rank_t me, rank_t ranks, std::uint64_t window_bytes);
  ~far_side();
  far_side(const far_side&) = delete;

  network& carrier() noexcept { return carrier_; }
  /// The longest frame of records.
  std::size_t most() const noexcept { return most_; }

  // ---- sending ----

  /// Room for a frame of `bytes` bytes of records; null without credit or buffer. Nothing else is called before `publish`, or
  /// the room is forgotten.
  std::byte* reserve(rank_t to, std::size_t bytes);
  /// The same for a frame that no credit limits.
  std::byte* reserve_aside(rank_t to, std::size_t bytes);
  enum class kind : std::uint16_t { counted, aside };
  void publish(std::byte* records, rank_t to, std::size_t bytes, kind how = kind::counted);
  /// Lines of the counted frames ever sent to `r`.
  std::uint64_t sent(rank_t r) const noexcept;

  // ---- receiving ----

  using frame = far_frame;
  /// The next frame, if one has come, of a source that is not held. Throws `decode_error` on one that cannot be right.
  bool next(frame& f);
  /// It has been taken in, or its bytes are not needed any more.
  void release(const frame& f);
  /// What comes from `source` waits here until `go_on`.
  void hold(rank_t source);
  void go_on(rank_t source);
  /// Lines of the counted frames from `r` that have been released.
  std::uint64_t taken(rank_t r) const noexcept;
  /// Counted frames that have been released.
  std::uint64_t frames_taken() const noexcept { return frames_taken_; }

  /// The next number for a bulk transfer to `to`.
  std::uint32_t next_bulk(rank_t to);

 private:
  struct peer;
  peer& peer_of(rank_t r);
  [[gnu::cold]] void meet(rank_t r);
  const char* damage(const network::arrival& a, std::uint64_t& value) const noexcept;
  const network_head& check(const network::arrival& a);
  bool take(const network::arrival& a, frame& f);
  [[gnu::cold]] void store(const network::arrival& a, const frame& f, std::uint64_t number);
  bool take_waiting(frame& f);
  [[gnu::cold]] frame copy_of(const frame& f);
  [[gnu::cold]] void tell(rank_t to);
  [[noreturn, gnu::cold]] void refuse_damage(const network::arrival& a, const char* what, std::uint64_t value);
  [[noreturn, gnu::cold]] void refuse(const network::arrival& a, rank_t source, const char* what, std::uint64_t value);
  [[noreturn, gnu::cold]] void throw_damaged(rank_t source, const char* what, std::uint64_t value) const;

  network& carrier_;
  std::unique_ptr<std::unique_ptr<peer>[]> peers_;
  rank_t me_, ranks_;
  std::size_t most_;
  std::uint64_t window_;  // lines
  std::uint64_t frames_taken_ = 0;
  std::deque<rank_t> waiting_;  // sources that go on and have frames here
  std::vector<rank_t> owing_;   // peers that could not be told what was taken
};

}  // namespace armilla::detail
