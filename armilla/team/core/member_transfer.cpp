// SPDX-License-Identifier: Apache-2.0
#include "armilla/team/core/member_transfer.hpp"

#include <algorithm>
#include <numeric>
#include <thread>

#include "armilla/fabric/host_map.hpp"
#include "armilla/team/core/collective_wait.hpp"
#include "armilla/team/core/replicate.hpp"
#include "armilla/team/core/transfer_streams.hpp"

namespace armilla::detail {
namespace {

constexpr std::uint64_t direct_from = 2048;        // bytes: shorter ones are staged, so that their sender need not stay
constexpr std::uint64_t longest_chunk = 8 * 1024;  // so that the receiver copies one while the sender fills the next

// Chunks that go into the staging in a row: then what has come is taken, while both are in the cache.
constexpr std::uint64_t burst = 4;

// How the receiver reaches the bytes of `o` where they lie.
pair_line::kind reach(const context& c, const out_stream& o) {
  if (o.bytes < direct_from) return pair_line::staged;
  if (c.host->threads) return pair_line::address;
  const std::byte* segment = c.host->segment_start(c.rank);
  if (o.data >= segment && o.data + o.bytes <= segment + c.host->layout.segment_bytes) return pair_line::segment;
  const bool cross = o.bytes >= cross_from && o.pair->theirs[0].reads_peer.load(std::memory_order_relaxed) == pair_line::allowed;
  return cross ? pair_line::process : pair_line::staged;
}

}  // namespace

std::uint64_t out_stream::taken() const {
  return std::max(acks[0].taken.load(std::memory_order_acquire), acks[1].taken.load(std::memory_order_acquire));
}

member_transfer::member_transfer(team_record& t, collective what)
    : t_(t), part_(t), state_(*t.owner), area_(state_.area(t.slot)), what_(name_of(what)) {
  area_.outgoing.clear();
  area_.remote_outgoing.clear();
  area_.incoming.clear();
}

void member_transfer::add(std::uint32_t member, const std::byte* data, std::uint64_t bytes) {
  const rank_t to = t_.members[member];
  if (state_.self.host->far[std::size_t(to)]) {
    area_.remote_outgoing.push_back({&area_.far.with[to], to, data, bytes});
    return;
  }
  pair_state& p = area_.with(to);
  area_.outgoing.push_back({&p, &p.mine[p.messages_sent % 2], p.theirs, to, data, bytes});
}

void member_transfer::in_pieces_of(std::uint64_t element) noexcept { element_ = std::lcm(element, std::uint64_t(8)); }

void member_transfer::send(std::uint32_t member, const std::byte* data, std::uint64_t bytes) { add(member, data, bytes); }

void member_transfer::send_shared(std::uint32_t member, const std::byte* data, std::uint64_t bytes) {
  shared_ = true;
  add(member, data, bytes);
}

// Each rank begins with its successor, so that not all press upon the same one.
void member_transfer::send_to_others(const std::byte* data, std::uint64_t bytes) {
  for (std::uint32_t i = 1; i < t_.size; ++i) send_shared((t_.rank + i) % t_.size, data, bytes);
}

void member_transfer::receive(std::uint32_t member, place_function place, void* self) {
  const rank_t from = t_.members[member];
  if (state_.self.host->far[std::size_t(from)]) {
    area_.incoming.push_back({nullptr, nullptr, from, member, place, self});
    area_.incoming.back().far = &area_.far.with[from];
    return;
  }
  pair_state& p = area_.with(from);
  area_.incoming.push_back({&p, &p.theirs[p.messages_taken % 2], from, member, place, self});
}

void member_transfer::fold(std::uint32_t member, take_function take, void* self, std::uint64_t bytes) {
  receive(member, nullptr, self);
  in_stream& in = area_.incoming.back();
  in.take = take;
  in.expected = bytes;
  in.behind = std::int32_t(area_.incoming.size()) - 2;
}

// The half of the staging and the lines that come next were last used two transfers ago: waits until all have read them.
void member_transfer::settle() {
  endpoint& messages = *state_.self.messages;
  for (const rank_t r : area_.used_by[half_]) {
    pair_state& p = area_.with(r);
    if (p.acknowledged >= p.used[half_]) [[likely]]
      continue;
    const auto read = [&p, this] {
      p.acknowledged =
          std::max(p.theirs[0].taken.load(std::memory_order_acquire), p.theirs[1].taken.load(std::memory_order_acquire));
      return p.acknowledged >= p.used[half_];
    };
    if (read()) continue;
    const bool asks = std::ranges::find(t_.members, r) != t_.members.end();  // else an earlier team's of this slot
    wait_in_collective(t_, [&] { return read() || messages.out.is_lost(r); }, [&](auto&& ask) { asks ? ask(r) : void(); }, what_);
    if (messages.out.is_lost(r)) p.acknowledged = p.used[half_];  // it reads no more
  }
  area_.used_by[half_].clear();
}

// What is sent to all must go one way.
void member_transfer::choose_ways() {
  bool same = true;
  for (out_stream& o : area_.outgoing) {
    o.line->where = reach(state_.self, o);
    if (element_ != 0 && o.line->where == pair_line::process) o.line->where = pair_line::staged;  // to be taken where it lies
    same &= o.line->where == area_.outgoing[0].line->where;
  }
  if (shared_ && !same)
    for (out_stream& o : area_.outgoing) o.line->where = pair_line::staged;
}

std::uint64_t member_transfer::chunk_for(std::uint64_t part) const {
  const std::uint64_t chunk = std::min(longest_chunk, std::max<std::uint64_t>((part / 4) & ~(cache_line - 1), cache_line));
  return element_ == 0 ? chunk : chunk / element_ * element_;
}

// Splits my half of the staging among what is sent from it.
void member_transfer::lay_out() {
  choose_ways();
  std::uint64_t staged = 0;
  for (const out_stream& o : area_.outgoing) staged += o.line->where == pair_line::staged;
  const std::uint64_t part = state_.layout.staging_part(shared_ || staged == 0 ? 1 : staged);
  std::uint64_t at = half_ * state_.layout.staging_half();
  for (out_stream& o : area_.outgoing) {
    if (o.line->where != pair_line::staged) {
      o.chunk = o.bytes, o.chunks = 1, o.count = 1;
      const std::byte* origin = o.line->where == pair_line::segment ? state_.self.host->segment_start(state_.self.rank) : nullptr;
      o.line->place = std::uint64_t(reinterpret_cast<std::uintptr_t>(o.data) - reinterpret_cast<std::uintptr_t>(origin));
    } else {
      o.chunk = chunk_for(part);
      o.chunks = std::uint32_t(part / o.chunk);
      o.count = chunks_of(o.bytes, o.chunk);
      o.place = state_.self.host->staging(state_.self.rank) + area_.staging + at;
      o.line->place = at;
      if (!shared_) at += part;
    }
    announce(o);
  }
}

void member_transfer::announce(out_stream& o) {
  o.line->total = o.bytes;
  o.line->chunk = o.chunk;
  o.line->chunks = o.chunks;
  o.line->sign.store(sign(), std::memory_order_relaxed);  // `sent` follows
  ++o.pair->messages_sent;
  o.pair->acknowledged = std::max(o.pair->acknowledged, o.taken());
}

bool member_transfer::push() {
  bool any = false;
  for (out_stream& o : area_.outgoing) {
    pair_state& p = *o.pair;
    const std::uint64_t first = p.sent - o.next;  // number of this message's chunk 0 among all ever sent
    if (o.next < o.count && o.next + first - p.acknowledged >= o.chunks) p.acknowledged = std::max(p.acknowledged, o.taken());
    const std::uint64_t room = o.chunks + std::max(p.acknowledged, first) - first;
    for (const std::uint64_t end = std::min({o.count, room, o.next + burst}); o.next < end;) {
      if (o.place != nullptr && o.bytes != 0)
        std::memcpy(o.place + o.next % o.chunks * o.chunk, o.data + o.next * o.chunk, o.bytes_of(o.next));
      ++o.next;
      post_chunk(o);
      any = true;
    }
  }
  return any;
}

// The next chunk is in its place.
void member_transfer::post_chunk(const out_stream& o) {
  o.line->sent.store(++o.pair->sent, std::memory_order_release);  // pairs with the acquire in pull
  state_.self.out->notify(o.to);
}

// A chunk is copied once, when the slowest has made room.
bool member_transfer::push_shared() {
  auto& out = area_.outgoing;
  bool any = false;
  while (!out.empty() && out[0].next < out[0].count) {
    for (out_stream& o : out) {
      const std::uint64_t first = o.pair->sent - o.next;
      if (o.next < o.chunks) continue;
      if (o.pair->acknowledged < first + o.next - o.chunks + 1) o.pair->acknowledged = std::max(o.pair->acknowledged, o.taken());
      if (o.pair->acknowledged < first + o.next - o.chunks + 1) return any;
    }
    const out_stream& f = out[0];
    if (f.place != nullptr && f.bytes != 0)
      std::memcpy(f.place + f.next % f.chunks * f.chunk, f.data + f.next * f.chunk, f.bytes_of(f.next));
    for (out_stream& o : out) {
      ++o.next;
      post_chunk(o);
    }
    any = true;
  }
  return any;
}

bool member_transfer::finished() const {
  for (const out_stream& o : area_.outgoing)
    if (o.next < o.count || (o.place == nullptr && o.taken() < o.pair->sent)) return false;
  for (const in_stream& in : area_.incoming)
    if (in.count == 0 || in.next < in.count) return false;
  return remote_finished();
}

// Whether a peer has acknowledged or sent anything since the last look.
bool member_transfer::can_move() const {
  if (area_.far.events != seen_events_) return true;
  for (const out_stream& o : area_.outgoing)
    if (!o.left_alone() && o.taken() > o.pair->acknowledged) return true;
  for (const in_stream& in : area_.incoming)
    if (in.far == nullptr && (in.count == 0 || (in.next < in.count && in_turn(in))) &&
        in.line->sent.load(std::memory_order_acquire) > in.pair->taken)
      return true;
  return false;
}

void member_transfer::note_taken() {
  for (out_stream& o : area_.outgoing)
    if (!o.left_alone()) o.pair->acknowledged = std::max(o.pair->acknowledged, o.taken());
}

void member_transfer::wait_for_peers() {
  const auto peers = [this](auto&& ask) {
    for (const out_stream& o : area_.outgoing) ask(o.to);
    for (const remote_out_stream& o : area_.remote_outgoing) ask(o.to);
    for (const in_stream& in : area_.incoming) ask(in.from);
  };
  wait_in_collective(t_, [this] { return can_move(); }, peers, what_);
}

void member_transfer::run() {
  const inside_team alone(t_, what_);
  const timed net(state_.self.out->watch(), component::net);
  if (!area_.outgoing.empty()) {
    half_ = area_.transfers++ % 2;
    settle();
    lay_out();
  }
  if (t_.lost == no_rank) area_.far.abandoned = false;
  try {
    move_all();
  } catch (...) {
    leave();
    throw;
  }
  for (const out_stream& o : area_.outgoing) {
    o.pair->used[half_] = o.pair->sent;
    area_.used_by[half_].push_back(o.to);
  }
  part_.end();
}

// An error ends the transfer. The others hear of it first; then nobody reads this rank's memory any more.
void member_transfer::leave() noexcept {
  leave_collective(t_);
  leave_near();
  leave_far();
}

// What others would read where it lies is revoked. One that reads it at the moment sees that behind its copy; where it is a
// thread, the memory must stay until then.
void member_transfer::leave_near() noexcept {
  for (const out_stream& o : area_.outgoing)
    if (o.place == nullptr && o.next != 0) o.line->sign.store(pair_line::revoked, std::memory_order_release);
  if (!state_.self.host->threads) return;
  std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with that in copy_out
  for (const out_stream& o : area_.outgoing)
    while (o.place == nullptr && o.pair->theirs[0].reads_peer.load(std::memory_order_acquire) == pair_line::reading)
      std::this_thread::yield();
}

void member_transfer::move_all() {
  for (;;) {
    seen_events_ = area_.far.events;
    bool any = shared_ ? push_shared() : push();
    any |= push_far();
    for (in_stream& in : area_.incoming) any |= pull(in);
    if (otherwise_ != no_rank) [[unlikely]]
      throw_does_otherwise(t_, otherwise_, sign_of_other_);
    if (finished()) break;
    if (any) continue;
    wait_for_peers();
    note_taken();
  }
}

}  // namespace armilla::detail
