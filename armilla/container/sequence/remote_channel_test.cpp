// SPDX-License-Identifier: Apache-2.0
#include "armilla/remote_channel.hpp"

#include <optional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "armilla/collectives.hpp"
#include "armilla/fence.hpp"
#include "armilla/spawn.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

struct sample {
  am::rank_t from = 0;
  int number = 0;
};

std::vector<am::rank_t> all_ranks() { return am::all_gather(am::rank()); }

/// A channel to rank 0 from the last rank, which may be rank 0 itself.
template <class T>
am::remote_channel<T> from_last(std::size_t capacity) {
  return am::remote_channel<T>(0, capacity, {am::ranks() - 1});
}
bool is_last() { return am::rank() == am::ranks() - 1; }

}  // namespace

// The receiver also sends, from a fiber. It never stores more than the capacity of each sender.
RANK_TEST(values_of_each_sender_arrive_once_and_in_its_order) {
  for (const std::size_t capacity : {std::size_t{1}, std::size_t{3}, std::size_t{64}}) {
    const am::rank_t receiver = am::ranks() - 1;
    am::remote_channel<sample> c(receiver, capacity, all_ranks());
    am::fiber<void> sender = am::spawn([&] {
      for (int i = 0; i < 300; ++i) EXPECT(c.push({am::rank(), i}));
      c.close();
    });
    if (am::rank() == receiver) {
      std::vector<int> next(std::size_t(am::ranks()), 0);
      while (const std::optional<sample> s = c.pop()) {
        EXPECT_EQ(s->number, next[std::size_t(s->from)]++);
        EXPECT(c.size() <= capacity * std::size_t(am::ranks()));
      }
      EXPECT(next == std::vector<int>(std::size_t(am::ranks()), 300));
      EXPECT(c.over());
      EXPECT(!c.pop());
    }
    sender.join();
    am::fence();
  }
}

RANK_TEST(ranges_and_strings_arrive_in_their_order) {
  am::remote_channel<std::string> c(0, 5, all_ranks());
  am::fiber<void> sender = am::spawn([&] {
    std::vector<std::string> some;
    for (int i = 0; i < 50; ++i) some.push_back(std::to_string(am::rank()) + std::string(std::size_t(i), '.'));
    EXPECT_EQ(c.push_range(some), some.size());
    EXPECT(c.push("end"));
    c.close();
  });
  std::size_t characters = 0, values = 0, ends = 0;
  if (am::rank() == 0)
    for (std::vector<std::string> some = c.pop_some(7); !some.empty(); some = c.pop_some(7)) {
      EXPECT(some.size() <= 7);
      values += some.size();
      for (const std::string& s : some) s == "end" ? void(++ends) : void(characters += s.size() - 1);
    }
  sender.join();
  const std::size_t n = am::rank() == 0 ? std::size_t(am::ranks()) : 0;
  EXPECT_EQ(values, 51 * n);
  EXPECT_EQ(ends, n);
  EXPECT_EQ(characters, n * 49 * 50 / 2);
  am::fence();
}

RANK_TEST(a_range_that_throws_leaves_the_room_as_it_was) {
  auto c = from_last<int>(4);
  const std::vector<int> numbers(6);
  int left = 3;
  const auto some = numbers | std::views::transform([&](int i) { return left-- == 0 ? throw std::domain_error("no more") : i; });
  if (is_last()) {
    EXPECT_THROWS(std::domain_error, c.push_range(some));
    EXPECT_EQ(c.room(), 4U);
    c.close();
  }
  if (am::rank() == 0) EXPECT(!c.pop());
  am::fence();
}

RANK_TEST(a_push_into_a_full_channel_fails_waits_or_is_a_future) {
  am::remote_channel<int> c = from_last<int>(2);
  std::optional<am::future<bool>> third;
  if (is_last()) {
    EXPECT_EQ(c.room(), 2u);
    EXPECT(c.try_push(0));
    EXPECT(c.push_async(1).ready());
    EXPECT_EQ(c.room(), 0u);
    EXPECT(!c.try_push(2));
    third = c.push_async(2);
    EXPECT(!third->ready());
  }
  am::fence();  // does not wait for the third
  if (am::rank() == 0) EXPECT_EQ(c.size(), 2u);
  if (is_last()) EXPECT(!third->ready());
  am::barrier();
  am::fiber<void> fourth = am::spawn([&] {
    if (!is_last()) return;
    EXPECT(c.push(3));
    EXPECT(third->ready());  // it came before
    EXPECT(third->get());
    c.close();
  });
  if (am::rank() == 0)
    for (int i = 0; i < 4; ++i) EXPECT(c.pop() == i);
  fourth.join();
  if (am::rank() == 0) EXPECT(!c.pop());
  am::fence();
}

