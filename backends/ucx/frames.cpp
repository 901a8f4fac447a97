// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "backends/ucx/ucx_network.hpp"

namespace armilla::detail {

// ---- sending ----

std::byte* ucx_network::acquire(rank_t, std::size_t) {
  if (current_ == nullptr) {
    current_ = free_buffers_ != nullptr ? free_buffers_ : fresh_buffer();
    if (current_ == nullptr) return nullptr;
    if (current_ == free_buffers_) free_buffers_ = current_->next;
  }
  return current_->frame();
}

ucx_network::send_buffer* ucx_network::fresh_buffer() {
  if (buffers_made_ == most_send_buffers) return nullptr;
  std::size_t each = align_up(sizeof(send_buffer) + most_, cache_line);
  // All in one piece, whose pages come when they are written: the last buffer used is used again first.
  if (!buffers_) buffers_ = std::make_unique_for_overwrite<std::byte[]>(each * most_send_buffers);
  return new (buffers_.get() + each * buffers_made_++)
      send_buffer{this, nullptr, no_rank, 0, {static_cast<std::uint32_t>(rank_), 0, 0}};
}

void ucx_network::submit(rank_t to, std::size_t bytes) {
  ucp_ep_h endpoint = endpoint_of(to);
  if (endpoint == nullptr) return;  // lost: what goes to it is forgotten
  send_buffer* buffer = current_;
  buffer->to = to;
  peer& other = peers_[static_cast<std::size_t>(to)];
  buffer->life = other.life;
  buffer->front = {static_cast<std::uint32_t>(rank_), other.next_out++, other.key};
  how_to_send_.user_data = buffer;
  const std::size_t length = sizeof(prefix) + bytes;
  const unsigned id = length <= most_short ? short_frame : long_frame;
  ucs_status_ptr_t request = ucp_am_send_nbx(endpoint, id, nullptr, 0, &buffer->front, length, &how_to_send_);
  if (buffer->front.number == 0) [[unlikely]]
    greet(to);
  if (request == nullptr) return;  // it is out: the buffer is free again
  if (UCS_PTR_IS_ERR(request)) return broken(to, other.life, UCS_PTR_STATUS(request));
  current_ = nullptr;
  ++sends_under_way_;
}

void ucx_network::on_sent(void* request, ucs_status_t status, void* buffer) {
  auto* sent = static_cast<send_buffer*>(buffer);
  ucx_network& self = *sent->owner;
  if (status != UCS_OK) self.broken(sent->to, sent->life, status);
  --self.sends_under_way_;
  sent->next = self.free_buffers_;
  self.free_buffers_ = sent;
  ucp_request_free(request);
}

// ---- receiving ----

network::arrival ucx_network::poll() {
  if (head_ == tail_) {
    ucp_worker_progress(worker_);
    if (head_ == tail_) return {};
  }
  const came& first = arrivals_[head_++ & (arrivals_.size() - 1)];
  return {first.data, first.bytes(), static_cast<rank_t>(first.source()), first.token()};
}

void ucx_network::release(std::uintptr_t token) {
  if ((token & 1) != 0) [[likely]] {  // a slot of ours
    auto* slot = reinterpret_cast<short_slot*>(token - 1);
    slot->next = free_slots_;
    free_slots_ = slot;
  } else if (worker_ != nullptr) {  // behind the end UCX's memory is gone
    ucp_am_data_release(worker_, reinterpret_cast<void*>(token));
  }
}

ucs_status_t ucx_network::on_frame(void* self, const void*, std::size_t, void* data, std::size_t length,
                                   const ucp_am_recv_param_t* how) {
  // A rendezvous is nothing that we send. UCX gives what it does not see taken back to itself.
  if ((how->recv_attr & UCP_AM_RECV_ATTR_FLAG_DATA) == 0) return UCS_OK;
  return static_cast<ucx_network*>(self)->take(data, length, data, false) ? UCS_INPROGRESS : UCS_OK;
}

ucs_status_t ucx_network::on_short_frame(void* self_, const void*, std::size_t, void* data, std::size_t length,
                                         const ucp_am_recv_param_t* how) {
  if (length > most_short || (how->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0) [[unlikely]]
    return UCS_OK;
  auto& self = *static_cast<ucx_network*>(self_);
  short_slot* slot = self.free_slots_;
  if (slot == nullptr) [[unlikely]]
    slot = &self.slots_.emplace_back();
  else
    self.free_slots_ = slot->next;
  std::memcpy(slot->bytes, data, length);
  if (!self.take(data, length, slot->bytes, true)) [[unlikely]]
    self.release(reinterpret_cast<std::uintptr_t>(slot) | 1);
  return UCS_OK;
}

/// Whether the frame stays with us; false: it is none. `data`: where it came; `kept`: where it stays.
inline bool ucx_network::take(const void* data, std::size_t length, const void* kept, bool in_slot) {
  if (length < sizeof(prefix) || length - sizeof(prefix) > most_ || finished_) [[unlikely]]
    return !finished_ && refuse_stranger();
  prefix front;
  std::memcpy(&front, data, sizeof front);
  if (front.source >= static_cast<std::uint32_t>(ranks_)) [[unlikely]]
    return refuse_stranger();
  peer& from = peers_[front.source];
  if (front.key != from.key || front.key == 0) [[unlikely]] {    // 0: of one whose address is not known yet
    if (from.life != 0 && front.key == from.gone) return false;  // of the one before
    if (from.key != 0 || front.key != find_key(static_cast<rank_t>(front.source)) || front.key == 0) return refuse_stranger();
  }
  const came what(static_cast<const std::byte*>(kept) + sizeof(prefix), length - sizeof(prefix), front.source, in_slot);
  if (front.number != from.next_in) [[unlikely]]
    return take_early(front.number, what);
  ++from.next_in;
  push(what);
  if (!early_.empty()) [[unlikely]]
    deliver_early(front.source);
  return true;
}

/// No rank of this job. Said once: a flood of this port is not to flood the output.
bool ucx_network::refuse_stranger() {
  if (!refused_)
    std::fprintf(
        stderr,
        "armilla: rank %d, receive over UCX: a frame without this job's key was refused, and so will be all others; some "
        "other program sends to the job's port\n",
        rank_);
  refused_ = true;
  return false;
}

bool ucx_network::take_early(std::uint32_t number, const came& what) {
  const auto early_by = static_cast<std::int32_t>(number - peers_[what.source()].next_in);
  if (early_by < 0) return false;  // remote_link's credit bounds how many come early
  early_.push_back({number, what});
  return true;
}

inline void ucx_network::push(const came& what) {
  if (tail_ - head_ == arrivals_.size()) [[unlikely]]
    widen();
  came& place = arrivals_[tail_++ & (arrivals_.size() - 1)];
  place.data = what.data;
  place.rest = what.rest;
}

void ucx_network::widen() {
  std::vector<came> larger(arrivals_.size() * 2);
  for (std::uint64_t i = head_; i != tail_; ++i) larger[i & (larger.size() - 1)] = arrivals_[i & (arrivals_.size() - 1)];
  arrivals_.swap(larger);
}

void ucx_network::deliver_early(std::uint32_t source) {
  peer& from = peers_[source];
  for (std::size_t i = 0; i < early_.size();) {
    if (early_[i].what.source() != source || early_[i].number != from.next_in) {
      ++i;
      continue;
    }
    ++from.next_in;
    push(early_[i].what);
    early_[i] = early_.back();
    early_.pop_back();
    i = 0;
  }
}

}  // namespace armilla::detail
