// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <random>

#include "armilla/collectives.hpp"
#include "armilla/error.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

std::vector<am::rank_t> members(const am::team& t) {
  std::vector<am::rank_t> all;
  for (am::rank_t i = 0; i < t.size(); ++i) all.push_back(t.world_rank(i));
  return all;
}

// What the members of a team agree on, and what all of them have.
bool works(const am::team& t) {
  if (!t) return true;
  const auto all = t.all_gather(am::rank());
  const long sum = t.all_reduce(long(am::rank()), std::plus<>{});
  long expected = 0;
  for (const am::rank_t r : members(t)) expected += r;
  return all == members(t) && sum == expected;
}

}  // namespace

RANK_TEST(world_holds_all_ranks_in_order) {
  const am::team w = am::world();
  EXPECT_EQ(w.size(), am::ranks());
  EXPECT_EQ(w.rank(), am::rank());
  for (am::rank_t i = 0; i < w.size(); ++i) EXPECT_EQ(w.world_rank(i), i);
  EXPECT(works(w));
}

RANK_TEST(split_groups_by_color_and_orders_by_key) {
  const am::team t = am::world().split(am::rank() % 2, -am::rank());
  std::vector<am::rank_t> expected;
  for (am::rank_t r = am::ranks() - 1; r >= 0; --r)
    if (r % 2 == am::rank() % 2) expected.push_back(r);
  EXPECT_EQ(members(t), expected);
  EXPECT_EQ(t.rank_of(am::rank()), t.rank());
  EXPECT(works(t));
}

RANK_TEST(equal_keys_keep_the_order) {
  const am::team t = am::world().split(0, 7);
  EXPECT_EQ(members(t), members(am::world()));
}

RANK_TEST(a_negative_color_gives_no_team) {
  const am::team t = am::world().split(am::rank() == 0 ? -1 : 3);
  EXPECT_EQ(bool(t), am::rank() != 0);
  EXPECT_EQ(t.size(), am::rank() == 0 ? 0 : am::ranks() - 1);
  EXPECT(works(t));
  if (am::rank() == 0) EXPECT_THROWS_SAYING(am::usage_error, "team is empty", t.all_reduce(1, std::plus<>{}));
}

RANK_TEST(a_default_constructed_team_says_what_it_is) {
  EXPECT_THROWS_SAYING(am::usage_error, "it was default constructed or moved from", am::team().barrier());
}

RANK_TEST(members_agree_on_an_id_that_no_other_team_has) {
  std::vector<am::team> teams{am::world()};
  for (int i = 0; i < 3; ++i) teams.push_back(am::world().split(am::rank() % 2));
  for (int i = 0; i < 3; ++i) teams.push_back(teams[std::size_t(i) + 1].split(0));
  std::vector<std::uint64_t> mine;
  for (const am::team& t : teams) {
    for (const std::uint64_t other : t.all_gather(t.id())) EXPECT_EQ(other, t.id());
    mine.push_back(t.id());
  }
  std::ranges::sort(mine);
  EXPECT(std::ranges::adjacent_find(mine) == mine.end());
  // A team is as often in this list as it has members.
  std::vector<std::uint64_t> all;
  for (const auto& ids : am::all_gather(mine)) all.insert(all.end(), ids.begin(), ids.end());
  std::ranges::sort(all);
  const auto times = std::ranges::count(all, teams[1].id());
  EXPECT_EQ(times, teams[1].size());
}

RANK_TEST(teams_of_teams_overlap) {
  const am::team low = am::world().split(am::rank() < (am::ranks() + 1) / 2 ? 0 : 1);
  const am::team cross = am::world().split(low.rank());
  for (int i = 0; i < 50; ++i) {
    EXPECT(works(low));
    EXPECT(works(cross));
    EXPECT(works(am::world()));
  }
}

RANK_TEST(slots_come_back_when_all_members_let_go) {
  for (int i = 0; i < (am::ranks() <= 2 ? 300 : 100); ++i) {
    am::team t = am::world().split(i % (1 + am::rank() % 3) == 0 ? 0 : -1);
    if (t && i % 4 == 0) t.broadcast(i, t.size() - 1);
    if (t && i % 3 == 0) EXPECT(works(t));
    const am::team copy = t;
    t = am::team();
    if (copy && i % 5 == 0) copy.barrier();
  }
}

RANK_TEST(random_lives_of_teams) {
  std::mt19937 random(42);  // the same on all ranks
  std::vector<am::team> held(6);
  for (int i = 0; i < (am::ranks() <= 2 ? 400 : 100); ++i) {
    const std::size_t at = random() % held.size();
    const std::size_t parent = random() % held.size();
    const unsigned seed = random();
    // Whether a parent exists differs by rank: split only what all or none of a team can name.
    if (const am::team t = i % 2 == 0 ? am::world() : held[parent])
      held[at] = t.split(int((seed >> am::rank()) % 3) - (seed % 5 == 0 ? 1 : 0), int(seed >> (2 * am::rank())) % 4);
    else
      held[at] = am::team();
    EXPECT(works(am::world()));
    for (const am::team& t : held)
      if (random() % 2 == 0) EXPECT(works(t));
  }
}

RANK_TEST(too_many_teams_are_an_error_on_all_ranks) {
  std::vector<am::team> held;
  for (int i = 0; i < 15; ++i) held.push_back(am::world().split(0));
  EXPECT_THROWS_SAYING(am::limit_error, "let some team values go", am::world().split(0));
  held.pop_back();
  held.push_back(am::world().split(0));
  for (const am::team& t : held) EXPECT(works(t));
}

RANK_TEST(a_wrong_member_is_an_error) {
  EXPECT_THROWS_SAYING(am::usage_error, "no member", am::world().world_rank(am::ranks()));
  EXPECT_EQ(am::world().rank_of(am::ranks()), -1);
  EXPECT_THROWS_SAYING(am::usage_error, "no root", am::world().broadcast(1, am::ranks()));
  EXPECT_THROWS_SAYING(am::usage_error, "team::broadcast: there is no root", am::broadcast(1, am::ranks()));
  EXPECT_THROWS_SAYING(am::usage_error, "no root", am::world().gather(1, -1));
}
