// SPDX-License-Identifier: Apache-2.0
#include "armilla/fence.hpp"

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/async.hpp"
#include "armilla/call.hpp"
#include "armilla/collectives.hpp"
#include "armilla/spawn.hpp"
#include "armilla/team/core/fence_participant.hpp"
#include "armilla/team/core/team_state.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

thread_local std::uint64_t ran = 0;

// With more ranks than cores a meeting may cost a turn of the scheduler: fewer of them.
int rounds(int n) { return am::ranks() <= 2 ? n : n / 8; }

// A one-way call that sends one-way calls that send one-way calls: all ranks can compute how many there are.
std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 31, x *= 0x7fb5d329728ea185, x ^= x >> 27, x *= 0x81dadef4bc2dd44d, x ^= x >> 33;
  return x;
}
unsigned children(std::uint64_t node, unsigned depth) { return depth == 0 ? 0 : unsigned(mix(node) % 4); }
std::uint64_t child(std::uint64_t node, unsigned i) { return mix(node * 7 + i + 1); }

std::uint64_t count_tree(std::uint64_t node, unsigned depth) {
  std::uint64_t n = 1;
  for (unsigned i = 0; i < children(node, depth); ++i) n += count_tree(child(node, i), depth - 1);
  return n;
}

void grow(std::uint64_t node, unsigned depth) {
  ++ran;
  for (unsigned i = 0; i < children(node, depth); ++i) {
    const std::uint64_t next = child(node, i);
    am::async(am::rank_t(next % std::uint64_t(am::ranks())), [](std::uint64_t n, unsigned d) { grow(n, d); }, next, depth - 1);
  }
}

// A neighbour that left the fence earlier may have sent the next one already.
void expect_ran(std::uint64_t i) { EXPECT(ran == i || ran == i + 1); }

}  // namespace

RANK_TEST(a_one_way_call_has_run_after_the_fence) {
  ran = 0;
  am::fence();
  for (std::uint64_t i = 1; i <= std::uint64_t(rounds(2000)); ++i) {
    am::async((am::rank() + 1) % am::ranks(), [] { ++ran; });
    am::fence();
    expect_ran(i);
  }
}

RANK_TEST(random_trees_of_one_way_calls_are_complete) {
  for (std::uint64_t round = 0; round < 24; ++round) {
    const unsigned depth = unsigned(round % 12);
    ran = 0;
    am::fence();
    std::uint64_t expected = 0;
    for (am::rank_t r = 0; r < am::ranks(); ++r) expected += count_tree(mix(round * 100 + std::uint64_t(r)), depth);
    const std::uint64_t root = mix(round * 100 + std::uint64_t(am::rank()));
    am::async(am::rank_t(root % std::uint64_t(am::ranks())), [](std::uint64_t n, unsigned d) { grow(n, d); }, root, depth);
    am::fence();
    EXPECT_EQ(am::all_reduce(ran, std::plus<>{}), expected);
  }
}

RANK_TEST(a_long_chain_is_followed) {
  struct step {
    static void run(unsigned left) {
      ++ran;
      if (left != 0) am::async((am::rank() + 1) % am::ranks(), [](unsigned n) { run(n); }, left - 1);
    }
  };
  ran = 0;
  am::fence();
  if (am::rank() == 0) am::async(am::ranks() - 1, [](unsigned n) { step::run(n); }, 999u);
  am::fence();
  EXPECT_EQ(am::all_reduce(ran, std::plus<>{}), 1000u);
}

