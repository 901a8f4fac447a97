// SPDX-License-Identifier: Apache-2.0
#include "backends/unix/unix_network.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>

namespace armilla::unix_sockets {
namespace {

constexpr std::size_t most_waiting = 16;  // frames for a peer that does not read
constexpr int events_a_look = 32;
constexpr std::uint32_t polls_a_look = 16;  // while there is always something to read, for what waits for room
constexpr int packets_a_poll = 16;          // that are no frames
constexpr int last_words_within_ms = 100;

}  // namespace

unix_network::unix_network(rank_t rank, rank_t ranks, const detail::network_settings& settings)
    : rank_(rank),
      ranks_(ranks),
      most_(settings.frame_bytes),
      peers_(std::size_t(ranks)),
      room_((settings.frame_bytes + 7) / 8),
      slots_(std::max(settings.receives, 2u)) {
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    slots_[i] = std::make_unique<std::uint64_t[]>((sizeof(packet_head) + most_ + 7) / 8);
    free_slots_.push_back(i);
  }
}

detail::network* unix_network::open(rank_t rank, rank_t ranks, const detail::network_settings& settings, detail::bootstrap*,
                                    char* why, std::size_t room) {
  if (settings.hosts != 1) {
    std::snprintf(why, room, "unix-domain sockets join ranks of one host, and these are on %u", settings.hosts);
    return nullptr;
  }
  std::unique_ptr<unix_network> made(new unix_network(rank, ranks, settings));
  return made->start(why, room) ? made.release() : nullptr;
}

// ---- frames, out ----

std::byte* unix_network::acquire(rank_t to, std::size_t) {
  return peer_of(to).queue.size() < most_waiting ? reinterpret_cast<std::byte*>(room_.data()) : nullptr;
}

void unix_network::submit(rank_t to, std::size_t bytes) {
  post(to, {packet::frame, 0, 0}, reinterpret_cast<const std::byte*>(room_.data()), bytes);
}

void unix_network::post(rank_t to, const packet_head& head, const std::byte* data, std::size_t bytes) {
  peer& p = peer_of(to);
  if (!p.out && !p.deaf && p.queue.empty() && !connect(to)) unconnected_.push_back(to);
  if (p.deaf || (p.queue.empty() && p.out && send_now(to, head, data, bytes))) return;
  p.queue.push_back({head, {data, data + bytes}});
  ask_for_room(to, true);
}

/// False: the socket has no room. True: it is on its way, or lost with its receiver.
bool unix_network::send_now(rank_t to, const packet_head& head, const std::byte* data, std::size_t bytes) {
  iovec parts[2] = {{const_cast<packet_head*>(&head), sizeof head}, {const_cast<std::byte*>(data), bytes}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  if (sendmsg(peer_of(to).out.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) return true;
  if (errno == EAGAIN || errno == ENOBUFS || errno == EINTR) return false;
  close_out(to, "the connection broke");
  return true;
}

/// What waits, in its order; bulk behind it.
void unix_network::flush(rank_t to) {
  peer& p = peer_of(to);
  while (!p.queue.empty()) {
    const waiting_packet& next = p.queue.front();
    if (!send_now(to, next.head, next.data.data(), next.data.size())) return ask_for_room(to, true);
    if (p.deaf) return;
    p.queue.pop_front();
  }
  ask_for_room(to, !send_pieces(to));
}

// ---- frames, in ----

detail::network::arrival unix_network::poll() {
  if (ready_.empty() || ++polls_ % polls_a_look == 0) look();
  arrival frame;
  for (int packets = 0; !ready_.empty() && packets < packets_a_poll; ++packets) {
    const rank_t from = ready_.front();
    ready_.pop_front();
    peer_of(from).ready = receive(from, frame);
    if (peer_of(from).ready) ready_.push_back(from);  // behind the others
    if (frame.data != nullptr) break;
  }
  return frame;
}

/// Reads one packet. False: there is none.
bool unix_network::receive(rank_t from, arrival& frame) {
  peer& p = peer_of(from);
  if (!p.in || free_slots_.empty()) return bool(p.in);
  const std::uint32_t slot = free_slots_.back();
  auto* const place = reinterpret_cast<std::byte*>(slots_[slot].get());
  const std::size_t room = sizeof(packet_head) + most_;
  const ssize_t came = recv(p.in.get(), place, room, MSG_DONTWAIT | MSG_TRUNC);
  if (came < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (came <= 0) return lose(from, came == 0 ? "the connection broke" : std::strerror(errno)), false;
  packet_head head;
  if (std::size_t(came) < sizeof head || std::size_t(came) > room) return lose(from, "it sent what is no packet"), false;
  std::memcpy(&head, place, sizeof head);
  const std::byte* const data = place + sizeof head;
  const std::size_t bytes = std::size_t(came) - sizeof head;
  switch (head.kind) {
    case packet::frame:
      free_slots_.pop_back();
      frame = {data, bytes, from, slot};
      break;
    case packet::want: wanted(from, head.id); break;
    case packet::piece: take_piece(from, head, data, bytes); break;
    default: lose(from, "it sent a packet of no kind");
  }
  return true;
}

void unix_network::release(std::uintptr_t token) { free_slots_.push_back(std::uint32_t(token)); }

/// What the kernel has to say of all sockets, by one call.
void unix_network::look() {
  if (!unconnected_.empty()) connect_again();
  epoll_event events[events_a_look];
  const int n = epoll_wait(events_.get(), events, events_a_look, 0);
  for (int i = 0; i < n; ++i) handle(source(events[i].data.u64 >> 32), std::uint32_t(events[i].data.u64), events[i].events);
}

void unix_network::handle(source what, std::uint32_t which, std::uint32_t events) {
  switch (what) {
    case source::listener: return accept_all();
    case source::stranger: return greet(int(which));
    case source::from_peer:
      if (!peers_[which].in || std::exchange(peers_[which].ready, true)) return;
      ready_.push_back(rank_t(which));
      return;
    case source::to_peer:
      if (!peers_[which].out) return;
      if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0)
        return close_out(rank_t(which), "the connection broke");  // nothing else comes here
      return flush(rank_t(which));
  }
}

// ---- the end ----

void unix_network::finish() {
  if (!events_) return;
  last_words();
  ready_.clear();
  for (peer& p : peers_) p = {};
  strangers_.clear();
  listener_.reset();
  events_.reset();
}

/// Frames that still wait for room, if their receivers make some soon.
void unix_network::last_words() {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::milliseconds(last_words_within_ms);
  for (rank_t to = 0; to < ranks_; ++to)
    while (peer_of(to).out && !peer_of(to).queue.empty() && std::chrono::steady_clock::now() < limit) {
      pollfd one{peer_of(to).out.get(), POLLOUT, 0};
      (void)::poll(&one, 1, 10);
      flush(to);
    }
}

}  // namespace armilla::unix_sockets
