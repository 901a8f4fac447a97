// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/wire_up/peer_info.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>

#include <gtest/gtest.h>

#include "armilla/base/core/options.hpp"
#include "armilla/boot/host/pin.hpp"

namespace armilla::detail {
namespace {

TEST(peer_info, says_which_process_of_which_program_this_is) {
  const peer_info mine = own_peer_info(options());
  EXPECT_EQ(mine.pid, getpid());
  EXPECT_EQ(mine.user, geteuid());
  EXPECT_EQ(std::filesystem::path(mine.file), std::filesystem::read_symlink("/proc/self/exe"));
  EXPECT_EQ(std::filesystem::path(mine.name).filename(), std::filesystem::path(mine.file).filename());
}

TEST(peer_info, processes_of_one_place_say_so) { EXPECT_EQ(own_peer_info(options()).place, own_peer_info(options()).place); }

TEST(peer_info, keys_and_socket_names_are_random) {
  const peer_info one = own_peer_info(options()), other = own_peer_info(options());
  EXPECT_NE(std::memcmp(one.key, other.key, sizeof one.key), 0);
  EXPECT_STRNE(one.server, other.server);
}

TEST(peer_info, options_that_all_must_share_are_told_apart_and_no_others) {
  options settings;
  const peer_info plain = own_peer_info(settings);
  settings.set("label", "1");  // each rank's own
  EXPECT_EQ(own_peer_info(settings).options_hash, plain.options_hash);
  settings.set("ring", "64K");
  EXPECT_NE(own_peer_info(settings).options_hash, plain.options_hash);
}

TEST(peer_info, ranks_of_a_machine_share_its_processors_whatever_their_hosts) {
  const options settings;
  const peer_info mine = own_peer_info(settings);
  ASSERT_NE(mine.machine, 0u);
  std::vector<peer_info> all(5, mine);
  all[1].place += 1;    // another container, the same processors
  all[2].machine += 2;  // another machine
  std::ranges::fill(all[3].processors, 0);
  all[4].machine = 0;  // not known
  EXPECT_EQ(ranks_beside(all, 0), 2u);
  EXPECT_EQ(ranks_beside(all, 1), 2u);
  EXPECT_EQ(ranks_beside(all, 2), 1u);
  EXPECT_EQ(ranks_beside(all, 3), 1u);
  EXPECT_EQ(ranks_beside(all, 4), 1u);
}

// From it all hosts of a job choose segments of one length.
TEST(peer_info, the_fullest_host_is_the_same_for_all) {
  std::vector<peer_info> all(5, own_peer_info(options()));
  EXPECT_EQ(most_on_a_host(all), 5);
  all[1].place += 1;
  all[4].place += 1;
  EXPECT_EQ(most_on_a_host(all), 3);
  std::ranges::reverse(all);
  EXPECT_EQ(most_on_a_host(all), 3);
}

TEST(peer_info, ranks_that_share_memory_are_placed_and_others_left_alone) {
  const auto job = std::make_unique<job_block>();
  std::vector<peer_info> all(3, own_peer_info(options()));
  std::ranges::fill(all[0].processors, 0), all[0].processors[0] = 0b0011;
  std::ranges::fill(all[2].processors, 0), all[2].processors[0] = 0b0110;
  job->rank[1].cpu[0] = 77;
  place_ranks(*job, all, {0, 2}, pin_kind::core);
  EXPECT_EQ(job->processors, 3u);  // what the launcher has bound stays: they have three together
  EXPECT_EQ(job->rank[0].cpu[0], -1);
  EXPECT_EQ(job->rank[2].cpu[0], -1);
  EXPECT_EQ(job->rank[1].cpu[0], 77);
}

}  // namespace
}  // namespace armilla::detail
