// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/watch/oom_kills.hpp"

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

TEST(oom_kills, are_counted_by_the_group_of_this_process) {
  EXPECT_EQ(oom_file_of("0::/user.slice/job 7\n"), "/sys/fs/cgroup/user.slice/job 7/memory.events");
  EXPECT_EQ(oom_file_of("0::/\n"), "/sys/fs/cgroup/memory.events");
  EXPECT_EQ(oom_file_of("10:cpu:/a\n9:hugetlb,memory:/b\n0::/c\n"), "/sys/fs/cgroup/memory/b/memory.oom_control");
  EXPECT_EQ(oom_file_of("10:cpuset,memory_recursive:/a\n"), "");
  EXPECT_EQ(oom_file_of("0:\nnonsense"), "");
  EXPECT_EQ(oom_file_of(""), "");
}

TEST(oom_kills, are_a_line_of_that_file) {
  EXPECT_EQ(oom_kills_in("low 0\nhigh 0\nmax 17\noom 3\noom_kill 2\noom_group_kill 1\n"), 2u);
  EXPECT_EQ(oom_kills_in("oom_kill_disable 0\nunder_oom 0\noom_kill 5"), 5u);
  EXPECT_EQ(oom_kills_in("oom_kill many\n"), 0u);
  EXPECT_EQ(oom_kills_in(""), 0u);
}

TEST(oom_kills, are_none_while_nothing_is_killed) { EXPECT_EQ(oom_kills().since_start(), 0u); }

}  // namespace
}  // namespace armilla::detail
