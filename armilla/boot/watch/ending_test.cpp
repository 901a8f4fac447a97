// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/watch/ending.hpp"

#include <csignal>
#include <cstdlib>
#include <memory>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace armilla::detail {
namespace {

ending of(ending::how kind, int code) {
  ending e;
  e.kind = kind;
  e.first = e.last = 2;
  e.program = "./hello";
  e.pid = 123;
  e.code = code;
  return e;
}

TEST(ending, names_rank_program_and_signal) {
  EXPECT_EQ(sentence(of(ending::how::signal, SIGSEGV)), "rank 2 (./hello, pid 123) was killed by signal 11 (SIGSEGV)");
}

TEST(ending, names_all_ranks_of_a_process_if_it_may_be_any) {
  ending e = of(ending::how::signal, SIGKILL);
  e.first = 0;
  e.last = 3;
  EXPECT_EQ(sentence(e), "one of the ranks 0 to 3 (./hello, pid 123) was killed by signal 9 (SIGKILL)");
}

TEST(ending, ranks_that_failed_alike_share_a_sentence) {
  ending e = of(ending::how::code, 3);
  e.same = {0, 7, 1, 3};
  EXPECT_EQ(sentence(e), "ranks 0-3, 7 (./hello) exited with code 3");
}

// ARMILLA_ERRORS=json, for one test.
struct as_json {
  as_json() { setenv("ARMILLA_ERRORS", "json", 1); }
  ~as_json() { unsetenv("ARMILLA_ERRORS"); }
};

TEST(ending, names_who_called_exit) {
  ending e = of(ending::how::exited, 0);
  e.text = "\n  at a.cpp:3, in f()";
  EXPECT_EQ(
      report_of(account_of(e), "the job was stopped"),
      "armilla: rank 2 (./hello, pid 123) ended with code 0 before its run() ended; the job was stopped\n  at a.cpp:3, in f()");
}

TEST(ending, is_an_object_if_asked_for_json) {
  const as_json for_now;
  ending e = of(ending::how::exception, 1);
  e.text = "armilla::usage_error: armilla: rank 2: get: the index is \"9\"; give less\n  at a.cpp:3, in f()";
  const auto object = nlohmann::json::parse(report_of(account_of(e), "the job was stopped", "\nthe address is no memory"));
  EXPECT_EQ(object["event"], "failure");
  EXPECT_EQ(object["kind"], "exception");
  EXPECT_EQ(object["ranks"], nlohmann::json({2}));
  EXPECT_EQ(object["pid"], 123);
  EXPECT_EQ(object["type"], "armilla::usage_error");
  EXPECT_EQ(object["text"], "get: the index is \"9\"; give less");
  EXPECT_EQ(object["place"], "a.cpp:3, in f()");
  EXPECT_EQ(object["outcome"], "the job was stopped");
  EXPECT_EQ(object["hint"], "the address is no memory");
  e.text = "std::range_error: no\n  at a.cpp:3, in f()\n  rank 12 threw in g()+0x3";
  EXPECT_EQ(nlohmann::json::parse(account_of(e))["text"], "no");
  EXPECT_EQ(nlohmann::json::parse(account_of(e))["place"], "a.cpp:3, in f()");
  EXPECT_EQ(nlohmann::json::parse(account_of(e))["thrown_at"], "in g()+0x3");
  e.text = "int";
  EXPECT_EQ(nlohmann::json::parse(account_of(e))["text"], "");
  EXPECT_EQ(nlohmann::json::parse(account_of(of(ending::how::signal, SIGSEGV)))["signal"], "SIGSEGV");
}

TEST(ending, a_sentence_of_a_host_without_that_option_becomes_an_object_too) {
  const as_json for_now;
  const auto object = nlohmann::json::parse(report_of("rank 1 on b failed"));
  EXPECT_EQ(object["message"], "rank 1 on b failed");
}

TEST(ending, says_that_a_rank_was_killed_for_want_of_memory) {
  ending e = of(ending::how::signal, SIGKILL);
  e.out_of_memory = true;
  EXPECT_EQ(sentence(e), "rank 2 (./hello, pid 123) was killed by signal 9 (SIGKILL), its control group ran out of memory");
}

TEST(ending, tells_an_early_exit_from_a_code) {
  EXPECT_EQ(sentence(of(ending::how::code, 3)), "rank 2 (./hello, pid 123) exited with code 3");
  EXPECT_EQ(sentence(of(ending::how::exited, 0)), "rank 2 (./hello, pid 123) ended with code 0 before its run() ended");
}

TEST(ending, shows_an_exception_in_one_line_without_control_bytes) {
  ending e = of(ending::how::exception, 1);
  e.text = "std::runtime_error: red \x1b[31m\nand armilla: rank 0 is fine";
  EXPECT_EQ(sentence(e),
            "rank 2 (./hello, pid 123) ended by an exception: std::runtime_error: red \\x1b[31m\\nand armilla: rank 0 is fine");
}

TEST(ending, does_not_repeat_the_prefix_of_an_error_of_armilla) {
  ending e = of(ending::how::exception, 1);
  e.text = "armilla::usage_error: armilla: rank 2: get: the index is 9; give less";
  EXPECT_EQ(sentence(e), "rank 2 (./hello, pid 123) ended by an exception: armilla::usage_error: get: the index is 9; give less");
  e.text = "armilla::remote_error: armilla: rank 1: get: no; yes\n  rank 2: call: rank 1 threw this armilla::usage_error";
  EXPECT_EQ(sentence(e),
            "rank 2 (./hello, pid 123) ended by an exception: armilla::remote_error: rank 1: get: no; yes\n"
            "  rank 2: call: rank 1 threw this armilla::usage_error");
}

TEST(ending, never_gives_the_exit_code_of_success) {
  EXPECT_EQ(exit_code(of(ending::how::exited, 0)), 1);
  EXPECT_EQ(exit_code(of(ending::how::code, 256)), 1);  // what the shell would see as 0
  EXPECT_EQ(exit_code(of(ending::how::code, 7)), 7);
  EXPECT_EQ(exit_code(of(ending::how::signal, SIGSEGV)), 139);
  EXPECT_EQ(exit_code(of(ending::how::not_started, 2)), 127);
}

TEST(ending, gives_a_process_the_code_that_the_shell_sees_and_never_that_of_success) {
  EXPECT_EQ(exit_code(0), 0);
  EXPECT_EQ(exit_code(7), 7);
  EXPECT_EQ(exit_code(256), 1);
  EXPECT_EQ(exit_code(300), 44);
  EXPECT_EQ(exit_code(-1), 255);
}

TEST(ending, knows_signals_of_real_time) { EXPECT_EQ(signal_name(SIGRTMIN + 2), "SIGRTMIN+2"); }

TEST(ending, of_an_exception_of_the_user_only_the_places_are_further_lines) {
  ending e = of(ending::how::exception, 1);
  e.text = "std::range_error: a\n  b\n  at a.cpp:3, in f()";
  EXPECT_TRUE(cause_of(e).ends_with("std::range_error: a\\n  b\n  at a.cpp:3, in f()")) << cause_of(e);
}

TEST(ending, places_stay_the_last_lines_of_a_report) {
  EXPECT_EQ(report_of("rank 1 failed: no"), "armilla: rank 1 failed: no; the job was stopped");
  EXPECT_EQ(report_of("rank 1 failed: no\n  at a.cpp:3, in f()", "the other rank goes on"),
            "armilla: rank 1 failed: no; the other rank goes on\n  at a.cpp:3, in f()");
  EXPECT_EQ(report_of("rank 1 failed: no\n  in f()+0x3"), "armilla: rank 1 failed: no; the job was stopped\n  in f()+0x3");
  EXPECT_EQ(report_of("rank 1 failed: no\n  at a.cpp:3, in f()\n  rank 2 threw at b.cpp:5, in g()"),
            "armilla: rank 1 failed: no; the job was stopped\n  at a.cpp:3, in f()\n  rank 2 threw at b.cpp:5, in g()");
  EXPECT_EQ(report_of("rank 1 failed: no\n  rank 2 threw at b.cpp:5, in g()"),
            "armilla: rank 1 failed: no; the job was stopped\n  rank 2 threw at b.cpp:5, in g()");
  EXPECT_EQ(report_of("rank 1 failed: no\n  rank 0: call: no"),
            "armilla: rank 1 failed: no\n  rank 0: call: no; the job was stopped");
}

}  // namespace
}  // namespace armilla::detail
