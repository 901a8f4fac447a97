// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/children/joiners.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <future>
#include <limits>

#include <gtest/gtest.h>

#include "armilla/base/core/options.hpp"
#include "armilla/boot/host/membership.hpp"

namespace armilla::detail {
namespace {

program_spec shell(rank_t ranks) { return {.path = "/bin/sh", .arguments = {"sh"}, .environment = {}, .ranks = ranks}; }

options with_places(int places) {
  options settings;
  settings.pin = pin_kind::none;
  settings.max_ranks = places;
  settings.on_loss = loss_use::go_on;
  return settings;
}

constexpr pid_t no_process = std::numeric_limits<pid_t>::max();  // what is sent to it reaches none

void end_process(pid_t process) {
  ASSERT_GT(process, 0);
  kill(process, SIGKILL);
  waitpid(process, nullptr, 0);
}

/// A job that was started with one rank, as its supervisor, which is this process, sees it.
struct started_job {
  explicit started_job(int places) : plan(make_plan(programs, with_places(places))) {
    struct stat about{};
    fstat(plan.memory, &about);
    identity = about.st_ino;
    children.push_back({.pid = no_process, .alive = true});
  }
  ~started_job() {
    joining.refuse_all("the test is over");
    answered.clear();
    close(plan.memory);
    munmap(plan.job, host_layout::job_bytes);
  }
  started_job(const started_job&) = delete;

  join_answer ask(rank_t ranks) const {
    return ask_to_join(supervisor, identity, shell(ranks), 10'000, [] {});
  }
  /// Asks in another thread, and returns when the request is here.
  std::shared_future<join_answer> asked(rank_t ranks) {
    answered.push_back(std::async(std::launch::async, [this, ranks] { return ask(ranks); }).share());
    await_request();
    return answered.back();
  }
  /// Asks in a process of its own.
  pid_t asked_by_process(rank_t ranks) {
    const pid_t process = fork();
    if (process == 0) {
      ask(ranks);
      _exit(0);
    }
    await_request();
    return process;
  }
  void await_request() {
    for (std::vector<pollfd> list; !joining.any_undecided(); list.clear()) {
      joining.watch(list);
      ASSERT_GT(poll(list.data(), nfds_t(list.size()), 10'000), 0);
      joining.take_requests();
    }
  }
  /// The rank in that place has come in.
  void let_in(rank_t place) {
    const rank_life life = plan.job->life(place);
    plan.job->life_word[place].store(rank_life{life.number + 1, presence::living}.word());
    child& c = *std::ranges::find(children, place, &child::first);
    c.place = child::state::in_job;
    c.pid = no_process;
    c.alive = true;
    c.joins = false;
  }
  void give_up(rank_t place) { std::ranges::find(children, place, &child::first)->place = child::state::given_up; }

  std::vector<program_spec> programs{shell(1)};
  pid_t supervisor = getpid();
  std::uint64_t identity = 0;  // of its memory
  job_plan plan;
  joiners joining{plan};
  std::vector<child> children;
  std::vector<std::shared_future<join_answer>> answered;
};

TEST(joiners, are_given_the_places_behind_the_ranks_of_the_start) {
  started_job job(4);
  job.asked(2);
  job.joining.give_places(job.children);
  ASSERT_EQ(job.children.size(), 3u);
  for (rank_t r = 1; r < 3; ++r) {
    const child& c = job.children[std::size_t(r)];
    EXPECT_TRUE(c.first == r && c.last == r && c.joins && !c.alive && c.place == child::state::lost) << r;
  }
}

TEST(joiners, are_answered_when_all_are_in_the_job) {
  started_job job(4);
  auto answered = job.asked(2);
  job.joining.give_places(job.children);
  job.let_in(1);
  job.joining.answer_settled(job.children);
  EXPECT_EQ(answered.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  job.let_in(2);
  job.joining.answer_settled(job.children);
  const join_answer found = answered.get();
  EXPECT_TRUE(found.good);
  EXPECT_EQ(found.text, "ranks 1, 2 are in it");
}

TEST(joiners, of_which_some_have_failed_are_told_apart) {
  started_job job(4);
  auto answered = job.asked(2);
  job.joining.give_places(job.children);
  job.let_in(2);
  job.joining.note_failure(1, "it was killed");
  job.joining.note_failure(1, "a later word");
  job.give_up(1);
  job.joining.answer_settled(job.children);
  const join_answer found = answered.get();
  EXPECT_FALSE(found.good);
  EXPECT_NE(found.text.find("rank 1 is not in it: it was killed"), std::string::npos) << found.text;
  EXPECT_NE(found.text.find("rank 2 is in it"), std::string::npos) << found.text;
}

TEST(joiners, for_which_there_are_too_few_places_are_refused) {
  started_job job(2);
  auto answered = job.asked(2);
  job.joining.give_places(job.children);
  EXPECT_EQ(job.children.size(), 1u);
  const join_answer found = answered.get();
  EXPECT_FALSE(found.good);
  EXPECT_NE(found.text.find("1 free place for 2 ranks"), std::string::npos) << found.text;
}

TEST(joiners, are_not_given_a_place_that_another_request_waits_for) {
  started_job job(2);
  auto first = job.asked(1);
  job.joining.give_places(job.children);
  job.give_up(1);  // and not answered yet
  auto second = job.asked(1);
  job.joining.give_places(job.children);
  EXPECT_NE(second.get().text.find("0 free places"), std::string::npos);
  job.joining.answer_settled(job.children);
  EXPECT_FALSE(first.get().good);
}

TEST(joiners, are_given_the_place_of_one_that_is_given_up) {
  started_job job(2);
  auto first = job.asked(1);
  job.joining.give_places(job.children);
  job.let_in(1);
  job.joining.answer_settled(job.children);
  job.give_up(1);
  auto early = job.asked(1);
  job.joining.give_places(job.children);
  EXPECT_FALSE(early.get().good) << "its process has not ended yet";
  job.children[1].alive = false;
  auto second = job.asked(1);
  job.joining.give_places(job.children);
  EXPECT_EQ(job.children.size(), 2u);
  EXPECT_TRUE(job.children[1].joins && job.children[1].place == child::state::lost);
  job.let_in(1);
  job.joining.answer_settled(job.children);
  EXPECT_TRUE(second.get().good);
}

TEST(joiners, whose_request_was_not_decided_are_refused_when_the_job_ends) {
  started_job job(2);
  auto answered = job.asked(1);
  job.joining.refuse_all("it is about to end");
  EXPECT_EQ(answered.get().text, "it is about to end");
}

TEST(joiners, that_no_process_waits_for_do_not_come) {
  started_job job(4);
  const pid_t waiting = job.asked_by_process(2);
  job.joining.give_places(job.children);
  job.let_in(1);
  job.joining.withdraw(job.children);
  EXPECT_EQ(job.children[2].place, child::state::lost) << "it waits still";
  end_process(waiting);
  job.joining.withdraw(job.children);
  EXPECT_EQ(job.children[1].place, child::state::in_job) << "it has come in";
  EXPECT_EQ(job.children[2].place, child::state::given_up);
}

TEST(joiners, that_are_taken_back_before_a_place_is_given_are_forgotten) {
  started_job job(2);
  const pid_t waiting = job.asked_by_process(1);
  end_process(waiting);
  job.joining.withdraw(job.children);
  EXPECT_FALSE(job.joining.any_undecided());
}

TEST(joiners, of_a_job_without_spare_places_cannot_ask) {
  const started_job job(1);
  EXPECT_EQ(job.ask(1).text, "");
}

}  // namespace
}  // namespace armilla::detail
