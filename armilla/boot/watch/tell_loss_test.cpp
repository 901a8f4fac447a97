// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/watch/tell_loss.hpp"

#include <sys/mman.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "armilla/boot/host/membership.hpp"
#include "armilla/error.hpp"
#include "armilla/ring/host_layout.hpp"

namespace {

using namespace armilla::detail;

/// The job block and the control pages of a job of `ranks`, of this process alone.
job_block& make_job(std::uint32_t ranks) {
  void* const place = mmap(nullptr, host_layout::control(local_rank(ranks)), PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  auto& job = *static_cast<job_block*>(place);
  job.places = ranks;
  return job;
}

TEST(losses, what_is_told_is_found) {
  job_block& job = make_job(8);
  EXPECT_EQ(job.why_left(2), nullptr);
  tell_loss(job, 2, 3, "was killed by signal 9 (SIGKILL)", "h2");
  ASSERT_NE(job.why_left(3), nullptr);
  EXPECT_STREQ(job.why_left(3)->cause, "was killed by signal 9 (SIGKILL)");
  EXPECT_STREQ(job.why_left(2)->host, "h2");
  EXPECT_EQ(job.why_left(4), nullptr);
}

TEST(losses, a_cause_that_is_too_long_shows_that_it_is_cut) {
  job_block& job = make_job(2);
  tell_loss(job, 1, 1, std::string(1000, 'x'), "");
  const std::string_view told = job.why_left(1)->cause;
  EXPECT_EQ(told.size(), sizeof(departure::cause) - 1);
  EXPECT_TRUE(told.ends_with("xx ..."));
}

TEST(losses, a_rank_that_ends_by_another_loss_names_the_call_that_waited) {
  job_block& job = make_job(4);
  tell_loss(job, 2, 2, "was killed by signal 9 (SIGKILL)", "");
  try {
    throw armilla::rank_lost(2, "team::all_gather", "was killed by signal 9 (SIGKILL)", "here");
  } catch (...) { tell_own_loss(job, 1); }
  EXPECT_STREQ(job.why_left(1)->cause, "ended in team::all_gather after the loss of rank 2");
  try {
    throw std::runtime_error("of a consequence: too late");
  } catch (...) { tell_own_loss(job, 3); }
  EXPECT_STREQ(job.why_left(3)->cause, "ended after the loss of rank 2");
}

TEST(losses, a_rank_names_the_first_loss_though_it_has_heard_of_one_behind_it_before) {
  job_block& job = make_job(4);
  tell_loss(job, 3, 3, cause_of_secondary_loss(2, "barrier"), "h2");
  tell_loss(job, 2, 2, "was killed by signal 9 (SIGKILL)", "h2");
  try {
    throw armilla::rank_lost(3, "call", "ended in barrier after the loss of rank 2", "h2");
  } catch (...) { tell_own_loss(job, 1); }
  EXPECT_STREQ(job.why_left(1)->cause, "ended in call after the loss of rank 2");
}

TEST(losses, causes_that_name_the_loss_before_are_told_from_others) {
  EXPECT_EQ(first_of_secondary_loss(cause_of_secondary_loss(17)), 17);
  EXPECT_EQ(first_of_secondary_loss(cause_of_secondary_loss(0, "team::all_gather")), 0);
  for (const char* const other : {"", "was killed by signal 9 (SIGKILL)", "ended with code 1", "ended after the loss of rank ",
                                  "ended after the loss of rank 2x", "wrote: ended after the loss of rank 2"})
    EXPECT_EQ(first_of_secondary_loss(other), no_rank) << other;
}

TEST(losses, the_first_word_about_a_rank_counts) {
  job_block& job = make_job(8);
  tell_loss(job, 2, 2, "first", "");
  tell_loss(job, 2, 2, "second", "");
  EXPECT_EQ(job.epoch.load(), 1u);
  EXPECT_STREQ(job.why_left(2)->cause, "first");
}

TEST(losses, there_is_room_for_all_ranks_of_the_largest_job) {
  job_block& job = make_job(most_lasting_ranks);
  for (int round = 0; round < 2; ++round)
    for (int r = 0; r < int(most_lasting_ranks); ++r) tell_loss(job, r, r, std::string(1000, 'x'), std::string(1000, 'y'));
  EXPECT_EQ(job.epoch.load(), most_lasting_ranks);
  EXPECT_EQ(std::string(job.why_left(0)->cause).size(), sizeof departure::cause - 1);
  EXPECT_NE(job.why_left(most_lasting_ranks - 1), nullptr);
}

void replace(job_block& job, armilla::rank_t r) {
  const rank_life life = job.life(r);
  ASSERT_EQ(life.now, presence::lost);
  ASSERT_TRUE(job.change(r, life, {life.number, presence::coming}));
  ASSERT_TRUE(job.change(r, {life.number, presence::coming}, {job.next_life(r), presence::living}));
}

TEST(losses, a_spare_place_is_lost_until_a_rank_joins) {
  job_block& job = make_job(4);
  job.spare_places = 2;
  for (int r = 2; r < 4; ++r) job.life_word[r].store(rank_life{0, presence::lost}.word());
  EXPECT_TRUE(job.was_taken(1) && !job.was_taken(2) && job.is_unused(2) && job.takes_new_ranks());
  EXPECT_STREQ(job.why_left(2)->cause, "has not joined the job yet");
  EXPECT_EQ(job.epoch.load(), 0u);
  replace(job, 2);
  EXPECT_TRUE(job.was_taken(2) && job.why_left(2) == nullptr && job.is_unused(3));
  tell_loss(job, 2, 2, "was killed", "");
  EXPECT_STREQ(job.why_left(2)->cause, "was killed");
}

TEST(losses, a_rank_that_was_replaced_is_lost_once_more) {
  job_block& job = make_job(8);
  tell_loss(job, 2, 2, "first", "");
  replace(job, 2);
  EXPECT_EQ(job.why_left(2), nullptr);
  tell_loss(job, 2, 2, "second", "");
  ASSERT_NE(job.why_left(2), nullptr);
  EXPECT_STREQ(job.why_left(2)->cause, "second");
  EXPECT_EQ(job.life(2).number, 1u);
}

TEST(lives, grow_over_the_whole_job_and_use_the_boards_of_a_place_in_turn) {
  job_block& job = make_job(8);
  EXPECT_EQ(job.newest_life(), 0u);
  std::uint32_t of_place[8] = {};
  for (const armilla::rank_t r : {2, 2, 5, 2, 0, 5, 5, 5, 2, 7, 0}) {
    const std::uint32_t newest = job.newest_life();
    tell_loss(job, r, r, "was killed", "");
    replace(job, r);
    const std::uint32_t life = job.life(r).number;
    EXPECT_GT(life, newest);
    EXPECT_EQ(life % lives_on_boards, (of_place[r] + 1) % lives_on_boards);
    of_place[r] = life;
    EXPECT_EQ(job.newest_life(), life);
  }
}

TEST(losses, of_more_of_them_than_the_log_holds_the_last_are_known) {
  job_block& job = make_job(8);
  tell_loss(job, 1, 1, "long ago", "");
  for (std::uint32_t i = 0; i < 2 * membership::most_departures; ++i) {
    tell_loss(job, 7, 7, "loss " + std::to_string(i), "");
    ASSERT_EQ(job.why_left(7)->cause, "loss " + std::to_string(i));
    replace(job, 7);
  }
  ASSERT_NE(job.why_left(1), nullptr);
  EXPECT_STREQ(job.why_left(1)->cause, "was lost");
}

}  // namespace
