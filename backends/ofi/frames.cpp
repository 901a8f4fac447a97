// SPDX-License-Identifier: Apache-2.0
// Frames, out and in, and what libfabric says of all that it does.
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>

#include "backends/ofi/ofi_network.hpp"

namespace armilla::ofi {
namespace {

constexpr std::uint32_t most_to_one = 32;       // frames under way to a peer, that it may keep if it dies
constexpr std::size_t completions_a_look = 16;  // read by one call

}  // namespace

// ---- out ----

std::byte* ofi_network::acquire(rank_t to, std::size_t) {
  const peer& p = peer_of(to);
  if (p.lost || finished_) [[unlikely]]
    return no_buffer_.get();
  if (p.frames >= most_to_one || (current_ == nullptr && !fresh_buffer())) return nullptr;
  return reinterpret_cast<std::byte*>(current_->place + 1);
}

/// The last one that was used is used again first: the pages of the others are never touched.
bool ofi_network::fresh_buffer() {
  if (free_buffers_ == nullptr && !more_buffers()) return false;
  current_ = static_cast<send_buffer*>(std::exchange(free_buffers_, free_buffers_->next));
  return true;
}

bool ofi_network::more_buffers() {
  if (buffers_.size() * operations_a_chunk >= most_send_buffers + kept_buffers_) return false;
  chunk_of_buffers& chunk = buffers_.emplace_back();
  const std::size_t bytes = room_of_frame() * operations_a_chunk;
  chunk.bytes = std::make_unique_for_overwrite<std::byte[]>(bytes);
  if (const int error = enroll(chunk.bytes.get(), bytes, FI_SEND, chunk.registered); error != 0) {
    broken(std::string("fi_mr_reg: ") + fi_strerror(error));
    return false;
  }
  for (std::size_t i = operations_a_chunk; i-- > 0;) {
    send_buffer& each = chunk.each[i];
    each.what = operation::kind::frame;
    each.place = reinterpret_cast<packet_head*>(chunk.bytes.get() + i * room_of_frame());
    each.descriptor = chunk.registered.descriptor();
    each.next = std::exchange(free_buffers_, &each);
  }
  return true;
}

void ofi_network::submit(rank_t to, std::size_t bytes) {
  peer& p = peer_of(to);
  if (p.key == 0) [[unlikely]]
    (void)know(to);
  if (p.lost || finished_) return;  // what goes to it is forgotten
  send_buffer& buffer = *std::exchange(current_, nullptr);
  buffer.with = to;
  ++p.frames;
  buffer.bytes = sizeof(packet_head) + bytes;
  *buffer.place = {std::uint32_t(rank_), p.next_out++, p.key};
  send(buffer);
}

void ofi_network::send(operation& what) {
  peer& p = peer_of(what.with);
  what.life = p.life;
  if (p.waiting.empty()) {
    if (sent(what)) return;
    with_waiting_.push_back(what.with);
  }
  p.waiting.push(what);
}

/// False: the provider has no room now.
bool ofi_network::sent(operation& what) {
  const ssize_t result = post(what);
  if (result == -FI_EAGAIN) return false;
  if (result == 0) {
    ++peer_of(what.with).under_way;
    ++under_way_;
  } else {
    const rank_t to = what.with;
    drop(what);
    lose(to, std::string("send: ") + fi_strerror(int(-result)));
  }
  return true;
}

ssize_t ofi_network::post(operation& what) {
  const fi_addr_t to = peer_of(what.with).address;
  switch (what.what) {
    case operation::kind::frame: {
      auto& buffer = static_cast<send_buffer&>(what);
      return fi_send(endpoint_.get(), buffer.place, buffer.bytes, buffer.descriptor, to, &what.context);
    }
    case operation::kind::two_way_call: {
      auto& asks = static_cast<sent_two_way_call&>(what);
      return fi_send(endpoint_.get(), &asks.words, sizeof asks.words, asks.descriptor, to, &what.context);
    }
    default: {
      auto& t = static_cast<transfer&>(what);
      if (const int error = enroll(t.place + t.moved, t.piece, FI_SEND, t.registered); error != 0) return -error;
      const ssize_t result =
          fi_tsend(endpoint_.get(), t.place + t.moved, t.piece, t.registered.descriptor(), to, t.tag, &what.context);
      t.posted = result == 0;
      return result;
    }
  }
}

/// It is over, well or not.
void ofi_network::drop(operation& what) {
  if (what.what == operation::kind::bulk_out) return end(static_cast<transfer&>(what));
  const bool frame = what.what == operation::kind::frame;
  if (peer& p = peer_of(what.with); frame && what.life == p.life) --p.frames;
  what.next = std::exchange(frame ? free_buffers_ : free_two_way_calls_, &what);
}

/// libfabric has it no more.
void ofi_network::returned(const operation& what) {
  peer& p = peer_of(what.with);
  if (p.lost || what.life != p.life) return;
  --p.under_way;
  --under_way_;
}

void ofi_network::send_waiting() {
  for (operation_list receives = unposted_.taken(); !receives.empty();) receive(receives.pop());
  for (std::size_t i = 0; i < with_waiting_.size();) {
    peer& p = peer_of(with_waiting_[i]);
    while (!p.waiting.empty()) {
      operation& next = p.waiting.pop();
      if (sent(next)) continue;
      p.waiting.push_front(next);
      break;
    }
    if (!p.waiting.empty()) {
      ++i;
    } else {
      with_waiting_[i] = with_waiting_.back();
      with_waiting_.pop_back();
    }
  }
}

// ---- in ----

detail::network::arrival ofi_network::poll() {
  if (arrivals_.empty()) {
    if (!finished_) progress();
    if (arrivals_.empty()) return {};
  }
  auto& slot = static_cast<receive_slot&>(arrivals_.pop());
  return {slot.place + sizeof(packet_head), slot.bytes - sizeof(packet_head), rank_t(slot.head().source),
          reinterpret_cast<std::uintptr_t>(&slot)};
}

void ofi_network::release(std::uintptr_t token) { receive(*reinterpret_cast<receive_slot*>(token)); }

/// Gives libfabric a place for what comes.
void ofi_network::receive(operation& what) {
  if (finished_) return;
  if (!received(what)) unposted_.push(what);
}

/// False: the provider has no room now.
bool ofi_network::received(operation& what) {
  ssize_t result = 0;
  if (what.what == operation::kind::receive) {
    result = fi_recv(endpoint_.get(), static_cast<receive_slot&>(what).place, sizeof(packet_head) + most_,
                     receive_memory_.descriptor(), FI_ADDR_UNSPEC, &what.context);
    if (result != 0 && result != -FI_EAGAIN) broken(std::string("fi_recv: ") + fi_strerror(int(-result)));
    return result != -FI_EAGAIN;
  }
  auto& t = static_cast<transfer&>(what);
  const int error = enroll(t.place + t.moved, t.piece, FI_RECV, t.registered);
  result = error != 0 ? -error
                      : fi_trecv(endpoint_.get(), t.place + t.moved, t.piece, t.registered.descriptor(), FI_ADDR_UNSPEC, t.tag, 0,
                                 &what.context);
  if (result == -FI_EAGAIN) return false;
  t.posted = result == 0;
  if (t.posted) {
    ask(t);
  } else {
    end(t);
    lose(t.with, std::string("receive of bulk: ") + fi_strerror(int(-result)));
  }
  return true;
}

void ofi_network::progress() {
  if (!with_waiting_.empty() || !unposted_.empty()) [[unlikely]]
    send_waiting();
  fi_cq_msg_entry done[completions_a_look];
  const ssize_t n = fi_cq_read(queue_.get(), done, completions_a_look);
  for (ssize_t i = 0; i < n; ++i)
    if (done[i].op_context != nullptr) complete(*static_cast<operation*>(done[i].op_context), done[i].len);
  if (n >= 0 || n == -FI_EAGAIN) return;
  if (n == -FI_EAVAIL) return take_error();
  broken(std::string("fi_cq_read: ") + fi_strerror(int(-n)));
}

void ofi_network::take_error() {
  fi_cq_err_entry entry{};
  if (fi_cq_readerr(queue_.get(), &entry, 0) < 0) return;
  char room[128] = "";
  const char* const more = fi_cq_strerror(queue_.get(), entry.prov_errno, entry.err_data, room, sizeof room);
  std::string why = fi_strerror(entry.err);
  if (entry.prov_errno != 0 && more != nullptr && *more != '\0' && why != more) why += std::string(" (") + more + ")";
  if (entry.op_context != nullptr) failed(*static_cast<operation*>(entry.op_context), entry.err, std::move(why));
}

void ofi_network::complete(operation& what, std::size_t bytes) {
  switch (what.what) {
    case operation::kind::receive: {
      auto& slot = static_cast<receive_slot&>(what);
      slot.bytes = bytes;
      if (!take(slot)) receive(slot);
      return;
    }
    case operation::kind::frame:
    case operation::kind::two_way_call: returned(what); return drop(what);
    case operation::kind::bulk_out:
      returned(what);
      return moved(static_cast<transfer&>(what), static_cast<transfer&>(what).piece);
    case operation::kind::bulk_in: return moved(static_cast<transfer&>(what), bytes);
  }
}

void ofi_network::failed(operation& what, int error, std::string why) {
  // A frame that is too long, or of a peer that broke off: no rank is known by it, and a sender learns of it by itself.
  if (what.what == operation::kind::receive) return receive(what);
  const rank_t with = what.with;
  const bool present = what.life == peer_of(with).life;
  if (what.what == operation::kind::bulk_in) {
    end(static_cast<transfer&>(what));
  } else {
    returned(what);
    drop(what);
  }
  if (present) lose(with, error == FI_ECANCELED ? "the connection broke" : std::move(why));
}

/// Whether the slot stays with us. False: what is in it is no frame, or has been seen to.
bool ofi_network::take(receive_slot& slot) {
  if (finished_) return true;
  if (slot.bytes < sizeof(packet_head)) return refuse_stranger();
  const std::uint32_t source = slot.head().source & ~packet_head::asks;
  if (source >= std::uint32_t(ranks_)) return refuse_stranger();
  peer& from = peers_[source];
  if (const std::uint64_t key = slot.head().key; key != from.key || key == 0) [[unlikely]] {  // 0: of one that is not known yet
    if (key == from.gone && from.life != 0) return false;                                     // of the one before
    if (from.key != 0 || !know(rank_t(source)) || key != from.key) return refuse_stranger();
  }
  if ((slot.head().source & packet_head::asks) != 0) {
    two_way_call asked;
    if (slot.bytes != sizeof asked) return refuse_stranger();
    std::memcpy(&asked, slot.place, sizeof asked);
    answer(rank_t(source), asked);
    return false;
  }
  if (slot.head().number != from.next_in) [[unlikely]] {
    if (std::int32_t(slot.head().number - from.next_in) < 0) return refuse_stranger();
    early_.push_back(&slot);
    return true;
  }
  ++from.next_in;
  arrivals_.push(slot);
  if (!early_.empty()) [[unlikely]]
    take_early(source);
  return true;
}

void ofi_network::take_early(std::uint32_t source) {
  peer& from = peers_[source];
  for (std::size_t i = 0; i < early_.size();) {
    if (early_[i]->head().source != source || early_[i]->head().number != from.next_in) {
      ++i;
      continue;
    }
    ++from.next_in;
    arrivals_.push(*early_[i]);
    early_[i] = early_.back();
    early_.pop_back();
    i = 0;
  }
}

/// No rank of this job. Said once: a flood of this port is not to flood the output.
bool ofi_network::refuse_stranger() {
  if (!refused_)
    std::fprintf(
        stderr,
        "armilla: rank %d, receive over libfabric: a frame without this job's key was refused, and so will be all others; "
        "some other program sends to the job's port\n",
        rank_);
  refused_ = true;
  return false;
}

}  // namespace armilla::ofi
