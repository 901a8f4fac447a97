// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/core/helper_thread.hpp"

#include <pthread.h>
#include <signal.h>

#include <string>

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

bool is_blocked(int signal) {
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  return sigismember(&blocked, signal) == 1;
}

TEST(helper_thread, takes_no_signal_and_has_its_name) {
  bool there = false;
  char name[16] = {};
  start_helper_thread("for a test", [&] {
    there = is_blocked(SIGTERM) && is_blocked(SIGUSR1);
    pthread_getname_np(pthread_self(), name, sizeof name);
  }).join();
  EXPECT_TRUE(there);
  EXPECT_EQ(std::string(name), "for a test");
}

TEST(helper_thread, the_thread_that_starts_it_takes_its_signals_afterwards) {
  start_helper_thread("for a test", [] {}).join();
  EXPECT_FALSE(is_blocked(SIGTERM));
}

}  // namespace
}  // namespace armilla::detail
