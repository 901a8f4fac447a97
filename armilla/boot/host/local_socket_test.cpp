// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/host/local_socket.hpp"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <list>
#include <string>

#include <gtest/gtest.h>

#include "armilla/boot/host/descriptor.hpp"

namespace armilla::detail {
namespace {

std::string name_for_test(pid_t process = getpid()) { return "armilla-local-socket-test-" + std::to_string(process); }

/// Both ends of a connection.
struct connected_pair {
  descriptor listener{listen_locally(name_for_test(), 1)}, ours{connect_locally(name_for_test())},
      theirs{accept_locally(listener.get())};
};

std::string next_message(int connection) {
  char text[64];
  const ssize_t n = recv(connection, text, sizeof text, MSG_DONTWAIT);
  return {text, n > 0 ? std::size_t(n) : 0};
}

TEST(local_socket, messages_keep_their_borders) {
  const connected_pair both;
  ASSERT_EQ(send(both.ours.get(), "one", 3, 0), 3);
  ASSERT_EQ(send(both.ours.get(), "more", 4, 0), 4);
  EXPECT_EQ(next_message(both.theirs.get()), "one");
  EXPECT_EQ(next_message(both.theirs.get()), "more");
}

TEST(local_socket, a_name_is_free_again_when_its_socket_is_closed) {
  descriptor first(listen_locally(name_for_test(), 1));
  ASSERT_GE(first.get(), 0);
  EXPECT_EQ(listen_locally(name_for_test(), 1), -1);
  EXPECT_EQ(errno, EADDRINUSE);
  first.reset(-1);
  const descriptor second(listen_locally(name_for_test(), 1));
  EXPECT_GE(second.get(), 0);
}

TEST(local_socket, a_name_that_another_user_has_taken_is_passed_over) {
  if (geteuid() != 0) GTEST_SKIP() << "only root becomes another user";
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t stranger = fork();
  if (stranger == 0) {
    const bool good = setresuid(12345, 12345, 12345) == 0 && listen_locally(name_for_test(getppid()), 1) >= 0;
    if (write(ready[1], good ? "+" : "-", 1) == 1) pause();
    _exit(1);
  }
  char said = 0;
  ASSERT_EQ(read(ready[0], &said, 1), 1);
  EXPECT_EQ(said, '+');
  const connected_pair both;
  EXPECT_GE(both.listener.get(), 0);
  EXPECT_GE(both.ours.get(), 0);
  EXPECT_GE(both.theirs.get(), 0);
  EXPECT_EQ(listen_locally(name_for_test(), 1), -1);  // there is one of this user
  kill(stranger, SIGKILL);
  waitpid(stranger, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
}

TEST(local_socket, a_name_that_begins_with_another_is_not_it) {
  const descriptor listener(listen_locally(name_for_test(), 1));
  const descriptor longer(connect_locally(name_for_test() + "0"));
  EXPECT_EQ(longer.get(), -1);
}

TEST(local_socket, that_none_has_connected_to_accepts_nothing_at_once) {
  const descriptor listener(listen_locally(name_for_test(), 1));
  EXPECT_EQ(accept_locally(listener.get()), -1);
}

TEST(local_socket, whose_queue_is_full_is_waited_for_no_longer_than_wanted) {
  const descriptor listener(listen_locally(name_for_test(), 1));
  std::list<descriptor> callers;
  for (int i = 0; i < 4; ++i) callers.emplace_back(connect_locally(name_for_test(), 10));
  EXPECT_GE(callers.front().get(), 0);
  EXPECT_EQ(callers.back().get(), -1);
}

TEST(local_socket, the_other_end_is_of_the_same_user) {
  const connected_pair both;
  EXPECT_TRUE(is_of_same_user(both.theirs.get()));
  EXPECT_FALSE(is_of_same_user(STDIN_FILENO));
}

TEST(local_socket, has_hung_up_when_the_other_end_is_closed) {
  connected_pair both;
  EXPECT_FALSE(has_hung_up(both.theirs.get()));
  both.ours.reset(-1);
  EXPECT_TRUE(has_hung_up(both.theirs.get()));
}

TEST(local_socket, a_look_at_it_takes_nothing_away) {
  const connected_pair both;
  ASSERT_EQ(send(both.ours.get(), "one", 3, 0), 3);
  EXPECT_FALSE(has_hung_up(both.theirs.get()));
  EXPECT_EQ(next_message(both.theirs.get()), "one");
}

TEST(local_socket, is_readable_when_something_has_come) {
  const connected_pair both;
  EXPECT_FALSE(readable_within(both.theirs.get(), 0));
  ASSERT_EQ(send(both.ours.get(), "one", 3, 0), 3);
  EXPECT_TRUE(readable_within(both.theirs.get(), 0));
}

}  // namespace
}  // namespace armilla::detail
