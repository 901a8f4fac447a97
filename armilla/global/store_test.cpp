// SPDX-License-Identifier: Apache-2.0
// Stores, which are one-way; run as access_test is.
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include <armilla/base/core/options.hpp>
#include <armilla/error.hpp>
#include <armilla/fabric/host_map.hpp>

#include "armilla/global/both_memories_test.hpp"
#include "armilla/global/remote_memory.hpp"

namespace am = armilla;
using rank_test::in_both_memories;
using rank_test::next;

namespace {

am::per_rank<am::counter> arrived;
am::per_rank<std::int64_t> bodies;

am::detail::rank_memory& memory() { return am::detail::memory_of(*am::detail::current); }
bool stores_have_replies() { return memory().self.settings->progress == am::detail::progress_mode::thread; }
bool next_is_far() { return memory().host.far[std::size_t(next())]; }

am::global_ptr<double> nowhere() {
  using namespace am::detail;
  return am::global_ptr<double>(global_address::make(memory_kind::process, next(), 16));
}

}  // namespace

RANK_TEST(a_small_store_waits_for_no_reply) {
  in_both_memories(64, [](am::global_ptr<double> p, double* mine) {
    for (int i = 0; i < 64; ++i) am::store(p + i, i * 2.0);
    if (!stores_have_replies()) EXPECT_EQ(memory().unfinished[unsigned(am::detail::remote_group::stores)], 0u);
    am::all_store_sync();
    EXPECT(!memory().unconfirmed.any());
    for (int i = 0; i < 64; ++i) EXPECT_EQ(mine[i], i * 2.0);
  });
}

RANK_TEST(a_store_takes_its_signal_along) {
  in_both_memories(4, [](am::global_ptr<double> p, double* mine) {
    for (int i = 1; i <= 50; ++i) {
      const double pair[2] = {i * 2.0, i * 3.0};
      am::store(p, i, arrived.on(next()));  // an int
      am::store(p + 1, pair, arrived.on(next()), 2);
      am::store(p + 3, std::array<double, 1>{i * 4.0}, arrived.on(next()), 3);
      arrived.local().wait(6);
      for (int k = 0; k < 4; ++k) EXPECT_EQ(mine[k], (k + 1.0) * i);
      am::barrier();
    }
    am::all_store_sync();
    EXPECT_EQ(arrived.local().value(), 0u);
  });
}

// Nothing, one piece, several pieces, what a network carries whole.
// An empty vector has no address, which the sanitizers do not let memcpy have.
RANK_TEST(empty_ranges_move_nothing) {
  in_both_memories(2, [](am::global_ptr<double> p, double* mine) {
    std::vector<double> none;
    am::put(p, none);
    am::get(none, p);
    am::store(p, none);
    am::store(p, none, arrived.on(next()));
    am::sync_memory();
    am::all_store_sync();
    arrived.local().wait();
    EXPECT_EQ(mine[0] + mine[1], am::rank() * 2000.0 + 1);
    am::barrier();
  });
}

