// SPDX-License-Identifier: Apache-2.0
#include "calls.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "armilla/base/values/clock.hpp"
#include "armilla/boot/host/interfaces.hpp"
#include "armilla/boot/wire_up/agent_line.hpp"
#include "armilla/error.hpp"

namespace armilla::run {
namespace {

using namespace armilla::detail;

constexpr std::uint64_t stranger_speaks_within_ns = 5'000'000'000;
constexpr std::size_t most_strangers = 256;
constexpr std::size_t most_accepted = 32;  // between two looks at what callers have said
constexpr int connect_within_ms = 5000;
constexpr std::uint64_t agent_tries_for_ns = 30'000'000'000;
constexpr int silent_rounds = 3;  // in which no address takes a call
constexpr useconds_t between_rounds_us = 50'000;

void send_at_once(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

std::vector<std::string> own_addresses() {
  std::vector<std::string> all;
  for (const auto& one : detail::outer_interfaces()) all.push_back(detail::address_text(one.address));
  all.emplace_back("127.0.0.1");
  return all;
}

// -1, with errno.
int connect_to(const std::string& address, int port) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(std::uint16_t(port));
  if (inet_pton(AF_INET, address.c_str(), &to.sin_addr) != 1) return -1;
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  pollfd ready{fd, POLLOUT, 0};
  int error = 0;
  socklen_t size = sizeof error;
  const bool begun = connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0 || errno == EINPROGRESS;
  if (!begun)
    error = errno;
  else if (poll(&ready, 1, connect_within_ms) <= 0)
    error = ETIMEDOUT;
  else
    getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) return ::close(fd), errno = error, -1;
  fcntl(fd, F_SETFL, 0);
  send_at_once(fd);
  return fd;
}

// 0: this host does not know the name; what starts commands there may.
std::uint32_t source_towards_name(const std::string& name) {
  addrinfo wanted{}, *found = nullptr;
  wanted.ai_family = AF_INET;
  wanted.ai_socktype = SOCK_DGRAM;
  if (getaddrinfo(name.c_str(), nullptr, &wanted, &found) != 0) return 0;
  const std::uint32_t source = source_towards(reinterpret_cast<const sockaddr_in*>(found->ai_addr)->sin_addr.s_addr);
  freeaddrinfo(found);
  return source;
}

// A stranger's port is left at once.
std::unique_ptr<channel> introduce(int fd, const job_key& key, std::uint32_t host) {
  const timeval patience{connect_within_ms / 1000, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  job_key number;
  proof theirs;
  if (!read_fully(fd, number.data(), number.size())) return nullptr;
  const agent_greeting mine = greet(key, number, host);
  if (!write_fully(fd, &mine, sizeof mine) || !read_fully(fd, theirs.data(), theirs.size()) ||
      !same(theirs, answer(key, number, mine)))
    return nullptr;
  const timeval forever{};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &forever, sizeof forever);
  return std::make_unique<channel>(fd, session_of(key, number, mine), false);
}

}  // namespace

std::unique_ptr<channel> call_once(const call_text& call, int& error) {
  bool taken = false;
  for (const auto& address : call.addresses) {
    const int fd = connect_to(address, call.port);
    error = fd < 0 ? errno : 0;
    if (fd < 0) continue;
    taken = true;
    if (auto root = introduce(fd, call.key, call.number)) return root;
    close(fd);
  }
  if (taken) error = 0;
  return nullptr;
}

std::string call_text::line() const {
  return fmt::format("{} {} {} {} {}\n", as_hex(key), host, number, port, fmt::join(addresses, " "));
}

bool call_text::read(const std::string& line) {
  std::istringstream words(line);
  std::string hex;
  words >> hex >> host >> number >> port;
  for (std::string address; words >> address;) addresses.push_back(address);
  return from_hex(hex, key);
}

// A port that strangers flood may drop a call that comes in good faith.
std::unique_ptr<channel> call_root(const call_text& call) {
  const std::uint64_t until = deadline_after_ns(agent_tries_for_ns);
  for (int silent = 0; silent < silent_rounds && now_ns() < until;) {
    int error = 0;
    if (auto root = call_once(call, error)) return root;
    silent = error == 0 ? 0 : silent + 1;
    usleep(between_rounds_us);
  }
  return nullptr;
}

