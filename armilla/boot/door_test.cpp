// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/door.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "armilla/base/options.hpp"

namespace armilla::detail {
namespace {

TEST(door, opens_to_those_who_know_the_key) {
  const options settings;
  const card mine = own_card(settings);
  card forged = mine;
  forged.key[3] ^= 1;
  door in(mine);
  const int memory = memfd_create("a test", 0);
  const int thief = knock(forged, 1), impostor = knock(mine, 2), friendly = knock(mine, 1);
  ASSERT_GE(friendly, 0);
  in.hand_out(memory, mine, {1});
  EXPECT_EQ(receive_memory(thief), -1);
  EXPECT_EQ(receive_memory(impostor), -1);
  const int given = receive_memory(friendly);
  EXPECT_GE(given, 0);
  close(given);
  close(memory);
}

TEST(door, what_is_handed_out_is_the_memory_itself) {
  const card mine = own_card(options());
  door in(mine);
  const int memory = memfd_create("a test", 0);
  ASSERT_EQ(pwrite(memory, "shared", 6, 0), 6);
  const int caller = knock(mine, 1);
  in.hand_out(memory, mine, {1});
  const int given = receive_memory(caller);
  char text[7] = {};
  EXPECT_EQ(pread(given, text, 6, 0), 6);
  EXPECT_STREQ(text, "shared");
  EXPECT_TRUE(fcntl(given, F_GETFD) & FD_CLOEXEC) << "what this rank starts has no part in it";
  close(given);
  close(memory);
}

TEST(door, each_caller_is_served_once) {
  const card mine = own_card(options());
  door in(mine);
  const int memory = memfd_create("a test", 0);
  const int first = knock(mine, 1), again = knock(mine, 1), second = knock(mine, 2);
  in.hand_out(memory, mine, {2, 1});
  const int given[] = {receive_memory(first), receive_memory(again), receive_memory(second)};
  EXPECT_GE(given[0], 0);
  EXPECT_EQ(given[1], -1);
  EXPECT_GE(given[2], 0);
  for (const int file : {given[0], given[2], memory}) close(file);
}

TEST(door, that_is_closed_cannot_be_knocked_at) {
  const card mine = own_card(options());
  EXPECT_EQ(knock(mine, 1), -1);
  { const door in(mine); }
  EXPECT_EQ(knock(mine, 1), -1);
}

TEST(door, that_goes_leaves_its_caller_with_nothing) {
  const card mine = own_card(options());
  int waiting = -1;
  {
    const door in(mine);
    waiting = knock(mine, 1);
    ASSERT_GE(waiting, 0);
  }
  EXPECT_EQ(receive_memory(waiting), -1);
}

}  // namespace
}  // namespace armilla::detail