RANK_TEST(the_signal_comes_behind_a_store_of_any_length) {
  constexpr std::size_t longest = 20'000;
  in_both_memories(longest, [](am::global_ptr<double> p, double* mine) {
    for (const std::size_t n :
         {std::size_t{0}, std::size_t{1}, std::size_t{100}, std::size_t{1023}, std::size_t{1025}, longest}) {
      am::store(p, std::vector<double>(n, double(n)), arrived.on(next()), 5'000'000'000);
      arrived.local().wait(5'000'000'000);
      EXPECT_EQ(std::size_t(std::count(mine, mine + n, double(n))), n);
      am::barrier();
      am::store(p, std::vector<double>(n, -1.0), arrived.on(next()));
      arrived.local().wait();
      EXPECT_EQ(std::size_t(std::count(mine, mine + n, -1.0)), n);
      am::barrier();
    }
    am::all_store_sync();
  });
}

RANK_TEST(a_signal_alone_comes_behind_stores) {
  in_both_memories(100, [](am::global_ptr<double> p, double* mine) {
    for (int turn = 1; turn <= 20; ++turn) {
      for (int i = 0; i < 100; ++i) am::store(p + i, double(turn));
      arrived.on(next()).signal();
      arrived.local().wait();
      EXPECT_EQ(std::count(mine, mine + 100, double(turn)), 100);
      am::barrier();
    }
    am::all_store_sync();
    am::sync_memory();
  });
}

// The owner refuses: the next wait for stores says so, once, and what came with it and behind it is there.
RANK_TEST(a_refused_store_is_told_at_all_store_sync_or_the_fence_before) {
  if (!next_is_far()) return;
  in_both_memories(2, [](am::global_ptr<double> p, double* mine) {
    am::store(nowhere(), 1.0);
    am::store(nowhere(), 1.0, arrived.on(next()));
    am::store(p, 2.0);
    arrived.local().wait();
    am::sync_memory();  // speaks of others
    EXPECT_THROWS_SAYING(am::usage_error, "store: no memory there", am::all_store_sync());
    am::all_store_sync();
    EXPECT_EQ(mine[0], 2.0);
    am::store(nowhere(), 1.0);
    EXPECT_THROWS_SAYING(am::remote_error, "store: no memory there", am::fence());
    am::all_store_sync();
  });
}

RANK_TEST(a_signal_to_no_counter_is_an_error) {
  in_both_memories(1, [](am::global_ptr<double> p, double*) {
    EXPECT_THROWS_SAYING(am::usage_error, "null", am::store(p, 1.0, am::global_ptr<am::counter>()));
    if (am::ranks() > 1)
      EXPECT_THROWS_SAYING(am::usage_error, "does not lie on the rank", am::store(p, 1.0, arrived.on(am::rank())));
    am::all_store_sync();
  });
}

// One-way calls, some of which store; a fence ends all of it.
RANK_TEST(a_fence_completes_the_stores_of_bodies) {
  in_both_memories(256, [](am::global_ptr<double> p, double* mine) {
    for (int turn = 1; turn <= 10; ++turn) {
      bodies.local() = 0;
      am::barrier();
      for (int i = 0; i < 64; ++i)
        am::async((next() + 1) % am::ranks(),
                  [](am::global_ptr<double> at, int t) {
                    ++bodies.local();
                    am::store(at, t * 1.0);
                    am::store(at + 64, std::array<double, 2>{t * 2.0, t * 3.0}, arrived.on(at.rank()));
                  },
                  p + i * 2 % 64, turn);
      for (int i = 128; i < 256; ++i) am::store(p + i, turn * 5.0);
      am::fence();
      EXPECT_EQ(bodies.local(), 64);
      EXPECT_EQ(arrived.local().value(), 64u);
      EXPECT(arrived.local().try_wait(64));
      for (int i = 0; i < 64; i += 2) EXPECT(mine[i] == turn && mine[64 + i] == turn * 2.0 && mine[65 + i] == turn * 3.0);
      for (int i = 128; i < 256; ++i) EXPECT_EQ(mine[i], turn * 5.0);
      am::barrier();
    }
  });
}

RANK_TEST(a_fence_takes_what_it_has_completed_off_the_list) {
  in_both_memories(2, [](am::global_ptr<double> p, double* mine) {
    am::store(p, 1.0);
    am::fence();
    EXPECT(!memory().unconfirmed.any());
    am::store(p + 1, 2.0, arrived.on(next()));
    arrived.local().wait();
    EXPECT_EQ(mine[0], 1.0);
    EXPECT_EQ(mine[1], 2.0);
    am::all_store_sync();
  });
}

// Half of the ranks meet; what they have stored at the other half is there, too.
RANK_TEST(a_fence_of_a_part_completes_its_stores_at_others) {
  if (am::ranks() < 2) return;
  const am::team half = am::world().split(am::rank() % 2, am::rank());
  in_both_memories(200, [&](am::global_ptr<double> p, double* mine) {
    for (int turn = 1; turn <= 10; ++turn) {
      for (int i = 0; i < 200; ++i) am::store(p + i, turn * 1.0);
      half.fence();
      EXPECT_EQ(memory().unfinished[unsigned(am::detail::remote_group::stores)], 0u);
      EXPECT(!memory().unconfirmed.any());
      for (int i = 0; i < 200; ++i) EXPECT_EQ(double(p[i]), turn * 1.0);
      am::barrier();
    }
    EXPECT_EQ(std::count(mine, mine + 200, 10.0), 200);
  });
}

namespace {

struct large {
  double values[64 * 1024];
};
const std::unique_ptr<const large> source = [] {
  auto one = std::make_unique<large>();
  one->values[64 * 1024 - 1] = 7;
  return one;
}();
struct not_copied {  // but trivially copyable
  double value = 0;
  not_copied() = default;
  not_copied(const not_copied&) = delete;
  not_copied(not_copied&&) = default;
  not_copied& operator=(const not_copied&) = delete;
  not_copied& operator=(not_copied&&) = default;
};

am::per_rank<not_copied> odd_ones;
am::per_rank<const char*> texts;

}  // namespace

// In a body, whose stack has no room for another copy.
RANK_TEST(an_object_of_any_size_is_stored_with_a_signal) {
  const auto mine = am::allocate<large>(1);
  const am::global_ptr<large> there = am::all_gather(mine)[std::size_t(next())];
  am::async(am::rank(), [](am::global_ptr<large> p) { am::store(p, *source, arrived.on(next())); }, there);
  arrived.local().wait();
  EXPECT_EQ(mine.local()->values[64 * 1024 - 1], 7.0);
  am::fence();
  am::deallocate(mine);
}

RANK_TEST(a_store_with_a_signal_converts_as_one_without) {
  not_copied one;
  one.value = 4.5;
  am::store(odd_ones.on(next()), one, arrived.on(next()));
  static const char text[] = "four";
  am::store(texts.on(am::rank()), text, arrived.on(am::rank()));  // a pointer to them, not the letters
  arrived.local().wait(2);
  EXPECT_EQ(odd_ones.local().value, 4.5);
  EXPECT(texts.local() == text);
  am::all_store_sync();
}
