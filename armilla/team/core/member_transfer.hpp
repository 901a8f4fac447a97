// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "armilla/team/core/record.hpp"

namespace armilla::detail {

struct in_stream;
struct out_stream;
struct team_area;

/// Where the `bytes` bytes that `member` sends go; null: nowhere, they are read and dropped.
using place_function = std::byte* (*)(void* self, std::uint32_t member, std::uint64_t bytes);

/// Where a message of known length goes: a place_function and what it is called with.
struct known_place {
  std::byte* to;
  std::uint64_t bytes;

  static std::byte* find(void* self, std::uint32_t, std::uint64_t bytes) {
    const auto& p = *static_cast<known_place*>(self);
    return bytes == p.bytes ? p.to : nullptr;
  }
};

inline void move_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes != 0 && to != from) std::memmove(to, from, bytes);
}

/// Takes the `bytes` bytes at `from`, which belong at `at` of what `member` sends. They are gone afterwards.
using take_function = void (*)(void* self, std::uint32_t member, std::uint64_t at, const std::byte* from, std::uint64_t bytes);

/// One exchange of bytes of any length between members of a team: say what goes out and from which members something comes, then
/// run. Each side knows the members that take part; only the length is announced.
///
/// The sender copies chunks into its staging and counts them in its line for the peer; the receiver copies them out and
/// counts them in its own line for the sender, which then uses their place again. All streams of a rank advance together,
/// so no order among the members can lock up. A long message that its receiver can reach where it lies is not staged: it
/// is copied once, from there, and the sender stays until that is done. Reached are segments, all memory if ranks are
/// threads, and by a system call that of other processes, if the option cross_copy and the system allow it: a receiver of
/// the first long message from a peer tries.
///
/// To and from members on other hosts messages go whole: remote_messages.hpp.
///
/// The staging has two halves, used in turn, so that a sender may leave while its peers still read and even begin the
/// next transfer.
class member_transfer {
 public:
  member_transfer(team_record& t, collective what);

  /// `data` stays where it is until `run` returns. Not to myself.
  void send(std::uint32_t member, const std::byte* data, std::uint64_t bytes);
  /// The same bytes to several members: they are staged once. Not mixed with `send`.
  void send_shared(std::uint32_t member, const std::byte* data, std::uint64_t bytes);
  void send_to_others(const std::byte* data, std::uint64_t bytes);
  void receive(std::uint32_t member, place_function place, void* self);
  /// In place of a copy: `take` is given each piece of the `bytes` bytes where it lies. Of one place of several messages it gets
  /// the piece of the one named first, then of the next. Sender and receiver say `in_pieces_of` before.
  void fold(std::uint32_t member, take_function take, void* self, std::uint64_t bytes);
  /// Messages come apart between elements of so many bytes only: at most `most_element`.
  void in_pieces_of(std::uint64_t element) noexcept;
  static constexpr std::uint64_t most_element = cache_line;  ///< as a multiple of 8

  /// Moves everything; answers other ranks meanwhile.
  void run();

 private:
  void add(std::uint32_t member, const std::byte* data, std::uint64_t bytes);
  void move_all();
  bool is_followed(rank_t member) const;
  bool push_far();
  bool pull_far(in_stream& in);
  void open_far(in_stream& in);
  bool remote_finished() const;
  [[gnu::cold]] void leave() noexcept;
  [[gnu::cold]] void leave_near() noexcept;
  [[gnu::cold]] void leave_far() noexcept;
  void accept(in_stream& in, std::uint32_t sign);
  void settle();
  void choose_ways();
  void lay_out();
  void announce(out_stream& o);
  bool push();
  bool push_shared();
  void post_chunk(const out_stream& o);
  bool pull(in_stream& in);
  void open(in_stream& in);
  std::uint64_t chunk_for(std::uint64_t part) const;
  bool in_turn(const in_stream& in) const;
  void copy_out(const in_stream& in, std::uint64_t at, std::uint64_t bytes);
  void copy_from(const in_stream& in, const std::byte* source, std::uint64_t at, std::uint64_t bytes);
  bool can_move() const;
  void note_taken();
  void wait_for_peers();
  std::uint32_t sign() const;
  void require_its_stay(const in_stream& in);
  [[noreturn, gnu::cold]] void throw_sender_left(rank_t from);
  [[noreturn, gnu::cold]] void throw_unreadable(const in_stream& in, int error);
  bool finished() const;

  team_record& t_;
  collective_part part_;  ///< until `run` has returned
  team_state& state_;
  team_area& area_;
  const char* what_;
  bool shared_ = false;
  rank_t otherwise_ = no_rank;  ///< whose message belongs to another collective
  std::uint64_t sign_of_other_ = 0;
  std::uint64_t seen_events_ = 0;  ///< of what comes from other hosts
  std::uint64_t half_ = 0;         ///< of the staging: 0 or 1
  std::uint64_t element_ = 0;      ///< 0: pieces of any length
};

}  // namespace armilla::detail
