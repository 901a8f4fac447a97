// SPDX-License-Identifier: Apache-2.0
#include "armilla/fabric/remote_link_test.hpp"

namespace armilla::detail {
namespace {

// ---- sending ----

TEST_F(remote_link_test, a_frame_says_who_sent_it_and_as_which) {
  EXPECT_EQ(link.most(), longest);
  ASSERT_TRUE(send(2, 16));
  ASSERT_TRUE(send(0));
  ASSERT_TRUE(send(2));
  ASSERT_EQ(net.sent.size(), 3U);
  const network_head h = net.sent[2].head();
  EXPECT_EQ(h.mark, network_head::good_mark);
  EXPECT_EQ(h.source, std::uint32_t(me));
  EXPECT_EQ(h.bytes, 8U);
  EXPECT_EQ(h.number, 1U);
  EXPECT_EQ(h.control, 0U);
  EXPECT_EQ(net.sent[0].head().bytes, 16U);
  EXPECT_EQ(net.sent[0].bytes, sizeof h + 16);
  EXPECT_EQ(net.sent[1].head().number, 0U);
  EXPECT_EQ(link.sent(2), 2U);
  EXPECT_EQ(link.sent(3), 0U);
}

TEST_F(remote_link_test, never_more_than_the_window_is_under_way) {
  for (std::uint64_t i = 0; i < window; ++i) EXPECT_TRUE(send(2));
  EXPECT_FALSE(send(2));
  EXPECT_TRUE(send(0)) << "each rank has a window of its own";
  EXPECT_EQ(link.sent(2), window);
}

TEST_F(remote_link_test, a_long_frame_needs_credit_for_all_its_lines) {
  for (std::uint64_t i = 0; i + 1 < window; ++i) EXPECT_TRUE(send(2));
  EXPECT_FALSE(send(2, longest));
  EXPECT_TRUE(send(2));
}

TEST_F(remote_link_test, the_receivers_word_frees_the_window) {
  while (send(2)) {}
  comes_credit(2, 3);
  EXPECT_EQ(take(), 0U);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(send(2));
  EXPECT_FALSE(send(2));
  EXPECT_EQ(net.held(), 0U);
}

TEST_F(remote_link_test, credit_travels_in_the_heads_of_frames) {
  while (send(2)) {}
  network_head h = head(2, 0);
  h.taken = 1;
  net.comes(h, {7});
  EXPECT_EQ(take(), 7U);
  EXPECT_TRUE(send(2));
  EXPECT_FALSE(send(2));
  EXPECT_EQ(net.sent.back().head().taken, 1U) << "and so does what was taken in here";
}

TEST_F(remote_link_test, an_older_word_of_credit_takes_nothing_back) {
  while (send(2)) {}
  comes_credit(2, 4);
  comes_credit(2, 2);
  EXPECT_EQ(take(), 0U);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(send(2));
  EXPECT_FALSE(send(2));
}

TEST_F(remote_link_test, without_a_buffer_there_is_no_room_and_nothing_is_counted) {
  net.full = true;
  EXPECT_FALSE(send(2));
  EXPECT_FALSE(send(2, 8, remote_link::kind::control));
  EXPECT_EQ(link.sent(2), 0U);
  net.full = false;
  EXPECT_TRUE(send(2));
  EXPECT_EQ(net.sent[0].head().number, 0U);
}

TEST_F(remote_link_test, room_that_is_not_used_is_forgotten) {
  ASSERT_NE(link.reserve(2, 8), nullptr);
  ASSERT_NE(link.reserve(2, 8), nullptr);
  EXPECT_EQ(link.sent(2), 0U);
  EXPECT_TRUE(send(2));
  EXPECT_EQ(net.sent[0].head().number, 0U);
}

TEST_F(remote_link_test, control_messages_need_no_credit_and_do_not_count) {
  while (send(2)) {}
  EXPECT_TRUE(send(2, longest, remote_link::kind::control));
  EXPECT_EQ(net.sent.back().head().control, 1U);
  EXPECT_EQ(net.sent.back().head().number, window) << "but they have their place in the order";
  EXPECT_EQ(link.sent(2), window);
}

TEST_F(remote_link_test, what_went_to_a_forgotten_rank_and_came_from_it_is_no_event) {
  for (const rank_t peer : {2, 3}) {
    EXPECT_TRUE(send(peer));
    EXPECT_TRUE(send(peer, 8, remote_link::kind::control));
    EXPECT_TRUE(send(peer, 8, remote_link::kind::watch));
    comes(peer, 0);
    EXPECT_EQ(take(), content(peer, 0));
  }
  EXPECT_EQ(link.events_sent(), 4U);
  EXPECT_EQ(link.events_taken(), 2U);
  link.forget(2);
  link.forget(2);
  link.forget(0);  // which was never met
  EXPECT_EQ(link.events_sent(), 2U);
  EXPECT_EQ(link.events_taken(), 1U);
  EXPECT_TRUE(send(2));
  comes(2, 1);
  EXPECT_EQ(take(), content(2, 1));
  EXPECT_EQ(link.events_sent(), 2U) << "also what comes late";
  EXPECT_EQ(link.events_taken(), 1U);
}

TEST_F(remote_link_test, bulk_transfers_are_numbered_by_receiver) {
  EXPECT_EQ(link.next_bulk(2), 0U);
  EXPECT_EQ(link.next_bulk(2), 1U);
  EXPECT_EQ(link.next_bulk(0), 0U);
}

// ---- credit that is given ----

TEST_F(remote_link_test, credit_goes_back_once_a_quarter_of_the_window) {
  for (std::uint64_t i = 0; i < quarter; ++i) comes(2, i);
  for (std::uint64_t i = 0; i < quarter; ++i) EXPECT_EQ(take(), content(2, i));
  EXPECT_TRUE(net.sent.empty());
  comes(2, quarter);
  EXPECT_EQ(take(), content(2, quarter));
  ASSERT_EQ(net.sent.size(), 1U);
  EXPECT_EQ(net.sent[0].peer, 2);
  EXPECT_EQ(net.sent[0].bytes, sizeof(network_head));
  EXPECT_EQ(net.sent[0].head().bytes, 0U);
  EXPECT_EQ(net.sent[0].head().taken, quarter + 1);
  EXPECT_EQ(link.taken(2), quarter + 1);
  EXPECT_EQ(link.taken(0), 0U);
  EXPECT_EQ(link.frames_taken(), quarter + 1);
}

TEST_F(remote_link_test, a_word_of_credit_has_no_number) {
  for (std::uint64_t i = 0; i <= quarter; ++i) comes(2, i);
  while (take() != 0) {}
  ASSERT_EQ(net.sent.size(), 1U);
  EXPECT_TRUE(send(2));
  EXPECT_EQ(net.sent[1].head().number, 0U);
}

TEST_F(remote_link_test, what_goes_back_saves_the_word_of_credit) {
  for (std::uint64_t i = 0; i < 4 * quarter; ++i) {
    comes(2, i);
    EXPECT_EQ(take(), content(2, i));
    comes_credit(2, link.sent(2));
    EXPECT_EQ(take(), 0U);
    EXPECT_TRUE(send(2));
    EXPECT_EQ(net.sent.back().head().taken, i + 1);
  }
  EXPECT_EQ(net.sent.size(), 4 * quarter);
}

TEST_F(remote_link_test, credit_that_finds_no_buffer_is_owed) {
  net.full = true;
  for (rank_t r : {0, 2})
    for (std::uint64_t i = 0; i <= quarter; ++i) comes(r, i);
  while (take() != 0) {}
  EXPECT_TRUE(net.sent.empty());
  EXPECT_EQ(take(), 0U);  // still none
  net.full = false;
  EXPECT_EQ(take(), 0U);
  EXPECT_EQ(take(), 0U);
  ASSERT_EQ(net.sent.size(), 2U);
  EXPECT_EQ(net.sent[0].peer + net.sent[1].peer, 2);
  for (const auto& f : net.sent) EXPECT_EQ(f.head().taken, quarter + 1);
  EXPECT_EQ(take(), 0U);
  EXPECT_EQ(net.sent.size(), 2U) << "owed once";
}

TEST_F(remote_link_test, control_messages_give_no_credit) {
  for (std::uint64_t i = 0; i < window; ++i) {
    network_head h = head(2, i);
    h.control = 1;
    net.comes(h, {content(2, i)});
    remote_frame f;
    ASSERT_TRUE(link.next(f));
    EXPECT_TRUE(f.control);
    link.release(f);
  }
  EXPECT_TRUE(net.sent.empty());
  EXPECT_EQ(link.taken(2), 0U);
  EXPECT_EQ(link.frames_taken(), 0U);
}

// ---- order ----

TEST_F(remote_link_test, frames_come_in_their_order_whoever_sent_them) {
  for (std::uint64_t i = 0; i < 3; ++i) comes(2, i), comes(0, i);
  for (std::uint64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(take(), content(2, i));
    remote_frame f;
    ASSERT_TRUE(link.next(f));
    EXPECT_EQ(f.source, 0);
    EXPECT_EQ(f.bytes, 8U);
    EXPECT_EQ(first(f), content(0, i));
    link.release(f);
  }
  EXPECT_EQ(take(), 0U);
}

TEST_F(remote_link_test, what_comes_twice_is_dropped) {
  for (const std::uint64_t i : {0, 0, 1, 0, 1, 2, 2}) comes(2, i);
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(take(), content(2, i));
  EXPECT_EQ(take(), 0U);
  EXPECT_EQ(link.taken(2), 3U);
}

TEST_F(remote_link_test, what_comes_early_is_put_in_order) {
  for (const std::uint64_t i : {2, 1, 3, 0, 5, 4}) comes(2, i);
  for (std::uint64_t i = 0; i < 6; ++i) EXPECT_EQ(take(), content(2, i));
  EXPECT_EQ(take(), 0U);
}

TEST_F(remote_link_test, what_comes_early_and_twice_is_taken_once) {
  for (const std::uint64_t i : {2, 2, 1, 1, 3, 0, 0, 2, 3, 1, 4}) comes(2, i);
  for (std::uint64_t i = 0; i < 5; ++i) EXPECT_EQ(take(), content(2, i));
  EXPECT_EQ(take(), 0U);
  EXPECT_EQ(link.taken(2), 5U);
}

TEST_F(remote_link_test, an_early_frame_holds_up_nobody_else) {
  comes(2, 1);
  comes(0, 0);
  EXPECT_EQ(take(), content(0, 0));
  EXPECT_EQ(take(), 0U);
  comes(2, 0);
  EXPECT_EQ(take(), content(2, 0));
  EXPECT_EQ(take(), content(2, 1));
}

TEST_F(remote_link_test, an_early_frame_gives_the_networks_buffer_back) {
  for (std::uint64_t i = 1; i < window; ++i) comes(2, i);
  EXPECT_EQ(take(), 0U);
  EXPECT_EQ(net.held(), 0U);
}

TEST_F(remote_link_test, early_frames_that_nobody_fetches_are_let_go) {
  {
    remote_link other(net, me, ranks, window * cache_line);
    comes(2, 1);
    comes(0, 0);
    remote_frame f;
    ASSERT_TRUE(other.next(f));
    other.release(f);
    other.hold(0);
    comes(0, 1);
    EXPECT_FALSE(other.next(f));
  }
  EXPECT_EQ(net.held(), 0U);
}

// ---- held sources ----

TEST_F(remote_link_test, a_held_source_waits_while_others_are_heard) {
  comes(2, 0);
  remote_frame f;
  ASSERT_TRUE(link.next(f));
  link.hold(2);
  comes(2, 1);
  comes(2, 2);
  comes(0, 0);
  EXPECT_EQ(take(), content(0, 0));
  EXPECT_EQ(take(), 0U);
  link.release(f);
  EXPECT_EQ(take(), 0U);
  link.go_on(2);
  comes(2, 3);
  EXPECT_EQ(take(), content(2, 1));
  EXPECT_EQ(take(), content(2, 2));
  EXPECT_EQ(take(), content(2, 3));
  EXPECT_EQ(take(), 0U);
}

TEST_F(remote_link_test, a_source_may_be_held_again_between_its_frames) {
  link.hold(2);
  for (std::uint64_t i = 0; i < 4; ++i) comes(2, i);
  EXPECT_EQ(take(), 0U);
  for (std::uint64_t i = 0; i < 4; ++i) {
    link.go_on(2);
    EXPECT_EQ(take(), content(2, i));
    link.hold(2);
    EXPECT_EQ(take(), 0U);
  }
  link.go_on(2);
  EXPECT_EQ(take(), 0U);
  comes(2, 4);
  EXPECT_EQ(take(), content(2, 4));
}

TEST_F(remote_link_test, held_early_and_doubled_frames_keep_their_order) {
  link.hold(2);
  for (const std::uint64_t i : {3, 0, 0, 2, 1, 3, 2, 1}) comes(2, i);
  EXPECT_EQ(take(), 0U);
  comes(0, 0);
  EXPECT_EQ(take(), content(0, 0));
  link.go_on(2);
  link.go_on(2);
  comes(2, 5);
  comes(2, 4);
  for (std::uint64_t i = 0; i < 6; ++i) EXPECT_EQ(take(), content(2, i));
  EXPECT_EQ(take(), 0U);
  EXPECT_EQ(link.taken(2), 6U);
}

TEST_F(remote_link_test, only_words_come_past_a_source_that_is_shut_out) {
  const auto comes_as = [&](remote_link::kind how, std::uint64_t number) {
    network_head h = head(2, number);
    h.control = std::uint8_t(how);
    net.comes(h, {content(2, number)});
  };
  link.shut_out(2, true);
  comes(2, 0);
  comes_as(remote_link::kind::control, 1);
  comes_as(remote_link::kind::word, 3);  // early: not before those in front of it are here
  EXPECT_EQ(take(), 0U);
  comes(2, 2);
  comes_as(remote_link::kind::word, 4);
  comes(0, 0);
  EXPECT_EQ(take(), content(2, 3));
  EXPECT_EQ(take(), content(2, 4));
  EXPECT_EQ(take(), content(0, 0));
  EXPECT_EQ(take(), 0U);
  link.hold(2);
  link.shut_out(2, false);
  EXPECT_EQ(take(), 0U);
  link.go_on(2);
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(take(), content(2, i));
  EXPECT_EQ(take(), 0U);
  EXPECT_EQ(link.taken(2), 2U);
}

TEST_F(remote_link_test, a_frame_that_is_put_back_comes_first_of_its_source_and_bars_no_other) {
  net.comes(head(2, 0, 2), {1, 2});
  remote_frame f;
  ASSERT_TRUE(link.next(f));
  std::byte* const next = link.put_back(f, f.data + 8);
  EXPECT_EQ(net.held(), 0U) << "the network has its buffer again";
  const std::uint64_t head_of_the_rest = 9;
  std::memcpy(next, &head_of_the_rest, sizeof head_of_the_rest);
  comes(2, 1);
  network_head word = head(2, 2);
  word.control = std::uint8_t(remote_link::kind::word);
  net.comes(word, {content(2, 2)});
  comes(0, 0);
  EXPECT_EQ(take(), content(2, 2)) << "words pass it";
  EXPECT_EQ(take(), content(0, 0));
  EXPECT_EQ(take(), 0U);
  EXPECT_EQ(link.taken(2), 0U);
  link.hold(2);
  link.take_up();
  EXPECT_FALSE(link.any_put_back());
  EXPECT_EQ(take(), 0U);
  link.go_on(2);
  ASSERT_TRUE(link.next(f));
  EXPECT_EQ(f.bytes, 16U);
  EXPECT_EQ(f.next, f.data + 8);
  EXPECT_EQ(*reinterpret_cast<const std::uint64_t*>(f.next), head_of_the_rest);
  link.put_back(f, f.data + 8);  // a second time
  EXPECT_EQ(take(), 0U);
  link.take_up();
  EXPECT_EQ(take(), 1U);
  EXPECT_EQ(take(), content(2, 1));
  EXPECT_EQ(take(), 0U);
  EXPECT_EQ(link.taken(2), 2U);
}

TEST_F(remote_link_test, what_is_put_back_is_under_way) {
  comes(2, 0);
  remote_frame f;
  ASSERT_TRUE(link.next(f));
  link.put_back(f, f.data);
  for (std::uint64_t i = 1; i < window; ++i) comes(2, i);
  EXPECT_EQ(take(), 0U);
  comes(2, window);
  EXPECT_THROW(take(), decode_error);
}

TEST_F(remote_link_test, a_held_source_gives_credit_all_the_same) {
  while (send(2)) {}
  link.hold(2);
  network_head h = head(2, 0);
  h.taken = window;
  net.comes(h, {7});
  EXPECT_EQ(take(), 0U);
  EXPECT_TRUE(send(2));
  link.go_on(2);
  EXPECT_EQ(take(), 7U);
}

TEST_F(remote_link_test, frames_may_be_released_in_any_order) {
  comes(2, 0);
  comes(2, 1);
  remote_frame a, b;
  ASSERT_TRUE(link.next(a));
  ASSERT_TRUE(link.next(b));
  link.release(b);
  EXPECT_EQ(first(a), content(2, 0));
  link.release(a);
  EXPECT_EQ(link.taken(2), 2U);
}

// ---- ranks that come into the running job ----

TEST_F(remote_link_test, behind_a_lost_rank_order_and_credit_begin_again_and_counts_go_on) {
  while (send(2)) {}
  comes(2, 0);
  EXPECT_EQ(take(), content(2, 0));
  comes(2, 2);  // early, and what it waits for never comes
  EXPECT_EQ(take(), 0U);
  EXPECT_TRUE(link.is_done_with(2));
  link.begin_again(2);
  EXPECT_EQ(link.sent(2), window);
  EXPECT_EQ(link.taken(2), 1U);
  comes(2, 0);
  EXPECT_EQ(take(), 0U) << "until it is known to live";
  link.go_on(2);
  EXPECT_EQ(take(), content(2, 0));
  EXPECT_TRUE(send(2));
  EXPECT_EQ(net.sent.back().head().number, 0U);
  EXPECT_EQ(link.sent(2), window + 1);
  EXPECT_EQ(net.held(), 0U);
}

TEST_F(remote_link_test, a_frame_that_is_not_released_is_not_done) {
  EXPECT_TRUE(link.is_done_with(2));
  comes(2, 0);
  remote_link::frame f;
  ASSERT_TRUE(link.next(f));
  EXPECT_FALSE(link.is_done_with(2));
  link.release(f);
  EXPECT_TRUE(link.is_done_with(2));
}

TEST_F(remote_link_test, a_source_whose_long_message_is_not_over_is_not_done) {
  comes(2, 0);
  EXPECT_EQ(take(), content(2, 0));  // names the message
  link.hold(2);
  EXPECT_FALSE(link.is_done_with(2));
  link.go_on(2);
  EXPECT_TRUE(link.is_done_with(2));
}

TEST_F(remote_link_test, nothing_of_a_source_that_is_cut_goes_on) {
  comes(2, 0);
  EXPECT_EQ(take(), content(2, 0));
  link.hold(2);
  comes(2, 1);
  link.cut(2);
  link.go_on(2);  // another message of it has ended
  EXPECT_EQ(take(), 0U);
  EXPECT_TRUE(link.is_done_with(2));
  link.begin_again(2);
  link.go_on(2);
  comes(2, 0);
  EXPECT_EQ(take(), content(2, 0));
}

TEST_F(remote_link_test, a_new_rank_counts_on_from_those_before_it) {
  link.follow(2, 7, 9);
  EXPECT_EQ(link.sent(2), 7U);
  EXPECT_EQ(link.taken(2), 9U);
  for (std::uint64_t i = 0; i < window; ++i) EXPECT_TRUE(send(2));
  EXPECT_FALSE(send(2));
  EXPECT_EQ(net.sent[0].head().number, 0U);
  EXPECT_EQ(net.sent[0].head().taken, 9U);
}

}  // namespace
}  // namespace armilla::detail
