// SPDX-License-Identifier: Apache-2.0
// Containers go over to a team of more ranks, here from the even ranks to all, or of fewer. With ranks that join it is in
// tests/joining.
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "armilla/algorithm/algorithm.hpp"
#include "armilla/container/container.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

bool is_even() { return am::rank() % 2 == 0; }
/// The even ranks; the empty team on others.
am::team evens() { return am::world().split(is_even() ? 0 : -1); }

/// `make(team)` on the even ranks, and then a part on all.
template <class Container, class Make>
Container spread(Make make) {
  const am::team some = evens();
  if (!some) return am::rebalance<Container>(am::world());
  Container x = make(some);
  return am::rebalance(am::world(), std::move(x));
}

/// Can be sent unless it is `bad`.
struct picky {
  std::string text;
  template <class Members>
  void define_type(Members& t) {
    if (text == "bad") throw std::runtime_error("cannot be sent");
    t.local(text);
  }
};

}  // namespace

RANK_TEST(elements_of_an_array_are_dealt_to_all_as_before) {
  for (const std::size_t block : {0, 1, 7})
    for (const std::size_t n : {0, 1, 5, 3000}) {
      const auto y = spread<am::array<double>>([&](const am::team& t) {
        am::array<double> x(n, am::on(t, block == 0 ? am::blocks() : am::cyclic(block)));
        am::for_each_index(x, [](std::size_t i, double& e) { e = double(i) * 3; });
        return x;
      });
      EXPECT(y.size() == n && y.members() == am::world());
      const am::placement before(n, am::rank_t((am::ranks() + 1) / 2), block == 0 ? am::blocks() : am::cyclic(block));
      EXPECT(y.placement() == before.over(am::ranks()));
      for (std::size_t k = 0; k < y.local().size(); ++k) EXPECT_EQ(y.local()[k], double(y.index_of_local(k)) * 3);
    }
}

RANK_TEST(what_a_vector_was_given_last_is_there_and_it_grows_on_all) {
  auto y = spread<am::vector<int>>([](const am::team& t) {
    am::vector<int> x(0, am::on(t));
    for (int i = 0; i < 100; ++i) x.push_back(i);
    return x;
  });
  const std::size_t before = y.size();
  EXPECT_EQ(before, 100U * std::size_t((am::ranks() + 1) / 2));
  EXPECT_EQ(am::reduce(y, 0), int(before) / 100 * 4950);
  y.push_back(1);
  am::fence();
  EXPECT_EQ(y.size(), before + std::size_t(am::ranks()));
}

RANK_TEST(a_matrix_is_cut_in_the_same_dimensions_and_has_its_halo) {
  const auto y = spread<am::matrix<int>>([](const am::team& t) {
    am::matrix<int> x({40, 30}, am::on(t, am::grid({1, t.size()})),
                      am::halo(0).sides(0, 2, 1).periodic({true, false}).corners(false));
    am::for_each_index(x, [](std::size_t i, int& e) { e = int(i); });
    return x;
  });
  EXPECT(y.blocks(1) == am::ranks() || am::ranks() < 3);  // of one block no dimension is cut
  const am::halo& around = y.plan().around;
  EXPECT(around.before(0) == 2 && around.behind(0) == 1 && around.before(1) == 0 && around.is_periodic(0) &&
         !around.has_corners());
  am::for_each_index(y, [](std::size_t i, int e) { EXPECT_EQ(e, int(i)); });
}

RANK_TEST(elements_of_many_pieces_are_dealt_evenly_in_their_order) {
  const std::size_t n = 6000;
  const auto text = [](std::size_t i) { return std::string(1000, char('a' + i % 26)) + std::to_string(i); };
  auto y = spread<am::list<std::string>>([&](const am::team& t) {
    am::list<std::string> x(t);
    for (std::size_t i = n * std::size_t(t.rank()); i < n * std::size_t(t.rank() + 1); ++i) x.push_local(text(i));
    t.fence();
    return x;
  });
  const auto all = n * std::size_t((am::ranks() + 1) / 2), members = std::size_t(am::ranks());
  EXPECT_EQ(y.size(), all);
  std::size_t i = all * std::size_t(am::rank()) / members;
  for (const std::string& each : y.local()) EXPECT_EQ(each, text(i++));
  EXPECT_EQ(i, all * (std::size_t(am::rank()) + 1) / members);
}

RANK_TEST(what_is_kept_and_how_it_is_dealt_goes_along) {
  auto y = spread<am::map<int, int>>([](const am::team& t) {
    am::map<int, int> x(t, {.uneven = 0});
    x.keep(1);
    return x;
  });
  y.checkpoint();  // kept as before
  for (int i = 0; i < 1000 && am::rank() == 0; ++i) y.insert(i, i);
  am::fence();  // it is not dealt anew
  EXPECT_EQ(y.local().size(), am::rank() == 0 ? 1000U : 0U);
}

RANK_TEST(items_of_a_work_queue_are_worked_on_by_all) {
  auto y = spread<am::work_queue<int>>([](const am::team& t) {
    am::work_queue<int> x(t);
    for (int i = 0; i < 100; ++i) x.push(i);
    return x;
  });
  long sum = 0;
  y.process([&sum](int i) { sum += i; });
  EXPECT_EQ(am::all_reduce(sum, std::plus<>{}), 4950L * ((am::ranks() + 1) / 2));
}

