// SPDX-License-Identifier: Apache-2.0
#include "armilla/barrier.hpp"

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/async.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/session/session_state.hpp"
#include "tests/compute_for.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

// A word of each rank's own, in memory that all map: in the area of collectives, behind everything else. Here all ranks are on
// one host, whatever carries their messages.
std::atomic<std::uint64_t>& word_of(am::rank_t r) {
  const am::detail::host_map& host = *am::detail::here("test").host;
  std::byte* const end = host.base + host.layout.collectives() + host.layout.collectives_bytes();
  return *reinterpret_cast<std::atomic<std::uint64_t>*>(end - std::size_t(r + 1) * am::detail::cache_line);
}

thread_local std::uint64_t ran = 0;

}  // namespace

RANK_TEST(nobody_leaves_before_all_have_come) {
  if (!am::detail::here("test").session->self.host_of.empty()) return;  // no memory that all map
  // With more ranks than cores each barrier may cost a turn of the scheduler.
  const std::uint64_t barriers = am::ranks() <= 2 ? 10'000 : 1'000;
  for (std::uint64_t i = 1; i <= barriers; ++i) {
    word_of(am::rank()).store(i, std::memory_order_relaxed);
    am::barrier();
    for (am::rank_t r = 0; r < am::ranks(); ++r)
      if (!EXPECT_GE(word_of(r).load(std::memory_order_relaxed), i)) return;
  }
  am::barrier();
  word_of(am::rank()).store(0);
}

// What they have entered is for mistakes: it goes to all hosts when a wait takes long, not whenever a rank sleeps.
// On a busy machine one wait or the other does take long.
RANK_TEST(a_barrier_with_a_short_wait_sends_its_own_messages_only) {
  using namespace std::chrono_literals;
  if (am::detail::checked) return;  // there each member shows what it enters
  const am::detail::context& self = am::detail::here("test");
  int short_ones = 0;
  for (int i = 0; i < 10; ++i) {
    am::barrier();
    const std::uint64_t before = self.count->control_sent;
    if (am::rank() == 0) compute_for(3ms);
    am::barrier();
    short_ones += self.count->control_sent - before < std::uint64_t(am::ranks());
  }
  EXPECT(short_ones > 0);
}

RANK_TEST(two_teams_do_not_disturb_each_other) {
  const am::team half = am::world().split(am::rank() % 2);
  for (int i = 0; i < 500; ++i) {
    for (int k = 0; k < 1 + am::rank() % 2 * 3; ++k) half.barrier();
    if (i % 10 == 0) am::barrier();
  }
}

RANK_TEST(a_waiting_rank_answers) {
  const am::rank_t last = am::ranks() - 1;
  ran = 0;
  am::barrier();
  if (am::rank() != last) {
    am::async(last, [] { ++ran; });
  } else {
    // Only what comes in can end this rank's delay, and it comes in while the others wait already.
    am::detail::here("test").messages->waits.wait_until([&] { return ran == std::uint64_t(last); }, "test");
  }
  am::barrier();
}

RANK_TEST(a_barrier_in_a_body_is_an_error) {
  static thread_local bool refused;
  refused = false;
  am::async(am::rank(), [] {
    refused = rank_test::expect_throws<am::usage_error>([] { am::barrier(); }, "a called function may not enter a collective",
                                                        "barrier()", __FILE__, __LINE__);
  });
  am::detail::here("test").messages->waits.wait_until([] { return refused; }, "test");
}

RANK_TEST(barriers_are_counted) {
  const am::detail::counters& count = *am::detail::head_here("test").count;
  const std::uint64_t before = count.barriers;
  am::barrier();
  am::barrier();
  EXPECT_EQ(count.barriers - before, 2u);
}

RANK_TEST(a_barrier_on_no_team_is_an_error) { EXPECT_THROWS_SAYING(am::usage_error, "team is empty", am::team().barrier()); }
