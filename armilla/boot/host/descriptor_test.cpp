// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/host/descriptor.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

struct line {
  line() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0); }
  ~line() {
    for (const int end : ends) close(end);
  }
  line(const line&) = delete;
  int ends[2];
};

bool is_open(int fd) { return fcntl(fd, F_GETFD) >= 0; }

TEST(descriptor, closes_its_file_with_it) {
  const int fd = memfd_create("a test", 0);
  {
    const descriptor one(fd);
    EXPECT_EQ(one.get(), fd);
    EXPECT_TRUE(is_open(fd));
  }
  EXPECT_FALSE(is_open(fd));
}

TEST(descriptor, that_is_released_stays_open) {
  int fd = -1;
  { fd = descriptor(memfd_create("a test", 0)).release(); }
  EXPECT_TRUE(is_open(fd));
  close(fd);
}

TEST(descriptor, an_open_file_goes_with_bytes) {
  const line between;
  const int memory = memfd_create("a test", 0);
  ASSERT_EQ(pwrite(memory, "inside", 6, 0), 6);
  ASSERT_TRUE(send_with_descriptor(between.ends[0], "outside", 7, memory));
  close(memory);
  char outside[8] = {}, inside[7] = {};
  int file = -1;
  ASSERT_EQ(receive_with_descriptor(between.ends[1], outside, 7, 0, file), 7);
  ASSERT_GE(file, 0);
  EXPECT_EQ(pread(file, inside, 6, 0), 6);
  EXPECT_STREQ(outside, "outside");
  EXPECT_STREQ(inside, "inside");
  EXPECT_TRUE(fcntl(file, F_GETFD) & FD_CLOEXEC);
  close(file);
}

TEST(descriptor, bytes_that_bring_no_file_say_so) {
  const line between;
  ASSERT_EQ(send(between.ends[0], "plain", 5, 0), 5);
  char text[6] = {};
  int file = 77;
  EXPECT_EQ(receive_with_descriptor(between.ends[1], text, 5, 0, file), 5);
  EXPECT_EQ(file, -1);
}

TEST(descriptor, a_closed_line_raises_no_signal) {
  const line between;
  shutdown(between.ends[1], SHUT_RDWR);
  EXPECT_FALSE(send_with_descriptor(between.ends[0], "x", 1, STDIN_FILENO));  // and no SIGPIPE
  char byte = 0;
  int file = 77;
  EXPECT_EQ(receive_with_descriptor(between.ends[0], &byte, 1, 0, file), 0);
  EXPECT_EQ(file, -1);
}

}  // namespace
}  // namespace armilla::detail
