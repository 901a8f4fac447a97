// SPDX-License-Identifier: Apache-2.0
#include "armilla/guest/circuit.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "armilla/base/clock.hpp"

namespace armilla::detail {
namespace {

bool can_be_written(int socket, std::uint64_t deadline_ns) noexcept {
  const std::uint64_t now = now_ns();
  if (now >= deadline_ns) return false;
  pollfd wait{socket, POLLOUT, 0};
  return poll(&wait, 1, int(std::min<std::uint64_t>((deadline_ns - now) / 1'000'000 + 1, 60'000))) >= 0 || errno == EINTR;
}

bool send_packet(int socket, const void* bytes, std::size_t n, std::uint64_t deadline_ns) noexcept {
  for (;;) {
    if (send(socket, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL) == ssize_t(n)) return true;
    if (errno == EINTR) continue;
    if ((errno != EAGAIN && errno != EWOULDBLOCK) || !can_be_written(socket, deadline_ns)) return false;
  }
}

}  // namespace

std::string relay_socket_name(std::uint64_t identity) { return fmt::format("armilla-relay-{}", identity); }

// The head and what fits go in one packet, so that a short frame is one.
bool circuit::send(circuit_head head, std::span<const std::byte> body, std::uint64_t deadline_ns) noexcept {
  head.bytes = body.size();
  std::byte first[packet];
  const std::size_t begun = std::min(body.size(), packet - sizeof head);
  std::memcpy(first, &head, sizeof head);
  if (begun != 0) std::memcpy(first + sizeof head, body.data(), begun);
  bool good = send_packet(socket(), first, sizeof head + begun, deadline_ns);
  for (std::size_t at = begun; good && at < body.size(); at += packet)
    good = send_packet(socket(), body.data() + at, std::min(packet, body.size() - at), deadline_ns);
  if (!good) shutdown(socket(), SHUT_RDWR);
  return good;
}

bool circuit::receive() {
  std::byte bytes[packet];
  for (;;) {
    const ssize_t n = recv(socket(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (n > 0 && !take(bytes, std::size_t(n))) return false;
    if (n > 0 || (n < 0 && errno == EINTR)) continue;
    return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }
}

// Memory for a body is taken as it comes, not as it is announced.
bool circuit::take(const std::byte* bytes, std::size_t n) {
  while (n != 0) {
    if (have_ < sizeof head_) {
      const std::size_t some = std::min(n, sizeof head_ - have_);
      std::memcpy(reinterpret_cast<std::byte*>(&head_) + have_, bytes, some);
      have_ += some, bytes += some, n -= some;
      if (have_ < sizeof head_) return true;
      if (head_.bytes > circuit_head::most_bytes) return false;
    }
    const std::size_t some = std::min<std::size_t>(n, head_.bytes - body_.size());
    body_.insert(body_.end(), bytes, bytes + some);
    bytes += some, n -= some;
    if (body_.size() < head_.bytes) return true;
    whole_.push_back({head_, std::exchange(body_, {})});
    have_ = 0;
  }
  return true;
}

std::optional<circuit_frame> circuit::next() {
  if (whole_.empty()) return std::nullopt;
  circuit_frame one = std::move(whole_.front());
  whole_.pop_front();
  return one;
}

}  // namespace armilla::detail
