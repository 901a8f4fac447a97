// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include <armilla/armilla.hpp>

#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

am::rank_t next() { return (am::rank() + 1) % am::ranks(); }

struct part {
  long n = 0;
  am::team meeting;

  long add(long k) { return n += k; }
  // What only a fiber may do.
  int meet() { return meeting.all_reduce(1, std::plus<>{}); }
  int wait_for_other() {
    return am::call(next(), [] { return 1; }).get();
  }
  std::string text(const std::string& s) const { return s + std::to_string(am::rank()); }
};

}  // namespace

RANK_TEST(a_method_may_be_a_fiber_from_its_beginning) {
  am::distributed<part> h;
  h->meeting = am::world().dup();
  am::barrier();
  if (am::ranks() > 1)
    EXPECT_THROWS_SAYING(am::remote_error, "a called function may not enter a collective",
                         am::call<&part::meet>(h.on(next())).get());
  am::barrier();
  EXPECT_EQ(am::call(h.on(next()), am::as_fiber<&part::meet>()).get(), am::ranks());
  am::fence();
}

RANK_TEST(a_method_to_completion_may_not_wait) {
  am::distributed<part> h;
  am::barrier();
  EXPECT_EQ(am::call(h.on(next()), am::to_completion<&part::add>(), 2L).get(), 2L);
  EXPECT_THROWS(am::remote_error, am::call(h.on(next()), am::to_completion<&part::wait_for_other>()).get());
  EXPECT_EQ(am::call(h.on(next()), am::as_fiber<&part::wait_for_other>()).get(), 1);
  am::fence();
}

// The reference goes before the fiber has begun: rank `next` finds the call and the release at one look.
RANK_TEST(an_object_stays_for_a_fiber_that_has_not_begun) {
  am::remote<part> object = am::create<part>(next()).get();
  am::async(next(), [] {
    const am::clock::time_point until = am::clock::now() + std::chrono::milliseconds(5);
    while (am::clock::now() < until) {}
  });
  am::future<std::string> f = am::call(object, am::as_fiber<&part::text>(), std::string("here "));
  object.reset();
  am::flush();
  EXPECT_EQ(f.get(), "here " + std::to_string(next()));
  am::fence();
}

RANK_TEST(data_members_and_long_arguments_take_hints_too) {
  am::distributed<part> h;
  am::barrier();
  am::async(h.on(next()), am::urgent<&part::n>(), 5L);
  EXPECT_EQ(am::call(h.on(next()), am::to_completion<&part::n>()).get(), 5L);
  const std::string text(3000, 't');
  EXPECT_EQ(am::call(h.on(next()), am::as_fiber<&part::text>(), text).get(), text + std::to_string(next()));
  am::fence();
}

RANK_TEST(hints_go_to_all_parts) {
  am::distributed<part> h;
  am::barrier();
  if (am::rank() == 0) am::async_all(h, am::urgent<&part::add>(), 3L);
  am::fence();
  EXPECT_EQ(h->n, 3L);
  am::barrier();
  if (am::rank() == 0)
    EXPECT(am::call_all(h, am::to_completion<&part::add>(), 1L).get() == std::vector<long>(std::size_t(am::ranks()), 4L));
  am::fence();
}

RANK_TEST(a_hinted_call_waits_for_a_part_that_is_not_there_yet) {
  // The name of the next object is known before all ranks have it.
  am::distributed<part> first;
  am::barrier();
  if (am::rank() == 0) {
    am::distributed<part> early;
    auto answer = am::call(early.on(am::ranks() - 1), am::as_fiber<&part::add>(), 7L);
    am::async(am::ranks() - 1, [] {});
    EXPECT_EQ(answer.get(), 7L);
    am::fence();
  } else {
    for (int i = 0; i < 100; ++i) am::poll();
    am::distributed<part> late;
    am::fence();
  }
}

RANK_TEST(methods_of_processor_objects_take_hints) {
  const am::remote<part> object = am::create<part>(next()).get();
  am::async(object, am::urgent<&part::add>(), 4L);
  EXPECT_EQ(am::call(object, am::as_fiber<&part::add>(), 1L).get(), 5L);
  EXPECT_EQ(am::call(object, am::to_completion<&part::n>()).get(), 5L);
  am::fence();
}

namespace {
am::per_rank<std::atomic<long>> counted;
void count(long n) { counted.local() += n; }
}  // namespace

RANK_TEST(a_function_that_is_named_may_be_safe) {
  counted.local() = 0;
  am::barrier();
  am::async(next(), am::safe<&count>(), 2L);
  am::call(next(), am::safe<&count>(), 3L).get();
  am::fence();
  EXPECT_EQ(counted.local().load(), 5L);
}