// --- the side of armilla-run ---

std::uint32_t address_towards(const std::vector<std::string>& hosts) {
  std::uint32_t between = 0;
  for (const std::string& name : hosts) {
    const std::uint32_t source = source_towards_name(name);
    if (source == 0) return 0;
    if (is_loopback(source)) continue;  // that host is this one, and reaches all addresses
    if (between != 0 && between != source) return 0;
    between = source;
  }
  return between != 0 ? between : htonl(INADDR_LOOPBACK);
}

void call_port::open(std::uint32_t address) {
  addresses_ = address != 0 ? std::vector<std::string>{address_text(address)} : own_addresses();
  if (!open_at(address, 0)) throw_limit("start", fmt::format("no port for the agents of the hosts: {}", std::strerror(errno)));
}

bool call_port::open_at(std::uint32_t address, int port) {
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = address;
  here.sin_port = htons(std::uint16_t(port));
  socklen_t size = sizeof here;
  const int on = 1;
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (port != 0) setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);  // the last job there may have just ended
  if (listener_ < 0 || bind(listener_, reinterpret_cast<sockaddr*>(&here), sizeof here) != 0 || listen(listener_, 128) != 0 ||
      getsockname(listener_, reinterpret_cast<sockaddr*>(&here), &size) != 0) {
    const int error = errno;
    close();
    errno = error;
    return false;
  }
  port_ = ntohs(here.sin_port);
  return true;
}

void call_port::close() {
  if (const int listener = std::exchange(listener_, -1); listener >= 0) ::close(listener);
}

void call_port::watch(std::vector<pollfd>& list) const {
  if (listener_ >= 0) list.push_back({listener_, POLLIN, 0});
  for (const auto& c : callers_) list.push_back({c.socket, POLLIN, 0});
}

std::uint64_t call_port::until_ns() const {
  std::uint64_t until = never;
  for (const auto& c : callers_) until = std::min(until, c.until_ns);
  return until;
}

// Those that came first have had the longest time to prove themselves: what they said has been read just before.
void call_port::accept_callers() {
  for (std::size_t left = most_accepted; listener_ >= 0 && left != 0; --left) {
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    if (callers_.size() == most_strangers) {
      ::close(callers_.front().socket);
      callers_.pop_front();
    }
    callers_.push_back({fd, random_key(), deadline_after_ns(stranger_speaks_within_ns), {}});
    write_fully(fd, callers_.back().number.data(), callers_.back().number.size());
  }
}

// A caller that is silent for too long is sent away.
bool call_port::has_spoken(caller& c, agent_greeting& said) {
  char bytes[sizeof said];
  const auto n = recv(c.socket, bytes, sizeof said - c.said.size(), MSG_DONTWAIT);
  const bool later = n < 0 && (errno == EAGAIN || errno == EINTR);
  if (n > 0) c.said.append(bytes, std::size_t(n));
  if (c.said.size() == sizeof said) {
    std::memcpy(&said, c.said.data(), sizeof said);
    return true;
  }
  if (n <= 0 && (!later || now_ns() >= c.until_ns)) ::close(std::exchange(c.socket, -1));
  return false;
}

void call_port::look(const std::function<bool(std::uint32_t)>& expects,
                     const std::function<void(std::uint32_t, std::unique_ptr<channel>)>& take) {
  for (auto& c : callers_) {
    agent_greeting said;
    if (!has_spoken(c, said)) continue;
    const int fd = std::exchange(c.socket, -1);
    if (!believable(key_, c.number, said) || !expects(said.host)) {
      ::close(fd);
      continue;
    }
    send_at_once(fd);
    const proof mine = answer(key_, c.number, said);
    write_fully(fd, mine.data(), mine.size());
    take(said.host, std::make_unique<channel>(fd, session_of(key_, c.number, said), true));
  }
  callers_.remove_if([](const caller& c) { return c.socket < 0; });
  accept_callers();
}

}  // namespace armilla::run
