// SPDX-License-Identifier: Apache-2.0
#include "armilla/queue.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "armilla/collectives.hpp"
#include "armilla/fence.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

/// An item, and which of its rank's it is.
struct item {
  am::rank_t from = 0;
  int number = 0;
  friend auto operator<=>(const item&, const item&) = default;
};

template <class T>
std::vector<T> sorted_of_all(const std::vector<T>& mine) {
  std::vector<T> all = am::world().all_gather_v(mine);
  std::ranges::sort(all);
  return all;
}

/// Refuses to compare with a negative number, and says so.
struct of_positive {
  bool operator()(int a, int b) const {
    if (a < 0 || b < 0) throw std::domain_error("a negative item");
    return a < b;
  }
};

}  // namespace

// Each rank pushes and pops at random. What all have popped, and what is left, are the items pushed, once each; and whatever one
// rank pops of another's comes in the order of its pushes.
RANK_TEST(random_pushes_and_pops_of_all_ranks_lose_nothing_and_keep_the_order_of_each_rank) {
  for (int round = 0; round < 4; ++round) {
    am::queue<item> q(am::rank_t(round) % am::ranks());
    std::mt19937 dice(unsigned(100 * round + am::rank()));
    std::vector<item> pushed, popped;
    for (int phase = 0; phase < 3; ++phase) {
      for (int i = 0; i < 200; ++i) {
        switch (dice() % 4) {
          case 0:
          case 1:
            pushed.push_back({am::rank(), int(pushed.size())});
            q.push(pushed.back());
            break;
          case 2:
            if (const std::optional<item> got = q.pop().get()) popped.push_back(*got);
            break;
          default:
            for (const item& got : q.pop_some(3).get()) popped.push_back(got);
        }
      }
      am::fence();
    }
    std::vector<int> last(std::size_t(am::ranks()), -1);
    for (const item& i : popped) {
      EXPECT_LT(last[std::size_t(i.from)], i.number);
      last[std::size_t(i.from)] = i.number;
    }
    const std::size_t gone = am::all_reduce(popped.size(), std::plus<>{}), all = am::all_reduce(pushed.size(), std::plus<>{});
    EXPECT_EQ(q.count().get(), all - gone);
    am::barrier();
    while (const std::optional<item> got = q.pop().get()) popped.push_back(*got);
    EXPECT(sorted_of_all(popped) == sorted_of_all(pushed));
  }
}

// The owner pushes without a message, but not before what it has sent itself.
RANK_TEST(operations_of_the_owner_are_in_order) {
  am::queue<int> q;
  am::priority_queue<int> largest;
  if (am::rank() == 0) {
    am::future<std::optional<int>> none = q.pop(), no_largest = largest.pop();
    q.push(1);
    largest.push(1);
    am::future<std::vector<int>> some = q.pop_some(5);
    q.push_range(std::vector<int>{2, 3});
    am::future<std::size_t> two = q.count();
    EXPECT(!none.get().has_value() && !no_largest.get().has_value());
    EXPECT(some.get() == std::vector<int>{1});
    EXPECT_EQ(two.get(), 2u);
    q.push(4);
    largest.push(9);
    EXPECT(q.pop_some(9).get() == (std::vector<int>{2, 3, 4}));
    EXPECT(largest.pop_some(9).get() == (std::vector<int>{9, 1}));
  }
  am::barrier();
}

RANK_TEST(one_rank_sees_a_queue_of_the_standard) {
  am::queue<std::string> q(am::ranks() - 1);
  if (am::rank() == 0) {
    std::deque<std::string> oracle;
    std::mt19937 dice(5);
    for (int i = 0; i < 1000; ++i) {
      const std::string text(dice() % 40, char('a' + i % 26));
      switch (dice() % 3) {
        case 0:
          q.push(text);
          oracle.push_back(text);
          break;
        case 1: {
          const std::vector<std::string> some{text, "more", text};
          q.push_range(some);
          oracle.insert(oracle.end(), some.begin(), some.end());
          break;
        }
        default:
          EXPECT(q.pop().get() == (oracle.empty() ? std::nullopt : std::optional<std::string>(oracle.front())));
          if (!oracle.empty()) oracle.pop_front();
      }
    }
    EXPECT_EQ(q.count().get(), oracle.size());
  }
  am::barrier();
}

