// SPDX-License-Identifier: Apache-2.0
#include "armilla/fabric/far_side.hpp"

#include <limits>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "armilla/base/error.hpp"
#include "armilla/fabric/scripted_network.hpp"

namespace armilla::detail {
namespace {

using words = scripted_network::words;

constexpr rank_t me = 1, ranks = 4;
constexpr std::size_t longest = 120;  // two lines
constexpr std::uint64_t window = 8;   // lines
constexpr std::uint64_t quarter = window / 4;

class far_side_test : public testing::Test {
 protected:
  scripted_network net{sizeof(network_head) + longest};
  far_side side{net, me, ranks, window* cache_line};

  static network_head head(rank_t source, std::uint64_t number, std::size_t records = 1) {
    network_head h;
    h.source = std::uint32_t(source);
    h.number = number;
    h.bytes = std::uint32_t(records * 8);
    return h;
  }
  /// A frame of one word, which says who sent it as which.
  static std::uint64_t content(rank_t source, std::uint64_t number) { return std::uint64_t(source + 1) * 1000 + number; }
  void comes(rank_t source, std::uint64_t number) { net.comes(head(source, number), {content(source, number)}); }
  /// A word that rank `source` has taken in `lines` lines.
  void comes_credit(rank_t source, std::uint64_t lines) {
    network_head h = head(source, 0, 0);
    h.taken = lines;
    net.comes(h, {});
  }

  /// The first word of the next frame, which is released; 0: none.
  std::uint64_t take() {
    far_frame f;
    if (!side.next(f)) return 0;
    const std::uint64_t word = first(f);
    side.release(f);
    return word;
  }
  static std::uint64_t first(const far_frame& f) {
    std::uint64_t word;
    std::memcpy(&word, f.data, sizeof word);
    return word;
  }
  bool send(rank_t to, std::size_t bytes = 8, far_side::kind how = far_side::kind::counted) {
    std::byte* const room = how == far_side::kind::counted ? side.reserve(to, bytes) : side.reserve_aside(to, bytes);
    if (room == nullptr) return false;
    std::memset(room, 0x5a, bytes);
    side.publish(room, to, bytes, how);
    return true;
  }
  /// What `next` says of the frame that waits, and of whom; that rank 3 is still heard.
  void expect_refused(const char* part, rank_t sender) {
    comes(3, heard_);
    far_frame f;
    try {
      side.next(f);
      ADD_FAILURE() << "not refused: " << part;
    } catch (const decode_error& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
      EXPECT_EQ(e.rank(), sender);
    }
    EXPECT_EQ(net.held(), 0U);
    EXPECT_EQ(take(), content(3, heard_++));
  }
  void TearDown() override {
    EXPECT_EQ(net.released_wrongly, 0);
    EXPECT_EQ(net.held(), 0U);
  }

