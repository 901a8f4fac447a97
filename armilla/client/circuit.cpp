// SPDX-License-Identifier: Apache-2.0
#include "armilla/client/circuit.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace armilla::detail {
std::string relay_socket_name(std::uint64_t identity) { return fmt::format("armilla-relay-{}", identity); }

// The head and what fits go in one packet, so that a short frame is one.
void circuit::post(circuit_head head, std::span<const std::byte> body) {
  head.bytes = body.size();
  const auto first = std::as_bytes(std::span(&head, 1));
  std::vector<std::byte> one(first.begin(), first.end());
  for (std::size_t at = 0;;) {
    const std::size_t some = std::min(body.size() - at, packet - one.size());
    one.insert(one.end(), body.begin() + std::ptrdiff_t(at), body.begin() + std::ptrdiff_t(at + some));
    at += some;
    waiting_ += one.size();
    packets_.push_back(std::exchange(one, {}));
    if (at == body.size()) return;
  }
}

bool circuit::flush() noexcept {
  while (!packets_.empty()) {
    const ssize_t n = send(socket(), packets_.front().data(), packets_.front().size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    waiting_ -= packets_.front().size();
    packets_.pop_front();
  }
  return true;
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
