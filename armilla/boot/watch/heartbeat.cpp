// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/watch/heartbeat.hpp"

#include <netinet/in.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "armilla/base/core/helper_thread.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/boot/host/interfaces.hpp"
#include "armilla/boot/watch/failure_record.hpp"
#include "armilla/boot/watch/tell_loss.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

constexpr std::uint64_t beats_in_timeout = 20;  // in each time-out: a network that is full drops many

/// What a host tells of its ranks.
struct news {
  beat from;
  std::int32_t lost = no_rank;
  char cause[sizeof departure::cause] = {};
};
// Model: tests/models/protocols/silent_host.pml
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

bool heartbeat::listen(std::uint32_t address, std::uint16_t port) noexcept {
  const int made = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0) return false;
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = address;
  place.sin_port = port;
  socklen_t size = sizeof place;
  const bool good = bind(made, reinterpret_cast<const sockaddr*>(&place), size) == 0 &&
                    getsockname(made, reinterpret_cast<sockaddr*>(&place), &size) == 0 &&
                    getrandom(mine_.word, sizeof mine_.word, 0) == ssize_t(sizeof mine_.word);
  if (!good) {
    const int why = errno;
    close(made);
    errno = why;
    return false;
  }
  socket_ = made;
  mine_.port = place.sin_port;
  return true;
}

heartbeat::heartbeat(const network_interface& at, const heartbeat_listener& before) {
  if (before.port == 0) return;  // that one did not listen
  if (!listen(at.address, before.port))
    throw_limit("start", fmt::format("UDP port {}, on which the first rank of this host listened, cannot be opened again: {}",
                                     ntohs(before.port), std::strerror(errno)));
  mine_ = before;
}

heartbeat::heartbeat(const network_interface& at) {
  if (!listen(at.address, 0)) return;
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
  const std::uint64_t step = std::max<std::uint64_t>(timeout_ns_ / beats_in_timeout, 1'000'000);
  for (std::uint64_t next = now_ns();;) {
    look_at_circle();
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
      heard_any_ns_ = heard_any_ns_ != 0 ? now : 0;
      next = now;
    }
  }
} catch (const std::exception&) {}  // no memory: no host is watched

// ---- the circle ----

// The thread is one of its first rank's process, and ends with that.
bool heartbeat::beats(std::size_t host) const noexcept {
  const heartbeat::host& one = peers_[host].who;
  return one.listener.port != 0 && !one.ranks.empty() && job_->life(one.ranks.front()).now == presence::living;
}

heartbeat::numbers heartbeat::next_to(std::size_t host, bool behind) const {
  numbers found;
  const std::size_t all = peers_.size();
  for (std::size_t i = 1; i < all && found.size() < most_watchers; ++i)
    if (const std::size_t other = (host + (behind ? i : all - i)) % all; other == me_ || beats(other)) found.push_back(other);
  return found;
}

// One that is watched from now on, instead of a lost host or since its first rank was replaced, has until the next time-out to be
// heard: the datagrams of others arrive here.
void heartbeat::look_at_circle() {
  const std::uint32_t now = job_->epoch.load(std::memory_order_acquire);
  if (now == std::exchange(epoch_, now)) return;
  watchers_ = next_to(me_, true);
  const numbers before = std::exchange(watched_, next_to(me_, false));
  for (const std::size_t host : watched_)
    if (heard_any_ns_ != 0 && (peers_[host].heard_ns == 0 || std::ranges::find(before, host) == before.end()))
      peers_[host].heard_ns = now_ns();
}

void heartbeat::say_to(std::size_t host, beat::word what, std::size_t about) noexcept {
  const heartbeat_listener& to = peers_[host].who.listener;
  beat mine{.from = std::uint32_t(me_), .what = what, .about = std::uint32_t(about)};
  std::memcpy(mine.word_of_receiver, to.word, sizeof to.word);
  send_to_all(socket_, to, &mine, sizeof mine);
}

void heartbeat::send() {
  for (const std::size_t host : watchers_) say_to(host, beat::word::here, me_);
}

void heartbeat::receive() {
  news came;
  for (std::size_t left = 64 + 8 * peers_.size(); left != 0; --left) {  // a flood shall not keep this host from beating
    const ssize_t n = recv(socket_, &came, sizeof came, 0);
    if (n < 0) return;
    const beat& b = came.from;
    const bool whole = n == ssize_t(sizeof b) || n == ssize_t(sizeof came);
    const bool ours = whole && b.magic == job_block::good_magic && b.from < peers_.size() && b.from != me_ &&
                      std::memcmp(b.word_of_receiver, mine_.word, sizeof mine_.word) == 0;
    if (!ours) continue;
    take(b, now_ns());
    if (n == ssize_t(sizeof came)) hear(b.from, came.lost, {came.cause, strnlen(came.cause, sizeof came.cause)});
  }
}

void heartbeat::take(const beat& b, std::uint64_t now) {
  peers_[b.from].heard_ns = heard_any_ns_ = now;
  if (b.about >= peers_.size() || b.about == me_ || b.about == b.from) return;
  peer& p = peers_[b.about];
  if (b.what == beat::word::lost && watching_.load(std::memory_order_relaxed) && !suspicion_) return tell_lost(p);
  if (b.what != beat::word::silent) return;
  const bool asked = now > p.doubted_ns + timeout_ns_ / beats_in_timeout;  // an answer is not answered
  p.doubted_ns = now;
  const bool watches = std::ranges::find(watched_, b.about) != watched_.end();
  if (asked && watches && (p.heard_ns == 0 || is_silent(p, now, timeout_ns_ / 2))) say_to(b.from, beat::word::silent, b.about);
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
    std::memcpy(all.from.word_of_receiver, to.word, sizeof to.word);
    send_to_all(out, to, &all, sizeof all);
  }
  close(out);
}

// ---- who is lost ----

bool heartbeat::is_silent(const peer& p, std::uint64_t now, std::uint64_t within_ns) const noexcept {
  return p.heard_ns != 0 && now > p.heard_ns + within_ns;
}

void heartbeat::judge(std::uint64_t now) {
  if (!watching_.load(std::memory_order_relaxed)) return;
  if (heard_any_ns_ != 0 && now > heard_any_ns_ + timeout_ns_) {  // this host is cut off, or all others are
    heard_any_ns_ = now;
    for (std::size_t host = 0; host < peers_.size(); ++host)
      if (host != me_ && beats(host)) lose(host);
    return;
  }
  for (const std::size_t host : watched_)
    if (beats(host) && is_silent(peers_[host], now, timeout_ns_)) doubt(host, now);
}

void heartbeat::doubt(std::size_t host, std::uint64_t now) {
  peer& p = peers_[host];
  numbers others = next_to(host, true);
  std::erase(others, me_);
  for (const std::size_t other : others) say_to(other, beat::word::silent, host);
  if (others.empty() || (p.doubted_ns != 0 && now < p.doubted_ns + timeout_ns_ / 2)) lose(host);
}

void heartbeat::lose(std::size_t host) {
  peer& p = peers_[host];
  if (suspicion_) {
    p.heard_ns = now_ns();  // told again while it is silent: what hears of it may not be ready yet
    return suspicion_(p.who.ranks);
  }
  tell_lost(p);
  for (int i = 0; i < times_told; ++i)
    for (std::size_t other = 0; other < peers_.size(); ++other)
      if (other != me_ && beats(other)) say_to(other, beat::word::lost, host);
}

void heartbeat::tell_lost(const peer& p) {
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
