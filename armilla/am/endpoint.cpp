// SPDX-License-Identifier: Apache-2.0
#include "armilla/am/endpoint.hpp"

#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "armilla/am/method_name.hpp"
#include "armilla/base/clock.hpp"
#include "armilla/base/error.hpp"
#include "armilla/base/options.hpp"
#include "armilla/stats/rank_stats.hpp"

namespace armilla::detail {
namespace {

// While bodies run, nothing may wait; also when one throws.
struct body_scope {
  explicit body_scope(context& self) : self(self) { ++self.body_depth; }
  ~body_scope() { --self.body_depth; }
  context& self;
};

constexpr int frames_a_look = 256;  // taken from one peer before the next one has its turn

}  // namespace

endpoint::endpoint(context& self, const host_map& host)
    : self_(self),
      count_(*self.count),
      channels_(std::make_unique<channel[]>(std::size_t(self.ranks))),
      handlers_(freeze_handlers()),
      poll_every_(std::uint32_t(self.settings->poll_every)),
      until_poll_(poll_every_),
      watch_(stats_of(self).watch.get()),
      methods_(stats_of(self).count_methods(handler_item_sizes, handler_method_name)),
      eager_(std::min<std::size_t>(self.settings->eager, host.layout.ring_bytes / 8)),
      spill_limit_(self.settings->spill_limit),
      host_(host),
      waiting_(host.control(self.rank), count_, host.oversubscribed, self.settings->spin_ns, self.settings->yield_ns) {
  every_nth_statement_polls(poll_every_);
  to_flush_.reserve(std::size_t(self.ranks));
  for (rank_t r = 0; r < self.ranks; ++r) {
    channel& c = channels_[std::size_t(r)];
    c.to = r;
    c.peer = &host.control(r);
    c.same_program = host.program[std::size_t(r)] == self.program;
    c.blocked = !c.same_program;
    c.ring = ring_writer(host.ring(0, self.rank, r));
    c.aggregate = self.settings->aggregate;
    inbound_.push_back({ring_reader(host.ring(0, r, self.rank)), r});
  }
}

endpoint::~endpoint() = default;

// ---- sending ----

std::byte* endpoint::append_slowly(channel& c, handler_id h, std::size_t size, traffic kind) {
  if (c.blocked) [[unlikely]]
    refuse_if_spent(c, h);
  if (size > eager_) [[unlikely]]
    return append_bulk(c, h, size);
  if (c.full) [[unlikely]]
    await_credit(c);
  const std::size_t need = size + sizeof(record);
  if (c.open() && std::size_t(c.limit - c.cursor) < need && !(c.run_handler == h && std::size_t(c.limit - c.cursor) >= size))
    publish(c);
  if (!c.open()) {  // bodies that ran meanwhile may have opened one, but not one that is full: each of theirs is checked as well
    open_frame(c, need);
    start_run(c, h, size, kind);
  } else if (std::size_t(c.limit - c.cursor) < need && c.run_handler != h) {
    push(c);
    open_frame(c, need);
    start_run(c, h, size, kind);
  } else if (c.run_handler != h) {
    close_run(c);
    start_run(c, h, size, kind);
  }
  std::byte* place = c.cursor;
  c.cursor += size;
  return place;
}

void endpoint::open_frame(channel& c, std::size_t need) {
  const std::size_t want = need > c.aggregate ? need : c.aggregate;
  if (c.staging_bytes < want) [[unlikely]] {
    c.staging_bytes = std::max(want, lines_for(want) * cache_line);
    c.staging = std::make_unique_for_overwrite<std::byte[]>(c.staging_bytes + cache_line);
  }
  c.frame = c.cursor = c.staging.get();
  c.limit = c.frame + want;
  if (!c.listed) c.listed = true, to_flush_.push_back(c.to);
}

// The rank's own code makes room by taking in messages; a body goes on, and what it sends is kept here.
void endpoint::await_credit(channel& c) {
  if (in_body() || c.spilled.empty()) return;
  ++count_.credit_stalls;
  const timed net(watch_, component::net);
  waiting::spell spell;
  while (!c.spilled.empty()) {
    if (poll())
      spell = {};
    else if (waiting_.idle(spell) == waiting::step::sleep)
      spell = {};  // credit comes without a bell: yield, but stay awake
  }
}

void endpoint::drain_all() {
  for (rank_t r = 0; spilled_channels_ != 0 && r < self_.ranks; ++r) await_credit(channels_[std::size_t(r)]);
}

void endpoint::refuse_if_spent(const channel& c, handler_id h) const {
  if (!c.same_program && h >= first_free_handler)
    throw_usage("send",
                fmt::format("rank {} runs another program, which does not have this rank's functions; call what it provides "
                            "by name (armilla::method), or use teams and global memory",
                            c.to));
  if (spilled_bytes_ > spill_limit_)
    throw_limit("send", fmt::format("{} bytes for ranks without credit are queued here, {} frames of them for rank {}; raise "
                                    "ARMILLA_SPILL_LIMIT or send less from bodies",
                                    spilled_bytes_, c.spilled.size(), c.to));
}

void endpoint::start_run(channel& c, handler_id h, std::size_t size, traffic kind) noexcept {
  c.run = reinterpret_cast<record*>(c.cursor);
  c.run->handler = h;
  c.run_handler = h;
  c.hot_handler = observed_ ? no_handler : h;
  c.cursor += sizeof(record);
  c.counted = c.cursor;
  c.item = std::uint32_t(size);
  c.kind = kind;
}

void endpoint::close_run(channel& c) noexcept {
  c.run->length = std::uint32_t(c.cursor - reinterpret_cast<std::byte*>(c.run + 1));
  count_run(c);
}

void endpoint::count_run(channel& c) noexcept {
  if (c.kind == traffic::uncounted) return;
  const auto bytes = std::uint32_t(c.cursor - c.counted);
  c.counted = c.cursor;
  count_items(c.kind, bytes == c.item ? 1 : bytes / c.item);
}

void endpoint::count_items(traffic kind, std::uint64_t items) noexcept {
  if (kind == traffic::statements) count_.statements_sent += items;
  if (kind == traffic::questions) count_.questions_sent += items;
  if (kind == traffic::replies) count_.replies_sent += items;
}

void endpoint::start_alone(channel& c, handler_id h, std::size_t size, traffic kind) noexcept {
  count_alone(c);
  c.alone_handler = h;
  c.alone_size = std::uint32_t(size);
  c.alone_kind = kind;
}

// Before anything else goes into the ring, and when somebody wants to know.
void endpoint::count_alone(channel& c) noexcept {
  const std::uint64_t lines = c.ring.lines_of_frames() - std::exchange(c.alone_since, c.ring.lines_of_frames());
  if (c.alone_handler == no_handler || lines == 0) return;
  const std::uint64_t items = lines / lines_for(c.alone_size + sizeof(record));
  count_items(c.alone_kind, items);
  count_.frames_sent += items;
  count_.bytes_sent += items * (c.alone_size + sizeof(record));
}

std::uint64_t endpoint::created() const noexcept {
  std::uint64_t sum = 0;
  for (rank_t r = 0; r < self_.ranks; ++r) sum += created_for(r);
  return sum;
}

std::uint64_t endpoint::processed() const noexcept {
  std::uint64_t sum = 0;
  for (rank_t r = 0; r < self_.ranks; ++r) sum += processed_from(r);
  return sum - deferred_;
}

void endpoint::settle_counts() noexcept {
  count_.frames_received = 0;
  for (const inbound& in : inbound_) count_.frames_received += in.processed;
  for (rank_t r = 0; r < self_.ranks; ++r) {
    channel& c = channels_[std::size_t(r)];
    if (c.open()) count_run(c);
    count_.frames_sent += std::exchange(c.frames, 0);
    count_alone(c);
  }
}

// Out of the channel's private memory into the ring: in one piece, so that few stores wait for each line.
static void copy_frame(std::byte* ring, const std::byte* frame, std::size_t bytes) noexcept {
  constexpr std::size_t first = cache_line - frame_head;
  std::memcpy(ring, frame, first);  // all of the first line, whatever of it is used: no branches
  if (bytes > first) std::memcpy(ring + first, frame + first, bytes - first);
}

void endpoint::push(channel& c) {
  if (!c.open()) return;
  close_run(c);
  const std::byte* const frame = c.frame;
  const std::size_t bytes = std::size_t(c.cursor - frame);
  c.cursor = c.limit = c.frame = nullptr;
  c.run_handler = c.hot_handler = no_handler;
  c.urgent = false;
  ++c.frames;
  count_.bytes_sent += bytes;
  const ring_writer::room room = c.spilled.empty() ? c.ring.reserve(bytes, bytes) : ring_writer::room{};
  if (room.begin == nullptr) [[unlikely]]
    return spill(c, frame, bytes);
  copy_frame(room.begin, frame, bytes);
  count_alone(c);
  c.ring.publish(bytes);
  c.alone_since = c.ring.lines_of_frames();
  if (detail::notify(*c.peer)) ++count_.wakes_sent;
}

void endpoint::spill(channel& c, const std::byte* frame, std::size_t bytes) {
  if (c.spilled.empty()) ++spilled_channels_;
  c.full = c.blocked = true;
  c.spilled.emplace_back(frame, frame + bytes);
  spilled_bytes_ += bytes;
  ++count_.spilled_frames;
  count_.spilled_bytes += bytes;
}

bool endpoint::drain() {
  bool any = false;
  for (rank_t r = 0; r < self_.ranks; ++r)
    if (!channels_[std::size_t(r)].spilled.empty()) any |= drain(channels_[std::size_t(r)]);
  return any;
}

bool endpoint::drain(channel& c) {
  bool any = false;
  while (!c.spilled.empty()) {
    const std::vector<std::byte>& frame = c.spilled.front();
    const ring_writer::room room = c.ring.reserve(frame.size(), frame.size());
    if (room.begin == nullptr) return any;
    std::memcpy(room.begin, frame.data(), frame.size());
    count_alone(c);
    c.ring.publish(frame.size());
    c.alone_since = c.ring.lines_of_frames();
    if (detail::notify(*c.peer)) ++count_.wakes_sent;
    spilled_bytes_ -= frame.size();
    c.spilled.pop_front();
    any = true;
  }
  --spilled_channels_;
  c.full = false;
  c.blocked = !c.same_program;
  return any;
}

void endpoint::flush_listed() {
  for (std::size_t i = 0; i < to_flush_.size(); ++i) {
    channel& c = channels_[std::size_t(to_flush_[i])];
    c.listed = false;
    push(c);
  }
  to_flush_.clear();
}

// ---- receiving ----

bool endpoint::receive(inbound& in) {
  if (in_body()) return false;
  for (int i = 0; i < frames_a_look && in.reader.ready(); ++i) {
    const ring_reader::frame frame = in.reader.front();
    if (frame.bytes == frame_pad) {
      in.reader.release(frame_pad);
      continue;
    }
    if (frame.bytes > in.reader.most()) throw_damaged(in.source, "a frame's length", frame.bytes);
    struct done_guard {
      endpoint& self;
      inbound& in;
      std::uint32_t bytes;
      ~done_guard() {
        in.reader.release(bytes);
        ++in.processed;
        self.count_.bytes_received += bytes;
      }
    } guard{*this, in, frame.bytes};
    if (i != 0) in.reader.prefetch();  // a stream: the next lines are on their way while this one is handled
    dispatch(in.source, frame.data, frame.bytes);
    channel& back = channels_[std::size_t(in.source)];
    if (back.urgent) push(back);
  }
  return true;
}

void endpoint::dispatch(rank_t source, const std::byte* data, std::size_t bytes) {
  body_scope scope(self_);
  if (!observed_) [[likely]]
    return run_records<false>(source, data, bytes);
  const timed runtime(watch_, component::runtime);
  run_records<true>(source, data, bytes);
}

template <bool Counted>
void endpoint::run_records(rank_t source, const std::byte* data, std::size_t bytes) {
  const std::byte* const end = data + bytes;
  while (data != end) {
    record head;
    if (std::size_t(end - data) < sizeof head) throw_damaged(source, "bytes behind the last record", std::uint64_t(end - data));
    std::memcpy(&head, data, sizeof head);
    data += sizeof head;
    if (head.length > std::size_t(end - data) || head.length % 8 != 0) throw_damaged(source, "a record's length", head.length);
    if (head.handler >= handlers_.size) throw_damaged(source, "a handler's number", head.handler);
    ++count_.runs_received;
    if constexpr (Counted)
      if (methods_ != nullptr) note_run(head.handler, head.length);
    handlers_.functions[head.handler](*this, source, data, head.length);
    data += head.length;
  }
}

void endpoint::run_record(rank_t source, handler_id h, const std::byte* data, std::size_t size) {
  body_scope scope(self_);
  const timed runtime(watch_, component::runtime);
  handlers_.functions[h](*this, source, data, size);
}

// A bulk record only names what take_bulk then counts.
void endpoint::note_run(handler_id h, std::size_t bytes) noexcept {
  if (h != bulk_handler) methods_->run(h, bytes);
}

void endpoint::note_item(handler_id h, std::size_t bytes) noexcept { methods_->item(h, bytes); }

void endpoint::every_nth_statement_polls(std::uint32_t n) noexcept {
  poll_every_ = until_poll_ = n;
  observed_ = n != 0 || watch_ != nullptr || methods_ != nullptr;
}

void endpoint::poll_in_turn() {
  if (--until_poll_ != 0) return;
  until_poll_ = poll_every_;
  if (in_body()) return;
  poll();
  flush();
}

bool endpoint::anything_to_do() const noexcept {
  if (spilled_channels_ != 0) return true;
  for (const inbound& in : inbound_)
    if (in.reader.ready()) return true;
  return false;
}

void endpoint::begin_wait(const char* what) {
  if (in_body())
    throw_usage(
        what,
        "a body may not wait: it runs on the stack of the rank's message loop; answer with a statement, or use future::then");
  waiting_for_ = what;
  flush();
}

bool endpoint::past(std::uint64_t deadline_ns) noexcept { return now_ns() >= deadline_ns; }

reachable endpoint::memory_of(rank_t source) const noexcept {
  return {host_.segment[std::size_t(source)], host_.layout.segment_bytes, eager_};
}

reachable endpoint::memory_for(rank_t dest) const noexcept {
  if (host_.segment[std::size_t(dest)] == nullptr) return {};  // access rules: the same for all ranks
  return {host_.segment_start(self_.rank), host_.layout.segment_bytes, eager_};
}

// ---- settings and errors ----

void endpoint::set_aggregate(peer_kind kind, std::size_t bytes) noexcept {
  const std::size_t most = std::min<std::size_t>(bytes, host_.layout.ring_bytes / 8);
  for (rank_t r = 0; r < self_.ranks; ++r)
    if ((r == self_.rank) == (kind == peer_kind::self)) {
      push(channels_[std::size_t(r)]);
      channels_[std::size_t(r)].aggregate = most;
    }
}

std::size_t endpoint::aggregate(peer_kind kind) const noexcept {
  const rank_t r = kind == peer_kind::self ? self_.rank : (self_.rank == 0 ? self_.ranks - 1 : 0);
  return channels_[std::size_t(r)].aggregate;
}

void endpoint::throw_no_such_rank(rank_t dest, const char* operation) const { throw_bad_rank(operation, dest, self_.ranks); }

void endpoint::throw_damaged(rank_t source, const char* what, std::uint64_t value) const {
  throw_decode(source, "receive",
               fmt::format("{} from rank {} cannot be right ({}); do all ranks run the same build?", what, source, value));
}

void unknown_handler(endpoint& self, rank_t source, const std::byte*, std::size_t size) {
  self.throw_damaged(source, "a record for a handler that this program does not have, its length", size);
}

}  // namespace armilla::detail
