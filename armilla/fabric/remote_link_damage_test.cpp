// SPDX-License-Identifier: Apache-2.0
// A frame that no far link sends is refused, told with its sender, and disturbs no other peer.
#include <limits>

#include "armilla/fabric/remote_link_test.hpp"

namespace armilla::detail {
namespace {

using words = scripted_network::words;

TEST_F(remote_link_test, a_truncated_frame_is_refused) {
  const network_head h = head(2, 0);
  net.comes(2, &h, 8);
  expect_refused("the length of a frame from rank 2", 2);
  net.comes(2, &h, sizeof h);  // it says one word
  expect_refused("the length of a frame from rank 2", 2);
  net.comes(2, &h, 0);
  expect_refused("the length of a frame from rank 2", 2);
}

TEST_F(remote_link_test, a_strange_mark_is_refused) {
  network_head h = head(2, 0);
  h.mark = 0x12345678;
  net.comes(h, {1});
  expect_refused("the mark of a frame from rank 2", 2);
}

TEST_F(remote_link_test, a_source_that_cannot_be_is_refused) {
  for (const std::uint32_t wrong : {0U, std::uint32_t(ranks), std::uint32_t(me), 0xffffffffU}) {
    network_head h = head(rank_t(2), 0, 0);
    h.source = wrong;
    net.comes(2, &h, sizeof h);
    expect_refused("the source of a frame from rank 2", 2);
  }
}

TEST_F(remote_link_test, where_the_network_knows_no_source_the_head_is_asked) {
  net.says_source = false;
  network_head h = head(2, 0);
  h.mark = 1;
  net.comes(h, {1});
  expect_refused("the mark of a frame from rank 2", 2);
  h = head(2, 0, 0);
  h.source = std::uint32_t(ranks);
  net.comes(2, &h, sizeof h);
  expect_refused("the source of a frame", no_rank);
  comes(2, 0);
  EXPECT_EQ(take(), content(2, 0));
}

TEST_F(remote_link_test, a_length_that_is_not_the_frames_is_refused) {
  for (const std::uint32_t wrong : {0U, 4U, 9U, 16U, 0xffffffffU}) {
    network_head h = head(2, 0);
    h.bytes = wrong;
    net.comes(h, {1});
    expect_refused("the length of a frame from rank 2", 2);
  }
  net.comes(head(2, 0, longest / 8 + 1), words(longest / 8 + 1));
  expect_refused("the length of a frame from rank 2", 2);
}

TEST_F(remote_link_test, a_kind_that_there_is_not_is_refused) {
  network_head h = head(2, 0);
  h.control = 4;
  net.comes(h, {1});
  expect_refused("the kind of a frame from rank 2", 2);
}

TEST_F(remote_link_test, a_number_too_remote_ahead_is_refused) {
  for (const std::uint64_t wrong : {window + 1, std::uint64_t{1} << 40, std::numeric_limits<std::uint64_t>::max()}) {
    comes(2, wrong);
    expect_refused("the number of a frame from rank 2", 2);
  }
  comes(2, 0);
  EXPECT_EQ(take(), content(2, 0));
}

TEST_F(remote_link_test, more_taken_in_than_was_sent_is_refused) {
  ASSERT_TRUE(send(2));
  comes_credit(2, 2);
  expect_refused("the lines taken in, said by a frame from rank 2", 2);
  comes_credit(2, 1);
  EXPECT_EQ(take(), 0U);
}

TEST_F(remote_link_test, a_held_source_cannot_fill_the_memory) {
  link.hold(2);
  for (std::uint64_t i = 0; i < window; ++i) comes(2, i);
  EXPECT_EQ(take(), 0U);
  comes(2, window);
  expect_refused("the lines under way, with a frame from rank 2", 2);
  link.go_on(2);
  for (std::uint64_t i = 0; i < window; ++i) EXPECT_EQ(take(), content(2, i));
}

}  // namespace
}  // namespace armilla::detail
