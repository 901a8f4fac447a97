// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <armilla/armilla.hpp>
#include <armilla/error.hpp>

#include "armilla/fabric/host_map.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

long sum_of_ranks() { return long(am::ranks()) * (am::ranks() - 1) / 2; }

/// Whether all ranks of the job can write each other's memory, so that no rank need take part.
bool all_mapped() {
  const auto& c = *am::detail::current;
  for (am::rank_t r = 0; r < c.places; ++r)
    if (c.host->far[std::size_t(r)]) return false;
  return true;
}

}  // namespace

RANK_TEST(what_is_started_can_be_asked_for_later) {
  am::future<void> met = am::barrier_async();
  am::future<long> sum = am::all_reduce_async(long(am::rank()), std::plus<>{});
  am::future<std::string> name = am::broadcast_async("from " + std::to_string(am::rank()), am::ranks() - 1);
  am::future<std::vector<int>> all = am::all_gather_async(int(am::rank()) * 2);
  auto parts = am::all_to_all_v_async(std::vector<std::vector<int>>(std::size_t(am::ranks()), {int(am::rank()), 7}));
  EXPECT_EQ(sum.get(), sum_of_ranks());
  met.get();
  EXPECT_EQ(name.get(), "from " + std::to_string(am::ranks() - 1));
  const std::vector<int> twice = all.get();
  const auto came = parts.get();
  for (am::rank_t r = 0; r < am::ranks(); ++r) {
    EXPECT_EQ(twice[std::size_t(r)], 2 * r);
    EXPECT_EQ(came[std::size_t(r)], (std::vector<int>{int(r), 7}));
  }
}

// One rank starts first and waits later than another: the two orders have nothing to do with each other.
RANK_TEST(they_do_not_mix_with_those_that_a_rank_waits_in) {
  for (int i = 0; i < 20; ++i) {
    am::future<long> later;
    const auto start = [&] { later = am::all_reduce_async(long(am::rank() + i), std::plus<>{}); };
    if (am::rank() % 2 == 0) start();
    EXPECT_EQ(am::all_reduce(1000L, std::plus<>{}), 1000L * am::ranks());
    am::fence();
    if (am::rank() % 2 != 0) start();
    EXPECT_EQ(later.get(), sum_of_ranks() + long(i) * am::ranks());
  }
}

// Rank 0 computes, without a call to the library, until the others have what they need of it. In a checked build all ranks first
// compare what they are about to do.
RANK_TEST(the_others_need_not_wait_for_a_rank_that_computes) {
  if (am::detail::checked || !all_mapped()) return;
  const auto flag = am::allocate<long>(1);
  *flag.local() = 0;
  const am::global_ptr<long> go_on = am::broadcast(am::global_ptr<long>(flag), 0);
  am::future<long> sum = am::all_reduce_async(long(am::rank()), std::plus<>{});
  const std::atomic_ref<long> told(*flag.local());
  if (am::rank() == 0)
    while (am::ranks() > 1 && told.load() != am::ranks() - 1) {}
  EXPECT_EQ(sum.get(), sum_of_ranks());
  if (am::rank() != 0) am::atomic_add(go_on, 1L);
  am::fence();
  am::deallocate(flag);
}

RANK_TEST(they_run_in_the_order_in_which_they_were_started) {
  std::string order;
  std::vector<am::future<void>> all;
  for (int i = 0; i < 30; ++i)
    all.push_back(am::all_reduce_async(long(i), std::plus<>{}).then([&order, i](long sum) {
      EXPECT_EQ(sum, long(i) * am::ranks());
      order += char('A' + i);
    }));
  am::when_all(std::move(all)).get();
  for (int i = 0; i < 30; ++i) EXPECT_EQ(order[std::size_t(i)], char('A' + i));
}

RANK_TEST(teams_have_their_own) {
  const am::team half = am::world().split(am::rank() % 2), me = am::world().split(am::rank());
  std::vector<am::future<long>> sums;
  for (int i = 0; i < 10; ++i) {
    if (am::rank() % 3 == 0) sums.push_back(me.all_reduce_async(1L, std::plus<>{}));
    sums.push_back(half.all_reduce_async(1L, std::plus<>{}));
    sums.push_back(am::all_reduce_async(1L, std::plus<>{}));
    if (am::rank() % 3 != 0) sums.push_back(me.all_reduce_async(1L, std::plus<>{}));
  }
  long all = 0;
  for (auto& s : sums) all += s.get();
  EXPECT_EQ(all, 10L * (1 + half.size() + am::ranks()));
}

