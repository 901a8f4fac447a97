// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <armilla/armilla.hpp>

#include "armilla/am/endpoint/endpoint.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

struct histogram {
  explicit histogram(int size = 8) : bins(std::size_t(size)) {}
  void add(int b) { ++bins[std::size_t(b)]; }
  long total() const {
    long sum = 0;
    for (long b : bins) sum += b;
    return sum;
  }
  std::vector<long> copy(std::string) const { return bins; }
  std::vector<long> bins;
  int label = 3;
};

const auto plus = [](long a, long b) { return a + b; };

am::per_rank<bool> has_come;

struct ledger {
  void book(int n) { sum += n; }
  long sum = 0;
};

/// Made in one order on rank 0 and in the other everywhere else.
struct out_of_order {
  std::optional<am::distributed<histogram>> h;
  std::optional<am::distributed<ledger>> l;

  void make() {
    if (am::rank() == 0) h.emplace();
    l.emplace();
    if (am::rank() != 0) h.emplace();
  }
};

void expect_both_classes(am::future<long> answer) {
  try {
    (void)answer.get();
    EXPECT(false);
  } catch (const am::remote_error& e) {
    const std::string text = e.what();
    const auto says = [&](const std::string& part) { return text.find(part) != std::string::npos; };
    EXPECT(says("the caller means a (anonymous namespace)::histogram"));
    EXPECT(says(" is a (anonymous namespace)::ledger on rank " + std::to_string(am::ranks() - 1)));
    EXPECT(says("must make its distributed objects in the same order"));
  }
}

}  // namespace

RANK_TEST(methods_of_other_parts_can_be_called) {
  am::distributed<histogram> h(16);
  for (int i = 0; i < 1600; ++i) am::async<&histogram::add>(h.on(i % am::ranks()), i % 16);
  am::fence();
  EXPECT_EQ(am::all_reduce(h->total(), plus), 1600L * am::ranks());
  EXPECT_EQ(am::call<&histogram::copy>(h.on(0), std::string("x")).get().size(), 16u);
  if (am::rank() == 0) {
    const std::vector<long> totals = am::call_all<&histogram::total>(h).get();
    EXPECT_EQ(std::accumulate(totals.begin(), totals.end(), 0L), 1600L * am::ranks());
  }
  am::fence();
}

RANK_TEST(data_members_can_be_read_and_set) {
  am::distributed<histogram> h;
  EXPECT_EQ(am::call<&histogram::label>(h.on(am::ranks() - 1)).get(), 3);
  am::fence();
  if (am::rank() == 0) am::async<&histogram::label>(h.on(am::ranks() - 1), 9);
  am::fence();
  EXPECT_EQ(am::call<&histogram::label>(h.on(am::ranks() - 1)).get(), 9);
  am::fence();
}

// Rank 0 makes its part late; calls to it wait there, in their order, and the fence waits for them.
RANK_TEST(a_call_waits_for_its_object) {
  std::optional<am::distributed<histogram>> h;
  if (am::rank() != 0) {
    h.emplace();
    for (int i = 0; i < 100; ++i) am::async<&histogram::add>(h->on(0), 1);
    EXPECT(am::call<&histogram::total>(h->on(0)).get() >= 100);
  } else {
    for (int i = 0; i < 10000; ++i) am::poll();
    h.emplace();
  }
  am::fence();
  if (am::rank() == 0) EXPECT_EQ((*h)->total(), 100L * (am::ranks() - 1));
  am::fence();
}

