// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/un.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

namespace armilla::unix_sockets {

/// Closes what it owns.
class descriptor_owner {
 public:
  descriptor_owner() = default;
  explicit descriptor_owner(int descriptor) noexcept : descriptor_(descriptor) {}
  descriptor_owner(descriptor_owner&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  descriptor_owner& operator=(descriptor_owner&& other) noexcept {
    reset(std::exchange(other.descriptor_, -1));
    return *this;
  }
  ~descriptor_owner() { reset(); }

  int get() const noexcept { return descriptor_; }
  explicit operator bool() const noexcept { return descriptor_ >= 0; }
  void reset(int descriptor = -1) noexcept {
    if (descriptor_ >= 0) close(descriptor_);
    descriptor_ = descriptor;
  }

 private:
  int descriptor_ = -1;
};

/// What a rank tells the others: where it listens, and what a connection to it begins with.
struct address_of_rank {
  sockaddr_un where{};
  std::uint32_t bytes = 0;  ///< of `where`
  std::uint64_t key = 0;
};

enum class packet : std::uint32_t { hello, frame, want, piece };

/// In front of each packet, 16 bytes, so what follows is aligned as a frame must be.
struct packet_head {
  packet kind = packet::frame;
  std::uint32_t id = 0;  ///< of a transfer; of a hello: the rank that sends it
  std::uint64_t at = 0;  ///< of a piece: where its bytes begin; of a hello: the receiver's key
};
static_assert(sizeof(packet_head) == 16);

/// Whether the process at the other end belongs to this user.
bool same_user(int socket) noexcept;

}  // namespace armilla::unix_sockets