RANK_TEST(a_function_may_use_several) {
  am::future<std::vector<long>> f = am::collective_async([](const am::team& t) {
    const long before = t.exclusive_scan(1L, 0L, std::plus<>{});
    t.barrier();
    return t.all_gather(std::vector<long>(5000, before))[std::size_t(t.size() - 1)];
  });
  EXPECT_EQ(f.get(), std::vector<long>(5000, am::ranks() - 1));
}

RANK_TEST(errors_come_with_the_answer) {
  am::future<int> f = am::all_reduce_async(1, [](int a, int b) {
    if (am::ranks() > 1) throw std::runtime_error("cannot add");
    return a + b;
  });
  if (am::ranks() > 1)
    EXPECT_THROWS_SAYING(std::runtime_error, "cannot add", f.get());
  else
    EXPECT_EQ(f.get(), 1);
  EXPECT_THROWS_SAYING(am::usage_error, "team is empty", am::team().barrier_async());
  EXPECT_EQ(am::all_reduce_async(1, std::plus<>{}).get(), am::ranks());
}

namespace {

am::future<void> that_fails() {
  return am::collective_async([](const am::team& t) {
    t.barrier();
    throw std::runtime_error("nothing reads this");
  });
}

}  // namespace

RANK_TEST(a_fence_tells_the_error_of_an_answer_that_was_dropped_before_it_came) {
  { const auto dropped = that_fails(); }
  am::barrier_async().get();  // behind it
  EXPECT_THROWS_SAYING(am::remote_error, "nothing reads this", am::fence());
}

RANK_TEST(a_fence_tells_the_error_of_an_answer_that_was_not_asked_for) {
  {
    const auto unread = that_fails();
    unread.wait();
  }
  EXPECT_THROWS_SAYING(am::remote_error, "nothing reads this", am::fence());
}

RANK_TEST(an_error_that_was_read_is_not_told_again) {
  EXPECT_THROWS_SAYING(std::runtime_error, "nothing reads this", that_fails().get());
  am::fence();
}

namespace {

[[noreturn]] void fall() { throw std::runtime_error("nothing reads this"); }
int fall_with_value() { fall(); }
am::rank_t next_rank() { return (am::rank() + 1) % am::ranks(); }

// Each leaves an error in a future that is destroyed: before it has come, and after.
template <class F>
void expect_told(const char* what, const F& make) {
  for (const bool awaited : {false, true}) {
    if (am::rank() == 0) {
      auto f = make();
      if (awaited) f.wait();
    }
    bool told = false;
    try {
      am::fence();
    } catch (const am::remote_error& why) { told = std::string(why.what()).find("nothing reads this") != std::string::npos; }
    if (!told) rank_test::fail(__FILE__, __LINE__, std::string(what) + (awaited ? ", awaited" : ""));
    am::fence();  // throws it once
  }
}

}  // namespace

RANK_TEST(a_fence_throws_the_error_of_every_kind_of_future_that_is_destroyed) {
  expect_told("call", [] { return am::call(next_rank(), fall_with_value); });
  expect_told("call without a value", [] { return am::call(next_rank(), [] { fall(); }); });
  expect_told("call as a fiber", [] { return am::call(next_rank(), am::as_fiber([] { fall(); })); });
  expect_told("call of itself", [] { return am::call(am::rank(), fall_with_value); });
  expect_told("then", [] { return am::call(next_rank(), [] { return 3; }).then([](int) { fall(); }); });
  expect_told("then of an error", [] { return am::call(next_rank(), fall_with_value).then([](int n) { return n; }); });
  expect_told("then of what is ready", [] { return am::make_future(3).then([](int) { fall(); }); });
  expect_told("then that gives a future", [] {
    return am::call(next_rank(), [] { return 3; }).then([](int) { return am::call(next_rank(), fall_with_value); });
  });
  expect_told("when_all", [] { return am::when_all(am::call(next_rank(), fall_with_value), am::make_future(3)); });
  expect_told("when_all without values", [] {
    std::vector<am::future<void>> all;
    all.push_back(am::call(next_rank(), [] { fall(); }));
    return am::when_all(std::move(all));
  });
}

// when_any gives the first; the others are not chosen, and so are their errors.
RANK_TEST(what_when_any_did_not_choose_is_discarded) {
  std::vector<am::future<int>> all;
  all.push_back(am::make_future(3));
  all.push_back(am::call(next_rank(), fall_with_value));
  EXPECT_EQ(am::when_any(std::move(all)).get().second, 3);
  am::fence();
}

RANK_TEST(a_dropped_answer_leaves_the_others_theirs) {
  for (int i = 0; i < 10; ++i) {
    am::future<long> f = am::all_reduce_async(1L, std::plus<>{});
    if (am::rank() % 2 == i % 2) f = {};
    if (f.valid()) EXPECT_EQ(f.get(), long(am::ranks()));
  }
}

