// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/loss_log.hpp"

#include <sys/mman.h>

#include <string>

#include <gtest/gtest.h>

#include "armilla/ring/host_layout.hpp"

namespace {

using namespace armilla::detail;

/// The job block and the control pages of a job of `ranks`, of this process alone.
job_block& make_job(std::uint32_t ranks) {
  host_layout layout;
  layout.ranks = ranks;
  void* const place = mmap(nullptr, layout.control(armilla::rank_t(ranks)), PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  auto& job = *static_cast<job_block*>(place);
  job.ranks = ranks;
  return job;
}

TEST(losses, what_is_told_is_found) {
  job_block& job = make_job(8);
  EXPECT_EQ(find_loss(job, 2), nullptr);
  tell_loss(job, 2, 3, "was killed by signal 9 (SIGKILL)", "h2");
  ASSERT_NE(find_loss(job, 3), nullptr);
  EXPECT_STREQ(find_loss(job, 3)->cause, "was killed by signal 9 (SIGKILL)");
  EXPECT_STREQ(find_loss(job, 2)->host, "h2");
  EXPECT_EQ(find_loss(job, 4), nullptr);
}

TEST(losses, the_first_word_about_a_rank_counts) {
  job_block& job = make_job(8);
  tell_loss(job, 2, 2, "first", "");
  tell_loss(job, 2, 2, "second", "");
  EXPECT_EQ(job.losses.count.load(), 1u);
  EXPECT_STREQ(find_loss(job, 2)->cause, "first");
}

TEST(losses, there_is_room_for_all_ranks_of_the_largest_job) {
  job_block& job = make_job(job_block::max_ranks);
  for (int round = 0; round < 2; ++round)
    for (int r = 0; r < int(job_block::max_ranks); ++r) tell_loss(job, r, r, std::string(1000, 'x'), std::string(1000, 'y'));
  EXPECT_EQ(job.losses.count.load(), job_block::max_ranks);
  EXPECT_EQ(told_losses(job).size(), job_block::max_ranks);
  EXPECT_EQ(std::string(find_loss(job, 0)->cause).size(), sizeof loss_record::cause - 1);
  EXPECT_NE(find_loss(job, job_block::max_ranks - 1), nullptr);
}

TEST(losses, a_full_log_harms_nobody) {
  job_block& job = make_job(8);
  job.losses.begun = loss_log::room;
  tell_loss(job, 7, 7, "too late", "");
  EXPECT_EQ(find_loss(job, 7), nullptr);
}

}  // namespace
