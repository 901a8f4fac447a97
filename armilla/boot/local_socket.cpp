// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/local_socket.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "armilla/boot/descriptor.hpp"

namespace armilla::detail {
namespace {

struct abstract_address {
  explicit abstract_address(std::string_view name) noexcept {
    all.sun_family = AF_UNIX;
    const std::size_t n = std::min(name.size(), sizeof all.sun_path - 1);
    std::memcpy(all.sun_path + 1, name.data(), n);
    size = socklen_t(offsetof(sockaddr_un, sun_path) + 1 + n);
  }
  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&all); }
  sockaddr_un all{};
  socklen_t size;
};

}  // namespace

int listen_locally(std::string_view name, int most_waiting) noexcept {
  const abstract_address address(name);
  descriptor fd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (fd.get() < 0 || bind(fd.get(), address.get(), address.size) != 0 || listen(fd.get(), most_waiting) != 0) return -1;
  return fd.release();
}

int connect_locally(std::string_view name, int within_ms) noexcept {
  const abstract_address address(name);
  descriptor fd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (fd.get() < 0) return -1;
  const timeval patience{within_ms / 1000, within_ms % 1000 * 1000};  // counts while the listener's queue is full
  if (within_ms > 0) setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (fd.get() < 0 || connect(fd.get(), address.get(), address.size) != 0 || !is_of_same_user(fd.get())) return -1;
  return fd.release();
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
