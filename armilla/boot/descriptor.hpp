// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <utility>

namespace armilla::detail {

/// An open file, closed with it.
class descriptor {
 public:
  explicit descriptor(int fd) noexcept : fd_(fd) {}
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const noexcept { return fd_; }
  void reset(int fd) noexcept {
    if (fd_ >= 0) close(fd_);
    fd_ = fd;
  }
  int release() noexcept { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

/// Sends the bytes, at least one, and with them an open file, to another process of this machine. False: not all could be sent.
bool send_with_descriptor(int connection, const void* data, std::size_t bytes, int file) noexcept;
/// As recv(connection, data, bytes, flags). `file`: what came with the bytes, closed on exec; -1: nothing did.
ssize_t receive_with_descriptor(int connection, void* data, std::size_t bytes, int flags, int& file) noexcept;

}  // namespace armilla::detail