 private:
  std::uint64_t heard_ = 0;
};

// ---- sending ----

TEST_F(far_side_test, a_frame_says_who_sent_it_and_as_which) {
  EXPECT_EQ(side.most(), longest);
  ASSERT_TRUE(send(2, 16));
  ASSERT_TRUE(send(0));
  ASSERT_TRUE(send(2));
  ASSERT_EQ(net.sent.size(), 3U);
  const network_head h = net.sent[2].head();
  EXPECT_EQ(h.mark, network_head::good_mark);
  EXPECT_EQ(h.source, std::uint32_t(me));
  EXPECT_EQ(h.bytes, 8U);
  EXPECT_EQ(h.number, 1U);
  EXPECT_EQ(h.aside, 0U);
  EXPECT_EQ(net.sent[0].head().bytes, 16U);
  EXPECT_EQ(net.sent[0].bytes, sizeof h + 16);
  EXPECT_EQ(net.sent[1].head().number, 0U);
  EXPECT_EQ(side.sent(2), 2U);
  EXPECT_EQ(side.sent(3), 0U);
}

TEST_F(far_side_test, never_more_than_the_window_is_under_way) {
  for (std::uint64_t i = 0; i < window; ++i) EXPECT_TRUE(send(2));
  EXPECT_FALSE(send(2));
  EXPECT_TRUE(send(0)) << "each rank has a window of its own";
  EXPECT_EQ(side.sent(2), window);
}

TEST_F(far_side_test, a_long_frame_needs_credit_for_all_its_lines) {
  for (std::uint64_t i = 0; i + 1 < window; ++i) EXPECT_TRUE(send(2));
  EXPECT_FALSE(send(2, longest));
  EXPECT_TRUE(send(2));
}

TEST_F(far_side_test, the_receivers_word_frees_the_window) {
  while (send(2)) {}
  comes_credit(2, 3);
  EXPECT_EQ(take(), 0U);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(send(2));
  EXPECT_FALSE(send(2));
  EXPECT_EQ(net.held(), 0U);
}

TEST_F(far_side_test, credit_travels_in_the_heads_of_frames) {
  while (send(2)) {}
  network_head h = head(2, 0);
  h.taken = 1;
  net.comes(h, {7});
  EXPECT_EQ(take(), 7U);
  EXPECT_TRUE(send(2));
  EXPECT_FALSE(send(2));
  EXPECT_EQ(net.sent.back().head().taken, 1U) << "and so does what was taken in here";
}

TEST_F(far_side_test, an_older_word_of_credit_takes_nothing_back) {
  while (send(2)) {}
  comes_credit(2, 4);
  comes_credit(2, 2);
  EXPECT_EQ(take(), 0U);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(send(2));
  EXPECT_FALSE(send(2));
}

TEST_F(far_side_test, without_a_buffer_there_is_no_room_and_nothing_is_counted) {
  net.full = true;
  EXPECT_FALSE(send(2));
  EXPECT_FALSE(send(2, 8, far_side::kind::aside));
  EXPECT_EQ(side.sent(2), 0U);
  net.full = false;
  EXPECT_TRUE(send(2));
  EXPECT_EQ(net.sent[0].head().number, 0U);
}

TEST_F(far_side_test, room_that_is_not_used_is_forgotten) {
  ASSERT_NE(side.reserve(2, 8), nullptr);
  ASSERT_NE(side.reserve(2, 8), nullptr);
  EXPECT_EQ(side.sent(2), 0U);
  EXPECT_TRUE(send(2));
  EXPECT_EQ(net.sent[0].head().number, 0U);
}

TEST_F(far_side_test, frames_aside_need_no_credit_and_do_not_count) {
  while (send(2)) {}
  EXPECT_TRUE(send(2, longest, far_side::kind::aside));
  EXPECT_EQ(net.sent.back().head().aside, 1U);
  EXPECT_EQ(net.sent.back().head().number, window) << "but they have their place in the order";
  EXPECT_EQ(side.sent(2), window);
}

TEST_F(far_side_test, bulk_transfers_are_numbered_by_receiver) {
  EXPECT_EQ(side.next_bulk(2), 0U);
  EXPECT_EQ(side.next_bulk(2), 1U);
  EXPECT_EQ(side.next_bulk(0), 0U);
}

// ---- credit that is given ----

TEST_F(far_side_test, credit_goes_back_once_a_quarter_of_the_window) {
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
  EXPECT_EQ(side.taken(2), quarter + 1);
  EXPECT_EQ(side.taken(0), 0U);
  EXPECT_EQ(side.frames_taken(), quarter + 1);
}

TEST_F(far_side_test, a_word_of_credit_has_no_number) {
  for (std::uint64_t i = 0; i <= quarter; ++i) comes(2, i);
  while (take() != 0) {}
  ASSERT_EQ(net.sent.size(), 1U);
  EXPECT_TRUE(send(2));
  EXPECT_EQ(net.sent[1].head().number, 0U);
}

TEST_F(far_side_test, what_goes_back_saves_the_word_of_credit) {
  for (std::uint64_t i = 0; i < 4 * quarter; ++i) {
    comes(2, i);
    EXPECT_EQ(take(), content(2, i));
    comes_credit(2, side.sent(2));
    EXPECT_EQ(take(), 0U);
    EXPECT_TRUE(send(2));
    EXPECT_EQ(net.sent.back().head().taken, i + 1);
  }
  EXPECT_EQ(net.sent.size(), 4 * quarter);
}

TEST_F(far_side_test, credit_that_finds_no_buffer_is_owed) {
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

TEST_F(far_side_test, frames_aside_give_no_credit) {
  for (std::uint64_t i = 0; i < window; ++i) {
    network_head h = head(2, i);
    h.aside = 1;
    net.comes(h, {content(2, i)});
    far_frame f;
    ASSERT_TRUE(side.next(f));
    EXPECT_TRUE(f.aside);
    side.release(f);
  }
  EXPECT_TRUE(net.sent.empty());
  EXPECT_EQ(side.taken(2), 0U);
  EXPECT_EQ(side.frames_taken(), 0U);
}

// ---- order ----

TEST_F(far_side_test, frames_come_in_their_order_whoever_sent_them) {
  for (std::uint64_t i = 0; i < 3; ++i) comes(2, i), comes(0, i);
  for (std::uint64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(take(), content(2, i));
    far_frame f;
    ASSERT_TRUE(side.next(f));
    EXPECT_EQ(f.source, 0);
    EXPECT_EQ(f.bytes, 8U);
    EXPECT_EQ(first(f), content(0, i));
    side.release(f);
  }
  EXPECT_EQ(take(), 0U);
}

TEST_F(far_side_test, what_comes_twice_is_dropped) {
  for (const std::uint64_t i : {0, 0, 1, 0, 1, 2, 2}) comes(2, i);
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(take(), content(2, i));
  EXPECT_EQ(take(), 0U);
  EXPECT_EQ(side.taken(2), 3U);
}

TEST_F(far_side_test, what_comes_early_is_put_in_order) {
  for (const std::uint64_t i : {2, 1, 3, 0, 5, 4}) comes(2, i);
  for (std::uint64_t i = 0; i < 6; ++i) EXPECT_EQ(take(), content(2, i));
  EXPECT_EQ(take(), 0U);
}

TEST_F(far_side_test, what_comes_early_and_twice_is_taken_once) {
  for (const std::uint64_t i : {2, 2, 1, 1, 3, 0, 0, 2, 3, 1, 4}) comes(2, i);
  for (std::uint64_t i = 0; i < 5; ++i) EXPECT_EQ(take(), content(2, i));
  EXPECT_EQ(take(), 0U);
  EXPECT_EQ(side.taken(2), 5U);
}

TEST_F(far_side_test, an_early_frame_holds_up_nobody_else) {
  comes(2, 1);
  comes(0, 0);
  EXPECT_EQ(take(), content(0, 0));
  EXPECT_EQ(take(), 0U);
  comes(2, 0);
  EXPECT_EQ(take(), content(2, 0));
  EXPECT_EQ(take(), content(2, 1));
}

TEST_F(far_side_test, an_early_frame_gives_the_networks_buffer_back) {
  for (std::uint64_t i = 1; i < window; ++i) comes(2, i);
  EXPECT_EQ(take(), 0U);
  EXPECT_EQ(net.held(), 0U);
}

TEST_F(far_side_test, early_frames_that_nobody_fetches_are_let_go) {
  {
    far_side other(net, me, ranks, window * cache_line);
    comes(2, 1);
    comes(0, 0);
    far_frame f;
    ASSERT_TRUE(other.next(f));
    other.release(f);
    other.hold(0);
    comes(0, 1);
    EXPECT_FALSE(other.next(f));
  }
  EXPECT_EQ(net.held(), 0U);
}

// ---- held sources ----

TEST_F(far_side_test, a_held_source_waits_while_others_are_heard) {
  comes(2, 0);
  far_frame f;
  ASSERT_TRUE(side.next(f));
  side.hold(2);
  comes(2, 1);
  comes(2, 2);
  comes(0, 0);
  EXPECT_EQ(take(), content(0, 0));
  EXPECT_EQ(take(), 0U);
  side.release(f);
  EXPECT_EQ(take(), 0U);
  side.go_on(2);
  comes(2, 3);
  EXPECT_EQ(take(), content(2, 1));
  EXPECT_EQ(take(), content(2, 2));
  EXPECT_EQ(take(), content(2, 3));
  EXPECT_EQ(take(), 0U);
}

TEST_F(far_side_test, a_source_may_be_held_again_between_its_frames) {
  side.hold(2);
  for (std::uint64_t i = 0; i < 4; ++i) comes(2, i);
  EXPECT_EQ(take(), 0U);
  for (std::uint64_t i = 0; i < 4; ++i) {
    side.go_on(2);
    EXPECT_EQ(take(), content(2, i));
    side.hold(2);
    EXPECT_EQ(take(), 0U);
  }
  side.go_on(2);
  EXPECT_EQ(take(), 0U);
  comes(2, 4);
  EXPECT_EQ(take(), content(2, 4));
}

TEST_F(far_side_test, held_early_and_doubled_frames_keep_their_order) {
  side.hold(2);
  for (const std::uint64_t i : {3, 0, 0, 2, 1, 3, 2, 1}) comes(2, i);
  EXPECT_EQ(take(), 0U);
  comes(0, 0);
  EXPECT_EQ(take(), content(0, 0));
  side.go_on(2);
  side.go_on(2);
  comes(2, 5);
  comes(2, 4);
  for (std::uint64_t i = 0; i < 6; ++i) EXPECT_EQ(take(), content(2, i));
  EXPECT_EQ(take(), 0U);
  EXPECT_EQ(side.taken(2), 6U);
}

TEST_F(far_side_test, a_held_source_gives_credit_all_the_same) {
  while (send(2)) {}
  side.hold(2);
  network_head h = head(2, 0);
  h.taken = window;
  net.comes(h, {7});
  EXPECT_EQ(take(), 0U);
  EXPECT_TRUE(send(2));
  side.go_on(2);
  EXPECT_EQ(take(), 7U);
}

TEST_F(far_side_test, frames_may_be_released_in_any_order) {
  comes(2, 0);
  comes(2, 1);
  far_frame a, b;
  ASSERT_TRUE(side.next(a));
  ASSERT_TRUE(side.next(b));
  side.release(b);
  EXPECT_EQ(first(a), content(2, 0));
  side.release(a);
  EXPECT_EQ(side.taken(2), 2U);
}

// ---- damage ----

TEST_F(far_side_test, a_truncated_frame_is_refused) {
  const network_head h = head(2, 0);
  net.comes(2, &h, 8);
  expect_refused("the length of a frame from rank 2", 2);
  net.comes(2, &h, sizeof h);  // it says one word
  expect_refused("the length of a frame from rank 2", 2);
  net.comes(2, &h, 0);
  expect_refused("the length of a frame from rank 2", 2);
}

TEST_F(far_side_test, a_strange_mark_is_refused) {
  network_head h = head(2, 0);
  h.mark = 0x12345678;
  net.comes(h, {1});
  expect_refused("the mark of a frame from rank 2", 2);
}

TEST_F(far_side_test, a_source_that_cannot_be_is_refused) {
  for (const std::uint32_t wrong : {0U, std::uint32_t(ranks), std::uint32_t(me), 0xffffffffU}) {
    network_head h = head(rank_t(2), 0, 0);
    h.source = wrong;
    net.comes(2, &h, sizeof h);
    expect_refused("the source of a frame from rank 2", 2);
  }
}

TEST_F(far_side_test, where_the_network_knows_no_source_the_head_is_asked) {
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

TEST_F(far_side_test, a_length_that_is_not_the_frames_is_refused) {
  for (const std::uint32_t wrong : {0U, 4U, 9U, 16U, 0xffffffffU}) {
    network_head h = head(2, 0);
    h.bytes = wrong;
    net.comes(h, {1});
    expect_refused("the length of a frame from rank 2", 2);
  }
  net.comes(head(2, 0, longest / 8 + 1), words(longest / 8 + 1));
  expect_refused("the length of a frame from rank 2", 2);
}

TEST_F(far_side_test, a_kind_that_there_is_not_is_refused) {
  network_head h = head(2, 0);
  h.aside = 2;
  net.comes(h, {1});
  expect_refused("the kind of a frame from rank 2", 2);
}

TEST_F(far_side_test, a_number_too_far_ahead_is_refused) {
  for (const std::uint64_t wrong : {window + 1, std::uint64_t{1} << 40, std::numeric_limits<std::uint64_t>::max()}) {
    comes(2, wrong);
    expect_refused("the number of a frame from rank 2", 2);
  }
  comes(2, 0);
  EXPECT_EQ(take(), content(2, 0));
}

TEST_F(far_side_test, more_taken_in_than_was_sent_is_refused) {
  ASSERT_TRUE(send(2));
  comes_credit(2, 2);
  expect_refused("the lines taken in, said by a frame from rank 2", 2);
  comes_credit(2, 1);
  EXPECT_EQ(take(), 0U);
}

TEST_F(far_side_test, a_held_source_cannot_fill_the_memory) {
  side.hold(2);
  for (std::uint64_t i = 0; i < window; ++i) comes(2, i);
  EXPECT_EQ(take(), 0U);
  comes(2, window);
  expect_refused("the lines under way, with a frame from rank 2", 2);
  side.go_on(2);
  for (std::uint64_t i = 0; i < window; ++i) EXPECT_EQ(take(), content(2, i));
}

}  // namespace
}  // namespace armilla::detail
