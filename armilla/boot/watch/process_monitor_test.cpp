// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/watch/process_monitor.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

TEST(process_monitor, it_is_found_out_how_a_process_ended) {
  for (const bool by_signal : {false, true}) {
    const pid_t child = fork();
    if (child == 0) {
      if (by_signal) raise(SIGKILL);
      _exit(3);
    }
    const int descriptor = int(syscall(SYS_pidfd_open, child, 0));
    ASSERT_GE(descriptor, 0);
    pollfd ended{descriptor, POLLIN, 0};
    ASSERT_EQ(poll(&ended, 1, 10'000), 1);
    const int found = status_of_ended(child, descriptor);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(found & ~0x80, status & ~0x80);
    const int later = status_of_ended(child, descriptor);
    EXPECT_TRUE(later == status || later == -1) << later;  // not every kernel tells
    close(descriptor);
  }
}

}  // namespace
}  // namespace armilla::detail
