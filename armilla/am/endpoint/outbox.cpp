// SPDX-License-Identifier: Apache-2.0
#include "armilla/am/endpoint/outbox.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "armilla/am/endpoint/arrival_order.hpp"
#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/am/endpoint/holding.hpp"
#include "armilla/am/endpoint/message_writer.hpp"
#include "armilla/am/endpoint/remote_traffic.hpp"
#include "armilla/am/endpoint/router.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/ring/heap.hpp"
#include "armilla/stats/rank_stats.hpp"

// Model: tests/models/protocols/fence.pml
// Model: tests/models/protocols/credit.pml
// Model: tests/models/order/sleep.rs
namespace armilla::detail {

sending::sending(context& self, std::uint32_t callable, std::size_t eager) noexcept
    : self(self),
      count_(*self.count),
      callable_(callable),
      eager_(eager),
      watch_(stats_of(self).watch.get()),
      trace_(stats_of(self).events.get()) {}

outbox::outbox(context& self, const host_map& host, role who)
    : sending(self, who == role::progress_thread ? 0 : std::uint32_t(self.places),
              who == role::progress_thread ? host.layout.ring_bytes / 8  // it has no heap for blocks
                                           : std::min<std::size_t>(self.settings->eager, host.layout.ring_bytes / 8)),
      opens_all_(host.job().goes_on != 0 || self.settings->progress == progress_mode::signal),
      backlog_limit_(self.settings->backlog_limit),
      hold_above_(self.settings->backlog),
      host_(host),
      buffered_(who == role::rank ? stats_of(self).buffered.get() : nullptr),
      notes_frames_(trace_ != nullptr || buffered_ != nullptr) {
  static_assert(control_stride == host_layout::control_bytes);
  const auto places = std::size_t(self.places);
  const bool has_thread = who == role::rank && (self.settings->progress == progress_mode::thread || host.shared != nullptr);
  const std::size_t channels = has_thread ? 2 * places : places;
  places_ = zeroed_array<channel_place>(channels);
  channels_ = places_.get()->bytes;
  prepared_.reserve(channels);  // as all of them: sends from inside a body find room there
  to_flush_.reserve(channels);
  open_rings_.reserve(channels);
  if (has_thread) progress_channels_ = places;
  if (const local_ranks& locals = host.locals(); locals.scattered == 0) {
    controls_ = host.base + host_layout::control({});
    first_local_ = locals.first;
  }
  for (std::size_t& bytes : aggregate_) bytes = self.settings->aggregate;
  prepared_to(self.rank);
  for (std::size_t i = 0; opens_all_ && i < channels; ++i)
    if (!host.far[i % places] || host.job().takes_new_ranks()) prepared(at(i));
}

outbox::~outbox() {
  for (const std::uint32_t i : prepared_) at(i).~peer_channel();
}

// That any place can hold.
std::size_t outbox::longest_frame(bool far) const noexcept {
  return far && far_ != nullptr ? far_->link.most() : host_.layout.ring_bytes / 8;
}

void sending::count_call() {
  if (self.each_call != nullptr) self.each_call(self);
}

// ---- one message ----

// Takes in no messages: a body that ran here could open another frame, or change what the caller has measured. A
// caller that may wait for credit does so before it measures: `admit`.
inline std::byte* outbox::append_in_general(peer_channel& c, handler_id h, std::size_t size, traffic kind) {
  if (!c.direct) [[unlikely]] {
    prepare_indirect(c, h, kind);
    if (router_ != nullptr)
      if (std::byte* const place = router_->place_for(c, h, size, kind)) return place;
  }
  // A block's name always travels in a frame: it would need a block itself, whose name would need one, and so on.
  if (size > eager_ && !names_block(h)) [[unlikely]] {
    if (kind == traffic::one_way_calls) ++count_.one_way_calls_sent;
    return append_bulk(c, h, size);
  }
  const std::size_t need = size + sizeof(bundle_header);
  if (c.open() && std::size_t(c.limit - c.cursor) < (c.bundle_handler == h ? size : need)) push(c);
  if (!c.open()) {
    open_frame(c, need);
    start_bundle(c, h, size, kind);
  } else if (c.bundle_handler != h) {
    close_bundle(c);
    start_bundle(c, h, size, kind);
  }
  std::byte* place = c.cursor;
  c.cursor += size;
  return place;
}

void outbox::open_frame(peer_channel& c, std::size_t need) {
  const std::size_t want = need > c.aggregate ? need : c.aggregate;
  if (c.staging_bytes < want) [[unlikely]]
    prepare_staging(c, want);
  c.frame = c.cursor = c.staging.get();
  c.limit = c.frame + want;
  if (!c.listed) c.listed = true, to_flush_.push_back(c.index);
}

void outbox::prepare_staging(peer_channel& c, std::size_t want) {
  if (c.staging_room < want) {
    const std::size_t bytes = std::max(want, lines_for(want) * cache_line);
    c.staging = std::make_unique_for_overwrite<std::byte[]>(bytes + cache_line);  // else it stays as it was
    c.staging_room = bytes;
  }
  if (buffered_ == nullptr)
    c.staging_bytes = c.staging_room;
  else
    c.filled_since = ticks();
}

// The one place where a message of a channel waits for what is received: the rank makes room by taking in messages.
inline void outbox::wait_for_credit(peer_channel& c) {
  prepared(c);
  if (c.lost && host_.job().life(c.to).number != c.life) self.messages->lost.hear();  // a new rank is there
  if (c.way != nullptr) router_->settle(*c.way);
  self.messages->waits.await_credit(c);
}

void outbox::drain_all() {
  for (std::size_t i = 0; backlog_channels_ != 0 && i < prepared_.size(); ++i) wait_for_credit(at(prepared_[i]));
}

void outbox::refuse_if_spent(const peer_channel& c, handler_id h, traffic kind) const {
  if (c.lost && !is_reply(kind)) self.messages->lost.raise(c.to, "send");
  if (!c.same_program && h >= first_free_handler)
    throw_usage("send",
                fmt::format("rank {} runs another program, which does not have this rank's functions; call what it provides "
                            "by name (armilla::method), or use teams and global memory",
                            c.to));
  // Replies are bounded by what the rings let in, and the rank's own code has waited for credit before.
  if (backlog_bytes_ > backlog_limit_ && !is_reply(kind) && in_body())
    throw_limit("send", fmt::format("{} bytes for ranks without credit are queued here, {} frames of them for rank {}; raise "
                                    "ARMILLA_BACKLOG_LIMIT or send less from bodies",
                                    backlog_bytes_, c.backlog.size(), c.to));
}

// The first message opens its ring.
void outbox::prepare_indirect(peer_channel& c, handler_id h, traffic kind) {
  refuse_if_spent(prepared(c), h, kind);
  if (!c.far && c.ring.lines() == 0) open_ring(c);
}

void outbox::start_bundle(peer_channel& c, handler_id h, std::size_t size, traffic kind) noexcept {
  c.bundle = reinterpret_cast<bundle_header*>(c.cursor);
  c.bundle->handler = h;
  c.bundle_handler = h;
  c.hot_handler = observed_ ? no_handler : h;
  c.cursor += sizeof(bundle_header);
  c.counted = c.cursor;
  c.message_size = std::uint32_t(size);
  c.kind = kind;
}

void outbox::close_bundle(peer_channel& c) noexcept {
  c.bundle->length = std::uint32_t(c.cursor - reinterpret_cast<std::byte*>(c.bundle + 1));
  count_bundle(c);
}

void outbox::count_bundle(peer_channel& c) noexcept {
  if (c.kind == traffic::uncounted || c.kind == traffic::uncounted_one_way_calls) return;
  const auto bytes = std::uint32_t(c.cursor - c.counted);
  c.counted = c.cursor;
  count_messages(c.kind, bytes == c.message_size ? 1 : bytes / c.message_size);
}

void outbox::count_messages(traffic kind, std::uint64_t messages) noexcept {
  if (kind == traffic::one_way_calls) count_.one_way_calls_sent += messages;
  if (kind == traffic::two_way_calls) count_.two_way_calls_sent += messages;
  if (kind == traffic::replies) count_.replies_sent += messages;
}

inline std::byte* outbox::begin_alone_in_general(peer_channel& c, handler_id h, std::size_t size, traffic kind, audience to) {
  if (c.open() || !(to == audience::job ? c.ready : c.direct) || size > eager_) return nullptr;
  const std::size_t bytes = size + sizeof(bundle_header);
  const ring_writer::room room = c.ring.reserve(bytes, bytes);
  if (room.begin == nullptr) return nullptr;
  if (c.alone_handler != h || c.alone_size != size) start_alone(c, h, size, kind);
  if (size <= message_writer::longest_in_line) c.ring.clear_behind_line();
  return put_head(room.begin, h, size);
}

void outbox::start_alone(peer_channel& c, handler_id h, std::size_t size, traffic kind) noexcept {
  count_alone(c);
  if (trace_ != nullptr) [[unlikely]] {  // each starts: no handler stays
    c.alone_handler = no_handler;
    count_messages(kind, 1);
    ++count_.frames_sent;
    count_.bytes_sent += size + sizeof(bundle_header);
    return trace_->sent(c.index, c.to, h, size + sizeof(bundle_header));
  }
  c.alone_handler = h;
  c.alone_size = std::uint32_t(size);
  c.alone_kind = kind;
}

// Before anything else goes into the ring, and when the counts are read.
void outbox::count_alone(peer_channel& c) noexcept {
  const std::uint64_t lines = c.ring.lines_of_frames() - std::exchange(c.alone_since, c.ring.lines_of_frames());
  if (c.alone_handler == no_handler || lines == 0) return;
  const std::uint64_t messages = lines / lines_for(c.alone_size + sizeof(bundle_header));
  count_messages(c.alone_kind, messages);
  count_.frames_sent += messages;
  count_.bytes_sent += messages * (c.alone_size + sizeof(bundle_header));
}

void outbox::settle_counts() noexcept {
  for (const std::uint32_t i : prepared_) {
    peer_channel& c = at(i);
    if (c.open()) count_bundle(c);
    count_.frames_sent += std::exchange(c.frames, 0);
    count_alone(c);
  }
}

inline void outbox::push_frame(peer_channel& c) {
  if (!c.open()) return;
  close_bundle(c);
  const std::byte* const frame = c.frame;
  const std::size_t bytes = std::size_t(c.cursor - frame);
  const handler_id last = c.bundle_handler;
  const std::size_t blocks = std::exchange(c.open_blocks, 0);
  c.cursor = c.limit = c.frame = nullptr;
  c.bundle_handler = c.hot_handler = no_handler;
  c.urgent = false;
  ++c.frames;
  count_.bytes_sent += bytes;
  if (notes_frames_) [[unlikely]]
    note_frame(c, last, bytes);
  if (c.far) [[unlikely]] {
    if (c.lost) return far_->drop_blocks(c);
    far_->start_blocks(c);
  }
  if (c.backlog.empty() && post(c, frame, bytes)) [[likely]]
    return;
  queue(c, frame, bytes, blocks);
}

void outbox::note_frame(const peer_channel& c, handler_id last, std::size_t bytes) noexcept {
  const std::uint64_t ns = buffered_ == nullptr ? 0 : buffered_->note(c.to, c.filled_since, count_);
  if (trace_ == nullptr) return;
  if (ns != 0) trace_->buffered(c.to, last, ns);
  trace_->sent(c.index, c.to, last, bytes);
}

// A whole frame, by ring or network; false: there is no credit.
bool outbox::post(peer_channel& c, const std::byte* frame, std::size_t bytes) {
  if (c.far) [[unlikely]]
    return far_->post(c, frame, bytes);
  if (!c.place(frame, bytes)) [[unlikely]]
    return false;
  count_alone(c);
  if (c.show(bytes)) ++count_.wakes_sent;
  c.alone_since = c.ring.lines_of_frames();
  return true;
}

void outbox::queue(peer_channel& c, const std::byte* frame, std::size_t bytes, std::size_t blocks) {
  if (c.lost) return;
  if (c.backlog.empty()) count_backlogs(backlog_channels_ + 1);
  c.ready = c.direct = false;
  c.backlog.push_back({{frame, frame + std::max(bytes, least_frame)}, bytes, bytes + blocks});
  c.backlog_weight += bytes + blocks;
  backlog_bytes_ += bytes;
  ++count_.backlog_frames;
  count_.backlog_bytes += bytes;
  if (!c.holds && c.backlog_weight > hold_above_) holding{*self.messages}.hold_back(c);
  if (c.passed_on != peer_channel::relayed::nothing && c.backlog_weight > hold_above_) router_->hold_feeders(c);
}

void outbox::count_backlogs(std::uint32_t channels) noexcept {
  backlog_channels_ = channels;
  more_than_rings_ = channels != 0 || far_ != nullptr;
}

bool outbox::drain() {
  bool any = false;
  for (std::size_t i = 0; i < prepared_.size(); ++i)
    if (peer_channel& c = at(prepared_[i]); !c.backlog.empty()) any |= drain(c);
  return any;
}

bool outbox::drain(peer_channel& c) {
  bool any = false;
  while (!c.backlog.empty()) {
    const peer_channel::backlog_frame& frame = c.backlog.front();
    if (!post(c, frame.bytes.data(), frame.size)) return any;
    backlog_bytes_ -= frame.size;
    c.backlog_weight -= frame.weight;
    c.backlog.pop_front();
    if (c.holds && c.backlog_weight <= hold_above_ / 2) holding{*self.messages}.read_on(c);
    if (c.passed_on == peer_channel::relayed::too_much && c.backlog_weight <= hold_above_ / 2) router_->read_feeders(c);
    any = true;
  }
  count_backlogs(backlog_channels_ - 1);
  c.ready = c.way == nullptr;
  c.direct = !c.far && c.same_program;
  return any;
}

inline void outbox::flush_all() {
  flush_but([](const peer_channel&) { return false; });
}

void outbox::flush_listed_behind_look(bool found) {
  if (router_ != nullptr && router_->waits().look_behind(found)) [[unlikely]]
    return flush_but([](const peer_channel& c) { return c.passed_on != peer_channel::relayed::nothing; });
  flush_all();
}

void outbox::flush_company() {
  if (waits_for_company()) flush();
}

void outbox::send_routed_replies(peer_channel& c) noexcept {
  c.urgent = false;
  router_->reply_waits();
}

bool outbox::waits_for_company() const noexcept { return router_->waits().on() && !to_flush_.empty(); }

// ---- settings and errors ----

void outbox::set_aggregate(peer kind, std::size_t bytes) noexcept {
  if (order_of(self) != nullptr) bytes = 0;  // the order of arrivals is one of frames: each message has its own
  aggregate_[std::size_t(kind)] = bytes;
  for (const std::uint32_t i : prepared_) {
    peer_channel& c = at(i);
    if (kind_of(c) != kind) continue;
    push(c);
    c.aggregate = std::min(bytes, longest_frame(c.far));
  }
}

peer outbox::kind_of(const peer_channel& c) const noexcept {
  return c.to == self.rank ? peer::self : c.far ? peer::network : peer::host;
}

bool outbox::has(peer kind) const noexcept {
  if (kind == peer::self) return true;
  for (rank_t r = 0; r < self.places; ++r)
    if (r != self.rank && host_.far[std::size_t(r)] == (kind == peer::network)) return true;
  return false;
}

std::size_t outbox::aggregate(peer kind) const noexcept {
  const peer there = has(kind) ? kind : peer::self;
  return std::min(aggregate_[std::size_t(there)], longest_frame(there == peer::network));
}

void outbox::open_network(endpoint& all, role who) {
  far_ = remote_traffic::open(all, who);
  if (far_ == nullptr) return;
  count_backlogs(backlog_channels_);
  // A block over a network is a transfer of its own, which asks and answers first: dear for a few words.
  constexpr std::size_t least_by_network = 512;
  eager_ = std::clamp(eager_, least_by_network, far_->link.most() - 2 * sizeof(bundle_header));
  if (who == role::rank) router_ = router::open(*this);
  for (const std::uint32_t i : prepared_)
    if (peer_channel& c = at(i); c.far) c.aggregate = std::min(aggregate_[std::size_t(peer::network)], longest_frame(true));
}

void outbox::close_network() noexcept {
  far_.reset();
  count_backlogs(backlog_channels_);
}

bool outbox::moves_for(const void* owner) const noexcept { return far_ != nullptr && far_->moves_for(owner); }

// ---- what templates know ----

std::byte* sending::append_slowly(channel_head& c, handler_id h, std::size_t size, traffic kind) {
  return static_cast<outbox*>(this)->append_in_general(outbox::full(c), h, size, kind);
}

std::byte* sending::begin_alone_slowly(channel_head& c, handler_id h, std::size_t size, traffic kind, audience to) {
  return static_cast<outbox*>(this)->begin_alone_in_general(outbox::full(c), h, size, kind, to);
}

void sending::await_credit(channel_head& c) { static_cast<outbox*>(this)->wait_for_credit(outbox::full(c)); }

bool sending::admit_one_way_call_slowly(channel_head& c) {
  const job_block& job = static_cast<outbox*>(this)->host_.job();
  await_credit(c);
  if (!c.lost || job.goes_on == 0 || !job.was_taken(c.to)) return true;  // it is sent, or refused
  ++count_.one_way_calls_dropped;
  return false;
}

bool sending::publish_full(channel_head& c) {
  publish(c);
  return true;
}

void sending::push(channel_head& c) { static_cast<outbox*>(this)->push_frame(outbox::full(c)); }

// By default it answers what a network brings. Ranks that share memory would wake a thread for what the rank itself does sooner.
channel_head& sending::progress_channel_of(channel_head& c) const noexcept {
  const auto index = std::size_t(reinterpret_cast<std::byte*>(&c) - channels_) / channel_stride;
  const bool has_one = self.settings->progress == progress_mode::thread || static_cast<const outbox*>(this)->host_.far[index];
  return has_one ? channel_at(index + progress_channels_) : c;
}

void sending::flush_listed() { static_cast<outbox*>(this)->flush_all(); }

void sending::flush(rank_t dest) {
  push(to(dest));
  if (peer_channel* const way = outbox::full(to(dest)).way) [[unlikely]]
    push(*way);
  if (progress_channels_ != 0) [[unlikely]]
    push(to_progress_thread(to(dest)));
}

void sending::wake(const channel_head& c) noexcept {
  detail::wake(*c.peer);
  ++count_.wakes_sent;
}

control_block& sending::scattered_control(rank_t r) const noexcept { return static_cast<const outbox*>(this)->host_.control(r); }

shared_range sending::memory_for(rank_t dest) const noexcept {
  const host_map& host = static_cast<const outbox*>(this)->host_;
  if (host.segment[std::size_t(dest)] == nullptr) return {};  // that rank does not map this one's either
  return own_memory();
}

shared_range sending::own_memory() const noexcept {
  const host_map& host = static_cast<const outbox*>(this)->host_;
  return {host.segment_start(self.rank), host.layout.segment_bytes, eager_};
}

void sending::throw_no_such_rank(rank_t dest, const char* operation) const {
  require_own_thread(operation);
  throw_bad_rank(operation, dest, self.places);
}

void sending::throw_on_progress_thread(const char* operation) const {
  throw_usage(operation,
              "a safe body, which runs on the progress thread of its rank, sends nothing but its reply and makes nothing that "
              "belongs to its rank; return what the caller needs, or leave out safe()");
}

}  // namespace armilla::detail
