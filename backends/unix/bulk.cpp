// SPDX-License-Identifier: Apache-2.0
// Bulk: the receiver asks for it by its number, the sender answers with pieces.
#include <algorithm>
#include <cstring>

#include "backends/unix/unix_network.hpp"

namespace armilla::unix_sockets {
namespace {

constexpr int pieces_a_time = 8;  // then others have their turn

}  // namespace

unix_network::transfer* unix_network::begin(rank_t with, std::uint32_t id, bool receives, std::byte* place, std::size_t bytes) {
  transfer made{with, id, receives, place, bytes};
  made.over = peer_of(with).lost || (!receives && peer_of(with).deaf);
  if (free_transfers_.empty()) return &transfers_.emplace_back(made);
  transfer* const again = free_transfers_.back();
  free_transfers_.pop_back();
  *again = made;
  return again;
}

std::uintptr_t unix_network::send_bulk(rank_t to, std::uint32_t id, const std::byte* data, std::size_t bytes) {
  transfer* const t = begin(to, id, false, const_cast<std::byte*>(data), bytes);
  if (!t->over) peer_of(to).offered[id] = t;
  if (!t->over && peer_of(to).wanted.erase(id) != 0) wanted(to, id);
  return reinterpret_cast<std::uintptr_t>(t);
}

std::uintptr_t unix_network::receive_bulk(rank_t from, std::uint32_t id, std::byte* data, std::size_t bytes) {
  transfer* const t = begin(from, id, true, data, bytes);
  if (!t->over) peer_of(from).transfer_in[id] = t;
  if (!t->over) post(from, {packet::want, id, 0}, nullptr, 0);
  return reinterpret_cast<std::uintptr_t>(t);
}

bool unix_network::done(std::uintptr_t number) {
  auto* const t = reinterpret_cast<transfer*>(number);
  if (!t->over) return false;
  free_transfers_.push_back(t);
  return true;
}

void unix_network::wanted(rank_t by, std::uint32_t id) {
  peer& p = peer_of(by);
  const auto found = p.offered.find(id);
  if (found == p.offered.end()) {
    p.wanted.insert(id);
    return;
  }
  p.moving.push_back(found->second);
  p.offered.erase(found);
  if (!p.out && !p.deaf && p.queue.empty() && !connect(by)) unconnected_.push_back(by);
  ask_for_room(by, true);
}

/// True: nothing is left to send. Frames go in front: what waits is sent before the next pieces.
bool unix_network::send_pieces(rank_t to) {
  peer& p = peer_of(to);
  for (int pieces = 0; !p.moving.empty(); ++pieces) {
    transfer& t = *p.moving.front();
    const std::size_t now = std::min(t.bytes - t.moved, most_);
    if (pieces == pieces_a_time || !send_now(to, {packet::piece, t.id, t.moved}, t.place + t.moved, now)) return false;
    if (p.deaf) return true;
    t.moved += now;
    if (t.moved != t.bytes) continue;
    t.over = true;
    p.moving.pop_front();
  }
  return true;
}

void unix_network::take_piece(rank_t from, const packet_head& head, const std::byte* data, std::size_t bytes) {
  peer& p = peer_of(from);
  const auto found = p.transfer_in.find(head.id);
  if (found == p.transfer_in.end() || head.at != found->second->moved || bytes > found->second->bytes - head.at)
    return lose(from, "it sent a piece of no transfer");
  transfer& t = *found->second;
  if (bytes != 0) std::memcpy(t.place + head.at, data, bytes);
  t.moved += bytes;
  if (t.moved != t.bytes) return;
  t.over = true;
  p.transfer_in.erase(found);
}

}  // namespace armilla::unix_sockets
