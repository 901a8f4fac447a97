// SPDX-License-Identifier: Apache-2.0
#include "bench/harness/link.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace bench {
namespace {

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

int new_socket() {
  const int descriptor = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (descriptor < 0) fail("socket");
  return descriptor;
}

/// Abstract names end at the border of a namespace of networks, files do not.
bool is_file(const std::string& name) { return name.starts_with('/'); }

struct address {
  sockaddr_un name{};
  socklen_t bytes;
  explicit address(const std::string& text) {
    const std::size_t abstract = is_file(text) ? 0 : 1;  // a first byte of zero: it vanishes with its owner
    if (text.size() + 1 > sizeof name.sun_path) throw std::invalid_argument("too long for the name of a socket: " + text);
    name.sun_family = AF_UNIX;
    std::memcpy(name.sun_path + abstract, text.data(), text.size());
    bytes = socklen_t(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&name); }
};

/// A message of one byte, with room for a descriptor.
struct envelope {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  envelope() {
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
  }
  envelope(const envelope&) = delete;
  envelope& operator=(const envelope&) = delete;
};

bool readable(int descriptor, int milliseconds) {
  pollfd one{descriptor, POLLIN, 0};
  int n;
  do n = ::poll(&one, 1, milliseconds);
  while (n < 0 && errno == EINTR);
  return n > 0;
}

}  // namespace

link& link::operator=(link&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

link::~link() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool link::send(const void* data, unsigned long bytes) const {
  return ::send(descriptor_, data, bytes, MSG_NOSIGNAL) == long(bytes);
}

link::got link::receive(void* data, unsigned long bytes, int seconds) const {
  if (seconds > 0 && !readable(descriptor_, seconds * 1000)) return got::nothing;
  long n;
  do n = ::recv(descriptor_, data, bytes, 0);
  while (n < 0 && errno == EINTR);
  return n == long(bytes) ? got::message : got::closed;
}

void link::send_descriptor(int descriptor) const {
  envelope with_room;
  const msghdr& message = with_room.message;
  cmsghdr* head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(head), &descriptor, sizeof(int));
  if (::sendmsg(descriptor_, &message, MSG_NOSIGNAL) < 0) fail("sending the arena");
}

int link::receive_descriptor() const {
  envelope with_room;
  msghdr& message = with_room.message;
  if (::recvmsg(descriptor_, &message, MSG_CMSG_CLOEXEC) <= 0) fail("receiving the arena");
  const cmsghdr* head = CMSG_FIRSTHDR(&message);
  if (head == nullptr || head->cmsg_type != SCM_RIGHTS) fail("the coordinator sent no arena");
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(head), sizeof(int));
  return descriptor;
}

link link::connect(const std::string& name) {
  link result(new_socket());
  const address to(name);
  if (::connect(result.descriptor_, to.get(), to.bytes) != 0) fail("connecting to the coordinator");
  return result;
}

listener::listener(const std::string& name) : descriptor_(new_socket()), file_(is_file(name) ? name : "") {
  const address at(name);
  if (::bind(descriptor_, at.get(), at.bytes) != 0) fail("bind");
  if (::listen(descriptor_, 64) != 0) fail("listen");
}

listener::~listener() {
  ::close(descriptor_);
  if (!file_.empty()) ::unlink(file_.c_str());
}

int listener::accept(int milliseconds) const {
  if (!readable(descriptor_, milliseconds)) return -1;
  return ::accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC);
}

}  // namespace bench
