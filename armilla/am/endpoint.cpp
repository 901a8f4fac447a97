// SPDX-License-Identifier: Apache-2.0
#include "armilla/am/endpoint.hpp"

#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "armilla/am/arrival_order.hpp"
#include "armilla/am/far_traffic.hpp"
#include "armilla/am/holding.hpp"
#include "armilla/am/method_name.hpp"
#include "armilla/base/clock.hpp"
#include "armilla/base/error.hpp"
#include "armilla/base/options.hpp"
#include "armilla/stats/rank_stats.hpp"

namespace armilla::detail {

// What an attendant sends is answers, and their callers wait for them.
static constexpr bool never_held = false;

endpoint::endpoint(context& self, const host_map& host, role who)
    : self_(self),
      count_(*self.count),
      callable_(who == role::attendant ? 0 : std::uint32_t(self.ranks)),
      handlers_(freeze_handlers()),
      stay_(self.settings->wait == wait_kind::automatic),
      poll_every_(std::uint32_t(self.settings->poll_every)),
      until_poll_(poll_every_),
      limits_{.unasked = {self.settings->poll_budget.bodies, self.settings->poll_budget.ns}},
      watch_(stats_of(self).watch.get()),
      trace_(stats_of(self).events.get()),
      methods_(stats_of(self).count_methods(handler_item_sizes, handler_method_name)),
      eager_(who == role::attendant ? host.layout.ring_bytes / 8  // it has no heap for blocks
                                    : std::min<std::size_t>(self.settings->eager, host.layout.ring_bytes / 8)),
      spill_limit_(self.settings->spill_limit),
      backlog_(self.settings->backlog),
      host_(host),
      event_count_(who == role::rank ? host.control(self.rank) : host.attendant(self.rank), count_,
                   host.oversubscribed || who == role::attendant, who == role::rank ? self.settings->spin_ns : 0,
                   who == role::rank ? self.settings->yield_ns : 0) {
  self_.fibers->set_loop({[](void* e) { static_cast<endpoint*>(e)->run_loop(); },
                          [](void* e) { return static_cast<endpoint*>(e)->detach_body(); }, this});
  every_nth_call_polls(poll_every_);
  const bool attended = self.settings->reception == reception_kind::thread;
  const auto ranks = std::size_t(self.ranks);
  open_network(who);
  inbound_of_ = std::make_unique<std::uint32_t[]>(ranks);
  channel_count_ = who == role::rank && attended ? 2 * ranks : ranks;
  channels_ = std::make_unique<channel[]>(channel_count_);
  to_flush_.reserve(channel_count_);
  for (rank_t r = 0; r < self.ranks; ++r) {
    open_channel(std::size_t(r), r, who == role::rank ? 0 : 2, host.control(r));
    inbound_of_[std::size_t(r)] = host.far[std::size_t(r)] ? no_ring : std::uint32_t(inbound_.size());
    if (host.far[std::size_t(r)]) continue;
    inbound_.push_back({ring_reader(host.ring(who == role::rank ? 0 : 1, r, self.rank)), r, &channels_[std::size_t(r)].holds});
  }
  if (trace_ != nullptr) trace_->name_methods(handlers_.size, handler_method_name, self.ranks);
  event_count_.watch_losses(host.job().losses.count);
  if (who != role::rank || !attended) return;
  attendants_ = ranks;
  attended_ = std::make_unique<std::atomic<std::uint64_t>[]>(ranks);
  for (rank_t r = 0; r < self.ranks; ++r) {
    open_channel(ranks + std::size_t(r), r, 1, host.attendant(r));
    if (!host.far[std::size_t(r)]) inbound_.push_back({ring_reader(host.ring(2, r, self.rank)), r, &never_held});
  }
}

void endpoint::open_channel(std::size_t index, rank_t to, int lane, control_block& peer) {
  channel& c = channels_[index];
  c.to = to;
  c.index = std::uint32_t(index);
  c.peer = &peer;
  c.same_program = host_.program[std::size_t(to)] == self_.program;
  c.far = host_.far[std::size_t(to)];
  c.blocked = c.far || !c.same_program;
  if (!c.far) c.ring = ring_writer(host_.ring(lane, self_.rank, to));
  c.aggregate = std::min<std::size_t>(self_.settings->aggregate, longest_frame(c));
}

endpoint::~endpoint() = default;

// That any place can hold.
std::size_t endpoint::longest_frame(const channel& c) const noexcept {
  return c.far && far_ != nullptr ? far_->link.most() : host_.layout.ring_bytes / 8;
}

// ---- sending ----

// Takes in no messages: a body that ran here could open another frame, or change what the caller has measured. Whoever wants to
// wait for credit does so before it measures: `admit`.
std::byte* endpoint::append_slowly(channel& c, handler_id h, std::size_t size, traffic kind) {
  if (c.blocked) [[unlikely]]
    refuse_if_spent(c, h, kind);
  // A block's name always travels in a frame: it would need a block itself, whose name would need one, and so on.
  if (size > eager_ && !names_block(h)) [[unlikely]]
    return append_bulk(c, h, size);
  const std::size_t need = size + sizeof(record);
  if (c.open() && std::size_t(c.limit - c.cursor) < (c.run_handler == h ? size : need)) push(c);
  if (!c.open()) {
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
  if (!c.listed) c.listed = true, to_flush_.push_back(c.index);
}

static std::string explain_credit(const context&, const char*, const channel& c) {
  return fmt::format("credit: rank {} does not take in what was sent to it", c.to);
}

// The rank's own code makes room by taking in messages; a body goes on, and what it sends is kept here.
void endpoint::await_credit(channel& c) {
  if (in_body() || c.spilled.empty()) return;
  ++count_.credit_stalls;
  self_.fibers->note_wait("credit", wait_object::of<explain_credit>(c));
  const traced wait(trace_, trace_kind::wait, "credit");
  const timed net(watch_, component::net);
  event_count::backoff backoff;
  while (!c.spilled.empty()) {
    const bool any = poll_unasked();
    flush();  // also what other fibers have sent meanwhile
    if (any) {
      backoff = {};
    } else if (event_count_.idle(backoff) == event_count::step::sleep) {
      backoff = {};  // credit comes without a bell: yield, but stay awake
    }
  }
  if (c.lost) throw_lost(c.to, "send");
}

void endpoint::drain_all() {
  for (std::size_t i = 0; spilled_channels_ != 0 && i < channel_count_; ++i) await_credit(channels_[i]);
}

void endpoint::refuse_if_spent(const channel& c, handler_id h, traffic kind) const {
  if (c.lost && kind != traffic::replies && kind != traffic::answers) throw_lost(c.to, "send");
  if (!c.same_program && h >= first_free_handler)
    throw_usage("send",
                fmt::format("rank {} runs another program, which does not have this rank's functions; call what it provides "
                            "by name (armilla::method), or use teams and global memory",
                            c.to));
  // Answers are bounded by what the rings let in, and the rank's own code has waited for credit before.
  if (spilled_bytes_ > spill_limit_ && kind != traffic::replies && kind != traffic::answers && in_body())
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
  if (trace_ != nullptr) [[unlikely]] {  // each starts: no handler stays
    c.alone_handler = no_handler;
    count_items(kind, 1);
    ++count_.frames_sent;
    count_.bytes_sent += size + sizeof(record);
    return trace_->sent(c.index, c.to, h, size + sizeof(record));
  }
  c.alone_handler = h;
  c.alone_size = std::uint32_t(size);
  c.alone_kind = kind;
}

// Before anything else goes into the ring, and when the counts are read.
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

std::uint64_t endpoint::created_for(rank_t r) const noexcept {
  if (host_.far[std::size_t(r)]) [[unlikely]]
    return far_->lines_sent(r);
  return channels_[std::size_t(r)].ring.position() +
         (attendants_ != 0 ? channels_[std::size_t(r) + attendants_].ring.position() : 0);
}

// What the attendant has done is seen with all its effects. Its answers are not counted: a caller waits for each.
std::uint64_t endpoint::processed_from(rank_t r) const noexcept {
  const std::uint32_t i = inbound_of_[std::size_t(r)];
  return (i == no_ring ? far_->lines_taken(r) : inbound_[i].reader.position()) +
         (attended_ != nullptr ? attended_[std::size_t(r)].load(std::memory_order_acquire) : 0);
}

std::uint64_t endpoint::processed() const noexcept {
  std::uint64_t sum = 0;
  for (rank_t r = 0; r < self_.ranks; ++r) sum += processed_from(r);
  return sum - deferred();
}

std::uint64_t endpoint::deferred() const noexcept { return deferred_ + self_.fibers->counted(); }

void endpoint::settle_counts() noexcept {
  count_.frames_received = 0;
  for (const inbound& in : inbound_) count_.frames_received += in.processed;
  if (far_ != nullptr) count_.frames_received += far_->link.frames_taken();
  for (std::size_t i = 0; i < channel_count_; ++i) {
    channel& c = channels_[i];
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
  const handler_id last = c.run_handler;
  const std::size_t blocks = std::exchange(c.open_blocks, 0);
  c.cursor = c.limit = c.frame = nullptr;
  c.run_handler = c.hot_handler = no_handler;
  c.urgent = false;
  ++c.frames;
  count_.bytes_sent += bytes;
  if (observed_ && trace_ != nullptr) [[unlikely]]
    trace_->sent(c.index, c.to, last, bytes);
  const ring_writer::room room = c.spilled.empty() ? c.ring.reserve(bytes, bytes) : ring_writer::room{};
  if (room.begin == nullptr) [[unlikely]]
    return c.far ? far_->push(c, frame, bytes, blocks) : spill(c, frame, bytes, blocks);
  copy_frame(room.begin, frame, bytes);
  count_alone(c);
  c.ring.publish(bytes);
  c.alone_since = c.ring.lines_of_frames();
  if (detail::notify(*c.peer)) ++count_.wakes_sent;
}

void endpoint::spill(channel& c, const std::byte* frame, std::size_t bytes, std::size_t blocks) {
  if (c.lost) return;
  if (c.spilled.empty()) ++spilled_channels_;
  c.full = c.blocked = true;
  c.spilled.push_back({{frame, frame + bytes}, bytes + blocks});
  c.spilled_weight += bytes + blocks;
  spilled_bytes_ += bytes;
  ++count_.spilled_frames;
  count_.spilled_bytes += bytes;
  if (!c.holds && c.spilled_weight > backlog_) holding{*this}.hold_back(c);
}

bool endpoint::drain() {
  bool any = false;
  for (std::size_t i = 0; i < channel_count_; ++i)
    if (!channels_[i].spilled.empty()) any |= drain(channels_[i]);
  return any;
}

bool endpoint::drain(channel& c) {
  bool any = false;
  while (!c.spilled.empty()) {
    const channel::spilled_frame& frame = c.spilled.front();
    if (c.far ? !far_->drain(c) : !drain_near(c)) return any;
    spilled_bytes_ -= frame.bytes.size();
    c.spilled_weight -= frame.weight;
    c.spilled.pop_front();
    if (c.holds && c.spilled_weight <= backlog_ / 2) holding{*this}.read_on(c);
    any = true;
  }
  --spilled_channels_;
  c.full = false;
  c.blocked = c.far || !c.same_program;
  return any;
}

bool endpoint::drain_near(channel& c) {
  const std::vector<std::byte>& frame = c.spilled.front().bytes;
  const ring_writer::room room = c.ring.reserve(frame.size(), frame.size());
  if (room.begin == nullptr) return false;
  std::memcpy(room.begin, frame.data(), frame.size());
  count_alone(c);
  c.ring.publish(frame.size());
  c.alone_since = c.ring.lines_of_frames();
  if (detail::notify(*c.peer)) ++count_.wakes_sent;
  return true;
}

void endpoint::flush_listed() {
  for (std::size_t i = 0; i < to_flush_.size(); ++i) {
    channel& c = channels_[to_flush_[i]];
    c.listed = false;
    push(c);
  }
  to_flush_.clear();
}

reachable endpoint::memory_of(rank_t source) const noexcept {
  return {host_.segment[std::size_t(source)], host_.layout.segment_bytes, eager_};
}

reachable endpoint::memory_for(rank_t dest) const noexcept {
  if (host_.segment[std::size_t(dest)] == nullptr) return {};  // access rules: the same for all ranks
  return {host_.segment_start(self_.rank), host_.layout.segment_bytes, eager_};
}

reachable endpoint::own_memory() const noexcept { return {host_.segment_start(self_.rank), host_.layout.segment_bytes, eager_}; }

// ---- settings and errors ----

void endpoint::set_aggregate(peer_kind kind, std::size_t bytes) noexcept {
  if (order_of(self_, this) != nullptr) bytes = 0;  // the order of arrivals is one of frames: each item has its own
  for (std::size_t i = 0; i < channel_count_; ++i) {
    channel& c = channels_[i];
    if (kind_of(c) != kind) continue;
    push(c);
    c.aggregate = std::min(bytes, longest_frame(c));
  }
}

endpoint::peer_kind endpoint::kind_of(const channel& c) const noexcept {
  return c.to == self_.rank ? peer_kind::self : c.far ? peer_kind::network : peer_kind::host;
}

std::size_t endpoint::aggregate(peer_kind kind) const noexcept {
  for (std::size_t i = 0; i < channel_count_; ++i)
    if (kind_of(channels_[i]) == kind) return channels_[i].aggregate;
  return channels_[std::size_t(self_.rank)].aggregate;
}

void endpoint::throw_no_such_rank(rank_t dest, const char* operation) const {
  require_own_thread(operation);
  throw_bad_rank(operation, dest, self_.ranks);
}

void endpoint::throw_on_attendant(const char* operation) const {
  throw_usage(
      operation,
      "a safe body, which runs on the thread of its rank's attendant, sends nothing but its answer and makes nothing that "
      "belongs to its rank; return what the caller needs, or leave out safe()");
}

void endpoint::throw_damaged(rank_t source, const char* what, std::uint64_t value) const {
  throw_decode(source, "receive",
               fmt::format("{} from rank {} cannot be right ({}); do all ranks run the same build?", what, source, value));
}

void unknown_handler(endpoint& self, rank_t source, const std::byte*, std::size_t size) {
  self.throw_damaged(source, "a record for a handler that this program does not have, its length", size);
}

}  // namespace armilla::detail
