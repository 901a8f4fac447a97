// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "armilla/boot/wire_up/peer_info.hpp"

namespace armilla::detail {

/// How ranks that a launcher started come to share memory: the first of them makes it and hands its descriptor to those that
/// connect to its socket, which has an abstract name. Only processes of the same user that know the key are given it.
class descriptor_server {
 public:
  /// Opens the socket that `mine` names; where that is refused no rank is served.
  explicit descriptor_server(const peer_info& mine) noexcept;
  descriptor_server(const descriptor_server&) = delete;
  descriptor_server& operator=(const descriptor_server&) = delete;
  ~descriptor_server();

  /// Gives `memory` to each of `callers`, which have asked already. A process that proves to be another is sent away.
  void hand_out(int memory, const peer_info& mine, std::vector<rank_t> callers) noexcept;

 private:
  bool serve_one(int memory, const peer_info& mine, std::vector<rank_t>& callers) noexcept;
  int socket_ = -1;
};

/// Connects to the server of `lead` and says which rank asks. The connection; -1 if there is no way.
int request_descriptor(const peer_info& lead, rank_t self) noexcept;
/// The descriptor that comes back on that connection, which is then closed; -1 if none comes.
int receive_memory(int connection) noexcept;

}  // namespace armilla::detail
