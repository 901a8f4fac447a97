// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/children/own_label.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <functional>
#include <string>

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

/// What comes out of a process that does this, until nobody can write there any more.
std::string output_of(const std::function<void()>& does) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO), dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    does();
    _exit(0);
  }
  close(ends[1]);
  std::string all;
  char some[256];
  for (ssize_t n; (n = read(ends[0], some, sizeof some)) > 0;) all.append(some, std::size_t(n));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return all;
}

TEST(own_label, precedes_each_line_also_an_unfinished_one) {
  EXPECT_EQ(output_of([] {
              own_label label;
              std::printf("before\n");
              label.tell(7);
              std::printf("one\ntwo");
              std::fflush(stdout);
            }),
            "[7] before\n[7] one\n[7] two\n");
}

TEST(own_label, prints_the_last_output_of_a_rank_that_is_killed) {
  EXPECT_EQ(output_of([] {
              own_label label;
              label.tell(0);
              std::printf("last words\n");
              std::raise(SIGKILL);
            }),
            "[0] last words\n");
}

TEST(own_label, is_omitted_if_no_rank_starts) {
  EXPECT_EQ(output_of([] {
              own_label label;
              std::fprintf(stderr, "cannot start\n");
            }),
            "cannot start\n");
}

TEST(own_label, leaves_no_child_and_no_open_descriptor) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  EXPECT_EQ(output_of([&] {
              own_label label;
              label.tell(1);
              close(ends[1]);
              char byte = 0;
              std::printf("%d %d\n", int(waitpid(-1, nullptr, WNOHANG)), int(read(ends[0], &byte, 0)));
            }),
            "[1] -1 0\n");
  close(ends[0]), close(ends[1]);
}

}  // namespace
}  // namespace armilla::detail
