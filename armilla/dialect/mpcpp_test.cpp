// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <armilla/armilla.hpp>
#include <armilla/dialect/mpcpp.hpp>
#include <armilla/error.hpp>

#include "tests/rank_test.hpp"

namespace am = armilla;
using namespace armilla::mpcpp;

namespace {

int add(int a, int b) { return a + b; }
std::size_t letters(const std::string& text) { return text.size(); }
void refuse() { throw std::invalid_argument("refused"); }
int refuse_to_count() { throw std::invalid_argument("not counted"); }
void set(GlobalPtr<int> there, int value) { *there = value; }
// Waits for the same function on the next rank, and so on.
int around(int left) {
  int rest = 0;
  if (left > 0) invoke(rest, (am::rank() + 1) % am::ranks(), around, left - 1);
  return rest + 1;
}
struct counter {
  int total = 0;
  int add(int n) { return total += n; }
};
am::rank_t next() { return (am::rank() + 1) % am::ranks(); }

}  // namespace

RANK_TEST(invoke_waits_for_the_end_and_brings_the_result) {
  int sum = 0;
  invoke(sum, next(), add, 3, 4);
  EXPECT_EQ(sum, 7);
  EXPECT_EQ(invoke(next(), letters, "four"), 4u);  // converted to the parameter before it travels
  EXPECT_EQ(invoke(next(), [](int x) { return 2 * x; }, 4), 8);
  EXPECT_THROWS_SAYING(am::remote_error, "refused", invoke(next(), refuse));
  am::fence();
}

RANK_TEST(a_function_may_invoke_further_ones) {
  EXPECT_EQ(invoke(next(), around, 3 * am::ranks()), 3 * am::ranks() + 1);
  am::fence();
}

RANK_TEST(ainvoke_goes_on_at_once) {
  int here = 0;
  ainvoke(next(), set, am::to_global(&here), 5);
  am::fence();
  EXPECT_EQ(here, 5);
  Sync<int> first, second;
  ainvoke(first, next(), add, 1, 2);
  ainvoke(second, next(), around, 5);
  EXPECT_EQ(second.read(), 6);
  EXPECT_EQ(first.read(), 3);
  Sync<int> none;
  ainvoke(none, next(), refuse_to_count);
  EXPECT_THROWS_SAYING(am::remote_error, "not counted", none.read());
  am::fence();
}

RANK_TEST(lambdas_are_invoked_with_the_result_in_front) {
  long sum = 0;
  invoke(sum, next(), [](int a, long b) { return a + b; }, 3, 4L);
  EXPECT_EQ(sum, 7L);
  const int three = next() + 3;
  Sync<long> later;
  ainvoke(later, next(), [three](int b) { return three * b; }, 5);  // an int, read as a long
  EXPECT_EQ(later.read(), 5L * three);
  ainvoke(later, next(), [](int b) -> long { throw std::invalid_argument("refused " + std::to_string(b)); }, 8);
  EXPECT_THROWS_SAYING(am::remote_error, "refused 8", later.read());
  Sync<std::string> text;
  ainvoke(text, next(), am::as_fiber([](const std::string& s) { return s + "!"; }), std::string("there"));
  EXPECT_EQ(text.read(), "there!");
  am::fence();
}

RANK_TEST(instances_reduce_and_meet) {
  thread_local static std::vector<am::team> own;
  thread_local static int ended;
  ended = 0;
  own = {am::world().dup(), am::world().dup()};
  am::barrier();
  const auto slave = [](int which) {
    const am::team& t = own[std::size_t(which)];
    for (int i = 0; i < 10; ++i) {
      EXPECT_EQ(t.all_reduce(1 + which, std::plus<>{}), am::ranks() * (1 + which));
      EXPECT_EQ(t.broadcast(std::vector<int>(3000, which + i * t.rank()), i % t.size())[2999], which + i * (i % t.size()));
      t.barrier();
    }
    ++ended;
  };
  // Two at each rank, from both ends of the team in opposite orders.
  if (am::rank() == 0)
    for (am::rank_t pe = 0; pe < am::ranks(); ++pe) ainvoke(pe, slave, 0);
  if (am::rank() == am::ranks() - 1)
    for (am::rank_t pe = am::ranks(); pe-- > 0;) ainvoke(pe, slave, 1);
  am::fence();
  EXPECT_EQ(ended, 2);
  own.clear();
}

RANK_TEST(an_instance_that_is_waited_for_may_meet_others) {
  thread_local static std::vector<am::team> own;
  own = {am::world().dup()};
  am::barrier();
  const auto slave = [](int n) { return own[0].all_reduce(n, std::plus<>{}); };
  int sum = 0;
  if (am::rank() == 0) {
    const std::size_t all = std::size_t(am::ranks());
    std::vector<Sync<int>> others(all);
    for (am::rank_t pe = 1; pe < am::ranks(); ++pe) ainvoke(others[std::size_t(pe)], pe, slave, 2);
    invoke(sum, 0, slave, 1);
    EXPECT_EQ(sum, 2 * am::ranks() - 1);
    for (am::rank_t pe = 1; pe < am::ranks(); ++pe) EXPECT_EQ(others[std::size_t(pe)].read(), sum);
  }
  am::fence();
  own.clear();
}

RANK_TEST(an_instance_calls_no_fence_and_no_split) {
  const auto part = "is a part of it";
  EXPECT_THROWS_SAYING(am::remote_error, part, invoke(next(), [] { am::fence(); }));
  EXPECT_THROWS_SAYING(am::remote_error, part, invoke(next(), [] { am::all_store_sync(); }));
  EXPECT_THROWS_SAYING(am::remote_error, part, invoke(next(), [] { (void)am::world().split(0); }));
  am::fence();
}

