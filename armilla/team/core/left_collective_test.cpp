// SPDX-License-Identifier: Apache-2.0
// A member leaves the middle of a collective by an exception: the others hear of it, and teams that come after it are whole.
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

constexpr std::size_t size = 20'000;

/// Cannot be written where that is forbidden.
struct brittle {
  std::string text;
  void define_type(auto& t) {
    if (text == "broken") throw std::runtime_error("cannot be written");
    t.local(text);
  }
};

/// One of six collectives of long arrays.
void enter(const am::team& t, unsigned which) {
  std::vector<long> x(size, t.rank());
  const std::vector<std::vector<long>> parts(std::size_t(t.size()), x);
  switch (which) {
    case 0: t.broadcast(x, 0); break;
    case 1: t.scatter(parts, 0); break;
    case 2: t.gather(x, 0); break;
    case 3: t.all_gather(x); break;
    case 4: t.all_to_all_v(parts); break;
    default: t.all_reduce(std::span<long>(x), std::plus<>{});
  }
}

void expect_whole(const am::team& t) {
  const std::vector<long> mine(size, t.rank());
  EXPECT(t.scatter(std::vector<std::vector<long>>(std::size_t(t.size()), mine), 0) == std::vector<long>(size, 0));
  const auto all = t.all_gather(mine);
  for (am::rank_t r = 0; r < t.size(); ++r) EXPECT(all[std::size_t(r)] == std::vector<long>(size, r));
  std::vector<long> sum(size, 1);
  t.all_reduce(std::span<long>(sum), std::plus<>{});
  EXPECT_EQ(sum[size / 2], t.size());
}

}  // namespace

RANK_TEST(teams_after_one_whose_members_entered_different_collectives_are_whole) {
  if (am::ranks() == 1) return;
  std::mt19937 dice(7);
  for (int round = 0; round < 20; ++round) {
    const auto odd = am::rank_t(dice() % unsigned(am::ranks()));
    const unsigned one = dice() % 6, other = (one + 1 + dice() % 5) % 6;
    try {
      const am::team t = am::world().split(0);
      enter(t, am::rank() == odd ? other : one);
    } catch (const am::usage_error&) {}
    am::barrier();
    expect_whole(am::world().split(0));
  }
}

RANK_TEST(an_exception_in_a_collective_is_an_error_of_all_members) {
  if (am::ranks() == 1) return;
  const am::rank_t last = am::ranks() - 1;
  for (const bool each : {false, true}) {
    const am::team t = am::world().split(0);
    const brittle mine{am::rank() == last ? "broken" : "whole"};
    const auto fail = [&] {
      each ? void(t.all_to_all(std::vector<brittle>(std::size_t(t.size()), mine))) : void(t.all_gather(mine));
    };
    if (am::rank() == last)
      EXPECT_THROWS(std::runtime_error, fail());
    else
      EXPECT_THROWS_SAYING(am::usage_error, "by an exception", fail());
    EXPECT_THROWS_SAYING(am::usage_error, "an earlier collective of this team has failed", t.barrier());
    EXPECT_THROWS_SAYING(am::usage_error, "an earlier collective of this team has failed", fail());
    am::barrier();
    expect_whole(am::world().split(0));
  }
}