// Half of the capacity is not owed yet: the sender must ask, or it would wait for good.
RANK_TEST(a_sender_that_waits_gets_the_room_of_a_single_pop) {
  am::remote_channel<int> c = from_last<int>(16);
  am::fiber<void> sender = am::spawn([&] {
    if (is_last())
      for (int i = 0; i < 17; ++i) c.push(i);
  });
  if (am::rank() == 0) EXPECT(c.pop() == 0);
  sender.join();
  am::barrier();  // the receiver pops nothing more
  if (am::rank() == 0)
    for (int i = 1; i < 17; ++i) EXPECT(c.pop() == i);
  am::fence();
}

RANK_TEST(a_loop_of_try_push_that_polls_gets_room) {
  am::remote_channel<int> c = from_last<int>(3);
  am::fiber<void> sender = am::spawn([&] {
    if (!is_last()) return;
    for (int i = 0; i < 20; ++i)
      while (!c.try_push(i)) {
        am::poll();
        am::yield();
      }
    c.close();
  });
  int sum = 0;
  if (am::rank() == 0) {
    while (!c.over()) {
      if (const std::optional<int> i = c.try_pop()) sum += *i;
      am::poll();
      am::yield();
    }
    EXPECT_EQ(sum, 190);
  }
  sender.join();
  am::fence();
}

RANK_TEST(pops_that_wait_are_served_in_their_order) {
  am::remote_channel<int> c = from_last<int>(4);
  if (am::rank() == 0) {
    am::future<std::optional<int>> first = c.pop_async();
    { const am::future<std::optional<int>> dropped = c.pop_async(); }
    am::future<std::optional<int>> third = c.pop_async();
    EXPECT(!first.ready());
    am::barrier();
    if (is_last()) c.push(0), c.push(1);
    EXPECT(first.get() == 0);
    EXPECT(third.get() == 1);
    am::future<std::optional<int>> none = c.pop_async();
    am::barrier();
    if (is_last()) c.close();
    EXPECT(none.get() == std::nullopt);
  } else {
    am::barrier();
    if (is_last()) c.push(0), c.push(1);
    am::flush();
    am::barrier();
    if (is_last()) c.close();
  }
  am::fence();
}

RANK_TEST(called_functions_push_and_wait) {
  am::remote_channel<int> c(0, 1, all_ranks());
  using name = am::remote_channel<int>::handle_type;
  const auto body = [](name h) {
    for (int i = 0; i < 10; ++i) h->push(i);
    h->close();
  };
  am::async(am::rank(), body, c.handle());
  int sum = 0;
  if (am::rank() == 0) {
    while (const std::optional<int> i = c.pop()) sum += *i;
    EXPECT_EQ(sum, 45 * int(am::ranks()));
  }
  am::fence();
}

RANK_TEST(a_receiver_that_cancels_ends_pushes) {
  am::remote_channel<int> c(0, 2, all_ranks());
  am::fiber<void> sender = am::spawn([&] {
    int pushed = 0;
    while (c.push(pushed)) ++pushed;
    EXPECT(pushed >= 2);
    EXPECT(c.cancelled());
    EXPECT(!c.try_push(0));
    EXPECT(!c.push_async(0).get());
    EXPECT_EQ(c.push_range(std::vector<int>(3)), 0u);
    c.close();
  });
  if (am::rank() == 0) {
    EXPECT(c.pop().has_value());
    c.cancel();
    EXPECT(!c.pop());
    EXPECT(c.over());
  }
  sender.join();
  am::fence();
}

RANK_TEST(a_channel_of_a_team_names_its_members) {
  const am::team half = am::world().split(am::rank() % 2);
  am::remote_channel<long> c(half, half.size() - 1, 8, {0});
  EXPECT_EQ(c.receiver(), half.world_rank(half.size() - 1));
  EXPECT_EQ(c.capacity(), 8u);
  if (half.rank() == 0) {
    c.push(5);
    c.close();
  }
  if (am::rank() == c.receiver()) {
    EXPECT(c.pop() == 5);
    EXPECT(!c.pop());
  }
  half.fence();
  am::remote_channel<long> moved = std::move(c);
  EXPECT_EQ(moved.capacity(), 8u);
  EXPECT_THROWS(am::usage_error, c.capacity());
  if (am::rank() == moved.receiver()) EXPECT(moved.over());
}

