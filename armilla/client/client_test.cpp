// SPDX-License-Identifier: Apache-2.0
// Each rank is an attached client of its own job.
#include <unistd.h>

#include "armilla/attach.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

void take(int) {}

RANK_TEST(a_client_reads_the_counters_that_the_rank_reads) {
  const am::client job = am::attach(std::to_string(getpid()));
  EXPECT_EQ(job.ranks(), am::ranks());
  EXPECT(job.alive());
  const auto before = am::stats();
  for (int i = 0; i < 5; ++i) am::async<&take>((am::rank() + 1) % am::ranks(), i);
  const auto told = am::stats();  // which counts the one-way calls of a frame that is still open
  const auto after = job.look()[std::size_t(am::rank())];
  EXPECT_EQ(after.counts.one_way_calls_sent - before.one_way_calls_sent, 5u);
  EXPECT_EQ(after.counts.one_way_calls_sent, told.one_way_calls_sent);
  EXPECT_EQ(after.counts.fences, told.fences);
  EXPECT_EQ(after.process, int(getpid()));
  EXPECT_EQ(after.doing, "busy");
  am::fence();
}

RANK_TEST(memory_that_a_rank_touches_in_its_segment_is_seen) {
  constexpr std::size_t bytes = 8 << 20;
  const am::client job = am::attach(std::to_string(getpid()));
  const auto mine = [&] { return job.look()[std::size_t(am::rank())].segment; };
  const auto before = mine();
  const auto block = am::allocate<char>(bytes);
  std::memset(block.local(), 1, bytes);
  EXPECT_GE(mine() - before, bytes - (2 << 20));
  am::deallocate(block);
}

RANK_TEST(a_job_is_among_the_jobs) {
  int found = 0;
  const am::client mine = am::attach(std::to_string(getpid()));
  for (const am::job_summary& each : am::jobs()) found += each.process == mine.process() && each.ranks == am::ranks();
  EXPECT_EQ(found, 1);
}

RANK_TEST(what_is_no_job_is_refused) {
  EXPECT_THROWS_SAYING(am::usage_error, "no job runs 'no_such_program'", am::attach("no_such_program"));
  EXPECT_THROWS_SAYING(am::usage_error, "there is no process 2147483647", am::attach("2147483647"));
}

}  // namespace
