// SPDX-License-Identifier: Apache-2.0
// How a driver and its workers send: all of a message or nothing, whatever signals come meanwhile.
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>

#include "block.hpp"

namespace armilla::python {
namespace {

void skip(std::span<iovec>& rest, std::size_t sent) {
  while (!rest.empty() && sent >= rest.front().iov_len) {
    sent -= rest.front().iov_len;
    rest = rest.subspan(1);
  }
  if (rest.empty()) return;
  rest.front().iov_base = static_cast<std::byte*>(rest.front().iov_base) + sent;
  rest.front().iov_len -= sent;
}

// How long a send that finds no room waits before it looks for signals: one that comes just before the wait does not end it.
constexpr int look_again_ms = 100;

// 0 when all has been sent, EINTR when signals must be looked for, or the number of another error. `rest` begins after what was
// sent.
int send_rest(int socket, std::span<iovec>& rest) {
  skip(rest, 0);
  while (!rest.empty()) {
    msghdr message{};
    message.msg_iov = rest.data();
    message.msg_iovlen = std::min<std::size_t>(rest.size(), 64);
    const ssize_t sent = ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EAGAIN) {
      pollfd room{socket, POLLOUT, 0};
      if (::poll(&room, 1, look_again_ms) <= 0) return EINTR;
      continue;
    }
    if (sent < 0) return errno;
    skip(rest, std::size_t(sent));
  }
  return 0;
}

// Sends the parts, and empties the list. If a handler of a signal raises meanwhile, as that of Ctrl-C does, the list holds a copy
// of what was not sent: the next message goes after it.
void send_all(int socket, nb::list parts) {
  std::vector<iovec> all;
  {
    const held_buffers held(parts);
    for (const bytes_view part : held.parts()) all.push_back({const_cast<std::byte*>(part.data()), part.size()});
    std::span<iovec> rest(all);
    int failed = EINTR;
    while (failed == EINTR) {
      {
        const nb::gil_scoped_release others;
        failed = send_rest(socket, rest);
      }
      if (failed == EINTR && PyErr_CheckSignals() != 0) {
        nb::python_error raised;
        nb::list left;
        for (const iovec& part : rest) left.append(nb::bytes(part.iov_base, part.iov_len));
        parts.clear();
        parts.extend(left);
        throw raised;
      }
    }
    if (failed != 0) {
      errno = failed;
      PyErr_SetFromErrno(PyExc_OSError);
      throw nb::python_error();
    }
  }
  parts.clear();
}

}  // namespace

void bind_frames(nb::module_& m) { m.def("send_all", &send_all); }

}  // namespace armilla::python
