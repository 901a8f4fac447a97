// SPDX-License-Identifier: Apache-2.0
// How a driver and its workers send: all of a message or nothing, whatever signals come meanwhile.
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

// 0, or the number of the error.
int send_rest(int socket, std::span<iovec> rest) {
  skip(rest, 0);
  while (!rest.empty()) {
    msghdr message{};
    message.msg_iov = rest.data();
    message.msg_iovlen = std::min<std::size_t>(rest.size(), 64);
    const ssize_t sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR) return errno;
    if (sent > 0) skip(rest, std::size_t(sent));
  }
  return 0;
}

// Python's handlers of signals do not run before all has been sent, so that none can raise with half a message on its way.
void send_all(int socket, nb::handle parts) {
  const held_buffers held(parts);
  std::vector<iovec> rest;
  for (const bytes_view part : held.parts()) rest.push_back({const_cast<std::byte*>(part.data()), part.size()});
  int failed = 0;
  {
    const nb::gil_scoped_release others;
    failed = send_rest(socket, rest);
  }
  if (failed == 0) return;
  errno = failed;
  PyErr_SetFromErrno(PyExc_OSError);
  throw nb::python_error();
}

}  // namespace

void bind_frames(nb::module_& m) { m.def("send_all", &send_all); }

}  // namespace armilla::python
