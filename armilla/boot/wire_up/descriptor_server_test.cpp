// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/wire_up/descriptor_server.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "armilla/base/core/options.hpp"

namespace armilla::detail {
namespace {

TEST(descriptor_server, opens_to_those_who_know_the_key) {
  const options settings;
  const peer_info mine = own_peer_info(settings);
  peer_info forged = mine;
  forged.key[3] ^= 1;
  descriptor_server in(mine);
  const int memory = memfd_create("a test", 0);
  const int thief = request_descriptor(forged, 1), impostor = request_descriptor(mine, 2), friendly = request_descriptor(mine, 1);
  ASSERT_GE(friendly, 0);
  in.hand_out(memory, mine, {1});
  EXPECT_EQ(receive_memory(thief), -1);
  EXPECT_EQ(receive_memory(impostor), -1);
  const int given = receive_memory(friendly);
  EXPECT_GE(given, 0);
  close(given);
  close(memory);
}

TEST(descriptor_server, what_is_handed_out_is_the_memory_itself) {
  const peer_info mine = own_peer_info(options());
  descriptor_server in(mine);
  const int memory = memfd_create("a test", 0);
  ASSERT_EQ(pwrite(memory, "shared", 6, 0), 6);
  const int caller = request_descriptor(mine, 1);
  in.hand_out(memory, mine, {1});
  const int given = receive_memory(caller);
  char text[7] = {};
  EXPECT_EQ(pread(given, text, 6, 0), 6);
  EXPECT_STREQ(text, "shared");
  EXPECT_TRUE(fcntl(given, F_GETFD) & FD_CLOEXEC) << "what this rank starts has no part in it";
  close(given);
  close(memory);
}

TEST(descriptor_server, each_caller_is_served_once) {
  const peer_info mine = own_peer_info(options());
  descriptor_server in(mine);
  const int memory = memfd_create("a test", 0);
  const int first = request_descriptor(mine, 1), again = request_descriptor(mine, 1), second = request_descriptor(mine, 2);
  in.hand_out(memory, mine, {2, 1});
  const int given[] = {receive_memory(first), receive_memory(again), receive_memory(second)};
  EXPECT_GE(given[0], 0);
  EXPECT_EQ(given[1], -1);
  EXPECT_GE(given[2], 0);
  for (const int file : {given[0], given[2], memory}) close(file);
}

TEST(descriptor_server, that_is_closed_takes_no_request) {
  const peer_info mine = own_peer_info(options());
  EXPECT_EQ(request_descriptor(mine, 1), -1);
  { const descriptor_server in(mine); }
  EXPECT_EQ(request_descriptor(mine, 1), -1);
}

TEST(descriptor_server, that_goes_leaves_its_caller_with_nothing) {
  const peer_info mine = own_peer_info(options());
  int waiting = -1;
  {
    const descriptor_server in(mine);
    waiting = request_descriptor(mine, 1);
    ASSERT_GE(waiting, 0);
  }
  EXPECT_EQ(receive_memory(waiting), -1);
}

}  // namespace
}  // namespace armilla::detail