RANK_TEST(members_are_invoked_through_global_pointers) {
  counter mine;
  const std::vector<GlobalPtr<counter>> all = am::all_gather(GlobalPtr<counter>(am::to_global(&mine)));
  const GlobalPtr<counter> theirs = all[std::size_t(next())];
  EXPECT_EQ(invoke<&counter::add>(theirs, 2), 2);
  int total = 0;
  invoke<&counter::add>(total, theirs, 3);
  EXPECT_EQ(total, 5);
  ainvoke<&counter::add>(theirs, 4);
  Sync<int> later;
  ainvoke<&counter::add>(later, theirs, 1);
  EXPECT_EQ(later.read(), 10);
  EXPECT_THROWS(am::usage_error, invoke<&counter::add>(GlobalPtr<counter>(), 1));
  am::fence();
  EXPECT_EQ(mine.total, 10);
}

RANK_TEST(pointers_to_pointers_are_followed) {
  struct pair {
    int first, second;
  };
  int row[3] = {1, 2, 10 + am::rank()};
  pair both{3, 20 + am::rank()};
  GlobalPtr<int> to_row = am::to_global(row);
  GlobalPtr<pair> to_both = am::to_global(&both);
  const auto gg = am::all_gather(GlobalPtr<GlobalPtr<int>>(am::to_global(&to_row)))[std::size_t(next())];
  const auto gp = am::all_gather(GlobalPtr<GlobalPtr<pair>>(am::to_global(&to_both)))[std::size_t(next())];
  EXPECT_EQ((**gg).get(), 1);
  EXPECT_EQ(gg[0][2].get(), 10 + next());
  EXPECT_EQ(((*gp)->*&pair::second).get(), 20 + next());
  am::barrier();
  **gg = 5;
  invoke(next(), [](GlobalPtr<GlobalPtr<pair>> p) { (*p)->*& pair::first = 6; }, gp);
  am::barrier();
  EXPECT_EQ(row[0] + both.first, 11);
}

RANK_TEST(sync_structures_are_queues) {
  Sync<int> queue;
  std::vector<int> seen;
  auto reader = am::spawn([&] {
    for (int i = 0; i < 3; ++i) seen.push_back(queue.read());
  });
  auto watcher = am::spawn([&] { return queue.peek(); });
  yield();  // both wait
  queue.write(1), queue.write(2), queue.write(3), queue.write(4);
  reader.join();
  EXPECT_EQ(seen, (std::vector{1, 2, 3}));
  EXPECT_GE(watcher.join(), 1);
  EXPECT_EQ(queue.length(), 1u);
  EXPECT_EQ(queue.peek(), 4);
  EXPECT_EQ(queue.read(), 4);
  EXPECT_EQ(queue.length(), 0u);
}

RANK_TEST(sync_structures_are_reached_from_other_ranks) {
  Sync<int> mine;
  const auto all = am::all_gather(GlobalPtr<Sync<int>>(am::to_global(&mine)));
  const auto theirs = all[std::size_t(next())];
  Sync<int> result;
  ainvoke<&Sync<int>::read>(result, theirs);  // waits there
  ainvoke<&Sync<int>::write>(theirs, 10 + am::rank());
  EXPECT_EQ(result.read(), 10 + am::rank());
  am::fence();
}

RANK_TEST(threads_of_all_ranks_meet) {
  static constexpr int rounds = 5;
  using sum = Reduction<int, std::plus<>>;
  struct place {
    Barrier barrier{std::uint64_t(am::ranks())};
    sum reduction{std::uint64_t(am::ranks())};
    int arrived = 0;
    int come() { return ++arrived; }
  };
  place here;
  const GlobalPtr<place> at = am::broadcast(GlobalPtr<place>(am::to_global(&here)), 0);
  const auto barrier = am::broadcast(GlobalPtr<Barrier>(am::to_global(&here.barrier)), 0);
  const auto reduction = am::broadcast(GlobalPtr<sum>(am::to_global(&here.reduction)), 0);
  for (int i = 1; i <= rounds; ++i) {
    invoke<&place::come>(at);
    invoke<&Barrier::arrive>(barrier);
    EXPECT_GE(invoke<&place::come>(at), (2 * i - 1) * am::ranks() + 1);
    EXPECT_EQ(invoke<&sum::arrive>(reduction, i * am::rank()), i * am::ranks() * (am::ranks() - 1) / 2);
  }
  am::fence();
}

RANK_TEST(a_fence_tells_an_error_that_nothing_has_read) {
  {
    Sync<int> unread, read, peeked;
    const auto fail = [](int) -> int { throw std::runtime_error("of a thread"); };
    for (Sync<int>* s : {&unread, &read, &peeked}) ainvoke(*s, next(), fail, 1);
    EXPECT_THROWS_SAYING(am::remote_error, "of a thread", read.read());
    EXPECT_THROWS_SAYING(am::remote_error, "of a thread", peeked.peek());
    while (unread.length() == 0) am::yield();
  }
  EXPECT_THROWS_SAYING(am::remote_error, "of a thread", am::fence());
  {
    Sync<int> peeked;
    peeked.fail(std::make_exception_ptr(std::runtime_error("peeked at")));
    EXPECT_THROWS_SAYING(std::runtime_error, "peeked at", peeked.peek());
  }
  am::fence();
}
