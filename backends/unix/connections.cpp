// SPDX-License-Identifier: Apache-2.0
// How ranks find each other, and how they learn that one has gone.
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "backends/unix/unix_network.hpp"

namespace armilla::unix_sockets {
namespace {

constexpr int wanted_buffer = 1 << 20;
constexpr std::size_t kernel_keeps = 32;  // of a socket's buffer, from each packet

descriptor_owner new_socket() {
  descriptor_owner made(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (made) (void)setsockopt(made.get(), SOL_SOCKET, SO_SNDBUF, &wanted_buffer, sizeof wanted_buffer);
  return made;
}

std::size_t longest_packet(int socket) {
  int bytes = 0;
  socklen_t size = sizeof bytes;
  return getsockopt(socket, SOL_SOCKET, SO_SNDBUF, &bytes, &size) == 0 ? std::size_t(bytes) - kernel_keeps : 0;
}

const sockaddr* name_of(const sockaddr_un& where) { return reinterpret_cast<const sockaddr*>(&where); }

}  // namespace

bool same_user(int socket) noexcept {
  ucred other{};
  socklen_t size = sizeof other;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &other, &size) == 0 && other.uid == geteuid();
}

bool unix_network::start(char* why, std::size_t room) {
  const auto refuse = [&](const char* what) {
    std::snprintf(why, room, "rank %d: %s: %s", rank_, what, std::strerror(errno));
    return false;
  };
  listener_ = new_socket();
  if (!listener_) return refuse("no socket");
  if (longest_packet(listener_.get()) < most_ + sizeof(packet_head)) {
    std::snprintf(why, room, "a packet of a unix-domain socket holds %zu bytes, a frame needs %zu: raise net.core.wmem_max",
                  longest_packet(listener_.get()), most_ + sizeof(packet_head));
    return false;
  }
  // A name of the family alone: the kernel chooses one, outside of the file system.
  mine_.where.sun_family = AF_UNIX;
  mine_.bytes = sizeof mine_.where;
  if (bind(listener_.get(), name_of(mine_.where), sizeof mine_.where.sun_family) != 0 ||
      getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&mine_.where), &mine_.bytes) != 0 ||
      listen(listener_.get(), SOMAXCONN) != 0)
    return refuse("it cannot listen");
  if (getrandom(&mine_.key, sizeof mine_.key, 0) != sizeof mine_.key) return refuse("no random key");
  if (!can_accept()) return refuse("it cannot accept (accept4)");
  events_.reset(epoll_create1(EPOLL_CLOEXEC));
  return (events_ && watch(listener_.get(), source::listener, 0, EPOLLIN) && can_look()) || refuse("no epoll");
}

