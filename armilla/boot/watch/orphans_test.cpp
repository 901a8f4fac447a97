// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/watch/orphans.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

pid_t start_waiting_process() {
  const pid_t child = fork();
  if (child == 0)
    for (;;) pause();
  return child;
}

/// A process that starts another one, tells its number, and ends.
pid_t leave_an_orphan() {
  int line[2];
  if (pipe(line) != 0) return -1;
  const pid_t parent = fork();
  if (parent == 0) {
    const pid_t child = start_waiting_process();
    _exit(write(line[1], &child, sizeof child) == ssize_t(sizeof child) ? 0 : 1);
  }
  pid_t orphan = -1;
  if (read(line[0], &orphan, sizeof orphan) != ssize_t(sizeof orphan)) orphan = -1;
  waitpid(parent, nullptr, 0);
  close(line[0]);
  close(line[1]);
  return orphan;
}

bool lives(pid_t process) { return kill(process, 0) == 0; }

/// No other test shall get this one's orphans.
struct parent_again {
  ~parent_again() { prctl(PR_SET_CHILD_SUBREAPER, 0); }
};

TEST(orphanage, ends_what_a_rank_has_left_behind) {
  const parent_again at_end;
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) GTEST_SKIP() << "no process is given orphans here";  // as under qemu-user
  const orphanage all;
  const pid_t orphan = leave_an_orphan();
  ASSERT_GT(orphan, 0);
  ASSERT_TRUE(lives(orphan));
  all.end_all();
  EXPECT_FALSE(lives(orphan));
  kill(orphan, SIGKILL);
}

TEST(orphanage, leaves_the_children_of_before_alone) {
  const parent_again at_end;
  const pid_t older = start_waiting_process();
  const orphanage all;
  const pid_t younger = start_waiting_process();
  all.end_all();
  EXPECT_FALSE(lives(younger));
  EXPECT_TRUE(lives(older));
  kill(older, SIGKILL);
  waitpid(older, nullptr, 0);
}

}  // namespace
}  // namespace armilla::detail
