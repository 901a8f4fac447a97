// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/host/local_socket.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "armilla/base/values/clock.hpp"
#include "armilla/boot/host/descriptor.hpp"
#include "armilla/boot/host/units.hpp"

namespace armilla::detail {
namespace {

constexpr int most_names = 8;  // that strangers have to take before none is left
constexpr int patience_ms = 10'000;

struct abstract_address {
  /// `i`: where strangers have taken the name, and i - 1 of those in its place.
  abstract_address(std::string_view name, int i) noexcept {
    all.sun_family = AF_UNIX;
    std::size_t n = std::min(name.size(), sizeof all.sun_path - 3);
    std::memcpy(all.sun_path + 1, name.data(), n);
    if (i > 0) all.sun_path[++n] = '+', all.sun_path[++n] = char('0' + i);
    size = socklen_t(offsetof(sockaddr_un, sun_path) + 1 + n);
  }
  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&all); }
  sockaddr_un all{};
  socklen_t size;
};

// -1: none; `ours`: it is of this user.
int connect_once(const abstract_address& address, int within_ms, bool& ours) noexcept {
  descriptor fd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (fd.get() < 0) return -1;
  const timeval patience{within_ms / 1000, within_ms % 1000 * 1000};  // counts while the listener's queue is full
  setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (connect(fd.get(), address.get(), address.size) != 0) return -1;
  ours = is_of_same_user(fd.get());
  return ours ? fd.release() : -1;
}

}  // namespace

int listen_locally(std::string_view name, int most_waiting) noexcept {
  for (int i = 0; i < most_names; ++i) {
    const abstract_address address(name, i);
    descriptor fd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (fd.get() < 0) return -1;
    if (bind(fd.get(), address.get(), address.size) == 0) return listen(fd.get(), most_waiting) == 0 ? fd.release() : -1;
    if (errno != EADDRINUSE) return -1;
    bool ours = false;
    const descriptor other(connect_once(address, 100, ours));
    if (ours || i + 1 == most_names) return errno = EADDRINUSE, -1;
  }
  return -1;
}

int connect_locally(std::string_view name, int within_ms) noexcept {
  const std::uint64_t until = deadline_after_ns(std::uint64_t(within_ms > 0 ? within_ms : patience_ms) * milli);
  for (int i = 0; i < most_names; ++i) {
    const std::uint64_t now = now_ns();
    bool ours = false;
    const int left_ms = now < until ? int((until - now) / milli) + 1 : 1;
    const int found = connect_once(abstract_address(name, i), left_ms, ours);
    if (found >= 0) return found;
  }
  return -1;
}

int accept_locally(int listener) noexcept { return accept4(listener, nullptr, nullptr, SOCK_CLOEXEC); }

bool is_of_same_user(int connection) noexcept {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

bool has_hung_up(int connection) noexcept {
  char byte;
  const ssize_t n = recv(connection, &byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT);
  return n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
}

bool readable_within(int file, int ms) noexcept {
  pollfd wait{file, POLLIN, 0};
  int n;
  while ((n = poll(&wait, 1, ms)) < 0 && errno == EINTR) {}
  return n > 0;
}

}  // namespace armilla::detail
