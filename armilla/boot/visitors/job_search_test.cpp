// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/visitors/job_search.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include <gtest/gtest.h>

#include "armilla/base/core/options.hpp"
#include "armilla/boot/children/plan.hpp"

namespace armilla::detail {
namespace {
using namespace std::chrono_literals;

/// The memory of a job of two ranks without supervisor, which this process holds.
struct held_job {
  held_job() {
    options settings;
    settings.pin = pin_kind::none;
    const std::vector<program_spec> programs{{.path = "/bin/sh", .arguments = {"/bin/sh"}, .environment = {}, .ranks = 2}};
    plan = make_plan(programs, settings);
    plan.job->supervisor = 0;
    struct stat about{};
    fstat(plan.memory, &about);
    identity = about.st_ino;
  }
  ~held_job() {
    close(plan.memory);
    munmap(plan.job, host_layout::job_bytes);
  }
  held_job(const held_job&) = delete;

  void set(rank_t r, pid_t process, rank_stage stage) const {
    plan.job->rank[r].pid.store(process);
    plan.job->rank[r].stage.store(stage);
  }
  bool is_found() const {
    const auto all = find_jobs();
    return std::ranges::count_if(all, [&](const auto& one) { return one->identity() == identity; }) == 1;
  }

  job_plan plan;
  std::uint64_t identity = 0;
};

TEST(job_search, finds_a_job_as_long_as_a_rank_of_it_has_not_finished) {
  const held_job job;
  EXPECT_FALSE(job.is_found()) << "no process is a rank";
  job.set(0, getpid(), rank_stage::finished);
  job.set(1, getpid(), rank_stage::running);
  EXPECT_TRUE(job.is_found());
  job.set(1, getpid(), rank_stage::finished);
  EXPECT_FALSE(job.is_found());
}

TEST(job_search, finds_a_job_once_that_several_processes_hold) {
  const held_job job;
  job.set(0, getpid(), rank_stage::running);
  const pid_t holder = fork();
  ASSERT_GE(holder, 0);
  if (holder == 0) pause();
  EXPECT_TRUE(job.is_found());
  kill(holder, SIGKILL);
  waitpid(holder, nullptr, 0);
}

TEST(job_search, knows_what_the_job_is) {
  const held_job job;
  job.set(1, getpid(), rank_stage::running);
  const job_memory memory(getpid(), job.plan.memory);
  ASSERT_TRUE(memory.valid());
  EXPECT_EQ(memory.ranks(), 2);
  EXPECT_EQ(memory.program(1), "/bin/sh");
  EXPECT_EQ(memory.process(), getpid()) << "without supervisor that of a rank";
  job.plan.job->supervisor = 1;
  EXPECT_EQ(memory.process(), 1);
}

bool is_valid_with(auto&& change) {
  const held_job job;
  change(job.plan);
  return job_memory(getpid(), job.plan.memory).valid();
}

TEST(job_search, refuses_what_is_no_memory_of_a_job) {
  EXPECT_TRUE(is_valid_with([](const job_plan&) {}));
  EXPECT_FALSE(is_valid_with([](const job_plan& p) { ++p.job->magic; }));
  EXPECT_FALSE(is_valid_with([](const job_plan& p) { ++p.job->version; }));
  EXPECT_FALSE(is_valid_with([](const job_plan& p) { p.job->places = 0; }));
  EXPECT_FALSE(is_valid_with([](const job_plan& p) { p.job->locals.count = 0; }));
  EXPECT_FALSE(is_valid_with([](const job_plan& p) { p.job->locals.count = p.job->places + 1; }));
  EXPECT_FALSE(is_valid_with([](const job_plan& p) {
    p.job->places = job_block::max_ranks + 1;
    ASSERT_EQ(ftruncate(p.memory, off_t(1) << 50), 0);
  }));
  EXPECT_FALSE(is_valid_with([](const job_plan& p) { p.job->spare_places = p.job->places; }));
  EXPECT_FALSE(is_valid_with([](const job_plan& p) { p.job->segment_bytes *= 2; })) << "longer than its file";
  EXPECT_FALSE(job_memory(getpid(), -1).valid());
}

TEST(job_search, what_is_written_where_it_maps_is_in_the_memory) {
  const held_job job;
  const job_memory memory(getpid(), job.plan.memory);
  const std::uint64_t place = memory.layout().segment(local_rank{1});
  auto* const at = static_cast<char*>(memory.map(place, host_layout::page));
  ASSERT_NE(at, nullptr);
  std::strcpy(at, "here");
  munmap(at, host_layout::page);
  char text[5] = {};
  ASSERT_TRUE(memory.read(place, text, sizeof text));
  EXPECT_STREQ(text, "here");
}

TEST(job_search, tells_how_much_of_a_part_is_in_memory) {
  const held_job job;
  const job_memory memory(getpid(), job.plan.memory);
  const std::uint64_t place = memory.layout().segment(local_rank{1});
  constexpr std::size_t part = host_layout::huge_page;  // of which all may come at once
  EXPECT_EQ(memory.resident(place, 3 * part), 0u);
  ASSERT_EQ(pwrite(job.plan.memory, "x", 1, off_t(place + part)), 1);
  EXPECT_EQ(memory.resident(place, part), 0u);
  EXPECT_GE(memory.resident(place, 3 * part), host_layout::page);
  EXPECT_LE(memory.resident(place, 3 * part), part);
}

TEST(job_search, control_pages_can_be_written_when_that_was_asked_for) {
  const held_job job;
  job_memory memory(getpid(), job.plan.memory);
  const std::uint64_t place = host_layout::control(local_rank{1});
  ASSERT_TRUE(memory.write_control());
  reinterpret_cast<char*>(&memory.job())[place] = 'x';
  char read = 0;
  ASSERT_TRUE(memory.read(place, &read, 1));
  EXPECT_EQ(read, 'x');
}

// Of a child: qemu-user makes up what it shows of the process itself.
TEST(process_state, is_that_of_the_kernel) {
  EXPECT_EQ(process_state(0), 0);
  int gate[2];
  ASSERT_EQ(pipe(gate), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    close(gate[1]);
    char closed;
    _exit(int(read(gate[0], &closed, 1)));
  }
  close(gate[0]);
  const auto late = std::chrono::steady_clock::now() + 10s;
  while (process_state(child) != 'S' && std::chrono::steady_clock::now() < late) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(process_state(child), 'S');
  close(gate[1]);
  siginfo_t ended;
  waitid(P_PID, id_t(child), &ended, WEXITED | WNOWAIT);
  EXPECT_EQ(process_state(child), 'Z');
  waitpid(child, nullptr, 0);
  EXPECT_EQ(process_state(child), 0);
}

}  // namespace
}  // namespace armilla::detail
