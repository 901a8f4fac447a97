// SPDX-License-Identifier: Apache-2.0
// What arrays and vectors do by themselves: element access, local parts, growth, storage.
#include <cstdint>
#include <set>

#include <armilla/container/container.hpp>

#include "tests/rank_test.hpp"

namespace am = armilla;

RANK_TEST(an_element_is_read_and_written_wherever_it_lies) {
  for (const std::size_t block : {std::size_t{0}, std::size_t{1}, std::size_t{3}}) {
    am::array<long> x(50, block == 0 ? am::blocks() : am::cyclic(block));
    if (am::rank() == am::ranks() - 1)
      for (std::size_t i = 0; i < 50; ++i) x[i] = long(i) * 2;
    am::barrier();
    for (std::size_t i = 0; i < 50; ++i) {
      const long z = x[i];
      EXPECT_EQ(z, long(i) * 2);
      EXPECT_EQ(x.get(i).get(), z);
    }
    for (std::size_t k = 0; k < x.local().size(); ++k) EXPECT_EQ(x.local()[k], long(x.index_of_local(k)) * 2);
    am::barrier();
  }
}

RANK_TEST(set_is_complete_at_the_fence) {
  am::array<int> x(std::size_t(am::ranks()) * 2);
  x.set(std::size_t(am::rank()), am::rank() + 1);
  am::fence();
  for (am::rank_t r = 0; r < am::ranks(); ++r) EXPECT_EQ(int(x[std::size_t(r)]), r + 1);
  am::barrier();
}

RANK_TEST(new_elements_are_zero_or_the_given_value) {
  am::array<int> x(100), y(100, 7, am::cyclic());
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(int(x[i]), 0);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(int(y[i]), 7);
  am::barrier();
}

RANK_TEST(more_ranks_than_elements_and_no_elements_are_fine) {
  am::array<char> none(0), one(1);
  EXPECT(none.empty() && none.local().empty());
  EXPECT_EQ(one.local().size(), am::rank() == 0 ? 1u : 0u);
  const am::array<int> made_by_none;
  EXPECT(made_by_none.empty() && made_by_none.local().empty());
}

RANK_TEST(an_index_beyond_the_end_is_an_error) {
  am::array<int> x(5);
  EXPECT_THROWS_SAYING(am::usage_error, "index 5 is out of range; give an index from 0 to 4", x[5] = 1);
  EXPECT_THROWS_SAYING(am::usage_error, "is the index a negative number?", x.get(std::size_t(-1)));
}

RANK_TEST(it_moves_and_swaps_and_is_cloned) {
  am::vector<int> x(20, 1), y(30, 2);
  swap(x, y);
  EXPECT_EQ(x.size(), 30u);
  am::vector<int> z = std::move(x);
  EXPECT_EQ(x.size(), 0u);
  EXPECT_EQ(int(z[29]), 2);
  am::vector<int> w = z.clone(), v = z.like();
  am::barrier();
  if (am::rank() == 0) z[0] = 5;
  am::barrier();
  EXPECT_EQ(int(w[0]), 2);
  EXPECT_EQ(int(v[0]), 0);
  am::barrier();
}

RANK_TEST(resizing_and_dealing_anew_keep_the_elements) {
  am::vector<int> x(37, am::cyclic(2));
  for (std::size_t k = 0; k < x.local().size(); ++k) x.local()[k] = int(x.index_of_local(k));
  const auto expect = [&x](std::size_t n) {
    EXPECT_EQ(x.size(), n);
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(int(x[i]), i < 20 ? int(i) : i < 37 && n <= 37 ? int(i) : 0);
    am::barrier();
  };
  am::barrier();
  expect(37);
  x.redistribute(am::blocks());
  expect(37);
  x.resize(20);
  expect(20);
  std::vector<std::size_t> last(std::size_t(am::ranks()), 0);
  last.back() = 20;
  x.redistribute(am::blocks(last));
  EXPECT_EQ(x.rank_of(0), am::ranks() - 1);
  expect(20);
  x.resize(44);
  expect(44);
}

RANK_TEST(a_container_of_a_sub_team_lies_on_its_members) {
  const am::team half = am::world().split(am::rank() % 2);
  am::array<int> x(31, am::on(half, am::cyclic(4)));
  for (std::size_t i = 0; i < 31; ++i) EXPECT_EQ(x.rank_of(i) % 2, am::rank() % 2);
  if (half.rank() == 0)
    for (std::size_t i = 0; i < 31; ++i) x[i] = int(i);
  half.barrier();
  EXPECT_EQ(int(x[30]), 30);
  half.barrier();
}

