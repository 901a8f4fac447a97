// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/children/plan.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "armilla/base/core/options.hpp"
#include "armilla/boot/host/host_memory.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

program_spec program(const char* path, rank_t ranks) {
  program_spec one;
  one.path = path;
  one.arguments = {path};
  one.ranks = ranks;
  return one;
}

struct made_plan : job_plan {
  explicit made_plan(const job_plan& plan) : job_plan(plan) {}
  made_plan(const made_plan&) = delete;
  ~made_plan() {
    close(memory);
    munmap(job, host_layout::job_bytes);
  }
};

options unpinned() {
  options settings;
  settings.pin = pin_kind::none;
  return settings;
}

TEST(plan, numbers_ranks_in_the_order_of_programs) {
  const std::vector programs = {program("/bin/sh", 1), program("/bin/cat", 2)};
  const made_plan plan(make_plan(programs, unpinned()));
  ASSERT_EQ(plan.world_size, 3);
  EXPECT_EQ(plan.job->program_count, 2u);
  EXPECT_EQ(plan.job->rank[0].program, 0u);
  EXPECT_EQ(plan.job->rank[1].program, 1u);
  EXPECT_EQ(plan.job->rank[2].program, 1u);
  EXPECT_EQ(plan.program_of[2], &programs[1]);
  EXPECT_STREQ(plan.job->program_names[1], "/bin/cat");
}

TEST(plan, one_file_is_one_program) {
  const made_plan plan(make_plan({program("/bin/sh", 1), program("/bin/cat", 1), program("/bin/../bin/sh", 1)}, unpinned()));
  EXPECT_EQ(plan.job->program_count, 2u);
  EXPECT_EQ(plan.job->rank[2].program, 0u);
}

TEST(plan, refuses_what_cannot_be) {
  EXPECT_THROW(make_plan({program("/bin/sh", 5000)}, unpinned()), usage_error);
  options threads = unpinned();
  threads.fabric = "threads";
  EXPECT_THROW(make_plan({program("/bin/sh", 1), program("/bin/cat", 1)}, threads), usage_error);
}

}  // namespace
}  // namespace armilla::detail
