// SPDX-License-Identifier: Apache-2.0
#include "armilla/work_queue.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "armilla/call.hpp"
#include "armilla/collectives.hpp"
#include "armilla/per_rank.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

using number = std::uint64_t;

number mix(number x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
  return x ^ x >> 27;
}

/// An item that leaves others behind: which ones, its number says. So all can be run on one list, too.
struct task {
  number name = 0;
  int depth = 0;
};
template <class F>
void each_child(const task& t, F f) {
  const int most = t.depth < 3 ? 3 : t.depth < 9 ? 1 : 0;
  for (int i = 0; i <= most; ++i)
    if (const number name = mix(t.name * 4 + number(i) + 1); t.depth < 9 && name % 4 != 0) f(task{name, t.depth + 1});
}

std::vector<task> first_tasks(number seed, am::rank_t r) {
  std::mt19937_64 random(seed * 1000 + number(r));
  std::vector<task> some(random() % 3 == 0 ? 0 : random() % 20);  // some ranks begin without any
  for (task& t : some) t.name = random();
  return some;
}

std::vector<number> names_by_one_list(number seed, am::rank_t ranks) {
  std::vector<task> open;
  for (am::rank_t r = 0; r < ranks; ++r)
    for (const task& t : first_tasks(seed, r)) open.push_back(t);
  std::vector<number> names;
  while (!open.empty()) {
    const task t = open.back();
    open.pop_back();
    names.push_back(t.name);
    each_child(t, [&](const task& c) { open.push_back(c); });
  }
  std::ranges::sort(names);
  return names;
}

std::vector<number> sorted_of_all(const am::team& t, const std::vector<number>& mine) {
  std::vector<number> all = t.all_gather_v(mine);
  std::ranges::sort(all);
  return all;
}

std::string error_of(auto f) {
  try {
    f();
  } catch (const am::remote_error& e) { return e.what(); }
  return "";
}

am::per_rank<number> steps;

}  // namespace

RANK_TEST(each_item_that_any_rank_pushes_or_another_leaves_runs_once) {
  am::work_queue<task> open;
  for (number seed = 0; seed < 40; ++seed) {
    for (const task& t : first_tasks(seed, am::rank())) open.push(t);
    std::vector<number> mine;
    const am::work_share done = open.process([&](task t) {
      mine.push_back(t.name);
      each_child(t, [&](const task& c) { open.push(c); });
    });
    EXPECT_EQ(done.items, mine.size());
    EXPECT_EQ(open.local_size(), 0U);
    EXPECT(sorted_of_all(am::world(), mine) == names_by_one_list(seed, am::ranks()));
  }
}

// No rank ends its first item before all have one: they come from rank 0 only.
RANK_TEST(ranks_without_items_get_some_of_another) {
  am::work_queue<int> open;
  if (am::rank() == 0)
    for (int i = 0; i < 100 * am::ranks(); ++i) open.push(i);
  bool have = false;
  const am::work_share done = open.process([&](int) {
    if (std::exchange(have, true)) return;
    for (am::rank_t r = 0; r < am::ranks(); ++r) am::async(r, [] { ++*steps; });
    while (*steps < number(am::ranks())) am::yield();
  });
  EXPECT(done.items >= 1);
  if (am::rank() != 0) EXPECT(done.steals > 0);
  *steps = 0;
  am::barrier();
}

RANK_TEST(items_that_bodies_push_run_before_it_ends) {
  am::work_queue<int> open;
  using name = am::work_queue<int>::handle_type;
  if (am::rank() == 0) open.push(40);
  number ran = 0;
  open.process([&](int left) {
    ++ran;
    if (left > 0) am::async((am::rank() + left) % am::ranks(), [](name h, int n) { h->push(n); }, open.handle(), left - 1);
  });
  EXPECT_EQ(am::all_reduce(ran, std::plus<>{}), 41U);
}