RANK_TEST(a_vector_grows_at_the_fence) {
  am::vector<int> x(3, 7);
  EXPECT_EQ(x.size(), 3u);
  std::vector<int> expected(3, 7);
  for (int round = 0; round < 5; ++round) {
    const std::vector<std::vector<int>> before = am::all_gather(std::vector<int>(x.local().begin(), x.local().end()));
    for (int i = 0; i < am::rank() * round; ++i) x.push_back(am::rank() * 100 + round);
    x.append(std::vector<int>{-1, -2});
    if (am::detail::checked)
      EXPECT_THROWS(am::usage_error, x.size());
    else
      EXPECT_EQ(x.size(), expected.size());
    am::fence();
    expected.clear();
    for (am::rank_t r = 0; r < am::ranks(); ++r) {
      expected.insert(expected.end(), before[std::size_t(r)].begin(), before[std::size_t(r)].end());
      for (int i = 0; i < r * round; ++i) expected.push_back(r * 100 + round);
      expected.insert(expected.end(), {-1, -2});
    }
    EXPECT_EQ(x.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(int(x[i]), expected[i]);
    am::barrier();
  }
  x.rebalance();
  EXPECT_EQ(x.placement(), am::placement(expected.size(), am::ranks(), am::blocks()));
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(int(x[i]), expected[i]);
  am::barrier();
}

RANK_TEST(a_vector_that_grows_may_move_and_has_company) {
  am::vector<int> x(0), y(0), z(0);
  if (am::rank() == 0) x.push_back(1), z.push_back(2);
  am::vector<int> moved = std::move(x);
  swap(y, z);
  am::fence();
  EXPECT_EQ(moved.size(), 1u);
  EXPECT_EQ(y.size(), 1u);
  EXPECT_EQ(z.size(), 0u);
  EXPECT_EQ(int(y[0]), 2);
  am::fence();
  EXPECT_EQ(y.size(), 1u);
}

RANK_TEST(a_vector_of_a_sub_team_grows_at_its_fence) {
  const am::team half = am::world().split(am::rank() % 2);
  am::vector<int> x(0, am::on(half));
  am::vector<int> all(0);
  x.push_back(half.rank());
  all.push_back(1);
  half.fence();
  if (am::ranks() > 1) EXPECT_EQ(all.size(), 0u);
  EXPECT_EQ(x.size(), std::size_t(half.size()));
  for (am::rank_t m = 0; m < half.size(); ++m) EXPECT_EQ(int(x[std::size_t(m)]), m);
  half.barrier();
  if (half.rank() == 0) x.push_back(9);
  am::fence();
  EXPECT_EQ(x.size(), std::size_t(half.size()) + 1);
  EXPECT_EQ(all.size(), std::size_t(am::ranks()));
}

RANK_TEST(what_cannot_grow_says_so) {
  am::vector<int> x(std::size_t(am::ranks()) * 4, am::cyclic(2)), none;
  if (am::ranks() > 1) EXPECT_THROWS_SAYING(am::usage_error, "redistribute(blocks()) first", x.push_back(1));
  EXPECT_THROWS_SAYING(am::usage_error, "made without ranks", none.push_back(1));
}

RANK_TEST(a_vector_that_is_dealt_in_turn_before_the_fence_keeps_its_elements_in_order) {
  if (am::ranks() == 1) return;
  am::vector<long> x(std::size_t(am::ranks()) * 2);
  for (long& e : x.local()) e = am::rank();
  x.push_back(100 + am::rank());
  x.redistribute(am::cyclic());
  EXPECT_THROWS_SAYING(am::usage_error, "redistribute(blocks()) first", am::fence());
  EXPECT_EQ(x.size(), std::size_t(am::ranks()) * 2);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(long(x[i]), long(i / 2));
  x.redistribute(am::blocks());
  am::fence();
  EXPECT_EQ(x.size(), std::size_t(am::ranks()) * 3);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(long(x[i]), i % 3 == 2 ? 100 + long(i / 3) : long(i / 3));
  am::barrier();
}

RANK_TEST(an_array_may_take_the_elements_of_a_vector_and_does_not_grow) {
  am::vector<int> x(std::size_t(am::ranks()) * 2, 3);
  x.push_back(4);
  const am::array<int> y = std::move(x);
  am::fence();
  EXPECT_EQ(y.size(), std::size_t(am::ranks()) * 2);
  EXPECT_EQ(int(y[y.size() - 1]), 3);
  am::barrier();
}

// More participants of fences than there are bits to tell them apart.
RANK_TEST(a_vector_that_grows_leaves_one_that_is_dealt_in_turn_as_it_is) {
  am::vector<long> x(std::size_t(am::ranks()) * 3, am::cyclic());
  for (std::size_t k = 0; k < x.local().size(); ++k) x.local()[k] = long(x.index_of_local(k));
  std::vector<am::vector<char>> others;
  for (int i = 0; i < 70; ++i) others.emplace_back(0);
  for (am::vector<char>& each : others) each.push_back('a');
  am::fence();
  for (const am::vector<char>& each : others) EXPECT_EQ(each.size(), std::size_t(am::ranks()));
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(long(x[i]), long(i));
  am::barrier();
}

// Rank 1 is in both teams: where the vector of one cannot grow, that of the other still does.
RANK_TEST(a_vector_that_cannot_grow_does_not_keep_one_of_another_team_from_it) {
  if (am::ranks() < 3) return;
  const am::team low = am::world().split(am::rank() < 2 ? 0 : 1);
  const am::team high = am::world().split(am::rank() == 1 || am::rank() == 2 ? 0 : 1);
  am::vector<long> x(0, am::on(low)), y(0, am::on(high));
  std::vector<am::global_ptr<std::byte>> taken;
  if (am::rank() == 0)
    for (std::size_t n = std::size_t(1) << 40; n >= 4096;) try {
        taken.push_back(am::allocate<std::byte>(n));
      } catch (const am::limit_error&) { n /= 2; }
  x.append(std::vector<long>(100000, 1));
  y.push_back(2);
  if (am::rank() < 2)
    EXPECT_THROWS(am::limit_error, am::fence());
  else
    am::fence();
  EXPECT_EQ(y.size(), std::size_t(high.size()));
  for (const auto& each : taken) am::deallocate(each);
  am::fence();
  EXPECT_EQ(x.size(), std::size_t(low.size()) * 100000);
}

RANK_TEST(a_container_has_the_room_of_one_that_ended_just_before) {
  am::array<long> x(std::size_t(am::ranks()) * 50'000);
  std::vector<am::global_ptr<std::byte>> taken;
  if (am::rank() == am::ranks() - 1)
    for (std::size_t n = std::size_t(1) << 40; n >= 4096;) try {
        taken.push_back(am::allocate<std::byte>(n));
      } catch (const am::limit_error&) { n /= 2; }
  EXPECT_THROWS(am::limit_error, am::array<long>(x.size()));
  const std::size_t n = x.size();
  x = am::array<long>();
  am::array<long> next(n);
  EXPECT_EQ(next.local().size(), 50'000U);
  for (const auto& each : taken) am::deallocate(each);
}

RANK_TEST(of_a_vector_the_first_elements_of_each_may_stay) {
  am::vector<int> x(std::size_t(am::ranks()) * 3, 5);
  x.keep_local(am::rank() == 0 ? 3 : 1);
  EXPECT_EQ(x.size(), std::size_t(am::ranks()) + 2);
  EXPECT_EQ(x.local().size(), am::rank() == 0 ? 3u : 1u);
}

/// The page in which a part begins: where in it differs from block to block.
std::uintptr_t page_of(const long* part) { return reinterpret_cast<std::uintptr_t>(part) / 4096; }

// Without waiting for another rank: the block is used again after the next meetings, in the checked library later.
RANK_TEST(memory_returns_when_the_members_meet) {
  if (am::detail::checked) return;
  std::set<std::uintptr_t> places;
  for (int round = 0; round < 50; ++round) {
    am::array<long> x(std::size_t(am::ranks()) * 100000);
    places.insert(page_of(x.local().data()));
  }
  EXPECT_LE(places.size(), 3u);
}

RANK_TEST(memory_of_a_sub_team_returns_when_all_meet) {
  if (am::detail::checked) return;
  std::set<std::uintptr_t> places;
  for (int round = 0; round < 20; ++round) {
    const am::team half = am::world().split(am::rank() % 2);
    {
      am::array<long> x(100000, am::on(half));
      places.insert(page_of(x.local().data()));
    }
    am::array<char> together(1);
  }
  EXPECT_LE(places.size(), 4u);
}

// One that unwinds while the others go on does not wait for them.
RANK_TEST(a_destructor_waits_for_nothing) {
  try {
    am::array<int> x(1000);
    if (am::rank() == 0) throw 1;
    am::world();
  } catch (int) {}
  am::array<int> y(1000, 3);
  EXPECT_EQ(int(y[999]), 3);
  am::barrier();
}

RANK_TEST(members_that_make_different_containers_are_told) {
  if (am::ranks() == 1) return;
  EXPECT_THROWS_SAYING(am::usage_error, "members make different containers here: rank 0 8 elements, rank 1 7 elements; all",
                       am::array<int>(am::rank() == 1 ? 7 : 8));
  const auto sizes = [](std::size_t last) {
    std::vector<std::size_t> all(std::size_t(am::ranks()), 1);
    all.back() = 0;
    all[last] += 3;
    return am::blocks(all);
  };
  const bool other = am::rank() == am::ranks() - 1;
  EXPECT_THROWS_SAYING(am::usage_error, " elements by member; all",
                       am::array<int>(std::size_t(am::ranks()) + 2, sizes(other ? 1 : 0)));
  EXPECT_THROWS_SAYING(am::limit_error, "is the size a negative number?", am::array<int>(std::size_t(-5)));
  am::array<int> x(4);
  EXPECT_EQ(x.size(), 4u);
}

RANK_TEST(members_that_make_containers_in_another_order_are_told_where_each_is_made) {
  if (am::ranks() == 1) return;
  const am::team t = am::world().dup();
  std::string said;
  try {
    if (am::rank() == 0)
      am::array<double>(10, am::on(t));
    else
      am::array<int>(10, am::on(t));
  } catch (const am::usage_error& e) { said = e.what(); }
  EXPECT_NE(said, "");
  const auto times = [&](std::string_view part) {
    int n = 0;
    for (std::size_t at = said.find(part); at != said.npos; at = said.find(part, at + 1)) ++n;
    return n;
  };
  if (times(" in am::array<") == 2) EXPECT_EQ(times("> (array_test.cpp:"), 3);  // the operation is named, too
}

RANK_TEST(a_distribution_must_fit) {
  EXPECT_THROWS_SAYING(am::usage_error, "the sizes add up to",
                       am::array<int>(5, am::blocks(std::vector<std::size_t>(std::size_t(am::ranks()), 9))));
  EXPECT_THROWS_SAYING(am::usage_error, "sizes for",
                       am::array<int>(5, am::blocks(std::vector<std::size_t>(std::size_t(am::ranks()) + 1, 1))));
  EXPECT_THROWS_SAYING(am::usage_error, "blocks of 0", am::cyclic(0));
}

// The checked library objects to reading such elements, and to nothing else.
RANK_TEST(local_may_be_taken_while_calls_to_its_elements_are_under_way) {
  am::array<long> x(100);
  const auto mine = x.local();
  for (std::size_t i = 0; i < 100; ++i) x.update(i, 1, std::plus<>{});
  EXPECT_EQ(x.local().size(), mine.size());
  EXPECT(x.local().empty() == mine.empty() && x.local().data() == mine.data());
  const std::span<const long> plain = std::as_const(x).local();
  const std::span<long> more = x.local().first(mine.size());
  am::fence();
  EXPECT(std::ranges::all_of(mine, [](long n) { return n == am::ranks(); }));
  EXPECT(std::ranges::equal(plain, more));
  am::barrier();
  for (std::size_t i = 0; i < 100; ++i) x.update(i, 1, std::plus<>{});
  for (std::size_t i = 0; i < 100; ++i) EXPECT(x.get(i).get() > am::ranks());  // complete: by its answer
  for (const long n : x.local()) EXPECT(n > am::ranks());
  am::fence();
}

RANK_TEST(verbs_of_an_element_run_on_its_rank) {
  am::array<long> x(50, am::cyclic(3));
  am::array<std::string> y(50);
  for (std::size_t i = 0; i < 50; ++i) {
    x.update(i, long(i), std::plus<>{});
    long by = 2;
    x.visit(i, [by](long& e, long also) { e += by * also; }, 5);
    y.update(i, "a", std::plus<>{});
    y.visit(i, [](std::string& e, const std::string& more) { e += more; }, std::string("b"));
  }
  am::fence();
  const long all = am::ranks();
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(x.get(i).get(), all * (long(i) + 10));
    EXPECT_EQ(y.call(i, [](std::string& e) { return e.size(); }).get(), 2 * std::size_t(all));
  }
  am::barrier();
  const am::rank_t owner = x.rank_of(49);
  EXPECT_EQ(x.call(49, [](long& e, long by) { return e += by, am::rank(); }, 1).get(), owner);
  am::barrier();
  EXPECT_EQ(long(x[49]), all * 60);
  if (am::rank() == 0) x.call(0, [](long& e) { e = 7; }).get();
  am::barrier();
  EXPECT_EQ(long(x[0]), 7);
  EXPECT_THROWS_SAYING(am::usage_error, "index 50 is out of range", x.visit(50, [](long&) {}));
  EXPECT_THROWS_SAYING(am::usage_error, "index 50 is out of range", y.update(50, "", std::plus<>{}));
  am::barrier();
}
