// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/watch/stall_detector.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "armilla/base/values/clock.hpp"
#include "armilla/boot/watch/posted_text.hpp"

namespace armilla::detail {
namespace {

constexpr std::uint64_t second = 1'000'000'000;

// A job of two ranks, or more, in memory of this process alone.
struct job_of_two {
  explicit job_of_two(rank_t ranks = 2) {
    layout.places = layout.locals = ranks;
    void* const at = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    job = static_cast<job_block*>(at);
    job->places = job->locals.count = ranks;
    job->program_count = 1;
    std::strcpy(job->program_names[0], "program");
  }
  ~job_of_two() { munmap(job, bytes()); }
  job_of_two(const job_of_two&) = delete;

  std::size_t bytes() const { return host_layout::job_bytes + std::size_t(layout.places) * host_layout::control_bytes; }
  void wait_since(rank_t r, std::uint64_t since, rank_stage stage, bool in_the_kernel) {
    control_block& rank = control_of(*job, r);
    rank.idle = since << 1 | 1;
    rank.sleeping = in_the_kernel ? asleep : awake;
    job->rank[r].stage = stage;
  }
  // What a rank does that is asked.
  void answer(rank_t r, const std::string& text) {
    control_block& rank = control_of(*job, r);
    std::memcpy(rank.text, text.data(), text.size());
    rank.text_bytes = std::uint32_t(text.size());
    rank.answered = rank.asked.load();
    rank.lines_given = rank.lines_asked.load();
    rank.sleeping = asleep;
  }

