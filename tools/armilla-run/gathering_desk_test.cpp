// SPDX-License-Identifier: Apache-2.0
// How ranks of several hosts agree at armilla-run, without any rank.
#include "gathering_desk.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "armilla/base/values/limits.hpp"

namespace armilla::run {
namespace {

using namespace armilla::detail;
using word = gathering_head::word;
using kind = gathering_row::kind;

/// A desk of four ranks, and what it has sent to each.
struct desk_of_four : testing::Test {
  void ask(rank_t from, kind row, std::uint64_t step, word how = word::ask,
           std::uint64_t newest_life = gathering_head::any_life) {
    const std::vector<rank_t> all{0, 1, 2, 3};
    desk.take(from, gathering_text({.what = how, .row = row, .step = step, .part_bytes = 1, .newest_life = newest_life}, all,
                                   std::string(1, char('a' + from))));
  }
  void say(rank_t from, gathering_head head) { desk.take(from, gathering_text(head, {}, {})); }
  void come(rank_t r, std::uint32_t life) { desk.lose(r), desk.come(r, life); }
  void seek(rank_t from, char part) {
    desk.take(from, gathering_text({.what = word::seeks, .part_bytes = 1}, {}, std::string(1, part)));
  }
  /// The ready step of a team that is made of `members`.
  void ask_ready(rank_t from, std::uint64_t team, std::uint64_t step, std::vector<rank_t> members) {
    desk.take(from, gathering_text({.row = kind::survivors, .id = team, .step = step, .part_bytes = 1}, members,
                                   std::string(1, char('a' + from))));
  }
  void ask_grown(rank_t from, std::uint64_t team, std::uint64_t step, std::vector<rank_t> members) {
    desk.take(from,
              gathering_text(
                  {.what = word::ask_grown, .row = kind::survivors, .id = team, .step = step, .part_bytes = 1, .newest_life = 0},
                  members, std::string(1, char('a' + from))));
  }
  /// What rank `r` was told last; "answer of 0 1: ab", "over", "passed", "no team", "no team, some ended", or nothing.
  std::string told(rank_t r) {
    const std::string text = std::exchange(sent[r], {});
    const auto m = gathering_message::from(text, 4);
    if (!m) return {};
    if (m->head.what == word::over) return m->head.stage != 0 ? "passed" : "over";
    if (m->head.what == word::no_team) return m->head.stage != 0 ? "no team, some ended" : "no team";
    std::string said = "answer of";
    for (const rank_t each : m->ranks()) said += " " + std::to_string(each);
    return said + ": " + std::string(m->parts);
  }

