// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "armilla/base/values/zeroed_array.hpp"
#include "armilla/fabric/frame.hpp"
#include "armilla/fabric/network.hpp"

namespace armilla::detail {

/// A rank's traffic with the ranks that only a network reaches: frames that arrive once, in order and checked, and no more of
/// them under way to a rank than it has given credit for. Numbers put disorder right, and drop what comes twice. A frame that is
/// lost is not asked for again: a `network` promises that none is, and tells of a broken connection by `lost`.
///
/// It has *ends*: the ranks, by their numbers; for a rank whose peers have progress threads, behind them the progress thread of
/// each rank. A progress thread's ends are the ranks that ask it. Each end has an order and a credit of its own.
///
/// Credit is counted in lines, as in a ring: a rank sends at most `window` lines beyond what its peer has taken in. What was
/// taken in travels in the head of whatever goes back, or in a frame of its own once a quarter of the window.
///
/// What it keeps for a peer is made on first contact.
class remote_link {
 public:
  enum class role : std::uint8_t { rank, rank_with_thread, progress_thread };
  using end_t = std::uint32_t;  ///< a rank, or for the progress thread of rank r: r and the number of all ranks

  remote_link(network& net, rank_t me, rank_t ranks, std::uint64_t window_bytes, role who = role::rank);
  ~remote_link();
  remote_link(const remote_link&) = delete;

  network& net() noexcept { return net_; }
  /// The bytes of the longest frame, without its head.
  std::size_t most() const noexcept { return most_; }

  // ---- sending ----

  /// Room for a frame of `bytes` bytes of bundles; null without credit or buffer. Nothing else is called before `publish`, or
  /// the room is forgotten.
  std::byte* reserve(end_t to, std::size_t bytes);
  /// Whether the credit is there for such a frame.
  bool admits(end_t to, std::size_t bytes) const noexcept;
  /// The same for a frame that no credit limits.
  std::byte* reserve_control(end_t to, std::size_t bytes);
  enum class kind : std::uint8_t { counted, control, word, watch };
  void publish(std::byte* bundles, end_t to, std::size_t bytes, kind how = kind::counted);
  /// Lines of the counted frames ever sent to `to`.
  std::uint64_t sent(end_t to) const noexcept;
  /// The same to all ends, each weighed by `pair_weight`.
  std::uint64_t weighed_sent() const noexcept { return sent_; }

  // ---- receiving ----

  using frame = remote_frame;
  /// The next frame, if one has come, of a source that is not held. Throws `decode_error` on one that cannot be right.
  bool next(frame& f);
  /// It has been taken in, or its bytes are not needed any more.
  void release(const frame& f);
  /// It is taken in later, from `next` on: it stands in front of what comes from there, and until `take_up` only words pass it.
  /// Returns the place of `next` in the copy that is kept.
  std::byte* put_back(const frame& f, const std::byte* next);
  /// What was put back can be taken again.
  void take_up() {
    take_up([](end_t) { return true; });
  }
  /// Only what comes from the ends for which `may(end)` holds.
  template <class May>
  void take_up(May&& may);
  bool any_put_back() const noexcept { return !put_back_.empty(); }
  /// What comes from `source` waits here until `go_on`.
  void hold(end_t source);
  bool is_held(end_t source) const noexcept;
  void go_on(end_t source);
  /// The same while `shut`, for all but words: they come past what waits. Both may be so at a time.
  void shut_out(end_t source, bool shut);
  /// Lines of the counted frames from `source` that have been released.
  std::uint64_t taken(end_t source) const noexcept;
  /// The same from all ranks, each weighed by `pair_weight`; not from progress threads.
  std::uint64_t weighed_taken() const noexcept { return taken_; }
  /// Counted frames that have been released.
  std::uint64_t frames_taken() const noexcept { return frames_taken_; }

  /// Frames of all kinds with bundles that were ever sent, and that have been released: all but those that watch the job, and
  /// those to and from ranks that were forgotten.
  std::uint64_t events_sent() const noexcept { return events_sent_; }
  std::uint64_t events_taken() const noexcept { return events_taken_; }

  /// Rank `r` is lost: what was sent to it, and what has come from it, is no event any more.
  void forget(rank_t r) noexcept;

  /// Whether a peer is to be told what was taken in as soon as there is a buffer.
  bool owes() const noexcept { return !owing_.empty(); }

  /// The next number for a bulk transfer to `to`.
  std::uint32_t next_bulk(end_t to);

  // ---- ranks that come into the running job: boot/wire_up/new_rank.hpp ----

  /// Part of what a lost rank had sent is missing: what it sent behind that is not taken in either.
  void cut(end_t source);
  /// Whether all frames that have come from `source` in turn have been released, or are cut off.
  bool is_done_with(end_t source) const noexcept;
  /// A rank that was lost is followed by another one: orders and credit begin again, counts go on. What comes from it waits until
  /// `go_on`.
  void begin_again(end_t e);
  /// Of a new rank: what was counted between `e` and those that had its number before.
  void follow(end_t e, std::uint64_t sent, std::uint64_t taken);

 private:
  struct peer;
  static constexpr end_t no_end = ~end_t{0};

  peer& peer_of(end_t e);
  [[gnu::cold]] void meet(end_t e);
  bool is_progress_thread(end_t e) const noexcept { return e >= end_t(ranks_); }
  rank_t rank_of(end_t e) const noexcept { return rank_t(is_progress_thread(e) ? e - end_t(ranks_) : e); }
  frame_lane lane_to(end_t e) const noexcept { return is_progress_thread(e) ? frame_lane::progress_thread : lane_; }
  const char* damage(const network::arrival& a, std::uint64_t& value) const noexcept;
  const network_head& check(const network::arrival& a);
  bool take(const network::arrival& a, frame& f);
  [[gnu::cold]] void store(const network::arrival& a, const frame& f, std::uint64_t number);
  bool take_waiting(frame& f);
  void take_turn(end_t source);
  void take_up_from(end_t source);
  [[gnu::cold]] frame copy_of(const frame& f);
  [[gnu::cold]] void tell(end_t to);
  [[noreturn, gnu::cold]] void refuse_damage(const network::arrival& a, const char* what, std::uint64_t value);
  [[noreturn, gnu::cold]] void refuse(const network::arrival& a, rank_t source, const char* what, std::uint64_t value);
  [[noreturn, gnu::cold]] void throw_damaged(rank_t source, const char* what, std::uint64_t value) const;

  network& net_;
  zeroed_array<peer*> peers_;  // null: there was no contact
  std::vector<end_t> met_;     // those that there are
  rank_t me_, ranks_;
  end_t ends_;
  frame_lane lane_;                   // to ranks
  end_t first_of_lane_[frame_lanes];  // what comes on it is from this end, counted on by the rank; `no_end`
  std::uint32_t bulk_step_;           // numbers of transfers: a rank's and its progress thread's differ
  std::size_t most_;
  std::uint64_t window_;  // lines
  std::uint64_t frames_taken_ = 0;
  std::uint64_t events_sent_ = 0, events_taken_ = 0;
  std::uint64_t sent_ = 0;     // to all ends, weighed
  std::uint64_t taken_ = 0;    // from ranks, weighed
  std::deque<end_t> waiting_;  // sources that go on and have frames here
  std::vector<end_t> owing_;   // peers that could not be told what was taken
  std::vector<end_t> put_back_;
};

template <class May>
void remote_link::take_up(May&& may) {
  std::erase_if(put_back_, [&](end_t e) {
    if (!may(e)) return false;
    take_up_from(e);
    return true;
  });
}

}  // namespace armilla::detail
