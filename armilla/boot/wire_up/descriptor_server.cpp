// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/wire_up/descriptor_server.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "armilla/base/values/clock.hpp"
#include "armilla/boot/host/descriptor.hpp"
#include "armilla/boot/host/local_socket.hpp"
#include "armilla/boot/host/units.hpp"

namespace armilla::detail {
namespace {

constexpr std::uint64_t callers_come_within_ns = 10'000 * milli;
constexpr int caller_speaks_within_ms = 1000;

struct request_text {
  unsigned char key[peer_info::key_bytes];
  rank_t rank;
};

std::string_view server_name(const peer_info& lead) noexcept { return {lead.server, strnlen(lead.server, sizeof lead.server)}; }

bool same_key(const unsigned char (&a)[peer_info::key_bytes], const unsigned char (&b)[peer_info::key_bytes]) noexcept {
  unsigned differ = 0;  // in the same time, wherever they differ
  for (std::size_t i = 0; i < peer_info::key_bytes; ++i) differ |= unsigned(a[i] ^ b[i]);
  return differ == 0;
}

}  // namespace

descriptor_server::descriptor_server(const peer_info& mine) noexcept
    : socket_(listen_locally(server_name(mine), most_local_ranks)) {}

descriptor_server::~descriptor_server() {
  if (socket_ >= 0) close(socket_);
}

bool descriptor_server::serve_one(int memory, const peer_info& mine, std::vector<rank_t>& callers) noexcept {
  const descriptor caller(accept_locally(socket_));
  if (caller.get() < 0) return false;
  request_text said{};
  if (!is_of_same_user(caller.get()) || !readable_within(caller.get(), caller_speaks_within_ms) ||
      recv(caller.get(), &said, sizeof said, MSG_DONTWAIT) != ssize_t(sizeof said) || !same_key(said.key, mine.key))
    return true;
  const auto at = std::ranges::find(callers, said.rank);
  if (at == callers.end()) return true;
  callers.erase(at);
  send_with_descriptor(caller.get(), "", 1, memory);
  return true;
}

void descriptor_server::hand_out(int memory, const peer_info& mine, std::vector<rank_t> callers) noexcept {
  const std::uint64_t until = deadline_after_ns(callers_come_within_ns);
  while (!callers.empty() && now_ns() < until)
    if (!serve_one(memory, mine, callers)) readable_within(socket_, 100);
}

int request_descriptor(const peer_info& lead, rank_t self) noexcept {
  descriptor fd(connect_locally(server_name(lead)));
  if (fd.get() < 0) return -1;
  request_text mine{};
  std::memcpy(mine.key, lead.key, sizeof mine.key);
  mine.rank = self;
  return send(fd.get(), &mine, sizeof mine, MSG_NOSIGNAL) == ssize_t(sizeof mine) ? fd.release() : -1;
}

int receive_memory(int connection) noexcept {
  const descriptor lead(connection);
  char byte = 0;
  int memory = -1;
  if (readable_within(lead.get(), int(callers_come_within_ns / milli)))
    receive_with_descriptor(lead.get(), &byte, sizeof byte, 0, memory);
  return memory;
}

}  // namespace armilla::detail
