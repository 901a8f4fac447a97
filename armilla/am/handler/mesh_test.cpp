// SPDX-License-Identifier: Apache-2.0
#include "armilla/am/handler/mesh.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

struct job {
  const char* name;
  std::vector<std::uint32_t> host_of;
};

std::vector<job> jobs() {
  std::vector<job> all;
  for (const std::uint32_t hosts : {1, 2, 3, 5, 6, 7, 11, 16, 17, 20, 64, 101})
    for (const std::uint32_t each : {1, 3}) {
      std::vector<std::uint32_t> in_blocks, in_turn;
      for (std::uint32_t r = 0; r < hosts * each; ++r) in_blocks.push_back(r / each), in_turn.push_back(r % hosts);
      all.push_back({"in blocks", std::move(in_blocks)});
      all.push_back({"in turn", std::move(in_turn)});
    }
  all.push_back({"of different sizes", {0, 0, 0, 0, 0, 1, 2, 2, 2, 3, 4, 4, 4, 4, 5, 6, 6}});
  return all;
}

std::vector<mesh> meshes_of(const job& j) {
  std::vector<mesh> all;
  for (std::size_t r = 0; r < j.host_of.size(); ++r) all.emplace_back(rank_t(r), j.host_of.data(), rank_t(j.host_of.size()));
  return all;
}

TEST(mesh, each_rank_is_reached_in_three_steps) {
  for (const job& j : jobs()) {
    const std::vector<mesh> meshes = meshes_of(j);
    for (std::size_t from = 0; from < meshes.size(); ++from)
      for (std::size_t to = 0; to < meshes.size(); ++to) {
        std::size_t at = from;
        int steps = 0;
        for (; at != to && steps < 4; ++steps) at = std::size_t(meshes[at].next_to(rank_t(to)));
        ASSERT_LE(steps, 3) << j.name << ", " << meshes.size() << " ranks, from " << from << " to " << to;
      }
  }
}

TEST(mesh, behind_its_turn_a_message_comes_to_its_host) {
  for (const job& j : jobs()) {
    const std::vector<mesh> meshes = meshes_of(j);
    for (std::size_t from = 0; from < meshes.size(); ++from)
      for (std::size_t to = 0; to < meshes.size(); ++to) {
        const auto turn = std::size_t(meshes[from].next_to(rank_t(to)));
        if (j.host_of[turn] == j.host_of[to]) continue;
        const auto next = std::size_t(meshes[turn].next_to(rank_t(to)));
        ASSERT_EQ(j.host_of[next], j.host_of[to]) << j.name << ", " << meshes.size() << " ranks, from " << from << " to " << to;
      }
  }
}

TEST(mesh, a_rank_sends_to_no_more_than_a_row_and_a_column) {
  for (const job& j : jobs()) {
    const std::vector<mesh> meshes = meshes_of(j);
    for (std::size_t from = 0; from < meshes.size(); ++from) {
      std::set<rank_t> neighbours;
      // Also what others send by way of this rank.
      for (std::size_t to = 0; to < meshes.size(); ++to) {
        const rank_t next = meshes[from].next_to(rank_t(to));
        if (j.host_of[std::size_t(next)] != j.host_of[from]) neighbours.insert(next);
      }
      const double hosts = *std::ranges::max_element(j.host_of) + 1;
      const double row = std::ceil(std::sqrt(hosts)), column = std::ceil(hosts / row);
      ASSERT_LE(double(neighbours.size()), row - 1 + column - 1) << j.name << ", " << meshes.size() << " ranks";
    }
  }
}

TEST(mesh, of_1024_hosts_a_rank_sends_to_62) {
  std::vector<std::uint32_t> host_of(1024);
  for (std::uint32_t r = 0; r < 1024; ++r) host_of[r] = r;
  const mesh m(517, host_of.data(), 1024);
  std::set<rank_t> neighbours;
  for (rank_t to = 0; to < 1024; ++to) neighbours.insert(m.next_to(to));
  EXPECT_EQ(neighbours.size(), 62U + 1U);  // and itself
}

}  // namespace
}  // namespace armilla::detail
