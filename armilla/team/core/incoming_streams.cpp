// SPDX-License-Identifier: Apache-2.0
// What a transfer takes from members on this host.
#include <sys/uio.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/team/core/member_transfer.hpp"
#include "armilla/team/core/transfer_streams.hpp"

namespace armilla::detail {
namespace {

constexpr std::uint64_t until_heard_ns = 1'000'000'000;

// Copies from another process. False: the system refuses.
bool copy_across(context& c, rank_t from, std::byte* to, std::uint64_t address, std::uint64_t bytes) {
  while (bytes != 0) {
    const iovec mine{to, bytes};
    const iovec theirs{reinterpret_cast<void*>(address), bytes};
    const ssize_t n = process_vm_readv(c.host->pid[std::size_t(from)], &mine, 1, &theirs, 1, 0);
    if (n <= 0) return false;
    ++c.count->cross_copies;
    to += n, address += std::uint64_t(n), bytes -= std::uint64_t(n);
  }
  return true;
}

// The first long message from a peer: may the next ones be read from its process?
void try_access(context& c, rank_t from, pair_state& p) {
  std::uint64_t word;
  const bool works =
      c.settings->cross_copy && copy_across(c, from, reinterpret_cast<std::byte*>(&word), p.theirs[0].home, sizeof word);
  p.mine[0].reads_peer.store(works ? pair_line::allowed : pair_line::refused, std::memory_order_relaxed);
}

}  // namespace

// Whether the next piece's turn has come, where pieces of one place have an order.
bool member_transfer::in_turn(const in_stream& in) const {
  if (in.behind < 0 || in.count == 0) return true;
  const in_stream& first = area_.incoming[std::size_t(in.behind)];
  return first.count != 0 && (first.next == first.count || first.done() >= in.next_end());
}

bool member_transfer::pull(in_stream& in) {
  if (in.far != nullptr) return pull_far(in);
  pair_state& p = *in.pair;
  if (in.count != 0 && in.next == in.count) return false;
  const std::uint64_t sent = in.line->sent.load(std::memory_order_acquire);
  if (sent <= p.taken) return false;
  if (in.count == 0) open(in);
  if (!in_turn(in)) return false;
  for (; p.taken < sent && in.next < in.count && in_turn(in); ++in.next, ++p.taken) {
    const std::uint64_t at = in.next * in.chunk;
    const std::uint64_t bytes = std::min(in.chunk, in.total - at);
    copy_out(in, at, bytes);
  }
  if (in.next == in.count) ++p.messages_taken;
  // In the line of my next message to this peer: it reads that one anyway.
  pair_line& line = p.mine[p.messages_sent % 2];
  line.taken.store(p.taken, std::memory_order_release);
  state_.self.out->notify(in.from);
  return true;
}

// The first chunk is here: how the message lies. The numbers come from another rank.
void member_transfer::open(in_stream& in) {
  const pair_line& line = *in.line;
  context& c = state_.self;
  in.total = line.total, in.chunk = line.chunk, in.chunks = line.chunks, in.where = line.where;
  const bool staged = line.where == pair_line::staged;
  const std::uint64_t limit = line.where == pair_line::staged ? state_.layout.staging_bytes() : c.host->layout.segment_bytes;
  const bool wraps = staged && in.chunks != 0 && in.chunk > limit / in.chunks;
  const std::uint64_t length = staged ? in.chunk * in.chunks : in.total;
  const bool inside = !wraps && (line.where >= pair_line::address || (line.place <= limit && length <= limit - line.place));
  if (in.chunk == 0 || in.chunks == 0 || !inside || (line.where == pair_line::address && !c.host->threads))
    throw_decode(in.from, what_,
                 fmt::format("a message of {} bytes in chunks of {} cannot lie at {}", in.total, in.chunk, line.place));
  in.count = chunks_of(in.total, in.chunk);
  if (line.where == pair_line::staged)
    in.source = c.host->staging(in.from) + area_.staging + line.place;
  else if (line.where == pair_line::segment)
    in.source = c.host->segment_start(in.from) + line.place;
  else
    in.source = reinterpret_cast<const std::byte*>(line.place);
  if (in.total >= cross_from && !c.host->threads &&
      in.pair->mine[0].reads_peer.load(std::memory_order_relaxed) == pair_line::untried)
    try_access(c, in.from, *in.pair);
  accept(in, line.sign.load(std::memory_order_relaxed));
}

// A message begins whose length and sign are known: where it goes. If it belongs to another collective it goes nowhere, and the
// transfer ends.
void member_transfer::accept(in_stream& in, std::uint32_t theirs) {
  if (theirs != sign()) [[unlikely]] {
    if (theirs == pair_line::revoked) throw_sender_left(in.from);
    otherwise_ = in.from;
    sign_of_other_ = std::uint64_t(theirs) << sign_shift;
  } else if (in.take == nullptr) {
    in.to = in.place(in.self, in.member, in.total);
  } else if (in.total != in.expected) [[unlikely]] {
    otherwise_ = in.from;
    sign_of_other_ = t_.sign;
  }
}

// A pair of ranks may share several teams.
std::uint32_t member_transfer::sign() const { return std::uint32_t(t_.sign >> sign_shift) | t_.slot << 16; }

namespace {

/// While this rank reads the memory of another thread: if an exception takes that out of the collective, it waits for the end.
class reading_peer {
 public:
  explicit reading_peer(pair_line& mine) noexcept : state_(mine.reads_peer) {
    state_.store(pair_line::reading, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with that in leave_near: one sees what the other has done
  }
  ~reading_peer() { state_.store(pair_line::untried, std::memory_order_release); }
  reading_peer(const reading_peer&) = delete;

 private:
  std::atomic<pair_line::access>& state_;
};

}  // namespace

// The next chunk, `bytes` bytes, which belong at `at`.
void member_transfer::copy_out(const in_stream& in, std::uint64_t at, std::uint64_t bytes) {
  if (bytes == 0 || otherwise_ != no_rank || (in.take == nullptr && in.to == nullptr)) return;
  const std::byte* source = in.source + in.next % in.chunks * in.chunk;
  if (in.where == pair_line::staged) return copy_from(in, source, at, bytes);
  if (in.where == pair_line::address) {
    const reading_peer now(in.pair->mine[0]);
    require_its_stay(in);
    return copy_from(in, source, at, bytes);
  }
  copy_from(in, source, at, bytes);
  std::atomic_thread_fence(std::memory_order_acquire);  // the copy comes before the look
  require_its_stay(in);
}

void member_transfer::copy_from(const in_stream& in, const std::byte* source, std::uint64_t at, std::uint64_t bytes) {
  if (in.take != nullptr)
    in.take(in.self, in.member, at, source, bytes);
  else if (in.where != pair_line::process) [[likely]]
    std::memcpy(in.to + at, source, bytes);
  else if (!copy_across(state_.self, in.from, in.to + at, reinterpret_cast<std::uint64_t>(source), bytes))
    throw_unreadable(in, errno);
}

// Where the sender's own memory is read: it has left, and its memory may be something else by now, if an exception took it out of
// the collective or if it has heard of a loss. What it has heard can be heard here.
void member_transfer::require_its_stay(const in_stream& in) {
  endpoint& messages = *state_.self.messages;
  if (in.line->sign.load(std::memory_order_relaxed) == pair_line::revoked) [[unlikely]]
    throw_sender_left(in.from);
  if (!messages.sleeper.losses_to_hear()) [[likely]]
    return;
  messages.lost.hear();
  if (t_.lost != no_rank) messages.lost.raise(t_.lost, what_);
}

// Its own exception has taken it out, which it shows; or it has heard of a loss, which is heard of here in a moment.
void member_transfer::throw_sender_left(rank_t from) {
  endpoint& messages = *state_.self.messages;
  messages.waits.wait_until_deadline([&] { return t_.lost != no_rank || has_left(t_, from); }, now_ns() + until_heard_ns, what_);
  if (t_.lost != no_rank) messages.lost.raise(t_.lost, what_);
  throw_does_otherwise(t_, from, 0);
}

// The sender may have left, or have died, which is heard of in a moment.
void member_transfer::throw_unreadable(const in_stream& in, int error) {
  endpoint& messages = *state_.self.messages;
  const auto heard = [&] { return t_.lost != no_rank || in.line->sign.load(std::memory_order_acquire) == pair_line::revoked; };
  messages.waits.wait_until_deadline(heard, now_ns() + until_heard_ns, what_);
  if (t_.lost != no_rank) messages.lost.raise(t_.lost, what_);
  if (in.line->sign.load(std::memory_order_acquire) == pair_line::revoked) throw_sender_left(in.from);
  throw_usage(what_,
              fmt::format("the memory of rank {} cannot be read: {}; set ARMILLA_CROSS_COPY=0", in.from, std::strerror(error)));
}

}  // namespace armilla::detail