RANK_TEST(pops_behind_a_fence_give_the_largest_first) {
  am::priority_queue<item> largest;
  am::priority_queue<int, std::greater<>> smallest;
  std::mt19937 dice(unsigned(am::rank()) + 1);
  std::vector<item> mine;
  for (int i = 0; i < 500; ++i) {
    mine.push_back({am::rank(), int(dice() % 100)});
    largest.push(mine.back());
    smallest.push(mine.back().number);
  }
  am::fence();
  std::vector<item> popped;
  while (const std::optional<item> got = largest.pop().get()) popped.push_back(*got);
  EXPECT(std::ranges::is_sorted(popped, std::greater<>{}));
  EXPECT(sorted_of_all(popped) == sorted_of_all(mine));
  const std::vector<int> some = smallest.pop_some(400).get();
  EXPECT(std::ranges::is_sorted(some));
  am::barrier();
  if (am::rank() == 0) EXPECT_EQ(smallest.count().get(), std::size_t(am::ranks()) * 100);
  am::barrier();
}

RANK_TEST(a_handle_names_the_queue_in_bodies_and_on_any_rank) {
  am::queue<int> q;
  using name = am::queue<int>::handle_type;
  for (am::rank_t r = 0; r < am::ranks(); ++r) am::async(r, [](name h, int n) { h->push(n); }, q.handle(), int(am::rank()));
  am::fence();
  EXPECT_EQ(q.handle()->count().get(), std::size_t(am::ranks()) * std::size_t(am::ranks()));
  EXPECT_EQ(q.owner(), 0);
  am::barrier();
}

RANK_TEST(a_queue_of_a_part_of_the_ranks_lies_on_one_of_them) {
  const am::team half = am::world().split(am::rank() % 2);
  am::queue<int> q(half, half.size() - 1);
  q.push(int(am::rank()));
  half.fence();
  EXPECT_EQ(q.owner(), half.world_rank(half.size() - 1));
  EXPECT_EQ(q.count().get(), std::size_t(half.size()));
  half.barrier();
}

RANK_TEST(pushes_that_are_under_way_when_a_queue_ends_find_it) {
  for (int round = 0; round < 20; ++round) {
    am::queue<std::string> q(round % am::ranks());
    am::priority_queue<int> p(round % am::ranks());
    for (int i = 0; i < 20; ++i) q.push(std::string(100, 'x')), p.push(i);
  }
  am::fence();
}

RANK_TEST(owners_of_no_use_are_refused_by_all) {
  EXPECT_THROWS_SAYING(am::usage_error, "cannot lie on member -1", am::queue<int>(-1));
  EXPECT_THROWS_SAYING(am::usage_error, "cannot lie on member 99", am::priority_queue<int>(99));
  if (am::ranks() == 1) return;
  EXPECT_THROWS_SAYING(am::usage_error, "owner 0, another one with owner 1; give the same", am::queue<int>(am::rank() % 2));
}

RANK_TEST(an_order_that_throws_takes_no_item_away) {
  am::priority_queue<int, of_positive> q;
  const am::rank_t last = am::ranks() - 1;
  if (am::rank() == last)
    for (const int i : {5, 3, 9, 1, 7, -1, 8}) q.push(i);
  EXPECT_THROWS_SAYING(am::remote_error, "a negative item", am::fence());
  if (am::rank() == last) EXPECT(q.pop_some(9).get() == (std::vector<int>{9, 8, 7, 5, 3, 1}));
  am::fence();
  if (am::rank() == last) {
    q.push(-1);
    EXPECT_EQ(*q.pop().get(), -1);  // alone it is compared with none
  }
  am::fence();
}

