// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/wire_up/listeners.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

/// A port at `address` while it lives.
struct port {
  port(const char* address, int type) : descriptor(socket(AF_INET, type, 0)) {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = inet_addr(address);
    bind(descriptor, reinterpret_cast<const sockaddr*>(&place), sizeof place);
    if (type == SOCK_STREAM) listen(descriptor, 1);
  }
  ~port() { close(descriptor); }
  port(const port&) = delete;
  int descriptor;
};

listener found_at(int descriptor) {
  const auto all = own_listeners();
  const auto at = std::ranges::find(all, descriptor, &listener::descriptor);
  return at != all.end() ? *at : listener{};
}

TEST(listeners, a_port_of_the_loopback_is_for_users_of_this_host) {
  for (const int type : {SOCK_STREAM, SOCK_DGRAM}) {
    const port mine("127.0.0.1", type);
    const listener found = found_at(mine.descriptor);
    EXPECT_EQ(found.from, listener::reach::host);
    EXPECT_EQ(found.protocol, type == SOCK_STREAM ? "tcp" : "udp");
    EXPECT_EQ(found.place.rfind("127.0.0.1:", 0), 0u) << found.place;
  }
}

TEST(listeners, a_port_of_all_addresses_is_for_more_than_this_host) {
  const port mine("0.0.0.0", SOCK_STREAM);
  EXPECT_GE(found_at(mine.descriptor).from, listener::reach::near);
}

TEST(listeners, datagrams_at_a_name_that_is_no_file_come_from_all_users_of_this_host) {
  for (const int type : {SOCK_SEQPACKET, SOCK_DGRAM}) {
    const int one = socket(AF_UNIX, type, 0);
    const sockaddr family{AF_UNIX, {}};
    ASSERT_EQ(bind(one, &family, sizeof family.sa_family), 0);  // the kernel chooses a name
    if (type != SOCK_DGRAM) listen(one, 1);
    EXPECT_EQ(found_at(one).from, type == SOCK_DGRAM ? listener::reach::host : listener::reach::user);
    EXPECT_EQ(found_at(one).place.front(), '@');
    close(one);
  }
}

TEST(listeners, a_socket_without_a_port_is_none) {
  const int one = socket(AF_INET, SOCK_STREAM, 0);
  EXPECT_EQ(found_at(one).descriptor, -1);
  close(one);
}

}  // namespace
}  // namespace armilla::detail
