// SPDX-License-Identifier: Apache-2.0
#include "armilla/fabric/reachability.hpp"

#include <netinet/in.h>

#include <array>
#include <cstring>

#include <gtest/gtest.h>

#include "armilla/base/values/clock.hpp"
#include "armilla/fabric/testing/scripted_network.hpp"

namespace armilla::detail {
namespace {

constexpr std::uint64_t soon_ns = 20'000'000, long_ns = 60'000'000'000;
constexpr rank_t me = 1;

class reachability : public testing::Test {
 protected:
  /// What `from` sends: the word that this rank would send in its place.
  void comes(rank_t from, bool hears_us) {
    scripted_network theirs{64};
    if (hears_us) theirs.comes(me, word(me, false).data(), sizeof(word_bytes));
    try_peers(theirs, from, {me}, 1'000'000);
    net.comes(from, theirs.sent.back().content.data(), sizeof(word_bytes));
  }
  using word_bytes = std::array<std::uint64_t, 2>;
  static word_bytes word(rank_t from, bool heard) {
    scripted_network one{64};
    try_peers(one, from, {0}, 0);
    word_bytes all{};
    std::memcpy(all.data(), one.sent.at(0).content.data(), sizeof all);
    all[1] |= std::uint64_t(heard ? 1 : 0) << 32;
    return all;
  }
  scripted_network net{64};
};

TEST_F(reachability, peers_that_answer_are_reached_at_once) {
  comes(0, true), comes(2, true);
  const std::uint64_t began = now_ns();
  for (const tried_peer& one : try_peers(net, me, {0, 2}, long_ns)) EXPECT_TRUE(one.good()) << one.rank;
  EXPECT_LT(now_ns() - began, 10'000'000'000u);
  EXPECT_EQ(net.held(), 0u);
}

TEST_F(reachability, a_peer_that_does_not_send_or_receive_is_not_reached) {
  comes(0, true), comes(2, false);
  const auto found = try_peers(net, me, {0, 2}, soon_ns);
  EXPECT_TRUE(found[0].good());
  EXPECT_TRUE(found[1].heard);
  EXPECT_FALSE(found[1].answered);
  EXPECT_FALSE(try_peers(net, me, {2}, soon_ns)[0].heard);
}

TEST_F(reachability, malformed_messages_and_those_of_other_ranks_are_ignored) {
  const word_bytes nonsense{1, 2};
  net.comes(0, nonsense.data(), sizeof nonsense);
  net.comes(0, nonsense.data(), 4);
  comes(3, true);
  EXPECT_FALSE(try_peers(net, me, {0}, soon_ns)[0].heard);
  EXPECT_EQ(net.held(), 0u);
}

TEST_F(reachability, without_a_buffer_it_waits_until_the_time_limit) {
  net.full = true;
  comes(0, true);
  EXPECT_TRUE(try_peers(net, me, {0}, soon_ns)[0].heard);
  EXPECT_TRUE(net.sent.empty());
}

TEST_F(reachability, places_of_tcp_take_a_connection_or_not) {
  const std::uint32_t here = htonl(INADDR_LOOPBACK);
  const trial_port open(here), none(0);
  trial_place closed;
  {
    const trial_port gone(here);
    closed = gone.place();
  }
  EXPECT_EQ(try_places({open.place(), closed, none.place()}, long_ns), (std::vector<bool>{true, false, true}));
}

}  // namespace
}  // namespace armilla::detail