RANK_TEST(what_is_popped_is_sorted_among_many_equal_ones) {
  am::priority_queue<std::string, std::greater<>> q(am::ranks() - 1);
  std::vector<std::string> all;
  std::mt19937 dice(3);
  for (int i = 0; i < 500; ++i) all.push_back(std::to_string(dice() % 60));
  if (am::rank() == 0) {
    q.push_range(all);
    std::ranges::sort(all);
    EXPECT(q.pop_some(1000).get() == all);
  }
  am::fence();
}

/// Elements that lie apart; where the first one is, and how many there are, says less.
struct every_other {
  struct iterator {
    using value_type = int;
    using difference_type = std::ptrdiff_t;
    using reference = const int&;
    using pointer = const int*;
    using iterator_category = std::forward_iterator_tag;
    const int* at = nullptr;
    reference operator*() const { return *at; }
    iterator& operator++() { return at += 2, *this; }
    iterator operator++(int) { return std::exchange(*this, {at + 2}); }
    friend bool operator==(iterator, iterator) = default;
  };
  const int* first;
  const int* data() const { return first; }
  std::size_t size() const { return 3; }
  iterator begin() const { return {first}; }
  iterator end() const { return {first + 6}; }
};

/// Items that travel as bytes, as a range of any kind, and many.
RANK_TEST(ranges_of_numbers_come_whole_and_in_order) {
  struct base {
    int number = 0;
  };
  struct derived : base {
    int more = 7;
  };
  am::queue<int> q(am::ranks() - 1);
  am::queue<base> plain;
  am::priority_queue<int> largest(am::ranks() - 1);
  std::vector<int> all;
  if (am::rank() == 0) {
    std::mt19937 dice(11);
    for (const std::size_t n : {0, 1, 3, 1000, 300'000}) {
      std::vector<int> some(n);
      for (int& e : some) e = int(dice() % 1000);
      q.push_range(some);
      largest.push_range(std::span<const int>(some));
      all.insert(all.end(), some.begin(), some.end());
    }
    const int few[] = {1, 2, 3};
    q.push_range(few);
    q.push_range(std::set<int>{4, 5});
    q.push_range(std::vector<short>{6});
    const int apart[] = {7, 0, 8, 0, 9, 0};
    q.push_range(every_other{apart});
    all.insert(all.end(), {1, 2, 3, 4, 5, 6, 7, 8, 9});
    EXPECT(q.pop_some(all.size() + 1).get() == all);
    all.resize(all.size() - 9);
    std::ranges::sort(all, std::greater<>{});
    EXPECT(largest.pop_some(all.size() + 1).get() == all);
    plain.push_range(std::vector<derived>(3, derived{{5}}));
  }
  am::fence();
  const std::vector<base> got = plain.pop_some(3).get();
  EXPECT_EQ(am::all_reduce(got.size(), std::plus<>{}), 3U);
  for (const base& each : got) EXPECT_EQ(each.number, 5);
  am::fence();
}

RANK_TEST(items_may_be_bits) {
  am::queue<bool> q;
  am::priority_queue<bool> p;
  p.push_range(std::vector<bool>{false, true, false});
  if (am::rank() == 0) q.push_range(std::vector<bool>{true, false});
  am::fence();
  if (am::rank() == am::ranks() - 1) EXPECT(q.pop_some(3).get() == (std::vector<bool>{true, false}) && p.pop().get() == true);
  am::fence();
}

RANK_TEST(a_fence_says_on_all_ranks_how_many_items_a_queue_has) {
  am::queue<int> q(am::ranks() - 1);
  am::priority_queue<std::string> p;
  EXPECT(q.empty());
  q.push(1);
  p.push_range(std::vector<std::string>{"a", "b", "c"});
  am::fence();
  EXPECT_EQ(q.size(), std::size_t(am::ranks()));
  EXPECT_EQ(p.size(), 3U * std::size_t(am::ranks()));
  static_cast<void>(q.pop().get());
  EXPECT_EQ(q.size(), std::size_t(am::ranks()));
  am::fence();
  EXPECT(q.empty());
  am::barrier();
}