// Tried before any rank knows the name: what a system refuses is an error at the start, not a wait without end.
bool unix_network::can_accept() const {
  const descriptor_owner stranger(accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  return stranger || errno == EAGAIN || errno == EINTR || errno == ECONNABORTED;
}
bool unix_network::can_look() const {
  epoll_event e{};
  return epoll_wait(events_.get(), &e, 1, 0) >= 0 || errno == EINTR;
}

bool unix_network::watch(int socket, source what, std::uint32_t which, std::uint32_t events) {
  epoll_event e{};
  e.events = events;
  e.data.u64 = std::uint64_t(what) << 32 | which;
  return epoll_ctl(events_.get(), EPOLL_CTL_ADD, socket, &e) == 0 ||
         (errno == EEXIST && epoll_ctl(events_.get(), EPOLL_CTL_MOD, socket, &e) == 0);
}

/// Closes it. A child that this process has forked may hold it, too: then closing alone would leave its events.
void unix_network::forget(descriptor_owner& watched) noexcept {
  if (watched) epoll_ctl(events_.get(), EPOLL_CTL_DEL, watched.get(), nullptr);
  watched.reset();
}

void unix_network::ask_for_room(rank_t to, bool wanted) {
  peer& p = peer_of(to);
  if (!p.out || p.asks_for_room == wanted) return;
  p.asks_for_room = wanted;
  (void)watch(p.out.get(), source::to_peer, std::uint32_t(to), wanted ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

/// False: not now, for too many others call there at the same time.
bool unix_network::connect(rank_t to) {
  peer& p = peer_of(to);
  const address_of_rank& there = addresses_[to];
  descriptor_owner made = new_socket();
  if (!made) return lose(to, std::string("no socket for it: ") + std::strerror(errno)), true;
  if (::connect(made.get(), name_of(there.where), there.bytes) != 0) {
    if (errno == EAGAIN || errno == EINTR) return false;
    return close_out(to, std::string("it cannot be called: ") + std::strerror(errno)), true;
  }
  if (!same_user(made.get())) return lose(to, "another user listens at its name"), true;
  p.out = std::move(made);
  if (!watch(p.out.get(), source::to_peer, std::uint32_t(to), EPOLLIN))
    return lose(to, std::string("epoll: ") + std::strerror(errno)), true;
  p.queue.push_front({{packet::hello, std::uint32_t(rank_), there.key}, {}});
  flush(to);
  return true;
}

void unix_network::connect_again() {
  for (const rank_t to : std::exchange(unconnected_, {}))
    if (!peer_of(to).deaf && !peer_of(to).out && !connect(to)) unconnected_.push_back(to);
}

void unix_network::accept_all() {
  for (;;) {
    descriptor_owner caller(accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (caller) {
      if (same_user(caller.get()) && watch(caller.get(), source::stranger, std::uint32_t(caller.get()), EPOLLIN))
        strangers_.insert_or_assign(caller.get(), std::move(caller));
    } else if (errno != EINTR && errno != ECONNABORTED) {
      if (errno == EAGAIN) return;
      forget(listener_);  // else its event would come for ever
      return lose(rank_, std::string("no rank can call this one any more: ") + std::strerror(errno));
    }
  }
}

/// The first packet of a caller says which rank it is, and knows this rank's key. Others are sent away.
void unix_network::greet(int stranger) {
  if (!strangers_.contains(stranger)) return;  // an event of the same look has made it known: what it sends now is a frame
  packet_head head;
  const ssize_t bytes = recv(stranger, &head, sizeof head, MSG_DONTWAIT | MSG_TRUNC);
  if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) return;
  descriptor_owner caller = std::move(strangers_.extract(stranger).mapped());
  const bool known = bytes == sizeof head && head.kind == packet::hello && head.at == mine_.key && head.id < peers_.size();
  if (!known || peers_[head.id].in || peers_[head.id].lost) return forget(caller);
  if (!watch(stranger, source::from_peer, head.id, EPOLLIN)) return lose(rank_t(head.id), "epoll");
  peers_[head.id].in = std::move(caller);
}

void unix_network::greet_all() {
  accept_all();
  for (auto next = strangers_.begin(); next != strangers_.end();) greet((next++)->first);
}

/// Nothing can be sent to this peer any more. What it has sent before is still read; the end of that tells its loss.
void unix_network::close_out(rank_t to, std::string why) {
  greet_all();
  peer& p = peer_of(to);
  if (!p.in) return lose(to, std::move(why));
  forget(p.out);
  p.deaf = true;
  p.queue.clear();
}

void unix_network::lose(rank_t r, std::string why) {
  peer& p = peer_of(r);
  if (p.lost) return;
  p.lost = p.deaf = true;
  forget(p.out);
  forget(p.in);
  p.queue.clear();
  p.moving.clear();
  p.offered.clear();
  p.transfer_in.clear();
  for (transfer& each : transfers_)
    if (each.with == r) each.over = true;
  losses_.push_back({r, std::move(why)});
}

detail::network::loss unix_network::lost() {
  if (told_ == losses_.size()) return {};
  const told_loss& next = losses_[told_++];
  return {next.rank, next.why.c_str()};
}

// The one before has ended, so all its calls are there, and are refused as long as it counts as lost.
void unix_network::expect(rank_t r) {
  greet_all();
  const bool ready = peer_of(r).ready;
  peer_of(r) = {};
  peer_of(r).ready = ready;
  std::erase(unconnected_, r);
}

void unix_network::give_up(rank_t r) { lose(r, "it was given up"); }

}  // namespace armilla::unix_sockets