RANK_TEST(a_team_may_be_let_go_before_the_answer) {
  std::vector<am::future<long>> all;
  for (int i = 0; i < 10; ++i) all.push_back(am::world().dup().all_reduce_async(long(i), std::plus<>{}));
  for (int i = 0; i < 10; ++i) EXPECT_EQ(all[std::size_t(i)].get(), long(i) * am::ranks());
}

RANK_TEST(a_fence_waits_for_those_that_bodies_start) {
  thread_local static long sum;
  sum = 0;
  am::barrier();
  const auto body = [] { am::all_reduce_async(long(am::rank()), std::plus<>{}).then([](long all) { sum += all + 1; }); };
  if (am::rank() == 0) am::async_all(body);
  am::fence();
  EXPECT_EQ(sum, sum_of_ranks() + 1);
}

RANK_TEST(coroutines_await_them) {
  const auto twice = []() -> am::task<long> {
    const long once = co_await am::all_reduce_async(1L, std::plus<>{});
    co_return once + co_await am::all_reduce_async(1L, std::plus<>{});
  };
  EXPECT_EQ(twice().get(), 2L * am::ranks());
}

// No result is asked for: the end of the program waits for them.
RANK_TEST(the_last_are_left_to_the_end) {
  for (int i = 0; i < 5; ++i) (void)am::barrier_async();
}

RANK_TEST(every_collective_has_a_form_that_is_asked_for_later) {
  const am::team t = am::world();
  const auto n = std::size_t(t.size()), me = std::size_t(t.rank());
  std::vector<long> row(n);
  for (std::size_t i = 0; i < n; ++i) row[i] = long(10 * me + i);
  auto reduced = t.reduce_async(1L, std::plus<>{}, t.size() - 1);
  auto scattered = t.scatter_async(row, 0);
  auto gathered = t.gather_async(long(me), 0);
  auto until = t.inclusive_scan_async(1L, std::plus<>{});
  auto before = t.exclusive_scan_async(1L, 5L, std::plus<>{});
  auto summed = am::reduce_scatter_async(row, std::plus<>{});
  auto turned = am::all_to_all_async(row);
  auto behind = am::all_gather_v_async(std::vector<int>(me, 1));
  EXPECT_EQ(reduced.get(), me + 1 == n ? std::optional<long>(long(n)) : std::nullopt);
  EXPECT_EQ(scattered.get(), long(me));
  EXPECT_EQ(gathered.get().size(), me == 0 ? n : 0);
  EXPECT_EQ(until.get(), long(me) + 1);
  EXPECT_EQ(before.get(), long(me) + 5);
  EXPECT_EQ(summed.get(), long(n * me + 5 * n * (n - 1)));
  EXPECT_EQ(turned.get().back(), long(10 * (n - 1) + me));
  EXPECT_EQ(behind.get().size(), n * (n - 1) / 2);
}

RANK_TEST(collectives_of_spans_can_be_asked_for_later) {
  const am::team t = am::world();
  const auto n = std::size_t(t.size()), me = std::size_t(t.rank());
  std::vector<long> mine(3, long(me)), all(3 * n), turned(3 * n), part(3), of_root(3, long(me)), sum(3, 1), folded(3), scan(3, 1),
      before(3, 1);
  std::vector<std::size_t> counts(n);
  std::vector<am::future<void>> begun;
  begun.push_back(am::all_gather_async(mine, std::span(all)));
  begun.push_back(am::broadcast_async(std::span(of_root), t.size() - 1));
  begun.push_back(am::all_reduce_async(std::span(sum), std::plus<>{}));
  begun.push_back(t.inclusive_scan_async(std::span(scan), std::plus<>{}));
  begun.push_back(t.exclusive_scan_async(std::span(before), 5L, std::plus<>{}));
  auto any = am::all_gather_v_async(std::span<const long>(mine).first(me % 3), std::span(counts));
  am::when_all(std::move(begun)).get();
  (void)any.get();
  am::all_to_all_async(all, std::span(turned)).get();
  t.scatter_async(all, std::span(part), 0).get();
  am::reduce_scatter_async(all, std::span(folded), std::plus<>{}).get();
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_EQ(all[3 * i + 2], long(i));
    EXPECT_EQ(turned[3 * i + 2], long(me));
    EXPECT_EQ(counts[i], i % 3);
  }
  EXPECT_EQ(part[0], long(me));
  EXPECT_EQ(folded[1], long(n * me));
  EXPECT_EQ(of_root[2], long(n) - 1);
  EXPECT_EQ(sum[0], long(n));
  EXPECT_EQ(scan[0], long(me) + 1);
  EXPECT_EQ(before[0], long(me) + 5);
}
