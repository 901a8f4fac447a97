// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/watch/heartbeat.hpp"

#include <netinet/in.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "armilla/base/core/helper_thread.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/boot/host/interfaces.hpp"
#include "armilla/boot/watch/failure_record.hpp"
#include "armilla/boot/watch/tell_loss.hpp"

namespace armilla::detail {
namespace {

constexpr std::uint64_t beats = 20;  // in each time-out: a network that is full drops many

/// One datagram. The receiver's word shows that its sender belongs to the job.
struct beat {
  std::uint64_t magic = job_block::good_magic;
  std::uint32_t from = 0;
  std::uint32_t reserved = 0;
  unsigned char word[sizeof heartbeat_listener::word] = {};
};
static_assert(sizeof(beat) == 32);

/// What a host tells of its ranks.
struct news {
  beat from;
  std::int32_t lost = no_rank;
  char cause[sizeof departure::cause] = {};
};
constexpr int times_told = 2;  // a datagram may get lost

void list_addresses(heartbeat_listener& listener) {
  const std::vector<network_interface> all = outer_interfaces();
  for (std::size_t i = 0; i < std::min(all.size(), heartbeat_listener::most_addresses); ++i) listener.address[i] = all[i].address;
}

// To all addresses of a host, always: that one of them can be heard does not mean that it can be reached.
void send_to_all(int socket, const heartbeat_listener& host, const void* data, std::size_t bytes) noexcept {
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = host.port;
  for (const std::uint32_t address : host.address) {
    if (address == 0) continue;
    place.sin_addr.s_addr = address;
    sendto(socket, data, bytes, MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&place), sizeof place);
  }
}

}  // namespace

heartbeat::heartbeat(const network_interface& at) {
  const int made = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0) return;
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = at.address;
  socklen_t size = sizeof place;
  const bool good = bind(made, reinterpret_cast<const sockaddr*>(&place), size) == 0 &&
                    getsockname(made, reinterpret_cast<sockaddr*>(&place), &size) == 0 &&
                    getrandom(mine_.word, sizeof mine_.word, 0) == ssize_t(sizeof mine_.word);
  if (!good) {
    close(made);
    return;
  }
  socket_ = made;
  mine_.port = place.sin_port;
  if (at.there())
    mine_.address[0] = at.address;
  else
    list_addresses(mine_);
}

heartbeat::~heartbeat() {
  if (socket_ >= 0) close(socket_);
}

void heartbeat::start(const std::shared_ptr<heartbeat>& self, job_block& job, std::vector<host> hosts, std::size_t mine,
                      std::uint64_t timeout_ns) {
  if (self->socket_ < 0) return;
  self->job_ = &job;
  self->me_ = mine;
  self->timeout_ns_ = timeout_ns;
  for (host& h : hosts) self->peers_.push_back({std::move(h)});
  start_helper_thread("heartbeat", [self] { self->run(); }).detach();
}

void heartbeat::run() noexcept try {
  const std::uint64_t step = std::max<std::uint64_t>(timeout_ns_ / beats, 1'000'000);
  for (std::uint64_t next = now_ns();;) {
    send();
    next += step;
    for (std::uint64_t now; (now = now_ns()) < next;) {
      pollfd mine{socket_, POLLIN, 0};
      if (poll(&mine, 1, int((next - now) / 1'000'000) + 1) > 0) receive();
    }
    const std::uint64_t now = now_ns();
    receive();
    if (now - next < timeout_ns_ / 2) {
      judge(now);
    } else {  // this host, or this process, stood still itself
      for (peer& p : peers_)
        if (p.heard_ns != 0) p.heard_ns = now;
      next = now;
    }
  }
} catch (const std::exception&) {}  // no memory: no host is watched

void heartbeat::send() {
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    const peer& p = peers_[i];
    if (i == me_ || p.who.listener.port == 0) continue;
    beat mine;
    mine.from = std::uint32_t(me_);
    std::memcpy(mine.word, p.who.listener.word, sizeof mine.word);
    send_to_all(socket_, p.who.listener, &mine, sizeof mine);
  }
}

void heartbeat::receive() {
  news came;
  for (std::size_t left = 64 + 8 * peers_.size(); left != 0; --left) {  // a flood shall not keep this host from beating
    const ssize_t n = recv(socket_, &came, sizeof came, 0);
    if (n < 0) return;
    const beat& b = came.from;
    const bool whole = n == ssize_t(sizeof b) || n == ssize_t(sizeof came);
    const bool ours = whole && b.magic == job_block::good_magic && b.from < peers_.size() && b.from != me_ &&
                      std::memcmp(b.word, mine_.word, sizeof b.word) == 0;
    if (!ours) continue;
    peers_[b.from].heard_ns = now_ns();
    if (n == ssize_t(sizeof came)) hear(b.from, came.lost, {came.cause, strnlen(came.cause, sizeof came.cause)});
  }
}

// A host tells of its own ranks only. It has said so to the user: this host need not.
void heartbeat::hear(std::uint32_t from, rank_t lost, std::string_view cause) {
  const host& there = peers_[from].who;
  if (!std::ranges::binary_search(there.ranks, lost)) return;
  record_failure(*job_, lost, failure_kind::lost, 1, cause);
  tell_loss(*job_, lost, lost, cause, there.name);
}

void heartbeat::pass_on(const std::vector<heartbeat_listener>& listeners, std::size_t mine, rank_t lost,
                        std::string_view cause) noexcept {
  const int out = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (out < 0) return;
  news all{};
  all.from.from = std::uint32_t(mine);
  all.lost = lost;
  std::memcpy(all.cause, cause.data(), std::min(cause.size(), sizeof all.cause - 1));
  for (std::size_t i = 0; i < times_told * listeners.size(); ++i) {
    const heartbeat_listener& to = listeners[i % listeners.size()];
    if (i % listeners.size() == mine || to.port == 0) continue;
    std::memcpy(all.from.word, to.word, sizeof to.word);
    send_to_all(out, to, &all, sizeof all);
  }
  close(out);
}

void heartbeat::judge(std::uint64_t now) {
  if (!watching_.load(std::memory_order_relaxed)) return;
  for (peer& p : peers_)
    if (!p.lost && p.heard_ns != 0 && now > p.heard_ns + timeout_ns_) lose(p);
}

void heartbeat::lose(peer& p) {
  if (suspicion_) {
    p.heard_ns = now_ns();  // told again while it is silent: what hears of it may not be ready yet
    return suspicion_(p.who.ranks);
  }
  p.lost = true;
  const std::string cause =
      fmt::format("has not been heard from for {:.3g} s: its host is cut off or stands still, or its first rank is stopped",
                  double(timeout_ns_) / 1e9);
  const std::vector<rank_t>& ranks = p.who.ranks;
  for (std::size_t i = 0, behind; i < ranks.size(); i = behind) {
    for (behind = i + 1; behind < ranks.size() && ranks[behind] == ranks[behind - 1] + 1;) ++behind;
    tell_loss(*job_, ranks[i], ranks[behind - 1], cause, p.who.name);
  }
}

}  // namespace armilla::detail
