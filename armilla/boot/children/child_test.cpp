// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/children/child.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <limits>

#include <gtest/gtest.h>

#include "armilla/boot/watch/tell_loss.hpp"

namespace armilla::detail {
namespace {

constexpr int exited_with(int code) { return code << 8; }

/// A job of three ranks, a process each, which have come to their functions and live.
struct watched_job {
  watched_job() {
    host_layout layout;
    layout.places = layout.locals = 3;
    memory_bytes = layout.addresses();
    void* const place = mmap(nullptr, memory_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    plan.job = static_cast<job_block*>(place);
    plan.job->places = 3;
    plan.world_size = 3;
    for (rank_t r = 0; r < 3; ++r) {
      plan.program_of.push_back(&program);
      plan.job->rank[r].pid.store(1000 + r);
      plan.job->rank[r].stage.store(rank_stage::running);
      children.push_back({.pid = std::numeric_limits<pid_t>::max(), .first = r, .last = r, .alive = true});
    }
  }
  ~watched_job() { munmap(plan.job, memory_bytes); }
  watched_job(const watched_job&) = delete;

  void end(rank_t r, int status) {
    children[std::size_t(r)].alive = false;
    children[std::size_t(r)].status = status;
  }
  void set(rank_t r, rank_stage stage) const { plan.job->rank[r].stage.store(stage); }
  void note(rank_t r, failure_kind kind, std::uint32_t stage = 2) const {
    plan.job->failure.rank = r;
    plan.job->failure.kind = kind;
    std::snprintf(plan.job->failure.text, sizeof plan.job->failure.text, "a word");
    plan.job->failure.stage.store(stage);
  }
  std::optional<ending> look(rank_t r) const { return look_at(plan, children[std::size_t(r)]); }
  std::optional<ending> failure() const { return find_failure(plan, children); }

  program_spec program{.path = "/bin/program", .arguments = {"program"}, .environment = {}};
  std::size_t memory_bytes;
  job_plan plan;
  std::vector<child> children;
};

TEST(child, that_lives_has_no_ending) {
  const watched_job job;
  EXPECT_FALSE(job.look(1));
  EXPECT_FALSE(job.failure());
}

TEST(child, whose_ranks_have_finished_ends_well_with_code_0) {
  watched_job job;
  job.set(1, rank_stage::finished);
  job.end(1, exited_with(0));
  EXPECT_FALSE(job.look(1));
  job.end(1, exited_with(4));
  ASSERT_TRUE(job.look(1));
  EXPECT_EQ(job.look(1)->kind, ending::how::code);
  EXPECT_EQ(job.look(1)->code, 4);
}

TEST(child, that_ends_before_its_function_does_has_failed_with_any_code) {
  watched_job job;
  job.end(1, exited_with(0));
  ASSERT_TRUE(job.look(1));
  EXPECT_EQ(job.look(1)->kind, ending::how::exited);
  EXPECT_EQ(job.look(1)->pid, 1001);
  EXPECT_EQ(job.look(1)->program, "program");
}

TEST(child, that_was_no_rank_yet_has_never_joined) {
  watched_job job;
  job.set(1, rank_stage::absent);
  job.end(1, exited_with(0));
  EXPECT_EQ(job.look(1).value().kind, ending::how::never_joined);
}

TEST(child, that_was_killed_ended_by_its_signal) {
  watched_job job;
  job.set(1, rank_stage::finished);
  job.end(1, SIGSEGV);
  EXPECT_EQ(job.look(1).value().kind, ending::how::signal);
  EXPECT_EQ(job.look(1).value().code, SIGSEGV);
}

TEST(child, whose_program_could_not_be_executed_was_not_started) {
  watched_job job;
  job.plan.job->rank[1].exec_error = ENOENT;
  job.end(1, exited_with(127));
  EXPECT_EQ(job.look(1).value().kind, ending::how::not_started);
  EXPECT_EQ(job.look(1).value().code, ENOENT);
}

TEST(child, of_several_ranks_is_finished_with_the_last_of_them) {
  watched_job job;
  const child both{.first = 0, .last = 1, .alive = true};
  job.set(0, rank_stage::finished);
  EXPECT_FALSE(finished(job.plan, both));
  job.set(1, rank_stage::finished);
  EXPECT_TRUE(finished(job.plan, both));
}

// The status of a process that is no rank yet and is ended in that state; what becomes of its place.
int end_in(child::state state, child::state& after) {
  const pid_t process = fork();
  if (process < 0) return -1;
  if (process == 0) pause();
  child c{.pid = process, .alive = true, .place = state};
  end_new_rank(c);
  after = c.place;
  alarm(10);
  int status = 0;
  waitpid(process, &status, 0);
  alarm(0);
  return status;
}

TEST(child, that_is_not_needed_is_killed_and_none_follows) {
  child::state after;
  EXPECT_EQ(end_in(child::state::starting, after), SIGKILL);
  EXPECT_EQ(after, child::state::given_up);
}

TEST(child, that_may_have_come_in_is_killed_and_its_end_is_waited_for) {
  child::state after;
  EXPECT_EQ(end_in(child::state::coming, after), SIGKILL);
  EXPECT_EQ(after, child::state::coming);
}

TEST(child, that_was_to_be_started_is_given_up) {
  child c{.place = child::state::lost};
  end_new_rank(c);
  EXPECT_EQ(c.place, child::state::given_up);
}

TEST(find_failure, a_signal_is_the_cause_before_a_code) {
  watched_job job;
  job.end(0, exited_with(1));
  EXPECT_EQ(job.failure().value().first, 0);
  job.end(2, SIGKILL);
  EXPECT_EQ(job.failure().value().first, 2);
}

TEST(find_failure, what_a_rank_has_noted_counts_before_codes_and_aborts_of_others) {
  watched_job job;
  job.end(0, exited_with(1));
  job.end(2, SIGABRT);
  job.note(1, failure_kind::exception);
  EXPECT_EQ(job.failure().value().first, 1);
  EXPECT_EQ(job.failure().value().kind, ending::how::exception);
}

TEST(find_failure, an_error_that_arose_by_itself_is_the_cause_before_signals_that_followed) {
  for (failure_kind kind : {failure_kind::exception, failure_kind::code, failure_kind::exited, failure_kind::start}) {
    watched_job job;
    job.note(1, kind);
    job.end(0, SIGSEGV);
    EXPECT_EQ(job.failure().value().first, 1);
    job.end(1, SIGSEGV);
    EXPECT_EQ(job.failure().value().first, 1);
  }
}

TEST(find_failure, a_signal_is_the_cause_before_what_may_be_its_consequence) {
  for (failure_kind kind : {failure_kind::secondary, failure_kind::exception, failure_kind::code, failure_kind::exited}) {
    watched_job job;
    job.note(1, kind);
    job.plan.job->failure.after_loss = kind != failure_kind::secondary;
    job.end(0, SIGKILL);
    EXPECT_EQ(job.failure().value().first, 0);
  }
}

TEST(find_failure, of_a_consequence_the_cause_is_waited_for) {
  watched_job job;
  job.note(1, failure_kind::secondary);
  EXPECT_FALSE(job.failure());
  job.end(0, exited_with(1));
  EXPECT_EQ(job.failure().value().first, 0);
}

TEST(find_failure, a_consequence_without_a_cause_is_told_when_its_rank_has_ended) {
  watched_job job;
  job.note(1, failure_kind::secondary);
  job.end(1, exited_with(1));
  EXPECT_EQ(job.failure().value().first, 1);
}

TEST(find_failure, while_a_note_is_written_the_first_loss_that_was_told_is_the_cause) {
  watched_job job;
  job.note(1, failure_kind::exception, 1);
  tell_loss(*job.plan.job, 2, 2, "was told", "");
  job.end(0, exited_with(1));
  const ending found = job.failure().value();
  EXPECT_EQ(found.first, 2);
  EXPECT_EQ(found.text, "was told");
}

}  // namespace
}  // namespace armilla::detail