// The thread sanitizer and the address sanitizer need memory themselves.
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
RANK_TEST(calls_that_were_put_off_run_also_without_a_stack_for_them) {
  if (am::ranks() == 1) return;
  std::optional<am::distributed<histogram>> h;
  am::barrier();
  if (am::rank() != 0) {
    h.emplace();
    for (int i = 0; i < 10; ++i) am::async<&histogram::add>(h->on(0), 1);
    EXPECT(am::call<&histogram::total>(h->on(0)).get() >= 10);
  } else {
    while (am::detail::here("test").messages->sums.deferred() != 11u * unsigned(am::ranks() - 1)) am::poll();
    rlimit before{};
    getrlimit(RLIMIT_AS, &before);
    std::vector<am::fiber<void>> all_stacks;
    all_stacks.reserve(100'000);
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlimit now{pages * std::size_t(sysconf(_SC_PAGESIZE)), before.rlim_max};
    setrlimit(RLIMIT_AS, &now);
    bool none_left = false;
    while (!none_left) try {
        all_stacks.push_back(am::spawn([] {}));
      } catch (const am::limit_error&) { none_left = true; }
    h.emplace();
    setrlimit(RLIMIT_AS, &before);
    for (auto& f : all_stacks) f.join();
  }
  am::fence();
  if (am::rank() == 0) EXPECT_EQ((*h)->total(), 10L * (am::ranks() - 1));
  am::fence();
}
#endif

// Notes the numbers of its calls in the order in which they begin.
struct witness {
  std::vector<int> begun;
  void hit(int i) { begun.push_back(i); }
  void hit_and_wait(int i) {
    begun.push_back(i);
    am::yield();
  }
  bool in_order() const { return std::is_sorted(begun.begin(), begun.end()); }
};

// Rank 1 has so many fibers that its loop has its turn while calls that were put off are still to begin, and then finds later
// ones; where it sees the memory of rank 0 it waits for them without taking them in.
template <auto Hit>
void later_calls_stand_behind() {
  constexpr int early = 100, all = 200;
  if (am::ranks() == 1) return;
  static thread_local bool have_come;
  have_come = false;
  const auto sent = am::world().broadcast(am::rank() == 0 ? am::create_global<int>() : am::global_ptr<int>(), 0);
  std::optional<am::distributed<witness>> w;
  am::barrier();
  if (am::rank() != 1) w.emplace();
  if (am::rank() == 0) {
    for (int i = 0; i < early; ++i) am::async<Hit>(w->on(1), i);
    am::call(1, [] { have_come = true; }).get();
    for (int i = early; i < all; ++i) am::async<Hit>(w->on(1), i);
    am::flush();
    std::atomic_ref(*sent.local()).store(1);
  } else if (am::rank() == 1) {
    while (!have_come) am::poll();
    while (sent.is_mapped() && std::atomic_ref(*sent.local()).load() == 0) {}
    bool over = false;
    std::vector<am::fiber<void>> others;
    for (int i = 0; i < 300; ++i)
      others.push_back(am::spawn([&] {
        while (!over) am::yield();
      }));
    w.emplace();
    while ((*w)->begun.size() != all) am::yield();
    over = true;
    for (auto& f : others) f.join();
    EXPECT((*w)->in_order());
  }
  am::fence();
  if (am::rank() == 0) am::destroy_global(sent);
}

RANK_TEST(later_calls_stand_behind_those_that_were_put_off) { later_calls_stand_behind<&witness::hit>(); }
RANK_TEST(later_calls_stand_behind_those_that_were_put_off_and_wait) { later_calls_stand_behind<&witness::hit_and_wait>(); }

RANK_TEST(a_name_gives_the_same_object_on_another_rank) {
  am::distributed<histogram> h(10);
  const am::object_ref<histogram> mine = h.on(am::rank());
  for (am::rank_t r = 0; r < am::ranks(); ++r) {
    EXPECT_EQ(mine.on(r).rank(), r);
    EXPECT_EQ(mine.on(r), h.on(r));
  }
  am::async<&histogram::add>(mine.on((am::rank() + 1) % am::ranks()), 7);
  am::fence();
  EXPECT_EQ(h->total(), 1);
}

RANK_TEST(a_call_to_a_destroyed_part_is_an_error) {
  am::object_ref<histogram> gone;
  {
    am::distributed<histogram> h;
    gone = h.on((am::rank() + 1) % am::ranks());
    am::fence();
  }
  am::barrier();
  EXPECT_THROWS(am::remote_error, (void)am::call<&histogram::total>(gone).get());
  am::barrier();
  for (int i = 0; i < 3; ++i) am::async<&histogram::add>(gone, 1);
  EXPECT_THROWS(am::remote_error, am::fence());
  am::barrier();
}

RANK_TEST(a_call_to_an_object_of_another_class_names_both) {
  out_of_order both;
  both.make();
  am::barrier();
  if (am::rank() == 0 && am::ranks() > 1) { expect_both_classes(am::call<&histogram::total>(both.h->on(am::ranks() - 1))); }
  am::barrier();
  if (am::rank() == 0 && am::ranks() > 1) {
    am::async(both.h->on(am::ranks() - 1), &histogram::add, 1);
    EXPECT_THROWS(am::error, am::fence());
  } else if (am::ranks() > 1) {
    EXPECT_THROWS(am::error, am::fence());
  }
  am::fence();
}

RANK_TEST(a_call_that_waited_for_an_object_of_another_class_is_told_too) {
  *has_come = false;
  out_of_order both;
  const am::rank_t last = am::ranks() - 1;
  am::barrier();
  if (am::rank() == last && last != 0) {
    while (!*has_come) am::poll();
    both.make();
  } else {
    both.make();
  }
  if (am::rank() == 0 && last != 0) {
    auto total = am::call<&histogram::total>(both.h->on(last));
    am::call(last, [] { *has_come = true; }).get();
    expect_both_classes(std::move(total));
  }
  am::fence();
}

RANK_TEST(objects_of_teams_know_their_class) {
  const am::team pair = am::world().split(0);
  std::optional<am::distributed<histogram>> h;
  if (am::rank() == 0) h.emplace(pair);
  am::distributed<ledger> l(pair);
  if (am::rank() != 0) h.emplace(pair);
  am::barrier();
  if (am::rank() == 0 && am::ranks() > 1) EXPECT_THROWS(am::remote_error, (void)am::call<&histogram::total>(h->on(1)).get());
  am::fence();
}

RANK_TEST(teams_have_objects_of_their_own) {
  am::team half = am::world().split(am::rank() % 2);
  {
    am::distributed<histogram> h(half, 4);
    am::async<&histogram::add>(h.on(half.world_rank(0)), 1);
    am::fence();
    if (half.rank() == 0) EXPECT_EQ(h->total(), long(half.size()));
    am::fence();
  }
}

RANK_TEST(references_can_be_sent) {
  am::distributed<histogram> h;
  am::fence();
  const auto first = h.on(0);
  am::call((am::rank() + 1) % am::ranks(), [](am::object_ref<histogram> r) { am::async<&histogram::add>(r, 2); }, first).get();
  am::fence();
  if (am::rank() == 0) EXPECT_EQ(h->total(), long(am::ranks()));
  am::fence();
}
