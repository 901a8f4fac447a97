// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/host/descriptor.hpp"

#include <sys/socket.h>

#include <cstring>

namespace armilla::detail {
namespace {

/// A message of some bytes, with room for one open file.
struct message {
  message(void* data, std::size_t bytes) noexcept : text{data, bytes} {
    head.msg_iov = &text;
    head.msg_iovlen = 1;
    head.msg_control = control;
    head.msg_controllen = sizeof control;
  }
  iovec text;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr head{};
};

}  // namespace

bool send_with_descriptor(int connection, const void* data, std::size_t bytes, int file) noexcept {
  message m(const_cast<void*>(data), bytes);  // which sendmsg does not write to
  cmsghdr* const right = CMSG_FIRSTHDR(&m.head);
  right->cmsg_level = SOL_SOCKET;
  right->cmsg_type = SCM_RIGHTS;
  right->cmsg_len = CMSG_LEN(sizeof file);
  std::memcpy(CMSG_DATA(right), &file, sizeof file);
  return sendmsg(connection, &m.head, MSG_NOSIGNAL) == ssize_t(bytes);
}

ssize_t receive_with_descriptor(int connection, void* data, std::size_t bytes, int flags, int& file) noexcept {
  file = -1;
  message m(data, bytes);
  const ssize_t n = recvmsg(connection, &m.head, flags | MSG_CMSG_CLOEXEC);
  const cmsghdr* const right = n > 0 ? CMSG_FIRSTHDR(&m.head) : nullptr;
  if (right != nullptr && right->cmsg_type == SCM_RIGHTS && right->cmsg_len == CMSG_LEN(sizeof file))
    std::memcpy(&file, CMSG_DATA(right), sizeof file);
  return n;
}

}  // namespace armilla::detail