RANK_TEST(what_an_item_throws_ends_it_on_all_ranks_and_the_others_stay) {
  am::work_queue<int> open;
  const am::rank_t last = am::ranks() - 1;
  for (int i = 0; i < 100; ++i) open.push(i);
  std::size_t ran = 0;
  const std::string said = error_of([&] {
    open.process([&](int) {
      if (am::rank() == last) throw std::domain_error("no such item");
      ++ran;
    });
  });
  EXPECT(said.find("no such item") != std::string::npos);
  EXPECT(said.find("rank " + std::to_string(last)) != std::string::npos);
  EXPECT_EQ(am::all_reduce(ran + open.local_size(), std::plus<>{}), std::size_t(am::ranks()) * 100 - 1);
  open.process([&](int) { ++ran; });
  EXPECT_EQ(am::all_reduce(ran, std::plus<>{}), std::size_t(am::ranks()) * 100 - 1);
}

RANK_TEST(of_several_errors_all_ranks_throw_that_of_the_lowest) {
  am::work_queue<int> open;
  open.push(1);
  const std::string said = error_of([&] {
    open.process([](int) {
      for (am::rank_t r = 0; r < am::ranks(); ++r) am::async(r, [] { ++*steps; });
      while (*steps < number(am::ranks())) am::yield();
      throw std::domain_error("item of rank " + std::to_string(am::rank()));
    });
  });
  EXPECT(said.find("item of rank 0") != std::string::npos);
  *steps = 0;
  am::barrier();
}

RANK_TEST(what_a_one_way_call_of_an_item_throws_comes_to_all_ranks) {
  am::work_queue<int> open;
  if (am::rank() == 0) open.push(1);
  const std::string said =
      error_of([&] { open.process([](int) { am::async(am::ranks() - 1, [] { throw std::domain_error("of a body"); }); }); });
  EXPECT(said.find("of a body") != std::string::npos);
  open.push(2);
  std::size_t ran = 0;
  open.process([&](int) { ++ran; });
  EXPECT_EQ(am::all_reduce(ran, std::plus<>{}), std::size_t(am::ranks()));
}

RANK_TEST(items_of_any_type_that_can_be_sent_and_functions_that_wait) {
  am::work_queue<std::vector<std::string>> open;
  if (am::rank() == 0)
    for (int i = 0; i < 300; ++i) open.push({std::to_string(i), std::string(200, 'x')});
  number sum = 0;
  open.process([&](const std::vector<std::string>& words) {
    const number asked =
        am::call((am::rank() + 1) % am::ranks(), [](const std::string& s) { return number(s.size()); }, words[1]).get();
    sum += number(std::stoi(words[0])) + asked;
  });
  EXPECT_EQ(am::all_reduce(sum, std::plus<>{}), 299U * 150 + 300 * 200);
}

RANK_TEST(a_queue_of_a_part_of_the_ranks_ends_without_the_others) {
  const am::team half = am::world().split(am::rank() % 2);
  am::work_queue<task> made(half), kept(half);
  kept = std::move(made);
  for (const task& t : first_tasks(7, half.rank())) kept.push(t);
  std::vector<number> mine;
  kept.process([&](task t) {
    mine.push_back(t.name);
    each_child(t, [&](const task& c) { kept.push(c); });
  });
  EXPECT(sorted_of_all(half, mine) == names_by_one_list(7, half.size()));
}

RANK_TEST(a_handle_of_no_queue_says_so) {
  const am::work_queue<int>::handle_type none;
  EXPECT_THROWS_SAYING(am::usage_error, "this rank has no part of the work queue", none->push(1));
}

RANK_TEST(a_fence_says_on_all_ranks_how_many_items_a_work_queue_has) {
  am::work_queue<int> open;
  for (int i = 0; i <= int(am::rank()); ++i) open.push(i);
  am::fence();
  EXPECT_EQ(open.size(), std::size_t(am::ranks()) * std::size_t(am::ranks() + 1) / 2);
  open.process([](int) {});
  EXPECT(open.empty());
  am::barrier();
}

RANK_TEST(teams_of_queues_that_have_ended_are_let_go_at_a_fence_of_all) {
  const auto use_queues = [](bool fences) {
    for (int i = 0; i < 20; ++i) {
      const am::work_queue<int> q(am::world().split(am::rank() % 2));
      if (fences && i % 2 == 0) am::fence();
    }
  };
  use_queues(true);
  am::fence();
  if (am::ranks() > 1) EXPECT_THROWS_SAYING(am::limit_error, "call am::fence() on all ranks", use_queues(false));
  am::fence();
  use_queues(true);
}