RANK_TEST(what_waits_at_the_end_of_a_channel_fails) {
  std::optional<am::future<bool>> push;
  std::optional<am::future<std::optional<int>>> pop;
  {
    am::remote_channel<int> c = from_last<int>(1);
    am::remote_channel<int> empty = from_last<int>(1);
    if (is_last()) {
      c.push(1);
      push = c.push_async(2);
    }
    if (am::rank() == 0) pop = empty.pop_async();
    am::barrier();
  }
  if (push) EXPECT_THROWS_SAYING(am::usage_error, "destroyed while", push->get());
  if (pop) EXPECT_THROWS_SAYING(am::usage_error, "destroyed while", pop->get());
  am::fence();
}

RANK_TEST(mistakes_are_refused) {
  EXPECT_THROWS_SAYING(am::usage_error, "capacity of 0", am::remote_channel<int>(0, 0));
  EXPECT_THROWS_SAYING(am::usage_error, "capacity of 18446744073709551615", am::remote_channel<int>(0, std::size_t(-1)));
  EXPECT_THROWS_SAYING(am::usage_error, "is not a member", am::remote_channel<int>(am::ranks(), 1));
  EXPECT_THROWS_SAYING(am::usage_error, "the sender -1 is not a member", am::remote_channel<int>(0, 1, {-1}));
  EXPECT_THROWS_SAYING(am::usage_error, "named twice", am::remote_channel<int>(0, 1, {0, 0}));
  if (am::ranks() > 1) {
    const std::size_t mine = 1 + std::size_t(am::rank() != 0);
    EXPECT_THROWS_SAYING(am::usage_error, "the capacity is 1 on one member and 2 on another", am::remote_channel<int>(0, mine));
    EXPECT_THROWS_SAYING(am::usage_error, "the receiver is 0 on one", am::remote_channel<int>(am::rank() != 0, 1));
    EXPECT_THROWS_SAYING(am::usage_error, "different senders", am::remote_channel<int>(0, 1, {am::rank() != 0}));
  }
  am::remote_channel<int> c(0, 1);  // rank 0 is no sender
  if (am::rank() == 0) {
    EXPECT_THROWS_SAYING(am::usage_error, "it is the receiver", c.push(1));
    EXPECT_THROWS_SAYING(am::usage_error, "is not a sender", c.try_push(1));
    EXPECT_THROWS_SAYING(am::usage_error, "is not a sender", c.push_async(1));
    EXPECT_THROWS_SAYING(am::usage_error, "is not a sender", c.close());
  } else {
    EXPECT_THROWS_SAYING(am::usage_error, "is not the receiver", c.pop());
    EXPECT_THROWS_SAYING(am::usage_error, "is not the receiver", c.try_pop());
    EXPECT_THROWS_SAYING(am::usage_error, "is not the receiver", c.pop_async());
    EXPECT_THROWS_SAYING(am::usage_error, "is not the receiver", c.pop_some(1));
    EXPECT_THROWS_SAYING(am::usage_error, "is not the receiver", c.cancel());
    EXPECT_THROWS_SAYING(am::usage_error, "is not the receiver", c.over());
    c.close();
    c.close();
    EXPECT_THROWS_SAYING(am::usage_error, "has closed its end", c.push(1));
  }
  am::fence();
  if (am::rank() == 0) EXPECT(!c.pop());
}

// As a function that may not wait: the value is not pushed, and nothing is lost.
RANK_TEST(a_push_that_may_not_wait_is_an_error) {
  am::remote_channel<int> c(0, 1, all_ranks());
  using name = am::remote_channel<int>::handle_type;
  c.push(1);
  if (am::rank() == 0)
    EXPECT_THROWS_SAYING(am::remote_error, "wait", am::call(0, am::to_completion([](name h) { h->push(2); }), c.handle()).get());
  am::barrier();
  c.close();
  int sum = 0;
  if (am::rank() == 0) {
    while (const std::optional<int> i = c.pop()) sum += *i;
    EXPECT_EQ(sum, int(am::ranks()));
  }
  am::fence();
}