RANK_TEST(a_flood_is_complete) {
  ran = 0;
  am::fence();
  for (int i = 0; i < 100'000; ++i) am::async((am::rank() + 1) % am::ranks(), [](int) { ++ran; }, i);
  am::fence();
  EXPECT_EQ(ran, 100'000u);
}

RANK_TEST(an_idle_fence_takes_one_round) {
  am::fence();
  const am::detail::counters& count = *am::detail::head_here("test").count;
  const std::uint64_t rounds = count.fence_rounds, fences = count.fences;
  am::fence();
  EXPECT_EQ(count.fence_rounds - rounds, 1u);
  EXPECT_EQ(count.fences - fences, 1u);
}

RANK_TEST(a_fence_behind_one_way_calls_that_have_run_takes_one_round) {
  const am::detail::counters& count = *am::detail::head_here("test").count;
  for (int i = 0; i < rounds(100); ++i) {
    ran = 0;
    am::barrier();
    am::async((am::rank() + 1) % am::ranks(), [] { ++ran; });
    am::flush();
    while (ran == 0) am::poll();
    am::barrier();
    const std::uint64_t before = count.fence_rounds;
    am::fence();
    EXPECT_EQ(count.fence_rounds - before, 1u);
  }
}

// At most two, in each pattern, where nothing is late: a machine that does other things may make it more now and then.
RANK_TEST(a_fence_behind_a_one_way_call_of_each_rank_takes_two_rounds) {
  using am::detail::pattern;
  const am::detail::counters& count = *am::detail::head_here("test").count;
  for (const pattern how : {pattern::flat, pattern::tree, pattern::hypercube}) {
    std::uint64_t fewest = ~std::uint64_t{0};
    for (int i = 0; i < 1000 && fewest > 2; ++i) {
      am::fence();
      const std::uint64_t before = count.fence_rounds;
      am::async((am::rank() + 1) % am::ranks(), [] { ++ran; });
      am::detail::run_fence_in(am::world(), how);
      fewest = std::min(fewest, am::all_reduce(count.fence_rounds - before, std::plus<>{}) / std::uint64_t(am::ranks()));
    }
    EXPECT_LE(fewest, 2u);
  }
}

// Frames of every length, so that what the fence adds to one finds room, just finds room, and finds none.
RANK_TEST(a_fence_behind_any_number_of_one_way_calls_completes_them) {
  ran = 0;
  am::fence();
  std::uint64_t sent = 0;
  for (int n = 0; n < rounds(800); ++n) {
    for (int i = 0; i < n; ++i)
      am::async((am::rank() + 1) % am::ranks(), [](std::array<long, 5>) { ++ran; }, std::array<long, 5>{});
    sent += std::uint64_t(n);
    am::fence();
    EXPECT(ran >= sent && ran <= sent + std::uint64_t(n) + 1);
  }
  am::fence();
  EXPECT_EQ(ran, sent);
}

// The body of a one-way call that travels with the counts of its sender's fence waits for what comes later.
RANK_TEST(a_fence_goes_on_while_a_body_in_front_of_its_counts_waits) {
  static thread_local bool answered;
  for (int i = 0; i < rounds(100); ++i) {
    ran = 0, answered = false;
    am::barrier();
    am::async((am::rank() + 1) % am::ranks(),
              [](am::rank_t from) {
                answered = am::call(from, [] { return true; }).get();
                am::async(from, [] { ++ran; });
              },
              am::rank());
    am::fence();
    EXPECT(answered);
    EXPECT_EQ(ran, 1u);
  }
}

RANK_TEST(a_fence_counts_again_only_when_something_has_changed) {
  using am::detail::pattern;
  const std::uint64_t& rounds = am::detail::here("test").count->fence_rounds;
  for (const pattern how : {pattern::flat, pattern::tree, pattern::hypercube}) {
    ran = 0;
    am::barrier();
    const std::uint64_t before = rounds;
    for (int i = 1; i <= 2; ++i)
      am::async(am::ranks() - 1, [](int n) { am::sleep_for(std::chrono::milliseconds(50 * n)), ++ran; }, i);
    am::detail::run_fence_in(am::world(), how);
    if (am::rank() == am::ranks() - 1) EXPECT_EQ(ran, 2u * unsigned(am::ranks()));
    EXPECT_LE(rounds - before, 100u * unsigned(am::ranks()));  // at each end of a body, and some
  }
}

// Over a network, where each rank is its own host: what a one-way call and the first round of a fence cost together.
RANK_TEST(a_one_way_call_travels_with_the_counts_of_the_fence) {
  const am::detail::context& here = am::detail::here("test");
  const am::detail::counters& count = *here.count;
  if (!here.teams->world->fence_piggybacks || here.teams->world->checking)
    return;  // what checks the order of collectives sends more
  const auto others = std::uint64_t(am::ranks() - 1);
  bool seen = false;  // a rank that is about to sleep tells the others what it has entered: then there are more
  for (int i = 0; i < 1000 && !seen; ++i) {
    am::fence();
    here.messages->settle_counts();
    const std::uint64_t frames = count.frames_sent, controls = count.control_sent, rounds = count.fence_rounds;
    am::async((am::rank() + 1) % am::ranks(), [] { ++ran; });
    am::fence();
    here.messages->settle_counts();
    EXPECT_EQ(count.frames_sent - frames, 1u);
    const std::uint64_t expected = (count.fence_rounds - rounds) * others - 1, sent = count.control_sent - controls;
    EXPECT_LE(expected, sent);
    seen = am::all_reduce(int(sent != expected), std::plus<>{}) == 0;
  }
  EXPECT(seen);
}

RANK_TEST(a_fence_of_a_team_completes_one_way_calls_among_its_members) {
  const am::team t = am::world().split(am::rank() % 2);
  ran = 0;
  am::fence();
  for (std::uint64_t i = 1; i <= std::uint64_t(rounds(200)); ++i) {
    am::async(t.world_rank((t.rank() + 1) % t.size()), [] { ++ran; });
    // One that leaves the team is not waited for, and does not disturb.
    am::async((am::rank() + 1) % am::ranks(), [] {});
    t.fence();
    expect_ran(i);
  }
  am::fence();
}

RANK_TEST(a_fence_ends_while_a_fiber_yields) {
  bool over = false;
  auto other = am::spawn([&] {
    while (!over) am::yield();
  });
  ran = 0;
  am::fence();
  am::async((am::rank() + 1) % am::ranks(), [] { ++ran; });
  am::fence();
  EXPECT_EQ(ran, 1u);
  over = true;
  other.join();
}

RANK_TEST(a_second_fence_at_the_same_time_is_an_error) {
  bool refused = false;
  auto other = am::spawn([&] {
    refused = rank_test::expect_throws<am::usage_error>([] { am::fence(); }, "another fiber", "fence()", __FILE__, __LINE__);
  });
  am::fence();
  other.join();
  EXPECT(refused);
  auto alone = am::spawn([] { am::fence(); });
  alone.join();
}

RANK_TEST(a_fence_in_a_fiber_of_a_body_is_an_error) {
  static thread_local bool refused;
  refused = false;
  am::barrier();
  am::async(am::rank(), [] {
    am::spawn(
        [] { refused = rank_test::expect_throws<am::usage_error>([] { am::fence(); }, "", "fence()", __FILE__, __LINE__); });
  });
  am::fence();
  EXPECT(refused);
}

RANK_TEST(a_fence_in_a_body_is_an_error) {
  static thread_local bool refused;
  refused = false;
  am::async(am::rank(), [] {
    refused = rank_test::expect_throws<am::usage_error>([] { am::fence(); }, "a called function may not enter a collective",
                                                        "fence()", __FILE__, __LINE__);
  });
  am::fence();
  EXPECT(refused);
}

RANK_TEST(all_ranks_throw_the_same_error_of_a_one_way_call) {
  for (int round = 0; round < 3; ++round) {
    const am::rank_t thrower = round % am::ranks();
    am::async(thrower, [] { throw std::runtime_error("no bread left"); });
    if (am::rank() == 0) am::async(am::ranks() - 1, [] { throw std::logic_error("no milk left"); });
    try {
      am::fence();
      EXPECT(!"an error");
    } catch (const am::remote_error& e) {
      EXPECT_EQ(e.rank(), thrower);
      EXPECT(std::string(e.text()).find(" left") != std::string::npos);
      const std::string said = e.text();
      EXPECT_EQ(am::world().broadcast(said), said);
    }
    am::fence();  // and then all is well again
  }
}

RANK_TEST(a_long_text_of_a_one_way_call_is_cut_where_it_shows) {
  const auto said_by_fence = [](std::size_t letters) -> std::string {
    am::async(0, [](std::size_t n) { throw std::runtime_error(std::string(n, 'x')); }, letters);
    try {
      am::fence();
    } catch (const am::remote_error& e) { return e.text(); }
    return "nothing";
  };
  const std::string whole = said_by_fence(100), cut = said_by_fence(5000);
  EXPECT(whole.starts_with(std::string(100, 'x') + " (in a one-way call of rank "));
  EXPECT(whole.ends_with(")"));
  EXPECT(cut.find("xxx... (in a one-way call of rank ") != std::string::npos);
  EXPECT(cut.ends_with(")"));
}

namespace {

struct counted_participant final : am::detail::fence_participant {
  counted_participant(int& ends, std::unique_ptr<fence_participant> held)
      : fence_participant(am::world()), ends_(ends), inner_(std::move(held)) {}
  ~counted_participant() override {
    ++ends_;
    if (inner_ != nullptr) am::detail::retire(std::move(inner_));
  }
  bool look() override { return false; }
  void agree() override {}

 private:
  int& ends_;
  std::unique_ptr<fence_participant> inner_;
};

}  // namespace

RANK_TEST(the_end_of_a_participant_may_retire_another) {
  int ends = 0;
  std::unique_ptr<am::detail::fence_participant> chain;
  for (int i = 0; i < 5; ++i) chain = std::make_unique<counted_participant>(ends, std::move(chain));
  am::detail::retire(std::move(chain));
  for (int i = 1; i <= 5; ++i) {
    am::fence();
    EXPECT_EQ(ends, i);
  }
}

namespace {

/// Sends what bodies have staged when a fence asks for it, and not before.
struct staging_participant final : am::detail::fence_participant {
  staging_participant() : fence_participant(am::world()) {}
  void settle() override {
    for (; staged != 0; --staged) am::async(0, [] { ++ran; });
  }
  bool holds_back() const override { return staged != 0; }
  bool look() override { return false; }
  void agree() override {}
  int staged = 0;
};
thread_local staging_participant* stages_here = nullptr;

}  // namespace

// The body is what the fence waits for; then what it has left behind is as much.
RANK_TEST(what_a_body_stages_in_the_end_of_a_long_wait_leaves_in_the_same_fence) {
  ran = 0;
  staging_participant mine;
  stages_here = &mine;
  am::fence();
  am::async((am::rank() + 1) % am::ranks(), am::as_fiber([] {
              am::sleep_for(std::chrono::milliseconds(100));
              ++stages_here->staged;
            }));
  am::fence();
  EXPECT_EQ(mine.staged, 0);
  if (am::rank() == 0) EXPECT_EQ(ran, std::uint64_t(am::ranks()));
  am::fence();
}
