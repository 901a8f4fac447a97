// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/watch/failure_record.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "armilla/base/core/error_text.hpp"
#include "armilla/boot/watch/ending.hpp"
#include "armilla/boot/watch/tell_loss.hpp"
#include "armilla/error.hpp"

[[gnu::noinline]] static void fail_as_a_user() { armilla::detail::throw_usage("test", "no such bucket"); }

namespace armilla::detail {
namespace {

TEST(failure_record, the_first_of_a_job_counts) {
  const auto job = std::make_unique<job_block>();
  job->places = 4;
  record_failure(*job, 3, failure_kind::exception, 1, "the cause");
  record_failure(*job, 1, failure_kind::code, 9, "a consequence");
  const ending e = from_record(*job);
  EXPECT_EQ(e.first, 3);
  EXPECT_EQ(e.last, 3);
  EXPECT_EQ(e.text, "the cause");
}

TEST(failure_record, a_long_text_is_cut_and_shows_it) {
  const auto job = std::make_unique<job_block>();
  job->places = 1;
  record_failure(*job, 0, failure_kind::exception, 1, std::string(10'000, 'x'));
  EXPECT_EQ(from_record(*job).text, std::string(sizeof job->failure.text - 5, 'x') + " ...");
}

TEST(failure_record, tells_whether_it_is_the_first) {
  const auto job = std::make_unique<job_block>();
  job->places = 2;
  EXPECT_TRUE(record_failure(*job, 0, failure_kind::code, 3, ""));
  EXPECT_FALSE(record_failure(*job, 0, failure_kind::code, 3, ""));
}

TEST(failure_record, is_primary_unless_a_loss_was_known_before) {
  for (bool lost : {false, true}) {
    const auto job = std::make_unique<job_block>();
    job->places = 2;
    EXPECT_FALSE(job->failure.is_primary());
    if (lost) tell_loss(*job, 0, 0, "was lost", "");
    record_failure(*job, 1, failure_kind::code, 3, "");
    EXPECT_EQ(job->failure.is_primary(), !lost);
  }
}

TEST(failure_record, that_another_rank_is_lost_is_not_primary) {
  const auto job = std::make_unique<job_block>();
  job->places = 2;
  try {
    throw rank_lost(0, "call", "was lost", "here");
  } catch (...) { record_current_exception(*job, 1); }
  EXPECT_FALSE(job->failure.is_primary());
}

void record_consequence(job_block& job, rank_t rank) {
  try {
    throw consequence("barrier", "rank 1 has left it by an exception");
  } catch (...) { record_current_exception(job, rank); }
}

TEST(failure_record, a_consequence_waits_for_its_cause) {
  const auto job = std::make_unique<job_block>();
  job->places = 2;
  std::thread waiter([&] { record_consequence(*job, 0); });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_FALSE(job->failure.complete());
  record_failure(*job, 1, failure_kind::exception, 1, "std::runtime_error: the cause");
  waiter.join();
  EXPECT_EQ(from_record(*job).text, "std::runtime_error: the cause");
  EXPECT_TRUE(job->failure.is_primary());
}

TEST(failure_record, a_consequence_without_a_cause_is_noted_as_a_usage_error) {
  const auto job = std::make_unique<job_block>();
  job->places = 2;
  record_consequence(*job, 0);
  EXPECT_FALSE(job->failure.is_primary());
  EXPECT_TRUE(from_record(*job).text.starts_with("armilla::usage_error: ")) << from_record(*job).text;
}

TEST(failure_record, holds_the_type_and_the_text_of_an_exception) {
  const auto job = std::make_unique<job_block>();
  job->places = 2;
  try {
    throw std::out_of_range("no such bucket");
  } catch (...) { record_current_exception(*job, 1); }
  const ending e = from_record(*job);
  EXPECT_EQ(e.first, 1);
  EXPECT_NE(e.text.find("std::out_of_range"), e.text.npos) << e.text;
  EXPECT_NE(e.text.find("no such bucket"), e.text.npos) << e.text;
}

TEST(failure_record, knows_what_is_no_exception_of_the_standard) {
  const auto job = std::make_unique<job_block>();
  job->places = 1;
  try {
    throw 7;
  } catch (...) { record_current_exception(*job, 0); }
  EXPECT_FALSE(from_record(*job).text.empty());
}

#ifndef __SANITIZE_THREAD__  // by g++ -g1, which leaves mangled names out, what lies in this folder is the library's
TEST(failure_record, has_the_place_of_an_error_as_a_further_line) {
  const auto job = std::make_unique<job_block>();
  job->places = 2;
  try {
    fail_as_a_user();
  } catch (...) {
    record_current_exception(*job, 1);
    EXPECT_EQ(from_record(*job).text.find('\n'), std::string::npos);  // the note counts before the place is found
    record_place(*job, 0);                                            // not the rank that was noted
    EXPECT_EQ(from_record(*job).text.find('\n'), std::string::npos);
    record_place(*job, 1);
  }
  EXPECT_NE(from_record(*job).text.find("no such bucket\n  in fail_as_a_user()"), std::string::npos) << from_record(*job).text;
}

TEST(failure_record, waits_for_a_place_that_a_crowded_host_finds_late) {
  const auto job = std::make_unique<job_block>();
  job->places = 1;
  job->rank[0].pid.store(getpid());
  std::string text;
  std::thread reader;
  try {
    fail_as_a_user();
  } catch (...) {
    record_current_exception(*job, 0);
    reader = std::thread([&] { text = from_record(*job).text; });
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    record_place(*job, 0);
  }
  reader.join();
  EXPECT_NE(text.find("\n  in fail_as_a_user()"), text.npos) << text;
}
#endif

TEST(failure_record, waits_for_no_place_of_a_process_that_has_ended) {
  const auto job = std::make_unique<job_block>();
  job->places = 1;
  const pid_t child = fork();
  if (child == 0) _exit(0);
  job->rank[0].pid.store(child);
  try {
    fail_as_a_user();
  } catch (...) { record_current_exception(*job, 0); }
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(from_record(*job).text.find('\n'), std::string::npos);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  waitpid(child, nullptr, 0);
}

TEST(failure_record, lists_the_ranks_that_failed_as_the_first_did) {
  const auto job = std::make_unique<job_block>();
  job->places = 200;
  const auto fail = [&](rank_t r, const std::string& text) {
    const std::string self = std::to_string(r);
    record_failure(*job, r, failure_kind::exception, 1,
                   "armilla::remote_error: armilla: rank 9: get: " + text + "\n  rank " + self + ": call: rank 9 threw this");
  };
  for (const rank_t r : {7, 0, 199, 64}) fail(r, "the index is 5");
  fail(3, "the index is 6");
  record_failure(*job, 4, failure_kind::code, 1, "");
  EXPECT_EQ(ranks_with_the_same_failure(*job), (std::vector<rank_t>{0, 64, 199}));
}

TEST(failure_record, a_rank_that_a_signal_ended_is_reported_alone) {
  const auto job = std::make_unique<job_block>();
  job->places = 2;
  for (const rank_t r : {0, 1}) record_failure(*job, r, failure_kind::signal, 11, "");
  EXPECT_TRUE(ranks_with_the_same_failure(*job).empty());
}

}  // namespace
}  // namespace armilla::detail