RANK_TEST(what_bodies_push_late_is_not_lost) {
  am::work_queue<int> x;
  const auto h = x.handle();
  const auto push_late = [h](int i) {
    am::sleep_for(std::chrono::milliseconds(5));
    h->push(i);
  };
  for (int i = 0; i < 10; ++i) am::async((am::rank() + 1) % am::ranks(), push_late, i);
  x = am::rebalance(am::world(), std::move(x));
  long sum = 0;
  x.process([&sum](int i) { sum += i; });
  EXPECT_EQ(am::all_reduce(sum, std::plus<>{}), 45L * am::ranks());
}

RANK_TEST(an_element_that_cannot_be_sent_is_told_on_all_ranks) {
  if (am::ranks() < 2) return;
  const auto over_all = [](auto& x) {
    using container = std::remove_reference_t<decltype(*x)>;
    EXPECT_THROWS_SAYING(am::remote_error, "cannot be sent",
                         x ? am::rebalance(am::world(), std::move(*x)) : am::rebalance<container>(am::world()));
    EXPECT(!x || x->size() == 100);
  };
  std::optional<am::array<picky>> elements;
  std::optional<am::unordered_map<int, picky>> values;
  if (const am::team some = evens()) {
    elements.emplace(100, am::on(some));
    values.emplace(some);
    for (int i = 0; i < 100 && am::rank() == 0; ++i) values->insert(i, picky());
    some.fence();
    if (am::rank() == 0)
      for (picky& each : elements->local()) each.text = "bad";
    for (int i = 0; i < 100; ++i)
      if (picky* const here = values->find_local(i)) here->text = "bad";
  }
  over_all(elements);
  over_all(values);
  const am::team all_but_first = am::world().split(am::rank() == 0 ? -1 : 0);
  for (am::rank_t r = 0; r < (am::ranks() == 2 ? 1 : 2); ++r) {  // one that leaves, and one whose elements move
    am::array<picky> x(100);
    if (am::rank() == r)
      for (picky& each : x.local()) each.text = "bad";
    if (r == 0 || all_but_first)
      EXPECT_THROWS_SAYING(am::remote_error, "cannot be sent", am::shrink(all_but_first, std::move(x)));
    else
      EXPECT_EQ(am::shrink(all_but_first, std::move(x)).size(), 0U);
  }
  am::barrier();
}

RANK_TEST(what_has_gone_over_is_empty) {
  am::array<int> x(100);
  am::unordered_map<int, int> y;
  for (int i = am::rank(); i < 100; i += am::ranks()) y.insert(i, i);
  const auto of_x = am::rebalance(am::world(), std::move(x));
  const auto of_y = am::rebalance(am::world(), std::move(y));
  EXPECT(of_x.size() == 100 && of_y.size() == 100);
  EXPECT_EQ(x.size(), 0U);
  EXPECT_EQ(y.size(), 0U);
  const bool stays = am::rank() % 2 == 0;
  am::array<int> z(100);
  const auto of_z = am::shrink(am::world().split(stays ? 0 : -1), std::move(z));
  EXPECT_EQ(of_z.size(), stays ? 100U : 0U);
  EXPECT_EQ(z.size(), 0U);
  am::barrier();
}

RANK_TEST(a_part_that_is_not_given_is_refused_on_all) {
  if (am::ranks() < 3) return;
  const am::team some = am::world().split(is_even() ? 0 : -1);
  std::optional<am::array<int>> x;
  if (some) x.emplace(10, am::on(some));
  const bool gives = some && am::rank() != 0;
  EXPECT_THROWS_SAYING(am::usage_error, "ranks have a part of the container, and",
                       gives ? am::rebalance(am::world(), std::move(*x)) : am::rebalance<am::array<int>>(am::world()));
}

RANK_TEST(a_team_without_the_container_and_one_without_its_ranks_are_refused_on_all) {
  EXPECT_THROWS_SAYING(am::usage_error, "no member of the team has the container", am::rebalance<am::array<int>>(am::world()));
  am::array<int> x(10);
  if (am::ranks() < 2) return;
  const am::team some = evens();
  if (!some) return am::barrier();
  EXPECT_THROWS_SAYING(am::error, "give a team that has all of them", am::rebalance(some, std::move(x)));
  EXPECT_EQ(x.size(), 10U);
  am::barrier();
}

RANK_TEST(a_team_that_is_not_that_of_all_that_stay_is_refused) {
  am::array<int> x(10);
  EXPECT_THROWS_SAYING(am::usage_error, "no rank gave a team", am::shrink(am::team(), std::move(x)));
  if (am::ranks() < 2) return;
  const am::team halves = am::world().split(am::rank() % 2);
  EXPECT_THROWS_SAYING(am::usage_error, "those that stay give one team", am::shrink(halves, std::move(x)));
  EXPECT_EQ(x.size(), 10U);
  if (const am::team some = evens()) {
    am::array<int> y(10, am::on(some));
    EXPECT_THROWS_SAYING(am::error, "has no part of the container", am::shrink(am::world(), std::move(y)));
  }
  if (am::ranks() < 4) return am::barrier();
  const am::team two = am::world().split(am::rank() / 2);  // of each of the first two pairs one gives it
  EXPECT_THROWS_SAYING(am::error, "gave the empty team",
                       am::shrink(am::rank() < 4 && am::rank() % 2 == 0 ? two : am::team(), std::move(x)));
  am::barrier();
}