  std::map<rank_t, std::string> sent;
  gathering_desk desk{4, [this](rank_t to, const std::string& text) {
                        const auto m = gathering_message::from(text, 4);
                        if (to != detail::no_rank) sent[to] = text;
                        if (m && m->head.what == word::answer)  // as the agents do
                          for (const rank_t r : m->ranks()) sent[r] = text;
                      }};
};

TEST_F(desk_of_four, answers_when_all_that_are_left_have_given_their_part) {
  for (const rank_t r : {0, 1, 2}) ask(r, kind::survivors, 1);
  EXPECT_EQ(told(0), "");
  desk.lose(3);
  for (const rank_t r : {0, 1, 2}) EXPECT_EQ(told(r), "answer of 0 1 2: abc");
}

TEST_F(desk_of_four, does_not_wait_for_a_rank_that_came_in_the_place_of_a_member) {
  desk.lose(3);
  desk.come(3, 1);
  for (const rank_t r : {0, 1, 2}) ask(r, kind::survivors, 1, word::ask, 0);
  for (const rank_t r : {0, 1, 2}) EXPECT_EQ(told(r), "answer of 0 1 2: abc");
}

TEST_F(desk_of_four, waits_for_it_where_all_that_live_take_part) {
  desk.lose(3);
  desk.come(3, 1);
  for (const rank_t r : {0, 1, 2}) ask(r, kind::end, 1);
  EXPECT_EQ(told(0), "");
  ask(3, kind::end, 1);
  EXPECT_EQ(told(3), "answer of 0 1 2 3: abcd");
}

TEST_F(desk_of_four, tells_one_that_came_which_rounds_are_over) {
  desk.lose(3);
  for (const rank_t r : {0, 1, 2}) ask(r, kind::end, 2);
  desk.come(3, 1);
  ask(3, kind::end, 2);
  EXPECT_EQ(told(3), "over");
}

TEST_F(desk_of_four, takes_nothing_of_a_lost_rank_for_that_of_the_next_one) {
  ask(3, kind::end, 1);
  desk.lose(3);
  desk.come(3, 1);
  for (const rank_t r : {0, 1, 2}) ask(r, kind::end, 1);
  EXPECT_EQ(told(0), "");
}

TEST_F(desk_of_four, leaves_out_what_a_rank_gave_that_is_lost_before_the_answer) {
  for (const rank_t r : {0, 1, 3}) ask(r, kind::survivors, 1);
  desk.lose(3);
  ask(2, kind::survivors, 1);
  EXPECT_EQ(told(2), "answer of 0 1 2: abc");
  EXPECT_EQ(told(3), "");
}

TEST_F(desk_of_four, refuses_what_a_lost_rank_says) {
  desk.lose(3);
  ask(3, kind::survivors, 1);
  for (const rank_t r : {0, 1, 2}) ask(r, kind::survivors, 1);
  EXPECT_EQ(told(0), "answer of 0 1 2: abc");
}

TEST_F(desk_of_four, tells_a_rank_that_asks_late_that_others_have_gone_on) {
  desk.lose(3);
  say(2, {.what = word::ended, .stage = 1});
  for (const rank_t r : {0, 1}) ask(r, kind::survivors, 1, word::ask_unended);
  EXPECT_EQ(told(0), "answer of 0 1: ab");
  ask(2, kind::survivors, 1);
  EXPECT_EQ(told(2), "over");
  say(2, {.what = word::ended, .stage = 0});
  for (const rank_t r : {0, 1, 2}) ask(r, kind::survivors, 2);
  for (const rank_t r : {0, 1, 2}) EXPECT_EQ(told(r), "answer of 0 1 2: abc");
}

TEST_F(desk_of_four, of_living_ranks_a_step_that_one_has_passed_is_over_for_all) {
  ask(0, kind::living, 5);
  say(1, {.what = word::passed, .row = kind::living, .step = 5});
  EXPECT_EQ(told(0), "passed");
  ask(2, kind::living, 5);
  EXPECT_EQ(told(2), "passed");
}

TEST_F(desk_of_four, when_one_gives_up_others_hear_which_steps_were_passed) {
  ask(0, kind::living, 7);
  say(1, {.what = word::passed, .row = kind::living, .step = 5});
  say(1, {.what = word::gives_up});
  EXPECT_EQ(told(0), "over");
  ask(2, kind::living, 5);
  EXPECT_EQ(told(2), "passed");
  ask(3, kind::living, 7);
  EXPECT_EQ(told(3), "over");
}

TEST_F(desk_of_four, names_a_rank_that_seeks_a_team_to_members_that_grow) {
  come(3, 1);
  seek(3, 'N');
  for (const rank_t r : {0, 1}) ask_grown(r, 7, 1, {0, 1, 3});
  EXPECT_EQ(told(0), "answer of 0 1 3: abN");
  EXPECT_EQ(told(3), "answer of 0 1 3: abN") << "which it has not asked for";
  ask_ready(3, 7, 2, {0, 1, 3});
  for (const rank_t r : {0, 1}) ask_ready(r, 7, 2, {0, 1, 3});
  for (const rank_t r : {0, 1, 3}) EXPECT_EQ(told(r), "answer of 0 1 3: abd");
}

TEST_F(desk_of_four, names_it_to_no_other_team_meanwhile_or_afterwards) {
  come(3, 1);
  seek(3, 'N');
  ask_grown(0, 7, 1, {0});
  EXPECT_EQ(told(0), "answer of 0 3: aN");
  ask_grown(1, 8, 1, {1});
  EXPECT_EQ(told(1), "answer of 1: b");
  for (const rank_t r : {0, 3}) ask_ready(r, 7, 2, {0, 3});
  ask_grown(1, 8, 3, {1});
  EXPECT_EQ(told(1), "answer of 1: b");
}

TEST_F(desk_of_four, nor_where_it_seeks_once_more) {
  come(3, 1);
  seek(3, 'N');
  ask_grown(0, 7, 1, {0});
  seek(3, 'M');
  ask_grown(1, 8, 1, {1});
  EXPECT_EQ(told(1), "answer of 1: b");
}

TEST_F(desk_of_four, names_it_again_where_a_member_was_lost_before_all_were_ready) {
  come(3, 1);
  seek(3, 'N');
  for (const rank_t r : {0, 1}) ask_grown(r, 7, 1, {0, 1});
  for (const rank_t r : {0, 3}) ask_ready(r, 7, 2, {0, 1, 3});
  desk.lose(1);
  for (const rank_t r : {0, 3}) EXPECT_EQ(told(r), "answer of 0 3: ad");
  ask_grown(2, 8, 1, {2});
  EXPECT_EQ(told(2), "answer of 2 3: cN");
}

TEST_F(desk_of_four, names_it_again_where_all_are_lost_that_it_was_named_to) {
  come(3, 1);
  seek(3, 'N');
  ask_grown(0, 7, 1, {0});
  come(0, 2);  // another one in the place
  ask_grown(1, 8, 1, {1});
  EXPECT_EQ(told(1), "answer of 1 3: bN");
}

TEST_F(desk_of_four, names_it_again_to_members_that_had_no_place_for_the_team) {
  come(3, 1);
  seek(3, 'N');
  ask_grown(0, 7, 1, {0});
  EXPECT_EQ(told(0), "answer of 0 3: aN");
  ask_grown(0, 7, 3, {0});
  EXPECT_EQ(told(0), "answer of 0 3: aN");
}

TEST_F(desk_of_four, does_not_name_one_that_is_lost_nor_to_members_that_do_not_grow) {
  come(3, 1);
  seek(3, 'N');
  for (const rank_t r : {0, 1, 2}) ask(r, kind::survivors, 1, word::ask_unended, 0);
  EXPECT_EQ(told(0), "answer of 0 1 2: abc");
  come(3, 2);
  ask_grown(0, 7, 1, {0});
  EXPECT_EQ(told(0), "answer of 0: a");
}

TEST_F(desk_of_four, tells_one_that_seeks_when_none_is_left_that_could_take_it_in) {
  come(3, 1);
  desk.lose(0);
  seek(3, 'N');
  desk.lose(1);
  EXPECT_EQ(told(3), "");
  desk.lose(2);
  EXPECT_EQ(told(3), "no team");
}

TEST_F(desk_of_four, and_whether_some_have_ended) {
  for (const rank_t r : {2, 3}) come(r, 1), seek(r, 'N');
  desk.lose(0);
  say(1, {.what = word::ended, .stage = 1});
  for (const rank_t r : {2, 3}) EXPECT_EQ(told(r), "no team, some ended");
}

TEST(gathering_desk, as_many_ranks_as_a_job_may_have_agree_in_little_time_and_few_bytes) {
  constexpr rank_t ranks = armilla::detail::most_ranks;
  std::vector<rank_t> all;
  for (rank_t r = 0; r < ranks; ++r) all.push_back(r);
  std::size_t taken = 0, answers = 0, bytes = 0;
  gathering_desk desk(ranks, [&](rank_t to, const std::string& text) {
    const auto m = gathering_message::from(text, ranks);
    ASSERT_TRUE(m);
    if (m->head.what != word::answer) return;
    EXPECT_EQ(to, detail::no_rank) << "once for each host";
    EXPECT_EQ(m->ranks().size(), std::size_t(ranks) - 2);
    ++answers, bytes += text.size();
  });
  desk.lose(5);
  desk.take(77, gathering_text({.what = word::ended, .stage = 1}, {}, {}));
  const std::string ask = gathering_text({.what = word::ask_unended, .step = 1, .part_bytes = 12}, all, std::string(12, 'x'));
  for (const rank_t r : all)
    if (r != 5 && r != 77) desk.take(r, ask), taken += ask.size();
  EXPECT_EQ(answers, 1u);
  EXPECT_LT(taken, std::size_t(ranks) * 100);
  EXPECT_LT(bytes, std::size_t(ranks) * 16);
}

}  // namespace
}  // namespace armilla::run
