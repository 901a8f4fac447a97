// SPDX-License-Identifier: Apache-2.0
// How armilla-run lets processes into the running job, without any.
#include "new_rank_desk.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace armilla::run {
namespace {

using namespace armilla::detail;
using word = gathering_head::word;

/// A desk of four ranks on the hosts 0 and 1, where the ranks 2 and 3 are lost; and all that it has sent since it was read.
struct desk_of_two_hosts : testing::Test {
  void say(rank_t from, gathering_head head, std::string_view part = {}) {
    head.part_bytes = std::uint32_t(part.size());
    const std::string text = gathering_text(head, std::span(&from, head.what == word::hand_over ? 1 : 0), part);
    desk.take(from, lost[std::size_t(from)], *gathering_message::from(text, 4), text);
  }
  void hand_over(rank_t from, rank_t to) { say(from, {.what = word::hand_over, .id = std::uint64_t(to)}, "counts"); }
  /// "2 comes, 1 hands over to 2, 2 is at B, 2 lives as 1, 2 stays lost, closed for 3"
  std::string told() { return std::exchange(told_, {}); }

  void note(const std::string& what) { told_ += (told_.empty() ? "" : ", ") + what; }
  std::vector<bool> lost{false, false, true, true};
  std::string told_;
  new_rank_desk desk{{[this](const life_frame& what, std::string_view address) {
                        const std::string r = std::to_string(what.rank);
                        using kind = life_frame::word;
                        note(what.what == kind::coming    ? r + " comes"
                             : what.what == kind::address ? r + " is at " + std::string(address)
                             : what.what == kind::lives   ? r + " lives as " + std::to_string(what.life)
                                                          : r + " stays lost");
                        return std::set<std::uint32_t>{0, 1};
                      },
                      [this](rank_t to, const std::string& text) {
                        const auto m = gathering_message::from(text, 4);
                        if (m->head.what == word::closed)
                          note(to == armilla::detail::no_rank ? "closed" : "closed for " + std::to_string(to));
                        else
                          note(std::to_string(m->runs[0].first) + " hands over to " + std::to_string(to));
                      },
                      [this](rank_t r, std::uint32_t) { lost[std::size_t(r)] = false; }}};
};

TEST_F(desk_of_two_hosts, lets_one_come_at_a_time) {
  say(2, {.what = word::here});
  say(3, {.what = word::here});
  EXPECT_EQ(told(), "2 comes");
  hand_over(0, 2);
  EXPECT_EQ(told(), "0 hands over to 2");
  say(2, {.what = word::enters, .step = 1});
  EXPECT_EQ(told(), "2 lives as 1, 3 comes");
  EXPECT_FALSE(lost[2]);
}

TEST_F(desk_of_two_hosts, lets_it_live_when_every_host_has_its_address) {
  say(2, {.what = word::here});
  say(2, {.what = word::address}, "B");
  say(2, {.what = word::enters, .step = 1});
  desk.confirm(0, 2);
  EXPECT_EQ(told(), "2 comes, 2 is at B");
  desk.confirm(1, 2);
  EXPECT_EQ(told(), "2 lives as 1");
}

TEST_F(desk_of_two_hosts, does_not_wait_for_a_lost_host) {
  say(2, {.what = word::here});
  say(2, {.what = word::address}, "B");
  say(2, {.what = word::enters, .step = 1});
  desk.confirm(0, 2);
  (void)told();
  desk.lose_host(1);
  EXPECT_EQ(told(), "2 lives as 1");
}

TEST_F(desk_of_two_hosts, gives_the_next_process_what_was_handed_over_to_one_that_ended_before_it_lived) {
  say(2, {.what = word::here});
  hand_over(0, 2);
  hand_over(1, 2);
  (void)told();
  EXPECT_TRUE(desk.lose_process(2, true));
  EXPECT_EQ(told(), "2 stays lost");
  desk.lose(1);  // what follows it there hands over by itself
  say(2, {.what = word::here});
  EXPECT_EQ(told(), "2 comes, 0 hands over to 2");
}

TEST_F(desk_of_two_hosts, knows_that_a_process_which_ended_had_come_to_life) {
  say(2, {.what = word::here});
  say(2, {.what = word::enters, .step = 1});
  EXPECT_FALSE(desk.lose_process(2, lost[2]));
}

TEST_F(desk_of_two_hosts, refuses_what_comes_when_a_rank_ends) {
  say(2, {.what = word::here});
  (void)told();
  say(0, {.what = word::closes});
  say(1, {.what = word::closes});
  EXPECT_EQ(told(), "2 stays lost, closed");
  say(2, {.what = word::enters, .step = 1});
  say(3, {.what = word::here});
  EXPECT_EQ(told(), "closed for 3");
}

TEST_F(desk_of_two_hosts, lets_nothing_come_for_a_rank_that_lives) {
  say(1, {.what = word::here});
  hand_over(3, 2);
  EXPECT_EQ(told(), "");
}

}  // namespace
}  // namespace armilla::run
