// SPDX-License-Identifier: Apache-2.0
// Bulk: the receiver has a place for a piece and asks for it, the sender answers with a tagged message.
#include <algorithm>
#include <string>
#include <utility>

#include <rdma/fi_errno.h>

#include "backends/ofi/ofi_network.hpp"

namespace armilla::ofi {

transfer& ofi_network::begin(rank_t with, std::uint32_t id, operation::kind what, std::byte* place, std::size_t bytes) {
  transfer* made = free_transfers_ != nullptr ? static_cast<transfer*>(std::exchange(free_transfers_, free_transfers_->next))
                                              : &transfers_.emplace_back();
  *made = {};
  made->what = what;
  made->with = with;
  made->life = peer_of(with).life;
  made->id = id;
  made->place = place;
  made->bytes = bytes;
  made->over = peer_of(with).lost || finished_;
  return *made;
}

std::uintptr_t ofi_network::send_bulk(rank_t to, std::uint32_t id, const std::byte* data, std::size_t bytes) {
  transfer& t = begin(to, id, operation::kind::bulk_out, const_cast<std::byte*>(data), bytes);
  peer& p = peer_of(to);
  if (!t.over) p.offered[id] = &t;
  if (const auto early = p.asked.find(id); early != p.asked.end()) {
    const two_way_call asked = early->second;
    p.asked.erase(early);
    answer(to, asked);
  }
  return reinterpret_cast<std::uintptr_t>(&t);
}

std::uintptr_t ofi_network::receive_bulk(rank_t from, std::uint32_t id, std::byte* data, std::size_t bytes) {
  transfer& t = begin(from, id, operation::kind::bulk_in, data, bytes);
  if (!t.over) next_piece(t);
  return reinterpret_cast<std::uintptr_t>(&t);
}

bool ofi_network::done(std::uintptr_t number) {
  auto& t = *reinterpret_cast<transfer*>(number);
  if (!t.over) return false;
  t.next = std::exchange(free_transfers_, &t);
  return true;
}

void ofi_network::next_piece(transfer& t) {
  t.piece = std::min(t.bytes - t.moved, most_piece_);
  t.tag = next_tag_++ & tag_mask_;
  receive(t);
}

/// The receive is there.
void ofi_network::ask(transfer& t) {
  sent_two_way_call* const asks = fresh_two_way_call();
  if (asks == nullptr) return;
  asks->with = t.with;
  asks->words = {{std::uint32_t(rank_) | packet_head::asks, 0, peer_of(t.with).key}, t.id, 0, t.moved, t.piece, t.tag};
  send(*asks);
}

sent_two_way_call* ofi_network::fresh_two_way_call() {
  if (free_two_way_calls_ == nullptr) {
    chunk_of_two_way_calls& chunk = two_way_calls_.emplace_back();
    if (const int error = enroll(&chunk.each, sizeof chunk.each, FI_SEND, chunk.registered); error != 0) {
      broken(std::string("fi_mr_reg: ") + fi_strerror(error));
      return nullptr;
    }
    for (sent_two_way_call& each : chunk.each) {
      each.what = operation::kind::two_way_call;
      each.descriptor = chunk.registered.descriptor();
      each.next = std::exchange(free_two_way_calls_, &each);
    }
  }
  return static_cast<sent_two_way_call*>(std::exchange(free_two_way_calls_, free_two_way_calls_->next));
}

void ofi_network::answer(rank_t by, const two_way_call& asked) {
  peer& p = peer_of(by);
  if (p.lost) return;
  const auto found = p.offered.find(asked.id);
  if (found == p.offered.end()) {
    p.asked[asked.id] = asked;
    return;
  }
  transfer& t = *found->second;
  if (t.asked || asked.at != t.moved || asked.bytes > t.bytes - t.moved) return lose(by, "it asks for bulk that is not there");
  t.asked = true;
  t.piece = asked.bytes;
  t.tag = asked.tag;
  if (t.moved + t.piece == t.bytes) p.offered.erase(found);
  send(t);
}

/// A piece of it has left, or come.
void ofi_network::moved(transfer& t, std::size_t bytes) {
  t.asked = t.posted = false;
  t.registered = {};
  if (t.life != peer_of(t.with).life) return end(t);
  if (bytes != t.piece) {
    end(t);
    return lose(t.with, "it sent bulk of another length");
  }
  t.moved += bytes;
  if (t.moved == t.bytes) return end(t);
  if (t.what == operation::kind::bulk_in) next_piece(t);
}

void ofi_network::end(transfer& t) {
  t.posted = false;
  t.registered = {};
  t.over = true;
}

}  // namespace armilla::ofi