  host_layout layout;
  job_block* job;
};

// Looks until the job is said to stand still; false: not within ten looks, between which rank 0 answers.
bool found_still(job_of_two& two) {
  stall_detector watch(*two.job, second / 1000, 0);
  for (int i = 0; i < 10; ++i) {
    usleep(12'000);  // the least time between two looks
    two.answer(0, "  main waits for barrier 7\n");
    if (watch.look()) return true;
  }
  return false;
}

// The two ranks stand still, as far as is seen, until they are asked for their lines; then `meanwhile` is what rank 0 does, at
// each of ten looks.
template <class Meanwhile>
bool found_still_though(job_of_two& two, Meanwhile&& meanwhile) {
  for (const rank_t r : {0, 1}) two.wait_since(r, now_ns() - second, rank_stage::running, true);
  stall_detector watch(*two.job, second / 1000, 0);
  const control_block& asked = control_of(*two.job, 0);
  for (int i = 0; i < 20; ++i) {
    usleep(12'000);
    for (const rank_t r : {0, 1}) two.answer(r, "  main waits for barrier 7\n");
    if (asked.lines_asked.load() != 0) meanwhile(control_of(*two.job, 0));
    if (watch.look()) return true;
  }
  return false;
}

TEST(stall_detector, a_stall_that_does_not_end_is_found) {
  job_of_two two;
  testing::internal::CaptureStderr();
  EXPECT_TRUE(found_still_though(two, [](control_block&) {}));
  testing::internal::GetCapturedStderr();
}

TEST(stall_detector, one_that_ends_while_its_report_is_collected_is_none) {
  job_of_two two;
  testing::internal::CaptureStderr();
  EXPECT_FALSE(found_still_though(two, [](control_block& rank) { rank.idle = now_ns() << 1 | 1; })) << "waits for something else";
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(stall_detector, nor_one_after_which_a_rank_computes) {
  job_of_two two;
  testing::internal::CaptureStderr();
  EXPECT_FALSE(found_still_though(two, [](control_block& rank) {
    rank.idle = 0;
    rank.sleeping = awake;
  }));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(stall_detector, a_rank_that_looks_for_its_lines_does_nothing_else) {
  job_of_two two;
  int looks = 0;
  std::uint64_t since = 0;
  testing::internal::CaptureStderr();
  EXPECT_TRUE(found_still_though(two, [&](control_block& rank) {
    if (++looks == 1) since = rank.idle;
    const bool gives_them = looks > 5;
    if (!gives_them) rank.lines_given = rank.lines_asked.load() - 1;
    rank.idle = gives_them ? since : 0;
  }));
  EXPECT_GT(looks, 5);
  testing::internal::GetCapturedStderr();
}

TEST(stall_detector, a_rank_that_waits_at_the_last_meeting_is_in_a_closed_wait) {
  job_of_two two;
  const std::uint64_t since = now_ns() - second;
  two.wait_since(0, since, rank_stage::running, true);
  two.wait_since(1, since, rank_stage::ending, false);
  testing::internal::CaptureStderr();
  EXPECT_TRUE(found_still(two));
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("main waits for barrier 7"), std::string::npos) << said;
  EXPECT_NE(said.find("rank 1 (program, pid 0) has ended its function and waits for the other ranks"), std::string::npos) << said;
}

TEST(stall_detector, a_rank_that_has_left_the_last_meeting_is_not) {
  job_of_two two;
  two.wait_since(0, now_ns() - second, rank_stage::running, true);
  two.wait_since(1, 0, rank_stage::ending, false);
  control_of(*two.job, 1).idle = 0;
  EXPECT_FALSE(found_still(two));
}

// What is said within so many looks, where rank 0 waits and the others do as `live` says.
template <class Live>
std::string said_beside(Live&& live, rank_t ranks = 2, std::string_view what = "barrier") {
  job_of_two two(ranks);
  two.wait_since(0, now_ns() - second, rank_stage::running, true);
  job_block& job = *two.job;
  post_text(control_of(job, 0).waits_for, what);
  for (rank_t r = 1; r < ranks; ++r) {
    job.rank[r].stage = rank_stage::running;
    job.rank[r].pid = getpid();
    control_of(job, r).looked = now_ns() - 2 * second;
  }
  stall_detector watch(job, second / 1000, 0);
  testing::internal::CaptureStderr();
  for (int i = 0; i < 30; ++i) {
    usleep(12'000);
    two.answer(0, "  main waits for barrier 7\n");
    live(control_of(job, 1));
    EXPECT_FALSE(watch.look());
  }
  return testing::internal::GetCapturedStderr();
}

TEST(stall_detector, a_rank_that_does_not_look_while_another_waits_is_told_once) {
  const std::string said = said_beside([](control_block&) {});
  EXPECT_NE(said.find("armilla: rank 1 has taken in no messages for 0.0 s, and another rank waits (the job goes on"), said.npos)
      << said;
  EXPECT_NE(said.find("a loop that waits for messages must call poll()"), said.npos) << said;
  EXPECT_NE(said.find("main waits for barrier 7"), said.npos) << said;
  EXPECT_NE(said.find("rank 1 (program, pid "), said.npos) << said;
  EXPECT_NE(said.find(" is busy; it last waited "), said.npos) << said;
  EXPECT_NE(said.find(": it computes\n"), said.npos) << said;
  EXPECT_EQ(said.find("has taken in no messages", said.find("has taken in no messages") + 1), said.npos) << said;
}

TEST(stall_detector, several_that_do_not_look_are_told_together) {
  const std::string said = said_beside([](control_block&) {}, 4);
  EXPECT_NE(said.find("armilla: rank 1 and 2 more have taken in no messages"), said.npos) << said;
  EXPECT_EQ(said.find("has taken in"), said.npos) << said;
  EXPECT_EQ(said.find("taken in no messages", said.find("taken in no messages") + 1), said.npos) << said;
}

TEST(stall_detector, one_that_runs_the_function_which_others_serve_is_not) {
  EXPECT_EQ(said_beside([](control_block&) {}, 2, serving_wait), "");
}

TEST(stall_detector, one_that_polls_is_not) {
  EXPECT_EQ(said_beside([](control_block& rank) { ++rank.count.polls; }), "");
}

TEST(stall_detector, a_rank_that_runs_and_is_awake_is_not) {
  job_of_two two;
  const std::uint64_t since = now_ns() - second;
  two.wait_since(0, since, rank_stage::running, true);
  two.wait_since(1, since, rank_stage::running, false);
  EXPECT_FALSE(found_still(two));
}

}  // namespace
}  // namespace armilla::detail
