// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/wire_up/agent_line.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "armilla/boot/host/descriptor.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

/// Rank 1 of 3, and the agent's end of its line.
struct line_to_agent {
  line_to_agent() {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    agent = ends[0];
    setenv(line_variable, (std::to_string(ends[1]) + " 1 3 north -1").c_str(), 1);
    rank = agent_line::take();
  }
  ~line_to_agent() { close(agent); }
  line_to_agent(const line_to_agent&) = delete;

  line_head head() const {
    line_head h{};
    EXPECT_TRUE(read_fully(agent, &h, sizeof h));
    return h;
  }
  std::string bytes(std::size_t n) const {
    std::string text(n, '\0');
    EXPECT_TRUE(read_fully(agent, text.data(), n));
    return text;
  }
  void answer(line_head::word what, const std::string& text) const {
    const line_head h{what, std::uint32_t(text.size())};
    EXPECT_TRUE(write_fully(agent, &h, sizeof h));
    EXPECT_TRUE(write_fully(agent, text.data(), text.size()));
  }

  int agent = -1;
  std::unique_ptr<agent_line> rank;
};

TEST(agent_line, a_rank_learns_from_its_variable_who_it_is) {
  const line_to_agent line;
  EXPECT_EQ(line.rank->rank(), 1);
  EXPECT_EQ(line.rank->ranks(), 3);
  EXPECT_EQ(line.rank->host(), "north");
  EXPECT_EQ(std::getenv(line_variable), nullptr) << "what the rank starts is no rank";
}

TEST(agent_line, a_damaged_variable_is_an_error_that_names_it) {
  for (const char* text : {"", "3", "3 0", "3 0 2", "x 0 2 north", "3 2 2 north", "3 -1 2 north", "-1 0 2 north", "999 0 2 north",
                           "0 0 999999999 north"}) {
    setenv(line_variable, text, 1);
    try {
      agent_line::take();
      ADD_FAILURE() << "taken: " << text;
    } catch (const usage_error& e) { EXPECT_NE(std::string(e.what()).find(line_variable), std::string::npos) << e.what(); }
  }
  unsetenv(line_variable);
}

TEST(agent_line, an_exchange_gives_this_rank_what_all_have_given) {
  const line_to_agent line;
  line.answer(line_head::exchange, "zeroone!two!");
  char all[12] = {};
  ASSERT_TRUE(line.rank->exchange("one!", all, 4));
  EXPECT_EQ(std::string(all, 12), "zeroone!two!");
  const line_head said = line.head();
  EXPECT_EQ(said.what, line_head::exchange);
  EXPECT_EQ(line.bytes(said.bytes), "one!");
}

TEST(agent_line, ranks_that_exchange_different_things_are_told) {
  const line_to_agent line;
  line.answer(line_head::exchange, "short");
  char all[12];
  EXPECT_FALSE(line.rank->exchange("one!", all, 4));
  EXPECT_NE(std::string(line.rank->error()).find("different things"), std::string::npos);
}

TEST(agent_line, an_agent_that_has_ended_is_told_and_waited_for_no_longer) {
  line_to_agent line;
  close(std::exchange(line.agent, -1));
  char all[12];
  EXPECT_FALSE(line.rank->exchange("one!", all, 4));
  EXPECT_NE(std::string(line.rank->error()).find("has ended"), std::string::npos);
}

TEST(agent_line, an_exchange_that_is_too_long_sends_nothing) {
  const line_to_agent line;
  const std::vector<char> mine(line_head::most_bytes + 1);
  EXPECT_FALSE(line.rank->exchange(mine.data(), nullptr, mine.size()));
  EXPECT_NE(std::string(line.rank->error()).find("1 MiB"), std::string::npos);
  char byte;
  EXPECT_EQ(recv(line.agent, &byte, 1, MSG_DONTWAIT), -1);
}

TEST(agent_line, a_long_exchange_comes_whole_through_a_line_that_holds_less) {
  const line_to_agent line;
  const std::string mine(300'000, 'm');
  std::string all(3 * mine.size(), '\0'), heard;
  std::thread agent([&] {
    heard = line.bytes(line.head().bytes);
    line.answer(line_head::exchange, std::string(mine.size(), '0') + mine + std::string(mine.size(), '2'));
  });
  EXPECT_TRUE(line.rank->exchange(mine.data(), all.data(), mine.size()));
  agent.join();
  EXPECT_EQ(heard, mine);
  EXPECT_EQ(all, std::string(mine.size(), '0') + mine + std::string(mine.size(), '2'));
}

TEST(agent_line, a_failure_brings_its_code_and_its_sentence) {
  const line_to_agent line;
  line.rank->tell_failure(70, true, "rank 1 has failed");
  const line_head said = line.head();
  EXPECT_EQ(said.what, line_head::failed);
  const std::string text = line.bytes(said.bytes);
  std::int32_t numbers[2] = {};
  std::memcpy(numbers, text.data(), sizeof numbers);
  EXPECT_EQ(numbers[0], 70);
  EXPECT_EQ(numbers[1], 1);
  EXPECT_EQ(text.substr(sizeof numbers), "rank 1 has failed");
}

TEST(agent_line, a_good_end_and_that_of_a_rank_that_follows_another_are_told_apart) {
  const line_to_agent line;
  line.rank->finish();
  line.rank->tell_over();
  EXPECT_EQ(line.head().what, line_head::finished);
  EXPECT_EQ(line.head().what, line_head::over);
}

TEST(agent_line, the_memory_that_is_lent_is_the_host_s) {
  const line_to_agent line;
  const int memory = memfd_create("a test", 0);
  ASSERT_EQ(pwrite(memory, "host", 4, 0), 4);
  line.rank->lend(memory);
  close(memory);
  line_head said{};
  int lent = -1;
  ASSERT_EQ(receive_with_descriptor(line.agent, &said, sizeof said, 0, lent), ssize_t(sizeof said));
  EXPECT_EQ(said.what, line_head::memory);
  char text[5] = {};
  EXPECT_EQ(pread(lent, text, 4, 0), 4);
  EXPECT_STREQ(text, "host");
  close(lent);
}

}  // namespace
}  // namespace armilla::detail
