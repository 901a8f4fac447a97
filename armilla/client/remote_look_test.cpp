// SPDX-License-Identifier: Apache-2.0
#include "armilla/client/remote_look.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

rank_look example(rank_t r) {
  rank_look one;
  one.rank = r;
  one.process = 4711 + r;
  one.program = "./solver";
  one.host = "b";
  one.doing = "waiting";
  one.waits_for = "barrier";
  one.algorithm = "sort";
  one.seconds = 1.5;
  one.cpu = 2.5;
  one.memory = 1 << 20;
  one.segment = 1 << 16;
  one.counts.one_way_calls_sent = 1000;
  one.counts.contended_locks = 7;
  return one;
}

std::string bytes_of_three() {
  return looks_as_bytes(std::vector{example(2), example(3)}) + looks_as_bytes(std::vector{example(5)});
}

TEST(remote_look, what_agents_say_can_be_joined) {
  const auto seen = looks_in(bytes_of_three());
  ASSERT_EQ(seen.size(), 3u);
  const rank_look &one = seen[2], wanted = example(5);
  EXPECT_EQ(one.rank, wanted.rank);
  EXPECT_EQ(one.process, wanted.process);
  EXPECT_EQ(one.program, wanted.program);
  EXPECT_EQ(one.host, wanted.host);
  EXPECT_EQ(one.doing, wanted.doing);
  EXPECT_EQ(one.waits_for, wanted.waits_for);
  EXPECT_EQ(one.algorithm, wanted.algorithm);
  EXPECT_EQ(one.seconds, wanted.seconds);
  EXPECT_EQ(one.cpu, wanted.cpu);
  EXPECT_EQ(one.memory, wanted.memory);
  EXPECT_EQ(one.segment, wanted.segment);
  EXPECT_EQ(one.counts.one_way_calls_sent, 1000u);
  EXPECT_EQ(one.counts.contended_locks, 7u);
  EXPECT_TRUE(one.known);
  EXPECT_FALSE(one.here);
}

TEST(remote_look, nothing_is_no_look) {
  EXPECT_TRUE(looks_in("").empty());
  EXPECT_TRUE(looks_in(looks_as_bytes({})).empty());
}

TEST(remote_look, of_bytes_that_are_cut_short_whole_parts_are_taken) {
  const std::string whole = bytes_of_three();
  const std::size_t first = looks_as_bytes(std::vector{example(2), example(3)}).size();
  for (std::size_t n = 0; n < whole.size(); ++n) EXPECT_EQ(looks_in(whole.substr(0, n)).size(), n < first ? 0u : 2u) << n;
}

TEST(remote_look, no_byte_that_is_another_does_harm) {
  const std::string whole = bytes_of_three();
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const int change : {0x01, 0x80, 0xff}) {
      std::string bad = whole;
      bad[at] = char(bad[at] ^ change);
      EXPECT_LE(looks_in(bad).size(), 64u) << at;  // each takes more bytes than that many would have
    }
}

TEST(remote_look, a_host_without_agent_tells_nothing) { EXPECT_TRUE(ask_agents(job_memory(-1, -1)).empty()); }

}  // namespace
}  // namespace armilla::detail
